"""Iterables of a for loop: ranges, arrays, lists, and ``enumerate``, ``zip``, ``reversed`` of those.

All become loops over a range; items are read by index. Tuples and mixed lists are unrolled.
"""

from __future__ import annotations

import enum
import functools
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, NoReturn

import gast

from s2sad.errors import UnsupportedSyntaxError
from s2sad.frontend import observe
from s2sad.frontend.entities import (
    Choice,
    Cursor,
    Entity,
    Iteration,
    Members,
    Receive,
    Record,
    Run,
    Spread,
    Static,
    Struct,
    Top,
    View,
    flatten,
)
from s2sad.frontend.lower import built_on, control, generators, growth, keys, known_items, maps, objects, sets
from s2sad.frontend.lower import iterator_definitions as definitions
from s2sad.frontend.lower.arithmetic import arithmetic, check_sequence, length_of
from s2sad.frontend.lower.assignment import begun, known_range, outside, unpacked
from s2sad.frontend.lower.dispatch import apply, lasting, lower
from s2sad.frontend.lower.failures import is_new
from s2sad.frontend.lower.lists import item_at, listed
from s2sad.frontend.lower.maybe import held, seen
from s2sad.frontend.lower.outside import refuse_container
from s2sad.frontend.lower.selection import as_list, each, is_of_functions
from s2sad.frontend.lower.signatures import bind_arguments, frame_for
from s2sad.frontend.lower.state import Frame, Key, Lowering
from s2sad.frontend.normal.generators import of_next
from s2sad.frontend.resolve import LiveScope, entity_of
from s2sad.ir.kinds import BOTTOM, NONE, RANGE, STR, UNKNOWN, Array, Kind, List, Scalar, Tuple
from s2sad.ir.nodes import Block, Call, Const, Global, Op, Value
from s2sad.ir.walk import ops_of, reads_of
from s2sad.rules.effects import effects


def iteration(ctx: Lowering, node: gast.expr, statement: bool = False) -> Iteration:
    """The iteration that an expression stands for in a for loop. The list in ``for x in list(xs)`` need not be made.

    ``statement``: what is done with an item may change what the next one is computed from.
    """
    ctx.looked_at.add(node)
    if isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and len(node.args) == 1 and not node.keywords:
        function = lower(ctx, node.func)
        of_items = not isinstance(node.args[0], gast.Starred)
        if of_items and isinstance(function, Static) and function.payload in (list, tuple):
            return pool(ctx, lower(ctx, node.args[0]), node)
    known = texts(ctx, node)
    if known is not None:
        return known
    entity = lower(ctx, node)
    if statement and isinstance(entity, Iteration) and entity.stepwise is not None and not begun(ctx, entity):
        _take(ctx, entity, node)
        entity = entity.stepwise()
    return lazy(ctx, entity, node)


def texts(ctx: Lowering, node: gast.expr) -> Iteration | None:
    """A list display of texts, each of which is known: what is done may depend on it."""
    if isinstance(node, gast.List) and node.elts and all(_is_text(item) for item in node.elts):
        return Iteration(items=[lower(ctx, item) for item in node.elts])
    return None


def _is_text(node: gast.expr) -> bool:
    return isinstance(node, gast.Constant) and isinstance(node.value, str)


def lazy(ctx: Lowering, entity: Entity, node: gast.AST) -> Iteration:
    """The iteration over an entity, where each item is asked for when the one before has been dealt with."""
    run = run_of(ctx, seen(held(entity)), node)
    return of_entity(ctx, entity, node) if run is None else Iteration(run=run)


def run_of(ctx: Lowering, entity: Entity, node: gast.AST) -> Run | None:
    """The run through a generator, or an object that is its own iterator, from now on; None of other things."""
    entity = built_on.contents(ctx, entity, "__iter__")
    if isinstance(entity, Choice) and is_of_functions(entity):
        return _run_of_each(ctx, entity, node)
    if isinstance(entity, Iteration) and entity.run is not None:
        entity.check()
        _take(ctx, entity, node)
        return entity.run
    if not isinstance(entity, Record) or entity.kind != "object":
        return None
    if objects.find(entity.cls, "__iter__") is not None:
        made = objects.call_method(ctx, entity, "__iter__", [], {}, node)
        return _advancing(ctx, made, node) if made is entity else run_of(ctx, made, node)
    return None


def _run_of_each(ctx: Lowering, choice: Choice, node: gast.AST) -> Run:
    """The run through one of several lists of functions: the consumer stands behind each of them."""

    def run(receive: Receive, leaves: bool) -> None:
        def through(one: Entity) -> Entity:
            inner = run_of(ctx, defined(ctx, definitions.through, [one], node), node)
            assert inner is not None
            inner(receive, leaves)
            return Const(None)

        each(ctx, choice, through, node)

    return run


def _advancing(ctx: Lowering, box: Record, node: gast.AST) -> Run:
    """The run that calls ``__next__`` of an object again and again."""
    function = objects.find(box.cls, "__next__")
    if not isinstance(function, types.FunctionType):
        ctx.refuse(node, "a loop over this object", "its __next__ is not written in Python", "a list, or a generator function")
    source = ctx.program.source_of(function)
    scope = LiveScope(function)
    try:
        definition = of_next(source.node)
    except UnsupportedSyntaxError as error:
        raise error.locate(source.location(error.node or source.node)) from None
    form = generators.form_of(definition, source, False)
    frame = frame_for(form, ctx.frame, (source, scope, function))
    run = generators.made(ctx, definition, frame, bind_arguments(ctx, definition, [box], {}, node, function), node).run
    assert run is not None
    return run


def is_lazy(entity: Entity) -> bool:
    """Test for what is, or may be, a generator: it computes its items when they are asked for."""
    return isinstance(entity, Iteration) and entity.run is not None


def pool(ctx: Lowering, entity: Entity, node: gast.AST) -> Iteration:
    """The items as they are now: those of a list itself, where nobody changes it while they are looked at."""
    over = entity.over if isinstance(entity, Iteration) else entity
    if not isinstance(over, Value) or growth.grows(ctx, node):
        copied = apply(ctx, Static(list, "builtins.list"), [entity], {}, node)
        return replace(of_entity(ctx, copied, node), has=None)
    it = of_entity(ctx, entity, node)
    if isinstance(it.length, Const):  # what is relied on is noted where it is asked for
        it = replace(it, length=ctx.builder.call("builtins.len", over))
    if it.length is not None:
        growth.watch(ctx, over, node, whole=True)
    return it


def of_entity(ctx: Lowering, entity: Entity, node: gast.AST) -> Iteration:
    """The iteration over an entity."""
    it = lasting(ctx, lambda: _of_entity(ctx, entity, node))
    ctx.lasting += it.lasting
    return it


def _of_entity(ctx: Lowering, entity: Entity, node: gast.AST) -> Iteration:
    if isinstance(entity, Members):
        maps.follow_members(ctx, entity)
    if isinstance(entity, Members) and not maps.is_of_objects(ctx, entity):
        ctx.refuse(node, "running over a set that changes", "its members come in no order", "a list, or a dict")
    entity = control.there(ctx, entity, "'NoneType' object is not iterable", node)
    entity = as_list(ctx, built_on.contents(ctx, seen(entity), "__iter__"), node)
    if isinstance(entity, Choice) and is_of_functions(entity):
        entity = generators.lazily(ctx, _run_of_each(ctx, entity, node), node, False)
    if isinstance(entity, Iteration):
        entity.check()
        return _use(ctx, entity, node)
    if isinstance(entity, Struct):
        values = [item for item in entity.items if isinstance(item, Value)]
        if len(values) == len(entity.items) > 8 and all(isinstance(v.kind, Scalar) for v in values):
            return of_entity(ctx, ctx.builder.call("builtins.list", *values), node)
        if known_items.is_known(ctx, entity) and _is_held(ctx, entity):
            return _while_it_lasts(ctx, entity, node)
        return _shown(ctx, entity, node) if isinstance(entity, View) else Iteration(items=entity.items)
    if isinstance(entity, Record) and objects.find(entity.cls, "__iter__") is not None:
        made = objects.call_method(ctx, entity, "__iter__", [], {}, node)
        own = generators.collected(ctx, _advancing(ctx, entity, node), node) if made is entity else made
        return of_entity(ctx, own, node)
    if isinstance(entity, Record) and entity.kind == "dict":
        return of_entity(ctx, dict_view(ctx, entity, "keys"), node)
    if isinstance(entity, Record) and entity.kind == "iterator":
        return _rest(ctx, entity, node)
    if isinstance(entity, Static) and type(entity.payload) is enum.EnumMeta:
        names = observe.attribute(entity.payload, "_member_names_")
        found = [(name, ctx.frame.scope.member(entity.payload, name)) for name in names]
        return Iteration(items=[entity_of(one, f"{entity.path}.{name}") for name, one in found])
    if isinstance(entity, Static) and observe.is_flag(entity.payload):
        return Iteration(items=[entity_of(one, f"{observe.path_of(type(entity.payload))}.{one.name}") for one in entity.payload])
    if isinstance(entity, Static):
        refuse_container(ctx, entity.payload, entity.path, node)
        ctx.refuse(
            node,
            "a loop over this object",
            f"{entity.path or entity.payload!r} is no sequence",
            "a range, an array or a list",
        )
    value = ctx.value(entity, node, "what a loop runs over")
    if maps.is_map(value):
        return maps.iteration_over(ctx, value, "keys", node)
    if value.kind == RANGE:
        return Iteration(direct=value)
    if isinstance(value, Const) and isinstance(value.payload, tuple | str):
        return Iteration(items=[Const(item) for item in value.payload])
    if isinstance(value, Const) and isinstance(value.payload, frozenset):
        return sets.run_over(ctx, value.payload, node)
    if isinstance(value, Global) and value.resolved and isinstance(value.payload, str):
        return Iteration(items=[Const(item) for item in value.payload])
    if isinstance(value.kind, Tuple):
        return Iteration(
            items=[ctx.builder.call("operator.getitem", value, Const(k)) for k in range(len(value.kind.items))]
        )
    if not isinstance(value.kind, Array | List) and value.kind not in (UNKNOWN, STR, BOTTOM):
        ctx.refuse(
            node, f"a loop over a {value.kind}", "it is no sequence of numbers", "a range, an array or a list"
        )
    check_sequence(ctx, value)
    length = length_of(ctx, value)
    if not isinstance(value.kind, List):
        return Iteration(length=length, item=lambda i: _item(ctx, value, i))
    if growth.grows(ctx, node):
        return Iteration(length=length, item=lambda i: _item(ctx, value, i), has=lambda i: growth.has(ctx, value, i))
    growth.watch(ctx, value, node)
    return Iteration(length=length, item=lambda i: _item(ctx, value, i))


def dict_view(ctx: Lowering, box: Record, what: str) -> View:
    """``keys()``, ``values()`` or ``items()`` of a record."""

    def item(key: Any) -> Entity:
        value = ctx.variables[(box, key)]
        if what == "values":
            return value
        named = keys.given(ctx, key)
        return named if what == "keys" else Struct([named, value])

    return View(lambda: [item(key) for key in ctx.keys(box, None)], what)


def _shown(ctx: Lowering, view: View, node: gast.AST) -> Iteration:
    """The items of a dict whose keys are known, each as it is when its turn comes."""
    at_first = view.items

    def now(k: int) -> Entity:
        items = view.items
        if len(items) != len(at_first):
            error = RuntimeError("dictionary changed size during iteration")
            ctx.fail(node, error, "adding or removing keys in a loop over the dict", "a loop over list(d)")
        return items[k]

    return Iteration(items=at_first, now=now)


def _while_it_lasts(ctx: Lowering, items: Struct, node: gast.AST) -> Iteration:
    """The items of a list that is known one by one, as long as nobody changes it."""

    def check() -> None:
        if not _is_held(ctx, items):
            ctx.refuse(node, "a loop over this list", "the list is changed, or bound anew, on the way", "a loop over list(...)")

    return Iteration(items=items.items, lasting=(check,))


def _is_held(ctx: Lowering, items: Struct) -> bool:
    """Test for a list to which a name or a field is bound, or to one that holds it, and not only an iterator over it."""
    held_by = (key for key, entity in ctx.variables.items() if isinstance(entity, Struct) and _holds(entity, items))
    return any(not (isinstance(key[0], Record) and key[0].kind == "iterator") for key in held_by)


def _holds(entity: Struct, items: Struct) -> bool:
    return entity is items or any(isinstance(item, Struct) and _holds(item, items) for item in entity.items)


def watched(ctx: Lowering, entities: Iterable[Entity], node: gast.AST) -> list[Callable[[], None]]:
    """Questions whether the lists among entities, whose items are known, are as they are now."""
    lists = [e for e in map(held, entities) if isinstance(e, Struct) and known_items.is_known(ctx, e) and _is_held(ctx, e)]
    return [ask for entity in lists for ask in _while_it_lasts(ctx, entity, node).lasting]


def _item(ctx: Lowering, value: Value, index: Value) -> Entity:
    item = item_at(ctx, value, index)
    if value.kind == STR and isinstance(item, Value):
        item.kind = STR
    return item


def later(
    ctx: Lowering, make: Callable[[], Entity], run: Run | None = None, stepwise: Callable[[], Entity] | None = None
) -> Iteration:
    """An iterator, which looks at what it runs over when it is used, and can be used up once."""
    return Iteration(make=make, run=run, stepwise=stepwise, once=True, loops=tuple(ctx.loops))


def with_position(ctx: Lowering, it: Iteration) -> Iteration:
    """An iterator with a position, from which ``next`` takes items, too."""
    it.stepped = Record("iterator", "iterator")
    ctx.variables[(it.stepped, "position")] = Const(0)
    return it


def in_steps(args: Iterable[Entity], generator: Callable[[], Entity]) -> Callable[[], Entity] | None:
    """The generator for an iterator of others, where one of these is one in loops."""
    return generator if any(isinstance(arg, Iteration) and arg.stepwise is not None for arg in args) else None


def check_unused(ctx: Lowering, it: Iteration, node: gast.AST, begun: bool = False) -> None:
    """Refuse what takes items of an iterator from which others have been taken: it is empty, or has begun.

    ``begun``: where it stands is known, however often loops around have asked.
    """
    if it.once and (it in ctx.consumed or outside(ctx, it) and not begun):
        why = "something has taken items from it, and those that are left are not kept"
        ctx.refuse(node, "a second use of this iterator", why, "a list of its items")


def _take(ctx: Lowering, it: Iteration, node: gast.AST) -> None:
    check_unused(ctx, it, node)
    if it.endless and begun(ctx, it):
        ctx.refuse(node, "this iterator here", "next has taken items from it", "next for all of its items")
    ctx.consumed.add(it)


def _use(ctx: Lowering, it: Iteration, node: gast.AST) -> Iteration:
    """An iteration that is about to be run through; an iterator is empty the second time."""
    _take(ctx, it, node)
    if it.make is None:
        return it
    source = of_entity(ctx, it.make(), node)
    return _after(ctx, source, it.stepped, node) if it.stepped is not None and begun(ctx, it) else source


def _rest(ctx: Lowering, box: Record, node: gast.AST) -> Iteration:
    """The rest of an iterator made by ``iter``: it is used up, unless a loop takes the items one by one."""
    position = ctx.value(ctx.variables[(box, "position")], node)
    source = of_entity(ctx, ctx.variables[(box, "source")], node)
    cursor = Cursor(box, position, lambda: indexed(ctx, of_entity(ctx, ctx.variables[(box, "source")], node), node))
    return replace(_after(ctx, source, box, node), cursor=cursor)


def _after(ctx: Lowering, source: Iteration, box: Record, node: gast.AST) -> Iteration:
    """The items after the position of an iterator, which then stands at the end."""
    position = ctx.value(ctx.variables[(box, "position")], node)
    if source.items is not None and isinstance(position, Const):
        ctx.variables[(box, "position")] = Const(len(source.items))
        first, now = position.payload, source.now
        later = None if now is None else lambda k: now(first + k)
        return Iteration(items=source.items[first:], lasting=source.lasting, now=later)
    length, item = indexed(ctx, source, node)
    ctx.variables[(box, "position")] = length
    left = arithmetic(ctx, "operator.sub", length, position)
    return Iteration(length=left, item=lambda i: item(arithmetic(ctx, "operator.add", position, i)), lasting=source.lasting)


def spent(ctx: Lowering, *inner: Iteration) -> None:
    """Iterators of which something else takes items: how many, is not known afterwards."""
    for it in inner:
        if it.cursor is not None:
            why = "another iterator took items from it, and how many, is not known"
            ctx.variables[(it.cursor.box, "position")] = Top(why)


def all_items(ctx: Lowering, it: Iteration, node: gast.AST) -> list[Entity] | None:
    """The items one by one, where it is known how many there are."""
    if it.items is not None or it.endless or it.has is not None:
        return it.items
    known = it.direct is not None and known_range(ctx, it.direct)
    if known:
        return [Const(k) for k in known]
    length, item = indexed(ctx, it, node)
    return [item(Const(k)) for k in range(length.payload)] if isinstance(length, Const) else None


def indexed(ctx: Lowering, it: Iteration, node: gast.AST) -> tuple[Value, Callable[[Value], Entity]]:
    """Length and item function of any iteration but a static one."""
    if it.has is not None:
        ctx.refuse(node, "this use of a list", "it may grow or shrink before it ends", "a for loop, or a copy of the list")
    if it.endless:
        ctx.refuse(node, "this endless iterator here", "it never ends", "zip it with something that ends")
    if it.direct is not None:
        span, known = it.direct, known_range(ctx, it.direct)
        if known is not None and known[sys.maxsize :]:
            ctx.refuse(node, "this use of a range", "Python counts no so many items", "itertools.count, or a shorter range")
        return ctx.builder.call("builtins.len", span), lambda i: ctx.builder.call("operator.getitem", span, i)
    if it.length is None or it.item is None:
        items = it.items or []
        if it.now is not None:
            ctx.lasting.append(functools.partial(_check_same, ctx, it, node))
        values = [ctx.value(item, node) for item in items]
        sequence = ctx.builder.call("builtins.list", *values)
        return Const(len(values)), lambda i: ctx.builder.call("operator.getitem", sequence, i)
    return it.length, it.item


def _check_same(ctx: Lowering, it: Iteration, node: gast.AST) -> None:
    """Refuse to have looked at the items of a dict in advance where it is changed on the way."""
    for k, known in enumerate(it.items or []):
        leaves = zip(flatten(it.now(k)) if it.now else [], flatten(known), strict=False)
        if any(now is not before for now, before in leaves):
            ctx.refuse(node, "a loop over this dict", "it is changed on the way", "a loop over list(d.items())")


def defined(
    ctx: Lowering, definition: Any, args: list[Entity], node: gast.AST, kwargs: Mapping[str, Entity] = {}
) -> Entity:
    """An iterator by its definition."""
    for arg in (*args, *kwargs.values()):
        if isinstance(arg, Iteration):
            check_unused(ctx, arg, node)
    return apply(ctx, Static(definition, definition.__name__), args, dict(kwargs), node)


def for_each(ctx: Lowering, it: Iteration, step: Callable[[Entity], object], node: gast.AST) -> None:
    """Do something with each item of an iteration."""
    if it.items is not None:
        for turn in it.turns():
            step(turn())
        return
    length, item = indexed(ctx, it, node)

    def body(index: Value) -> None:
        step(item(index))

    control.counted_loop(ctx, length, body, node)


Handler = Callable[[Lowering, list[Entity], dict[str, Entity], gast.AST], Any]


def of_opened(handler: Handler, first: int = 0) -> Handler:
    """An iterator over others that asks objects for their next items one by one, as they are needed: these may change.

    ``first``: the position of the first of these, behind the function that they are given to.
    """

    def over_iterators(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Any:
        return handler(ctx, [*args[:first], *(_opened(ctx, arg, node) for arg in args[first:])], kwargs, node)

    return over_iterators


def _opened(ctx: Lowering, entity: Entity, node: gast.AST) -> Entity:
    """The iterator of an object that computes its items when they are asked for; other things as they are."""
    box = built_on.contents(ctx, seen(held(entity)), "__iter__")
    if not isinstance(box, Record) or box.kind != "object" or objects.find(box.cls, "__iter__") is None:
        return entity
    if objects.find(box.cls, "__next__") is not None:
        return defined(ctx, definitions.through, [box], node)
    return _opened(ctx, objects.call_method(ctx, box, "__iter__", [], {}, node), node)


def _enumerate(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Entity:
    start = ctx.value([*args[1:], *kwargs.values(), Const(0)][0], node)
    if _is_no_place(start.kind):
        error = TypeError("this object cannot be interpreted as an integer")
        ctx.fail(node, error, "enumerate from this", "an integer to begin with")
    if is_lazy(args[0]):
        return defined(ctx, definitions.counted, [args[0], start], node)

    def shift(index: Value) -> Value:
        return (
            index
            if isinstance(start, Const) and start.payload == 0
            else arithmetic(ctx, "operator.add", index, start)
        )

    def make() -> Entity:
        inner = of_entity(ctx, args[0], node)
        spent(ctx, inner)
        if inner.items is not None:
            pairs: list[Entity] = [Struct([shift(Const(k)), item]) for k, item in enumerate(inner.items)]
            now = inner.now
            return Iteration(items=pairs, now=now and (lambda k: Struct([shift(Const(k)), now(k)])))
        if inner.has is not None and inner.item is not None:
            item = inner.item
            return Iteration(length=inner.length, item=lambda i: Struct([shift(i), item(i)]), has=inner.has)
        length, item = indexed(ctx, inner, node)
        return Iteration(length=length, item=lambda i: Struct([shift(i), item(i)]))

    steps = in_steps(args[:1], lambda: defined(ctx, definitions.counted, [args[0], start], node))
    return with_position(ctx, later(ctx, make, stepwise=steps))


def _is_no_place(kind: Kind) -> bool:
    """Certainty that something of this kind is no integer."""
    if isinstance(kind, Array):
        return bool(kind.rank) or not (kind.dtype or "int").startswith(("int", "uint"))
    return isinstance(kind, Scalar) and kind.is_of("fc") or kind in (NONE, STR)


def _zip(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Entity:
    if len(args) == 1 and isinstance(args[0], Spread):
        rows = args[0].items
        return with_position(ctx, later(ctx, lambda: _columns(ctx, rows, node) or zipped(ctx, unspread(ctx, args, node), node)))
    args = [built_on.contents(ctx, held(arg), "__iter__") for arg in args]
    strict = kwargs.get("strict", Const(False))
    if any(is_lazy(arg) for arg in args):
        return _side_by_side(ctx, args, strict, node)
    if _is_false(strict) and any(map(_holds_things, args)) and not all(isinstance(arg, Struct) for arg in args):
        return _one_by_one(ctx, args, node)
    generators_ = in_steps(args, lambda: _side_by_side(ctx, [_generator_of(ctx, arg) for arg in args], strict, node))
    rows_ = later(ctx, lambda: zipped(ctx, unspread(ctx, args, node), node, not _is_false(strict)), stepwise=generators_)
    return with_position(ctx, rows_)


def _generator_of(ctx: Lowering, entity: Entity) -> Entity:
    stepwise = isinstance(entity, Iteration) and entity.stepwise is not None and not begun(ctx, entity)
    return entity.stepwise() if stepwise else entity  # type: ignore[union-attr, misc]


def _holds_things(entity: Entity) -> bool:
    """Test for a list of objects or functions, which no index that is computed finds."""
    return isinstance(entity, Struct) and not all(isinstance(leaf, Value) for leaf in flatten(entity))


def _one_by_one(ctx: Lowering, args: list[Entity], node: gast.AST) -> Iteration:
    """``zip`` of objects and of what has a length that is known only at run time: written out for each object."""

    def run(receive: Receive, leaves: bool) -> None:
        beside = _Beside(ctx, args, node)
        known = [it[0].items for it in beside.its if not isinstance(it, Iteration) and it[0].items is not None]
        count = min(map(len, known))

        def rest(k: int) -> None:
            beside.check()
            if k < count:
                control.branch(ctx, beside.has(Const(k)), lambda: step(k), lambda: None, node)

        def step(k: int) -> None:
            left = receive(Struct(beside.items(Const(k))))
            if leaves:
                control.branch(ctx, left, lambda: None, lambda: rest(k + 1), node)
            else:
                rest(k + 1)

        rest(0)

    return generators.lazily(ctx, run, node, endless=False)


def _side_by_side(ctx: Lowering, args: list[Entity], strict: Entity, node: gast.AST) -> Iteration:
    """``zip`` of a generator and others, which are read by index: as Python does it, the first that ends is asked first."""
    if not _is_false(strict) or any(isinstance(arg, Spread) for arg in args):
        ctx.refuse(node, "this zip of a generator", "how many items it has is known only at its end", "zip(list(...), ...)")
    lazy_ones = [(k, arg) for k, arg in enumerate(args) if isinstance(arg, Iteration) and arg.run is not None]
    leading, _ = max(lazy_ones, key=lambda pair: pair[1].endless)
    count = (Record("zip", "own"), "count")

    def run(receive: Receive, leaves: bool) -> None:
        own, start, known = run_of(ctx, args[leading], node), len(ctx.builder.block.ops), dict(ctx.variables)
        assert own is not None
        before, after = (_Beside(ctx, part, node) for part in (args[:leading], args[leading + 1 :]))
        alongside = ctx.builder.block.ops[start:] if len(lazy_ones) > 1 else None
        if alongside is not None:
            _check_unseen(ctx, known, node)
        ctx.variables[count] = Const(0)

        def index() -> Value:
            return ctx.value(ctx.variables[count], node)

        def step(item: Entity) -> Entity:
            here = index()
            row = Struct([*before.items(here), item, *after.items(here)])
            following = Const(here.payload + 1) if isinstance(here, Const) else arithmetic(ctx, "operator.add", here, Const(1))
            ctx.variables[count] = following
            left = receive(row)
            return control.short_circuit(ctx, left, lambda: _not(ctx, before.has(index())), False, node)

        def asked(item: Entity) -> Entity:
            return control.choose(ctx, after.has(index()), lambda: step(item), lambda: Const(True), node)

        def begins() -> None:
            own(asked, leaves or before.ends or after.ends)

        here = len(ctx.builder.block.ops)
        control.branch(ctx, before.has(Const(0)), begins, lambda: None, node)
        ctx.variables.pop(count)
        if alongside is not None:
            _check_undisturbed(ctx, start, alongside, ctx.builder.block.ops[here:], node)
            _check_unseen(ctx, known, node)

    return generators.lazily(ctx, run, node, endless=all(isinstance(arg, Iteration) and arg.endless for arg in args))


class _Beside:
    """The iterables that ``zip`` reads by index beside a generator."""

    def __init__(self, ctx: Lowering, args: list[Entity], node: gast.AST) -> None:
        self.ctx = ctx
        its = [_in_advance(ctx, arg, node) if is_lazy(arg) else of_entity(ctx, arg, node) for arg in args]
        spent(ctx, *its)
        self._watched = its
        self.its = [it if it.endless or it.has is not None else (it, *self._indexed(it, node)) for it in its]
        self.ends = not all(it.endless for it in its)

    def check(self) -> None:
        """Refuse what has changed the lists that are read. Raises UnsupportedSyntaxError."""
        for it in self._watched:
            it.check()

    def _indexed(self, it: Iteration, node: gast.AST) -> tuple[Value, Callable[[Value], Entity]]:
        things = it.items is not None and not all(isinstance(leaf, Value) for item in it.items for leaf in flatten(item))
        return (Const(len(it.items or [])), self._refuse) if things else indexed(self.ctx, it, node)

    def _refuse(self, index: Value) -> Entity:
        self.ctx.refuse(None, "a computed index among objects", "which of them it is, is not known", "an if statement")

    def has(self, index: Value) -> Entity:
        """Presence of an item of each at an index."""
        self.check()
        found: Entity = Const(True)
        for it in self.its:
            if isinstance(it, Iteration) and it.has is None:
                continue
            one = it.has(index) if isinstance(it, Iteration) and it.has is not None else _below(self.ctx, it[1], index)  # type: ignore[index]
            found = control.short_circuit(self.ctx, found, lambda: one, True, None)  # noqa: B023
        return found

    def items(self, index: Value) -> list[Entity]:
        """The items at an index."""
        self.check()
        found: list[Entity] = []
        for it in self.its:
            if isinstance(it, Iteration):
                assert it.item is not None
                found.append(it.item(index))
            elif it[0].items is not None and isinstance(index, Const):
                found.append(it[0].items[index.payload])
            else:
                found.append(it[2](index))
        return found


def _in_advance(ctx: Lowering, arg: Entity, node: gast.AST) -> Iteration:
    """The items of one more generator, computed before the first of them is asked for."""
    if isinstance(arg, Iteration) and arg.endless:
        ctx.refuse(node, "two generators side by side that may not end", "one of them would have to be suspended",
                  "a list of the items of one of them")  # fmt: skip
    return of_entity(ctx, arg, node)


def _check_undisturbed(ctx: Lowering, start: int, early: list[Op], loop: list[Op], node: gast.AST) -> None:
    """Refuse to have computed items in advance where what computes them, or runs meanwhile, changes anything that it may read."""
    before = [*ctx.builder.block.ops[:start], *early]
    used = {value for op in before for value in reads_of(op)}
    untouched = {value for op in before if is_new(op) for value in op.results} - used
    acts = any(isinstance(op, Call) and (op.callee is not None or effects(op).world) for op in ops_of(Block(ops=early)))
    if acts or ctx.program.changes(early) or not set(ctx.program.changes(loop)) <= untouched:
        _refuse_disturbed(ctx, node)


def ahead(ctx: Lowering, make: Callable[[], Iteration], use: Callable[[Iteration], Entity], node: gast.AST) -> Entity:
    """The result of ``use`` for the items of a generator, all of which are computed before. Refused where that is to be seen."""
    block, known = ctx.builder.block, dict(ctx.variables)
    start = len(block.ops)
    made = make()
    middle = len(block.ops)
    _check_unseen(ctx, known, node)
    found = use(made)
    before = block.ops[:middle]
    used = {value for op in before for value in reads_of(op)}
    untouched = {value for op in before if is_new(op) for value in op.results} - used
    changes = ctx.program.changes
    if changes(before[start:]) or not set(changes(block.ops[middle:])) <= untouched:
        _refuse_disturbed(ctx, node)
    _check_unseen(ctx, known, node)
    return found


def _refuse_disturbed(ctx: Lowering, node: gast.AST) -> NoReturn:
    ctx.refuse(node, "two generators side by side", "in between, things change that one of them may read",
              "a list of the items of one of them")  # fmt: skip


def _check_unseen(ctx: Lowering, known: dict[Key, Entity], node: gast.AST) -> None:
    """The same for variables that have changed since they were as in ``known``."""
    changed = [key for key, entity in known.items() if ctx.variables.get(key) is not entity]
    if any(_may_be_seen(owner, name) for owner, name in changed):
        _refuse_disturbed(ctx, node)


def _may_be_seen(owner: object, name: object) -> bool:
    """Possibility that functions or generators read a variable: a field of an object, or one that a nested scope mentions."""
    if not isinstance(owner, Frame):
        return not (isinstance(owner, Record) and owner.kind == "own")
    nested = gast.GeneratorExp | gast.Lambda | gast.FunctionDef | gast.ClassDef
    around = owner.definition or owner.source.node
    scopes = [inner for inner in gast.walk(around) if isinstance(inner, nested) and inner is not around]
    return any(isinstance(part, gast.Name) and part.id == name for scope in scopes for part in gast.walk(scope))


def _not(ctx: Lowering, flag: Entity) -> Entity:
    known = control.truth(ctx, flag)
    return Const(not known) if known is not None else ctx.builder.call("operator.not_", flag)


def _is_false(entity: Entity) -> bool:
    return isinstance(entity, Const) and entity.payload is False


def unspread(ctx: Lowering, args: list[Entity], node: gast.AST) -> list[Iteration]:
    """The iterations over arguments; of ``*rows`` those over the rows."""
    inner: list[Iteration] = []
    for arg in args:
        if isinstance(arg, Spread):
            inner += [of_entity(ctx, item, node) for item in unpacked(ctx, arg.items, None, node)]
        else:
            inner.append(of_entity(ctx, arg, node))
            spent(ctx, inner[-1])
    return inner


def _columns(ctx: Lowering, rows: Entity, node: gast.AST) -> Iteration | None:
    """``zip(*rows)`` of a matrix or a list of lists: its columns; the rows are as long as the first."""
    nested = (
        isinstance(rows, Value) and isinstance(rows.kind, List) and isinstance(rows.kind.item, List | Array | Tuple)
    )
    matrix = isinstance(rows, Value) and isinstance(rows.kind, Array) and rows.kind.rank == 2
    if not isinstance(rows, Value) or not (nested or matrix):
        return None
    if isinstance(rows.kind, List) and isinstance(rows.kind.item, Tuple):
        return _fields(ctx, rows, len(rows.kind.item.items))
    count = ctx.builder.call("builtins.len", rows)

    def width() -> Entity:
        return ctx.builder.call("builtins.len", ctx.builder.call("operator.getitem", rows, Const(0)))

    some = arithmetic(ctx, "operator.gt", count, Const(0))
    length = width() if matrix else ctx.value(control.choose(ctx, some, width, lambda: Const(0), node), node)

    def column(j: Value) -> Entity:
        def item(i: Value) -> Entity:
            return ctx.builder.call("operator.getitem", ctx.builder.call("operator.getitem", rows, i), j)

        return Iteration(length=count, item=item)

    return Iteration(length=ctx.value(length, node), item=column, once=True)


def _fields(ctx: Lowering, rows: Value, count: int) -> Iteration:
    """``zip(*rows)`` of a list of tuples: a list of what stands in each place."""
    length = ctx.builder.call("builtins.len", rows)

    def column(k: int) -> Value:
        return listed(
            ctx,
            length,
            lambda i: ctx.builder.call("operator.getitem", ctx.builder.call("operator.getitem", rows, i), Const(k)),
            None,
        )

    return Iteration(items=[column(k) for k in range(count)], once=True)


def zipped(ctx: Lowering, inner: list[Iteration], node: gast.AST, strict: bool = False) -> Iteration:
    """Several iterations side by side, as long as the shortest; with ``strict``, of equal length."""
    spent(ctx, *inner)
    if all(it.items is not None for it in inner):
        rows = [it.items or [] for it in inner]
        if strict and len({len(row) for row in rows}) > 1:
            ctx.refuse(node, "this zip", "its arguments differ in length", "arguments of one length")
        return Iteration(items=[Struct(list(row)) for row in zip(*rows, strict=False)], now=_now_of_each(inner))
    if any(it.has is not None for it in inner):
        return _growing(ctx, inner, node, strict)
    if any(it.items is not None for it in inner) and (known := _rows(ctx, inner, strict, node)) is not None:
        return known
    ending = [indexed(ctx, it, node) for it in inner if not it.endless]
    if not ending:
        return Iteration(
            item=lambda i: Struct([it.item(i) for it in inner if it.item]), endless=True, once=True
        )
    length = ending[0][0]
    for k, (other, _) in enumerate(ending[1:], 2):
        if strict:
            _same_length(ctx, length, other, k, node)
        length = shorter(ctx, length, other)
    pairs = iter(ending)
    items = [it.item if it.endless and it.item is not None else next(pairs)[1] for it in inner]
    return Iteration(length=length, item=lambda i: Struct([item(i) for item in items]), once=True)


def _rows(ctx: Lowering, inner: list[Iteration], strict: bool, node: gast.AST) -> Iteration | None:
    """Known items beside what has a known length; None where the length of one is not known."""
    found = [_count(ctx, it) for it in inner if not it.endless]
    counts = [count for count in found if count is not None]
    if len(counts) < len(found) or any(it.items is None and it.item is None and it.direct is None for it in inner):
        return None
    if strict and len(set(counts)) > 1:
        ctx.refuse(node, "this zip", "its arguments differ in length", "arguments of one length")

    def now(k: int) -> Entity:
        return Struct([_at(ctx, it, k) for it in inner])

    return Iteration(items=list(map(now, range(min(counts)))), now=now, once=True)


def _count(ctx: Lowering, it: Iteration) -> int | None:
    """The number of items of an iteration, where that is known."""
    if it.items is not None:
        return len(it.items)
    span = None if it.direct is None else known_range(ctx, it.direct)
    if span is not None and span[sys.maxsize :]:  # as good as without end
        return sys.maxsize
    return len(span) if span is not None else it.length.payload if isinstance(it.length, Const) and it.cursor is None else None


def _at(ctx: Lowering, it: Iteration, k: int) -> Entity:
    """The k-th item of an iteration that has so many, as it is now."""
    if it.items is not None:
        return it.now(k) if it.now else it.items[k]
    span = None if it.direct is None else known_range(ctx, it.direct)
    if span is not None:
        return Const(span[k])
    assert it.item is not None
    return it.item(Const(k))


def _now_of_each(inner: list[Iteration]) -> Callable[[int], Entity] | None:
    """The k-th items, side by side, as they are when their turn comes."""
    if all(it.now is None for it in inner):
        return None
    return lambda k: Struct([it.now(k) if it.now else (it.items or [])[k] for it in inner])


def _growing(ctx: Lowering, inner: list[Iteration], node: gast.AST, strict: bool) -> Iteration:
    """Iterations side by side, of which some change their lengths on the way."""
    if strict:
        ctx.refuse(node, "this zip", "what it runs over grows or shrinks on the way", "a zip that is not strict")
    tests: list[Callable[[Value], Value]] = []
    items: list[Callable[[Value], Entity]] = []
    for it in inner:
        length, item = (None, it.item) if it.has is not None or it.endless else indexed(ctx, it, node)
        assert item is not None
        items.append(item)
        if it.has is not None:
            tests.append(it.has)
        elif length is not None:
            tests.append(functools.partial(_below, ctx, length))

    def has(index: Value) -> Value:
        found = tests[0](index)
        for test in tests[1:]:
            found = ctx.builder.call("operator.and_", found, test(index))
        return found

    return Iteration(length=Const(0), item=lambda i: Struct([item(i) for item in items]), has=has)


def _below(ctx: Lowering, length: Value, index: Value) -> Value:
    if isinstance(index, Const) and isinstance(length, Const):
        return Const(index.payload < length.payload)
    return arithmetic(ctx, "operator.lt", index, length)


def _same_length(ctx: Lowering, a: Value, b: Value, number: int, node: gast.AST) -> None:
    """The exception that Python raises where the argument of a number is not as long as those before."""
    if (
        isinstance(a.kind, Scalar)
        and isinstance(b.kind, Scalar)
        and a.kind.size is not None
        and a.kind.size == b.kind.size
    ):
        return

    def fail(how: str) -> None:
        before = "argument 1" if number == 2 else f"arguments 1-{number - 1}"
        control.fail(ctx, ValueError, f"zip() argument {number} is {how} than {before}")

    def misfit() -> None:
        control.branch(ctx, arithmetic(ctx, "operator.lt", b, a), lambda: fail("shorter"), lambda: fail("longer"), node)

    control.branch(ctx, arithmetic(ctx, "operator.ne", a, b), misfit, lambda: None, node)


def shorter(ctx: Lowering, a: Value, b: Value) -> Value:
    """The smaller of two lengths, without an operation where they are known, or known to be equal."""
    if isinstance(a, Const) and isinstance(b, Const):
        return Const(min(a.payload, b.payload))
    known = isinstance(a.kind, Scalar) and isinstance(b.kind, Scalar) and a.kind.size is not None
    if known and a.kind.size == b.kind.size:  # type: ignore[attr-defined]
        return a
    return ctx.builder.call("builtins.min", a, b)


def _reversed(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Entity:
    """``reversed(xs)``, which begins where the end of xs was when it was made."""
    whole = seen(held(args[0]))
    is_set = isinstance(whole, Const) and isinstance(whole.payload, frozenset) or isinstance(args[0], Members)
    if is_set or isinstance(whole, Iteration) and (whole.once or whole.run is not None):
        what = "set" if is_set else "generator"
        ctx.fail(node, TypeError(f"{what!r} object is not reversible"), f"reversed() of a {what}", "a list of it")
    if isinstance(whole, Choice) and is_of_functions(whole):
        lists = [Struct(one.items[::-1], "list") for one in whole.alternatives if isinstance(one, Struct)]
        return generators.lazily(ctx, _run_of_each(ctx, Choice(whole.tag, whole.labels, list(lists)), node), node, False)
    inner = of_entity(ctx, args[0], node)
    spent(ctx, inner)
    if inner.items is not None:
        count, now = len(inner.items), inner.now
        return _made(ctx, Iteration(items=inner.items[::-1], now=now and (lambda k: now(count - 1 - k))))
    if inner.direct is not None:
        return _made(ctx, Iteration(direct=ctx.builder.call("builtins.reversed", inner.direct)))
    has = inner.has
    length, item = indexed(ctx, replace(inner, has=None), node)
    last = arithmetic(ctx, "operator.sub", length, Const(1))

    def place(index: Value) -> Value:
        return arithmetic(ctx, "operator.sub", last, index)

    def is_there(index: Value) -> Value:
        assert has is not None
        found = arithmetic(ctx, "operator.ge", place(index), Const(0))
        return ctx.builder.call("operator.and_", found, has(place(index)))

    return _made(ctx, Iteration(length=length, item=lambda i: item(place(i)), has=has and is_there))


def _made(ctx: Lowering, it: Iteration) -> Iteration:
    """An iterator that has looked at what it runs over when it was made."""
    whole = replace(it, lasting=(*it.lasting, *ctx.lasting))
    return with_position(ctx, later(ctx, lambda: whole))


TABLE: dict[Any, Callable[[Lowering, list[Entity], dict[str, Entity], Any], Entity]] = {
    enumerate: _enumerate,
    zip: _zip,
    reversed: _reversed,
}

"""Comprehensions: loops that append to a new list; those over known items are unrolled."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import gast

from s2sad.frontend import observe
from s2sad.frontend.entities import Entity, Iteration, Record, Struct, flatten
from s2sad.frontend.lower import control, generators, maps, sets
from s2sad.frontend.lower.assignment import assign, known_range, loop_over
from s2sad.frontend.lower.dispatch import lower
from s2sad.frontend.lower.iteration import iteration, later, lazy, texts, watched
from s2sad.frontend.lower.lists import append, displayed, list_of, new_list
from s2sad.frontend.lower.operators import tested
from s2sad.frontend.lower.state import Frame, Lowering
from s2sad.ir.nodes import Const, Value

MAX_UNROLLED = 64  # items of a range, or of an array
Item = Callable[[], Entity]


@contextmanager
def scope(ctx: Lowering, node: gast.expr) -> Iterator[None]:
    """A frame for the names that the loops of a comprehension bind; walruses bind those of the function around."""
    targets = {
        n.id
        for loop in node.generators
        for n in gast.walk(loop.target)
        if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store)
    }
    shared = frozenset(n.target.id for n in gast.walk(node) if isinstance(n, gast.NamedExpr))
    outer = ctx.frame
    shared |= outer.shared
    ctx.frame = Frame(outer.source, outer.scope, outer, frozenset(targets), shared=shared, definition=outer.definition)
    try:
        yield
    finally:
        ctx.frame = outer


def list_comprehension(ctx: Lowering, node: gast.ListComp | gast.GeneratorExp) -> Entity:
    """``[elt for target in iter if cond]``."""
    return _items(ctx, node, iteration(ctx, node.generators[0].iter))


def _items(ctx: Lowering, node: gast.ListComp | gast.GeneratorExp, it: Iteration) -> Entity:
    with scope(ctx, node):
        static = _static(ctx, node, it)
        return _dynamic(ctx, node, it) if static is None else static


def _dynamic(ctx: Lowering, node: gast.ListComp | gast.GeneratorExp, it: Iteration) -> Value:
    """A loop that appends to a new list."""
    result = new_list(ctx)

    def element() -> None:
        append(ctx, result, lower(ctx, node.elt), node.elt)

    nest(ctx, node.generators, element, it)
    return result


def generator(ctx: Lowering, node: gast.GeneratorExp) -> Entity:
    """``(elt for ...)``: the list of its items, made where they are asked for.

    What the first loop runs over is found where the generator is made; all else where it is used.
    """
    first = node.generators[0].iter
    frame, source = ctx.frame, texts(ctx, first) or sets.in_some_order(ctx, lower(ctx, first), first)

    def make() -> Entity:
        saved, ctx.frame = ctx.frame, frame
        try:
            return _items(ctx, node, lazy(ctx, source, first))
        finally:
            ctx.frame = saved

    made = later(ctx, make, generators.expression(ctx, node, source))
    return replace(made, lasting=tuple(watched(ctx, [source], node)))


def _static(ctx: Lowering, node: gast.ListComp | gast.GeneratorExp, it: Iteration) -> Entity | None:
    """Loops over known items, with conditions that are known: the elements one by one.

    Ranges are unrolled only where the elements are no values of the program (functions, say), or all known loops are written out.
    """

    def element() -> Entity:
        return lower(ctx, node.elt)

    found = unrolled(ctx, node.generators, it, element, ranges=observe.written_out())
    if found is None and _holds_no_values(ctx, node.generators, it, element):
        found = unrolled(ctx, node.generators, it, element, ranges=True)
    return None if found is None else displayed(ctx, node, found, list_of)


def _holds_no_values(
    ctx: Lowering, generators: list[gast.comprehension], it: Iteration, element: Callable[[], Entity]
) -> bool:
    items = _known_items(ctx, it, True)
    first: list[Entity] = []
    with control.scratch(ctx):
        for item in (items or [])[:1]:
            _decided(ctx, generators, item, lambda: first.append(element()), True)
    return bool(first) and not all(isinstance(leaf, Value) for leaf in flatten(first[0]))


def unrolled(
    ctx: Lowering,
    generators: list[gast.comprehension],
    it: Iteration,
    element: Callable[[], Entity],
    ranges: bool = True,
) -> list[Entity] | None:
    """The results of ``element`` for each item; None if items or conditions are known only at run time."""
    items = _known_items(ctx, it, ranges)
    if items is None:
        return None
    if len(generators) > 1 or generators[0].ifs:
        with control.scratch(ctx):
            if not all(_decided(ctx, generators, item, element, ranges) for item in items):
                return None
    found: list[Entity] = []
    for item in items:
        _visit(ctx, generators, item, lambda: found.append(element()), ranges)
    return found


def _known_items(ctx: Lowering, it: Iteration, ranges: bool) -> list[Item] | None:
    """The items, each looked at when its turn comes; ``ranges``: also those of short ranges, and of short arrays."""
    if it.items is not None:
        return it.turns()
    if not ranges or it.endless or it.has is not None or it.cursor is not None:
        return None
    span = None if it.direct is None else known_range(ctx, it.direct)
    if span is not None:
        return [functools.partial(_same, Const(k)) for k in span] if not span[MAX_UNROLLED:] else None
    if it.item is None or not isinstance(it.length, Const) or it.length.payload > MAX_UNROLLED:
        return None
    return [functools.partial(it.item, Const(k)) for k in range(it.length.payload)]


def _same(entity: Entity) -> Entity:
    return entity


def _decided(
    ctx: Lowering,
    generators: list[gast.comprehension],
    item: Item,
    element: Callable[[], object],
    ranges: bool,
) -> bool:
    """Test for an item of which the conditions are known, and so are the items of inner loops."""
    try:
        _visit(ctx, generators, item, element, ranges)
    except _NotKnown:
        return False
    return True


class _NotKnown(Exception):
    """A condition or the items of an inner loop are known only at run time."""


def _visit(
    ctx: Lowering,
    generators: list[gast.comprehension],
    item: Item,
    innermost: Callable[[], object],
    ranges: bool,
) -> None:
    """Run ``innermost`` for an item of the first loop, unless a condition excludes it."""
    first, rest = generators[0], generators[1:]
    assign(ctx, first.target, item())
    for condition in first.ifs:
        known = control.truth(ctx, tested(ctx, condition))
        if known is None:
            raise _NotKnown
        if not known:
            return
    if not rest:
        innermost()
        return
    items = _known_items(ctx, iteration(ctx, rest[0].iter), ranges)
    if items is None:
        raise _NotKnown
    for each in items:
        _visit(ctx, rest, each, innermost, ranges)


def nest(
    ctx: Lowering,
    generators: list[gast.comprehension],
    innermost: Callable[[], None],
    outermost: Iteration | None = None,
) -> None:
    """The nested loops and conditions of a comprehension."""
    if not generators:
        innermost()
        return
    first, rest = generators[0], generators[1:]

    def body() -> None:
        guarded(list(first.ifs))

    def guarded(conditions: list[gast.expr]) -> None:
        if not conditions:
            nest(ctx, rest, innermost)
            return

        def then() -> None:
            guarded(conditions[1:])

        control.branch(ctx, tested(ctx, conditions[0]), then, lambda: None, conditions[0])

    loop_over(ctx, outermost or iteration(ctx, first.iter), first.target, body, first.iter)


def dict_comprehension(ctx: Lowering, node: gast.DictComp) -> Entity:
    """``{key: value for ...}``: a record where items, conditions and keys are known; else filled in a loop."""

    def pair() -> Entity:
        return Struct([lower(ctx, node.key), lower(ctx, node.value)])

    it = iteration(ctx, node.generators[0].iter)
    with scope(ctx, node):
        pairs = None if maps.wanted(ctx, ctx.place(node)) else unrolled(ctx, node.generators, it, pair)
    known = [] if pairs is None else [p.items for p in pairs if isinstance(p, Struct)]
    for key, _ in known:
        maps.check_hash(ctx, key, node)
    keys = [ctx.value(key, node, "a key") for key, _ in known]
    if pairs is None or not all(isinstance(key, Const) for key in keys):
        return _computed(ctx, node, it)
    box = Record("dict", place=ctx.place(node))
    for key, (_, value) in zip(keys, known, strict=True):
        assert isinstance(key, Const)
        if key.payload not in box.keys:
            box.keys.append(key.payload)
        ctx.variables[(box, key.payload)] = value
    return box


def _computed(ctx: Lowering, node: gast.DictComp, it: Iteration) -> Value:
    """A loop that stores into a new dict."""
    made = maps.new_map(ctx, ctx.place(node))

    def put() -> None:
        maps.store(ctx, made, lower(ctx, node.key), lower(ctx, node.value), node)

    with scope(ctx, node):
        nest(ctx, node.generators, put, it)
    return made


def set_comprehension(ctx: Lowering, node: gast.SetComp) -> Entity:
    """``{item for ...}`` of constants."""
    sets.in_any_order(ctx, node)
    it = iteration(ctx, node.generators[0].iter)
    with scope(ctx, node):
        items = unrolled(ctx, node.generators, it, lambda: lower(ctx, node.elt))
    return set_of(ctx, items, node)


def set_(ctx: Lowering, node: gast.Set) -> Entity:
    """``{1, 2, 3}`` of constants."""
    return set_of(ctx, [lower(ctx, item) for item in node.elts], node)


def set_of(ctx: Lowering, items: list[Entity] | None, node: gast.AST) -> Entity:
    """A set whose items are known."""
    if any(isinstance(item, Record) for item in items or ()):
        return sets.new_set(ctx, Struct(items or []), id(node), node)
    known = [item.payload for item in items or [] if isinstance(item, Const)]
    if items is None or len(known) != len(items):
        ctx.refuse(
            node, "a set of computed items", "sets have no order to sweep back through", "a list or a tuple"
        )
    return sets.written(ctx, frozenset(known), node)

"""Assignment to any target, unpacking, and loops that bind their items to targets."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import NoReturn

import gast

from s2sad.frontend import observe
from s2sad.frontend.entities import (
    CONTENTS,
    Bounded,
    Choice,
    Cursor,
    Entity,
    Iteration,
    Method,
    Record,
    Spread,
    Static,
    Struct,
    Top,
)
from s2sad.frontend.lower import (
    bound,
    built_on,
    control,
    keys,
    known_items,
    library_calls,
    maps,
    nesting,
    objects,
    subscripts,
)
from s2sad.frontend.lower.arithmetic import BINARY, arithmetic, check_sequence
from s2sad.frontend.lower.attributes import attribute_of
from s2sad.frontend.lower.control import fail
from s2sad.frontend.lower.dispatch import apply, counted, lower, lower_value
from s2sad.frontend.lower.lists import Meanwhile, as_array, in_turn, list_of, writable
from s2sad.frontend.lower.maybe import held, seen
from s2sad.frontend.lower.operators import binary_op, is_numpys
from s2sad.frontend.lower.referring import is_reference
from s2sad.frontend.lower.selection import as_list, each, is_of_tuples
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import UNKNOWN, Array, List, Nested, Scalar, Slice, Tuple, TupleOf, dtype_of
from s2sad.ir.nodes import Block, Call, Const, Value


def assign(ctx: Lowering, target: gast.expr, entity: Entity) -> None:
    """Bind or store into any target."""
    if isinstance(target, gast.Name):
        changed = target.id in ctx.frame_of(target.id).written
        ctx.bind(target.id, writable(ctx, entity) if changed else entity)
    elif isinstance(target, gast.Subscript):
        base = control.there(ctx, lower(ctx, target.value), "'NoneType' object does not support item assignment", target)
        entity, base, index = in_turn(ctx, entity, base, lambda: lower(ctx, target.slice))
        subscripts.store(ctx, base, index, entity, target)
    elif isinstance(target, gast.Attribute):
        owner = lower(ctx, target.value)
        name = ctx.frame.private(target.attr)
        if not library_calls.set_attribute(ctx, owner, name, entity, target):
            objects.set_attribute(ctx, owner, name, entity, target)
    elif isinstance(target, gast.Tuple | gast.List):
        _unpack(ctx, target, entity)
    else:
        ctx.refuse(target)


def _unpack(ctx: Lowering, target: gast.Tuple, entity: Entity) -> None:
    star = next((k for k, t in enumerate(target.elts) if isinstance(t, gast.Starred)), None)
    entity = built_on.contents(ctx, entity, "__iter__")
    entity = _run_through(ctx, entity if star is None else as_list(ctx, entity, target), target)
    if star is not None and isinstance(entity, Value) and _of_unknown_length(entity):
        _unpack_around(ctx, target, star, entity)
        return
    items = unpacked(ctx, entity, len(target.elts) if star is None else None, target)
    if star is None:
        if len(items) != len(target.elts):
            _refuse_unpacking(ctx, target, len(items), len(target.elts))
        for item in items:
            if isinstance(item, Struct) and sum(other is item for other in items) > 1:
                ctx.follow_items(item)  # one list gets two names
        for inner, item in zip(target.elts, items, strict=True):
            assign(ctx, inner, item)
        return
    after = len(target.elts) - star - 1
    if len(items) < star + after:
        _refuse_unpacking(ctx, target, len(items), star + after, more=True)
    for inner, item in zip(target.elts[:star], items[:star], strict=True):
        assign(ctx, inner, item)
    assign(ctx, target.elts[star].value, list_of(ctx, items[star : len(items) - after]))
    for inner, item in zip(target.elts[star + 1 :], items[len(items) - after :], strict=True):
        assign(ctx, inner, item)


def _refuse_unpacking(ctx: Lowering, node: gast.AST, there: int, count: int, more: bool = False) -> NoReturn:
    error = ValueError(_misfit(there, count, more))
    ctx.fail(node, error, f"unpacking {there} item{'s' * (there != 1)} into {count} names", "as many names")


def _too_many(count: int) -> str:
    return f"too many values to unpack (expected {count})"


def _not_enough(count: int, more: bool) -> str:
    """The text, up to how many there are."""
    return f"not enough values to unpack (expected {'at least ' * more}{count}"


def _misfit(there: int, count: int, more: bool = False) -> str:
    return _too_many(count) if there > count else f"{_not_enough(count, more)}, got {there})"


def _check_count(ctx: Lowering, items: Value, count: int, node: gast.AST, more: bool = False) -> None:
    """The exception that Python raises where there are not ``count`` items (or ``more``)."""
    check_sequence(ctx, items)
    length = ctx.builder.call("builtins.len", items)

    def too_few() -> None:
        text = ctx.builder.call("s2sad.fstring", Const(f"{_not_enough(count, more)}, got "), length, Const(")"))
        ctx.builder.call("s2sad.raise", ctx.builder.call("builtins.ValueError", text))

    def fail_() -> None:
        if more:
            too_few()
        else:
            less = arithmetic(ctx, "operator.lt", length, Const(count))
            control.branch(ctx, less, too_few, lambda: fail(ctx, ValueError, _too_many(count)), node)

    test = arithmetic(ctx, "operator.lt" if more else "operator.ne", length, Const(count))
    control.branch(ctx, test, fail_, lambda: None, node)


def _of_unknown_length(entity: Value) -> bool:
    """Test for an array or list whose items can only be counted at run time."""
    kind = entity.kind
    if isinstance(kind, Array) and kind.shape:
        return not isinstance(kind.shape[0], int)
    return isinstance(kind, List) and not maps.is_map(entity)


def spread(ctx: Lowering, entity: Entity, node: gast.AST) -> list[Entity]:
    """The items of ``*entity`` in a display or call: one by one where their number is known, else as a whole."""
    entity = _run_through(ctx, as_list(ctx, built_on.contents(ctx, entity, "__iter__"), node), node)
    if isinstance(entity, Value) and _of_unknown_length(entity):
        return [Spread(entity)]
    return unpacked(ctx, entity, None, node)


def with_items(ctx: Lowering, node: gast.Tuple | gast.List, make: Callable[[list[Entity]], Entity]) -> Entity:
    """The result for the items of a display; where one of several tuples is spread out there, for those of each, in branches."""
    found, starred = Meanwhile(ctx), set[int]()
    for one in node.elts:
        run = lower(ctx, one.value if isinstance(one, gast.Starred) else one)
        if isinstance(one, gast.Starred) and is_of_tuples(run):
            starred.add(len(found.found))
        for item in [run] if not isinstance(one, gast.Starred) or is_of_tuples(run) else spread(ctx, run, one):
            found.keep(item)
    parts = found.all()

    def rest(k: int, items: list[Entity]) -> Entity:
        if k == len(parts):
            return make(items)
        part = parts[k]
        if k in starred and isinstance(part, Choice):
            return each(ctx, part, lambda one: rest(k + 1, [*items, *spread(ctx, one, node)]), node)
        return rest(k + 1, [*items, part])

    return rest(0, [])


def _run_through(ctx: Lowering, entity: Entity, node: gast.AST) -> Entity:
    """Of an iterator whose items can only be counted at run time, the list."""
    while isinstance(entity, Iteration) and entity.make is not None and not begun(ctx, entity):
        if entity.once and (entity in ctx.consumed or outside(ctx, entity)):
            return entity
        ctx.consumed.add(entity)
        entity = entity.make()
    counted = isinstance(entity, Iteration) and entity.items is None and entity.make is None
    if counted or begun(ctx, entity) or _is_iterator(ctx, entity) or isinstance(entity, Value) and maps.is_map(entity):
        return apply(ctx, Static(list, "builtins.list"), [entity], {}, node)
    return entity


def _is_iterator(ctx: Lowering, entity: Entity) -> bool:
    """Test for an iterator made by ``iter`` over what can only be counted at run time."""
    if not isinstance(entity, Record) or entity.kind != "iterator":
        return False
    source = ctx.variables[(entity, "source")]
    return isinstance(source, Value) or isinstance(source, Iteration) and source.items is None


def outside(ctx: Lowering, it: Iteration) -> bool:
    """Test for an iterator made outside of a loop that is being lowered, whose first iteration uses it up."""
    return it.make is not None and it.loops != tuple(ctx.loops)


def begun(ctx: Lowering, entity: Entity) -> bool:
    """Test for an iterator of which ``next`` may have taken items."""
    box = entity.stepped if isinstance(entity, Iteration) else None
    position = None if box is None else ctx.variables[(box, "position")]
    return position is not None and not (isinstance(position, Const) and position.payload == 0)


def _unpack_around(ctx: Lowering, target: gast.Tuple, star: int, entity: Value) -> None:
    """``first, *rest, last = items``: items from both ends, and a list of those between."""
    after = len(target.elts) - star - 1
    _check_count(ctx, entity, star + after, target, more=True)
    for k, inner in enumerate(target.elts[:star]):
        assign(ctx, inner, ctx.builder.call("operator.getitem", entity, Const(k)))
    between = ctx.builder.call("operator.getitem", entity, Const(slice(star, -after if after else None)))
    assign(ctx, target.elts[star].value, apply(ctx, Static(list, "builtins.list"), [between], {}, target))
    for k, inner in enumerate(target.elts[star + 1 :]):
        assign(ctx, inner, ctx.builder.call("operator.getitem", entity, Const(k - after)))


def unpacked(ctx: Lowering, entity: Entity, count: int | None, node: gast.AST) -> list[Entity]:
    """The items of an entity that is taken apart."""
    entity = control.present(ctx, entity, "cannot unpack non-iterable NoneType object", node)
    entity = built_on.contents(ctx, seen(entity), "__iter__")
    if isinstance(entity, Struct):
        return list(entity.items)
    if isinstance(entity, Choice) and count is not None:
        return [_item_of_each(ctx, entity, k, count, node) for k in range(count)]
    if isinstance(entity, Record) and entity.kind == "dict":
        return [keys.given(ctx, key) for key in ctx.keys(entity, node)]
    if isinstance(entity, Record) and entity.kind == "iterator":
        key = (entity, "position")
        source, position = ctx.variables[(entity, "source")], ctx.variables[key]
        if isinstance(source, Iteration | Struct) and source.items is not None and isinstance(position, Const):
            ctx.variables[key] = Const(len(source.items))
            return source.items[position.payload :]
    elif isinstance(entity, Record):
        return unpacked(ctx, _run_through(ctx, objects.call_method(ctx, entity, "__iter__", [], {}, node), node), count, node)
    if isinstance(entity, Iteration) and not (entity.once and (entity in ctx.consumed or outside(ctx, entity))):
        ctx.consumed.add(entity)
        if entity.make is not None:
            return unpacked(ctx, entity.make(), count, node)
        if entity.items is not None:
            return list(entity.items)
    if isinstance(entity, Value):
        if isinstance(entity, Const) and isinstance(entity.payload, frozenset) and len(entity.payload) > 1:
            ctx.refuse(node, "unpacking a set", "its members come in no order", "a tuple or list")
        if isinstance(entity, Const) and isinstance(entity.payload, tuple | str | frozenset):
            return [Const(item) for item in entity.payload]
        if isinstance(entity.kind, Nested) and (whole := nesting.taken_apart(ctx, entity)) is not None:
            return list(whole.items)
        if isinstance(entity.kind, Tuple):
            return list(map(counted, ctx.builder.unpack(entity, list(entity.kind.items))))
        if isinstance(entity.kind, Array) and entity.kind.shape and isinstance(entity.kind.shape[0], int):
            count = entity.kind.shape[0]
        elif count is not None:
            _check_count(ctx, entity, count, node)
        if count is not None:
            return [ctx.builder.call("operator.getitem", entity, Const(k)) for k in range(count)]
    ctx.refuse(node, "this unpacking", "the number of items is not known", "index the items one by one")


def _item_of_each(ctx: Lowering, choice: Choice, k: int, count: int, node: gast.AST) -> Entity:
    """One of the items of one of several things that are taken apart."""

    def item(one: Entity) -> Entity:
        items = unpacked(ctx, one, count, node)
        return items[k] if len(items) == count else fail(ctx, ValueError, _misfit(len(items), count))

    return each(ctx, choice, item, node)


def loop_over(
    ctx: Lowering,
    it: Iteration,
    target: gast.expr,
    body: Callable[[], None],
    node: gast.AST,
    flag: str | None = None,
    snapshots: Value | None = None,
) -> None:
    """Run ``body`` for each item of an iteration, bound to ``target``; ``snapshots`` as in ``ir.nodes.For``."""
    if it.items is None:
        _run_over(ctx, it, target, body, node, flag, snapshots)
        it.check()
        return
    if snapshots is not None:
        _refuse_snapshots(ctx, node)
    if it.cursor is not None and flag is not None:
        ctx.variables[(it.cursor.box, "position")] = Top("a loop that takes its items may end early")
    items = it.turns()
    _unrolled(ctx, items, target, body, node, flag)
    if not (flag is not None and items and control.truth(ctx, ctx.lookup(flag, node))):
        it.check()


def _refuse_snapshots(ctx: Lowering, node: gast.AST) -> NoReturn:
    ctx.refuse(node, "checkpointed over this", "how many items there are is not known, or each is written out", "a range")


def _run_over(
    ctx: Lowering, it: Iteration, target: gast.expr, body: Callable[[], None], node: gast.AST, flag: str | None,
    snapshots: Value | None,
) -> None:  # fmt: skip
    """Run ``body`` for each item of an iteration whose items are not known one by one."""
    if snapshots is not None and (it.direct is None and (it.length is None or it.has is not None or it.cursor is not None)):
        _refuse_snapshots(ctx, node)
    if it.run is not None:
        if snapshots is not None:
            ctx.refuse(node, "checkpointed over a generator", "how many items there are is not known", "a range")

        def receive(item: Entity) -> Entity:
            assign(ctx, target, item)
            body()
            return Const(False) if flag is None else ctx.lookup(flag, node)

        it.run(receive, flag is not None)
        return
    def broken() -> Value | None:
        return None if flag is None else ctx.value(ctx.lookup(flag, node), node)

    def each(entity: Entity) -> None:
        assign(ctx, target, entity)
        body()

    if it.direct is not None:
        direct = it.direct
        name = target.id if isinstance(target, gast.Name) else None
        steps = known_range(ctx, direct)
        looped = functools.partial(control.for_loop, ctx, direct, name, each, node, broken, snapshots)
        _looped_or_written_out(ctx, looped, steps if snapshots is None else None, Const, target, body, node, flag)
        return
    if it.endless and it.item is not None:
        if flag is None:
            ctx.refuse(node, "this endless iterator here", "it never ends", "a loop with a break")
        _asking(ctx, lambda _: Const(True), it.item, each, broken, node)
        return
    if it.has is not None and it.item is not None:
        _asking(ctx, it.has, it.item, each, broken, node)
        return
    if it.cursor is not None:
        _taking(ctx, it.cursor, each, broken, node)
        return
    assert it.length is not None and it.item is not None
    item, span = it.item, ctx.builder.call("builtins.range", it.length)
    looped = functools.partial(control.for_loop, ctx, span, None, lambda i: each(item(i)), node, broken, snapshots)
    places = range(it.length.payload) if isinstance(it.length, Const) and snapshots is None else None
    _looped_or_written_out(ctx, looped, places, lambda k: item(Const(k)), target, body, node, flag)


def _looped_or_written_out(
    ctx: Lowering, looped: Callable[[], None], places: range | None, item: Callable[[int], Entity], target: gast.expr,
    body: Callable[[], None], node: gast.AST, flag: str | None,
) -> None:  # fmt: skip
    """A loop; where it cannot be one, and it is known what it runs over, one copy of the body for each item.

    Or the other way round: see ``observe.written_out``.
    """
    first = places is not None and observe.written_out()
    most = control.MOST_COPIES // ctx.copies if first else control.MOST_ITERATIONS
    if places is None or places[most:]:  # the length of a range may be no C integer
        looped()
        return

    def written_out() -> bool:
        around, ctx.copies = ctx.copies, ctx.copies * max(len(places), 1)
        try:
            _unrolled(ctx, [functools.partial(item, k) for k in places], target, body, node, flag)
        finally:
            ctx.copies = around
        return True

    if first:
        control.or_looped(ctx, written_out, looped)
    else:
        control.or_written_out(ctx, looped, written_out)


def known_range(ctx: Lowering, value: Value) -> range | None:
    """The range that a value is, where it is made here of known numbers."""
    made = ctx.builder.maker(value)
    numbers = [v.payload for v in made.args if isinstance(v, Const)] if made is not None else []
    if made is None or len(numbers) != len(made.args) or not all(isinstance(n, int) for n in numbers):
        return None
    stands_still = len(numbers) == 3 and numbers[2] == 0  # the program raises
    return range(*numbers) if made.target == "builtins.range" and not stands_still else None


def _asking(
    ctx: Lowering,
    has: Callable[[Value], Value],
    item: Callable[[Value], Entity],
    each: Callable[[Entity], None],
    broken: Callable[[], Value | None],
    node: gast.AST,
) -> None:
    """A loop that asks each time whether there is one more item."""
    key = (Record("loop", "own"), "index")
    ctx.variables[key] = Const(0)

    def index() -> Value:
        return ctx.value(ctx.variables[key], node)

    def body() -> None:
        here = index()
        ctx.variables[key] = arithmetic(ctx, "operator.add", here, Const(1))
        each(item(here))

    control.while_loop(ctx, lambda: has(index()), body, node, broken)
    del ctx.variables[key]


def _taking(
    ctx: Lowering, cursor: Cursor, each: Callable[[Entity], None], broken: Callable[[], Value | None], node: gast.AST
) -> None:
    """A loop that takes the items of an iterator one by one: others may take some, too, and the rest when it breaks off."""
    key = (cursor.box, "position")
    ctx.variables[key] = cursor.position

    def position() -> Value:
        return ctx.value(ctx.variables[key], node)

    def body() -> None:
        here = position()
        ctx.variables[key] = arithmetic(ctx, "operator.add", here, Const(1))
        _, item = cursor.source()
        each(item(here))

    control.while_loop(ctx, lambda: arithmetic(ctx, "operator.lt", position(), cursor.source()[0]), body, node, broken)


def _unrolled(
    ctx: Lowering,
    items: Sequence[Callable[[], Entity]],
    target: gast.expr,
    body: Callable[[], None],
    node: gast.AST,
    flag: str | None,
) -> None:
    """One copy of the body for each item; after a break the rest is skipped."""
    if not items:
        return
    assign(ctx, target, items[0]())
    body()
    if len(items) == 1:
        return
    if flag is None:
        _unrolled(ctx, items[1:], target, body, node, flag)
        return
    test = ctx.lookup(flag, node)
    control.branch(ctx, test, lambda: None, lambda: _unrolled(ctx, items[1:], target, body, node, flag), node)


def assign_statement(ctx: Lowering, node: gast.Assign) -> None:
    value = lower(ctx, node.value)
    for target in node.targets:
        assign(ctx, target, value)


def aug_assign(ctx: Lowering, node: gast.AugAssign) -> None:
    op = BINARY[type(node.op)]
    target = node.target
    if isinstance(target, gast.Subscript):
        base = control.there(ctx, lower(ctx, target.value), "'NoneType' object is not subscriptable", target)
        base, index = in_turn(ctx, base, lambda: lower(ctx, target.slice))
        here = len(ctx.builder.block.ops)
        if isinstance(base, Value) and maps.is_map(base):
            entity = lower(ctx, node.value)
            if any(v.kind == UNKNOWN or maps.is_map(v) for v in ctx.program.changes(ctx.builder.block.ops[here:])):
                _augment_loaded_item(ctx, base, index, op, entity, node, here)
                return
            _augment_item(ctx, base, index, op, entity, node)
            return
        part = _is_slice(index) and isinstance(base, Value) and isinstance(base.kind, List)  # put back
        if isinstance(base, Record | Struct) or _holds_lists(base) or part:
            old = subscripts.read(ctx, base, index, node)
            items = subscripts.items_of(ctx, base, index)
            base, index, old, entity = in_turn(ctx, base, index, old, lambda: lower(ctx, node.value))
            fresh = _augmented(ctx, old, op, entity, node)
            if part or fresh is not old or subscripts.items_of(ctx, base, index) != items or subscripts.has_own_way(base):
                subscripts.store(ctx, base, index, fresh, node)
            return
        value = lower_value(ctx, node.value)
        if not subscripts.augment_loaded(ctx, base, index, op, value, node, here):
            subscripts.augment(ctx, base, index, op, value, node, here)
        return
    if isinstance(target, gast.Attribute):
        owner = held(lower(ctx, target.value))
        name = ctx.frame.private(target.attr)
        if is_reference(owner) and not _is_number(ctx, owner, name, target):
            _augment_one_of_several(ctx, owner, name, op, node)
            return
        old, entity = in_turn(ctx, attribute_of(ctx, owner, name, target), lambda: lower(ctx, node.value))
        fresh = _augmented(ctx, old, op, entity, node)
        if fresh is not old or objects.must_be_set(ctx, owner, name, old):
            objects.set_attribute(ctx, owner, name, fresh, target)
        return
    place = (ctx.owner(target.id), target.id)
    before = ctx.variables.get(place)
    old, entity = in_turn(ctx, bound.read(ctx, target), lambda: lower(ctx, node.value))
    fresh = _augmented(ctx, old, op, entity, node)
    if fresh is not old or ctx.variables.get(place) is not before:  # what the right side calls may have bound it
        ctx.bind(target.id, fresh)


def _is_number(ctx: Lowering, owner: Choice, name: str, node: gast.Attribute) -> bool:
    """Test for a number in a field of one of several objects: it is exchanged, where others change in place."""
    with control.scratch(ctx):
        return isinstance(ctx.kind(attribute_of(ctx, owner, name, node)), Scalar)


def _augment_one_of_several(ctx: Lowering, owner: Choice, name: str, op: str, node: gast.AugAssign) -> None:
    """``owner.name op= ...`` of one of several objects, what the field holds being changed in place."""
    fields = [(box, name) for box in owner.alternatives]
    here = [ctx.variables.get(key) for key in fields]
    right = lower(ctx, node.value)
    if any(ctx.variables.get(key) is not one for key, one in zip(fields, here, strict=True)):
        ctx.refuse(node, f"{op}= of the attribute {name!r}", "its right side binds it anew", "a name for the right side")
    each(ctx, owner, lambda one: _augment_attribute(ctx, one, name, op, right, node), node)


def _augment_attribute(ctx: Lowering, owner: Entity, name: str, op: str, entity: Entity, node: gast.AugAssign) -> Entity:
    """``owner.name op= entity`` of the one among several objects that a path is for."""
    old = attribute_of(ctx, owner, name, node)
    fresh = _augmented(ctx, old, op, entity, node)
    if fresh is not old or objects.must_be_set(ctx, owner, name, old):
        objects.set_attribute(ctx, owner, name, fresh, node)
    return Const(None)


def _holds_lists(entity: Entity) -> bool:
    """Test for a list of lists."""
    return isinstance(entity, Value) and isinstance(entity.kind, List) and isinstance(entity.kind.item, List)


def _is_slice(index: Entity) -> bool:
    known = isinstance(index, Static | Const) and isinstance(index.payload, slice)
    return known or isinstance(index, Value) and isinstance(index.kind, Slice)


def _augment_item(ctx: Lowering, items: Value, index: Entity, op: str, entity: Entity, node: gast.AugAssign) -> None:
    """``items[key] op= entity`` of a dict with computed keys."""
    if isinstance(entity, Value) and maps.add_number(ctx, items, index, op, entity, node):
        return
    place, start = maps.key_value(ctx, index, node), maps.default_number(ctx, items, node)

    def change() -> None:
        old = maps.item_of_map(ctx, items, place)
        fresh = _augmented(ctx, old, op, entity, node)
        if fresh is not old:
            maps.store(ctx, items, place, fresh, node)

    if start is None:
        maps.ensure(ctx, items, place, node)
        change()
        return
    first = arithmetic(ctx, f"operator.{op}", start, ctx.value(entity, node))
    if isinstance(first.kind, Scalar):
        old = maps.item_or(ctx, items, place, start)
        maps.store(ctx, items, place, arithmetic(ctx, f"operator.{op}", old, ctx.value(entity, node)), node)
        return
    found = maps.contains(ctx, items, place)
    control.branch(ctx, found, change, lambda: maps.store(ctx, items, place, first, node), node)


def _augment_loaded_item(
    ctx: Lowering, items: Value, index: Entity, op: str, entity: Entity, node: gast.AugAssign, here: int
) -> None:
    """``items[key] op= entity`` of numbers, where the operations from ``here`` on, which compute the entity, write into dicts:
    Python has loaded the item before."""
    block = ctx.builder.block
    start = maps.default_number(ctx, items, node)
    with ctx.builder.inside(Block()) as early:
        place = maps.key_value(ctx, index, node)
        old = maps.item_of_map(ctx, items, place) if start is None else maps.item_or(ctx, items, place, start)
    if not isinstance(old.kind, Scalar):
        ctx.refuse(
            node, f"{op}= of an item of a dict with a right side that writes into dicts",
            "Python loads the item before", "a name for the right side, computed before",
        )  # fmt: skip
    block.ops[here:here] = early.ops
    maps.store(ctx, items, place, arithmetic(ctx, f"operator.{op}", old, ctx.value(entity, node)), node)


def _is_sequence(entity: Entity) -> bool:
    return isinstance(entity, Struct | Bounded) or isinstance(entity, Value) and isinstance(entity.kind, List | Tuple)


def _repeats_or_joins(ctx: Lowering, op: str, entity: Entity, node: gast.AugAssign) -> bool:
    """Test for ``items op= entity`` that changes the list; beside what is NumPy's it makes an array, and the list stays."""
    if op == "add" and isinstance(entity, Value) and entity.kind == UNKNOWN:
        ctx.ask_for_kind(
            node, "whether this extends a list or makes an array is not known", "the kind of the right side is not known"
        )
    return op in ("add", "mul") and not is_numpys(entity, type(node.op))


def _augmented(ctx: Lowering, old: Entity, op: str, entity: Entity, node: gast.AugAssign) -> Entity:
    """``old op= entity``: in place for arrays and lists, which are returned as they came, a new value for numbers."""
    old = control.there(ctx, old, "unsupported operand type(s) for an operator in place: 'NoneType'", node)
    if _is_sequence(old) and not _repeats_or_joins(ctx, op, entity, node):
        return binary_op(ctx, type(node.op), old, entity, node)
    if isinstance(old, Value) and isinstance(old.kind, TupleOf):
        return binary_op(ctx, type(node.op), old, entity, node)
    if known_items.is_known(ctx, old) and op == "add":
        assert isinstance(old, Struct | Choice)
        return known_items.extended(ctx, old, unpacked(ctx, entity, None, node), node)
    if isinstance(old, Choice):
        return each(ctx, old, lambda one: _augmented(ctx, one, op, entity, node), node)
    if isinstance(old, Bounded) and op == "add":
        apply(ctx, Method(old, "extend"), [entity], {}, node)
        return old
    if op == "or_" and maps.is_dict(old):
        if isinstance(maps.factory_in(ctx, old), Const | Top):
            ctx.refuse(node, "|= of this dict", maps.COUNTS, "a loop over its items")
        apply(ctx, Method(old, "update"), [entity], {}, node)
        return old
    if isinstance(old, Const) and isinstance(old.payload, frozenset):
        ctx.refuse(node, f"this {op}= of a set", "it changes for all who see it, and is written down as a constant", "a new name")
    if (inner := built_on.contents(ctx, old, f"__i{op.rstrip('_')}__")) is not old and op in ("add", "mul", "or_"):
        assert isinstance(old, Record)
        objects.put(ctx, old, CONTENTS, _augmented(ctx, inner, op, entity, node), node)
        return old
    if not isinstance(old, Value):
        in_place = f"__i{op.rstrip('_')}__"
        if isinstance(old, Record) and objects.is_object(old) and objects.find(old.cls, in_place) is not None:
            result = objects.call_method(ctx, old, in_place, [entity], {}, node)
            if not (isinstance(result, Static) and result.payload is NotImplemented):
                return result
        lists = old.alternatives if isinstance(old, Choice) else [old]
        if any(isinstance(one, Struct) and one.kind == "list" for one in lists) and op in ("add", "mul"):
            why = "it changes for all who see it, and its items have different kinds"
            ctx.refuse(node, f"this {op}= of a list", why, "a new list: xs = xs + ys")
        return binary_op(ctx, type(node.op), old, entity, node)
    if isinstance(old.kind, List) and op == "add":
        apply(ctx, Method(old, "extend"), [entity], {}, node)
        return old
    if isinstance(old.kind, List) and op == "mul":
        subscripts.store(ctx, old, Const(slice(None)), binary_op(ctx, gast.Mult, old, entity, node), node)
        return old
    value = ctx.value(entity, node)
    if isinstance(old.kind, Array):
        subscripts.augment_whole(ctx, old, op, as_array(ctx, value))
        return old
    if isinstance(value.kind, List):
        return binary_op(ctx, type(node.op), old, value, node)
    if old.kind == UNKNOWN:
        result = ctx.builder.call(f"operator.{op}", old, value)
        subscripts.check_filled(ctx, op, result, old)
        if not (isinstance(value.kind, Scalar) and value.kind.weak and dtype_of(value.kind) in ("float64", "int64", "bool")):
            result = ctx.builder.call("s2sad.runtime.in_place", old, result)
        made = ctx.builder.block.ops[-1]
        assert isinstance(made, Call)
        made.rebinds = True
        return result
    return arithmetic(ctx, f"operator.{op}", old, value)

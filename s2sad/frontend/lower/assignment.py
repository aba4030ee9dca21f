"""Assignment to any target, unpacking, and loops that bind their items to targets."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import NoReturn

import gast

from s2sad.frontend.entities import (
    Aggregate,
    Bounded,
    Box,
    Choice,
    Cursor,
    Entity,
    Iteration,
    Known,
    Method,
    Poison,
    Spread,
)
from s2sad.frontend.lower import control, known_items, maps, numpy_placing, objects, sets, subscripts
from s2sad.frontend.lower.arithmetic import BINARY, arithmetic
from s2sad.frontend.lower.attributes import attribute_of
from s2sad.frontend.lower.dispatch import apply, lower, lower_value
from s2sad.frontend.lower.lists import display, list_of, writable
from s2sad.frontend.lower.maybe import held, seen
from s2sad.frontend.lower.operators import binary_op
from s2sad.frontend.lower.selection import as_list, each, fail
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import UNKNOWN, Array, List, Scalar, Tuple
from s2sad.ir.nodes import Block, Call, Const, Value


def assign(lw: Lowering, target: gast.expr, entity: Entity) -> None:
    """Bind or store into any target."""
    if isinstance(target, gast.Name):
        changed = target.id in lw.owner(target.id).written
        lw.bind(target.id, sets.changeable(lw, writable(lw, entity), target) if changed else entity)
    elif isinstance(target, gast.Subscript):
        base = held(lower(lw, target.value))
        subscripts.store(lw, base, lower(lw, target.slice), entity, target)
    elif isinstance(target, gast.Attribute):
        owner = lower(lw, target.value)
        name = lw.frame.private(target.attr)
        if not numpy_placing.set_attribute(lw, owner, name, entity, target):
            objects.set_attribute(lw, owner, name, entity, target)
    elif isinstance(target, gast.Tuple | gast.List):
        _unpack(lw, target, entity)
    else:
        lw.refuse(target)


def _unpack(lw: Lowering, target: gast.Tuple, entity: Entity) -> None:
    star = next((k for k, t in enumerate(target.elts) if isinstance(t, gast.Starred)), None)
    entity = _run_through(lw, entity if star is None else as_list(lw, entity, target), target)
    if star is not None and isinstance(entity, Value) and _of_unknown_length(entity):
        _unpack_around(lw, target, star, entity)
        return
    items = unpacked(lw, entity, len(target.elts) if star is None else None, target)
    if star is None:
        if len(items) != len(target.elts):
            _refuse_unpacking(lw, target, len(items), len(target.elts))
        for inner, item in zip(target.elts, items, strict=True):
            assign(lw, inner, item)
        return
    after = len(target.elts) - star - 1
    if len(items) < star + after:
        _refuse_unpacking(lw, target, len(items), star + after)
    for inner, item in zip(target.elts[:star], items[:star], strict=True):
        assign(lw, inner, item)
    assign(lw, target.elts[star].value, list_of(lw, items[star : len(items) - after]))
    for inner, item in zip(target.elts[star + 1 :], items[len(items) - after :], strict=True):
        assign(lw, inner, item)


def _refuse_unpacking(lw: Lowering, node: gast.AST, there: int, count: int) -> NoReturn:
    error = ValueError("too many values to unpack" if there > count else "not enough values to unpack")
    lw.fail(node, error, f"unpacking {there} item{'s' * (there != 1)} into {count} names", "as many names")


def _check_count(lw: Lowering, items: Value, count: int, node: gast.AST, more: bool = False) -> None:
    """What Python raises where there are not ``count`` items (or ``more``)."""
    length = lw.builder.call("builtins.len", items)

    def fail_() -> None:
        fail(lw, ValueError, f"expected {'at least ' * more}{count} values to unpack")

    test = arithmetic(lw, "operator.lt" if more else "operator.ne", length, Const(count))
    control.branch(lw, test, fail_, lambda: None, node)


def _of_unknown_length(entity: Value) -> bool:
    """Whether this is an array or list whose items can only be counted at run time."""
    kind = entity.kind
    if isinstance(kind, Array) and kind.shape:
        return not isinstance(kind.shape[0], int)
    return isinstance(kind, List) and not maps.is_map(entity)


def spread(lw: Lowering, entity: Entity, node: gast.AST) -> list[Entity]:
    """The items of ``*entity`` in a display or call: one by one where their number is known, else as a whole."""
    entity = _run_through(lw, as_list(lw, entity, node), node)
    if isinstance(entity, Value) and _of_unknown_length(entity):
        return [Spread(entity)]
    return unpacked(lw, entity, None, node)


def _run_through(lw: Lowering, entity: Entity, node: gast.AST) -> Entity:
    """Of an iterator whose items can only be counted at run time, the list."""
    while isinstance(entity, Iteration) and entity.make is not None:
        if entity.once and (entity.used or outside(lw, entity)):
            return entity
        entity.used = True
        entity = entity.make()
    counted = isinstance(entity, Iteration) and entity.items is None and entity.make is None
    if counted or _is_iterator(lw, entity) or isinstance(entity, Value) and maps.is_map(entity):
        return apply(lw, Known(list, "builtins.list"), [entity], {}, node)
    return entity


def _is_iterator(lw: Lowering, entity: Entity) -> bool:
    """Whether this is an iterator made by ``iter`` over what can only be counted at run time."""
    if not isinstance(entity, Box) or entity.kind != "iterator":
        return False
    source = lw.variables[(entity, "source")]
    return isinstance(source, Value) or isinstance(source, Iteration) and source.items is None


def outside(lw: Lowering, it: Iteration) -> bool:
    """Whether an iterator was made outside of a loop that is being lowered, whose first iteration uses it up."""
    return it.make is not None and it.loops != tuple(lw.loops)


def _unpack_around(lw: Lowering, target: gast.Tuple, star: int, entity: Value) -> None:
    """``first, *rest, last = items``: items from both ends, and a list of those between."""
    after = len(target.elts) - star - 1
    _check_count(lw, entity, star + after, target, more=True)
    for k, inner in enumerate(target.elts[:star]):
        assign(lw, inner, lw.builder.call("operator.getitem", entity, Const(k)))
    between = lw.builder.call("operator.getitem", entity, Const(slice(star, -after if after else None)))
    assign(lw, target.elts[star].value, apply(lw, Known(list, "builtins.list"), [between], {}, target))
    for k, inner in enumerate(target.elts[star + 1 :]):
        assign(lw, inner, lw.builder.call("operator.getitem", entity, Const(k - after)))


def unpacked(lw: Lowering, entity: Entity, count: int | None, node: gast.AST) -> list[Entity]:
    """The items of an entity that is taken apart."""
    entity = seen(held(entity))
    if isinstance(entity, Aggregate):
        return list(entity.items)
    if isinstance(entity, Choice) and count is not None:
        return [_item_of_each(lw, entity, k, count, node) for k in range(count)]
    if isinstance(entity, Box) and entity.kind == "dict":
        return [Const(key) for key in lw.keys(entity, node)]
    if isinstance(entity, Box) and entity.kind == "iterator":
        key = (entity, "position")
        source, position = lw.variables[(entity, "source")], lw.variables[key]
        if isinstance(source, Iteration | Aggregate) and source.items is not None and isinstance(position, Const):
            lw.variables[key] = Const(len(source.items))
            return source.items[position.payload :]
    elif isinstance(entity, Box):
        return unpacked(lw, _run_through(lw, objects.call_method(lw, entity, "__iter__", [], {}, node), node), count, node)
    if isinstance(entity, Iteration) and not (entity.once and (entity.used or outside(lw, entity))):
        entity.used = True
        if entity.make is not None:
            return unpacked(lw, entity.make(), count, node)
        if entity.items is not None:
            return list(entity.items)
    if isinstance(entity, Value):
        if isinstance(entity, Const) and isinstance(entity.payload, frozenset) and len(entity.payload) > 1:
            lw.refuse(node, "unpacking a set", "its members come in no order", "a tuple or list")
        if isinstance(entity, Const) and isinstance(entity.payload, tuple | str | frozenset):
            return [Const(item) for item in entity.payload]
        if isinstance(entity.kind, Tuple):
            return list(lw.builder.unpack(entity, list(entity.kind.items)))
        if isinstance(entity.kind, Array) and entity.kind.shape and isinstance(entity.kind.shape[0], int):
            count = entity.kind.shape[0]
        elif count is not None:
            _check_count(lw, entity, count, node)
        if count is not None:
            return [lw.builder.call("operator.getitem", entity, Const(k)) for k in range(count)]
    lw.refuse(node, "this unpacking", "the number of items is not known", "index the items one by one")


def _item_of_each(lw: Lowering, choice: Choice, k: int, count: int, node: gast.AST) -> Entity:
    """One of the items of one of several things that are taken apart."""

    def item(one: Entity) -> Entity:
        items = unpacked(lw, one, count, node)
        return items[k] if len(items) == count else fail(lw, ValueError, f"expected {count} items, got {len(items)}")

    return each(lw, choice, item, node)


def loop_over(
    lw: Lowering,
    it: Iteration,
    target: gast.expr,
    body: Callable[[], None],
    node: gast.AST,
    flag: str | None = None,
    snapshots: Value | None = None,
) -> None:
    """Run ``body`` for each item of an iteration, bound to ``target``; ``snapshots`` as in ``ir.nodes.For``."""
    if snapshots is not None and (it.direct is None and (it.length is None or it.has is not None or it.cursor is not None)):
        lw.refuse(node, "checkpointed over this", "how many items there are is not known, or each is written out", "a range")
    if it.run is not None:
        if snapshots is not None:
            lw.refuse(node, "checkpointed over a generator", "how many items there are is not known", "a range")

        def receive(item: Entity) -> Entity:
            assign(lw, target, item)
            body()
            return Const(False) if flag is None else lw.lookup(flag, node)

        it.run(receive, flag is not None)
        return
    if it.items is not None:
        if it.cursor is not None and flag is not None:
            lw.variables[(it.cursor.box, "position")] = Poison("a loop that takes its items may end early")
        items = [functools.partial(it.now, k) if it.now else functools.partial(_same, item) for k, item in enumerate(it.items)]
        _unrolled(lw, items, target, body, node, flag)
        if it.end is not None and not (flag is not None and items and control.truth(lw, lw.lookup(flag, node))):
            it.end()
        return

    def broken() -> Value | None:
        return None if flag is None else lw.value(lw.lookup(flag, node), node)

    def each(entity: Entity) -> None:
        assign(lw, target, entity)
        body()

    if it.direct is not None:
        direct = it.direct
        name = target.id if isinstance(target, gast.Name) else None
        steps = known_range(lw, direct)
        if steps is None or len(steps) > control.MOST_ITERATIONS:
            control.for_loop(lw, direct, name, each, node, broken, snapshots)
            return

        def written_out() -> bool:
            _unrolled(lw, [functools.partial(_same, Const(k)) for k in steps], target, body, node, flag)
            return True

        looped = functools.partial(control.for_loop, lw, direct, name, each, node, broken, snapshots)
        control.or_written_out(lw, looped, written_out)
        return
    if it.endless and it.item is not None:
        if flag is None:
            lw.refuse(node, "this endless iterator here", "it never ends", "a loop with a break")
        _asking(lw, lambda _: Const(True), it.item, each, broken, node)
        return
    if it.has is not None and it.item is not None:
        _asking(lw, it.has, it.item, each, broken, node)
        return
    if it.cursor is not None:
        _taking(lw, it.cursor, each, broken, node)
        return
    assert it.length is not None and it.item is not None
    item = it.item
    span = lw.builder.call("builtins.range", it.length)
    control.for_loop(lw, span, None, lambda i: each(item(i)), node, broken, snapshots)


def known_range(lw: Lowering, value: Value) -> range | None:
    """The range that a value is, where it is made here of known numbers."""
    made = next((op for op in reversed(lw.builder.block.ops) if value in op.results), None)
    numbers = [v.payload for v in made.args if isinstance(v, Const)] if isinstance(made, Call) else []
    if not isinstance(made, Call) or len(numbers) != len(made.args) or not all(isinstance(n, int) for n in numbers):
        return None
    return range(*numbers) if made.target == "builtins.range" else None


def _asking(
    lw: Lowering,
    has: Callable[[Value], Value],
    item: Callable[[Value], Entity],
    each: Callable[[Entity], None],
    broken: Callable[[], Value | None],
    node: gast.AST,
) -> None:
    """A loop that asks each time whether there is one more item."""
    key = (Box("loop"), "index")
    lw.variables[key] = Const(0)

    def index() -> Value:
        return lw.value(lw.variables[key], node)

    def body() -> None:
        here = index()
        lw.variables[key] = arithmetic(lw, "operator.add", here, Const(1))
        each(item(here))

    control.while_loop(lw, lambda: has(index()), body, node, broken)
    del lw.variables[key]


def _taking(
    lw: Lowering, cursor: Cursor, each: Callable[[Entity], None], broken: Callable[[], Value | None], node: gast.AST
) -> None:
    """A loop that takes the items of an iterator one by one: others may take some, too, and the rest when it breaks off."""
    key = (cursor.box, "position")
    lw.variables[key] = cursor.position

    def position() -> Value:
        return lw.value(lw.variables[key], node)

    def body() -> None:
        here = position()
        lw.variables[key] = arithmetic(lw, "operator.add", here, Const(1))
        _, item = cursor.source()
        each(item(here))

    control.while_loop(lw, lambda: arithmetic(lw, "operator.lt", position(), cursor.source()[0]), body, node, broken)


def _same(entity: Entity) -> Entity:
    return entity


def _unrolled(
    lw: Lowering,
    items: Sequence[Callable[[], Entity]],
    target: gast.expr,
    body: Callable[[], None],
    node: gast.AST,
    flag: str | None,
) -> None:
    """One copy of the body for each item; after a break the rest is skipped."""
    if not items:
        return
    assign(lw, target, items[0]())
    body()
    if len(items) == 1:
        return
    if flag is None:
        _unrolled(lw, items[1:], target, body, node, flag)
        return
    test = lw.lookup(flag, node)
    control.branch(lw, test, lambda: None, lambda: _unrolled(lw, items[1:], target, body, node, flag), node)


def assign_statement(lw: Lowering, node: gast.Assign) -> None:
    value = lower(lw, node.value)
    for target in node.targets:
        assign(lw, target, value)


def aug_assign(lw: Lowering, node: gast.AugAssign) -> None:
    op = BINARY[type(node.op)]
    target = node.target
    if isinstance(target, gast.Subscript):
        base = held(lower(lw, target.value))
        index = lower(lw, target.slice)
        here = len(lw.builder.block.ops)
        if isinstance(base, Value) and maps.is_map(base):
            entity = lower(lw, node.value)
            if any(v.kind == UNKNOWN or maps.is_map(v) for v in lw.program.changes(lw.builder.block.ops[here:])):
                _augment_loaded_item(lw, base, index, op, entity, node, here)
                return
            _augment_item(lw, base, index, op, entity, node)
            return
        if isinstance(base, Box | Aggregate):
            old = subscripts.read(lw, base, index, node)
            items = subscripts.items_of(lw, base, index)
            fresh = _augmented(lw, old, op, lower(lw, node.value), node)
            if fresh is not old or subscripts.items_of(lw, base, index) != items or subscripts.has_own_way(base):
                subscripts.store(lw, base, index, fresh, node)
            return
        value = lower_value(lw, node.value)
        if not subscripts.augment_loaded(lw, base, index, op, value, node, here):
            subscripts.augment(lw, base, index, op, value, node)
        return
    if isinstance(target, gast.Attribute):
        owner = held(lower(lw, target.value))
        name = lw.frame.private(target.attr)
        old = attribute_of(lw, owner, name, target)
        fresh = _augmented(lw, old, op, lower(lw, node.value), node)
        if fresh is not old or objects.must_be_set(lw, owner, name, old):
            objects.set_attribute(lw, owner, name, fresh, target)
        return
    old = lw.lookup(target.id, target)
    place = (lw.owner(target.id), target.id)
    before = lw.variables.get(place)
    fresh = _augmented(lw, old, op, lower(lw, node.value), node)
    if fresh is not old or lw.variables.get(place) is not before:  # what the right side calls may have bound it
        lw.bind(target.id, fresh)


def _augment_item(lw: Lowering, items: Value, index: Entity, op: str, entity: Entity, node: gast.AugAssign) -> None:
    """``items[key] op= entity`` of a dict with computed keys."""
    if isinstance(entity, Value) and maps.add_number(lw, items, index, op, entity, node):
        return
    place, start = maps.key_value(lw, index, node), maps.default_number(lw, items, node)

    def change() -> None:
        old = maps.item_of_map(lw, items, place)
        fresh = _augmented(lw, old, op, entity, node)
        if fresh is not old:
            maps.store(lw, items, place, fresh, node)

    if start is None:
        maps.ensure(lw, items, place, node)
        change()
        return
    first = arithmetic(lw, f"operator.{op}", start, lw.value(entity, node))
    if isinstance(first.kind, Scalar):
        old = maps.item_or(lw, items, place, start)
        maps.store(lw, items, place, arithmetic(lw, f"operator.{op}", old, lw.value(entity, node)), node)
        return
    found = maps.contains(lw, items, place)
    control.branch(lw, found, change, lambda: maps.store(lw, items, place, first, node), node)


def _augment_loaded_item(
    lw: Lowering, items: Value, index: Entity, op: str, entity: Entity, node: gast.AugAssign, here: int
) -> None:
    """``items[key] op= entity`` of numbers, where the operations from ``here`` on, which compute the entity, write into dicts:
    Python has loaded the item before."""
    block = lw.builder.block
    start = maps.default_number(lw, items, node)
    with lw.builder.inside(Block()) as early:
        place = maps.key_value(lw, index, node)
        old = maps.item_of_map(lw, items, place) if start is None else maps.item_or(lw, items, place, start)
    if not isinstance(old.kind, Scalar):
        lw.refuse(
            node, f"{op}= of an item of a dict with a right side that writes into dicts",
            "Python loads the item before", "a name for the right side, computed before",
        )  # fmt: skip
    block.ops[here:here] = early.ops
    maps.store(lw, items, place, arithmetic(lw, f"operator.{op}", old, lw.value(entity, node)), node)


def _augmented(lw: Lowering, old: Entity, op: str, entity: Entity, node: gast.AugAssign) -> Entity:
    """``old op= entity``: in place for arrays and lists, which are returned as they came, a new value for numbers."""
    old = held(old)
    if known_items.is_known(lw, old) and op == "add":
        assert isinstance(old, Aggregate)
        longer = display(lw, [*old.items, *unpacked(lw, entity, None, node)])
        known_items.replace(lw, old, longer, node)
        return longer
    if isinstance(old, Bounded) and op == "add":
        apply(lw, Method(old, "extend"), [entity], {}, node)
        return old
    if op == "or_" and maps.is_dict(old):
        apply(lw, Method(old, "update"), [entity], {}, node)
        return old
    if not isinstance(old, Value):
        in_place = f"__i{op.rstrip('_')}__"
        if isinstance(old, Box) and objects.is_object(old) and objects.find(old.cls, in_place) is not None:
            result = objects.call_method(lw, old, in_place, [entity], {}, node)
            if not (isinstance(result, Known) and result.payload is NotImplemented):
                return result
        if isinstance(old, Aggregate) and old.kind == "list" and op in ("add", "mul"):
            why = "it changes for all who see it, and its items have different kinds"
            lw.refuse(node, f"this {op}= of a list", why, "a new list: xs = xs + ys")
        return binary_op(lw, type(node.op), old, entity, node)
    if isinstance(old.kind, List) and op == "add":
        apply(lw, Method(old, "extend"), [entity], {}, node)
        return old
    if isinstance(old.kind, List) and op == "mul":
        subscripts.store(lw, old, Const(slice(None)), binary_op(lw, gast.Mult, old, entity, node), node)
        return old
    value = lw.value(entity, node)
    if isinstance(old.kind, Array):
        subscripts.augment_whole(lw, old, op, value)
        return old
    if old.kind == UNKNOWN or isinstance(old.kind, List):
        result = lw.builder.call(f"operator.{op}", old, value)
        made = lw.builder.block.ops[-1]
        assert isinstance(made, Call)
        made.rebinds = True
        return result
    return arithmetic(lw, f"operator.{op}", old, value)

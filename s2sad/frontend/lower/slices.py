"""Slices of lists that are assigned or deleted, as items that are stored, taken out and put in one by one.

items[a:b] = new        ==>     if len(new) == b - a:
                                    for k in range(len(new)):
                                        items[a + k] = new[k]
                                else:
                                    for _ in range(b - a):
                                        items.pop(a)
                                    for k in range(len(new)):
                                        items.insert(a + k, new[k])
"""

from __future__ import annotations

import gast

from s2sad.frontend.entities import Aggregate, Entity, Known
from s2sad.frontend.lower import control
from s2sad.frontend.lower.arithmetic import arithmetic
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.lists import hold, writable
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import List
from s2sad.ir.nodes import Call, Const, Value


def store(lw: Lowering, items: Value, index: Value, entity: Entity, node: gast.AST) -> None:
    """``items[a:b] = entity``, ``items[a:b:c] = entity``."""
    start, _, step = _bounds(lw, index, node)
    fresh = _copied(lw, items, entity, node)
    assert isinstance(fresh.kind, List)
    hold(lw, items, fresh.kind.item)
    span, count = _places(lw, items, index), lw.builder.call("builtins.len", fresh)
    same = arithmetic(lw, "operator.eq", count, lw.builder.call("builtins.len", span))

    def put(k: Value) -> None:
        place = lw.builder.call("operator.getitem", span, k)
        lw.builder.call("operator.setitem", items, place, lw.builder.call("operator.getitem", fresh, k))

    def in_place() -> None:
        control.counted_loop(lw, count, put, node)

    if _literal(lw, step, node) != 1:
        message = "attempt to assign sequence of another size to extended slice"
        control.branch(lw, same, lambda: None, lambda: _fail(lw, message), node)
        in_place()
        return

    def exchange() -> None:
        first = _first(lw, items, start)
        _take(lw, items, span, 1, node)

        def into(k: Value) -> None:
            place = arithmetic(lw, "operator.add", first, k)
            lw.builder.call("list.insert", items, place, lw.builder.call("operator.getitem", fresh, k))

        control.counted_loop(lw, count, into, node)

    control.branch(lw, same, in_place, exchange, node)


def delete(lw: Lowering, items: Value, index: Value, node: gast.AST) -> None:
    """``del items[a:b]``, ``del items[a:b:c]``."""
    step = _literal(lw, _bounds(lw, index, node)[2], node)
    _take(lw, items, _places(lw, items, index), step, node)


def _take(lw: Lowering, items: Value, span: Value, step: int, node: gast.AST) -> None:
    """Take out the items in these places: the last one first, so that the others stay in theirs."""
    backwards = lw.builder.call("builtins.reversed", span) if step > 0 else span

    def take(place: Value) -> None:
        lw.builder.call("list.pop", items, place)

    control.for_loop(lw, backwards, None, take, node, lambda: None)


def _copied(lw: Lowering, items: Value, entity: Entity, node: gast.AST) -> Value:
    """What is stored, as a list of its own: it may be the list into which it is stored, or a window of it."""
    if isinstance(entity, Aggregate):
        entity = writable(lw, Aggregate(list(entity.items), "list"))
    else:
        entity = apply(lw, Known(list, "builtins.list"), [entity], {}, node)
    fresh = lw.value(entity, node, "what is stored")
    if not isinstance(fresh.kind, List):
        lw.refuse(
            node, "assignment of these items to a slice", "they have different kinds", "items of one kind"
        )
    return fresh


def _places(lw: Lowering, items: Value, index: Value) -> Value:
    """The range of places that a slice of a list names."""
    whole = lw.builder.call("builtins.range", lw.builder.call("builtins.len", items))
    return lw.builder.call("operator.getitem", whole, index)


def _bounds(lw: Lowering, index: Value, node: gast.AST) -> list[Value]:
    """Start, stop and step of a slice as they are written."""
    if isinstance(index, Const) and isinstance(index.payload, slice):
        return [Const(index.payload.start), Const(index.payload.stop), Const(index.payload.step)]
    maker = next((op for op in reversed(lw.builder.block.ops) if index in op.results), None)
    if not isinstance(maker, Call) or maker.target != "builtins.slice":
        lw.refuse(
            node,
            "this slice of a list",
            "where it begins and ends is not seen here",
            "items[a:b] written out",
        )
    return maker.args


def _literal(lw: Lowering, step: Value, node: gast.AST) -> int:
    if isinstance(step, Const) and step.payload is None:
        return 1
    if not isinstance(step, Const) or not isinstance(step.payload, int):
        lw.refuse(
            node, "a slice with a computed step", "the order of its items is not known", "a literal step"
        )
    return step.payload


def _first(lw: Lowering, items: Value, start: Value) -> Value:
    """Where a slice begins, as ``insert`` counts."""
    if isinstance(start, Const) and start.payload in (None, 0):
        return Const(0)
    length = lw.builder.call("builtins.len", items)
    return lw.builder.call("s2sad.runtime.insertion_place", start, length)


def _fail(lw: Lowering, message: str) -> None:
    lw.builder.call("s2sad.raise", lw.builder.call("builtins.ValueError", Const(message)))

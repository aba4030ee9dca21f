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

from s2sad.frontend.entities import Entity, Static, Struct
from s2sad.frontend.lower import control
from s2sad.frontend.lower.arithmetic import arithmetic
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.lists import hold, writable
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import List
from s2sad.ir.nodes import Const, Value


def store(ctx: Lowering, items: Value, index: Value, entity: Entity, node: gast.AST) -> None:
    """``items[a:b] = entity``, ``items[a:b:c] = entity``."""
    start, _, step = _bounds(ctx, index, node)
    fresh = _copied(ctx, entity, node)
    assert isinstance(fresh.kind, List)
    hold(ctx, items, fresh.kind.item)
    span, count = _places(ctx, items, index), ctx.builder.call("builtins.len", fresh)
    same = arithmetic(ctx, "operator.eq", count, ctx.builder.call("builtins.len", span))

    def put(k: Value) -> None:
        place = ctx.builder.call("operator.getitem", span, k)
        ctx.builder.call("operator.setitem", items, place, ctx.builder.call("operator.getitem", fresh, k))

    def in_place() -> None:
        control.counted_loop(ctx, count, put, node)

    if _literal(ctx, step, node) != 1:
        message = "attempt to assign sequence of another size to extended slice"
        control.branch(ctx, same, lambda: None, lambda: _fail(ctx, message), node)
        in_place()
        return

    def exchange() -> None:
        first = _first(ctx, items, start)
        _take(ctx, items, span, 1, node)

        def into(k: Value) -> None:
            place = arithmetic(ctx, "operator.add", first, k)
            ctx.builder.call("list.insert", items, place, ctx.builder.call("operator.getitem", fresh, k))

        control.counted_loop(ctx, count, into, node)

    control.branch(ctx, same, in_place, exchange, node)


def delete(ctx: Lowering, items: Value, index: Value, node: gast.AST) -> None:
    """``del items[a:b]``, ``del items[a:b:c]``."""
    step = _literal(ctx, _bounds(ctx, index, node)[2], node)
    _take(ctx, items, _places(ctx, items, index), step, node)


def _take(ctx: Lowering, items: Value, span: Value, step: int, node: gast.AST) -> None:
    """Take out the items in these places: the last one first, so that the others stay in theirs."""
    backwards = ctx.builder.call("builtins.reversed", span) if step > 0 else span

    def take(place: Value) -> None:
        ctx.builder.call("list.pop", items, place)

    control.for_loop(ctx, backwards, None, take, node, lambda: None)


def _copied(ctx: Lowering, entity: Entity, node: gast.AST) -> Value:
    """A copy of what is stored, as a list of its own: it may be the list into which it is stored, or a window of it."""
    if isinstance(entity, Struct):
        entity = writable(ctx, Struct(list(entity.items), "list"))
    else:
        entity = apply(ctx, Static(list, "builtins.list"), [entity], {}, node)
    fresh = ctx.value(entity, node, "what is stored")
    if not isinstance(fresh.kind, List):
        ctx.refuse(
            node, "assignment of these items to a slice", "they have different kinds", "items of one kind"
        )
    return fresh


def _places(ctx: Lowering, items: Value, index: Value) -> Value:
    """The range of places that a slice of a list names."""
    whole = ctx.builder.call("builtins.range", ctx.builder.call("builtins.len", items))
    return ctx.builder.call("operator.getitem", whole, index)


def _bounds(ctx: Lowering, index: Value, node: gast.AST) -> list[Value]:
    """Start, stop and step of a slice as they are written."""
    if isinstance(index, Const) and isinstance(index.payload, slice):
        return [Const(index.payload.start), Const(index.payload.stop), Const(index.payload.step)]
    maker = ctx.builder.maker(index)
    if maker is None or maker.target != "builtins.slice":
        ctx.refuse(
            node,
            "this slice of a list",
            "where it begins and ends is not seen here",
            "items[a:b] written out",
        )
    return maker.args


def _literal(ctx: Lowering, step: Value, node: gast.AST) -> int:
    if isinstance(step, Const) and step.payload is None:
        return 1
    if not isinstance(step, Const) or not isinstance(step.payload, int):
        ctx.refuse(
            node, "a slice with a computed step", "the order of its items is not known", "a literal step"
        )
    return step.payload


def _first(ctx: Lowering, items: Value, start: Value) -> Value:
    """Where a slice begins, as ``insert`` counts."""
    if isinstance(start, Const) and start.payload in (None, 0):
        return Const(0)
    length = ctx.builder.call("builtins.len", items)
    return ctx.builder.call("s2sad.runtime.insertion_place", start, length)


def _fail(ctx: Lowering, message: str) -> None:
    ctx.builder.call("s2sad.raise", ctx.builder.call("builtins.ValueError", Const(message)))

"""List methods that move items, written out as stores that the reverse sweep can undo.

items.insert(k, v)      ==>     items.append(v)
                                for i in range(len(items) - 1, k, -1):
                                    items[i] = items[i - 1]
                                items[k] = v
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from s2sad.frontend.entities import Aggregate, Entity
from s2sad.frontend.lower import control
from s2sad.frontend.lower.arithmetic import arithmetic
from s2sad.frontend.lower.deletion import remove
from s2sad.frontend.lower.lists import list_method, list_of
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.nodes import Const, Value

Move = Callable[[Lowering, Value, list[Entity], Any], Entity]


def _pop(lw: Lowering, items: Value, args: list[Entity], node: gast.AST) -> Entity:
    """The last item is taken off; those behind another one move up."""
    place = lw.value(args[0], node) if args else Const(-1)
    if isinstance(place, Const) and place.payload == -1:
        return lw.builder.call("list.pop", items)
    taken = lw.builder.call("operator.getitem", items, place)
    remove(lw, items, place, node)
    return taken


def _insert(lw: Lowering, items: Value, args: list[Entity], node: gast.AST) -> Entity:
    """Python's meaning of a place out of range: the nearest end."""
    place, value = lw.value(args[0], node), lw.value(args[1], node, "what is inserted")
    length = lw.builder.call("builtins.len", items)
    if isinstance(place, Const) and isinstance(place.payload, int) and place.payload >= 0:
        first = Const(0) if place.payload == 0 else lw.builder.call("builtins.min", place, length)
    elif isinstance(place, Const):
        first = lw.builder.call("builtins.max", arithmetic(lw, "operator.add", length, place), Const(0))
    else:
        lw.refuse(node, "insert at a computed place", "it may count from the end", "a constant place")
    list_method(lw, items, "append", [value], node)

    def move(index: Value) -> None:
        before = lw.builder.call("operator.getitem", items, arithmetic(lw, "operator.sub", index, Const(1)))
        lw.builder.call("operator.setitem", items, index, before)

    span = lw.builder.call("builtins.range", length, first, Const(-1))
    control.for_loop(lw, span, None, move, node, lambda: None)
    lw.builder.call("operator.setitem", items, first, value)
    return Const(None)


def _reverse(lw: Lowering, items: Value, args: list[Entity], node: gast.AST) -> Entity:
    length = lw.builder.call("builtins.len", items)
    last = arithmetic(lw, "operator.sub", length, Const(1))

    def swap(index: Value) -> None:
        other = arithmetic(lw, "operator.sub", last, index)
        a = lw.builder.call("operator.getitem", items, index)
        b = lw.builder.call("operator.getitem", items, other)
        lw.builder.call("operator.setitem", items, index, b)
        lw.builder.call("operator.setitem", items, other, a)

    control.counted_loop(lw, arithmetic(lw, "operator.floordiv", length, Const(2)), swap, node)
    return Const(None)


def _clear(lw: Lowering, items: Value, args: list[Entity], node: gast.AST) -> Entity:
    def take(_: Value) -> None:
        lw.builder.call("list.pop", items)

    control.counted_loop(lw, lw.builder.call("builtins.len", items), take, node)
    return Const(None)


MOVES: dict[str, Move] = {"pop": _pop, "insert": _insert, "reverse": _reverse, "clear": _clear}


def store_slice(lw: Lowering, items: Value, index: Value, entity: Entity, node: gast.AST) -> None:
    """``items[a:b] = new`` with as many new items as old ones, item by item; the lengths are checked as it runs."""
    place = index.payload if isinstance(index, Const) else None
    if (
        not isinstance(place, slice)
        or place.step not in (None, 1)
        or (place.start or 0) < 0
        or (place.stop or 0) < 0
    ):
        why = "where it begins and ends must be known"
        lw.refuse(node, "assignment to this slice of a list", why, "constant bounds, counted from the start")
    fresh = lw.value(
        list_of(lw, entity.items) if isinstance(entity, Aggregate) else entity, node, "what is stored"
    )
    start, count = place.start or 0, lw.builder.call("builtins.len", fresh)
    length = lw.builder.call("builtins.len", items)
    end = arithmetic(lw, "operator.add", count, Const(start))
    fits = arithmetic(lw, "operator.le", end, length)
    if place.stop is None:
        fits = arithmetic(lw, "operator.eq", end, length)
    else:
        _ensure(lw, arithmetic(lw, "operator.eq", end, Const(place.stop)))
    _ensure(lw, fits)

    def put(k: Value) -> None:
        item = lw.builder.call("operator.getitem", fresh, k)
        lw.builder.call("operator.setitem", items, arithmetic(lw, "operator.add", k, Const(start)), item)

    control.counted_loop(lw, count, put, node)


def _ensure(lw: Lowering, test: Value) -> None:
    lw.builder.call("s2sad.assert", test, Const("assignment to a slice would change the length of the list"))

"""Lists: literals, concatenation, and the methods, as loops of appends."""

from __future__ import annotations

import gast

from s2sad.frontend.entities import (
    Aggregate,
    Entity,
    Spread,
)
from s2sad.frontend.lower import control
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import BOTTOM, UNKNOWN, Array, Kind, List, Scalar, join
from s2sad.ir.nodes import Const, Value
from s2sad.rules.kind_rules import item_of


def list_of(lw: Lowering, items: list[Entity]) -> Entity:
    """A list literal: one kind of items makes a run-time list, mixed ones an aggregate that nothing may write."""
    if all(isinstance(item, Value) for item in items):
        values = [item for item in items if isinstance(item, Value)]
        kind: Kind = Array() if not values else values[0].kind
        for value in values[1:]:
            kind = join(kind, value.kind)
        if not values or isinstance(kind, Scalar) or (kind != UNKNOWN and not isinstance(kind, Array)):
            return lw.builder.call("builtins.list", *values)
        if isinstance(kind, Array) and kind.rank is not None:
            return lw.builder.call("builtins.list", *values)
        if all(v.kind == UNKNOWN for v in values):
            return lw.builder.call("builtins.list", *values)
    return Aggregate(items, "list")


def of_parts(lw: Lowering, items: list[Entity], node: gast.AST) -> Value:
    """``[a, *xs, b]`` with parts of unknown length: a new list, filled piece by piece."""
    fresh = lw.builder.call("builtins.list")
    fresh.kind = List(BOTTOM)
    for entity in items:
        if not isinstance(entity, Spread):
            list_method(lw, fresh, "append", [entity], node)
            continue
        kind = entity.items.kind
        assert isinstance(fresh.kind, List)
        fresh.kind = List(join(fresh.kind.item, kind.item if isinstance(kind, List) else item_of(kind)))
        extend(lw, fresh, entity.items)
    return fresh


def list_operation(lw: Lowering, op: type, x: Value, y: Value, node: gast.AST) -> Entity:
    """``xs + ys`` and ``[x] * n`` make new lists, filled by loops of appends."""
    if op is gast.Mult:
        items, count = (x, y) if isinstance(x.kind, List) else (y, x)
        fresh = lw.builder.call("builtins.list")
        fresh.kind = items.kind

        def repeat(_: Value) -> None:
            extend(lw, fresh, items)

        control.counted_loop(lw, count, repeat, node)
        return fresh
    fresh = lw.builder.call("builtins.list")
    fresh.kind = join(x.kind, y.kind)
    extend(lw, fresh, x)
    extend(lw, fresh, y)
    return fresh


def extend(lw: Lowering, items: Value, more: Value) -> None:
    """``items.extend(more)`` as a loop of appends."""
    length = lw.builder.call("builtins.len", more)

    def one(index: Value) -> None:
        lw.builder.call("list.append", items, lw.builder.call("operator.getitem", more, index))

    control.counted_loop(lw, length, one, None)


def list_method(lw: Lowering, items: Value, name: str, args: list[Entity], node: gast.AST) -> Entity:
    """The methods of lists."""
    if name == "append":
        fresh = args[0]  # a list literal in this place is a list, which may be written later
        if isinstance(fresh, Aggregate) and fresh.kind == "list":
            fresh = list_of(lw, fresh.items)
        value = lw.value(fresh, node, "what is appended")
        assert isinstance(items.kind, List)
        if items.kind.item in (BOTTOM, UNKNOWN) or not isinstance(items.kind.item, type(value.kind)):
            items.kind = List(join(items.kind.item if items.kind.item != UNKNOWN else BOTTOM, value.kind))
        else:
            items.kind = List(join(items.kind.item, value.kind))
        return lw.builder.call("list.append", items, value)
    if name == "pop":
        return lw.builder.call("list.pop", items, *[lw.value(a, node) for a in args])
    if name == "extend":
        more = args[0]
        if isinstance(more, Aggregate):
            for item in more.items:
                list_method(lw, items, "append", [item], node)
        else:
            extend(lw, items, lw.value(more, node))
        return Const(None)
    if name == "copy":
        return lw.builder.call("operator.getitem", items, Const(slice(None)))
    lw.refuse(
        node,
        f"the list method {name!r}",
        "items that move cannot be followed back",
        "append, pop, extend and indices",
    )

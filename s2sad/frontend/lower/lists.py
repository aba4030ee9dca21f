"""Lists: literals, concatenation, and how they grow, as loops of appends.

A list whose items have one kind (numbers, arrays, lists, tuples of those) exists when the program runs; one of mixed
things, or a literal of tuples that nobody changes, is an aggregate whose items are known one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import gast

from s2sad.errors import UnsupportedSyntaxError
from s2sad.frontend.entities import Aggregate, Box, Entity, Spread, flatten
from s2sad.frontend.lower import control
from s2sad.frontend.lower.parts import holds_records, seal, take_apart, whole
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import (
    BOTTOM,
    NONE,
    UNKNOWN,
    Array,
    Dict,
    Kind,
    List,
    Scalar,
    Slice,
    Tuple,
    join,
)
from s2sad.ir.nodes import Value
from s2sad.rules.kind_rules import item_of

IN_A_LIST = "it is in a list, which holds what it was when it was put there"
FROM_A_LIST = "it is in a list, and which one it is, is known only at run time"


# --- what a list holds


def hold(lw: Lowering, items: Value, kind: Kind) -> None:
    """A list is given an item of this kind. Loops around are lowered again when that is news."""
    assert isinstance(items.kind, List)
    old = items.kind.item
    if (
        isinstance(old, Dict)
        and isinstance(kind, Dict)
        and (old.cls is not kind.cls or old.keys != kind.keys)
    ):
        raise UnsupportedSyntaxError(
            "a list of objects of several classes is not supported in a differentiated function", location=lw.builder.loc,
            why="which fields or keys its items have is known only at run time", instead="a list for each",
        )  # fmt: skip
    new = join(old, item_kind(kind))
    if new != old:
        items.kind = replace(items.kind, item=new)
        lw.note(items)
        if items in lw.births:
            lw.widened.append(lw.births[items])
        if items in lw.holders:
            hold(lw, lw.holders[items], items.kind)


def item_kind(kind: Kind) -> Kind:
    """A kind as that of any item: of a number not its size, and what is None now may hold something later."""
    if kind == NONE:
        return UNKNOWN
    if isinstance(kind, Scalar):
        return replace(kind, size=None)
    if isinstance(kind, Tuple):
        return replace(kind, items=tuple(map(item_kind, kind.items)))
    return kind


def new_list(lw: Lowering) -> Value:
    """A new, empty list."""
    fresh = made(lw, [])
    fresh.kind = List(BOTTOM)
    return fresh


def append(lw: Lowering, items: Value, entity: Entity, node: gast.AST | None) -> Value:
    """``items.append(entity)``."""
    value = as_item(lw, entity, node, "what is appended")
    hold(lw, items, value.kind)
    return lw.builder.call("list.append", items, value)


def as_item(lw: Lowering, entity: Entity, node: gast.AST | None, what: str) -> Value:
    """An entity as an item of a list; a list literal in this place is a list, which may be written later."""
    fresh = writable(lw, entity)
    if isinstance(fresh, Box) and fresh.sealed == FROM_A_LIST and fresh.origin is not None:
        return fresh.origin
    if holds_records(fresh):
        value = whole(lw, fresh, node)
        seal(lw, fresh, IN_A_LIST)
        return value
    value = lw.value(fresh, node, what)
    check_kept(lw, value)
    return value


def listed(lw: Lowering, length: Value, item: Callable[[Value], Entity], node: gast.AST | None) -> Value:
    """A new list of items that are read by index."""
    fresh = new_list(lw)

    def one(index: Value) -> None:
        append(lw, fresh, item(index), node)

    control.counted_loop(lw, length, one, node)
    return fresh


# --- literals


def list_of(lw: Lowering, items: list[Entity]) -> Entity:
    """A list literal: one kind of items makes a run-time list, mixed ones an aggregate that nothing may write."""
    if all(isinstance(item, Value) for item in items):
        values = [item for item in items if isinstance(item, Value)]
        kind: Kind = Array() if not values else values[0].kind
        for value in values[1:]:
            kind = join(kind, value.kind)
        if not values or isinstance(kind, Scalar) or (kind != UNKNOWN and not isinstance(kind, Array)):
            return made(lw, values)
        if isinstance(kind, Array) and kind.rank is not None:
            return made(lw, values)
        if all(v.kind == UNKNOWN for v in values):
            return made(lw, values)
    return display(lw, items)


def display(lw: Lowering, items: list[Entity]) -> Aggregate:
    """A list made here whose items are known one by one."""
    made_here = Aggregate(items, "list")
    lw.displays.add(made_here)
    return made_here


def made(lw: Lowering, values: list[Value]) -> Value:
    """The list of these values."""
    for value in values:
        check_kept(lw, value)
    fresh = lw.builder.call("builtins.list", *values)
    assert isinstance(fresh.kind, List)
    fresh.kind = List(item_kind(fresh.kind.item))
    lw.births[fresh] = len(lw.births)
    return fresh


def check_kept(lw: Lowering, value: Value) -> None:
    """Refuse ``a.flat`` where it is only known as some array: parts of it are no windows. Raises UnsupportedSyntaxError."""
    if value in lw.flats:
        raise UnsupportedSyntaxError(
            "a.flat in a list, or handed to a recursive function, is not supported", location=lw.builder.loc,
            why="parts of it are copies, and what is stored into it reaches the array", instead="pass the array itself",
        )  # fmt: skip


def by_cells(lw: Lowering, items: Value, index: Value) -> tuple[Value, Value]:
    """What ``a.flat[places]`` and ``a.flat[1:3]`` are: cells of ``a``, one by one, and no window; ``a.flat[k]`` is one item."""
    whole = lw.flats.get(items)
    if whole is None or isinstance(index.kind, Scalar):
        return items, index
    return whole, lw.builder.call("s2sad.runtime.flat_cells", whole, index)


def item_at(lw: Lowering, items: Value, index: Value) -> Entity:
    """``items[index]`` of any sequence; what a list in a list is given, the outer one holds."""
    if isinstance(items.kind, Scalar) and not items.kind.weak:
        items = lw.builder.call("numpy.asarray", items)  # NumPy's numbers take the subscripts of an array without axes
    item = lw.builder.call("operator.getitem", *by_cells(lw, items, index))
    if isinstance(items.kind, List) and isinstance(item.kind, Dict):
        return taken(lw, item)
    if isinstance(item.kind, List) and isinstance(items.kind, List) and not isinstance(index.kind, Slice):
        lw.holders[item] = items
    return item


def taken(lw: Lowering, item: Value) -> Entity:
    """What came out of a list: of an object its fields, which can only be read."""
    return take_apart(lw, item, FROM_A_LIST) if isinstance(item.kind, Dict) else item


def writable(lw: Lowering, entity: Entity) -> Entity:
    """A list literal that is changed in place: a run-time list, if its items have one kind; else as it is."""
    if not isinstance(entity, Aggregate) or entity.kind != "list" or entity.cls is not None:
        return entity
    if not all(isinstance(leaf, Value) for leaf in flatten(entity)):
        return entity
    values = [lw.value(writable(lw, item), None) for item in entity.items]
    kind: Kind = BOTTOM
    for value in values:
        kind = join(kind, item_kind(value.kind))
    if kind == UNKNOWN and not all(item_kind(v.kind) == UNKNOWN for v in values):
        return entity
    return made(lw, values)


def of_parts(lw: Lowering, items: list[Entity], node: gast.AST) -> Value:
    """``[a, *xs, b]`` with parts of unknown length: a new list, filled piece by piece."""
    fresh = new_list(lw)
    for entity in items:
        if isinstance(entity, Spread):
            extend(lw, fresh, entity.items)
        else:
            append(lw, fresh, entity, node)
    return fresh


# --- operations


def list_operation(lw: Lowering, op: type, x: Value, y: Value, node: gast.AST) -> Entity:
    """``xs + ys`` and ``[x] * n`` make new lists, filled by loops of appends."""
    for other in (v for v in (x, y) if not isinstance(v.kind, List)):
        if op is gast.Add or (isinstance(other.kind, Scalar) and not other.kind.dtype.startswith(("int", "uint", "bool"))):
            lw.refuse(
                node, "arithmetic of a number and a list",
                "of one of NumPy's numbers it makes an array, of Python's an error", "numpy.array(items)",
            )  # fmt: skip
    fresh = new_list(lw)
    if op is gast.Mult:
        items, count = (x, y) if isinstance(x.kind, List) else (y, x)
        fresh.kind = items.kind

        def repeat(_: Value) -> None:
            extend(lw, fresh, items)

        control.counted_loop(lw, count, repeat, node)
        return fresh
    fresh.kind = join(x.kind, y.kind)
    extend(lw, fresh, x)
    extend(lw, fresh, y)
    return fresh


def extend(lw: Lowering, items: Value, more: Value) -> None:
    """``items.extend(more)`` as a loop of appends."""
    hold(lw, items, more.kind.item if isinstance(more.kind, List) else item_of(more.kind))
    length = lw.builder.call("builtins.len", more)

    def one(index: Value) -> None:
        lw.builder.call("list.append", items, lw.builder.call("operator.getitem", more, index))

    control.counted_loop(lw, length, one, None)

"""Lowering subscripts: reads, and the stores of assignments into them."""

from __future__ import annotations

import gast

from s2sad.frontend.entities import Aggregate, Box, Entity, Known, flatten, rebuild, same_structure
from s2sad.frontend.lower import numpy_grids, objects
from s2sad.frontend.lower.dispatch import apply, lower, lower_value
from s2sad.frontend.lower.maybe import held
from s2sad.frontend.lower.moves import store_slice
from s2sad.frontend.lower.parts import frozen, seal, thawed
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import UNKNOWN, Array, Dict, List, Scalar, Slice, Tuple, join_all
from s2sad.ir.nodes import Const, Global, Value

IN_PLACE = {"add": "s2sad.additem", "sub": "s2sad.subitem"}


def subscript(lw: Lowering, node: gast.Subscript) -> Entity:
    """``base[index]`` as a value."""
    base = lower(lw, node.value)
    return read(lw, base, lower(lw, node.slice), node)


def read(lw: Lowering, base: Entity, index: Entity, node: gast.AST) -> Entity:
    """``base[index]`` of entities."""
    base = held(base)
    if isinstance(base, Box) and base.kind == "object":
        return objects.call_method(lw, base, "__getitem__", [index], {}, node)
    if isinstance(base, Aggregate):
        return _read_aggregate(lw, base, index, node)
    if isinstance(base, Box) and isinstance(base.origin, Global) and not isinstance(index, Const):
        item = lw.builder.call("operator.getitem", base.origin, lw.value(index, node, "a key"))
        item.kind = join_all(base.origin.kind.items) if isinstance(base.origin.kind, Dict) else UNKNOWN
        return item
    if isinstance(base, Box) and base.kind == "dict":
        if isinstance(index, Const) and base.factory is not None and index.payload not in lw.keys(base, node):
            objects.put(lw, base, index.payload, apply(lw, base.factory, [], {}, node), node)
        return lw.variables[_box_key(lw, base, index, node)]
    if isinstance(base, Known):
        found = numpy_grids.subscripted(lw, node, base.payload, index)
        if found is not None:
            return found
        lw.refuse(
            node, "a subscript of this object", f"{base.path or base.payload!r} is no array", "an array"
        )
    array = lw.value(base, node)
    if isinstance(array.kind, Tuple | Dict) and not isinstance(index, Const):
        lw.refuse(
            node,
            "a computed index into a tuple",
            "its items may differ in kind",
            "a constant index or a list",
        )
    return lw.builder.call("operator.getitem", array, lw.value(index, node, "an index"))


def _read_aggregate(lw: Lowering, base: Aggregate, index: Entity, node: gast.AST) -> Entity:
    if isinstance(index, Const) and isinstance(index.payload, int):
        try:
            return base.items[index.payload]
        except IndexError:
            error = IndexError(f"{base.kind} index out of range")
            lw.fail(node, error, f"this index of {len(base.items)} items", "a smaller index")
    if isinstance(index, Const) and isinstance(index.payload, slice):
        return Aggregate(base.items[index.payload], base.kind)
    rows = [list(flatten(frozen(lw, item))) for item in base.items]
    first = frozen(lw, base.items[0]) if base.items else None
    alike = first is not None and all(same_structure(first, frozen(lw, item)) for item in base.items[1:])
    if first is None or not alike or not all(isinstance(leaf, Value) for row in rows for leaf in row):
        lw.refuse(
            node,
            "a computed index into a tuple of mixed things",
            "what it names must be known",
            "a constant index",
        )
    place = lw.value(index, node, "an index")
    leaves = [_chosen(lw, column, place) for column in zip(*rows, strict=True)]
    for item in base.items:
        seal(lw, item, "which object it is, is known only at run time")
    return thawed(lw, rebuild(first, iter(leaves)), "which object it is, is known only at run time")


def _chosen(lw: Lowering, column: tuple[Entity, ...], place: Value) -> Value:
    """One of several values, by an index."""
    values = [leaf for leaf in column if isinstance(leaf, Value)]
    return lw.builder.call("operator.getitem", lw.builder.call("builtins.list", *values), place)


def _box_key(lw: Lowering, box: Box, index: Entity, node: gast.AST) -> tuple[Box, object]:
    index = lw.value(index, node, "a key") if isinstance(index, Aggregate) else index
    if not isinstance(index, Const):
        lw.refuse(node, "a computed key into a dict", "its layout must be known", "a constant key, or a list")
    if index.payload not in box.keys or (box, index.payload) not in lw.variables:
        lw.fail(node, KeyError(index.payload), f"the key {index.payload!r}", f"one of {box.keys}")
    return (box, index.payload)


def slice_(lw: Lowering, node: gast.Slice) -> Entity:
    """``start:stop:step``."""
    parts = [
        lower_value(lw, p) if p is not None else Const(None) for p in (node.lower, node.upper, node.step)
    ]
    if all(isinstance(p, Const) for p in parts):
        return Const(slice(*(p.payload for p in parts if isinstance(p, Const))))
    return lw.builder.call("builtins.slice", *parts)


# --- stores


def store(lw: Lowering, base: Entity, index: Entity, entity: Entity, node: gast.AST) -> None:
    """``base[index] = entity``."""
    if isinstance(base, Box) and base.kind == "object":
        objects.call_method(lw, base, "__setitem__", [index, entity], {}, node)
        return
    if isinstance(base, Box):
        if not isinstance(index, Const):
            _box_key(lw, base, index, node)
        assert isinstance(index, Const)
        objects.put(lw, base, index.payload, entity, node)
        return
    target = writable(lw, base, node)
    if isinstance(target.kind, List) and isinstance(index, Value) and isinstance(index.kind, Slice):
        store_slice(lw, target, index, entity, node)
        return
    lw.builder.call(
        "operator.setitem", target, lw.value(index, node), lw.value(entity, node, "what is stored")
    )


def writable(lw: Lowering, base: Entity, node: gast.AST) -> Value:
    """The array or list behind a store's target."""
    if isinstance(base, Aggregate):
        lw.refuse(
            node,
            f"writing into this {base.kind}",
            "its items have different kinds",
            "separate names, or an array",
        )
    value = lw.value(base, node)
    if isinstance(value.kind, Scalar | Tuple) or isinstance(value, Const):
        lw.refuse(node, "writing into this value", f"a {value.kind} cannot be written into", "an array")
    return value


def augment(lw: Lowering, base: Entity, index: Entity, op: str, value: Value, node: gast.AST) -> None:
    """``base[index] op= value``; adding is an operation of its own, which is linear and records nothing."""
    target = writable(lw, base, node)
    place = lw.value(index, node)
    if op in IN_PLACE and isinstance(target.kind, Array) and _distinct(place):
        lw.builder.call(IN_PLACE[op], target, place, value)
        return
    unsure = target.kind == UNKNOWN and _distinct(place) and _has_slice(place)
    if op in IN_PLACE and unsure:
        lw.builder.call(IN_PLACE[op], target, place, value)
        return
    old = lw.builder.call("operator.getitem", target, place)
    if isinstance(target.kind, List) and isinstance(old.kind, Array):
        augment_whole(lw, old, op, value)
        return
    if isinstance(target.kind, List) and old.kind == UNKNOWN:
        lw.ask_for_kind(
            node,
            f"whether this {op}= changes an array in place is not known",
            "an array in a list changes for all who see it",
        )
    lw.builder.call("operator.setitem", target, place, lw.builder.call(f"operator.{op}", old, value))


def augment_whole(lw: Lowering, array: Value, op: str, value: Value) -> None:
    """``array op= value`` in place, seen through every reference."""
    if op in IN_PLACE:
        lw.builder.call(IN_PLACE[op], array, Const(...), value)
    else:
        lw.builder.call(
            "operator.setitem", array, Const(...), lw.builder.call(f"operator.{op}", array, value)
        )


def _items(index: Value) -> tuple[object, ...]:
    kind = index.kind
    return kind.items if isinstance(kind, Tuple) else (kind,)


def _distinct(index: Value) -> bool:
    """Whether an index certainly names each cell at most once: everything but integer arrays."""
    return all(
        not isinstance(k, Array | List | Tuple)
        and k != UNKNOWN
        or (isinstance(k, Array) and k.dtype == "bool")
        for k in _items(index)
    )


def _has_slice(index: Value) -> bool:
    return any(isinstance(k, Slice) or str(k) == "ellipsis" for k in _items(index))

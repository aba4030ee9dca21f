"""Lowering subscripts: reads, and the stores of assignments into them."""

from __future__ import annotations

import gast

from s2sad.frontend.entities import (
    Aggregate,
    Box,
    Choice,
    Entity,
    Iteration,
    Known,
    flatten,
    rebuild,
    same_structure,
)
from s2sad.frontend.lower import keys, maps, numpy_grids, objects, slices
from s2sad.frontend.lower.dispatch import apply, lower, lower_value
from s2sad.frontend.lower.lists import as_item, by_cells, hold, item_at
from s2sad.frontend.lower.maybe import held, seen
from s2sad.frontend.lower.parts import frozen, seal, thawed
from s2sad.frontend.lower.selection import SELECTED, by_index, each, is_selection
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import STR, UNKNOWN, Array, Dict, List, Scalar, Slice, Tuple, is_number, join_all, kind_of
from s2sad.ir.nodes import Block, Call, Const, Global, Value

IN_PLACE = {"add": "s2sad.additem", "sub": "s2sad.subitem"}


def subscript(lw: Lowering, node: gast.Subscript) -> Entity:
    """``base[index]`` as a value."""
    base = lower(lw, node.value)
    return read(lw, base, lower(lw, node.slice), node)


def read(lw: Lowering, base: Entity, index: Entity, node: gast.AST) -> Entity:
    """``base[index]`` of entities."""
    base = seen(held(base))
    if isinstance(base, Choice):
        return each(lw, base, lambda one: read(lw, one, index, node), node)
    if isinstance(base, Box) and base.kind == "object":
        return objects.call_method(lw, base, "__getitem__", [index], {}, node)
    if isinstance(base, Iteration) and not base.once:
        base = apply(lw, Known(list, "builtins.list"), [base], {}, node)
    if isinstance(base, Aggregate):
        return _read_aggregate(lw, base, index, node)
    if isinstance(base, Box) and isinstance(base.origin, Global) and not isinstance(index, Const) and not _is_choice(lw, base):
        item = lw.builder.call("operator.getitem", base.origin, lw.value(index, node, "a key"))
        contents = base.origin.payload.values() if isinstance(base.origin.payload, dict) else ()
        item.kind = join_all(kind_of(value) for value in contents if not _is_empty(value))
        return item
    if isinstance(base, Box) and base.kind == "dict":
        index = lw.value(index, node, "a key") if _is_literal(index) else index
        if not isinstance(index, Const):
            return keys.chosen(lw, base, index, node)
        if base.factory is not None and index.payload not in lw.keys(base, node):
            objects.put(lw, base, index.payload, apply(lw, base.factory, [], {}, node), node)
        return lw.variables[_box_key(lw, base, index, node)]
    if isinstance(base, Global) and base.resolved and isinstance(base.payload, tuple) and isinstance(index, Const):
        literal = base.payload[index.payload] if isinstance(index.payload, int) else None
        if isinstance(literal, str):  # the name of an attribute or key, which must be known
            return Const(literal)
    if isinstance(base, Known):
        found = numpy_grids.subscripted(lw, node, base.payload, index)
        if found is not None:
            return found
        lw.refuse(
            node, "a subscript of this object", f"{base.path or base.payload!r} is no array", "an array"
        )
    array = lw.value(base, node)
    if maps.is_map(array):
        return maps.read(lw, array, index, node)
    if isinstance(array.kind, Tuple | Dict) and not isinstance(index, Const):
        lw.refuse(
            node,
            "a computed index into a tuple",
            "its items may differ in kind",
            "a constant index or a list",
        )
    return item_at(lw, array, lw.value(index, node, "an index"))


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
    place = lw.value(index, node, "an index")
    if first is None or isinstance(place.kind, Slice):
        lw.refuse(node, "this index of a tuple", "which items it names must be known", "a constant index")
    if not alike or not all(isinstance(leaf, Value) for row in rows for leaf in row):
        return by_index(lw, base.items, place, node)
    leaves = [_chosen(lw, column, place) for column in zip(*rows, strict=True)]
    for item in base.items:
        seal(lw, item, SELECTED)
    return thawed(lw, rebuild(first, iter(leaves)), SELECTED)


def _is_empty(value: object) -> bool:
    """Whether this is a list from which nothing is learnt about the items of others."""
    return isinstance(value, list) and not value


def _is_choice(lw: Lowering, box: Box) -> bool:
    """Whether a record holds what is known at compile time, so that a computed key chooses among it."""
    items = [lw.variables[(box, key)] for key in lw.keys(box, None)]
    return is_selection(lw, items) and not all(map(keys.is_data, items))


def _chosen(lw: Lowering, column: tuple[Entity, ...], place: Value) -> Value:
    """One of several values, by an index."""
    values = [leaf for leaf in column if isinstance(leaf, Value)]
    return lw.builder.call("operator.getitem", lw.builder.call("builtins.list", *values), place)


def _box_key(lw: Lowering, box: Box, index: Entity, node: gast.AST) -> tuple[Box, object]:
    assert isinstance(index, Const)
    if index.payload not in box.keys or (box, index.payload) not in lw.variables:
        if index.payload in box.appears:
            lw.keys(box, node)  # it may be there in a later iteration
        lw.fail(node, KeyError(index.payload), f"the key {index.payload!r}", f"one of {box.keys}")
    return (box, index.payload)


def _is_literal(index: Entity) -> bool:
    """Whether an index is a tuple of constants."""
    return isinstance(index, Aggregate) and all(isinstance(leaf, Const) for leaf in flatten(index))


def slice_(lw: Lowering, node: gast.Slice) -> Entity:
    """``start:stop:step``."""
    parts = [
        lower_value(lw, p) if p is not None else Const(None) for p in (node.lower, node.upper, node.step)
    ]
    if all(isinstance(p, Const) for p in parts):
        return Const(slice(*(p.payload for p in parts if isinstance(p, Const))))
    return lw.builder.call("builtins.slice", *parts)


# --- stores


def has_own_way(base: Box | Aggregate) -> bool:
    """Whether a store is more than that the item is there: a method is called, or it fails."""
    return objects.is_object(base) or isinstance(base, Aggregate) and base.kind != "list"


def items_of(lw: Lowering, base: Entity, index: Entity) -> list[Entity | None]:
    """What a dict holds where an index leads to: under one key, or anywhere."""
    if not isinstance(base, Box) or base.kind != "dict":
        return []
    found = [index.payload] if isinstance(index, Const) else base.keys
    return [lw.variables.get((base, key)) for key in found]


def store(lw: Lowering, base: Entity, index: Entity, entity: Entity, node: gast.AST) -> None:
    """``base[index] = entity``."""
    if isinstance(base, Box) and base.kind == "object":
        objects.call_method(lw, base, "__setitem__", [index, entity], {}, node)
        return
    if isinstance(base, Box):
        index = lw.value(index, node, "a key") if _is_literal(index) else index
        if not isinstance(index, Const):
            maps.compute(lw, base, node)
        objects.put(lw, base, index.payload, entity, node)
        return
    target = writable(lw, base, node)
    if maps.is_map(target):
        maps.store(lw, target, index, entity, node)
        return
    if isinstance(target.kind, List) and isinstance(index, Value) and isinstance(index.kind, Slice):
        slices.store(lw, target, index, entity, node)
        return
    place = lw.value(index, node)
    _check_key(lw, target, place, node)
    if isinstance(target.kind, List):
        value = as_item(lw, entity, node, "what is stored")
        hold(lw, target, value.kind)
    else:
        value = lw.value(entity, node, "what is stored")
    _set(lw, target, place, value)


def _set(lw: Lowering, target: Value, index: Value, value: Value) -> None:
    """``target[index] = value``; a store into the imaginary part of an array is one into the array.

    z.imag[i] = v                         z[i] = z[i].real + 1j * v
    """
    by_item = target in lw.flats and not isinstance(index.kind, Scalar)
    target, index = by_cells(lw, target, index)
    if by_item:
        value = repeated(lw, value, index)
    whole = _whole_of_imaginary(lw, target)
    if whole is None:
        lw.builder.call("operator.setitem", target, index, value)
        return
    real = lw.builder.call("numpy.real", lw.builder.call("operator.getitem", whole, index))
    imaginary = lw.builder.call("operator.mul", Const(1j), value)
    lw.builder.call("operator.setitem", whole, index, lw.builder.call("operator.add", real, imaginary))


def repeated(lw: Lowering, value: Value, cells: Value) -> Value:
    """Values as often as there are cells, which are index arrays, one an axis; a number stays."""
    if isinstance(value.kind, Scalar):
        return value
    first = lw.builder.call("operator.getitem", cells, Const(0))
    return lw.builder.call("numpy.resize", value, lw.builder.call("numpy.shape", first))


def _whole_of_imaginary(lw: Lowering, value: Value) -> Value | None:
    """The array of which this is the imaginary part, if that was taken in this place."""
    made = next((op for op in reversed(lw.builder.block.ops) if value in op.results), None)
    return made.args[0] if isinstance(made, Call) and made.target == "ndarray.imag" else None


def writable(lw: Lowering, base: Entity, node: gast.AST) -> Value:
    """The array or list behind a store's target."""
    if isinstance(base, Aggregate):
        lw.refuse(
            node,
            f"writing into this {base.kind}",
            "its items have different kinds",
            "separate names, or an array",
        )
    value = lw.value(seen(base), node)
    if isinstance(value.kind, Scalar | Tuple | Dict) or isinstance(value, Const):
        lw.refuse(node, "writing into this value", f"a {value.kind} cannot be written into", "an array")
    return value


def _check_key(lw: Lowering, target: Value, place: Value, node: gast.AST) -> None:
    if target.kind == UNKNOWN and place.kind == STR:
        lw.ask_for_kind(node, "writing under this key is not supported", "which other keys the dict has is not known")


def augment(lw: Lowering, base: Entity, index: Entity, op: str, value: Value, node: gast.AST) -> None:
    """``base[index] op= value``; adding is an operation of its own, which is linear and records nothing."""
    target, place = by_cells(lw, writable(lw, base, node), lw.value(index, node))
    _check_key(lw, target, place, node)
    if _whole_of_imaginary(lw, target) is not None:
        changed = lw.builder.call(f"operator.{op}", lw.builder.call("operator.getitem", target, place), value)
        _set(lw, target, place, changed)
        return
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


def augment_loaded(lw: Lowering, base: Entity, index: Entity, op: str, value: Value, node: gast.AST, here: int) -> bool:
    """``base[index] op= value`` where the operations from ``here`` on, which compute the value, change what others see.

    Python has loaded ``base[index]`` before them: a number, or what an index array chooses, as it was then. False where
    nothing is changed, or it is a window, which shows what it is by now.
    """
    block = lw.builder.block
    changed = lw.program.changes(block.ops[here:])
    if not changed:
        return False
    with lw.builder.inside(Block()) as early:
        target, place = by_cells(lw, writable(lw, base, node), lw.value(index, node))
        old = lw.builder.call("operator.getitem", target, place)
    if old.kind == UNKNOWN:
        lw.ask_for_kind(node, f"whether this {op}= uses what the right side has changed is not known", "an item may be a window")
    if not is_number(old.kind) and _is_view(target, place):
        return False
    block.ops[here:here] = early.ops
    if isinstance(target.kind, List) and isinstance(old.kind, Array):
        augment_whole(lw, old, op, value)
        if all(isinstance(v.kind, Array) for v in changed):  # and no list, where another array may have taken its place
            return True
        _set(lw, target, place, old)
    else:
        _set(lw, target, place, lw.builder.call(f"operator.{op}", old, value))
    return True


def _is_view(target: Value, place: Value) -> bool:
    """Whether an index gives a window of an array, and no copy of chosen items."""
    return isinstance(target.kind, Array) and not any(isinstance(k, Array | List | Tuple) for k in _items(place))


def augment_whole(lw: Lowering, array: Value, op: str, value: Value) -> None:
    """``array op= value`` in place, seen through every reference."""
    if _whole_of_imaginary(lw, array) is not None:
        _set(lw, array, Const(...), lw.builder.call(f"operator.{op}", array, value))
    elif op in IN_PLACE:
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

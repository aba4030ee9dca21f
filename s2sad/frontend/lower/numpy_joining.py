"""NumPy's functions that cut arrays apart and put them together, written out as windows and concatenations.

a, b = np.split(x, [3])               a, b = x[:3], x[3:]
np.append(x, y)                       np.concatenate((x, y), axis=None)
np.block([[a, b], [c, d]])            np.concatenate((np.concatenate((a, b), axis=1), np.concatenate((c, d), axis=1)), axis=0)
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from s2sad.frontend.entities import Aggregate, Entity
from s2sad.frontend.lower.numpy_forms import (
    ABSENT,
    NO,
    TABLE,
    YES,
    ZERO,
    along,
    array,
    handler_of,
    item,
    items_of,
    literal,
    operand,
    present,
    rank,
    written_out,
)
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import Array, Scalar, rank_of
from s2sad.ir.nodes import Const, Value
from s2sad.rules.kind_arrays import array_kind

# --- cutting


def _split(even: bool) -> Any:
    """``split`` (into equal parts) or ``array_split``."""

    def write(
        lw: Lowering, node: Any, ary: Entity, indices_or_sections: Entity, axis: Entity = ZERO
    ) -> Entity:
        return _pieces(lw, node, ary, indices_or_sections, literal(lw, node, axis, "axis"), even)

    return write


for _function, _even in ((np.split, True), (np.array_split, False)):
    TABLE[_function] = handler_of(f"np.{_function.__name__}", _split(_even))


@written_out(np.hsplit)
def _hsplit(lw: Lowering, node: Any, ary: Entity, indices_or_sections: Entity) -> Entity:
    axis = min(1, rank(lw, node, array(lw, node, ary), "np.hsplit") - 1)
    return _pieces(lw, node, ary, indices_or_sections, axis, True)


@written_out(np.vsplit)
def _vsplit(lw: Lowering, node: Any, ary: Entity, indices_or_sections: Entity) -> Entity:
    return _pieces(lw, node, ary, indices_or_sections, 0, True, least=2)


@written_out(np.dsplit)
def _dsplit(lw: Lowering, node: Any, ary: Entity, indices_or_sections: Entity) -> Entity:
    return _pieces(lw, node, ary, indices_or_sections, 2, True, least=3)


def _pieces(
    lw: Lowering, node: Any, ary: Entity, cuts: Entity, axis: int, even: bool, least: int = 1
) -> Entity:
    """The windows between cuts along an axis: a list that the program may read, not write."""
    whole = array(lw, node, ary)
    count = rank(lw, node, whole, "np.split")
    if count < least or not -count <= axis < count:
        lw.refuse(node, "this split", f"an array of {count} axes has no axis {axis}", "an axis of the array")
    axis %= count
    if isinstance(cuts, Const) and isinstance(cuts.payload, int):
        ends = _ends_of_sections(lw, whole, cuts.payload, axis, even)
    else:
        ends = _ends_at(lw, node, cuts)
    parts = [_slice(lw, a, b) for a, b in pairwise(ends)]
    return Aggregate([along(lw, whole, axis, part) for part in parts], "list")


def _ends_of_sections(lw: Lowering, whole: Value, sections: int, axis: int, even: bool) -> list[Value]:
    bounds = lw.builder.call("s2sad.runtime.section_bounds", whole, sections, axis, even)
    inner = [item(lw, bounds, Const(k)) for k in range(1, sections)]
    return [Const(None), *inner, Const(None)]


def _ends_at(lw: Lowering, node: Any, cuts: Entity) -> list[Value]:
    found = items_of(lw, cuts)
    if found is None:
        lw.refuse(
            node,
            "np.split with computed sections",
            "how many pieces there are is not known",
            "a literal number of sections, or a list of places",
        )
    return [Const(0), *(operand(lw, node, cut) for cut in found), Const(None)]


def _slice(lw: Lowering, start: Value, stop: Value) -> Value:
    if isinstance(start, Const) and isinstance(stop, Const):
        return Const(slice(start.payload or None, stop.payload))
    return lw.builder.call("builtins.slice", start, stop, Const(None))


@written_out(*present("unstack"))
def _unstack(lw: Lowering, node: Any, x: Entity, *, axis: Entity = ZERO) -> Entity:
    whole = array(lw, node, x)
    count = rank(lw, node, whole, "np.unstack")
    at = literal(lw, node, axis, "axis") % count
    size = whole.kind.shape[at] if isinstance(whole.kind, Array) and whole.kind.shape else None
    if not isinstance(size, int):
        lw.refuse(
            node, "np.unstack", "how many pieces there are is not known", "np.moveaxis, which can be unpacked"
        )
    return Aggregate([along(lw, whole, at, Const(k)) for k in range(size)])


# --- putting together


@written_out(np.append)
def _append(lw: Lowering, node: Any, arr: Entity, values: Entity, axis: Entity = ABSENT) -> Entity:
    if isinstance(values, Value) and isinstance(values.kind, Scalar):
        values = lw.builder.call("numpy.asarray", values)  # a Python number counts as double precision here
    pair = lw.value(Aggregate([arr, values]), node, "an argument")
    return lw.builder.call("numpy.concatenate", pair, axis=operand(lw, node, axis))


@written_out(np.dstack)
def _dstack(lw: Lowering, node: Any, tup: Entity) -> Entity | None:
    found = items_of(lw, tup)
    if found is None:
        lw.refuse(
            node,
            "np.dstack of this",
            "its items are not known one by one",
            "a tuple of arrays, or np.stack(..., axis=-1)",
        )
    deep = [lw.builder.call("numpy.atleast_3d", operand(lw, node, one)) for one in found]
    return lw.builder.call("numpy.concatenate", lw.value(Aggregate(list(deep)), node), axis=2)


@written_out(np.block)
def _block(lw: Lowering, node: Any, arrays: Entity) -> Entity:
    depth = _depth(arrays)
    axes = max(depth, _widest(lw, node, arrays))
    return _joined(lw, node, arrays, depth, axes)


def _depth(entity: Entity) -> int:
    if not isinstance(entity, Aggregate) or entity.kind != "list" or not entity.items:
        return 0
    return 1 + _depth(entity.items[0])


def _widest(lw: Lowering, node: Any, entity: Entity) -> int:
    if isinstance(entity, Aggregate) and entity.kind == "list":
        return max(_widest(lw, node, one) for one in entity.items)
    return rank(lw, node, operand(lw, node, entity), "np.block")


def _joined(lw: Lowering, node: Any, entity: Entity, depth: int, axes: int) -> Value:
    """Blocks of one row along the last axis, rows along the last but one, and so on."""
    listed = isinstance(entity, Aggregate) and entity.kind == "list"
    if listed != (depth > 0):
        lw.refuse(
            node,
            "these nested lists of np.block",
            "their depths differ",
            "lists of the same depth throughout",
        )
    if not isinstance(entity, Aggregate) or not listed:
        return _with_axes(lw, operand(lw, node, entity), axes)
    parts = [_joined(lw, node, one, depth - 1, axes) for one in entity.items]
    return lw.builder.call("numpy.concatenate", lw.value(Aggregate(list(parts)), node), axis=Const(-depth))


def _with_axes(lw: Lowering, value: Value, axes: int) -> Value:
    """The array with new axes of size 1 in front."""
    missing = axes - (rank_of(array_kind(value.kind)) or 0)
    if missing == axes:
        return (
            lw.builder.call("numpy.reshape", value, Const((1,) * axes))
            if axes
            else lw.builder.call("numpy.array", value)
        )
    return item(lw, value, Const((None,) * missing)) if missing else value


def _at_least(count: int) -> Any:
    """``atleast_1d(x, y)``: of several arguments a tuple."""

    def write(lw: Lowering, node: Any, *arys: Entity) -> Entity | None:
        if len(arys) == 1:
            return None
        name = f"numpy.atleast_{count}d"
        return Aggregate([lw.builder.call(name, operand(lw, node, one)) for one in arys])

    return write


for _count in (1, 2, 3):
    TABLE[getattr(np, f"atleast_{_count}d")] = handler_of(f"np.atleast_{_count}d", _at_least(_count))

# --- other axes, other shapes


@written_out(np.rollaxis)
def _rollaxis(lw: Lowering, node: Any, a: Entity, axis: Entity, start: Entity = ZERO) -> Entity:
    value = array(lw, node, a)
    count = rank(lw, node, value, "np.rollaxis")
    source, target = (literal(lw, node, e, w) for e, w in ((axis, "axis"), (start, "start")))
    source += count if source < 0 else 0
    target += count if target < 0 else 0
    return lw.builder.call("numpy.moveaxis", value, source, target - (source < target))


@written_out(*present("astype"))
def _astype(
    lw: Lowering,
    node: Any,
    x: Entity,
    dtype: Entity,
    /,
    *,
    copy: Entity = YES,
    device: Entity = ABSENT,
) -> Entity:
    if literal(lw, node, copy, "copy") is not True:
        lw.refuse(
            node, "np.astype(copy=False)", "whether it copies depends on the dtype", "a call without copy="
        )
    return lw.builder.call("ndarray.astype", array(lw, node, x), operand(lw, node, dtype))


@written_out(np.diagflat)
def _diagflat(lw: Lowering, node: Any, v: Entity, k: Entity = ZERO) -> Entity:
    flat = lw.builder.call("numpy.ravel", operand(lw, node, v))
    return lw.builder.call("numpy.diag", flat, operand(lw, node, k))


@written_out(np.broadcast_arrays)
def _broadcast_arrays(lw: Lowering, node: Any, *args: Entity, subok: Entity = NO) -> Entity:
    values = [array(lw, node, one) for one in args]
    shapes = [lw.builder.call("numpy.shape", value) for value in values]
    shape = lw.builder.call("numpy.broadcast_shapes", *shapes)
    return Aggregate([lw.builder.call("numpy.broadcast_to", value, shape) for value in values])

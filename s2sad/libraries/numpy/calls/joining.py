"""NumPy's functions that cut arrays apart and put them together, written out as windows and concatenations.

a, b = np.split(x, [3])               a, b = x[:3], x[3:]
np.block([[a, b], [c, d]])            np.concatenate((np.concatenate((a, b), axis=1), np.concatenate((c, d), axis=1)), axis=0)
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from s2sad.frontend.entities import Entity, Struct
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import equal_sizes, floor_divided, rank_of, times
from s2sad.ir.nodes import Const, Value
from s2sad.libraries.numpy.calls.handlers import (
    TABLE,
    ZERO,
    along,
    array,
    handler_of,
    item,
    items_of,
    literal,
    operand,
    rank,
    written_out,
)
from s2sad.rules.kind_arrays import array_kind
from s2sad.rules.kind_rules import shape_of

# --- cutting


def _split(even: bool) -> Any:
    """``split`` (into equal parts) or ``array_split``."""

    def write(
        ctx: Lowering, node: Any, ary: Entity, indices_or_sections: Entity, axis: Entity = ZERO
    ) -> Entity:
        return _pieces(ctx, node, ary, indices_or_sections, literal(ctx, node, axis, "axis"), even)

    return write


for _function, _even in ((np.split, True), (np.array_split, False)):
    TABLE[_function] = handler_of(f"np.{_function.__name__}", _split(_even))


def _pieces(
    ctx: Lowering, node: Any, ary: Entity, cuts: Entity, axis: int, even: bool, least: int = 1
) -> Entity:
    """The windows between cuts along an axis: a list that the program may read, not write."""
    whole = array(ctx, node, ary)
    count = rank_of(array_kind(whole.kind))
    if count is None and (axis < 0 or least > 1):
        count = rank(ctx, node, whole, "np.split")
    if count is not None:  # else what is cut fails where there is no such axis
        if count < least or not -count <= axis < count:
            ctx.refuse(node, "this split", f"an array of {count} axes has no axis {axis}", "an axis of the array")
        axis %= count
    if isinstance(cuts, Const) and isinstance(cuts.payload, int):
        ends = _ends_of_sections(ctx, whole, cuts.payload, axis, even)
    else:
        ends = _ends_at(ctx, node, cuts)
    parts = [_slice(ctx, a, b) for a, b in pairwise(ends)]
    return Struct([along(ctx, whole, axis, part) for part in parts], "list")


def _ends_of_sections(ctx: Lowering, whole: Value, sections: int, axis: int, even: bool) -> list[Value]:
    if even and _divides(sections, whole, axis):
        size = item(ctx, ctx.builder.call("ndarray.shape", whole), Const(axis))
        each = ctx.builder.call("operator.floordiv", size, Const(sections))
        places = [ctx.builder.call("operator.mul", Const(k), each) for k in range(2, sections)]
        return [Const(None), *[each][: sections - 1], *places, Const(None)]
    bounds = ctx.builder.call("s2sad.runtime.section_bounds", whole, sections, axis, even)
    inner = [item(ctx, bounds, Const(k)) for k in range(1, sections)]
    return [Const(None), *inner, Const(None)]


def _divides(sections: int, whole: Value, axis: int) -> bool:
    """Certainty that an axis can be cut into so many equal parts, where the program is used."""
    shape = shape_of(array_kind(whole.kind))
    size = shape[axis] if shape is not None and sections > 0 else None
    return size is not None and equal_sizes(size, times(floor_divided(size, sections), sections))


def _ends_at(ctx: Lowering, node: Any, cuts: Entity) -> list[Value]:
    found = items_of(ctx, cuts)
    if found is None:
        ctx.refuse(
            node,
            "np.split with computed sections",
            "how many pieces there are is not known",
            "a literal number of sections, or a list of places",
        )
    return [Const(0), *(operand(ctx, node, cut) for cut in found), Const(None)]


def _slice(ctx: Lowering, start: Value, stop: Value) -> Value:
    if isinstance(start, Const) and isinstance(stop, Const):
        return Const(slice(start.payload or None, stop.payload))
    return ctx.builder.call("builtins.slice", start, stop, Const(None))


# --- putting together


@written_out(np.block)
def _block(ctx: Lowering, node: Any, arrays: Entity) -> Entity:
    _check_listed(ctx, node, arrays)
    depth = _depth(arrays)
    axes = max(depth, _widest(ctx, node, arrays))
    return _joined(ctx, node, arrays, depth, axes)


def _check_listed(ctx: Lowering, node: Any, entity: Entity) -> None:
    """Fail as np.block does for a list without blocks."""
    if isinstance(entity, Struct) and entity.kind == "list":
        if not entity.items:
            ctx.fail(node, ValueError("List at arrays cannot be empty"), "an empty list in np.block", "blocks")
        for one in entity.items:
            _check_listed(ctx, node, one)


def _depth(entity: Entity) -> int:
    if not isinstance(entity, Struct) or entity.kind != "list" or not entity.items:
        return 0
    return 1 + _depth(entity.items[0])


def _widest(ctx: Lowering, node: Any, entity: Entity) -> int:
    if isinstance(entity, Struct) and entity.kind == "list":
        return max(_widest(ctx, node, one) for one in entity.items)
    return rank(ctx, node, operand(ctx, node, entity), "np.block")


def _joined(ctx: Lowering, node: Any, entity: Entity, depth: int, axes: int) -> Value:
    """Blocks of one row along the last axis, rows along the last but one, and so on."""
    listed = isinstance(entity, Struct) and entity.kind == "list"
    if listed != (depth > 0):
        ctx.refuse(
            node,
            "these nested lists of np.block",
            "their depths differ",
            "lists of the same depth throughout",
        )
    if not isinstance(entity, Struct) or not listed:
        return _with_axes(ctx, operand(ctx, node, entity), axes)
    parts = [_joined(ctx, node, one, depth - 1, axes) for one in entity.items]
    return ctx.builder.call("numpy.concatenate", ctx.value(Struct(list(parts)), node), axis=Const(-depth))


def _with_axes(ctx: Lowering, value: Value, axes: int) -> Value:
    """The array with new axes of size 1 in front."""
    missing = axes - (rank_of(array_kind(value.kind)) or 0)
    if missing == axes:
        return (
            ctx.builder.call("numpy.reshape", value, Const((1,) * axes))
            if axes
            else ctx.builder.call("numpy.array", value)
        )
    return item(ctx, value, Const((None,) * missing)) if missing else value



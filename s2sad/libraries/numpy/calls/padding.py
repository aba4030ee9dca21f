"""``np.pad`` where what it puts around an array is computed from items: written out axis by axis, as NumPy does it.

np.pad(x, (2, 1), 'mean')             np.concatenate((np.repeat(np.mean(x[:], keepdims=True), 2), x,
                                                      np.repeat(np.mean(x[:], keepdims=True), 1)))
np.pad(x, 2, 'linear_ramp')           np.concatenate((np.linspace(0, x[0], 2, endpoint=False), x, ...))

The other modes (one constant, edges, reflections, periods) are linear in the array, and have a rule.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.frontend.entities import Entity, Struct
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import Scalar, dtype_of
from s2sad.ir.nodes import Const, Value
from s2sad.libraries.numpy.calls.handlers import (
    ABSENT,
    ZERO,
    along,
    array,
    items_of,
    literal,
    operand,
    rank,
    written_out,
)
from s2sad.rules.kind_arrays import array_kind

STATISTICS = {"mean": "numpy.mean", "median": "numpy.median", "maximum": "numpy.max", "minimum": "numpy.min"}
Pair = tuple[Value, Value]
CONSTANT, EVEN = Const("constant"), Const("even")


@written_out(np.pad)
def _pad(
    ctx: Lowering,
    node: Any,
    array_: Entity,
    pad_width: Entity,
    mode: Entity = CONSTANT,
    *,
    stat_length: Entity = ABSENT,
    constant_values: Entity = ZERO,
    end_values: Entity = ZERO,
    reflect_type: Entity = EVEN,
) -> Entity | None:
    value = array(ctx, node, array_)
    how = literal(ctx, node, mode, "mode") if isinstance(mode, Const) else None
    if not isinstance(how, str):
        ctx.refuse(node, "this mode of np.pad", "which items it moves is not known", "a literal mode")
    if how == "empty":
        ctx.refuse(node, "np.pad(mode='empty')", "its edges are uninitialised", "mode='constant'")
    several = how == "constant" and not isinstance(operand(ctx, node, constant_values).kind, Scalar)
    if not (several or how in STATISTICS or how == "linear_ramp") or not _is_float(value):
        return None
    count = rank(ctx, node, value, "np.pad")
    widths = _pairs(ctx, node, pad_width, count)
    lengths = _pairs(ctx, node, stat_length, count)
    ends = _pairs(ctx, node, constant_values if several else end_values, count)
    for axis in range(count):
        before, after = widths[axis]
        parts = [
            _constant(ctx, value, axis, width, end)
            if several
            else _ramp(ctx, value, axis, width, end, side)
            if how == "linear_ramp"
            else _repeated(ctx, node, STATISTICS[how], value, axis, width, length, side)
            for side, (width, end, length) in enumerate(
                zip(widths[axis], ends[axis], lengths[axis], strict=True)
            )
        ]
        whole = [
            part
            for part, width in ((parts[0], before), (value, None), (parts[1], after))
            if not _is(width, 0)
        ]
        if len(whole) > 1:
            joined = ctx.value(Struct(list(whole)), node)
            value = ctx.builder.call("numpy.concatenate", joined, axis=Const(axis))
    return value


def _is_float(value: Value) -> bool:
    """Test for items that are, or may be, real or complex numbers; whole ones are rounded and carry no derivative."""
    return (dtype_of(array_kind(value.kind)) or "float").startswith(("float", "complex"))


def _is(value: Value | None, payload: object) -> bool:
    return isinstance(value, Const) and value.payload == payload


def _pairs(ctx: Lowering, node: Any, entity: Entity, count: int) -> list[Pair]:
    """The pairs for both ends of each axis, given as a number for all, a pair for all, or a pair for each axis."""
    items = items_of(ctx, entity)
    if items is None:
        one = operand(ctx, node, entity)
        if not isinstance(one.kind, Scalar) and not _is(one, None):
            ctx.refuse(
                node,
                "these widths or values of np.pad",
                "they are not known axis by axis",
                "a tuple of pairs",
            )
        return [(one, one)] * count
    inner = [items_of(ctx, item) for item in items]
    if all(pair is None for pair in inner):
        pairs: list[list[Entity]] = [items]
    else:
        pairs = [[item] if pair is None else pair for item, pair in zip(items, inner, strict=True)]
    found = [
        tuple(operand(ctx, node, item) for item in (pair * 2 if len(pair) == 1 else pair)) for pair in pairs
    ]
    found = found * count if len(found) == 1 else found
    if len(found) != count or any(len(pair) != 2 for pair in found):
        ctx.refuse(
            node, "these widths or values of np.pad", f"they do not fit {count} axes", "a pair for each axis"
        )
    return [(pair[0], pair[1]) for pair in found]


def _repeated(
    ctx: Lowering, node: Any, function: str, value: Value, axis: int, width: Value, length: Value, side: int
) -> Value:
    """A statistic of the items next to an end, as often as the width says."""
    part = value
    if not _is(length, None):
        size = literal(ctx, node, length, "stat_length")
        if size < 1:
            ctx.refuse(
                node, "np.pad(stat_length=0)", "it is a statistic of no items", "a positive stat_length"
            )
        part = along(ctx, value, axis, Const(slice(-size, None) if side else slice(size)))
    found = ctx.builder.call(function, part, axis=Const(axis), keepdims=Const(True))
    return ctx.builder.call("numpy.repeat", found, width, axis=Const(axis))


def _constant(ctx: Lowering, value: Value, axis: int, width: Value, end: Value) -> Value:
    shape = ctx.builder.call("ndarray.shape", value)
    sizes = [
        ctx.builder.call("operator.getitem", shape, Const(k)) for k in range(rank(ctx, None, value, "np.pad"))
    ]
    sizes[axis] = width
    dtype = ctx.builder.call("ndarray.dtype", value)
    return ctx.builder.call("numpy.full", ctx.builder.call("builtins.tuple", *sizes), end, dtype=dtype)


def _ramp(ctx: Lowering, value: Value, axis: int, width: Value, end: Value, side: int) -> Value:
    """Items from the end value towards the edge, which is not among them."""
    edge = along(ctx, value, axis, Const(-1 if side else 0))
    made = ctx.builder.call("numpy.linspace", end, edge, width, Const(False), axis=Const(axis))
    dtype = dtype_of(value.kind)
    if dtype is not None and dtype != dtype_of(made.kind):
        made = ctx.builder.call("ndarray.astype", made, ctx.builder.call("ndarray.dtype", value))
    return along(ctx, made, axis, Const(slice(None, None, -1))) if side else made

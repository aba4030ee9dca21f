"""NumPy's linear algebra, sums of products and ranges, where an option makes a call one of other functions.

np.einsum(a, [0, 1], b, [1, 2])       np.einsum('ab,bc', a, b)
np.linspace(x, y, 5, retstep=True)    np.linspace(x, y, 5), (y - x) / 4
"""

from __future__ import annotations

import string
from typing import Any

import numpy as np

from s2sad.frontend.entities import Entity, Static, Struct
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.nodes import Const
from s2sad.libraries.numpy.calls.handlers import (
    ABSENT,
    NO,
    YES,
    ZERO,
    array,
    literal,
    operand,
    written_out,
)
from s2sad.libraries.numpy.calls.sharing import einsum_window

FIFTY = Const(50)

# --- sums of products


@written_out(np.linalg.multi_dot)
def _multi_dot(ctx: Lowering, node: Any, arrays: Entity, *, out: Entity = ABSENT) -> Entity | None:
    """Of two factors, which may be numbers, it is their product. Factors that are lists are made arrays."""
    if not isinstance(arrays, Struct):
        return None
    options = {} if out is ABSENT else {"out": out}
    if len(arrays.items) != 2:
        factors = [array(ctx, node, item) for item in arrays.items]
        return ctx.builder.call("numpy.linalg.multi_dot", ctx.value(Struct([*factors]), node), **options)
    return apply(ctx, Static(np.dot, "numpy.dot"), list(arrays.items), options, node)


@written_out(np.einsum)
def _einsum(ctx: Lowering, node: Any, *operands: Entity, **options: Entity) -> Entity | None:
    """With lists of axes: letters stand for the numbers, in their order."""
    first = operands[0]
    if isinstance(first, Const) and isinstance(first.payload, str):
        return None if set(options) - {"optimize"} else einsum_window(ctx, node, first.payload, operands[1:])
    lists = list(operands[1::2])
    lists += [operands[-1]] if len(operands) % 2 else []
    labels = [_labels(ctx, node, entity) for entity in lists]
    values = [operand(ctx, node, entity) for entity in operands[: len(operands) // 2 * 2 : 2]]
    text = ",".join(labels[: len(values)]) + (f"->{labels[-1]}" if len(operands) % 2 else "")
    named = {key: operand(ctx, node, value) for key, value in options.items() if key == "optimize"}
    if set(options) - {"optimize"}:
        ctx.refuse(node, "these options of np.einsum", "they are not written out", "a call with a string")
    return ctx.builder.call("numpy.einsum", Const(text), *values, **named)


def _labels(ctx: Lowering, node: Any, entity: Entity) -> str:
    axes = literal(ctx, node, entity, "list of axes")
    if not isinstance(axes, tuple | list) or not all(k is ... or isinstance(k, int) for k in axes):
        ctx.refuse(node, "this call of np.einsum", "its axes are no list of numbers", "a literal string first")
    return "".join("..." if k is ... else (string.ascii_uppercase + string.ascii_lowercase)[k] for k in axes)


# --- ranges


@written_out(np.linspace)
def _linspace(
    ctx: Lowering,
    node: Any,
    start: Entity,
    stop: Entity,
    num: Entity = FIFTY,
    endpoint: Entity = YES,
    retstep: Entity = NO,
    dtype: Entity = ABSENT,
    axis: Entity = ZERO,
    *,
    device: Entity = ABSENT,
) -> Entity | None:
    """The step beside the range; and options by position."""
    call = ctx.builder.call
    first, last = array(ctx, node, start), array(ctx, node, stop)
    given = {"dtype": dtype, "axis": axis}
    named = {k: operand(ctx, node, v) for k, v in given.items() if not isinstance(v, Const) or v not in (ABSENT, ZERO)}
    count, closed = operand(ctx, node, num), operand(ctx, node, endpoint)
    plain = () if closed is YES else (closed,)
    grid = call("numpy.linspace", first, last, *(() if count is FIFTY and not plain else (count, *plain)), **named)
    if not literal(ctx, node, retstep, "retstep"):
        return grid
    parts = call("operator.sub", count, Const(1)) if literal(ctx, node, closed, "endpoint") else count
    return Struct([grid, call("numpy.divide", call("operator.sub", last, first), parts)])

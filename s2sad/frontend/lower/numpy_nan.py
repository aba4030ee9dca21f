"""NumPy's reductions that pass over NaN, with the options that say what counts: written out by ``np.where``.

np.nansum(x, where=m)                 np.sum(np.where(np.isnan(x), 0.0, x), where=m)
np.nanmean(x, where=m)                the same, divided by np.sum(~np.isnan(x), where=m)
np.nanmax(x, initial=y)               np.max(np.where(np.isnan(x), -np.inf, x), initial=y)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.frontend.entities import Entity
from s2sad.frontend.lower.numpy_forms import ABSENT, NO, TABLE, YES, array, handler_of, operand
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.nodes import Const, Value

# What stands for NaN, and the reduction that does not notice it.
NEUTRAL = {
    "nansum": (0.0, "numpy.sum"),
    "nanprod": (1.0, "numpy.prod"),
    "nanmax": (-np.inf, "numpy.max"),
    "nanmin": (np.inf, "numpy.min"),
    "nanmean": (0.0, "numpy.sum"),
}


def _reduction(name: str) -> Any:
    neutral, plain = NEUTRAL[name]

    def write(
        ctx: Lowering,
        node: Any,
        a: Entity,
        axis: Entity = ABSENT,
        dtype: Entity = ABSENT,
        out: Entity = ABSENT,
        keepdims: Entity = NO,
        initial: Entity = ABSENT,
        where: Entity = YES,
    ) -> Entity | None:
        if initial is ABSENT and where is YES:
            return None
        if out is not ABSENT or dtype is not ABSENT:
            ctx.refuse(node, f"np.{name} with out= or dtype= and a mask", "it is not written out", f"{plain} of np.where")
        value = array(ctx, node, a)
        missing = ctx.builder.call("numpy.isnan", value)
        options = {"axis": operand(ctx, node, axis), "keepdims": operand(ctx, node, keepdims)}
        if where is not YES:
            options["where"] = operand(ctx, node, where)
        given = options if initial is ABSENT else {**options, "initial": operand(ctx, node, initial)}
        whole: Value = ctx.builder.call("numpy.where", missing, Const(neutral), value)
        total = ctx.builder.call(plain, whole, **given)
        if name != "nanmean":
            return total
        numbers = ctx.builder.call("numpy.sum", ctx.builder.call("numpy.logical_not", missing), **options)
        return ctx.builder.call("operator.truediv", total, numbers)

    if name in ("nanmax", "nanmin"):  # these have no dtype

        def without_dtype(
            ctx: Lowering,
            node: Any,
            a: Entity,
            axis: Entity = ABSENT,
            out: Entity = ABSENT,
            keepdims: Entity = NO,
            initial: Entity = ABSENT,
            where: Entity = YES,
        ) -> Entity | None:
            return write(ctx, node, a, axis, ABSENT, out, keepdims, initial, where)

        return without_dtype
    return write


for _name in NEUTRAL:
    TABLE[getattr(np, _name)] = handler_of(f"np.{_name}", _reduction(_name))

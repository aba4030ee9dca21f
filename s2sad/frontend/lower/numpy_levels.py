"""Quantiles with weights at several levels: a call for each.

np.quantile(x, [p, q], weights=w, axis=1)         np.stack((np.quantile(x, p, weights=w, axis=1), np.quantile(x, q, ...)))
"""

from __future__ import annotations

from typing import Any

from s2sad.frontend.entities import Entity
from s2sad.frontend.lower.numpy_forms import ABSENT, NO, item, items_of, operand, present, written_out
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import Array
from s2sad.ir.nodes import Const, Value

_LINEAR = Const("linear")


def _levels(ctx: Lowering, entity: Entity) -> list[Entity] | None:
    """The levels where they are several, and so many that are known; None for others."""
    found = items_of(ctx, entity)
    if found is None and isinstance(entity, Value) and isinstance(entity.kind, Array) and entity.kind.shape:
        (size, *rest) = entity.kind.shape
        if isinstance(size, int) and not rest:
            return [item(ctx, entity, Const(k)) for k in range(size)]
    return found


def _each(function: Any) -> Any:
    name = f"numpy.{function.__name__}"

    def write(
        ctx: Lowering, node: Any, a: Entity, q: Entity, axis: Entity = ABSENT, out: Entity = ABSENT, overwrite_input: Entity = NO,
        method: Entity = _LINEAR, keepdims: Entity = NO, *, weights: Entity = ABSENT, interpolation: Entity = ABSENT,
    ) -> Entity | None:  # fmt: skip
        plain = out is ABSENT and overwrite_input is NO and interpolation is ABSENT
        levels = _levels(ctx, q) if weights is not ABSENT and plain else None
        if not levels:
            return None
        given = {"axis": axis, "method": method, "keepdims": keepdims, "weights": weights}
        options = {key: operand(ctx, node, value) for key, value in given.items()}
        values = operand(ctx, node, a)
        found = [ctx.builder.call(name, values, operand(ctx, node, level), **options) for level in levels]
        return ctx.builder.call("numpy.stack", ctx.builder.call("builtins.tuple", *found))

    return write


for _function in present("quantile", "percentile", "nanquantile", "nanpercentile"):
    written_out(_function)(_each(_function))

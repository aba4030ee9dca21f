"""NumPy's linear algebra, sums of products and ranges, where an option makes a call one of other functions.

np.linalg.svd(a, hermitian=True)      eigenvalues by their size, and eigenvectors in that order
np.einsum(a, [0, 1], b, [1, 2])       np.einsum('ab,bc', a, b)
np.linspace(x, y, 5, retstep=True)    np.linspace(x, y, 5), (y - x) / 4
"""

from __future__ import annotations

import string
from typing import Any

import numpy as np

from s2sad.frontend.entities import Aggregate, Entity, Known
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.numpy_forms import (
    ABSENT,
    NO,
    YES,
    ZERO,
    array,
    item,
    literal,
    operand,
    written_out,
)
from s2sad.frontend.lower.numpy_sharing import einsum_window
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import dtype_of
from s2sad.ir.nodes import Const

LOWER, FIFTY, TEN = Const("L"), Const(50), Const(10.0)
FALLING = Const((..., slice(None, None, -1)))

# --- decompositions


@written_out(np.linalg.svd)
def _svd(
    lw: Lowering, node: Any, a: Entity, full_matrices: Entity = YES, compute_uv: Entity = YES, hermitian: Entity = NO
) -> Entity | None:
    if not literal(lw, node, hermitian, "hermitian"):
        return None
    call, value = lw.builder.call, array(lw, node, a)
    if not literal(lw, node, compute_uv, "compute_uv"):
        return item(lw, call("numpy.sort", call("numpy.abs", call("numpy.linalg.eigvalsh", value))), FALLING)
    found = call("numpy.linalg.eigh", value)
    w, v = item(lw, found, Const(0)), item(lw, found, Const(1))
    order = item(lw, call("numpy.argsort", call("numpy.abs", w)), FALLING)
    w = call("numpy.take_along_axis", w, order, axis=Const(-1))
    u = call("numpy.take_along_axis", v, item(lw, order, Const((..., None, slice(None)))), axis=Const(-1))
    signs = item(lw, call("numpy.sign", w), Const((..., None, slice(None))))
    turned = call("numpy.swapaxes", call("operator.mul", u, signs), Const(-1), Const(-2))
    if (dtype_of(value.kind) or "complex").startswith("complex"):
        turned = call("numpy.conjugate", turned)
    return Aggregate([u, call("numpy.abs", w), turned])


# --- sums of products


@written_out(np.linalg.multi_dot)
def _multi_dot(lw: Lowering, node: Any, arrays: Entity, *, out: Entity = ABSENT) -> Entity | None:
    """Of two factors, which may be numbers, it is their product."""
    if not isinstance(arrays, Aggregate) or len(arrays.items) != 2:
        return None
    options = {} if out is ABSENT else {"out": out}
    return apply(lw, Known(np.dot, "numpy.dot"), list(arrays.items), options, node)


@written_out(np.einsum)
def _einsum(lw: Lowering, node: Any, *operands: Entity, **options: Entity) -> Entity | None:
    """With lists of axes: letters stand for the numbers, in their order."""
    first = operands[0]
    if isinstance(first, Const) and isinstance(first.payload, str):
        return None if set(options) - {"optimize"} else einsum_window(lw, node, first.payload, operands[1:])
    lists = list(operands[1::2])
    lists += [operands[-1]] if len(operands) % 2 else []
    labels = [_labels(lw, node, entity) for entity in lists]
    values = [operand(lw, node, entity) for entity in operands[: len(operands) // 2 * 2 : 2]]
    text = ",".join(labels[: len(values)]) + (f"->{labels[-1]}" if len(operands) % 2 else "")
    named = {key: operand(lw, node, value) for key, value in options.items() if key == "optimize"}
    if set(options) - {"optimize"}:
        lw.refuse(node, "these options of np.einsum", "they are not written out", "a call with a string")
    return lw.builder.call("numpy.einsum", Const(text), *values, **named)


def _labels(lw: Lowering, node: Any, entity: Entity) -> str:
    axes = literal(lw, node, entity, "list of axes")
    if not isinstance(axes, tuple | list) or not all(k is ... or isinstance(k, int) for k in axes):
        lw.refuse(node, "this call of np.einsum", "its axes are no list of numbers", "a literal string first")
    return "".join("..." if k is ... else (string.ascii_uppercase + string.ascii_lowercase)[k] for k in axes)


# --- ranges


@written_out(np.linspace)
def _linspace(
    lw: Lowering,
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
    call = lw.builder.call
    first, last = array(lw, node, start), array(lw, node, stop)
    given = {"dtype": dtype, "axis": axis}
    named = {k: operand(lw, node, v) for k, v in given.items() if not isinstance(v, Const) or v not in (ABSENT, ZERO)}
    count, closed = operand(lw, node, num), operand(lw, node, endpoint)
    plain = () if closed is YES else (closed,)
    grid = call("numpy.linspace", first, last, *(() if count is FIFTY and not plain else (count, *plain)), **named)
    if not literal(lw, node, retstep, "retstep"):
        return grid
    parts = call("operator.sub", count, Const(1)) if literal(lw, node, closed, "endpoint") else count
    return Aggregate([grid, call("numpy.divide", call("operator.sub", last, first), parts)])


def _turned(lw: Lowering, node: Any, name: str, given: dict[str, Entity], axis: Entity, dtype: Entity) -> Entity | None:
    """The range along its first axis, with this put in its place."""
    at = literal(lw, node, axis, "axis")
    named = {k: operand(lw, node, v) for k, v in given.items()}
    found = lw.builder.call(f"numpy.{name}", *(named.pop(k) for k in ("start", "stop")), **named)
    if not (isinstance(dtype, Const) and dtype.payload is None):
        found = lw.builder.call("ndarray.astype", found, operand(lw, node, dtype))
    return found if at == 0 else lw.builder.call("numpy.moveaxis", found, Const(0), Const(at))


@written_out(np.logspace)
def _logspace(
    lw: Lowering,
    node: Any,
    start: Entity,
    stop: Entity,
    num: Entity = FIFTY,
    endpoint: Entity = YES,
    base: Entity = TEN,
    dtype: Entity = ABSENT,
    axis: Entity = ZERO,
) -> Entity | None:
    if axis is ZERO and dtype is ABSENT:
        return None
    given = {"start": start, "stop": stop, "num": num, "endpoint": endpoint, "base": base}
    return _turned(lw, node, "logspace", given, axis, dtype)


@written_out(np.geomspace)
def _geomspace(
    lw: Lowering,
    node: Any,
    start: Entity,
    stop: Entity,
    num: Entity = FIFTY,
    endpoint: Entity = YES,
    dtype: Entity = ABSENT,
    axis: Entity = ZERO,
) -> Entity | None:
    if axis is ZERO and dtype is ABSENT:
        return None
    given = {"start": start, "stop": stop, "num": num, "endpoint": endpoint}
    return _turned(lw, node, "geomspace", given, axis, dtype)

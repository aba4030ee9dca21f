"""Polynomials and correlations, written out as powers, products and least squares.

np.vander(x, 3)                       x[:, None] ** [2, 1, 0]
np.polyfit(x, y, 2)                   the least squares solution with that matrix, whose columns are scaled
np.correlate(a, v)                    np.convolve(a, np.conj(v[::-1]), 'valid')
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import polynomial

from s2sad.frontend.entities import Entity
from s2sad.frontend.lower.numpy_forms import (
    ABSENT,
    NO,
    ONE,
    YES,
    ZERO,
    Handler,
    array,
    item,
    literal,
    operand,
    rank,
    table_of,
)
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import Array, dtype_of
from s2sad.ir.nodes import Const, Value
from s2sad.rules.kind_arrays import array_kind

TABLE: dict[Any, Handler] = {}
VALID = Const("valid")
written_out = table_of(TABLE)
COLUMN = Const((slice(None), None))
REVERSED = Const(slice(None, None, -1))


def _vector(lw: Lowering, node: Any, entity: Entity, function: str) -> Value:
    """An argument that must be a vector."""
    found = operand(lw, node, entity)
    value = found if isinstance(found.kind, Array) else lw.builder.call("numpy.asarray", found)
    if rank(lw, node, value, function) != 1:
        lw.refuse(node, f"{function} of this", "its argument is no vector", "a vector")
    return value


def _powers(lw: Lowering, x: Value, count: Value, increasing: bool) -> Value:
    """A column for each power of ``x`` below ``count``."""
    rising = lw.builder.call("numpy.arange", count)
    powers = rising if increasing else item(lw, rising, REVERSED)
    return lw.builder.call("operator.pow", item(lw, x, COLUMN), powers)


@written_out(np.vander)
def _vander(lw: Lowering, node: Any, x: Entity, N: Entity = ABSENT, increasing: Entity = NO) -> Entity:
    column = _vector(lw, node, x, "np.vander")
    given = operand(lw, node, N)
    absent = isinstance(given, Const) and given.payload is None
    count = lw.builder.call("builtins.len", column) if absent else given
    return _powers(lw, column, count, literal(lw, node, increasing, "increasing"))


@written_out(np.polyfit)
def _polyfit(
    lw: Lowering,
    node: Any,
    x: Entity,
    y: Entity,
    deg: Entity,
    rcond: Entity = ABSENT,
    full: Entity = NO,
    w: Entity = ABSENT,
    cov: Entity = NO,
) -> Entity:
    if literal(lw, node, full, "full") or literal(lw, node, cov, "cov") or literal(lw, node, rcond, "rcond"):
        lw.refuse(node, "this call of np.polyfit", "its options are not written out", "a call without them")
    places, values = _vector(lw, node, x, "np.polyfit"), array(lw, node, y)
    degree = literal(lw, node, deg, "degree")
    if not isinstance(degree, int):
        lw.refuse(node, "np.polyfit of several degrees", "only a number is written out", "one degree")
    call = lw.builder.call
    matrix = _powers(lw, places, Const(degree + 1), False)
    if not (isinstance(w, Const) and w.payload is None):
        weights = operand(lw, node, w)
        columns = rank(lw, node, values, "np.polyfit") > 1
        matrix = call("operator.mul", matrix, item(lw, weights, COLUMN))
        values = call("operator.mul", values, item(lw, weights, COLUMN) if columns else weights)
    scale = call("numpy.linalg.norm", call("s2sad.runtime.stop_gradient", matrix), axis=0)
    single = dtype_of(places.kind) in ("float16", "float32")
    precision = float(np.finfo("float32" if single else "float64").eps)
    tolerance = call("operator.mul", call("builtins.len", places), precision)
    scaled = call("operator.truediv", matrix, scale)
    solved = item(lw, call("numpy.linalg.lstsq", scaled, values, tolerance), Const(0))
    if rank(lw, node, values, "np.polyfit") > 1:
        scale = item(lw, scale, COLUMN)
    return call("operator.truediv", solved, scale)


@written_out(np.correlate)
def _correlate(lw: Lowering, node: Any, a: Entity, v: Entity, mode: Entity = VALID) -> Entity:
    how = literal(lw, node, mode, "mode")
    if how == "same":
        lw.refuse(
            node,
            "np.correlate(mode='same')",
            "its middle depends on which vector is longer",
            "mode='full' and a slice",
        )
    other = item(lw, _vector(lw, node, v, "np.correlate"), REVERSED)
    if (dtype_of(array_kind(other.kind)) or "complex").startswith("complex"):
        other = lw.builder.call("numpy.conj", other)
    return lw.builder.call("numpy.convolve", _vector(lw, node, a, "np.correlate"), other, Const(how))


# --- numpy.polynomial.polynomial: the lowest power first


@written_out(polynomial.polyval)
def _polyval(lw: Lowering, node: Any, x: Entity, c: Entity, tensor: Entity = YES) -> Entity:
    return lw.builder.call("numpy.polyval", _turned(lw, node, c), operand(lw, node, x))


@written_out(polynomial.polyder)
def _polyder(
    lw: Lowering, node: Any, c: Entity, m: Entity = ONE, scl: Entity = ONE, axis: Entity = ZERO
) -> Entity:
    if literal(lw, node, scl, "scl") != 1:
        lw.refuse(node, "polyder(scl=...)", "the scale is not written out", "a product")
    found = lw.builder.call("numpy.polyder", _turned(lw, node, c), operand(lw, node, m))
    return item(lw, found, REVERSED)


def _turned(lw: Lowering, node: Any, c: Entity) -> Value:
    """Coefficients with the highest power first."""
    return item(lw, _vector(lw, node, c, "this function"), REVERSED)

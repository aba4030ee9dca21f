"""Polynomials and correlations, written out as powers, products and least squares.

np.vander(x, 3)                       x[:, None] ** [2, 1, 0]
np.polyfit(x, y, 2)                   the least squares solution with that matrix, whose columns are scaled
np.correlate(a, v)                    np.convolve(a, np.conj(v[::-1]), 'valid')
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import (
    Chebyshev,
    Hermite,
    HermiteE,
    Laguerre,
    Legendre,
    Polynomial,
    chebyshev,
    hermite,
    hermite_e,
    laguerre,
    legendre,
    polynomial,
)

from s2sad.frontend.entities import Aggregate, Entity, Known, Partial
from s2sad.frontend.lower import numpy_definitions as definitions
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.numpy_forms import (
    ABSENT,
    NO,
    ONE,
    TABLE,
    YES,
    ZERO,
    array,
    handler_of,
    item,
    literal,
    operand,
    rank,
    written_out,
)
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import Array, dtype_of
from s2sad.ir.nodes import Const, Value
from s2sad.rules.kind_arrays import array_kind

VALID = Const("valid")
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
        weights = array(lw, node, w)
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
        pair: list[Entity] = [_vector(lw, node, one, "np.correlate") for one in (a, v)]
        return apply(lw, Known(definitions.correlate_same), pair, {}, node)
    other = item(lw, _vector(lw, node, v, "np.correlate"), REVERSED)
    if (dtype_of(array_kind(other.kind)) or "complex").startswith("complex"):
        other = lw.builder.call("numpy.conj", other)
    return lw.builder.call("numpy.convolve", _vector(lw, node, a, "np.correlate"), other, Const(how))


@written_out(np.poly)
def _poly(lw: Lowering, node: Any, seq_of_zeros: Entity) -> Entity:
    value = array(lw, node, seq_of_zeros)
    if rank(lw, node, value, "np.poly") != 1:
        lw.refuse(node, "np.poly of a matrix", "its eigenvalues may be complex or not", "np.poly(np.linalg.eigvalsh(a))")
    if (dtype_of(array_kind(value.kind)) or "complex").startswith("complex"):
        lw.refuse(node, "np.poly of complex roots", "whether the result is real depends on them",
                  "np.polynomial.polynomial.polyfromroots(z)[::-1]")  # fmt: skip
    return apply(lw, Known(definitions.poly), [value], {}, node)


@written_out(np.polydiv)
def _polydiv(lw: Lowering, node: Any, u: Entity, v: Entity) -> Entity:
    pair: list[Entity] = [_vector(lw, node, one, "np.polydiv") for one in (u, v)]
    return apply(lw, Known(definitions.polydiv), pair, {}, node)


@written_out(np.poly1d)
def _poly1d(lw: Lowering, node: Any, c_or_r: Entity, r: Entity = NO, variable: Entity = ABSENT) -> Entity:
    """The function of the coefficients: what is asked of it besides its values is refused."""
    if literal(lw, node, r, "r"):
        lw.refuse(node, "np.poly1d of roots", "its coefficients are computed from them", "np.poly1d(np.poly(roots))")
    return Partial(Known(np.polyval, "numpy.polyval"), [_vector(lw, node, c_or_r, "np.poly1d")], {})


@written_out(np.kaiser)
def _kaiser(lw: Lowering, node: Any, M: Entity, beta: Entity) -> Entity:
    return apply(lw, Known(definitions.kaiser), [M, beta], {}, node)


@written_out(np.polyval)
def _of_rows(lw: Lowering, node: Any, p: Entity, x: Entity) -> Entity | None:
    """Of a matrix each row is a coefficient; a vector of coefficients has a rule."""
    coefficients = array_kind(lw.value(p, node).kind) if isinstance(p, Value | Aggregate) else None
    if not isinstance(coefficients, Array) or coefficients.shape is None or len(coefficients.shape) < 2:
        return None
    return apply(lw, Known(definitions.polyval_of_rows), [array(lw, node, p), operand(lw, node, x)], {}, node)


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


def _of_turned(function: Any) -> Any:
    """A function of two polynomials, called with the highest power first."""

    def write(lw: Lowering, node: Any, c1: Entity, c2: Entity) -> Entity:
        return item(lw, lw.builder.call(f"numpy.{function}", _turned(lw, node, c1), _turned(lw, node, c2)), REVERSED)

    return write


for _name in ("polyadd", "polysub", "polymul"):
    TABLE[getattr(polynomial, _name)] = handler_of(f"polynomial.{_name}", _of_turned(_name))


@written_out(polynomial.polyfromroots)
def _polyfromroots(lw: Lowering, node: Any, roots: Entity) -> Entity:
    found = apply(lw, Known(definitions.poly), [_vector(lw, node, roots, "polyfromroots")], {}, node)
    return item(lw, operand(lw, node, found), REVERSED)


@written_out(polynomial.polyvander)
def _polyvander(lw: Lowering, node: Any, x: Entity, deg: Entity) -> Entity:
    count = lw.builder.call("operator.add", operand(lw, node, deg), Const(1))
    return _powers(lw, _vector(lw, node, x, "polyvander"), count, True)


@written_out(polynomial.polyfit)
def _fitted(
    lw: Lowering,
    node: Any,
    x: Entity,
    y: Entity,
    deg: Entity,
    rcond: Entity = ABSENT,
    full: Entity = NO,
    w: Entity = ABSENT,
) -> Entity:
    found = _polyfit(lw, node, x, y, deg, rcond, full, w)
    return item(lw, operand(lw, node, found), REVERSED)


# --- series of orthogonal polynomials, and the objects that hold one


def _series(definition: Any) -> Any:
    def write(lw: Lowering, node: Any, x: Entity, c: Entity, tensor: Entity = YES) -> Entity:
        values: list[Entity] = [array(lw, node, x), _vector(lw, node, c, definition.__name__)]
        return apply(lw, Known(definition), values, {}, node)

    return write


def _object_of(function: Any) -> Any:
    """``Chebyshev(c)``, the function of its coefficients: what is asked of it besides its values is refused."""

    def write(lw: Lowering, node: Any, coef: Entity, domain: Entity = ABSENT, window: Entity = ABSENT) -> Entity:
        if any(not (isinstance(one, Const) and one.payload is None) for one in (domain, window)):
            lw.refuse(node, "a series with a domain", "its argument is mapped first", "the function on the mapped argument")
        return Partial(Known(function), [], {"c": _vector(lw, node, coef, "this series")})

    return write


TABLE[Polynomial] = handler_of("Polynomial", _object_of(polynomial.polyval))
for _module, _class, _definition in (
    (chebyshev, Chebyshev, definitions.chebval),
    (legendre, Legendre, definitions.legval),
    (laguerre, Laguerre, definitions.lagval),
    (hermite, Hermite, definitions.hermval),
    (hermite_e, HermiteE, definitions.hermeval),
):
    _function = getattr(_module, _definition.__name__)
    TABLE[_function] = handler_of(_definition.__name__, _series(_definition))
    TABLE[_class] = handler_of(_class.__name__, _object_of(_function))

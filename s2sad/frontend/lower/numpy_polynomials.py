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

from s2sad.frontend.entities import Entity, Partial, Static, Struct
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


def _vector(ctx: Lowering, node: Any, entity: Entity, function: str) -> Value:
    """An argument that must be a vector."""
    found = operand(ctx, node, entity)
    value = found if isinstance(found.kind, Array) else ctx.builder.call("numpy.asarray", found)
    if rank(ctx, node, value, function) != 1:
        ctx.refuse(node, f"{function} of this", "its argument is no vector", "a vector")
    return value


def _powers(ctx: Lowering, x: Value, count: Value, increasing: bool) -> Value:
    """A column for each power of ``x`` below ``count``."""
    rising = ctx.builder.call("numpy.arange", count)
    powers = rising if increasing else item(ctx, rising, REVERSED)
    return ctx.builder.call("operator.pow", item(ctx, x, COLUMN), powers)


@written_out(np.vander)
def _vander(ctx: Lowering, node: Any, x: Entity, N: Entity = ABSENT, increasing: Entity = NO) -> Entity:
    column = _vector(ctx, node, x, "np.vander")
    given = operand(ctx, node, N)
    absent = isinstance(given, Const) and given.payload is None
    count = ctx.builder.call("builtins.len", column) if absent else given
    return _powers(ctx, column, count, literal(ctx, node, increasing, "increasing"))


@written_out(np.polyfit)
def _polyfit(
    ctx: Lowering,
    node: Any,
    x: Entity,
    y: Entity,
    deg: Entity,
    rcond: Entity = ABSENT,
    full: Entity = NO,
    w: Entity = ABSENT,
    cov: Entity = NO,
) -> Entity:
    if literal(ctx, node, full, "full") or literal(ctx, node, cov, "cov") or literal(ctx, node, rcond, "rcond"):
        ctx.refuse(node, "this call of np.polyfit", "its options are not written out", "a call without them")
    places, values = _vector(ctx, node, x, "np.polyfit"), array(ctx, node, y)
    degree = literal(ctx, node, deg, "degree")
    if not isinstance(degree, int):
        ctx.refuse(node, "np.polyfit of several degrees", "only a number is written out", "one degree")
    call = ctx.builder.call
    matrix = _powers(ctx, places, Const(degree + 1), False)
    if not (isinstance(w, Const) and w.payload is None):
        weights = array(ctx, node, w)
        columns = rank(ctx, node, values, "np.polyfit") > 1
        matrix = call("operator.mul", matrix, item(ctx, weights, COLUMN))
        values = call("operator.mul", values, item(ctx, weights, COLUMN) if columns else weights)
    scale = call("numpy.linalg.norm", call("s2sad.runtime.stop_gradient", matrix), axis=0)
    single = dtype_of(places.kind) in ("float16", "float32")
    precision = float(np.finfo("float32" if single else "float64").eps)
    tolerance = call("operator.mul", call("builtins.len", places), precision)
    scaled = call("operator.truediv", matrix, scale)
    solved = item(ctx, call("numpy.linalg.lstsq", scaled, values, tolerance), Const(0))
    if rank(ctx, node, values, "np.polyfit") > 1:
        scale = item(ctx, scale, COLUMN)
    return call("operator.truediv", solved, scale)


@written_out(np.correlate)
def _correlate(ctx: Lowering, node: Any, a: Entity, v: Entity, mode: Entity = VALID) -> Entity:
    how = literal(ctx, node, mode, "mode")
    if how == "same":
        pair: list[Entity] = [_vector(ctx, node, one, "np.correlate") for one in (a, v)]
        return apply(ctx, Static(definitions.correlate_same), pair, {}, node)
    other = item(ctx, _vector(ctx, node, v, "np.correlate"), REVERSED)
    if (dtype_of(array_kind(other.kind)) or "complex").startswith("complex"):
        other = ctx.builder.call("numpy.conj", other)
    return ctx.builder.call("numpy.convolve", _vector(ctx, node, a, "np.correlate"), other, Const(how))


@written_out(np.poly)
def _poly(ctx: Lowering, node: Any, seq_of_zeros: Entity) -> Entity:
    value = array(ctx, node, seq_of_zeros)
    if rank(ctx, node, value, "np.poly") != 1:
        ctx.refuse(node, "np.poly of a matrix", "its eigenvalues may be complex or not", "np.poly(np.linalg.eigvalsh(a))")
    if (dtype_of(array_kind(value.kind)) or "complex").startswith("complex"):
        ctx.refuse(node, "np.poly of complex roots", "whether the result is real depends on them",
                  "np.polynomial.polynomial.polyfromroots(z)[::-1]")  # fmt: skip
    return apply(ctx, Static(definitions.poly), [value], {}, node)


@written_out(np.polydiv)
def _polydiv(ctx: Lowering, node: Any, u: Entity, v: Entity) -> Entity:
    pair: list[Entity] = [_vector(ctx, node, one, "np.polydiv") for one in (u, v)]
    return apply(ctx, Static(definitions.polydiv), pair, {}, node)


@written_out(np.poly1d)
def _poly1d(ctx: Lowering, node: Any, c_or_r: Entity, r: Entity = NO, variable: Entity = ABSENT) -> Entity:
    """The function of the coefficients: what is asked of it besides its values is refused."""
    if literal(ctx, node, r, "r"):
        ctx.refuse(node, "np.poly1d of roots", "its coefficients are computed from them", "np.poly1d(np.poly(roots))")
    return Partial(Static(np.polyval, "numpy.polyval"), [_vector(ctx, node, c_or_r, "np.poly1d")], {})


@written_out(np.kaiser)
def _kaiser(ctx: Lowering, node: Any, M: Entity, beta: Entity) -> Entity:
    return apply(ctx, Static(definitions.kaiser), [M, beta], {}, node)


@written_out(np.polyval)
def _of_rows(ctx: Lowering, node: Any, p: Entity, x: Entity) -> Entity | None:
    """Of a matrix each row is a coefficient; a vector of coefficients has a rule."""
    coefficients = array_kind(ctx.value(p, node).kind) if isinstance(p, Value | Struct) else None
    if not isinstance(coefficients, Array) or coefficients.shape is None or len(coefficients.shape) < 2:
        return None
    return apply(ctx, Static(definitions.polyval_of_rows), [array(ctx, node, p), operand(ctx, node, x)], {}, node)


# --- numpy.polynomial.polynomial: the lowest power first


@written_out(polynomial.polyval)
def _polyval(ctx: Lowering, node: Any, x: Entity, c: Entity, tensor: Entity = YES) -> Entity:
    return ctx.builder.call("numpy.polyval", _turned(ctx, node, c), operand(ctx, node, x))


@written_out(polynomial.polyder)
def _polyder(
    ctx: Lowering, node: Any, c: Entity, m: Entity = ONE, scl: Entity = ONE, axis: Entity = ZERO
) -> Entity:
    if literal(ctx, node, scl, "scl") != 1:
        ctx.refuse(node, "polyder(scl=...)", "the scale is not written out", "a product")
    found = ctx.builder.call("numpy.polyder", _turned(ctx, node, c), operand(ctx, node, m))
    return item(ctx, found, REVERSED)


def _turned(ctx: Lowering, node: Any, c: Entity) -> Value:
    """Coefficients with the highest power first."""
    return item(ctx, _vector(ctx, node, c, "this function"), REVERSED)


def _of_turned(function: Any) -> Any:
    """A function of two polynomials, called with the highest power first."""

    def write(ctx: Lowering, node: Any, c1: Entity, c2: Entity) -> Entity:
        return item(ctx, ctx.builder.call(f"numpy.{function}", _turned(ctx, node, c1), _turned(ctx, node, c2)), REVERSED)

    return write


for _name in ("polyadd", "polysub", "polymul"):
    TABLE[getattr(polynomial, _name)] = handler_of(f"polynomial.{_name}", _of_turned(_name))


@written_out(polynomial.polyfromroots)
def _polyfromroots(ctx: Lowering, node: Any, roots: Entity) -> Entity:
    found = apply(ctx, Static(definitions.poly), [_vector(ctx, node, roots, "polyfromroots")], {}, node)
    return item(ctx, operand(ctx, node, found), REVERSED)


@written_out(polynomial.polyvander)
def _polyvander(ctx: Lowering, node: Any, x: Entity, deg: Entity) -> Entity:
    count = ctx.builder.call("operator.add", operand(ctx, node, deg), Const(1))
    return _powers(ctx, _vector(ctx, node, x, "polyvander"), count, True)


@written_out(polynomial.polyfit)
def _fitted(
    ctx: Lowering,
    node: Any,
    x: Entity,
    y: Entity,
    deg: Entity,
    rcond: Entity = ABSENT,
    full: Entity = NO,
    w: Entity = ABSENT,
) -> Entity:
    found = _polyfit(ctx, node, x, y, deg, rcond, full, w)
    return item(ctx, operand(ctx, node, found), REVERSED)


# --- series of orthogonal polynomials, and the objects that hold one


def _series(definition: Any) -> Any:
    def write(ctx: Lowering, node: Any, x: Entity, c: Entity, tensor: Entity = YES) -> Entity:
        values: list[Entity] = [array(ctx, node, x), _vector(ctx, node, c, definition.__name__)]
        return apply(ctx, Static(definition), values, {}, node)

    return write


def _object_of(function: Any) -> Any:
    """``Chebyshev(c)``, the function of its coefficients: what is asked of it besides its values is refused."""

    def write(ctx: Lowering, node: Any, coef: Entity, domain: Entity = ABSENT, window: Entity = ABSENT) -> Entity:
        if any(not (isinstance(one, Const) and one.payload is None) for one in (domain, window)):
            ctx.refuse(node, "a series with a domain", "its argument is mapped first", "the function on the mapped argument")
        return Partial(Static(function), [], {"c": _vector(ctx, node, coef, "this series")})

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

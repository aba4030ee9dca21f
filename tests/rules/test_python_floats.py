"""Derivatives at Python's own floats: where Python's quotients and powers raise, slopes are infinite, as NumPy has them."""

from __future__ import annotations

import ast
import math
import operator
import warnings
from typing import Any

import numpy as np
import pytest
from interpreter import function_named
from test_exact_slopes import TABLE, program

from s2sad import grad, hessian, jvp, vjp
from s2sad.rules import registry
from s2sad.rules.language import CallFormula

FAR = [
    ("np.arctan(x)", 1e200, 0.0), ("np.arctan(x)", -1e308, 0.0), ("sp.erf(x)", 1e200, 0.0), ("sp.erfc(x)", 1e200, 0.0),
    ("sp.erfi(x)", 1e200, math.inf), ("sp.ndtr(x)", -1e200, 0.0), ("sp.stdtr(3.0, x)", 1e200, 0.0),
    ("sp.owens_t(x, 0.5)", 1e200, 0.0),
    ("sp.exprel(x)", 1e200, math.inf), ("sp.exprel(x)", math.inf, math.inf), ("math.lgamma(x)", 1e200, 460.51701859880916),
    ("sp.boxcox(2.0, x)", -1e200, 0.0), ("sp.boxcox(x, 1e200)", 1.0, 1.0),
    ("sp.voigt_profile(2.0, 0.0, x)", 1.0, 0.03819718634205488),
    ("sp.voigt_profile(x, 0.0, 2.0)", 1.0, -0.05092958178940651), ("sp.voigt_profile(1.0, x, 2.0)", 0.0, 0.0),
    ("sp.agm(x, 1e-160)", 1.0, 0.004236206107902779), ("sp.agm(1e-300, x)", 1.0, 0.002266127472157885),
    ("sp.elliprd(x, 1.0, 1.0)", 0.0, -math.inf), ("sp.elliprj(1.0, x, 1.0, 1.0)", 0.0, -math.inf),
    ("sp.elliprj(0.0, 1.0, 1.0, x)", 0.0, math.nan), ("sp.elliprj(1.0, 2.0, 3.0, x)", -1.0, 0.32325287231866756),
    ("math.lgamma(x)", math.inf, math.inf), ("np.remainder(x, 0.0 * x)", 2.0, math.nan),
]  # fmt: skip


def slopes(text: str, place: float) -> list[Any]:
    """The derivative at a place by both modes."""
    f = program(text)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return [grad(f)(place), jvp(f, (place,), (1.0,))[1]]


@pytest.mark.parametrize(("text", "place", "slope"), FAR)
def test_far_out(text: str, place: float, slope: float) -> None:
    np.testing.assert_allclose(slopes(text, place), slope, rtol=1e-12, atol=1e-300)


POLES = [
    ("math.sqrt(x)", 0.0), ("math.cbrt(x)", 0.0), ("x ** 0.5", 0.0), ("x ** 0.3", 0.0), ("math.pow(x, 0.3)", 0.0),
    ("x ** -2", 1e-150), ("x ** -1.5", 1e-160), ("pow(x, -0.5)", 1e-250), ("x ** -1", -1e-200), ("math.asin(x)", 1.0),
    ("-math.acos(x)", -1.0), ("math.acosh(x)", 1.0), ("np.sqrt(x)", 0.0), ("np.log(x)", 0.0), ("np.log1p(x)", -1.0),
    ("np.arctanh(x)", 1.0), ("sp.xlogy(1.0, x)", 0.0), ("sp.cbrt(x)", 0.0), ("sp.spence(x)", 0.0),
    ("sp.ellipe(x)", 1.0), ("sp.expn(2, x)", 0.0), ("sp.gammaincinv(2.0, x)", 0.0), ("sp.gammainccinv(2.0, x)", 1.0),
    ("sp.betaincinv(1.5, 2.5, x)", 0.0), ("sp.powm1(x, 0.5)", 0.0), ("math.log(x, 0.7) * -1", 5e-324),
]  # fmt: skip


@pytest.mark.parametrize(("text", "place"), POLES)
def test_slopes_at_poles_are_infinite_and_what_is_zero_contributes_nothing(text: str, place: float) -> None:
    assert np.isinf(slopes(text, place)).all()
    f = program(text)
    with np.errstate(all="ignore"):
        assert vjp(f, place)[1](0.0)[0] == 0
        assert jvp(f, (place,), (0.0,))[1] == 0


def test_a_power_of_zero_has_no_slope_however_small_the_base() -> None:
    def power(x, k):
        return x**k

    for tiny in (5e-324, np.float64(5e-324)):
        assert grad(power)(tiny, 0.0) == 0.0
        assert jvp(power, (tiny, 0.0), (1.0, 0.0))[1] == 0.0


@pytest.mark.parametrize("order", ["x ** 1.5", "math.sqrt(x) ** 3", "math.lgamma(x)"])
def test_second_order_at_the_edge_raises_nothing(order: str) -> None:
    f = program(order)
    with np.errstate(all="ignore"):
        place = 1e-200 if "gamma" in order else 0.0
        assert not np.isfinite(grad(grad(f))(place))
        assert not np.isfinite(jvp(grad(f), (place,), (1.0,))[1])


def computed(x: float, y: float) -> float:
    """A power whose exponent is computed."""
    return x**y


def test_powers_with_computed_exponents() -> None:
    for y in (0.3, 0.5, -0.7, -2.0):
        place = 0.0 if y > 0 else 5e-310 if y == -0.7 else 1e-150
        with np.errstate(all="ignore"):
            value, pullback = vjp(computed, place, y)
            assert np.isfinite(value) and abs(pullback(1.0)[0]) == math.inf, y
            assert pullback(0.0)[0] == 0 or y < 0, y


def test_functions_of_pythons_own_refuse_the_zero_that_their_slope_divides_by() -> None:
    """So such a slope is a plain quotient (``rules/application.py``)."""
    found = set()
    for name, primitive in registry.all_primitives().items():
        for spec in getattr(primitive.derivative, "partials", {}).values():
            formulas = spec.formulas.values() if isinstance(spec, CallFormula) else [spec]
            divisors = {n.right.id for f in formulas for n in ast.walk(f.tree) if isinstance(n, ast.BinOp)
                        and isinstance(n.op, ast.Div) and isinstance(n.right, ast.Name)}  # fmt: skip
            names = [p for p, _, _ in primitive.parameters]
            if name.startswith(("math.", "cmath.", "operator.")):
                found |= {(name, names.index(p)) for p in divisors & set(names)}
    assert {("operator.truediv", 1), ("math.log", 0), ("math.log2", 0)} <= found
    for name, place in found - {(power, 0) for power in ("operator.pow", "math.pow", "builtins.pow")}:
        arguments = [0.7, 0.7][: max(place + 1, 1)]
        arguments[place] = 0.0
        with pytest.raises((ZeroDivisionError, ValueError)):
            function_named(name)(*arguments)
    for power in (operator.pow, math.pow, pow):  # their slope divides by the base where the exponent is negative
        with pytest.raises((ZeroDivisionError, ValueError)):
            power(0.0, -0.5)


def quotient(a: Any, b: float) -> Any:
    """NumPy divides by a zero of Python's."""
    return np.sum(a) / b


def test_directions_of_numpy_numbers_are_divided_by_pythons_zero() -> None:
    with np.errstate(all="ignore"):
        for a in (np.float64(2.0), np.array([0.5, 1.5])):
            value, dot = jvp(quotient, (a, 0.0), (np.ones_like(a).tolist() if a.ndim == 0 else a, 1.0))
            assert value == math.inf
            assert np.isnan(dot)
            assert not np.isfinite(np.concatenate(hessian(quotient, wrt=("b",))(a, 0.0), axis=None)).any()
            both = hessian(quotient, wrt=("a", "b"))(a, 0.0)
            assert not np.any(both[0][0])
            assert np.all(both[0][1] == -math.inf)


def test_means_of_nothing_and_variances_of_too_few() -> None:
    def mean(x):
        return np.mean(x)

    def spread(x, lost):
        return np.var(x, ddof=lost)

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for shape in ((0,), (0, 3), (3, 0)):
            assert grad(mean)(np.zeros(shape)).shape == shape
        for lost in (2, 3):  # NumPy divides by 0 where fewer are left, too
            assert np.isinf(grad(spread)(np.array([1.0, 2.0]), lost)).all()
            assert np.isinf(jvp(spread, (np.array([1.0, 2.0]), lost), (np.array([1.0, 0.0]), None))[1])
        assert np.isnan(grad(spread)(np.array([1.0]), 1)).all()


@pytest.mark.deep
@pytest.mark.parametrize("text", TABLE)
def test_exact_slopes_at_pythons_floats(text: str) -> None:
    for place, slope in TABLE[text]:
        np.testing.assert_allclose(slopes(text, place), slope, rtol=1e-12, atol=0)

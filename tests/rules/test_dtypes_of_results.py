"""The dtypes, and the values, of what derived programs compute from integers and from numbers of single precision."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sampling import loaded

import s2sad

CALLS = """
np.poly(k)
np.modf(k)
np.nanmax(k, where=W, initial=0)
np.nanmin(k, where=W, initial=9)
np.nanmax(k, initial=0)
np.nansum(k, where=W)
np.nanprod(k, where=W)
np.nanmean(k, where=W)
np.nanmean(k, axis=0, keepdims=True, where=W)
np.nanmean(k, where=True)
np.nansum(k, dtype=np.float32)
np.polynomial.Polynomial(k)(k)
np.polynomial.Polynomial(k)(2)
np.polynomial.Polynomial(k)([1, 2])
np.polynomial.Chebyshev(k)(k)
np.polynomial.Legendre(k)(k)
np.polynomial.Hermite(k)(k)
np.polynomial.Laguerre(k)(k)
np.polynomial.HermiteE(k)(k)
np.polynomial.polynomial.polyval(k, k)
np.polynomial.polynomial.polyder(k)
np.polynomial.polynomial.polymul(k, k)
np.polynomial.polynomial.polyadd(k, k)
np.polynomial.polynomial.polyfromroots(k)
np.polynomial.polynomial.polyvander(k, 2)
np.polynomial.chebyshev.chebval(k, k)
np.divmod(k, 2)
np.frexp(k)
""".strip().splitlines()
DTYPES = ["int64", "int8", "uint8", "float32", "float64", "bool", "complex64"]


def described(found: Any) -> Any:
    """Dtypes, of several results of each."""
    return [described(part) for part in found] if isinstance(found, (tuple, list)) else found.dtype.name


@pytest.mark.parametrize("call", CALLS)
def test_results_are_as_in_the_plain_call(call: str) -> None:
    f = loaded(f"<dtype of {call}>", f"def f(x, k):\n    return {call}\n", np=np, W=np.array([True, False, True]))["f"]
    for dtype in DTYPES:
        k = np.array([1, 2, 30]).astype(dtype)
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                expected = f(1.0, k)
            except (TypeError, ValueError):  # of truths
                continue
            try:
                found, _ = s2sad.jvp(f, (1.0, k), (1.0, None if dtype[0] in "iub" else np.zeros_like(k)))
            except s2sad.UnsupportedSyntaxError as refused:
                assert dtype == "complex64", refused
                continue
        assert described(found) == described(expected), dtype
        for a, b in zip(np.atleast_1d(found), np.atleast_1d(expected), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-3, err_msg=dtype)


@pytest.mark.parametrize("name", ["nansum", "nanmean", "nanprod", "nancumsum", "sum", "mean", "prod", "var", "cumsum"])
def test_a_gradient_has_the_dtype_of_its_argument(name: str) -> None:
    f = loaded(f"<narrow {name}>", f"def f(x):\n    return np.{name}(x, dtype=np.float32)\n", np=np)["f"]
    for dtype in (np.float32, np.float64):
        value, pull = s2sad.vjp(f, np.array([0.5, 1.5, 2.5], dtype))
        assert value.dtype == np.float32
        assert pull(np.ones_like(value))[0].dtype == dtype


FITS = """
np.polyfit(x, [1.0, 2.0], 3)
np.polyfit([0.5, 1.5], x, 3)
np.polynomial.polynomial.polyfit(x, [1.0, 2.0], 2)
np.polyfit(x, [1.0, 2.0], 1)
np.polyfit(x, [1.0, 2.0], 3, w=[2.0, 0.5])
np.polyfit(np.append(x, [2.0, 3.0]), [1.0, 2.0, 0.5, 0.7], 2, w=[2.0, 0.0, 0.0, 1.0])
""".strip().splitlines()


@pytest.mark.filterwarnings("ignore:.*poorly conditioned")
@pytest.mark.parametrize("call", FITS)
def test_a_fit_with_fewer_points_than_coefficients(call: str) -> None:
    text = f"def f(x):\n    return np.sum({call} * np.arange(1.0, 1.0 + len({call})))\n"
    f = loaded(f"<fit {call}>", text, np=np)["f"]
    x, direction = np.array([0.5, 1.4]), np.array([0.3, -0.8])
    expected = (f(x + 1e-6 * direction) - f(x - 1e-6 * direction)) / 2e-6
    assert s2sad.grad(f)(x) @ direction == pytest.approx(expected, rel=1e-5)
    assert s2sad.jvp(f, (x,), (direction,))[1] == pytest.approx(expected, rel=1e-5)

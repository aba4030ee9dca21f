"""Functions of SciPy that drop the fraction of an order, with a warning: their derivatives do, too."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest
from scipy import special

from s2sad import UnsupportedSyntaxError, grad, jvp, vjp

CASES: dict[str, tuple[Callable[[float], float], float]] = {
    "expn": (lambda x: special.expn(0.35, x), 0.7), "expn below 2": (lambda x: special.expn(1.6, x), 0.7),
    "kn": (lambda x: special.kn(1.35, x), 0.7), "yn": (lambda x: special.yn(1.35, x), 0.7),
    "pdtri": (lambda y: special.pdtri(1.35, y), 0.3), "bdtr": (lambda p: special.bdtr(1.35, 4.0, p), 0.3),
    "bdtrc": (lambda p: special.bdtrc(1.35, 4.0, p), 0.3), "nbdtr": (lambda p: special.nbdtr(1.35, 2.0, p), 0.3),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_orders(name: str) -> None:
    f, x = CASES[name]
    h = 1e-5 * x
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        slope = (8 * (f(x + h) - f(x - h)) - (f(x + 2 * h) - f(x - 2 * h))) / (12 * h)
        np.testing.assert_allclose([grad(f)(x), jvp(f, (x,), (1.0,))[1]], slope, rtol=1e-8)


@pytest.mark.parametrize("x", [-0.6, -0.5, 0.5, 0.7])
def test_tukey_outside_of_its_support(x: float) -> None:
    assert grad(lambda x: special.tklmbda(x, 2.0))(x) == 0.0 == grad(lambda s: special.tklmbda(x, s))(2.0)
    assert jvp(lambda x: special.tklmbda(x, 2.0), (x,), (1.0,))[1] == 0.0


def test_differences_of_short_arrays() -> None:
    x = np.array([1.0, 2.0])
    value, pullback = vjp(lambda x: np.diff(x, n=2), np.array([1.0, 2.0, 4.0]))
    np.testing.assert_array_equal(pullback(np.ones(1))[0], [1.0, -2.0, 1.0])
    assert jvp(lambda x: np.diff(x, n=3), (x,), (x,))[1].shape == (0,)
    np.testing.assert_array_equal(vjp(lambda x: np.diff(x, n=3), x)[1](np.zeros(0))[0], [0.0, 0.0])
    with pytest.raises(UnsupportedSyntaxError, match="n=4"):
        vjp(lambda x: np.diff(x, n=4, prepend=1.0), x)[1](np.zeros(0))

"""Slopes with all their digits, also where the function has lost them."""

from __future__ import annotations

from decimal import Decimal, localcontext

import numpy as np
import pytest

from s2sad import grad
from s2sad.runtime import sech2


def exact(x: float) -> float:
    """``4 / (exp(x) + exp(-x)) ** 2`` in 60 digits."""
    with localcontext() as context:
        context.prec = 60
        e = Decimal(x).exp()
        return float((2 / (e + 1 / e)) ** 2)


POINTS = np.concatenate((np.linspace(-30.0, 30.0, 241), [1e-9, 14.0, -14.0, 100.0, 300.0, -340.0]))


def test_the_slope_of_tanh_has_all_digits() -> None:
    expected = [exact(x) for x in POINTS]
    np.testing.assert_allclose(sech2(POINTS), expected, rtol=4e-15)
    np.testing.assert_allclose([sech2(float(x)) for x in POINTS], expected, rtol=4e-15)
    np.testing.assert_allclose(grad(lambda x: np.sum(np.tanh(x)))(POINTS), expected, rtol=4e-15)


@pytest.mark.parametrize("shape", [(3,), (2, 2), (0,), ()])
def test_shapes_and_dtypes_are_those_of_the_argument(shape: tuple[int, ...]) -> None:
    for dtype in (np.float64, np.float32, np.complex128):
        x = np.full(shape, 0.5, dtype)
        assert np.shape(sech2(x)) == shape and sech2(x).dtype == dtype
        np.testing.assert_array_equal(x, np.full(shape, 0.5, dtype))


def test_far_out_it_vanishes_without_a_warning() -> None:
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        found = sech2(np.array([370.0, -380.0, 400.0, 711.0, 1e308, np.inf, -np.inf, np.nan]))
    np.testing.assert_array_equal(found[1:], [0.0] * 6 + [np.nan])
    assert 0.0 < found[0] < 1e-320

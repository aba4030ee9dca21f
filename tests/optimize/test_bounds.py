"""What has a lower bound, and that only such square roots lose the guard of their slope."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import differentiate, grad, jvp
from s2sad.testing import check_grads


def one_plus_square(x, w):
    return np.sum(w * (np.sqrt(1.0 + x * x)))


def even_power(x, w):
    return np.sum(w * (np.sqrt(0.25 + x**2 + x**4)))


def sum_of_squares(x, w):
    return np.sum(w * np.sqrt(1e-3 + np.sum(x**2)))


def exponential(x, w):
    return np.sum(w * (np.sqrt(np.exp(x) * 2.0 + 3)))


def scaled_root(x, w):
    return np.sum(w * (np.sqrt(2.0 * np.sqrt(1.0 + x * x))))


def product(x, w):
    return np.sum(w * (np.sqrt((1.0 + np.square(x)) * (2.0 + x * x))))


def bare_square(x, w):
    return np.sum(w * (np.sqrt(x * x)))


def odd_power(x, w):
    return np.sum(w * (np.sqrt(1.0 + x**3)))


def below_zero(x, w):
    return np.sum(w * (np.sqrt(-1.0 + np.exp(x * x))))


def written(x, w):
    y = 1.0 + x * x
    y[0] = x[0]
    return np.sum(w * (np.sqrt(y)))


def written_through_a_window(x, w):
    y = 1.0 + x * x
    y[:2] -= 1.0
    return np.sum(w * (np.sqrt(y)))


def another_factor(x, w):
    return np.sum(w * (np.sqrt(1.0 + x * x[::-1])))


BOUNDED = [one_plus_square, even_power, sum_of_squares, exponential, scaled_root, product]
UNBOUNDED = [bare_square, odd_power, below_zero, written, written_through_a_window, another_factor]
X = np.array([0.0, 0.5, 1.5])


@pytest.mark.parametrize("function", BOUNDED + UNBOUNDED)
def test_roots_of_what_is_positive_need_no_guard(function):
    text = "".join(differentiate(function).source(mode, X, X) for mode in ("adjoint", "tangent"))
    assert ("strong_zero" in text) == (function in UNBOUNDED)
    if function in BOUNDED:
        check_grads(function, (X, np.array([1.0, 0.0, -2.0])), wrt=0, order=2)
    else:  # an infinite slope (or a NaN) where the weight is zero contributes nothing
        with np.errstate(all="ignore"):
            value = np.array([function(X, unit) for unit in np.eye(3)])
            w = np.where(np.isfinite(value) & (value > 0), 1.0, 0.0)
            assert np.all(np.isfinite(grad(function)(X, w)))
            assert np.isfinite(jvp(function, (X, w), (np.where(w == 0, 0.0, 1.0), np.zeros(3)))[1])

"""Dtypes that depend on the path, or are None on one: the call of the library is made with each."""

import numpy as np
import pytest

from s2sad import check_grads, grad

X, ITEMS = np.array([0.5, 2.0]), [0.5, 2.0]


def default_or_none(v, c, dtype=np.float64):
    dt = dtype
    if c > 1.0:
        dt = None
    return np.sum(np.array(v, dtype=dt) ** 3) * c


def none_or_given(v, c, dtype=None):
    dt = dtype
    if c > 1.0:
        dt = np.float64
    return np.sum(np.zeros(2, dtype=dt) + np.asarray(v, dt) ** 3) * c


def one_of_two(v, c):
    dt = np.float64 if c > 1.0 else float
    return np.sum(np.array(v, dtype=dt) ** 3) * c


def one_of_two_or_none(v, c):
    dt = None
    if c > 1.0:
        dt = float
    if c > 2.0:
        dt = np.float64
    return np.sum(np.array(v, dtype=dt).reshape(1, -1) ** 3) * c


def in_a_helper(v, c):
    return default_or_none(v, c) + one_of_two(v, c)


def from_the_second_turn_on(v, c):
    dt, w = None, np.zeros(2)
    for _ in range(3):
        w = w + np.array(v, dtype=dt) ** 3
        dt = np.float64
    return np.sum(w) * c


PROGRAMS = (default_or_none, none_or_given, one_of_two, one_of_two_or_none, in_a_helper, from_the_second_turn_on)


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("c", [0.5, 1.5, 2.5])
@pytest.mark.parametrize("v", [X, ITEMS], ids=["array", "list"])
def test_each_path(f, c, v):
    check_grads(f, (v, c), order=2 if v is X else 1)


def test_the_dtype_is_that_of_the_path():
    def f(v, c):
        dt = np.float32 if c > 1.0 else None
        made = np.array(v, dtype=dt)
        return np.sum(made) if made.dtype == np.float32 else np.sum(made**2)

    np.testing.assert_allclose(grad(f)(X, 0.5), 2 * X)
    np.testing.assert_allclose(grad(f)(X, 1.5), 1.0)

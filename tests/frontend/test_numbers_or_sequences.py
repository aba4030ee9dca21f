"""Programs that take a number or several: ``np.isscalar(x)`` and ``np.iterable(x)`` are answered before the program runs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import grad, hvp, jvp


def by_isscalar(x):
    if np.isscalar(x):
        x = [x]
    return sum(math.exp(-v) for v in x)


def by_isscalar_as_array(x):
    if np.isscalar(x):
        x = np.array([x])
    return np.sum(np.exp(-np.asarray(x)))


def by_isscalar_and_return(x):
    if np.isscalar(x):
        return math.exp(-x)
    return sum(math.exp(-v) for v in x)


def by_iterable(x):
    if not np.iterable(x):
        x = [x]
    return sum(math.exp(-v) for v in x)


@pytest.mark.parametrize("x", [0.7, np.float64(0.7), [0.7, 0.2], (0.7, 0.2), np.array([0.7, 0.2])], ids=repr)
@pytest.mark.parametrize("function", [by_isscalar, by_isscalar_as_array, by_isscalar_and_return, by_iterable])
def test_derivatives(function: Callable[..., Any], x: Any) -> None:
    slope = -np.exp(-np.asarray(x))
    np.testing.assert_allclose(grad(function)(x), slope)
    np.testing.assert_allclose(jvp(function, (x,), (x,))[1], np.sum(slope * np.asarray(x)))
    np.testing.assert_allclose(hvp(function, (x,), (x,))[1], -slope * np.asarray(x))


def answers(x, name, nothing, array):
    found = [np.isscalar(v) for v in (x, name, nothing, array, [x], (x, x), {"a": x}["a"])]
    found += [np.iterable(v) for v in (x, name, nothing, array, [x], (x, x))]
    return x * sum(2**k for k, one in enumerate(found) if one)


@pytest.mark.parametrize("array", [np.ones(2), np.array(1.0), np.ones((2, 2))], ids=["vector", "no axes", "matrix"])
def test_answers(array: Any) -> None:
    given = (1.0, "name", None, array)
    assert grad(answers)(*given) == answers(*given)

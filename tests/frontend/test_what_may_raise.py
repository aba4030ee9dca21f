"""Try statements around what certainly raises, or certainly does not: one path is left, and nothing has to be merged."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import grad, jvp


def length_or_one(x):
    try:
        n = len(x)
    except TypeError:
        n = 1
        x = [x]
    return x[0] ** 2 * n


def told_by_the_exception(x):
    try:
        len(x)
    except TypeError as error:
        return x**3 + len(str(error)) * x
    else:
        return x[0] ** 3


def shape_or_number(x):
    try:
        count = x.shape[0]
    except (AttributeError, IndexError):
        x, count = np.array([x, 2 * x]), 2
    return np.sum(x**2) / count


POINTS: dict[str, Any] = {
    "float": 0.7,
    "NumPy's number": np.float64(0.7),
    "array without axes": np.array(0.7),
    "vector": np.array([0.7, 1.2]),
    "list": [0.7, 1.2],
}


def _at(x: Any, h: float) -> Any:
    if isinstance(x, list):
        return [x[0] + h, *x[1:]]
    if isinstance(x, np.ndarray):
        return np.array([x[0] + h, x[1]]) if x.ndim else np.array(x + h)
    return x + h


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("program", [length_or_one, told_by_the_exception, shape_or_number], ids=lambda f: f.__name__)
def test_of_numbers_arrays_and_lists(program: Callable[[Any], Any], point: str) -> None:
    x = POINTS[point]
    if program is shape_or_number and isinstance(x, list):
        return
    difference = (program(_at(x, 1e-6)) - program(_at(x, -1e-6))) / 2e-6
    found = grad(program)(x)
    first = found if np.ndim(x) == 0 else found[0]
    np.testing.assert_allclose(first, difference, rtol=1e-6)
    dot = [1.0, 0.0] if isinstance(x, list) else np.array([1.0, 0.0]) if np.ndim(x) else 1.0
    np.testing.assert_allclose(jvp(program, (x,), (dot,))[1], difference, rtol=1e-6)


def told_to_raise(x):
    with np.errstate(over="raise"):
        try:
            y = x * 1e200
        except FloatingPointError:
            y = 3.0 * x
    return y * 2.0


def test_numpy_may_be_told_to_raise() -> None:
    assert grad(told_to_raise)(np.float64(1e200)) == 6.0
    assert grad(told_to_raise)(np.float64(1.0)) == 2e200
    assert grad(told_to_raise)(1e200) == 2e200  # Python's numbers become infinite


def test_an_exact_sum_of_what_an_iterator_gives() -> None:
    x = np.array([0.4, 0.7])
    np.testing.assert_allclose(grad(lambda x: math.fsum(v * v for v in x))(x), 2 * x)
    np.testing.assert_allclose(grad(lambda x: math.fsum(map(math.sin, x)))(x), np.cos(x))

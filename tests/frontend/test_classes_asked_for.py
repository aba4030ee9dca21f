"""``type(x)`` of numbers, arrays, lists and tuples: a branch on it is decided, and a call of it followed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import S2sadError, check_grads, grad, hvp, jvp


def scaled_rows(x):
    rows = [[x[0], 2.0], [x[1] * x[0], x[1]]]
    if type(rows[0]) is list or isinstance(rows[0], np.ndarray) and rows[0].ndim == 2:
        rows = [[3.0 * v for v in row] for row in rows]
        return rows[1][0] * rows[0][0]
    return rows[0] * rows[1]


def of_a_tuple(x):
    pair = (x[0], x[1])
    if type(pair) != tuple:  # noqa: E721
        return pair * x[0]
    return pair[0] * pair[1] * pair[1]


def among_several(x):
    row = [x[0], x[1]]
    if type(row) not in (list, tuple):
        return row * x
    return row[0] ** 3 * row[1] if type(x) in [np.ndarray, float] else row + x


def of_numbers(x):
    a, b = float(x[0]), x[1]
    if type(a) is float and type(b) is np.float64:
        return a * a * np.sin(b)
    return a[0] * b[0]


def like_another(x):
    row = [x[0] * x[1], x[1]]
    same = type(row)(v * v for v in row)
    return same[0] * type(x[0])(3.0) if type(same) == type(row) else same * 2  # noqa: E721


def nothing_or_a_number(x, limit=None):
    if type(limit) is type(None):
        return x[0] * x[1]
    return x[0] * limit[0]


def of_an_array(x):
    y = np.outer(x, x)
    return np.sum(y**2) if type(y) is np.ndarray else y.nothing


def of_a_list_of_unknown_length(x):
    rows = []
    for k in range(len(x)):
        rows.append(x[k] * x[0])
    total = 0.0
    for v in rows:
        total = total + v * v
    return total if type(rows) is list else rows * x


PROGRAMS = [
    scaled_rows, of_a_tuple, among_several, of_numbers, like_another, nothing_or_a_number, of_an_array,
    of_a_list_of_unknown_length,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_in_both_modes(program: Callable[..., Any]) -> None:
    x, v = np.array([0.7, 1.3]), np.array([0.4, -0.9])
    assert np.isclose(jvp(program, (x,), (v,))[0], program(x))
    check_grads(program, (x,))
    step = 1e-5
    bent = (grad(program)(x + step * v) - grad(program)(x - step * v)) / (2 * step)
    assert np.allclose(hvp(program, (x,), (v,))[1], bent, rtol=1e-7)


def test_each_kind_has_its_own_program() -> None:
    def f(x):
        if type(x) is float:
            return x * x
        if type(x) is np.float64:
            return 3.0 * x
        return x[0] * 5.0

    assert grad(f)(2.0) == 4.0
    assert grad(f)(np.float64(2.0)) == 3.0
    assert list(grad(f)([2.0, 1.0])) == [5.0, 0.0]
    assert list(grad(f)(np.array([2.0, 1.0]))) == [5.0, 0.0]


class OfItsOwn(type):
    def __eq__(cls, other):
        return True

    def __hash__(cls):
        return 1


class Odd(metaclass=OfItsOwn):
    pass


def test_classes_that_say_what_is_equal() -> None:
    def f(x):
        return x * x if type(x) in (Odd, list) else x

    with pytest.raises(S2sadError, match="comparing these classes"):
        grad(f)(2.0)

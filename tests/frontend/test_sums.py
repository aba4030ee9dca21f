"""``sum`` starts at 0 and ``math.prod`` at 1: it tells of booleans, of integers added to 0.0, and of a single array."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, jvp

A = np.array([1.0, 2.0, -1.0, 3.0])


def of_a_tuple(a):
    return sum((a[0] > 0, a[1] > 0)) * a[0]


def of_masks(a):
    return sum([a > 0, a < 2.5]) @ a


def from_one(a):
    return sum([np.isfinite(a[0]), a[1] > 1], 1) * a[0]


def of_values(a):
    d = {"a": a[0] > 0, "b": a[1] > 0}
    return sum(d.values()) * a[0] + sum(v > 0.5 for v in (a[0], a[1]))


def product(a):
    return (math.prod([a[0] > 0, a[1] > 1]) + (a[2] < 0)) * a[0]


def from_a_float(a):
    return sum([1, 2], 0.0) / 2 * a[0]


def reduced(a):
    tests = [a[0] > 0, a[1] > 0]
    return functools.reduce(operator.add, tests) * a[0] + functools.reduce(operator.add, tests, 0) * a[1]


PROGRAMS = [of_a_tuple, of_masks, from_one, of_values, product, from_a_float, reduced]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_derivatives(f: Callable[..., Any]) -> None:
    assert jvp(f, (A,), (A,))[0] == f(A)
    check_grads(f, (A,))


def test_class_of_the_value() -> None:
    def f(s):
        return s, sum([s > 0.0]), sum([1, 2], 0.0), math.prod([s > 0.0])

    for s in (0.5, np.float64(0.5)):
        found = jvp(f, (s,), (1.0,))[0]
        assert found == f(s) and [*map(type, found)] == [*map(type, f(s))]


def test_sum_of_one_array_is_a_new_one() -> None:
    def items(a):
        y = sum([a])
        y *= 2
        z = math.prod((a,))
        z *= 3
        return a @ y + z[0]

    def generated(a):
        y = sum(v for v in [a])
        y *= 2
        return a @ y

    def of_values(a):
        y = sum({"k": a}.values(), 0.0)
        y[0] = 3.0
        return y @ a

    def of_arguments(*a):
        y = sum(a)
        y[0] = 3.0
        return y @ a[0]

    for f in (items, generated, of_values, of_arguments):
        assert jvp(f, (A,), (A,))[0] == f(A)
        check_grads(f, (A,))

"""``items[k] += more`` where the item is a list, which grows for all who see it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from verdicts import assert_right

from s2sad import grad, hvp


def lists(x):
    parts = [[x, x[1:]], [x[1:]]]
    parts[1] += [x[2:]]
    parts[1][1] *= 2.0
    return np.sum(parts[1][1] ** 2) + np.sum(x**3)


def seen_by_others(x):
    parts = [[x * 1.0], [x * 2.0]]
    first = parts[0]
    parts[0] += [x**2, x**3]
    return np.sum(first[1] * first[2]) * len(first)


def of_numbers(x):
    parts = [[x[0]], [x[1]]]
    for k in range(2):
        parts[k] += [x[2] * k, x[0] ** 2]
        parts[k] *= 2
    return sum(parts[0]) * sum(parts[1]) * len(parts[1])


def _grown(parts, k, x):
    parts[k] += [x[2:]]
    return parts


def in_a_loop_and_a_helper(x):
    parts = [[x], [x[1:] * 2.0]]
    for k in range(4):
        _grown(parts, k % 2, x * (k + 1.0))
    return sum(np.sum(p**2) for part in parts for p in part)


def tuples(x):
    parts = [(x[:2],), (x[1:],)]
    parts[1] += (x[2:],)
    return np.sum(parts[1][0]) * np.sum(parts[1][1] ** 2) + np.sum(parts[0][0])


def tuples_in_a_loop(x):
    parts = [(x[:2],) for _ in range(2)]
    for k in range(2):
        parts[k] += (x[k:] * 2.0,)
    return np.sum(parts[1][0]) * np.sum(parts[1][1] ** 2) + np.sum(parts[0][1])


PROGRAMS = (lists, seen_by_others, of_numbers, in_a_loop_and_a_helper, tuples, tuples_in_a_loop)
X, V = np.array([1.3, 0.7, 2.1]), np.array([0.3, -0.5, 0.9])


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_right(function: Callable[..., Any]) -> None:
    assert_right(function)
    expected = (grad(function)(X + 1e-6 * V) - grad(function)(X - 1e-6 * V)) / 2e-6
    assert np.allclose(hvp(function, (X,), (V,))[1], expected, rtol=1e-5, atol=1e-7)

"""What is gathered out of arrays that have no derivative (globals, literals) is a program's own: it may be written into."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import grad, hvp, jvp

T = np.array([0.3, 0.4])
M = np.arange(6.0).reshape(2, 3) + 1
TABLE = {"a": np.array([1.0, 2.0]), "b": np.array([0.3, 0.7])}
ROWS = [np.array([1.0, 2.0]), np.array([0.3, 0.7])]


def by_a_list(b):
    x = T[[1, 0]]
    x[0] *= b[0]
    return np.sum(x**2)


def by_a_list_that_is_written(b):
    p = [0, 1]
    p[0], p[1] = p[1], p[0]
    x = T[p]
    x[0] *= b[0]
    x[1] *= x[0]
    return np.sum(x**2)


def by_a_mask(b):
    x = M[M > 2]
    x[:2] *= b
    return np.sum(x**2)


def out_of_a_dict(b):
    x = TABLE["a"][[1, 0]]
    x[0] *= b[0]
    return np.sum(x * b)


def out_of_lists(b):
    s = 0.0
    for row in ROWS:
        x = row[[1, 0]]
        x *= b
        s += np.sum(x**2)
    return s


def of_a_literal(b):
    c = np.array([0.3, 0.4])
    x = c[[1, 0]]
    x[0] *= b[0]
    return np.sum(x**2)


def again_and_again(b):
    x = T[[1, 0]]
    i = 0
    while i < 2:
        x[i] *= b[i]
        x = x[[1, 0]]
        i += 1
    return np.sum(x**2 * b)


def on_one_path(b):
    x = T[[1, 0]] if b[0] > 0 else b[[0, 1]]
    x[0] *= b[1]
    return np.sum(x**3)


PROGRAMS = [by_a_list, by_a_list_that_is_written, by_a_mask, out_of_a_dict, out_of_lists, of_a_literal, again_and_again]


@pytest.mark.parametrize("program", [*PROGRAMS, on_one_path], ids=lambda program: program.__name__)
def test_derivatives_agree_with_differences(program: Callable[[Any], Any]) -> None:
    b, h = np.array([0.5, 0.9]), 1e-6
    held = [array.copy() for array in (T, M, *ROWS)]
    difference = [(program(b + h * e) - program(b - h * e)) / (2 * h) for e in np.eye(2)]
    np.testing.assert_allclose(grad(program)(b), difference, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose([jvp(program, (b,), (e,))[1] for e in np.eye(2)], difference, rtol=1e-6, atol=1e-9)
    second = (grad(program)(b + h * b) - grad(program)(b - h * b)) / (2 * h)
    for mode in ("fwd", "rev"):
        np.testing.assert_allclose(hvp(program, (b,), (b,), mode=mode)[1], second, rtol=1e-6, atol=1e-8)
    for before, now in zip(held, (T, M, *ROWS), strict=True):
        np.testing.assert_array_equal(before, now)

"""Functions that differ in names alone are written once; what differs in anything else is not."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, differentiate


def swish(z):
    return z / (1.0 + np.exp(-z))


def scaled(z, k):
    return swish(z) * k


def sizes(a, b, c):
    return np.sum(swish(a)) + np.sum(swish(b)) * np.sum(scaled(c, 3.0)) + np.sum(scaled(b[0], a[0]))


def shifted(x, by):
    return np.tanh(x) + by


def constants(a, b, c):
    return np.sum(shifted(a, 1)) * np.sum(shifted(b, 1.0)) + np.sum(shifted(b, a[0])) + shifted(c[0], 2.0)


def filled(w, x):
    for i in range(2):
        w[i] += x[i] * w[i]
    return w


def written(a, b, c):
    w, v = np.ones(3), np.ones((3, 2))
    return np.sum(filled(w, a) ** 2) + np.sum(filled(v, np.concatenate([b, b])[:, :1]) ** 2) + np.sum(filled(c * 1.0, c))


def halves(x, n):
    return np.sin(x) if n < 1 else 0.5 * halves(x, n - 1)


def thirds(x, n):
    return np.sin(x) if n < 1 else 0.5 * thirds(x, n - 1)


def recursions(a, b, c):
    return np.sum(halves(a, 2)) + np.sum(thirds(b, 2)) * np.sum(halves(c, 1))


ARGS = (np.array([0.3, 0.8, -0.2]), np.array([[0.5, 0.1], [0.2, -0.4]]), np.array([0.7, 0.9, 0.4, 0.1]))
PROGRAMS: list[tuple[Callable[..., Any], int]] = [(sizes, 4), (constants, 4), (written, 0), (recursions, 0)]


@pytest.mark.parametrize(("function", "most"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_derivatives_are_right(function: Callable[..., Any], most: int) -> None:
    check_grads(function, ARGS)
    text = differentiate(function, wrt=(0, 1, 2)).source("adjoint", *ARGS)
    forwards = re.findall(r"def (\w+_forward)\(", text)
    assert len(set(forwards)) == len(forwards)
    assert not most or len(forwards) <= most


def test_one_function_for_all_sizes() -> None:
    text = differentiate(sizes, wrt=(0, 1, 2)).source("adjoint", *ARGS)
    assert text.count("def swish_forward(") == text.count("def swish_reverse(") == 1
    assert "swish_2_forward(" not in text
    assert "swish_2_reverse(" not in text

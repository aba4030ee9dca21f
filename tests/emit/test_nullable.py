"""Adjoints that come out of dicts, or are there on some paths only: their text says that they are arrays."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mode_pairs import MODES, check_pair

from s2sad import differentiate

X = np.array([0.3, 0.8, 1.3, 0.4])


def popped(a):
    w = {}
    for k in range(3):
        w[k % 2] = a * (0.5 + 0.2 * k)
        w[k % 2][k] = 0.85
    v = w.pop(0)
    return np.sum(np.sin(v)) + v[1] ** 2


def or_the_argument(a):
    w = {}
    for k in range(3):
        w[k % 2] = w.get(k % 2, a) * 0.8
        w[k % 2][k] = a[-3]
    return np.sum(np.sin(w[0] * w[1]))


def summed(a):
    w = {}
    for k in range(3):
        w[k % 2] = a * (0.5 + 0.2 * k)
        w[k % 2][k] = 0.85
    return np.sum(np.sin(sum(w.values())))


def made_and_summed(a):
    rows = [np.ones(4) for _ in range(2)]
    rows[1][0] -= np.sin(a[0])
    rows[1] *= a[-1]
    total = sum(rows)
    total[...] -= a[::-1]
    return np.sum(np.sin(total))


def bound_on_a_path(a):
    a = np.copy(a)
    for k in range(1):
        flag = k % 2 == 0
        if flag:
            w = a[::-1]
        if flag:
            a[:] = 0.5 * w + 0.3 * a
        a *= 0.9
    return np.sum(a**3)


PROGRAMS: list[Callable[..., Any]] = [popped, or_the_argument, summed, made_and_summed, bound_on_a_path]


@pytest.mark.parametrize("pair", list(itertools.product(MODES, MODES)), ids="-".join)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_texts_are_differentiated(function: Callable[..., Any], pair: tuple[str, str]) -> None:
    check_pair(function, (X,), *pair)


def test_a_subscript_says_array() -> None:
    program = differentiate(popped)
    program.grad(X)
    assert "\n    v_bar[...] += " in program.source("adjoint")
    assert "\n    a_bar = np.zeros_like(a)" in program.source("adjoint") and "a_bar += " in program.source("adjoint")

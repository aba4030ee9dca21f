"""Sums of items: which additions to the same item become one, and derivatives after it."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from s2sad import check_grads, differentiate, hvp

RNG = np.random.default_rng(6)
X = RNG.normal(size=4)


def several(x):
    z = np.sin(x)
    return z[0] * z[1] - z[1] * z[2] + z[0] * np.exp(z[1])


def all_subtracted(x):
    z = np.sin(x)
    return -z[0] - z[0] * z[1]


def perhaps_the_same(x, k=1):
    z = np.sin(x)
    return z[1] * z[k] + np.exp(z[1]) * np.tanh(z[k])


def from_both_ends(x):
    z = np.sin(x)
    return z[3] * z[-1] * z[3]


def read_between(x):
    z = np.sin(x)
    a = z[0] * z[0]
    z[0] = a * z[1]
    return z[0] * z[1] + np.exp(z[0])


def a_window_between(x):
    z = np.sin(x)
    return z[0] * np.sum(z[:2]) * np.tanh(z[0])


def short_rows(x):
    z = np.zeros((4, 2))
    z[0] = x[:2]
    for k in range(3):
        z[k + 1] = z[k] + np.sin(z[k]) * x[2] + np.exp(-z[k]) * x[3]
    return np.sum(z**2)


def in_branches(x):
    z = np.sin(x)
    y = z[0] * z[1]
    if y > 0:
        y = y * z[0] + z[0] * z[2]
    return y * z[0]


# How many additions there are to items of z_bar.
ADDED: dict[Callable, int] = {
    several: 3, all_subtracted: 2, perhaps_the_same: 4, from_both_ends: 3, read_between: 5, a_window_between: 3, short_rows: 1,
    in_branches: 5,
}  # fmt: skip


def _stores(text: str) -> int:
    return len(re.findall(r"(?m)^ +z_bar\[[^]]*\] [+-]?= ", text))


@pytest.mark.parametrize("f", ADDED, ids=lambda f: f.__name__)
def test_how_many_are_left(f: Callable) -> None:
    text = differentiate(f, wrt="x").source("adjoint", X.copy(), *f.__defaults__ or ())
    assert _stores(text) == ADDED[f], text


@pytest.mark.parametrize("f", ADDED, ids=lambda f: f.__name__)
def test_derivatives(f: Callable) -> None:
    check_grads(f, (X.copy(),), wrt="x")
    u, h = RNG.normal(size=4), 1e-6
    ours = differentiate(f, wrt="x")
    product = hvp(f, (X,), (u,))[1]
    np.testing.assert_allclose(product, (ours.grad(X + h * u) - ours.grad(X - h * u)) / (2 * h), rtol=1e-6, atol=1e-8)


def polynomial(x, terms):
    z = np.sin(x)
    total = 0.0
    for i, j, factor in terms:
        z[i] = z[i] * factor + z[j]
        total = total - z[i] * z[j] + z[j] * x[i] - z[-1]
    return total


@given(st.lists(st.tuples(st.integers(-4, 3), st.integers(-4, 3), st.floats(-1, 1)), min_size=1, max_size=4))
def test_items_that_meet_as_the_program_runs(terms: list[tuple[int, int, float]]) -> None:
    check_grads(polynomial, (X.copy(), terms), wrt="x")

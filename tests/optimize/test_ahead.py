"""Slopes that are recorded in place of what they are made of: fewer records, all digits, derivatives of all orders."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, differentiate, grad


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


def gated(w, x, n):
    h = x
    for _ in range(n):
        z = w @ h
        h = sigmoid(z[:4]) * np.tanh(z[4:8]) + 0.5 * h
    return np.sum(h**2)


def of_one_window(w, x, n):
    for _ in range(n):
        z = w @ x
        x = x + np.tanh(z[2:6])
    return np.sum(x**2)


def in_a_loop_in_a_loop(w, x, n):
    for k in range(n):
        for _ in range(k):
            z = w @ x
            x = x * np.sin(z[:4]) + np.cos(z[4:8]) * np.tanh(x)
    return np.sum(x**2)


def two_large_factors(w, x, n):
    for _ in range(n):
        a, b = np.exp(x), np.exp(w[:4, 0])
        c = np.sin(x) * a
        x = 0.1 * x + 0.01 * (c * b)
    return np.sum(x**2)


def in_a_branch(w, x, n):
    for k in range(n):
        z = w @ x
        if k % 2:
            x = x + np.sin(x) * np.tanh(z[:4])
        else:
            x = x - np.tanh(z[4:8])
    return np.sum(x**2)


def written_between(w, x, n):
    y = np.copy(x)
    for k in range(n):
        z = w @ y
        s = np.sin(z[:4])
        y = y + s * np.tanh(z[:4])
        y[k % 4] = 0.5 * s[0]
    return np.sum(y**2)


def rows_and_columns(w, x, n):
    """A product that is larger than its factors is not recorded in their place."""
    m = np.outer(x, x)
    for _ in range(n):
        a, b = np.sin(x)[:, None], np.tanh(w[:4, 0] + x)[None, :]
        m = m * a * b
        x = 0.5 * np.sum(m, axis=1) + x
    return np.sum(m**2) + np.sum(x)


def read_elsewhere(w, x, n):
    for _ in range(n):
        z = w @ x
        t = np.tanh(z[:4])
        x = x + t * sigmoid(z[4:8]) * np.sum(z)
    return np.sum(x**2)


RNG = np.random.default_rng(2)
PROGRAMS = [
    gated, of_one_window, in_a_loop_in_a_loop, two_large_factors, in_a_branch, written_between, rows_and_columns, read_elsewhere,
]  # fmt: skip
ARGS = (0.3 * RNG.normal(size=(8, 4)), RNG.normal(size=4), 3)


@pytest.mark.parametrize("function", PROGRAMS)
def test_derivatives_of_all_orders(function: Callable[..., Any]) -> None:
    check_grads(function, ARGS, order=2, together=True)


@pytest.mark.parametrize("function", [gated, of_one_window])
def test_what_is_recorded(function: Callable[..., Any]) -> None:
    source = differentiate(function, wrt=("w", "x")).source("adjoint", *ARGS)
    assert "sech2" in source.split("# reverse sweep")[0]
    assert "sech2" not in source.split("# reverse sweep")[1]
    assert "empty_like(z)" not in source


def halves(w, x, steps):
    for _ in range(steps):
        z = np.concatenate((w[0] * x, x))
        x = x + np.tanh(z[:1000])
    return np.sum(x)


def test_memory() -> None:
    """Of an array, half of which is read, no more than half is held."""
    args = 0.01 * RNG.normal(size=(2, 1)), RNG.normal(size=1000), 40
    space: dict[str, Any] = {}
    exec(differentiate(halves, wrt=("w", "x")).source("adjoint", *args), space)  # the text itself, which nothing watches
    space["halves_adjoint"](*args)
    tracemalloc.start()
    space["halves_adjoint"](*args)
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert held < 2.5 * 8 * 1000 * 40  # x and the slope; x and all of z are three


def saturated(w, n):
    """Slopes of tanh and of a sigmoid at 14, where 1 - tanh(x) ** 2 has lost 11 digits."""
    y = 0.0 * w
    for _ in range(n):
        z = np.concatenate((w, 14.0 + w))
        y = y + sigmoid(z[3:]) * np.tanh(z[3:])
    return np.sum(y)


def test_digits() -> None:
    w = np.array([-0.5, 0.0, 0.25])
    t = 14.0 + w
    e = np.exp(-t)
    slope = e / (1 + e) ** 2 * np.tanh(t) + 1 / (1 + e) / np.cosh(t) ** 2
    np.testing.assert_allclose(grad(saturated)(w, 2), 2 * slope, rtol=1e-14)

"""Reverse parts that are one operation stand where they were called; derivatives of all orders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, differentiate


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


def halved(z):
    return 0.5 * z


def flipped(z):
    return z[::-1]


def powers(z, n):
    return z if n == 0 else np.sin(z) * powers(z, n - 1)


def of_sigmoids(x, n):
    return np.sum(sigmoid(sigmoid(x) * x) * n)


def of_constants(x, n):
    return np.sum(halved(np.sin(halved(x)))) + halved(n * 1.0) * x[0]


def of_windows(x, n):
    y = np.copy(x)
    y[1:] = flipped(x[1:]) * x[0]
    return np.sum(flipped(y) * x)


def in_a_loop(x, n):
    for k in range(n):
        x = sigmoid(x) if k % 2 else halved(x)
    return np.sum(x * x)


def of_a_recursion(x, n):
    return np.sum(powers(x, n))


ARGS = (np.array([0.3, -0.7, 1.1]), 3)


@pytest.mark.parametrize("function", [of_sigmoids, of_constants, of_windows, in_a_loop, of_a_recursion])
def test_derivatives_of_all_orders(function: Callable[..., Any]) -> None:
    check_grads(function, ARGS, order=2, together=True)


@pytest.mark.parametrize("function", [of_sigmoids, in_a_loop])
def test_the_text(function: Callable[..., Any]) -> None:
    assert "_reverse" not in differentiate(function, wrt="x").source("adjoint", *ARGS)

"""Gradients of gradients of checkpointed loops that make what is used after them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import checkpointed, grad, hvp, jvp, vjp


def a_new_array(x):
    v = x * 1.0
    for _ in checkpointed(range(3), snapshots=2):
        w = np.sin(v)
        v[1:] += w[:-1]
    return np.sum(v**2) + np.sum(w**3)


def a_number_and_an_array(x):
    v = x * 1.0
    for k in checkpointed(range(4), snapshots=2):
        n = np.sum(v) * k
        w = v * n
        v = np.sin(v) + 0.1 * w
    return n * np.sum(w)


def while_it_lasts(x):
    v = x * 1.0
    k = 0
    while checkpointed(k < 3, snapshots=2):
        w = np.cos(v)
        v[0] *= w[1]
        k += 1
    return np.sum(w**2 * v)


def _step(v):
    w = np.sin(v)
    v[1:] *= w[:-1]
    return w


def in_a_helper(x):
    v = x + 1.0
    for _ in checkpointed(range(3), snapshots=2):
        w = _step(v)
    return np.sum(w * v)


def on_a_condition(x):
    v = x * 1.0
    w = None
    for k in checkpointed(range(5), snapshots=2):
        if k > 1:
            w = np.exp(v) if w is None else w * v
        v = v + 0.1 * v**2
    return np.sum(w * v)


def kept_in_a_list(x):
    kept = []
    w = None
    for k in range(3):
        kept.append(w)
        w = np.sin(x) * (k + 1.0)
    return np.sum(kept[2] * kept.pop() * w) + np.sum(kept[1] ** 2)


PROGRAMS = (a_new_array, a_number_and_an_array, while_it_lasts, in_a_helper, on_a_condition, kept_in_a_list)
X, V = np.linspace(0.1, 0.6, 4), np.array([0.3, -0.5, 0.9, 0.2])


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_right(function: Callable[..., Any]) -> None:
    first = (function(X + 1e-6 * V) - function(X - 1e-6 * V)) / 2e-6
    assert np.isclose(grad(function)(X) @ V, first, rtol=1e-6)
    expected = (grad(function)(X + 1e-6 * V) - grad(function)(X - 1e-6 * V)) / 2e-6
    for found in (vjp(grad(function), X)[1](V), hvp(function, (X,), (V,))[1], jvp(grad(function), (X,), (V,))[1]):
        assert np.allclose(found, expected, rtol=1e-5, atol=1e-7)

"""A list as an index chooses items along one axis, and may name one twice, also where it is known item by item."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, grad, hvp


@dataclass
class Held:
    p: Any


def _known(x: Any) -> None:
    """A field that gets a window of another shape: the program is specialised on sizes, and its lists are known."""
    for _ in range(3):
        held = Held(x)
    held.p = x.reshape(2, 3).flat[:5]


def added(x):
    _known(x)
    y = np.sin(x)
    y[[-5, 1]] += 2.0 * x[:2]
    return np.sum(y)


def subtracted_in_a_loop(x):
    _known(x)
    y = np.sin(x)
    for k in range(2):
        y[[k, 0, 0]] -= x[3:] * y[1]
    return np.sum(y**2)


def multiplied(x):
    _known(x)
    y = np.sin(x)
    y[[-5, 1]] *= x[:2]
    return np.sum(y**2)


def stored(x):
    _known(x)
    y = np.sin(x)
    y[[-5, 1]] = x[:2]
    return np.sum(y**2)


def _add(y, v):
    y[[-5, 1]] += v


def in_a_helper(x):
    _known(x)
    y = np.sin(x)
    _add(y, x[:2] ** 2)
    return np.sum(y**2)


def rows(x):
    _known(x)
    y = np.sin(x).reshape(2, 3)
    y[[-1, 1]] += x[:3]
    return np.sum(y**2)


def of_what_changes_on_the_right(x):
    _known(x)
    y = np.sin(x)
    z = y[[0, 0]]
    y[[0, 1]] += z * y[1]
    y[0] *= 2.0
    return np.sum(y**2) + np.sum(z)


PROGRAMS = (added, subtracted_in_a_loop, multiplied, stored, in_a_helper, rows, of_what_changes_on_the_right)
X, V = np.linspace(0.1, 0.6, 6), np.array([0.3, -0.5, 0.9, 0.2, -0.4, 0.7])


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_right(function: Callable[..., Any]) -> None:
    check_grads(function, (X,), wrt=0, modes=("tangent", "adjoint"))
    expected = (grad(function)(X + 1e-6 * V) - grad(function)(X - 1e-6 * V)) / 2e-6
    assert np.allclose(hvp(function, (X,), (V,))[1], expected, rtol=1e-5, atol=1e-7)

"""Adjoints that nothing but a reverse part is given stand in its call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, differentiate


def growth(x, y, a):
    return a * x - x * y, x * y - a * y


def layer(x, w):
    return np.tanh(w * x) * x


def steps(x, y, a):
    u, v = growth(x, y, a)
    p, q = growth(x + 0.5 * u, y + 0.5 * v, a)
    return p * u + q * v


def layers(x, y, a):
    hidden = layer(x, y)
    again = layer(hidden, a)
    return np.sum(again * hidden)


def written_between(x, y, a):
    """The seed of the first call is read before its memory changes."""
    z = np.array([x, y, a])
    u, v = growth(z[0], z[1], a)
    z[0] = u * v
    p, q = growth(z[0], z[2], x)
    z[1:] = p * q
    return np.sum(z * z)


ARGS = (0.4, 0.7, 1.1)


@pytest.mark.parametrize("function", [steps, layers, written_between])
def test_derivatives_of_all_orders(function: Callable[..., Any]) -> None:
    check_grads(function, ARGS, order=2, together=True)


def test_the_text() -> None:
    source = differentiate(steps).source("adjoint", *ARGS)
    assert "growth_adjoint(v1, v2, a, out_bar * u, out_bar * v)" in source
    assert "p_bar" not in source

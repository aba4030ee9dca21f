"""Lists that begin with placeholders ([None] * n, [0] * n) and are filled: items that nobody reads have zero adjoints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import grad, jvp


def one_item_unread(x):
    items = [None] * 3
    for k in range(3):
        items[k] = x * (k + 1)
    return np.sum(items[1] * items[2])


def the_last_alone(x):
    items = [None] * 4
    items[0] = x
    for k in range(3):
        items[k + 1] = items[k] * x
    return np.sum(items[-1])


def the_middle_alone(x):
    items = [None] * 3
    items[0] = x
    for k in range(2):
        items[k + 1] = items[k] * x
    return np.sum(items[1])


def nested(x):
    rows = [[None] * 2 for _ in range(2)]
    for i in range(2):
        for j in range(2):
            rows[i][j] = x * (i + 2 * j + 1)
    return np.sum(rows[0][1] * rows[1][0])


def unpacked(x):
    items = [None] * 3
    for k in range(3):
        items[k] = x * x * k
    _, b, c = items
    return np.sum(b * c)


def overwritten(x):
    items = [None] * 2
    for k in range(5):
        items[k % 2] = x * k if k < 2 else items[(k - 1) % 2] * x
    return np.sum(items[0])


PROGRAMS = [one_item_unread, the_last_alone, the_middle_alone, nested, unpacked, overwritten]
POINTS = {
    "float": 0.8,
    "NumPy's number": np.float64(0.8),
    "array without axes": np.array(0.8),
    "vector": np.array([0.8, 1.3, -0.4]),
}


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_gradients_and_tangents_agree_with_differences(program: Callable[[Any], Any], point: str) -> None:
    x = POINTS[point]
    gradient = grad(program)(x)
    assert np.shape(gradient) == np.shape(x)
    h = 1e-6
    for k in np.ndindex(np.shape(x)):
        e = np.zeros(np.shape(x))
        e[k] = 1.0
        dot = e if isinstance(x, np.ndarray) else float(e)
        difference = (program(x + h * dot) - program(x - h * dot)) / (2 * h)
        np.testing.assert_allclose(np.asarray(gradient)[k], difference, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(jvp(program, (x,), (dot,))[1], difference, rtol=1e-6, atol=1e-8)

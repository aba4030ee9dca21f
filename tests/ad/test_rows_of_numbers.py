"""Arrays that are joined with lists of numbers: the adjoint of such a list is a row of an array, in the second order, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, grad, hvp


def grows(u):
    x = np.ones(2) * u
    for _ in range(2):
        x = np.hstack((x, [x[0] * u]))
    return x @ x


def grows_and_is_written(u):
    x = np.zeros(3)
    for _ in range(2):
        x[:3] += np.array([u * np.cos(x[2]), u * np.sin(x[2]), 0.1 * u])
        x = np.hstack((x, [x[0] + u * x[1], u]))
    return x @ x


def once_for_each_place(u):
    x, seen = np.ones(3) * u, {}
    for i in (0, 1, 0):
        if i not in seen:
            seen[i] = len(x)
            x = np.hstack((x, [x[0] * u, x[1] * u]))
            continue
        j = seen[i]
        d = x[j : j + 2] - x[:2]
        rows = np.zeros((2, len(x)))
        rows[:, j : j + 2] = [[d[0], u], [u, d[1] * u]]
        x = x + np.array([u - d @ d, d[0]]) @ rows
    return x @ x


@pytest.mark.parametrize("function", [grows, grows_and_is_written, once_for_each_place])
def test_second_derivatives(function: Callable[..., Any]) -> None:
    check_grads(function, (0.7,), order=2)
    forward, reverse = (hvp(function, (0.7,), (1.0,), mode=mode)[1] for mode in ("fwd", "rev"))
    np.testing.assert_allclose(forward, reverse)


def beside_more_digits(x):
    rows, turn = [x], np.eye(2)
    for _ in range(2):
        rows.append(turn @ rows[-1])
    return np.sum(np.stack(rows) ** 2)


def test_items_keep_their_precision() -> None:
    gradient = grad(beside_more_digits)(np.array([0.5, 1.5], np.float32))
    assert gradient.dtype == np.float32
    np.testing.assert_allclose(gradient, [3.0, 9.0])

"""Arrays that each iteration of a loop makes for itself: stores of other iterations are into other arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, differentiate

U = np.array([0.3, 0.5, 0.2, 0.7])
C = np.array([0.9, 0.4, 0.6, 0.8])


def filled(u, c, n):
    for _ in range(n):
        bend = np.zeros_like(u)
        bend[1:-1] = u[2:] - 2.0 * u[1:-1] + u[:-2]
        u = u + c**2 * bend
    return np.sum(u**2)


def counted(u, c, n):
    for _ in range(n):
        total = np.zeros(2)
        for k in range(u.shape[0]):
            total[k % 2] += u[k]
        u = c / (1.0 + total[0]) + u * total[1]
    return np.sum(u**2)


def across_the_read(u, c, n):
    """Read between its making and a store: what was read is recorded."""
    for _ in range(n):
        part = np.sin(u)
        u = u + c * part**2
        part[1:] = u[1:] ** 2
        u = u * part
    return np.sum(u**2)


def in_turn(u, c, n):
    """An inner loop stores again into what an inner loop reads."""
    s = 0.0
    for _ in range(n):
        work = u * c
        for k in range(n):
            s = s + np.sum(work**3)
            work[k] = work[k] * work[k + 1]
        u = np.sin(u)
    return s


def one_before(u, c, n):
    """A tuple holds the array of the iteration before."""
    held = (u * 1.0, c)
    s = 0.0
    for k in range(n):
        now = np.cos(held[0]) * c
        now[k] = s + u[0]
        s = s + np.sum(held[0] ** 2 * now)
        held = (now, c)
    return s


def passed_on(u, c, n):
    """The array of the iteration before is written again."""
    last = u * 1.0
    s = 0.0
    for k in range(n):
        s = s + np.sum(last**3)
        last[k] = s * c[k]
        now = np.sin(u + last)
        now[k] = now[k + 1] ** 2
        last = now
    return s


def item_of_a_tuple(u, c, n):
    """What is taken out of a tuple is the same array in each iteration."""
    pair = (u * 1.0, c)
    s = 0.0
    for k in range(n):
        a = pair[0]
        s = s + np.sum(a**2) * a[k]
        a[k] = np.sin(s)
    return s


def written_through_a_tuple(u, c, n):
    held = (u * 1.0, c)
    s = 0.0
    for k in range(n):
        now = np.cos(u) * s
        s = s + np.sum(now**2 * c)
        change(held, k, s)
        s = s + np.sum(held[0] ** 2)
        held = (now, c)
    return s


def change(pair, k, s):
    pair[0][k] = s


ALL = [filled, counted, across_the_read, in_turn, one_before, passed_on, item_of_a_tuple, written_through_a_tuple]


@pytest.mark.parametrize("function", ALL)
@pytest.mark.parametrize("n", [0, 1, 3])
def test_derivatives(function: Callable[..., Any], n: int) -> None:
    check_grads(function, (U, C, n))


@pytest.mark.parametrize("function", [filled, counted])
def test_nothing_is_put_back(function: Callable[..., Any]) -> None:
    text = differentiate(function).source("adjoint", U, C, 3)
    forward, reverse = text.split("# reverse sweep")
    assert "np.copy" not in forward and forward.count("append") <= 2
    lines = [line.strip() for line in reverse.splitlines()]
    assert not any(line.startswith(("bend[", "total[")) for line in lines)
    assert "] = 0.0" not in reverse  # a shadow that nobody reads again


def test_what_is_read_before_a_store_is_put_back() -> None:
    assert "np.copy" in differentiate(across_the_read).source("adjoint", U, C, 3)

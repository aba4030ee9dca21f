"""Branches that choose: what is done with the adjoint of what has not been chosen, and what is recorded for it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, differentiate, grad

P = np.array([[0.1, 0.9], [1.2, -0.3], [0.4, 0.5], [-1.0, 0.7]])
C = np.array([[1.1, 0.2], [0.3, 0.6], [-0.6, 0.8]])
X = np.array([0.4, -1.3, 0.7, 2.1, -0.2])


def nearest(points, centres):
    total = 0.0
    for i in range(points.shape[0]):
        best = math.inf
        for k in range(centres.shape[0]):
            d = 0.0
            for j in range(points.shape[1]):
                t = points[i, j] - centres[k, j]
                d += t * t
            if d < best:
                best = d
        total += best**2
    return total


def nearest_rows(points, centres):
    total = 0.0
    for p in points:
        best = np.inf
        for c in centres:
            d = np.sum(np.exp(p - c) ** 2)
            if d < best:
                best = d
        total += best**2
    return total


def farthest_and_sum(points, centres):
    total = 0.0
    for p in points:
        best, second = -1.0, -1.0
        for c in centres:
            d = np.sum((p - c) ** 2) + 0.1 * best
            if d > best:
                second = best
                best = d
            total += 0.01 * d
        total += best * second
    return total


def kept_or_scaled(points, centres):
    total = 0.0
    for p in points:
        for c in centres:
            d = np.sum(p * c)
            e = d * p[0]
            if d > 0.2:
                s = e * e
            elif d > 0.0:
                s = 0.0
            else:
                s = d
            total = total * 0.9 + s * d
    return total


def chosen_again(points, centres):
    low = points[0, 0]
    for p in points:
        t = np.sin(p)
        for c in centres:
            w = t * c
            v = np.sum(w)
            if v < low:
                low = v * 0.5
            t = t + 0.1 * w
    return low


PROGRAMS = [nearest, nearest_rows, farthest_and_sum, kept_or_scaled, chosen_again]


@pytest.mark.parametrize("program", PROGRAMS)
def test_derivatives(program: Callable[..., Any]) -> None:
    check_grads(program, (P, C), wrt=(0, 1))


@pytest.mark.parametrize("program", PROGRAMS)
def test_second_derivatives(program: Callable[..., Any]) -> None:
    def first(points, centres):
        return np.sum(grad(program)(points, centres) * P)

    check_grads(first, (P, C), wrt=(0, 1))


def test_what_is_not_chosen_is_not_recorded() -> None:
    forward, reverse = differentiate(nearest_rows, wrt=(0, 1)).source("adjoint", P, C).split("# reverse sweep")
    assert forward.count("append") == 2, forward
    assert 0 < reverse.index("if v") < reverse.index("= np.exp"), reverse  # it is computed again, and only there


def test_what_is_not_chosen_may_be_infinite() -> None:
    def f(xs):
        best = 10.0
        for x in xs:
            v = np.sqrt(x)
            if v < best:
                best = v
        return best

    with np.errstate(all="ignore"):
        found = grad(f)(np.array([4.0, np.inf, 9.0]))
    np.testing.assert_array_equal(found, [0.25, 0.0, 0.0])

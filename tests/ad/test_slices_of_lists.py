"""Slices and copies of lists that functions get: adjoints of numbers are added to the list's, those of arrays are shared."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import grad, jvp

NUMBERS = [[0.6, 0.3, 0.9], [0.2, 0.7, 0.4], [0.5, 0.1, 0.8]]


def minors(m):
    if len(m) == 1:
        return m[0][0]
    return sum((-1) ** j * m[0][j] * minors([r[:j] + r[j + 1 :] for r in m[1:]]) for j in range(len(m)))


def of_a_minor(m):
    return minors([r[1:] for r in m[1:]])


def minors_twice(m):
    return minors(m) + minors([r[1:] for r in m[1:]])


def of_copies(m):
    return minors([list(r) for r in m]) + minors(copy.deepcopy(m)) * m[0][0]


def halves(a):
    if len(a) == 1:
        return a[0][0] * 2.0
    return halves([r[:1] for r in a[:1]]) + halves([r[1:] for r in a[1:]])


def added(a, b):
    return [[p + q for p, q in zip(r, s, strict=True)] for r, s in zip(a, b, strict=True)]


def slices_added(a):
    return added([r[:1] for r in a[:1]], [r[1:2] for r in a[1:2]])[0][0]


def last(a, n):
    if n == 0:
        return a[0][0] * 2.0
    return last([[v for v in r] for r in a], n - 1)


def copied_again(a):
    return last(copy.deepcopy(a), 2) * a[1][1]


def flat(a):
    return [x for r in a for x in r]


@pytest.mark.parametrize("wrapped", [float, np.array, lambda v: np.array([v, 2 * v])], ids=["numbers", "axisless", "arrays"])
@pytest.mark.parametrize(
    "function", [minors, of_a_minor, minors_twice, of_copies, halves, slices_added, copied_again], ids=lambda f: f.__name__
)
def test_both_modes_agree_with_differences(function: Callable[..., Any], wrapped: Callable[[float], Any]) -> None:
    def made(step: float) -> list[list[Any]]:
        return [[wrapped(v + step * (0.3 + k - 2 * j)) for j, v in enumerate(r)] for k, r in enumerate(NUMBERS)]

    def loss(a: Any) -> Any:
        return np.sum(function(a))

    dots = [[(p - q) / 2e-6 for p, q in zip(r, s, strict=True)] for r, s in zip(made(1e-6), made(-1e-6), strict=True)]
    slope = (loss(made(1e-6)) - loss(made(-1e-6))) / 2e-6
    value, tangent = jvp(loss, (made(0.0),), (dots,))
    assert value == pytest.approx(loss(made(0.0)))
    assert tangent == pytest.approx(slope)
    gradient = grad(loss)(made(0.0))
    assert sum(np.sum(g * d) for g, d in zip(flat(gradient), flat(dots), strict=True)) == pytest.approx(slope)

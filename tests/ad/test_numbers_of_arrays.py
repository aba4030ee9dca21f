"""Tangents of numbers that are made of arrays without axes: numbers, too, so that nobody's array is written into."""

from __future__ import annotations

import math

import numpy as np
import pytest

from s2sad import check_grads, grad, hvp, jvp, vjp


def summed_in_a_loop(s, y):
    t = s - 1.0
    for _ in range(3):
        t += y * s
    return t


def summed_in_a_branch(s, y):
    t = 0.0 + s
    if y > 0:
        t += y
        t -= 2.0 * s
    return t * s


def summed_while(s, y):
    t = +s
    while t < 5.0:
        t += y
    return t + s


@pytest.mark.parametrize("function", [summed_in_a_loop, summed_in_a_branch, summed_while])
def test_nobodys_tangent_is_written_into(function):
    x, y, dots, seed = np.array(1.3), np.array(0.7), (np.array(1.1), np.array(-0.4)), np.array(2.0)
    value, tangent = jvp(function, (x, y), dots)
    ahead, behind = (function(1.3 + h * 1.1, 0.7 - h * 0.4) for h in (1e-6, -1e-6))
    assert value == pytest.approx(function(1.3, 0.7))
    assert tangent == pytest.approx((ahead - behind) / 2e-6)
    a, b = vjp(function, x, y)[1](seed)
    assert a * 1.1 - b * 0.4 == pytest.approx(2.0 * tangent)
    assert [float(v) for v in (x, y, *dots, seed)] == [1.3, 0.7, 1.1, -0.4, 2.0]


def joined(x):
    r = x**2
    v = np.where(r[0] > 100, 0.0, r[0] * r[1])
    s = np.concatenate((np.stack((v,)), r[1:], np.stack((r[-1],))))
    return s[0] * s[1] * s[2]


def stacked(x):
    v, w = np.where(x[0] > 100, 0.0, x[0] * x[1]), np.asarray(np.sin(x[1]) * x[2])
    s = np.stack((v, w, x[2]))
    return s[0] * s[1] + s[1] ** 2 * s[2]


@pytest.mark.parametrize("function", [joined, stacked])
def test_adjoints_of_arrays_without_axes_that_are_joined(function):
    x, direction = np.array([0.6, 1.2, 0.9, 1.5]), np.array([1.0, -0.5, 0.3, 0.8])
    check_grads(function, (x,))
    gradient, step = grad(function), 1e-6 * direction
    expected = (gradient(x + step) - gradient(x - step)) / 2e-6
    for mode in ("fwd", "rev"):
        np.testing.assert_allclose(hvp(function, (x,), (direction,), mode=mode)[1], expected, rtol=1e-6, atol=1e-8)


def of_unknown_kinds(x):
    f, rows = lambda t: math.exp(-t) * math.sin(x * t), []
    for i in range(3):
        row = [f(x + 0.5 / 2**i) - f(x - 0.5)]
        for j in range(1, i + 1):
            row.append(row[j - 1] + (row[j - 1] - rows[i - 1][j - 1]) / (4**j - 1))
        rows.append(row)
    return rows[-1][-1] + sum(map(len, rows)) * rows[1][1]


@pytest.mark.parametrize("x", [1.1, np.float64(1.1), np.array(1.1)], ids=["python", "numpy", "axisless"])
def test_tangents_whose_kinds_are_not_known(x):
    assert jvp(of_unknown_kinds, (x,), (1.0,))[1] == pytest.approx(
        (of_unknown_kinds(1.1 + 1e-6) - of_unknown_kinds(1.1 - 1e-6)) / 2e-6
    )

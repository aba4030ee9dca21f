"""What a ``try`` body binds to other arrays within a loop, a branch or another ``try``, and writes into by that name."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from thinning import thinned

from s2sad import grad, hvp, jvp, value_and_grad

W = np.arange(1.0, 7.0)


def swapped_in_a_try(x: Any) -> Any:
    a = x * 1.0
    try:
        try:
            x, a = a, x
            x[2] *= 2.0
        except IndexError:
            pass
        a[3], a[2] = a[2], a[3]
    except IndexError:
        pass
    return np.sum(x**2 * W) + np.sum(a**2 * W)


def windows_are_swapped(x: Any) -> Any:
    a = x * 1.0
    try:
        try:
            x, a = a, x
            x[2] *= 2.0
        except IndexError:
            pass
        a[1:4][2], a[1:4][1] = a[1:4][1], a[1:4][2]
    except IndexError:
        pass
    return np.sum(x**2 * W) + np.sum(a**2 * W)


def bound_in_a_loop(x: Any) -> Any:
    a = x * 1.0
    y = np.ones(6)
    try:
        for _ in range(1):
            x[0] *= 2.0
            x = a
        x[1] *= 3.0
        y[9] *= 2.0
    except IndexError:
        y[0] = 4.0
    return np.sum(x**2 * W) + np.sum(a**3) + y[0]


def bound_in_a_while(x: Any) -> Any:
    a = x * 1.0
    i = 0
    try:
        while i < 2:
            i += 1
            x, a = a, x
        a[1:] = a[:-1] * 2.0
        x[1] *= 3.0
    except IndexError:
        pass
    return np.sum(x**2 * W) + np.sum(a**3)


def bound_in_a_branch(x: Any) -> Any:
    a, b = x * 1.0, x * 3.0
    try:
        if len(x) > 2:
            a = b if W[0] > 0 else a
        a[3], a[2] = a[2], a[3] * a[1]
    except IndexError:
        pass
    return np.sum(x**2 * W) + np.sum(a**2 * W) + np.sum(b**3)


def chosen_from_a_list(x: Any, s: float = 0.1) -> Any:
    a = x * 1.0
    arrays = [x, x, a]
    for i in range(3):
        try:
            c = arrays[i % 3] if i > 0 else a
            c[i] *= 2.0
            c[9] *= 2.0
        except IndexError:
            a[1] += x[i] * s
    return np.sum(x**2 * W) + np.sum(a**3)


PROGRAMS = [
    swapped_in_a_try, windows_are_swapped, bound_in_a_loop, bound_in_a_while, bound_in_a_branch, chosen_from_a_list,
]  # fmt: skip


def surrounded(function: Callable[[Any], Any], how: str) -> Callable[[Any], Any]:
    """A function by itself, called by another one, or in a loop of it."""

    def helper(x: Any) -> Any:
        return function(x * 1.5) * x[0]

    def loop(x: Any) -> Any:
        s = 0.0
        for i in range(2):
            s += function(x * (i + 1.0)) * x[i]
        return s

    return {"alone": function, "helper": helper, "loop": loop}[how]


X, V = np.array([0.6, 0.8, 1.3, 0.4, 0.9, 1.1]), np.array([0.3, -0.7, 0.5, 0.2, -0.1, 0.6])


def slope(function: Callable[[Any], Any]) -> Any:
    return (function(X + 1e-6 * V) - function(X - 1e-6 * V)) / 2e-6


@pytest.mark.parametrize(
    ("function", "how"),
    thinned(itertools.product(PROGRAMS, ["alone", "helper", "loop"]), 3, lambda case: f"{case[0].__name__}-{case[1]}"),
)
def test_attempts_write_into_copies(function: Callable[[Any], Any], how: str) -> None:
    called = surrounded(function, how)
    value, found = value_and_grad(called)(X)
    assert value == pytest.approx(called(X.copy()), rel=1e-12)
    assert found @ V == pytest.approx(slope(called), rel=1e-6)
    assert jvp(called, (X,), (V,)) == pytest.approx((value, found @ V), rel=1e-12)


@pytest.mark.parametrize("function", thinned(PROGRAMS, 3, lambda f: f.__name__))
def test_second_derivatives(function: Callable[[Any], Any]) -> None:
    expected = slope(grad(function))
    assert hvp(function, (X,), (V,))[1] == pytest.approx(expected, rel=1e-5, abs=1e-6)
    assert grad(lambda x: np.sum(grad(function)(x) * V))(X) == pytest.approx(expected, rel=1e-5, abs=1e-6)

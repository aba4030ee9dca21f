"""What counted loops record of numbers stands in arrays; what may be shorter than the loops say stays in lists."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import differentiate, hvp, value_and_grad

pytest.importorskip("numba")


def counted(x: float, n: int) -> float:
    for _ in range(n):
        x = np.sin(x) * x
    return x


def from_two_on(x: float, n: int) -> float:
    for k in range(2, n, 3):
        x = np.sin(x) * x + k
    return x


def nested(x: float, n: int) -> float:
    for k in range(n):
        y = x
        for _ in range(1, n):
            for _ in range(2):
                y = y * np.cos(y) + k
        x = x * y
    return x


def integers(x: float, n: int) -> float:
    k = 1
    for _ in range(n):
        k = (7 * k + 3) % 11
        x = np.sin(x) ** k
    return x


def flags(x: float, n: int) -> float:
    for _ in range(n):
        low = x < 0.4
        x = np.sin(x) * (1.0 + low)
    return x


def complex_numbers(x: float, n: int) -> float:
    z = x + 1j
    for _ in range(n):
        z = z * z * 0.5 + x
    return z.real


def twice(x: float, n: int) -> float:
    for _ in range(n):
        x = np.sin(x) * x
    for _ in range(n - 1):
        x = np.cos(x) * x
    return x


def triangular(x: float, n: int) -> float:
    for k in range(n):
        for _ in range(k):
            x = np.sin(x) * x + 1.0
    return x


def whole_from_the_second_turn_on(x: float, n: int) -> float:
    s, a = x, 0.0
    for k in range(n):
        a += s * np.sin(x) + k
        s = 0
    return a


def whole_on_one_path(x: float, n: int) -> float:
    t = 1
    for k in range(n):
        t = t * np.sin(x) if k % 3 else 2
    return t * x


def left_early(x: float, n: int) -> float:
    for _ in range(n):
        x = np.sin(x) * x
        if x < 0.1:
            break
    return x


def some_turns(x: float, n: int) -> float:
    for k in range(n):
        if k % 2:
            y = np.sin(x)
            x = y * y * x + y
    return x


def unknown_length(x: float, n: int) -> float:
    while x < n:
        x = x * x + 0.5
    return x


ARRAYS = [counted, from_two_on, nested, integers, flags, complex_numbers, twice, triangular, whole_from_the_second_turn_on]
LISTS = [left_early, unknown_length]


@pytest.mark.parametrize("function", [*ARRAYS, *LISTS, some_turns, whole_on_one_path], ids=lambda f: f.__name__)
def test_both_backends_agree(function: Callable[..., Any]) -> None:
    compiled, interpreted = value_and_grad(function, backend="numba"), value_and_grad(function)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in (-1, 0, 1, 2, 5):
            np.testing.assert_allclose(compiled(0.7, n), interpreted(0.7, n), rtol=1e-13)


@pytest.mark.parametrize("function", ARRAYS, ids=lambda f: f.__name__)
def test_counted_loops_record_in_arrays(function: Callable[..., Any]) -> None:
    text = differentiate(function, backend="numba").source("adjoint")
    assert "np.empty(" in text
    assert ".append(" not in text


@pytest.mark.parametrize("function", [whole_from_the_second_turn_on, whole_on_one_path], ids=lambda f: f.__name__)
def test_numbers_that_may_be_whole_are_recorded_for_second_derivatives(function: Callable[..., Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in (0, 1, 5):
            found = [hvp(function, (0.7, n), (1.0, None), backend=backend)[1][0] for backend in ("numba", "numpy")]
            np.testing.assert_allclose(*found, rtol=1e-13)


@pytest.mark.parametrize("function", LISTS, ids=lambda f: f.__name__)
def test_loops_of_unknown_length_record_in_lists(function: Callable[..., Any]) -> None:
    text = differentiate(function, backend="numba").source("adjoint")
    assert ".append(" in text
    assert "np.empty(" not in text

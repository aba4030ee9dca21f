"""Deques and sets outside: what is refused of them, calls one after the other, and a dict that is emptied."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import pytest

from s2sad import ActivityError, AliasError, UnsupportedSyntaxError, grad
from s2sad.testing import check_grads

ARRAYS: deque[Any] = deque([np.ones(3)], maxlen=2)
FILLING: deque[float] = deque(maxlen=3)
X = np.array([0.7, 1.3, 2.1])


def pushed(x: Any) -> Any:
    ARRAYS.append(x * x)
    return np.sum(sum(ARRAYS) * x)


def test_arrays_with_other_names_are_not_written() -> None:
    def before(x: Any) -> Any:
        first = ARRAYS[0]
        slope = grad(pushed)(x)
        first[:] = 0.0
        return np.sum(slope * ARRAYS[0])

    def after(x: Any) -> Any:
        first = ARRAYS[0]
        slope = grad(pushed)(x)
        ARRAYS[0][:] = 0.0
        return np.sum(slope * first)

    for f in (before, after):
        with pytest.raises(AliasError, match="an array of a list"):
            grad(f)(X)


def test_a_gradient_of_what_fills_a_window() -> None:
    def f(x: Any) -> Any:
        for _ in range(2):
            slope = grad(pushed)(x)
        return np.sum(slope * ARRAYS[-1])

    ARRAYS.clear()
    ARRAYS.append(np.ones(3))
    check = np.array(ARRAYS)
    assert np.allclose(grad(f)(X), 16.0 * X**3)
    assert len(ARRAYS) == 2 and not np.allclose(ARRAYS[0], check[0])


def test_a_window_that_fills_from_call_to_call() -> None:
    def f(x: Any) -> Any:
        FILLING.append(x)
        return sum(FILLING) * x

    FILLING.clear()
    found = [grad(f)(float(k)) for k in (1, 2, 3, 4)]
    assert found == [2.0, 5.0, 9.0, 13.0] and list(FILLING) == [2.0, 3.0, 4.0]


def test_a_window_of_another_kind_of_items() -> None:
    window: deque[Any] = deque([1], maxlen=2)

    def f(x: Any) -> Any:
        window.append(window[0] * x)
        return window[-1]

    assert grad(f)(2.0) == 1.0
    window[0] = 3.0
    assert grad(f)(2.0) == 3.0
    window[0] = X
    with pytest.raises(ActivityError, match="the result has shape"):
        grad(f)(2.0)


def test_a_dict_that_is_emptied() -> None:
    def f(s: Any) -> Any:
        found: dict[int, Any] = {}
        for k in range(3):
            found[k * 2] = s * k
        t = found[2] * s
        found.clear()
        found[1] = t
        return found[1] * len(found)

    check_grads(f, (1.3,))


def test_a_list_that_is_left_under_two_names_is_no_two_lists() -> None:
    found: dict[str, Any] = {}

    def f(s: Any) -> Any:
        one = [s]
        found["x"] = one
        found["y"] = one
        one.append(s * s)
        return found["x"][1] * len(found["y"])

    assert grad(f)(3.0) == 12.0 and found["x"] is found["y"]
    with pytest.raises(UnsupportedSyntaxError, match="which sets 'x' outside"):
        grad(grad(f))(3.0)

"""``callable`` of what may be one of several functions, objects or numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, value_and_grad


class Plain:
    def __init__(self) -> None:
        self.weight = 3.0


class Called(Plain):
    def __call__(self, x: Any) -> Any:
        return self.weight * x * x


def of_functions(x: Any) -> Any:
    f = np.sin if x > 0 else np.cos
    return f(x) if callable(f) else x


def of_a_function_or_a_number(x: Any) -> Any:
    f: Any = np.sin if x > 0 else 2.0
    return f(x) if callable(f) else f * x


def of_methods(x: Any) -> Any:
    one = Called()
    f = one.__call__ if x > 0 else np.cos
    return f(x) if callable(f) else x


def of_objects(x: Any) -> Any:
    one = Plain() if x > 0 else Called()
    return x * x * one.weight if callable(one) else 2.0 * x


def in_a_list(x: Any) -> Any:
    total = 0.0
    for f in [np.sin, 3.0, None, np.tanh]:
        if callable(f):
            total += f(x)
        elif f is not None:
            total += f * x  # type: ignore[operator]
    return total


PROGRAMS = [of_functions, of_a_function_or_a_number, of_methods, of_objects, in_a_list]


@pytest.mark.parametrize("x", [0.7, -0.7])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_right(program: Callable[[Any], Any], x: float) -> None:
    assert value_and_grad(program)(x)[0] == pytest.approx(program(x))
    check_grads(program, (x,), order=2)

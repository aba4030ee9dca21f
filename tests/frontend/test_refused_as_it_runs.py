"""What is refused only when the program runs is no error of the program's: its handlers do not take it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import S2sadError, check_grads, grad, jvp
from s2sad.runtime import Attempt, handler_of
from s2sad.runtime.guards import (
    PlaceError,
    SeedError,
    SequenceError,
    SharedMemoryError,
    SizeError,
    StackError,
    WrittenError,
)

X = np.array([0.7, 1.2, 0.9])


class Sum:
    def __init__(self, x):
        self.x = x

    def __add__(self, other):
        return Sum(self.x + other.x)

    def __radd__(self, other):
        return self if other == 0 else self + other


def added(x):
    return sum([Sum(v) for v in x]).x


def within_try(x):
    try:
        r = sum([Sum(v) for v in x]).x
    except TypeError:
        r = 100.0 * x[0]
    return r * r


def around_a_call(x):
    try:
        r = added(x)
    except Exception:
        r = 100.0 * x[0]
    return r * r


def from_zero(x):
    s = 0
    for v in x:
        s = s + Sum(v)
    return s.x**2


class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    __radd__ = lambda self, other: self
    __rmul__ = __mul__ = lambda self, k: Vector(k * self.x, k * self.y)

    def dot(self, other):
        return self.x * other.x + self.y * other.y


def centre(masses, xs):
    """Nothing tells before it runs that ``total`` is a vector where it is asked for a product."""
    total, mass = 0, 0.0
    for m, x in zip(masses, xs, strict=True):
        total = total + m * Vector(x, x**2)
        mass += m
    found = total * (1 / mass)
    return found.dot(found)


@pytest.mark.parametrize("count", [3, 40])
def test_what_is_never_come_to(count: int) -> None:
    check_grads(centre, (np.linspace(0.5, 1.5, count), np.cos(np.arange(count))))


@pytest.mark.parametrize("function", [within_try, around_a_call, from_zero])
def test_right_or_refused(function: Callable[..., Any]) -> None:
    expected = 2 * np.sum(X) * np.ones(3)
    for derivative in (lambda: grad(function)(X), lambda: [jvp(function, (X,), (e,))[1] for e in np.eye(3)]):
        try:
            found = derivative()
        except S2sadError:
            continue
        np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize(
    "error", [PlaceError, SeedError, SequenceError, SharedMemoryError, SizeError, StackError, WrittenError]
)
def test_no_handler_takes_a_guard(error: type[Exception]) -> None:
    with pytest.raises(error):
        with Attempt(Exception, ValueError, TypeError):
            raise error("no")
    attempt = Attempt(ValueError)
    with attempt:
        raise ValueError("the program's own")
    assert handler_of(attempt) == 1

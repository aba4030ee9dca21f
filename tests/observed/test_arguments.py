"""Programs are found again by what the arguments are: what only looks equal, or has the type's own name, is another argument."""

from __future__ import annotations

import enum
import math
from typing import Any

import numpy as np
import pytest

from s2sad import ActivityError, grad, value_and_grad


class Alike(enum.Enum):
    A = 1
    B = 2

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1


class Meta(type):
    def __eq__(cls, other):
        return True

    def __hash__(cls):
        return 1


class One(metaclass=Meta):
    k = 2.0


class Two(metaclass=Meta):
    k = 3.0


def by_what(x, t):
    if t is float:
        return x * 2.0
    if isinstance(t, enum.Enum):
        return x * x if t is Alike.A else x
    if isinstance(t, type):
        return t.k * x
    return x * t


@pytest.mark.parametrize(
    ("first", "second"),
    [((float, 2.0), (3.0, 3.0)), ((Alike.A, 4.0), (Alike.B, 1.0)), ((True, 1.0), (2, 2.0)), ((One, 2.0), (Two, 3.0))],
)
def test_arguments_that_are_alike(first: Any, second: Any) -> None:
    derived = grad(by_what)
    for argument, slope in (first, second, first, second):
        assert derived(2.0, argument) == slope


def test_the_shortest_way_is_the_same_way() -> None:
    """Calls with numbers alone are dispatched by their types: what changes is seen there, too."""
    scope: dict[str, Any] = {"k": 2.0}

    def loss(x, y=3.0):
        return scope["k"] * x * x * y

    derived, both = grad(loss), value_and_grad(loss, (0,))
    for k in (2.0, 3.0):
        scope["k"] = k
        assert derived(1.0, 2.0) == derived(1.0, y=2.0) == 4.0 * k
        assert both(1.0, 2.0) == (2.0 * k, (4.0 * k,))
        assert derived(1.0) == 6.0 * k
    scope["k"] = np.array(5.0)
    assert derived(1.0, 2.0) == 20.0
    loss.__code__ = (lambda x, y=3.0: scope["k"] * x**3 * y).__code__
    assert derived(1.0, 2.0) == 30.0
    assert derived(1.0, 2) == 30.0
    with pytest.raises(ActivityError):
        derived(1, 2.0)


TABLE: dict[Any, float] = {}


def keyed(x, table):
    total = 0.0
    for k, v in table.items():
        total = total + (v * x if isinstance(k, bool) else math.copysign(1.0, k) * v * x * x)
    return total


def keyed_globally(x):
    return keyed(x, TABLE)


def test_keys_that_are_equal() -> None:
    """1, 1.0 and True are one key, and so are 0.0 and -0.0; what a program does with them is not the same."""
    given, seen = grad(keyed), grad(keyed_globally)
    for key, slope in ((1, 4.0), (True, 2.0), (1.0, 4.0), (False, 2.0), (0.0, 4.0), (-0.0, -4.0), (0, 4.0), (1, 4.0)):
        TABLE.clear()
        TABLE[key] = 2.0
        assert given(1.0, {key: 2.0}) == slope
        assert seen(1.0) == slope

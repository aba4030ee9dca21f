"""Objects, lists and functions that change places in loops: each has what another one had before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from verdicts import assert_right


class Plain:
    def __init__(self, items):
        self.items = items

    def total(self):
        return sum(self.items)


class Double(Plain):
    def total(self):
        return sum(self.items) * 2


class Value:
    def __init__(self, v):
        self.v = v

    def total(self):
        return self.v


class Square(Value):
    def total(self):
        return self.v**2


def two_classes(x):
    a, b = Plain([x[1]]), Double([0.5, x[2]])
    for _ in range(3):
        a, b = b, a
    return b.total() + 3 * a.total()


def three_in_turn(x):
    a, b, c = Value(x[0]), Square(x[1]), Value(x[2] * 2)
    for _ in range(2):
        a, b, c = c, a, b
    return a.total() + 2 * b.total() + 3 * c.total()


def other_lengths(x):
    a, b = Plain([x[1]]), Plain([0.5, x[2]])
    for _ in range(3):
        a, b = b, a
    return b.total() * a.total()


def in_a_while_loop_with_a_break(x):
    a, b, count = Value(x[0]), Square(x[1]), 0
    while count < 10:
        a, b = b, a
        count += 1
        if count > x[2]:
            break
    return a.total() + 2 * b.total()


def on_some_turns(x):
    a, b = Value(x[0]), Square(x[1])
    for k in range(4):
        if x[k % 3] > 1.0:
            a, b = b, a
    return a.total() + 2 * b.total()


def tuples(x):
    a, b = (x[0],), (x[1], x[2])
    for _ in range(3):
        a, b = b, a
    return sum(a) + 2 * sum(b) ** 2


def in_a_loop_in_a_loop(x):
    a, b, c = Plain([x[1]]), Double([0.5, x[2]]), Plain([x[0]])
    for _ in range(2):
        for _ in range(2):
            a, b, c = b, c, a
    return c.total() + 2 * b.total() ** 2


RIGHT = (two_classes, three_in_turn, other_lengths, in_a_while_loop_with_a_break, on_some_turns, tuples, in_a_loop_in_a_loop)


@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_right(function: Callable[..., Any]) -> None:
    assert_right(function)


def swapped(x):
    a, b = Plain([x[1]]), Double([0.5, x[2]])
    for _ in range(2):
        a, b = b, a
    return b.total()


def test_the_value_too() -> None:
    assert swapped(np.array([1.0, 2.0, 3.0])) == 7.0
    assert_right(swapped)

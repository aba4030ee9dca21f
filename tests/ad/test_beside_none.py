"""What is None at first, or in some places: where something is computed of it, it is known what else it may be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from s2sad import differentiate, grad
from s2sad.rules import registry
from s2sad.rules.traits import having
from s2sad.testing import check_grads


def steps_between(xs):
    previous, total = None, 0.0
    for x in xs:
        if previous is not None:
            total = total + np.sum((x - previous) ** 2)
        previous = x * 1.5
    return total


def momentum(x, rates):
    velocity = None
    for rate in rates:
        slope = np.sin(x) + x
        velocity = slope if velocity is None else 0.9 * velocity + slope
        x = x - rate * velocity
    return np.sum(x**2)


def best_row(rows, w):
    best, top = None, None
    for row in rows:
        score = np.dot(row, w)
        if top is None or score > top:
            best, top = row, score
    return np.sum(best * w) + top


def paths(grid):
    total = [[None] * len(grid[0]) for _ in grid]
    for i, row in enumerate(grid):
        for j, cell in enumerate(row):
            up = total[i - 1][j] if i > 0 else 0.0
            left = total[i][j - 1] if j > 0 else 0.0
            total[i][j] = cell * (1.0 if i == j == 0 else up + left)
    return total[-1][-1]


def added_in_a_table(x, n):
    table = [None] * n
    for k in range(n):
        table[k] = x[k] * x[k]
        table[k] += x[0]
        if k > 0:
            table[k] *= table[k - 1]
    return table[-1]


def by_key(x, names):
    table = dict.fromkeys(names)
    for k, name in enumerate(names):
        table[name] = x[k] * x[k]
    total = 0.0
    for name in names:
        value = table[name]
        total = total + math.sin(value) * value
    return total


@dataclass
class Filter:
    """A state that there is not before the first step."""

    rate: float
    state: Any = None

    def step(self, x):
        """The state behind the next step."""
        self.state = x if self.state is None else self.state * (1 - self.rate) + self.rate * x
        return self.state


def filtered(x, rate):
    found, total = Filter(rate), 0.0
    for k in range(len(x)):
        total = total + found.step(x[k]) ** 2
    return total


def taken_out(x):
    waiting = [None, x[0], x[1]]
    total = 0.0
    while waiting:
        item = waiting.pop()
        if item is not None:
            total = total + item * item
    return total


def returned(x, limit):
    found = None
    for k in range(len(x)):
        if x[k] > limit:
            found = x[k] * x[k]
            break
    return 0.5 * np.sum(x) if found is None else found * x[0]


def numbers_and_arrays(x, n):
    """What may be an array, too, is as unknown as before."""
    table = [None] * n
    for k in range(n):
        table[k] = x * x if k == 1 else x[0] * k
    return np.sum(table[0] * x) + np.sum(table[1] * x[0])


def stretched(rows):
    """Rows of one item meet longer ones."""
    total, previous = 0.0, None
    for row in rows:
        if previous is not None:
            total = total + np.sum(row * previous)
        previous = row**2
    return total


def items(*size):
    return np.random.default_rng(5).normal(size=size)


LEAN = [
    (steps_between, ([items(4), items(4) + 1, items(4) ** 2],), (0,)),
    (momentum, (items(4), [0.1, 0.05, 0.2]), (0, 1)),
    (best_row, ([items(4), items(4) + 1, items(4) ** 2], items(4) + 0.5), (0, 1)),
    (paths, ([[1.0, 2.0, 0.5], [0.3, 0.2, 0.7]],), (0,)),
    (added_in_a_table, (items(4), 4), (0,)),
    (by_key, (items(3), ["a", "b", "c"]), (0,)),
    (filtered, (items(4), 0.3), (0, 1)),
    (taken_out, (items(4),), (0,)),
    (returned, (items(4), -0.2), (0,)),
]
OTHERS = [
    (numbers_and_arrays, (items(4), 3), (0,)),
    (stretched, ([items(1), items(4), items(1), items(4)],), (0,)),
    (stretched, ([items(4), items(4), items(1)],), (0,)),
    (stretched, ([items(0), items(0)],), (0,)),
    (steps_between, ([items(1), items(3), items(3)],), (0,)),
    (returned, (items(4), 20.0), (0,)),
]


@pytest.mark.parametrize(("function", "args", "wrt"), [*LEAN, *OTHERS], ids=lambda part: getattr(part, "__name__", ""))
def test_gradients(function, args, wrt):
    check_grads(function, args, wrt=wrt, jointly=True)


@pytest.mark.parametrize(("function", "args", "wrt"), LEAN, ids=lambda part: getattr(part, "__name__", ""))
def test_nothing_is_summed_for_shapes(function, args, wrt):
    text = differentiate(function, wrt=wrt).source("adjoint", *args)
    summed = [line for line in text.splitlines() if "unbroadcast(" in line and "rate_bar" not in line]
    assert not summed, text


def test_numbers_of_single_precision_stay_so():
    args = ([items(3).astype("float32"), items(3).astype("float32")],)
    found = grad(steps_between)(*args)
    assert [part.dtype for part in found] == [np.dtype("float32")] * 2


@pytest.mark.parametrize("name", sorted(having("refuses None")))
def test_functions_refuse_none(name):
    function = registry.find_object(name)
    count = len([p for p in registry.lookup(name).parameters if not p[1]]) or 1
    for other in (0.5, np.array([0.5, 0.75]), np.float64(0.5)):
        for places in range(1, min(count, 2) + 1):
            for at in range(places):
                with pytest.raises((TypeError, ValueError, AttributeError)):
                    function(*(None if k == at else other for k in range(places)))

"""``(*t, v)`` and ``f(*t)`` where ``t`` is one of several tuples, or grows in a loop: what is made is a tuple, of known items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, jvp


@dataclass(frozen=True)
class Path:
    x: float
    history: tuple[float, ...] = ()

    def step(self):
        return replace(self, x=self.x * 1.1, history=(*self.history, self.x))


def counted(s):
    h = ()
    for i in range(3):
        h = (*h, i)
    return s * sum(h)


def at_the_end(s):
    h = ()
    for i in range(3):
        h = (*h, s * i)
    return sum(h) * s


def at_the_beginning(s):
    h = (s,)
    for i in range(3):
        h = (s * i, *h)
    return h[0] * sum(h)


def in_a_field(s):
    path = Path(s)
    for _ in range(4):
        path = path.step()
    return path.x * path.history[1]


def while_short(s):
    h = ()
    while len(h) < 4:
        h = (*h, s * len(h))
    return h[-1] * s


def of_items(x):
    h = ()
    for v in x[:3]:
        h = (*h, v * v)
    return max(h) * sum(h)


def of_a_branch(s):
    t = (s,) if s > 1.0 else (s, s * s)
    u = (*t, *t, 3.0 * s)
    return sum(u) * len(u) * isinstance(u, tuple)


def in_a_list(s):
    t = (s,) if s > 1.0 else (s, s * s)
    u = [*t, 3.0 * s]
    return sum(u) * len(u) * isinstance(u, list)


def in_a_call(s):
    def g(*a):
        return sum(a) * len(a)

    t = (s,) if s > 1.0 else (s, s * s)
    return g(*t, 2.0 * s)


def of_a_list(x):
    items = [v * v for v in x]
    t = (*items, 2.0)
    return t[0] * t[-1] * isinstance(t, tuple)


def in_order(s):
    it = iter([s, s * s, s**3])
    a = [next(it), *it]
    return a[0] + 2.0 * a[1] + 3.0 * a[2]


NUMBERS = [counted, at_the_end, at_the_beginning, in_a_field, while_short, of_a_branch, in_a_list, in_a_call, in_order]


@pytest.mark.parametrize("f", NUMBERS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("s", [0.7, 1.5])
def test_of_a_number(f: Callable[..., Any], s: float) -> None:
    check_grads(f, (s,))


@pytest.mark.parametrize("f", [of_items, of_a_list], ids=lambda f: f.__name__)
def test_of_items(f: Callable[..., Any]) -> None:
    check_grads(f, (np.array([1.5, 2.0, 3.0, 0.5]),))


def test_result() -> None:
    def f(x):
        h = ()
        for v in x:
            h = (*h, v * v)
        return h

    value, tangent = jvp(f, (np.array([1.0, 2.0]),), (np.ones(2),))
    assert value == (1.0, 4.0) and tangent == (2.0, 4.0)

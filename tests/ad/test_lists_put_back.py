"""Lists that a callee reads, and that are changed afterwards: the reverse sweep finds them as they were, or it is refused."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mode_pairs import MODES, check, check_pair

from s2sad import grad
from s2sad.errors import AliasError

X = np.array([0.3, 0.5, 0.7, 1.1])


def by_index(xs):
    t = 0.0
    for i in range(len(xs)):
        t += np.sin(xs[i]) * xs[i]
    return t


def as_array(xs):
    return np.sum(np.array(xs) ** 2)


def calling_itself(xs, n):
    if n == 0:
        return np.sum(xs[0] ** 2)
    return calling_itself(xs, n - 1) * np.sum(np.sin(xs[n]))


def of_arrays(xs, k):
    t = 0.0
    for a in xs:
        t += np.sum(a**2) * k
    return t


def shifted(x):
    xs = [x[0], x[1], x[2]]
    t = by_index(xs)
    xs.pop(0)
    xs.append(x[3] * 2)
    return t * by_index(xs)


def inserted(x):
    xs = []
    for v in x:
        xs.append(v * v)
    t = calling_itself(xs, 2)
    xs.pop(0)
    xs.insert(0, x[0])
    xs.insert(-1, x[1])
    t += calling_itself(xs, 2) * t
    del xs[0]
    return t + calling_itself(xs, 1)


def emptied(x):
    xs = []
    for v in x:
        xs.append(v * v)
    t = as_array(xs)
    xs.pop()
    t = t * as_array(xs)
    xs.clear()
    xs.extend([t, x[0]])
    return t * as_array(xs)


def arrays_in_it(x):
    xs = []
    for k in range(3):
        xs.append(x * k)
    t = of_arrays(xs, x[0])
    xs.pop(1)
    xs[0] = x * x
    xs[1] *= 2.0
    xs[1][0] *= x[1]
    u = of_arrays(xs, t)
    xs[0] += x
    return u * of_arrays(xs, x[1])


def replaced(x):
    xs = []
    for k in range(3):
        xs.append(x * k + 1)
    t = calling_itself(xs, 2)
    xs.pop(1)
    xs[0] = x * x
    xs[1] *= 2.0
    u = calling_itself(xs, 1)
    xs[0] += x
    xs.insert(0, x)
    return u * calling_itself(xs, 2) * t


def in_a_loop(x):
    xs = []
    for k in range(3):
        xs.append(x * k + 1)
    t = 0.0
    while len(xs) > 0:
        t += calling_itself(xs, len(xs) - 1)
        xs.pop(len(xs) // 2)
    return t


def under_a_condition(x):
    xs = [x[0], x[1], x[2]]
    t = by_index(xs)
    if t > 0.0:
        xs.pop(0)
    for v in x:
        if v > 0.6:
            xs.insert(1, v * t)
    return t * by_index(xs)


def shuffled(x):
    c = np.arange(4.0)
    y = np.sum(c * x**2)
    np.random.default_rng(3).shuffle(c)
    return y * np.sum(c * x)


PROGRAMS: list[Callable[..., Any]] = [
    shifted, inserted, emptied, arrays_in_it, replaced, in_a_loop, under_a_condition, shuffled,
]  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_reverse_mode(function: Callable[..., Any]) -> None:
    check(function, (X,), "adjoint")


@pytest.mark.deep
@pytest.mark.parametrize("pair", list(itertools.product(MODES, MODES)))
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_second_order(function: Callable[..., Any], pair: tuple[str, str]) -> None:
    if function is arrays_in_it and pair == ("adjoint", "adjoint"):
        with pytest.raises(AliasError, match="add_into_items may write"):
            check_pair(function, (X,), *pair)
    else:
        check_pair(function, (X,), *pair)


def values(d, keys):
    t = 0.0
    for k in keys:
        t += np.sin(d[k]) * d[k]
    return t


def popped(x, keys):
    d = {}
    for k in keys:
        d[k] = x[k] * 2
    t = values(d, keys)
    d.pop(keys[0])
    d[keys[0]] = t
    return t * values(d, keys)


def test_what_cannot_be_put_back_is_refused() -> None:
    with pytest.raises(AliasError, match="pop may write into"):
        grad(popped)(X, [0, 1])

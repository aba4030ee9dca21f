"""Tuples that have other lengths on other paths: which one it is, the running program knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from verdicts import assert_raises, assert_right

from s2sad import S2sadError, grad, jvp
from s2sad.runtime.guards import MOST_ITEMS


class C:
    pass


def concatenated(s):
    t = (s,)
    if s > 1.0:
        t = t + (s * s,)
    if s > 1.2:
        t += (s * 3, s)
    return sum(t) + max(t)


def run_through(s):
    t = (s, s * s, 3.0) if s > 1.0 else (s,)
    r = 0.0
    for v in t:
        r += v * v
    for k, v in enumerate(t):
        r += v * k
    return r


def read_by_index(s):
    t = (s, s * s) if s < 1.0 else (s, s**3, 2.0)
    return t[0] * t[1] * t[-1] + (t[2] if len(t) > 2 else 0.0)


def spread_over_parameters(s):
    t = (s, s * s) if s > 1.0 else (s,)

    def g(a, b):
        return a * b

    return g(*t)


def handed_to_numpy(s):
    t = (s, s * s) if s > 1.0 else (s,)
    return np.sum(np.array(t)) + np.sum(t) + np.prod(np.asarray(t))


def asked_for_truth(s):
    t = (s,) if s > 1.0 else ()
    return s * s if t else s


def made_in_a_loop(x):
    r = 0.0
    for v in x:
        t = (v, v * v) if v > 1.0 else (v,)
        r += sum(t)
    return r


def carried_by_a_loop(x):
    t = (1.0,)
    r = 0.0
    for v in x:
        r += sum(t)
        t = (v, v * v) if v > 1.0 else (v,)
    return r + sum(t)


def as_an_axis(x):
    m = np.outer(x, x)
    ax = (0, 1) if np.sum(x) > 1 else (0,)
    return np.sum(np.sum(m, axis=ax))


def or_none(s):
    t = None
    if s > 1.0:
        t = (s, s)
    elif s > 5.0:
        t = (s,)
    return sum(t) if t is not None else s


def one_or_two(s):
    if s > 1.0:
        return s, s * s
    return (s,)


def returned(s):
    return sum(one_or_two(s)) + one_or_two(s)[0]


def in_a_field(s):
    c = C()
    c.t = (s,)
    if s > 1.0:
        c.t = c.t + (s * s,)
    return sum(c.t)


def taken_apart_around(s):
    t = (s, s * s) if s < 1.0 else (s, s, s)
    a, *b = t
    return a * sum(b)


def put_in_order(s):
    t = (s, s * s, -s) if s > 1.0 else (s,)
    return sorted(t)[0] * 2 + min(t) + list(t)[-1] + list(reversed(t))[-1]


def side_by_side(s):
    t = (s, s * s) if s > 1.0 else (s,)
    return sum(a * b for a, b in zip((1.0, 2.0), t))


def or_a_list(s):
    t = [s, s] if s > 1.0 else (s,)
    return sum(t) * (2.0 if isinstance(t, list) else 3.0)


def asked_for_members(s):
    t = (1, 2) if s > 1.0 else (1,)
    return s * (2.0 if 2 in t else 3.0)


def changed_while(s):
    t = (s,)
    n = 0
    while n < 3:
        if t[0] > 1.5:
            t = (t[0] * 0.5,)
        else:
            t = (t[0] * 1.5, s)
        n += 1
    return sum(t)


def handed_to_functions(s):
    t = (s, s * s) if s > 1 else (s,)
    table = {"k": t, "l": (s,)}
    return sum(table["k"]) * len(table["k"]) + (lambda t, w: sum(t) * w)(t, 2.0)


def of_windows(x):
    a, b = x * 1.0, x * 3.0
    t = (a, b) if x[0] > 0 else (b,)
    t[0][0] = 7.0 * x[1]
    for v in t:
        v += x
    return np.sum(a * b)


def grows_in_a_loop(x):
    t = ()
    for v in x:
        t = t + (v,)
    return sum(t)


def too_few_for_two_names(s):
    t = (s, s * s) if s < 1.0 else (s, s, s)
    a, b = t
    return a * b


def too_few_for_an_index(s):
    t = (s, s * s) if s > 1.0 else (s, s**3, 2.0)
    return t[2] * s


def too_few_for_parameters(s):
    t = (s, s * s) if s < 1.0 else (s,)
    return (lambda a, b: a * b)(*t)


RIGHT = [
    grows_in_a_loop,
    concatenated, run_through, read_by_index, spread_over_parameters, handed_to_numpy, asked_for_truth,
    made_in_a_loop, carried_by_a_loop, as_an_axis, or_none, returned, in_a_field,
    taken_apart_around, put_in_order, side_by_side, or_a_list, asked_for_members,
    changed_while, handed_to_functions, of_windows,
]  # fmt: skip
RAISES = [
    (too_few_for_two_names, ValueError),
    (too_few_for_an_index, IndexError),
    (too_few_for_parameters, TypeError),
]


@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_right(function: Callable[..., Any]) -> None:
    assert_right(function)


@pytest.mark.parametrize(("function", "error"), RAISES, ids=lambda f: f.__name__)
def test_raises_what_python_raises(function: Callable[..., Any], error: type[Exception]) -> None:
    assert_raises(function, error)


@pytest.mark.parametrize("mode", ["adjoint", "tangent"])
def test_a_tuple_that_grows_in_a_loop_is_refused(mode: str) -> None:
    derivative = grad(grows_in_a_loop) if mode == "adjoint" else lambda x: jvp(grows_in_a_loop, (x,), (x,))
    with pytest.raises(S2sadError):
        derivative(np.ones(MOST_ITEMS + 1))

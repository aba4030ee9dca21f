"""Which places are looked at, and what is looked at once before a loop."""

from __future__ import annotations

import numpy as np
import pytest
from both_backends import assert_same, both, compiled

from s2sad.derivatives import Ask, Derivatives
from s2sad.options import Options

pytest.importorskip("numba")
X, A = np.ones(6), np.ones((4, 4))


def neighbours(x):
    s = 0.0
    for i in range(len(x) - 1):
        s += x[i] * x[i + 1]
    return s


def backwards(x):
    s = 0.0
    for i in range(len(x) - 2, -1, -1):
        s += x[i] * x[i + 1]
    return s


def triangle(a):
    s = 0.0
    for j in range(a.shape[0]):
        for i in range(j, a.shape[0]):
            for k in range(j):
                s += a[i, 0] * a[k, 0]
    return s


def before_the_first(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i - 1]
    return s


def after_the_last(x):
    s = 0.0
    for i in range(len(x)):
        if i + 1 < len(x):
            s += x[i + 1]
    return s


def of_another(x, y):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i]
    return s


def made_within(x):
    s = 0.0
    for i in range(len(x)):
        u = x[:i]
        for k in range(len(u)):
            s += u[k] * x[k]
    return s


def as_often_as_told(x, n):
    s = 0.0
    for i in range(n):
        s += x[i]
    return s


def now_and_then(x, y):
    s = 0.0
    for i in range(len(x)):
        if x[i] > 0.0:
            s += y[i]
    return s


def left_early(x, y):
    s = 0.0
    for i in range(len(x)):
        s += y[i]
        if s > 10.0:
            break
    return s


def in_no_turn(x):
    """The last outer turn has no inner one, which alone would use a place outside."""
    s = 0.0
    for i in range(1, len(x) + 1):
        for j in range(i, len(x)):
            s += x[i] * x[j]
    return s


@pytest.mark.parametrize(
    ("function", "args", "looked"),
    [(neighbours, (X,), 0), (backwards, (X,), 0), (triangle, (A,), 0), (before_the_first, (X,), 1), (after_the_last, (X,), 1),
     (of_another, (X, X), 0), (made_within, (X,), 0), (as_often_as_told, (X, 5), 0), (now_and_then, (X, X), 1),
     (left_early, (X, X), 1), (in_no_turn, (X,), 0)],
)  # fmt: skip
def test_places_that_lie_within_are_not_looked_at_one_by_one(function, args, looked) -> None:
    """``looked``: how many reads of the primal are."""
    text = compiled(function, Ask("primal", (), None), Derivatives(function, Options()).arguments(args, {}), "numba").entry.source
    assert text.count(" at(") + text.count("[at(") == looked, text
    assert ("inside(" in text) == (function not in (before_the_first, after_the_last, left_early)), text
    assert ("ahead(" in text) == (function in (triangle, in_no_turn)), text


def same(function, *args) -> None:
    assert_same(*both(function, args, "adjoint", compile=False))


def test_looks_before_loops_raise_for_what_loops_use_alone() -> None:
    """Machine code goes on where a loop comes to no place outside, and stops where it does."""
    same(in_no_turn, X)
    same(in_no_turn, X[:0])
    same(now_and_then, np.array([1.0, -1.0]), X[:1])
    same(left_early, X, 20.0 * X[:1])
    same(as_often_as_told, X[:0], 0)
    same(as_often_as_told, X[:0], -2)
    same(of_another, X[:0], X[:0])
    same(triangle, A[:0])
    for function, args in [(of_another, (X, X[:4])), (as_often_as_told, (X, 7)), (triangle, (A[:, :0],))]:
        with pytest.raises(IndexError):
            same(function, *args)

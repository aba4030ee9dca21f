"""Which places are looked at, and what is looked at once before a loop."""

from __future__ import annotations

import numpy as np
import pytest
from both_backends import compiled

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


@pytest.mark.parametrize(
    ("function", "args", "looked"),
    [(neighbours, (X,), 0), (backwards, (X,), 0), (triangle, (A,), 2), (before_the_first, (X,), 1), (after_the_last, (X,), 1),
     (of_another, (X, X), 1), (made_within, (X,), 1)],
)  # fmt: skip
def test_places_that_lie_within_are_not_looked_at_one_by_one(function, args, looked) -> None:
    """``looked``: how many reads of the primal are."""
    text = compiled(function, Ask("primal", (), None), Derivatives(function, Options()).arguments(args, {}), "numba").entry.source
    assert text.count(" at(") + text.count("[at(") == looked, text
    assert ("inside(" in text) == (function not in (before_the_first, after_the_last)), text

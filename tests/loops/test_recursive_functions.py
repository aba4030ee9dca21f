"""Tapes of recursive functions are places in lists: both back ends agree, and what has no type stays with NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from both_backends import NotNative, assert_same, both

pytest.importorskip("numba")


def fibonacci(x, n):
    if n == 0:
        return x[0]
    if n == 1:
        return x[1] * x[0]
    return fibonacci(x, n - 1) * x[n % len(x)] + fibonacci(x, n - 2)


def halves(x):
    if len(x) == 1:
        return x[0] ** 2
    m = len(x) // 2
    return halves(x[:m]) * halves(x[m:]) + x[0]


def even(x, n):
    if n == 0:
        return x[0]
    return odd(x, n - 1) * x[1]


def odd(x, n):
    if n == 0:
        return x[1] * x[0]
    return np.tanh(even(x, n - 1) + x[2])


def tree(x, n):
    """Records how often a loop calls, and numbers and arrays that only some calls have."""
    y = x.copy()

    def grow(y, k):
        if k <= 0:
            return 0.0
        s = 0.0
        for i in range(2):
            y[i] = y[i] * y[(k + i) % len(y)]
            s += grow(y, k - 1 - i)
        return s + y[0]

    return grow(y, n) + np.sum(y)


def rows(a, n):
    """Arrays of several axes, integers and truth values."""
    if n == 0:
        return np.sum(a * a)
    b = np.tanh(a[:, ::-1] + a[0])
    return rows(b, n - 1) if b[0, 0] > 0.0 else 0.5 * rows(b.T, n - 1) + np.sum(b)


def lists(x, n):
    """Lists of numbers."""
    if n == 0:
        return x[0]
    return lists([v * v for v in x], n - 1) + x[1]


def fewer_axes(a, n):
    """Arrays of as many axes as the call is deep."""
    if n == 0:
        return np.sum(a * a)
    return fewer_axes(np.tanh(a)[0], n - 1) + a.flat[0]


def lists_of_arrays(x, n):
    """Lists of what loops record, as long as the loops."""
    if n == 0:
        return np.sum(x)
    y = x
    for _ in range(2):
        y = np.tanh(y * y)
    return lists_of_arrays(y, n - 1) + x[0]


def cycle(u):
    """Only the shapes of some arrays are recorded, and only in calls that are not the last."""
    if len(u) <= 3:
        u[1] = 0.5 * (u[0] + u[2]) * u[1]
        return
    v = u[::2] * 2.0
    w = 0.25 * v
    error = np.zeros(len(v)) + w
    cycle(error)
    u[::2] += error * error
    u[1::2] += 0.5 * (error[1:] + error[:-1])


def cycles(u):
    v = u * 1.0
    cycle(v)
    return np.sum(v * v)


X = [0.5, 1.5, -0.7, 0.9, 1.1]
CALLS = {
    "fibonacci": (fibonacci, (np.array(X), 6)), "its end": (fibonacci, (np.array(X), 1)), "halves": (halves, (np.array(X),)),
    "two functions": (even, (np.array(X), 5)), "tree": (tree, (np.array(X), 4)), "rows": (rows, (np.outer(X[:3], X[:3]), 3)),
    "cycles": (cycles, (np.linspace(0.5, 1.5, 9),)), "lists": (lists, ([0.5, 1.5], 2)),
}  # fmt: skip


@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n in ("halves", "tree") else pytest.mark.deep) for n in CALLS])
def test_both_back_ends_agree(name: str) -> None:
    function, args = CALLS[name]
    assert_same(*both(function, args, "adjoint"))


@pytest.mark.parametrize("name", CALLS)
def test_texts_agree(name: str) -> None:
    function, args = CALLS[name]
    assert_same(*both(function, args, "adjoint", compile=False))


@pytest.mark.parametrize(("function", "argument"), [(fewer_axes, np.outer(X, X)), (lists_of_arrays, np.array(X))])
def test_what_has_no_type_is_not_compiled(function, argument) -> None:
    with pytest.raises(NotNative):
        both(function, (argument, 2), "adjoint", compile=False)

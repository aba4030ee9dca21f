"""Items of lists that are replaced by arrays of another shape: the adjoint of what stood there has its shape again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from thinning import thinned

from s2sad import S2sadError, check_grads, grad, hvp, jvp

X = np.array([1.1, 2.3, 0.7, 0.5, 0.9, 1.3])


def broadcast(x):
    n, s = [np.full(3, x[0]), np.full(3, x[1])], 0.0
    for i in range(2):
        a = n[i]
        n[i] = np.ones((2, 3)) * x[2]
        s += np.sum(a * a)
    return s


def by_a_slice(x):
    b = np.full(3, x[1])
    rows = [np.full(3, x[0]), b]
    rows[1:] = [np.full((2, 3), x[3])]
    return np.sum(b**2) + np.sum(rows[1] ** 2)


def shorter(x):
    rows = [x * 1.0, x[1:5] * 2]
    rows[1:] = [x[:3] ** 2]
    return sum(np.sum(v) for v in rows)


def chosen(x):
    rows = [x[:3] * 1.0, x[3:] * 2]
    i = int(x[0] > 0)
    a = rows[i]
    rows[i] = np.outer(x[:2], x[:3])
    return np.sum(a * a) + np.sum(rows[i])


def shrinking(x):
    rows, s = [x * 1.0, x[1:] * 2], 0.0
    for _ in range(2):
        for i in range(2):
            s += np.sum(rows[i] ** 2)
            rows[i] = rows[i][1:]
    return s


def growing(x):
    rows, s = [x[:2] * 1.0, x[2:3] * 2], 0.0
    for k in range(4):
        rows[k % 2] = np.concatenate([rows[k % 2], x[:1]])
        s += np.sum(rows[k % 2] ** 2)
    return s


def swapped(x):
    rows = [x * 1.0, x[:4] * 2]
    for _ in range(2):
        rows[0], rows[1] = rows[1][1:], rows[0]
    return np.sum(rows[0] ** 2) + np.sum(rows[1] ** 3)


def in_a_deque(x):
    d = deque([x * 1.0, x[:4] * 2])
    for k in range(2):
        d[k] = d[k][1:] ** 2
    d.rotate(1)
    return np.sum(d[0] ** 2) + np.sum(d[1])


def number_for_an_array(x):
    rows = [x[0] * np.ones(3), x[1] * np.ones(3)]
    i = int(x[3] > 0)
    a = rows[i]
    rows[i] = x[4] ** 2
    return np.sum(a * a) + rows[i]


def array_for_a_number(x):
    items, s = [x[0] * x[1], x[1] * x[2]], 0.0
    for i in range(2):
        a = items[i]
        items[i] = x * 0.9
        s += np.sum(a * a)
    return s


def nested(x):
    rows = [[x[:2] * 1.0, x[2:] * 1.0], [x[:3] * 1.0]]
    m = rows[0]
    m[0] = x[:4] * 2
    return sum(np.sum(v * v) for row in rows for v in row) + np.sum(m[0] ** 3)


def one_of_two(x):
    a, b = [x * 1.0, x[:2] * 1.0], [x[:3] * 2.0, x[3:] * 1.5]
    if x[0] > 0.4:
        b = a
    b[0] = x[1:] * x[1:]
    return np.sum(a[0]) + np.sum(b[1] ** 2)


def written(x):
    rows = [x * 1.0, x[:3] * 2.0]
    rows[1] *= 2.0
    a = rows[0]
    a[1:] *= x[0]
    rows[0] = a[:2] * 3.0
    rows[0][0] = x[1] ** 2
    return np.sum(a**2) + np.sum(rows[0] ** 2) + np.sum(rows[1])


def argument(rows, x):
    s = 0.0
    for i in range(len(rows)):
        s += np.sum(rows[i] * rows[i])
        rows[i] = np.ones(3) * x[2]
    return s


def key_of_a_dict(d, x):
    k = "a" if x[0] > 0 else "b"
    d[k] = d[k] * x[0]
    return np.sum(d[k] ** 2)


def number_of_a_dict(d, x):
    for k in range(2):
        d[k + 1] = d[k] * x[:2] * d[k + 1]
    return np.sum(d[2] ** 2)


PROGRAMS = [
    broadcast, shorter, shrinking, growing, swapped, in_a_deque, number_for_an_array, array_for_a_number,
    nested, one_of_two, written,
]  # fmt: skip


@pytest.mark.parametrize("f", thinned(PROGRAMS, 2, lambda f: f.__name__))
def test_items(f: Callable[..., Any]) -> None:
    check_grads(f, (X,), order=2)


@pytest.mark.parametrize("f", [by_a_slice, chosen], ids=lambda f: f.__name__)
def test_other_numbers_of_axes(f: Callable[..., Any]) -> None:
    """In second derivatives such items may be arrays without axes, or numbers, for all that is known: refused."""
    check_grads(f, (X,))
    with pytest.raises(S2sadError, match="items of different kinds"):
        hvp(f, (X,), (X,))


def test_of_an_argument() -> None:
    for rows in ([X[:1] * 1.0, X[1:2] * 2.0], [X[:3] * 1.0, X[3:] * 2.0]):
        check_grads(argument, (rows, X), order=2)


def test_of_a_dict() -> None:
    tables: list[tuple[Callable[..., Any], dict[Any, Any]]] = [
        (key_of_a_dict, {"a": X * 1.0, "b": X * 2.0}), (number_of_a_dict, {0: X[:2] * 1.0, 1: X[2:4] * 2.0, 2: X[4:] * 1.0}),
    ]  # fmt: skip
    for f, d in tables:
        check_grads(f, (d, X))
        h = 1e-6
        moved = [grad(f, 1)({k: v + s * v for k, v in d.items()}, X + s * X) for s in (h, -h)]
        for mode in ("fwd", "rev"):
            product = hvp(f, (d, X + 0), (d, X), mode=mode)[1][1]
            np.testing.assert_allclose(product, (moved[0] - moved[1]) / (2 * h), rtol=1e-7)


def squares(ps, n):
    t = 0.0
    for p in ps:
        t = t + p * p
    return t if n == 0 else t + 0.5 * squares(ps, n - 1)


def first(ps, n):
    return ps[0] * ps[0] if n == 0 else 0.5 * first(ps, n - 1)


def summed(ps, n):
    return sum(ps) if n == 0 else 0.5 * summed(ps, n - 1)


def stacked(ps, n):
    return np.sum(np.array(ps) ** 2) if n == 0 else 0.5 * stacked(ps, n - 1)


@pytest.mark.parametrize("function", [squares, first, summed, stacked], ids=lambda f: f.__name__)
def test_lists_that_a_recursion_is_given(function: Callable[..., Any]) -> None:
    """What the caller has put there is not known where the function is looked at first, if other names lead to the list."""

    def by_its_name(x):
        xs, s = [x[0], x[1]], 0.0
        for _ in range(int(x[1])):
            s = s + np.sum(function(xs, int(x[1])))
            xs[0] = x[2:4] if x[0] > 0.1 else x[1]
            xs[1] = x[3:5] if x[0] > 0.1 else x[1]
        return s

    def by_another_list(x):
        xs, s = [x[0], x[1]], 0.0
        lists = [xs, xs]
        for _ in range(int(x[1])):
            s = s + np.sum(function(xs, int(x[1])))
            lists[int(x[0] > 9.0)][0] = x[2:4] if x[0] > 0.1 else x[1]
            lists[int(x[0] > 9.0)][1] = x[3:5] if x[0] > 0.1 else x[1]
        return s

    check_grads(by_its_name, (X,))
    with pytest.raises(S2sadError, match="items of different kinds"):
        grad(by_another_list)(X)
    with pytest.raises(S2sadError, match="items of different kinds"):
        jvp(by_another_list, (X,), (X,))


class Matrix:
    def __init__(self, rows):
        self.rows = [list(row) for row in rows]

    def minor(self, j):
        return Matrix([row[:j] + row[j + 1 :] for row in self.rows[1:]])

    def determinant(self):
        if len(self.rows) == 1:
            return self.rows[0][0]
        return sum((-1) ** j * self.rows[0][j] * self.minor(j).determinant() for j in range(len(self.rows)))


def by_minors(a):
    return Matrix(a).determinant()


def test_what_a_recursion_records_is_told_in_few_words():
    a = np.array([[1.0, 2.0, 0.5], [0.3, -1.0, 0.2], [0.7, 0.1, 2.0]])
    assert np.allclose(grad(by_minors)(a), np.linalg.det(a) * np.linalg.inv(a).T)
    with pytest.raises(S2sadError, match="what is recorded in determinant") as caught:
        hvp(by_minors, (a,), (a,))
    assert len(str(caught.value)) < 600

"""Names that are None until something is found, and functions that return None or a tuple: in both modes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from programs.language.control import returns_none_branch
from programs.language.curves import arc_length

from s2sad import S2sadError, check_grads, grad


def best_of(xs, c):
    best = None
    for k in range(len(xs)):
        d = (xs[k] - c) ** 2
        if best is None or d < best[0]:
            best = (d, xs[k] * c)
    return best[0] + best[1] if best is not None else 0.0


def hit(o, d, c):
    b = o * d - c
    disc = b * b - 0.1
    if disc < 0:
        return None
    s = np.sqrt(disc)
    return -b - s, -b + s


def trace(o, d):
    total = 0.0
    for c in (0.1, 2.0, 0.9):
        h = hit(o, d, c)
        if not h:
            continue
        near, far = h
        total += near * far**2
    return total


@dataclass
class P:
    x: float
    w: float


def heaviest(xs):
    top = None
    for k in range(len(xs)):
        p = P(xs[k], xs[k] ** 2)
        if top is None or p.w > top.w:
            top = p
    return top.x * top.w


def ret(x):
    return (x, x) if x > 0 else None


X = np.array([0.3, 0.6, 0.8, 0.1])


@pytest.mark.parametrize(
    ("function", "args"),
    [(best_of, (X, 0.5)), (returns_none_branch, (0.2, 0.5)), (returns_none_branch, (0.2, 5.5)), (arc_length, (0.5, 0.7)),
     (trace, (0.5, 0.7)), (heaviest, (X,))],
)  # fmt: skip
def test_none_until_found(function, args) -> None:
    check_grads(function, args)


def test_returning_none_or_a_tuple_to_the_user_is_refused() -> None:
    with pytest.raises(S2sadError, match="may be None"):
        grad(ret)(0.3)


# --- questions for the class and the length of what may be None


def listed_or_none(m):
    return None if m[0] < 0 else [v * 2 for v in m]


def paired_or_none(m):
    return None if m[0] < 0 else (m[0] * 2, m[1], m[2])


class Long:
    def __init__(self, v):
        self.v = v

    def __len__(self):
        return 7


def long_or_none(m):
    return None if m[0] < 0 else Long(m)


def length_of_a_list(m):
    return len(listed_or_none(m)) * m[0]


def range_of_a_length(m):
    v = listed_or_none(m)
    return sum(v[i] ** 2 for i in range(len(v)))


def class_of_a_tuple(m):
    return m[0] ** 2 if isinstance(paired_or_none(m), tuple) else m[1] ** 2


def class_of_a_tuple_that_is_none(m):
    v = paired_or_none([-m[0], m[1], m[2]])
    return m[0] ** 2 if isinstance(v, tuple) else m[1] ** 2 if isinstance(v, type(None)) else m[2]


def other_class(m):
    return m[0] ** 2 if isinstance(long_or_none(m), list | dict) else m[1] ** 2


def own_length(m):
    return len(long_or_none(m)) * m[0] ** 2


def called(m):
    f = None if m[0] < 0 else lambda v: v * m[1]
    return f(m[0]) if callable(f) else m[2]


@pytest.mark.parametrize(
    "function",
    [length_of_a_list, range_of_a_length, class_of_a_tuple, class_of_a_tuple_that_is_none, other_class, own_length, called],
    ids=lambda f: f.__name__,
)
def test_class_and_length(function):
    check_grads(function, ([0.6, 0.3, 0.9],), order=2)


# --- lists with None under two names


def second_name(x):
    r = [x[0], None]
    n = r
    n[1] = x[1] ** 2
    return r[0] if r[1] is None else r[1]


def in_a_helper(x):
    def put(n):
        n[1] = x[1] ** 2

    r = [x[0], None]
    put(r)
    return r[0] if r[1] is None else r[1]


def both_at_once(x):
    r = [x[0], None]
    a, b = r, r
    a[1] = x[1] ** 2
    return b[0] if b[1] is None else b[1]


def tree(x):
    root = [x[0], None, None]
    n = root
    n[1] = [x[1] ** 2, None, None]
    return root[0] + (root[1][0] if root[1] is not None else 0.0)


@pytest.mark.parametrize("function", [second_name, in_a_helper, both_at_once, tree], ids=lambda f: f.__name__)
def test_two_names(function):
    check_grads(function, (np.array([0.6, 0.3, 0.9]),), order=2)


def one_of_two_names(x):
    r = [x[0], None]
    n = r if x[0] > 0 else [1.0, None]
    n[1] = x[1] ** 2
    return r[0] if r[1] is None else r[1]


def in_both_arms(x):
    r = [x[0], None]
    if x[0] > 0:
        n = r
    else:
        n = [1.0, None]
    n[1] = x[1] ** 2
    return r[0] if r[1] is None else r[1]


def test_one_of_two_lists():
    check_grads(in_both_arms, (np.array([0.6, 0.3, 0.9]),), order=2)
    with pytest.raises(S2sadError, match="one of several lists"):
        grad(one_of_two_names)(np.array([0.6, 0.3, 0.9]))


def linked_lists(x):
    root = None
    for v in x:
        if root is None:
            root = [v, None]
            continue
        n = root
        while n[1] is not None:
            n = n[1]
        n[1] = [v, None]
    t, n = 0.0, root
    while n is not None:
        t += n[0] ** 2
        n = n[1]
    return t


def test_linked_lists():
    """Short ones are followed item by item."""
    check_grads(linked_lists, (np.array([0.6, 0.3, 0.9]),), order=2)
    with pytest.raises(S2sadError, match="writing into this list|lists and other items"):
        grad(linked_lists)(np.linspace(0.1, 0.9, 40))

"""Programs as people write them: each has a derivative in both modes, or is refused by name."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from verdicts import arguments, assert_refused, assert_right

from s2sad import differentiate, grad

# --- NumPy's numbers in globals and closures

ANGLE, TINY, TURN, THREE = np.deg2rad(45), np.finfo(float).tiny, np.complex128(1 + 2j), np.float64(3.0)


def numbers_of_numpy(s):
    return s * ANGLE + THREE * s * s + TINY + (s * TURN).real + abs(TURN * s)


def closed_over():
    scale, angle = np.float64(2.5), np.deg2rad(30.0)

    def f(s):
        return s * scale * np.sin(angle * s)

    return f


# --- objects, containers, what a call gives


class Permissive:
    def __init__(self, v):
        self.v = v

    def __getattr__(self, name):
        return lambda *_: 2.0


PERMISSIVE = Permissive(2.0)


def any_attribute(s):
    return PERMISSIVE.v * s * PERMISSIVE.whatever() + Permissive(s).v * s


def one_part(x):
    return np.sum(np.split(x, 1)[0] ** 2)


def shortened_on_the_way(s):
    items = [s, s * s, s * 3]
    total = 0.0
    for v in items:
        total += v
        items.pop()
    return total


def results(s, return_all=False):
    square = s * s
    if return_all:
        return s, square, square
    return square


def results_by_flag(s):
    a, b, c = results(s, True)
    return a * b * c + results(s)


def dead_branch(x, pdf=1.0, normed=True):
    if normed and len(np.shape(pdf)) > 0:
        pdf = pdf / np.sum(pdf)
    return np.sum(x * x) * pdf


class Lazy:
    def __init__(self):
        self.is_initialized = False

    def _init(self):
        self.k = 3.0
        self.is_initialized = True

    def __call__(self, s):
        if not self.is_initialized:
            self._init()
        return self.k * s * s


def initialised_when_called(s):
    lazy = Lazy()
    other = copy.deepcopy(lazy)
    other.k, other.is_initialized = s, True
    return lazy(s) + lazy(s) * other(s)


def copied(x):
    a = copy.copy(x)
    a[0] = 2.0
    b = copy.deepcopy([x, a])
    b[0][1] = 3.0
    return np.sum(a * x) + np.sum(b[0] * x)


def on_the_diagonal(v):
    d = np.diag(v)
    d[0, 1] = v[1] ** 2
    return d


def written_diagonals(x):
    d = on_the_diagonal(np.asarray(x) * 2.0)
    return np.sum(d @ d)


def tuples_of_constants(x):
    total = 0.0
    for k in range(3):
        total += (1.0, 5.0, 7.0)[k] * x[k]
    part = (x[0], x[1], 3.0)[1:] + (x[2],)
    return total * part[0] * part[-1]


def weights(*args):
    args = list(args)
    args[0] = args[0] * 2
    return args[0] * args[1]


def arguments_passed_on(s):
    def call(f, *args, **options):
        return f(*args, **options)

    return call(weights, s, s * s) + call(lambda a, b=1.0: a * b, s, b=s)


def array_namespace(*_):
    return np


def a_namespace(x):
    xp = array_namespace(x)
    return xp.sum(xp.sin(x))


class Node:
    def __init__(self, v, left=None, right=None):
        self.v, self.left, self.right = v, left, right


def total(node, s):
    if node is None:
        return 0.0
    return node.v * s * s + total(node.left, s) + total(node.right, s)


TREE = Node(1.0, Node(2.0), Node(3.0, None, Node(4.0)))


def trees(s):
    return total(TREE, s) + total(Node(s, Node(2.0), Node(s * s, None, Node(4.0))), s)


def over(a):
    def g(x):
        return np.sum(a * x * x)

    return g


LONG, SHORT = over(np.array([1.0, 2.0, 3.0])), over(np.array([1.0, 2.0]))


def closures_over_other_arrays(x):
    row, column = np.ones(3), np.ones((2, 1))
    return LONG(x) + SHORT(x[:2]) + (lambda x, w=row: np.sum(w * x))(x) + (lambda x, w=column: np.sum(w * x))(x)


def a_store_within_try(x):
    y = np.zeros(3)
    try:
        y[0] = x[0] ** 2
    except IndexError:
        y[1] = 1.0
    return np.sum(y)


# --- singular points that programs step over


def attraction(x):
    d = x[:, None] - x[None, :]
    r = np.sqrt(d**2)
    r[r > 0] = 1 / r[r > 0]
    return np.sum(np.sum(d * r**2, axis=1) ** 2)


def above_the_diagonal(x):
    return np.sum(np.triu(np.sqrt((x[:, None] - x[None, :]) ** 2), 1))


def where_they_are_apart(x):
    d = x[:, None] - x[None, :]
    r = np.sqrt(d**2)
    return np.sum(np.where(r > 0, r, 0.0)) + np.sum((np.abs(d) ** 0.5)[d > 0])


def other_lengths(x):
    d = x[:, None] - x[None, :]
    r, angle = np.hypot(d, 0.0), np.arctan2(d, d.T * 0.0)
    return np.sum(r[r > 0]) + np.sum(angle[d > 0] * x[1])


def norms_apart(x):
    p = np.stack([x, x * x, x])
    r = np.linalg.norm(p[:, :, None] - p[:, None, :], axis=0)
    return np.sum(1 / r[~np.eye(3, dtype=bool)])


def inside_the_domain(x):
    d = np.clip(x / x.max(), -1, 1)
    return np.sum(np.where(d < 1, np.arcsin(d), 0.0))


RIGHT = [
    numbers_of_numpy, closed_over(), any_attribute, one_part, shortened_on_the_way, results_by_flag, dead_branch,
    initialised_when_called, copied, written_diagonals, tuples_of_constants, arguments_passed_on, a_namespace, trees,
    closures_over_other_arrays, a_store_within_try,
]  # fmt: skip
SINGULAR = [attraction, above_the_diagonal, where_they_are_apart, other_lengths, norms_apart, inside_the_domain]


@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_right(function: Callable[..., Any]) -> None:
    assert_right(function)


@pytest.mark.parametrize("function", SINGULAR, ids=lambda f: f.__name__)
def test_singular_points_are_stepped_over(function: Callable[..., Any]) -> None:
    with np.errstate(all="ignore"):  # NumPy warns of what is divided by zero, and then not used
        assert_right(function)


# --- what is refused


def a_power_that_is_complex(s):
    return abs((s - 3) ** 1.5)


REFUSED = [a_power_that_is_complex]


@pytest.mark.parametrize("mode", ["adjoint", "tangent"])
@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_refused(function: Callable[..., Any], mode: str) -> None:
    assert_refused(function, mode)


def test_signatures_are_kept() -> None:
    assert inspect.signature(grad(results)) == inspect.signature(results)
    assert inspect.signature(differentiate(results)) == inspect.signature(results)
    assert arguments(results) == (1.7,)

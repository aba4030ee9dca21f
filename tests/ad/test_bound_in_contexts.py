"""Names that only some path through a context binds: in both modes and the four pairs of the second order."""

import itertools

import numpy as np
import pytest
from mode_pairs import MODES, check, check_pair

X = np.array([0.5, 1.2, -0.7])
POSITIVE = np.abs(X)


def root_or_square(x):
    with np.errstate(invalid="raise"):
        try:
            y = np.sum(np.sqrt(x))
        except FloatingPointError:
            y = x[0] ** 2
    return y * x[1]


def logarithm_or_square(x):
    with np.errstate(all="raise"):
        try:
            y = np.log(x)
        except FloatingPointError:
            y = x**2
        z = y * x
    return np.sum(z * x[1])


def reciprocal_or_square(x):
    with np.errstate(divide="raise"):
        try:
            y = 1 / (x - x[0])
        except FloatingPointError:
            y = x**2
    return np.sum(y * x[1])


def overflow_or_square(x):
    with np.errstate(over="raise"):
        try:
            y = np.sum(np.exp(3000 * x * x))
        except FloatingPointError:
            y = np.sum(np.exp(x))
    return y * x[1]


def root_in_a_branch(x):
    with np.errstate(invalid="ignore"):
        if x[2] > 0:
            y = np.sum(np.sqrt(x))
        else:
            y = x[0] ** 2
    return y * x[1]


def root_in_a_helper(x):
    return root_or_square(x) * x[0] + root_in_a_branch(x)


def roots_in_a_loop(x):
    total = x[0]
    for k in range(3):
        with np.errstate(invalid="raise"), np.errstate(over="ignore"):
            try:
                y = np.sum(np.sqrt(x + 0.5 * k))
            except FloatingPointError:
                y = total**2
        total = total + y * x[1]
    return total


PROGRAMS = [
    root_or_square, logarithm_or_square, reciprocal_or_square, overflow_or_square, root_in_a_branch, root_in_a_helper,
    roots_in_a_loop,
]  # fmt: skip


@pytest.mark.parametrize("x", [X, POSITIVE], ids=["one fails", "none fails"])
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_both_orders(function, x):
    for mode in MODES:
        check(function, (x,), mode)
    for outer, inner in itertools.product(MODES, MODES):
        check_pair(function, (x,), outer, inner)

"""Derivatives of derivatives through callees whose tapes are lists: against differences of the derivative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, differentiate, grad

X = np.array([0.4, 1.3, -0.7])


def repeated(x, w):
    y = x
    for _ in range(3):
        y = np.sin(y * w)
    return y


def nested(x, n):
    total = x
    for i in range(n):
        for j in range(i):
            total = np.sin(total) + x * j
        total = total * x
    return total


def until_small(x):
    while abs(x) > 0.3:
        x = np.sin(x) * 0.8
    return x


def branching(x):
    total = 0.0
    for v in x:
        if v > 0:
            total = total + np.sin(v) * total + v**3
        else:
            total = total * v
    return total


def over_arrays(x, w):
    h = np.zeros(3)
    for v in x:
        h = np.tanh(w @ h + v)
    return h


def outer(x, w):
    return repeated(repeated(x, w) * w, w) + repeated(w, x)


def only_a_list(x):
    y = x
    for _ in range(4):
        y = y * np.sin(y)
    return y


def power(x, n):
    return 1.0 if n == 0 else x * power(np.sin(x), n - 1)


SQUARED: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "repeated": (lambda x, w: repeated(x, w) ** 2, (0.7, 0.8)),
    "nested": (lambda x: nested(x, 4) * x, (0.6,)),
    "until_small": (lambda x: until_small(x) ** 2 + until_small(x * 2), (1.3,)),
    "branching": (lambda x: branching(x) ** 2, (X,)),
    "over_arrays": (lambda x, w: np.sum(over_arrays(x, w) ** 2), (X, np.eye(3) * 0.5 + 0.1)),
    "outer": (lambda x, w: outer(x, w) ** 2, (0.7, 0.8)),
    "only_a_list": (lambda x: only_a_list(x) ** 2, (1.1,)),
    "power": (lambda x: power(x, 4) ** 2, (1.1,)),
}


@pytest.mark.parametrize("name", SQUARED)
def test_second_derivative(name: str) -> None:
    function, args = SQUARED[name]
    for k in range(len(args)):
        check_grads(grad(function, k), args)


@pytest.mark.parametrize("name", ["repeated", "until_small", "only_a_list"])
def test_third_derivative(name: str) -> None:
    function, args = SQUARED[name]
    check_grads(grad(grad(function)), args, modes=("adjoint",), rtol=1e-4)



dx = grad(lambda x, w: repeated(x, w) ** 2)


def derivative_beside_the_function(x, w):
    return dx(x, w) * w + repeated(x * w, w)


@pytest.mark.parametrize("function", [derivative_beside_the_function])
def test_a_derivative_in_a_program(function: Callable[..., Any]) -> None:
    check_grads(function, (0.7, 0.8))


def jacobian_by_rows(y, h):
    J = np.zeros((2, 2))
    J[0] = 1.0, -h
    J[1] = h * y[0] * y[1], 1 - h * y[0] ** 2
    z = np.zeros(2, dtype=complex)
    z[:] = y[0] * h, y[1] * 1j
    return np.sum(np.linalg.solve(J, y) ** 2) + np.sum(np.abs(z) ** 2)


def test_numbers_that_are_stored_into_a_row_are_as_many() -> None:
    y = np.array([0.7, -0.4])
    check_grads(jacobian_by_rows, (y, 0.3))
    assert "unbroadcast" not in differentiate(jacobian_by_rows, wrt=("y", "h")).source("adjoint", y, 0.3)


# --- tuples of numbers that calls pass, or that stand in a list


def rates(state, a, b):
    x, y = state
    return a * x - b * x * y, x * y - a * y


def moved(state, by, h):
    return state[0] + h * by[0], state[1] + h * by[1]


def list_of_states(a, b, n):
    states = [(a, 1.0)]
    for _ in range(n):
        s = states[-1]
        k = rates(s, a, b)
        states.append(moved(s, rates(moved(s, k, 0.1), a, b), 0.2))
    return sum(x * x + y for x, y in states)


def from_literals(a, b, n):
    pairs = [(1.0, 0.5), (0.0, 2.0)]
    for k in range(n):
        x, y = pairs[k]
        pairs.append((x * a + b, y * b))
    x, y = pairs.pop()
    pairs.insert(1, (y * a, x))
    total = 0.0
    for k in range(len(pairs)):
        total += pairs[k][0] * pairs[k][1] ** 2
    return total


def one_of_two(a, b, n):
    pairs = [(a, b)]
    for k in range(n):
        if k % 2:
            pairs.append(moved(pairs[-1], (b, a), 0.5))
        else:
            pairs[-1] = moved(pairs[-1], (a, k), 0.5)
    return pairs[-1][0] * pairs[0][1]


def in_a_recursion(state, a, n):
    return state if n == 0 else in_a_recursion(rates(state, a, 0.3), a, n - 1)


def recursive(a, b, n):
    x, y = in_a_recursion((a, b), a, n)
    return x * y


@pytest.mark.parametrize("function", [list_of_states, from_literals, one_of_two, recursive])
def test_pairs_of_numbers(function: Callable[..., Any]) -> None:
    check_grads(function, (0.8, 1.3, 3), wrt=("a", "b"), order=2)


def test_adjoints_of_numbers_in_pairs_are_numbers() -> None:
    text = differentiate(list_of_states, wrt=("a", "b")).source("adjoint", 0.8, 1.3, 3)
    assert text.count("add(") == 1  # which asks, as the program runs, what it adds: to what the list began with, alone
    assert "rates_forward" not in text  # which would record what is computed of a few numbers

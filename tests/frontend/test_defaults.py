"""Defaults that are no literals: the generated modules refer to them by names that the loader binds, of callees, too."""

from __future__ import annotations

import enum

import numpy as np
import pytest

from s2sad import check_grads, grad

WEIGHTS = np.array([1.0, 2.0])


class Mode(enum.Enum):
    SQUARE = 1
    LINEAR = 2


def weighted(x, w=np.array([3.0, 4.0]), f=np.sin, mode=Mode.LINEAR):
    return np.sum(f(x) * w) if mode is Mode.LINEAR else np.sum(x * x)


def otherwise_weighted(x, w=np.array([5.0, 6.0])):
    return np.sum(x * w)


def arrays_of_callees(x, w=WEIGHTS):
    return weighted(x) + otherwise_weighted(x) + weighted(x, w)


def functions(x, f=np.cos, g=lambda v: v * v):
    return np.sum(f(g(x)))


def members(x, mode=Mode.SQUARE, g=weighted):
    return g(x, mode=mode)


def containers(x, settings={"scale": 2.0}, pair=(1.0, 2.0)):
    return np.sum(x) * settings["scale"] * pair[1]


def recursive(x, n=3, f=np.tanh):
    return x if n == 0 else f(recursive(x, n - 1))


def through_recursion(x):
    return np.sum(recursive(x))


@pytest.mark.parametrize("function", [arrays_of_callees, functions, members, containers, through_recursion])
def test_gradient(function) -> None:
    check_grads(function, (np.array([0.3, 0.4]),), wrt=0)


def test_a_member_of_an_enumeration_decides_when_the_program_is_made() -> None:
    x = np.array([0.3, 0.4])
    np.testing.assert_allclose(grad(members)(x), 2 * x)
    np.testing.assert_allclose(grad(members)(x, Mode.LINEAR), np.cos(x) * [3.0, 4.0])


def made(k):
    def inner(x, w=np.full(2, k)):
        return np.sum(x * w)

    return inner


FIRST, SECOND = made(1.0), made(7.0)


def of_one_name(x):
    return SECOND(x)


def of_both(x):
    return FIRST(x) + SECOND(x)


def test_defaults_of_functions_with_one_name_are_not_confused() -> None:
    x = np.array([0.3, 0.4])
    np.testing.assert_allclose(grad(of_one_name)(x), [7.0, 7.0])
    np.testing.assert_allclose(grad(of_both)(x), [8.0, 8.0])

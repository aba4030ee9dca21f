"""Programs that ask which object an array is, or where it lies: what could stand for one another elsewhere does not there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import UnsupportedSyntaxError, differentiate, grad
from s2sad.testing import check_grads

W = np.array([0.5, 2.0, 1.5])


def a_copy(x):
    z = x.copy()
    return np.sum(x) + (3.0 if z is x else 5.0) * x[0]


def a_copy_of_a_new_array(x):
    z = np.sin(x)
    y = z.copy()
    return np.sum(y) + (3.0 if z is not y else 5.0) * x[0]


def times_one(x):
    z = x * 1
    return np.sum(x) + (3.0 if z is not x else 5.0) * x[0]


def computed_twice(x):
    z, y = np.sin(x), np.sin(x)
    return np.sum(x) + (3.0 if z is not y else 5.0) * z[0] * y[1]


def two_windows(x):
    z, y = x[1:], x[1:]
    return np.sum(z * y) + (3.0 if z is y else 5.0) * x[0]


def turned_twice(x):
    z = x.T.T
    return np.sum(x) + (3.0 if z is x else 5.0) * x[0]


def memory(x):
    z, y = x.copy(), x[1:]
    first = 3.0 if np.shares_memory(z, x) else 5.0
    return np.sum(x) + first * x[0] + (2.0 if np.may_share_memory(y, x) else 7.0) * x[1]


def addresses(x):
    z = x.copy()
    return np.sum(x) + (3.0 if id(z) == id(x) else 5.0) * x[0]


def in_a_dict(x):
    held = {"a": x.copy(), "b": x}
    return np.sum(x) + (3.0 if held["a"] is x else 5.0) * x[0] + (3.0 if held["b"] is x else 5.0) * x[1]


def in_a_list(x):
    return np.sum(x) + (3.0 if any(y is x for y in [x.copy(), x * 1.0]) else 5.0) * x[0]


def asked(z, x):
    return 3.0 if z is x else 5.0


def asked_below(z, x):
    return asked(z, x) * x[0]


def by_a_callee(x):
    return asked(x.copy(), x) * x[1] + asked_below(x.copy(), x) + asked_below(x, x)


def with_an_array_outside(x):
    return asked(W.copy(), W) * x[1] + asked(W, W) * np.sum(W.copy() * x)


def the_same_after_all(x):
    y = x
    out = np.zeros(3)
    for z in (y, x.copy()):
        if z is x:
            out += z**2
        else:
            out *= z
    return np.sum(out)


PROGRAMS: list[Callable[..., Any]] = [
    a_copy, a_copy_of_a_new_array, times_one, computed_twice, two_windows, turned_twice, memory, addresses, in_a_dict, in_a_list,
    by_a_callee, with_an_array_outside, the_same_after_all,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_both_modes_and_orders(f: Callable[..., Any]) -> None:
    check_grads(f, (np.array([0.3, 1.3, 2.1]),), order=2)


def numbers(x):
    a, b = x[0], x[0]
    return np.sum(x) * (2.0 if a is b else 3.0)


def test_numbers_have_no_identity_that_lasts() -> None:
    with pytest.raises(UnsupportedSyntaxError, match="is between numbers"):
        grad(numbers)(np.ones(3))


def nothing_asked(x):
    y = x.copy()
    return np.sum(y * x) if y is not None else 0.0


def test_none_is_no_such_question() -> None:
    program = differentiate(nothing_asked)
    program.grad(np.ones(3))
    lines = [line.partition("#")[0] for line in program.source("adjoint").splitlines()]
    assert not any("copy(" in line for line in lines)

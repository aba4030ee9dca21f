"""``*args`` and ``**kwargs`` among what is differentiated: positions name the arguments of the call, as in autograd."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, errors, grad, jvp, vjp


def weighted(*xs: float) -> float:
    total = 0.0
    for k, x in enumerate(xs):
        total += (k + 1) * x * x
    return total


def mixed(a: float, *rest: float, w: float = 2.0, **options: float) -> float:
    return a * sum(r * r for r in rest) * w * options.get("k", 1.0)


class Model:
    def value(self, a: float, *rest: float) -> float:
        return a * rest[0] * math.prod(rest)


def test_positions_are_those_of_the_call() -> None:
    assert grad(weighted)(1.0, 2.0, 3.0) == 2.0
    assert grad(weighted, (0, 2))(1.0, 2.0, 3.0) == (2.0, 18.0)
    assert grad(mixed, (0, 1, 2))(1.0, 2.0, 3.0) == (26.0, 8.0, 12.0)
    assert grad(Model().value, (0, 1))(2.0, 3.0) == (9.0, 12.0)


def test_names_mean_all_that_was_gathered() -> None:
    assert grad(weighted, "xs")(1.0, 2.0, 3.0) == (2.0, 8.0, 18.0)
    assert grad(mixed, "rest")(1.0, 2.0, k=3.0) == (24.0,)
    assert grad(mixed, "options['k']")(1.0, 2.0, k=3.0) == 8.0
    assert grad(mixed, "w")(1.0, 2.0, 3.0, w=4.0) == 13.0


def test_all_arguments_without_wrt() -> None:
    assert jvp(mixed, (1.0, 2.0, 3.0), (1.0, 1.0, 0.0)) == (26.0, 34.0)
    assert vjp(mixed, 1.0, 2.0, 3.0)[1](1.0) == (26.0, 8.0, 12.0)
    assert vjp(weighted, 1.0, 2)[1](1.0) == (2.0, None)
    check_grads(mixed, (1.0, 2.0, 3.0))


@pytest.mark.parametrize("wrt", [5, -1])
def test_positions_outside(wrt: Any) -> None:
    with pytest.raises(errors.ActivityError, match="wrt="):
        grad(weighted, wrt)(1.0, 2.0)


def class_of_arguments(x):
    def taken(*ws):
        return np.sum(ws[0]) ** 2 if isinstance(ws, tuple) and not isinstance(ws, list) else 5.0

    b = [x[:1], x[1:]]
    return taken(*b) + np.sum(x**3)


def class_of_a_made_tuple(x):
    b = [v * 2.0 for v in x]
    return b[0] ** 2 if isinstance(tuple(b), tuple) and isinstance(b, list) else b[1]


@pytest.mark.parametrize("function", [class_of_arguments, class_of_a_made_tuple], ids=lambda f: f.__name__)
def test_arguments_are_a_tuple(function):
    check_grads(function, (np.array([0.3, 0.7, 1.1]),), order=2)


def test_which_of_them_it_is_must_be_known():
    def either(x, n):
        b = [v * 2.0 for v in x]
        if n > 1:
            b = tuple(b)
        return b[0] ** 2 if isinstance(b, tuple) else b[1]

    with pytest.raises(errors.S2sadError, match="the name 'b'"):
        grad(lambda x: either(x, int(np.max(x))))(np.linspace(0.3, 1.1, 100))

"""``*args`` and ``**kwargs`` among what is differentiated: positions name the arguments of the call, as in autograd."""

from __future__ import annotations

import math
from typing import Any

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

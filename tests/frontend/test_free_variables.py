"""Derivatives by free variables: a variable is the same one in all functions that share its cell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import AliasError, UnsupportedSyntaxError, grad, jvp, value_and_grad, vjp


def in_a_method() -> Any:
    k = 2.0

    class Reader:
        def read(self) -> float:
            return k

    reader = Reader()
    return lambda x: reader.read() * x * k


def in_a_recursion() -> Any:
    k = 2.0

    def power(x: float, n: int) -> float:
        return k * x if n == 0 else power(x * k, n - 1)

    return lambda x: power(x, 2) + k


def in_a_lambda() -> Any:
    k = 2.0
    return lambda x: (lambda y: y * k)(x) * k


SLOPES = {in_a_method: 12.0, in_a_recursion: 37.0, in_a_lambda: 12.0}


@pytest.mark.parametrize("make", SLOPES, ids=lambda f: f.__name__)
def test_others_that_read_it_count(make: Callable[[], Any]) -> None:
    assert grad(make(), "k")(3.0) == SLOPES[make]
    assert value_and_grad(make(), ("x", "k"))(3.0)[0] == make()(3.0)


def in_a_helper() -> Any:
    k = 2.0

    def helper(x: float) -> float:
        return k * x

    return lambda x: helper(x) * x + 0 * k


def bound_anew() -> Any:
    k = 2.0

    def program(x: float) -> float:
        nonlocal k
        k = k * x
        return k * x

    return program


def bound_anew_by_a_helper() -> Any:
    k = 2.0

    def helper(x: float) -> None:
        nonlocal k
        k = k * x

    def program(x: float) -> float:
        helper(x)
        return k * x

    return program


def written_by_a_helper() -> Any:
    k = np.array([1.0, 2.0])

    def helper() -> None:
        k[0] *= 2.0

    def program(x: float) -> Any:
        helper()
        return np.sum(k) * x

    return program


@pytest.mark.parametrize("make", [in_a_helper, bound_anew, bound_anew_by_a_helper, written_by_a_helper], ids=lambda f: f.__name__)
def test_what_is_no_argument_of_its_own_is_refused(make: Callable[[], Any]) -> None:
    for derive in (grad, value_and_grad):
        for wrt in ("k", ("x", "k")):
            with pytest.raises(UnsupportedSyntaxError, match="'k'"):
                derive(make(), wrt)(3.0)
    assert jvp(make(), (3.0,), (1.0,))[0] == vjp(make(), 3.0)[0] == make()(3.0)


class Net:
    def __init__(self) -> None:
        self.w = 2.0

    def by_a_global_name(self, x: float) -> float:
        return NET.w * x * self.w

    def by_a_function(self, x: float) -> float:
        return scaled(x) * self.w

    def in_a_dict(self, x: float) -> float:
        return NETS["one"].w * x * self.w

    def by_a_method(self, x: float) -> float:
        return self.scaled(x) * self.w

    def by_a_local_name(self, x: float) -> float:
        me = self
        return (lambda y: me.w * y)(x) * self.w

    def scaled(self, x: float) -> float:
        return self.w * x


NET = Net()
NETS = {"one": NET}


def scaled(x: float) -> float:
    return NET.w * x


@pytest.mark.parametrize("name", ["by_a_global_name", "by_a_function", "in_a_dict"])
def test_a_part_that_is_read_by_another_name_is_refused(name: str) -> None:
    assert grad(getattr(Net(), name), "self.w")(3.0) == 6.0  # another object: the one outside is a constant
    with pytest.raises(AliasError, match="also read by another name"):
        grad(getattr(NET, name), "self.w")(3.0)


@pytest.mark.parametrize("name", ["by_a_method", "by_a_local_name"])
def test_other_names_within_the_program_count(name: str) -> None:
    assert grad(getattr(NET, name), "self.w")(3.0) == 12.0

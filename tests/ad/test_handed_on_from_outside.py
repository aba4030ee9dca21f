"""Arrays from outside that only branches, loops and attempts hand on, under names by which they are written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import AliasError, S2sadError, grad, hvp, jvp

W = np.zeros(3)
LISTED = [np.zeros(3)]


class Holder:
    """An object outside."""

    def __init__(self) -> None:
        self.kept = np.zeros(3)


HOLDER = Holder()


def by_a_loop(x: Any) -> Any:
    c = x * 2.0
    for _ in range(2):
        c = W
    c *= x
    return np.sum(c * W * x)


def by_a_while(x: Any) -> Any:
    c, i = x * 2.0, 0
    while i < 2:
        c = W
        i += 1
    c *= x
    return np.sum(c**2)


def by_a_branch(x: Any) -> Any:
    c = W if x[0] > 0 else x * 2.0
    c *= x
    return np.sum(c * W)


def in_a_loop(x: Any) -> Any:
    c = x * 2.0
    for _ in range(2):
        c[0] = x[1]
        c = W
    c[0] = x[2] * c[0]
    return np.sum(c * x)


def by_an_attempt(x: Any) -> Any:
    c = x * 2.0
    try:
        c[5] = 1.0
    except IndexError:
        c = W
    c *= x
    return np.sum(c * W)


def by_a_list(x: Any) -> Any:
    c = x * 2.0
    for _ in range(2):
        c = LISTED[0]
    c *= x
    return np.sum(c * LISTED[0])


def by_an_object(x: Any) -> Any:
    c = x * 2.0
    for _ in range(2):
        c = HOLDER.kept
    c *= x
    return np.sum(c * HOLDER.kept)


def _chosen(x: Any) -> Any:
    return W if x[0] > 0 else x


def by_a_function(x: Any) -> Any:
    c = x * 2.0
    for _ in range(2):
        c = _chosen(x)
    c *= x
    return np.sum(c * W)


def by_a_recursion(x: Any) -> Any:
    def last(n: Any) -> Any:
        return W if n == 0 else last(n - 1)

    c = last(int(x[0] * 4))
    c *= x
    return np.sum(c * W)


def _captured() -> Callable[..., Any]:
    def by_a_closure(x: Any) -> Any:
        c = x * 2.0
        for _ in range(2):
            c = kept
        c *= x
        return np.sum(c * kept)

    kept = W
    return by_a_closure


PROGRAMS = [
    by_a_loop, by_a_while, by_a_branch, in_a_loop, by_an_attempt, by_a_list, by_an_object, by_a_function,
    _captured(),
]  # fmt: skip
OUTSIDE = (W, LISTED[0], HOLDER.kept)
X, V = np.array([0.6, 0.8, 1.3]), np.array([0.3, -0.7, 0.5])


def fresh(call: Callable[[], Any]) -> Any:
    """The result of a call that finds the arrays outside as they were, and those as it leaves them."""
    for array in OUTSIDE:
        array[:] = [1.0, 2.0, 3.0]
    found = call()
    return found, np.array(OUTSIDE)


def slope(function: Callable[[Any], Any], step: float = 1e-6) -> Any:
    """The difference quotient of a function along V."""
    return (function(X + step * V) - function(X - step * V)) / (2 * step)


def gradient(function: Callable[[Any], Any], x: Any) -> Any:
    """The gradient of a function, which leaves the arrays outside as the function does."""
    found, left = fresh(lambda: grad(function)(x))
    assert np.array_equal(left, fresh(lambda: function(x))[1])
    return found


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_what_is_written_is_what_is_outside(function: Callable[[Any], Any]) -> None:
    expected = slope(lambda x: fresh(lambda: function(x))[0])
    assert gradient(function, X) @ V == pytest.approx(expected, rel=1e-6)
    (value, tangent), left = fresh(lambda: jvp(function, (X,), (V,)))
    assert np.array_equal(left, (plain := fresh(lambda: function(X)))[1]) and value == plain[0]
    assert tangent == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivatives_do_the_same(function: Callable[[Any], Any]) -> None:
    if function is by_a_list:
        with pytest.raises(AliasError, match="writes into LISTED"):
            hvp(function, (X,), (V,))
        return
    expected = slope(lambda x: gradient(function, x))
    assert fresh(lambda: hvp(function, (X,), (V,)))[0][1] == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_what_a_recursion_gives_of_the_outside_is_not_written() -> None:
    for derive in (grad(by_a_recursion), lambda x: jvp(by_a_recursion, (x,), (V,))):
        with pytest.raises(S2sadError, match="the state of W"):
            derive(X)
    assert np.array_equal(W, fresh(lambda: None)[1][0])

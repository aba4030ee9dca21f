"""Functions with users' rules, and their derivatives, must not write into what they are given: seen in the source, or as
they run."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import S2sadError, check_grads, grad, jvp, nondifferentiable, rule
from s2sad.errors import CompilerError

X = np.array([0.7, 0.3, 0.5])


def doubled(a):
    a *= 2.0
    return np.sum(a)


def filled(a, b):
    view = b
    view[1:] = a[1:]
    return np.sum(a)


def logged(items, v):
    items.append(v)


def squared(a):
    return a**2


def spoiling_pullback(out_bar, out, a):
    out_bar *= 2.0 * a
    return (out_bar,)


def spoiling_pushforward(out, args, dots):
    first = args[0]
    first.sort()
    return 2.0 * args[0] * dots[0]


def turned(a):
    b = a
    a = a.copy()
    a[0] = 5.0
    return a * b


rule(doubled, linear=True, a="2.0 * g * ones_like(a)", effects="fresh")
rule(filled, a="g * ones_like(a)")
rule(squared, vjp=spoiling_pullback, jvp=spoiling_pushforward)
nondifferentiable(logged)
rule(turned, vjp=lambda out_bar, out, a: (out_bar * np.array([5.0, *(2.0 * a[1:])]),))


def of_its_own_array(x):
    y = np.sin(x)
    return doubled(y) + np.sum(y**2)


def of_the_argument(x):
    return doubled(x) * np.sum(x)


def in_a_loop(x):
    s = 0.0
    for k in range(3):
        s += doubled(x * k)
    return s


def in_a_helper(x):
    return of_its_own_array(x * 2.0) * x[0]


def of_a_constant(x):
    c = np.zeros(3)
    return np.sum(filled(x, c) * c * x)


def of_a_list(x):
    items = [1.0]
    logged(items, 2.0)
    return np.sum(x**2) * len(items)


def through_the_pullback(x):
    y = squared(x)
    return np.sum(y * x)


WRITING = [of_its_own_array, of_the_argument, in_a_loop, in_a_helper, of_a_constant, of_a_list, through_the_pullback]


@pytest.mark.parametrize("function", WRITING, ids=lambda f: f.__name__)
def test_what_writes_is_refused_each_time(function: Callable[..., Any]) -> None:
    derivatives = [grad(function), lambda x: jvp(function, (x,), (X,)), lambda x: jvp(grad(function), (x,), (X,))]
    for derivative in derivatives * 2:
        with pytest.raises(S2sadError) as found:
            derivative(X.copy())
        assert not isinstance(found.value, CompilerError)
        assert re.search("has written into its argument|has no (jvp|rule)|no derivative rule|second derivative", str(found.value))


def test_what_writes_into_its_own_copy_is_right() -> None:
    check_grads(lambda x: np.sum(turned(x) * x), (X,), modes=("adjoint",))


def stores(a):
    a[0] = 1.0
    return a


def stores_in_rows(a, b):
    if b > 0:
        a[0][1:] += b
    return a


def gives_out(a, b):
    np.add(b, 1.0, out=a)
    return a


def sorts(a):
    a.sort()
    return a


def forgets(a):
    del a[0]
    return 1.0


def sets(a):
    a.count = 1
    return 1.0


@pytest.mark.parametrize("function", [stores, stores_in_rows, gives_out, sorts, forgets, sets], ids=lambda f: f.__name__)
def test_what_the_source_shows_is_refused_at_once(function: Callable[..., Any]) -> None:
    with pytest.raises(S2sadError, match="writes into its argument 'a'"):
        rule(function, a="g")
    with pytest.raises(S2sadError, match="writes into its argument 'a'"):
        nondifferentiable(function)
    with pytest.raises(S2sadError, match="writes into its argument 'a'"):
        rule(squared, vjp=function)


def inner_names(a):
    def fill(a):
        a[0] = 1.0
        return a

    return np.sum(fill(np.zeros(3))) * a


def test_what_functions_inside_do_to_theirs_is_not_meant() -> None:
    rule(inner_names, a="1.0 * g")
    assert grad(inner_names)(2.0) == 1.0

"""``cached_property`` and ``lru_cache``: what Python keeps is what a derivative is about, or the function is refused."""

import functools
import math

import pytest

import s2sad

K = 2.0


class C:
    def __init__(self, v):
        self.v = v

    @functools.cached_property
    def q(self):
        return self.v**2

    @functools.cached_property
    def doubled(self):
        self.v = self.v * 2
        return self.v


@functools.lru_cache
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


@functools.lru_cache
def reads_global(n):
    return K * n


def written_after(x):
    p = C(x)
    a = p.q
    p.v = 3.0 * x
    return a + p.q


def side_effect(x):
    p = C(x)
    return p.doubled + p.doubled * p.v


def in_a_branch(x):
    p = C(x)
    if x > 1:
        return p.q * p.q
    return p.q


def argument_of_callee(x):
    return in_a_branch(x) * factorial(4)


def read_in_a_loop(x):
    p, s = C(x), 0.0
    for i in range(30):
        if i * x > 2.0:
            s += p.q
    return s * p.q + sum(C(x + i).q for i in range(3))


def read_before_a_loop(x):
    p = C(x)
    s = p.q
    for _ in range(3):
        s += p.q
        p.v = p.v * 2
    return s


def written_in_a_loop(x):
    p, s = C(x), 0.0
    for _ in range(3):
        s += p.q
        p.v = p.v * 2
    return s


def recursion(x):
    @functools.cache
    def fib(n):
        return x if n < 2 else fib(n - 1) + fib(n - 2) * x

    return fib(5)


def rebound(x):
    s = x

    @functools.lru_cache(maxsize=8)
    def g(k):
        return s * k

    a = g(2.0)
    s = x**2
    return a + g(2.0)


def counts(x):
    n = [0]

    @functools.cache
    def g(k):
        n[0] += 1
        return x * k

    return (g(2) + g(2) + g(3)) * n[0]


PROGRAMS = (written_after, side_effect, in_a_branch, argument_of_callee, read_in_a_loop, read_before_a_loop, recursion)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [0.7, 1.5])
def test_kept_values_are_those_of_python(f, x):
    value, gradient = s2sad.value_and_grad(f)(x)
    difference = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
    assert math.isclose(value, f(x)) and math.isclose(gradient, difference, rel_tol=1e-6)
    assert math.isclose(s2sad.jvp(f, (x,), (1.0,))[1], difference, rel_tol=1e-6)


@pytest.mark.parametrize("f", [rebound, counts, lambda x: reads_global(3) * x, written_in_a_loop])
def test_what_a_cache_would_not_see_is_refused(f):
    with pytest.raises(s2sad.S2sadError, match="a cache keeps|a cached property has read it") as found:
        s2sad.grad(f)(1.5)
    assert not isinstance(found.value, s2sad.CompilerError)

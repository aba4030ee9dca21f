"""Derivatives of what is called like a function: partials, objects with ``__call__``, functions of libraries."""

import functools
import inspect
import math

import numpy as np
import pytest

from s2sad import (
    ActivityError,
    SourceError,
    differentiate,
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    value_and_grad,
    vjp,
)
from s2sad.errors import ArgumentError
from s2sad.testing import check_grads


def f(x, a, b=3.0):
    return a * x * x + b * x


class Spring:
    def __init__(self, k):
        self.k, self.calls = k, 0

    def __call__(self, x, power=2.0):
        self.calls += 1
        return self.k * x**power


class Anything:
    def __getattr__(self, name):
        return 3.0

    def __call__(self, x):
        return x * x * self.three


DOUBLE = functools.partial(f, a=2.0)


def gradient_inside(x):
    return grad(DOUBLE)(x) * x


@pytest.mark.parametrize(("function", "expected"), [
    (DOUBLE, 9.0), (functools.partial(f, a=3.0), 12.0), (functools.partial(DOUBLE, b=0.0), 6.0),
    (Spring(2.0), 6.0), (Anything(), 9.0), (np.square, 3.0), (gradient_inside, 15.0),
], ids=lambda v: type(v).__name__)  # fmt: skip
def test_every_derivative(function, expected):
    assert grad(function)(1.5) == pytest.approx(expected)
    assert value_and_grad(function)(1.5)[1] == pytest.approx(expected)
    assert jvp(function, (1.5,), (1.0,))[1] == pytest.approx(expected)
    assert vjp(function, 1.5)[1](1.0)[0] == pytest.approx(expected)


def test_differentiate():
    assert differentiate(DOUBLE).grad(1.5) == 9.0
    assert "partial" in repr(differentiate(DOUBLE))


def test_second_derivatives():
    assert hessian(DOUBLE)(1.5) == pytest.approx(4.0)
    check_grads(DOUBLE, (1.5,), order=2)


def test_parameters_are_those_that_a_call_has():
    assert str(inspect.signature(grad(DOUBLE))) == "(x, *, a=2.0, b=3.0)"
    assert grad(DOUBLE, "b")(1.5) == 1.5
    assert grad(DOUBLE)(1.5, a=5.0) == 18.0
    assert grad(functools.partial(f, 1.5))(2.0) == 1.5**2  # by a: x is given
    assert grad(Spring(2.0), "power")(1.5, 2.0) == pytest.approx(2.0 * 1.5**2 * np.log(1.5))
    assert grad(Spring(2.0))(1.5, power=3.0) == pytest.approx(13.5)
    with pytest.raises(ActivityError, match="'c'"):
        grad(DOUBLE, "c")


def test_an_object_counts_its_calls():
    spring = Spring(2.0)
    gradient = grad(spring)
    assert [gradient(1.5), gradient(2.0)] == pytest.approx([6.0, 8.0])
    assert spring.calls == 2
    spring.k = 3.0
    assert gradient(2.0) == pytest.approx(12.0)


def test_jacobians_of_objects():
    class Square:
        def __call__(self, x):
            return x * x

    assert np.array_equal(jacobian(Square())(np.array([1.0, 2.0])), [[2.0, 0.0], [0.0, 4.0]])


def test_many_partials_are_not_mixed_up():
    assert [grad(functools.partial(f, a=float(k)))(1.0) for k in range(100)] == [2.0 * k + 3.0 for k in range(100)]


@pytest.mark.parametrize("thing", [None, "f", 3.0, object()], ids=["nothing", "text", "number", "object"])
def test_other_things_are_no_functions(thing):
    with pytest.raises(ArgumentError, match="a function is expected"):
        grad(thing)


def test_a_class_is_no_function():
    with pytest.raises(SourceError, match="is not a Python function"):
        grad(Spring)


def wave(x, n=3.0):
    return math.sin(x) * n


def test_a_partial_that_is_changed_in_place():
    part = functools.partial(wave, n=7.0)
    made, twice = grad(part), grad(grad(part))

    def inside(x):
        return made(x) + grad(part)(x)

    doubled = value_and_grad(inside)

    def check(n):
        assert made(1.0) == grad(part)(1.0) == jvp(part, (1.0,), (1.0,))[1] == pytest.approx(n * math.cos(1.0))
        assert twice(1.0) == pytest.approx(-n * math.sin(1.0))
        assert doubled(1.0) == pytest.approx((2 * n * math.cos(1.0), -2 * n * math.sin(1.0)))

    check(7.0)
    part.keywords["n"] = 8.0
    check(8.0)
    del part.keywords["n"]
    check(3.0)
    part.__setstate__((wave, (), {"n": 9.5}, None))
    check(9.5)
    part.__setstate__((lambda x, original: x * x * original, (), {"original": 2.0}, None))
    assert made(1.5) == grad(part)(1.5) == 6.0
    part.__setstate__((lambda a, x: a * x, (4.0,), {}, None))
    assert grad(part)(1.5) == 4.0


def test_a_call_that_is_changed():
    class Scaled:
        def __call__(self, x, k=2.0):
            return k * x

    gradient = grad(Scaled())
    assert gradient(1.0) == 2.0
    Scaled.__call__.__defaults__ = (3.0,)
    assert gradient(1.0) == 3.0
    Scaled.__call__ = lambda self, x, j=7.0: j * x
    assert gradient(1.0) == 7.0


@pytest.mark.parametrize("name", ["1 odd-name", "class", "", "<genexpr>", "original", "\ufb01 x"])
def test_names_that_no_definition_can_have(name):
    def named(x, original):
        return original * x * x

    named.__name__ = name
    assert grad(named)(1.0, 5.0) == 10.0
    assert differentiate(named)(1.0, 5.0) == 5.0
    assert grad(functools.partial(named, original=5.0))(1.0) == 10.0


def test_partials_of_lambdas():
    assert grad(functools.partial(lambda a, x: a * x * x, 5.0))(1.0) == 10.0
    assert grad(functools.partial(functools.partial(lambda a, b, x: a * b * x * x, 5.0), 2.0))(1.0) == 20.0
    assert grad(functools.partial(lambda x, a=1.0: a * x * x, a=5.0))(1.0) == 10.0


class Counting:
    def __init__(self):
        self.calls = 0

    def __call__(self, x, power=2.0):
        self.calls += 1
        return x**power


def test_an_object_that_counts_within_a_partial():
    counting = Counting()
    within = functools.partial(lambda h, x: h(x), counting)
    for function, slope in ((functools.partial(counting, power=3.0), 12.0), (within, 4.0)):
        before = counting.calls
        assert grad(function)(2.0) == slope and jvp(function, (2.0,), (1.0,))[1] == slope
        assert counting.calls == before + 2


class Polynomial:  # noqa: PLW1641
    def __init__(self, *coefficients):
        self.coefficients = coefficients

    def __call__(self, x):
        return sum(c * x**k for k, c in enumerate(self.coefficients))

    def __eq__(self, other):
        return self.coefficients == other.coefficients


def test_an_object_that_is_equal_to_its_like_alone():
    polynomial = Polynomial(1.0, 2.0, 3.0)
    assert grad(polynomial)(0.5) == differentiate(polynomial).grad(0.5) == 5.0
    assert value_and_grad(polynomial)(0.5) == (2.75, 5.0)
    assert hvp(polynomial, (0.5,), (1.0,)) == (5.0, 6.0)

"""Derivatives of what is called like a function: partials, objects with ``__call__``, functions of libraries."""

import functools
import inspect

import numpy as np
import pytest

from s2sad import ActivityError, SourceError, differentiate, grad, hessian, jacobian, jvp, value_and_grad, vjp
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


@pytest.mark.parametrize("thing", [None, "f", 3.0, object(), Spring], ids=["nothing", "text", "number", "object", "class"])
def test_other_things_are_no_functions(thing):
    with pytest.raises(SourceError, match="is not a Python function"):
        grad(thing)

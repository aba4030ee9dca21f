"""The slope in an exponent that does not vary contributes nothing, also where it does not exist: of a negative base."""

import numpy as np
import pytest

from s2sad import grad, hvp, jvp

X = np.array([-0.3, 0.4])


def power(exponent, base):
    return np.power(base, exponent)


def raised(exponent, base):
    return base**exponent


def twice(x):
    return np.sum(power(3.0, power(1.0, x)))


def by_operator(x):
    return np.sum(raised(4.0, np.sin(x)))


def in_a_loop(x):
    for k in range(2):
        x = power(1.0 + 2 * k, x)
    return np.sum(x * x)


def of_numbers(x):
    return raised(2.0, x[0]) * raised(3.0, x[1]) + power(5.0, x[0])


class Law:
    def __init__(self, exponent):
        self.exponent = exponent

    def __call__(self, x):
        return np.float_power(x, self.exponent)


def of_an_object(x):
    law = Law(3.0)
    return np.sum(law(x) * x)


PROGRAMS = [twice, by_operator, in_a_loop, of_numbers, of_an_object]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("mode", ["fwd", "rev"])
def test_products_with_the_hessian(f, mode):
    v = np.array([1.0, -2.0])
    expected = (grad(f)(X + 1e-5 * v) - grad(f)(X - 1e-5 * v)) / 2e-5
    assert np.allclose(hvp(f, (X,), (v,), mode=mode)[1], expected, rtol=1e-6)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients_of_gradients(f):
    expected = (grad(f)(X + 1e-5) - grad(f)(X - 1e-5)) / 2e-5
    assert np.allclose(grad(lambda x: np.sum(grad(f)(x)))(X), expected, rtol=1e-6)


def test_a_tangent_of_zero_counts_as_none():
    for f in (power, raised):
        value, tangent = jvp(lambda x, y: np.sum(f(y, x)), (X, 3.0), (np.ones(2), 0.0))
        assert np.isclose(value, np.sum(X**3)) and np.isclose(tangent, np.sum(3 * X**2))


def test_a_seed_of_zero_passes_nothing():
    chosen = grad(lambda x, y: np.sum(np.where(x > 0, np.power(x, y), 1.0)), (0, 1))(X, 2.0)
    assert np.allclose(chosen[0], [0.0, 0.8]) and np.isclose(chosen[1], 0.16 * np.log(0.4))
    assert np.isnan(grad(lambda y: np.sum(np.power(X, y)))(2.0))

"""Arguments that say that they are not given, and polynomials without a coefficient that counts."""

import numpy as np
import pytest

from s2sad import grad
from s2sad.testing import check_grads

V = np.array([0.7, 1.3, 2.1])


def product(a, axis=None, dtype=None, out=None, keepdims=np._NoValue, initial=np._NoValue, where=np._NoValue):
    return np.prod(a, axis, dtype, out, keepdims, initial, where)


def largest(a, axis=None, initial=np._NoValue, where=np._NoValue):
    return np.max(a, axis=axis, initial=initial, where=where)


def spread(a, keepdims=np._NoValue, mean=np._NoValue):
    return np.var(a, keepdims=keepdims, mean=mean)


@pytest.mark.parametrize("function", [product, largest, spread, lambda x: np.diff(x, prepend=np._NoValue)[0]])
def test_an_argument_that_is_not_given(function):
    check_grads(function, (V,), order=2, rtol=1e-4)


def test_one_of_those_left_out_is_given():
    assert np.allclose(grad(lambda x: product(x, initial=2.0))(V), 2.0 * np.prod(V) / V)


NOTHING = np.array([])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(np.polymul(x, [])), lambda x: np.sum(np.polymul([], x)), lambda x: np.sum(np.polymul(x, NOTHING)),
        lambda x: np.sum(np.polymul(x[:0], x)), lambda x: np.sum(np.polymul(x, np.zeros(2))) + x[0] ** 2,
        lambda x: np.sum(np.polymul(np.sin(x), x) ** 2),
    ],
)  # fmt: skip
def test_products_with_no_coefficients(function):
    check_grads(function, (V,), order=2, rtol=1e-4)


def test_another_call_gives_it():
    derivative = grad(product)
    assert np.allclose(derivative(V), np.prod(V) / V)
    assert np.allclose(derivative(V, initial=2.0), 2.0 * np.prod(V) / V)
    assert np.allclose(derivative(V), np.prod(V) / V)

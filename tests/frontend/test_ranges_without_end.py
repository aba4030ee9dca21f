"""Ranges of known numbers that are longer than an integer of C."""

import numpy as np
import pytest

from s2sad import CompilerError, S2sadError, grad, jvp

X = np.array([1.2, 0.7, 0.4])


def left_early(x):
    s = x[0]
    for k in range(10**30):
        s = s * x[k]
        if k > 1:
            break
    return s


def beside_a_vector(x):
    s = x[0]
    for k, v in zip(range(10**30), x):
        s = s * v + k
    return s


def first_of_them(x):
    return next(x[k] * x[1] for k in range(10**30) if k > 1)


def beside_a_list(x):
    return sum(v * k for k, v in zip(range(10**30), [x[0], x[1], x[2] * x[1]]))


@pytest.mark.parametrize("function", [left_early, first_of_them, beside_a_list])
def test_what_leaves_them_has_derivatives(function):
    basis = np.eye(3) * 1e-6
    slopes = [(function(X + e) - function(X - e)) / 2e-6 for e in basis]
    np.testing.assert_allclose(grad(function)(X), slopes, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose([jvp(function, (X,), (e * 1e6,))[1] for e in basis], slopes, rtol=1e-6, atol=1e-8)


def test_a_length_that_python_cannot_tell_is_refused():
    with pytest.raises(S2sadError) as caught:
        grad(beside_a_vector)(X)
    assert not isinstance(caught.value, CompilerError)


def test_what_does_not_raises():
    def fails(x):
        s = x[0]
        for k in range(10**30):
            s = s * x[k]
        return s

    with pytest.raises(IndexError):
        grad(fails)(X)

"""Derivatives of functions that have a rule are the rule's, also where the function itself is what is differentiated."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose

from s2sad import ActivityError, differentiate, grad, hessian, jacobian, jvp, rule, vjp
from s2sad.errors import ArgumentError


@rule(x="g * where(abs(x) > 1, 0.0, 3 * x**2)")
def clipped(x):
    return x**3


def test_the_rule_holds_whether_the_function_is_called_or_differentiated_itself() -> None:
    for derivative in (grad(clipped), grad(lambda x: clipped(x)), differentiate(clipped).grad):
        assert derivative(2.0) == 0.0
        assert_allclose(derivative(0.5), 0.75)
    assert jvp(clipped, (2.0,), (1.0,)) == (8.0, 0.0)
    assert vjp(clipped, 2.0)[1](1.0) == (0.0,)
    assert_allclose(jacobian(clipped)(np.array([2.0, 0.5])), np.diag([0.0, 0.75]))


def test_a_rule_that_is_given_later_is_not_overlooked() -> None:
    def cube(x):
        return x**3

    early = grad(cube)
    assert_allclose(early(2.0), 12.0)
    rule(x="0 * g")(cube)
    with pytest.raises(ActivityError, match="rule after this derivative"):
        early(2.0)
    assert grad(cube)(2.0) == 0.0


@pytest.mark.parametrize(
    ("function", "args", "expected"),
    [
        (np.sin, (0.5,), np.cos(0.5)),
        (math.exp, (1.0,), np.e),
        (np.linalg.norm, (np.array([3.0, 4.0]),), [0.6, 0.8]),
        (np.sum, (np.arange(3.0),), np.ones(3)),
    ],
    ids=lambda item: getattr(item, "__name__", ""),
)
def test_functions_of_libraries_are_differentiated_as_they_are(function, args, expected) -> None:
    assert_allclose(grad(function)(*args), expected)
    assert_allclose(pickle.loads(pickle.dumps(grad(function)))(*args), expected)


def test_functions_for_which_a_program_stands_are_differentiated_as_they_are() -> None:
    optimize, stats = pytest.importorskip("scipy.optimize"), pytest.importorskip("scipy.stats")
    x = np.array([0.5, 0.7, 1.1, 1.3])
    assert_allclose(grad(optimize.rosen)(x), optimize.rosen_der(x))
    assert_allclose(hessian(optimize.rosen)(x), optimize.rosen_hess(x), atol=1e-12)
    assert_allclose(jvp(stats.gmean, (x,), (x,))[1], stats.gmean(x))
    assert_allclose(grad(stats.skew)(x, bias=False), grad(lambda v: stats.skew(v, bias=False))(x))
    with pytest.raises(ArgumentError, match="passes options on"):
        grad(stats.skew)(x, nan_policy="omit")


def test_second_derivatives_and_several_arguments() -> None:
    assert_allclose(grad(grad(np.sin))(0.5), -np.sin(0.5))
    assert_allclose(grad(np.multiply, (0, 1))(2.0, 3.0), (3.0, 2.0))
    assert hessian(np.sum)(np.ones(2)).shape == (2, 2)

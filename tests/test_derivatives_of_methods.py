"""Derivatives of derivatives of bound methods, and of methods that ``@differentiate`` decorates."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import checkpoint, differentiate, grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp, vmap

X = np.array([1.0, 2.0])


class Model:
    def __init__(self, w):
        self.w = w

    def plain(self, x):
        return np.sum(self.w * x**3)

    @differentiate
    def decorated(self, x):
        return np.sum(self.w * x**3)

    @differentiate(wrt="x")
    def by_name(self, x):
        return np.sum(self.w * x**3)

    @staticmethod
    @differentiate
    def static(x):
        return np.sum(np.array([2.0, 3.0]) * x**3)


MODEL, OTHER = Model(np.array([2.0, 3.0])), Model(np.array([4.0, 6.0]))
METHODS = ["plain", "decorated", "by_name", "static"]
GRADIENT, CURVATURE = np.array([6.0, 36.0]), np.array([12.0, 36.0])
WAYS: dict[str, Callable[[Any], Any]] = {
    "grad": lambda f: (grad(f)(X), GRADIENT),
    "value_and_grad": lambda f: (value_and_grad(f)(X)[1], GRADIENT),
    "jvp": lambda f: (jvp(f, (X,), (X,))[1], GRADIENT @ X),
    "vjp": lambda f: (vjp(f, X)[1](1.0)[0], GRADIENT),
    "hessian": lambda f: (hessian(f)(X), np.diag(CURVATURE)),
    "jvp of grad": lambda f: (jvp(grad(f), (X,), (X,))[1], CURVATURE * X),
    "vjp of grad": lambda f: (vjp(grad(f), X)[1](X)[0], CURVATURE * X),
    "jacobian of grad": lambda f: (jacobian(grad(f))(X), np.diag(CURVATURE)),
    "grad of grad": lambda f: (grad(lambda x: np.sum(grad(f)(x)))(X), CURVATURE),
    "checkpoint": lambda f: (grad(checkpoint(f))(X), GRADIENT),
    "vmap": lambda f: (vmap(grad(f))(np.stack([X, X]))[1], GRADIENT),
    "partial": lambda f: (grad(functools.partial(f))(X), GRADIENT),
}


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("way", WAYS)
def test_ways(name: str, way: str) -> None:
    found, expected = WAYS[way](getattr(MODEL, name))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


class Layer:
    def __init__(self, act):
        self.act, self.inner, self.count = act, {"act": act}, 0

    def shadowed(self, x):
        return x * 2

    def loss(self, x):
        self.count += 1
        return np.sum(self.act(x) ** 2 + self.inner["act"](x) * self.shadowed(x))


def layer(act: Callable[[Any], Any]) -> Layer:
    made = Layer(act)
    made.shadowed = lambda x: act(x) ** 2  # type: ignore[method-assign]
    return made


SECOND: dict[str, Callable[[Any], Any]] = {
    "hvp": lambda f: hvp(f, (X,), (X,))[1],
    "hvp, reverse": lambda f: hvp(f, (X,), (X,), mode="rev")[1],
    "hessian": lambda f: hessian(f)(X) @ X,
    "jvp of grad": lambda f: jvp(grad(f), (X,), (X,))[1],
    "with the object": lambda f: hvp(f.__func__, (f.__self__, X), (X,), wrt=1)[1],
}


@pytest.mark.parametrize("way", SECOND)
@pytest.mark.parametrize("act", [np.cos, lambda x: np.sin(2 * x)], ids=["of a library", "of the user"])
def test_second_derivatives_with_functions_that_the_object_holds(act: Callable[[Any], Any], way: str) -> None:
    def by_hand(x: Any) -> Any:
        return np.sum(act(x) ** 2 + act(x) ** 3)

    made = layer(act)
    np.testing.assert_allclose(SECOND[way](made.loss), hessian(by_hand)(X) @ X, rtol=1e-12)
    assert made.count == (way != "with the object")
    made.act = made.inner["act"] = made.shadowed = np.exp  # type: ignore[method-assign]
    np.testing.assert_allclose(SECOND[way](made.loss), np.exp(2 * X) * 8 * X, rtol=1e-12)


@pytest.mark.parametrize("name", METHODS[:3])
def test_each_object_has_its_own(name: str) -> None:
    for _ in range(2):
        np.testing.assert_allclose(jvp(grad(getattr(MODEL, name)), (X,), (X,))[1], CURVATURE * X)
        np.testing.assert_allclose(jvp(grad(getattr(OTHER, name)), (X,), (X,))[1], 2 * CURVATURE * X)


def test_fields_are_read_at_each_call() -> None:
    model = Model(np.array([2.0, 3.0]))
    gradient = grad(model.decorated)

    def along():
        return jvp(gradient, (X,), (X,))[1]

    np.testing.assert_allclose(along(), CURVATURE * X)
    model.w = np.array([4.0, 6.0])
    np.testing.assert_allclose(along(), 2 * CURVATURE * X)
    model.w *= 0.5
    np.testing.assert_allclose(along(), CURVATURE * X)

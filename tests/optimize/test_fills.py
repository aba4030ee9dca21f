"""Contributions that NumPy stretches: at least one of a sum has the whole shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import grad


def product_first(x: Any, y: Any) -> Any:
    return np.sum(x * y) + np.mean(x - y)


def mean_first(x: Any, y: Any) -> Any:
    return np.mean(x - y) + np.sum(x * y)


def three(x: Any, y: Any) -> Any:
    return np.sum(x * y) + np.sum(x - y) + np.mean(y * x)


def quotient(x: Any, y: Any) -> Any:
    return np.sum(x / y) + np.mean(x + y)


@pytest.mark.parametrize("shapes", [((3, 3), (3,)), ((2, 3), (3,)), ((3,), (2, 3)), ((2, 3), (2, 1)), ((3, 3), (3, 3))])
@pytest.mark.parametrize("function", [product_first, mean_first, three, quotient])
def test_gradients_have_the_shapes_of_their_arguments(function: Callable[..., Any], shapes: tuple[Any, Any]) -> None:
    source = np.random.default_rng(0)
    args = [source.uniform(0.5, 1.5, shape) for shape in shapes]
    for k, (found, arg) in enumerate(zip(grad(function, (0, 1))(*args), args, strict=True)):
        assert found.shape == arg.shape
        for place in np.ndindex(arg.shape):
            step = np.zeros(arg.shape)
            step[place] = 1e-6
            ahead, behind = ([a + s * step if j == k else a for j, a in enumerate(args)] for s in (1, -1))
            assert found[place] == pytest.approx((function(*ahead) - function(*behind)) / 2e-6, rel=1e-6)

"""``math.gamma`` and ``math.lgamma`` of an array without axes: its derivatives leave it as it is."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import grad, hessian, jvp


def of_gamma(x: Any) -> Any:
    return math.gamma(x) * x


def of_lgamma(x: Any) -> Any:
    return math.lgamma(x) * x


@pytest.mark.parametrize("function", [of_gamma, of_lgamma])
def test_arrays_without_axes(function: Callable[..., Any]) -> None:
    x = np.array(1.3)
    assert grad(function)(x) == grad(function)(1.3)
    assert jvp(function, (x,), (np.array(1.0),)) == jvp(function, (1.3,), (1.0,))
    assert hessian(function)(x) == hessian(function)(1.3)
    assert x == 1.3

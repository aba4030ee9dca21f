"""``np.fromiter(items, dtype, count)`` takes as many items as ``count`` says, ``itertools.compress`` those that are selected."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, grad, jvp

A = np.array([1.1, 2.3, -0.7])


def of_an_array(a: Any) -> Any:
    return np.fromiter(a, float, 2).sum() * a[0]


def of_a_generator(a: Any) -> Any:
    return np.fromiter((v * v for v in a), dtype=float, count=2).sum()


def of_all(a: Any) -> Any:
    return np.fromiter((v * v for v in a), float, count=-1).sum()


@pytest.mark.parametrize("function", [of_an_array, of_a_generator, of_all])
def test_of_known_counts(function: Callable[..., Any]) -> None:
    check_grads(function, (A,), order=2)


def of_a_count(a: Any, n: int) -> Any:
    items = [v * v for v in a]
    return np.fromiter(items, float, count=n).sum()


@pytest.mark.parametrize("n", [-1, 0, 2, 3])
def test_of_computed_counts(n: int) -> None:
    count = n if n >= 0 else 3
    np.testing.assert_allclose(grad(of_a_count)(A, n), np.where(np.arange(3) < count, 2 * A, 0.0))
    value, tangent = jvp(of_a_count, (A, n), (A, 0))
    assert value == of_a_count(A, n)
    np.testing.assert_allclose(tangent, 2 * np.sum(A[:count] ** 2))


def test_too_few_items() -> None:
    for function in (of_a_count, grad(of_a_count)):
        with pytest.raises(ValueError, match="iterator too short"):
            function(A, 5)


def of_selected(a: Any) -> Any:
    chosen = itertools.compress((v * v for v in a), a > 0)
    return sum(chosen) + sum(itertools.compress(a, [1, 0])) * a[2]


def test_selected_items() -> None:
    check_grads(of_selected, (A,), order=2)

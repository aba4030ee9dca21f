"""What NumPy reads from an array that the same call writes: copied first, as NumPy does, or refused where it goes on as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from verdicts import assert_right

from s2sad import S2sadError, grad, jvp


def products_at(x):
    y = np.sin(x)
    np.multiply.at(y[1:], [1, 1, 0], y[:3])
    return np.sum(y * y)


def largest_at(x):
    y = np.sin(x)
    np.maximum.at(y, np.array([2, 1, 0]), y[::-1])
    return np.sum(y * y)


def places_that_change(x):
    i = np.array([2, 1, 0, 1])
    np.multiply.at(i, i, [1, 2, 1, 1])
    return np.sum(x[i % 3] ** 2 * i)


def sums_at(x):
    y = np.sin(x)
    np.add.at(y, [0, 0, 1], y)
    np.subtract.at(y[1:], [0, 1], y[:2])
    return np.sum(y * y)


def pieces_into_another(x):
    b, c = x * 1.0, np.zeros(6)
    np.concatenate([b, b], out=c)
    np.concatenate([b * 2, c[:2] * 1.0], out=c[:5])
    c.flat[1:4] = b
    c.flat[::2] = c[:3] * 1.0
    return np.sum(c**2 * np.arange(1, 7))


RIGHT = (products_at, largest_at, places_that_change, sums_at, pieces_into_another)


@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_right(function: Callable[..., Any]) -> None:
    assert_right(function)


def joined_into_itself(x):
    b = x * 1.0
    np.concatenate([b[2:], b[:2]], out=b)
    return np.sum(b**2 * np.arange(1, 4))


def stacked_into_itself(x):
    b = np.array([x, x * 2])
    np.stack([b[1], b[0]], out=b)
    return np.sum(b**2 * x)


def flat_into_itself(x):
    b = x * 1.0
    b.flat[1:] = b[:-1]
    return np.sum(b**2)


def flat_rows(x):
    b = np.array([x, x * 2])
    b.flat[::2] = b[0]
    return np.sum(b**2 * x)


REFUSED = (joined_into_itself, stacked_into_itself, flat_into_itself, flat_rows)


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_refused(function: Callable[..., Any]) -> None:
    x = np.array([1.3, 0.7, 2.1])
    for derivative in (lambda: grad(function)(x), lambda: jvp(function, (x,), (x,)), lambda: jvp(grad(function), (x,), (x,))):
        with pytest.raises(S2sadError, match="reads from the array that it writes"):
            derivative()

"""Items that an index of 0, 1, 2 ... names are named once: what reaches them is added at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, differentiate


def one_of_each_row(x, w, places):
    return np.sum(np.sin(x[np.arange(x.shape[0]), places]) * w[:, 0])


def one_of_each_row_given(x, w, places):
    rows = np.arange(places.shape[0])
    y = x * w
    return np.prod(y[rows, places]) + np.sum(y[rows, 1] ** 2)


def first_rows(x, w, places):
    y = np.exp(x)
    return np.sum(y[np.arange(2)] * w[:2])


def written(x, w, places):
    y = np.copy(x)
    y[np.arange(places.shape[0]), places] *= w[:, 1]
    return np.sum(y * y * w)


def one_row_that_is_repeated(x, w, places):
    """The range is shorter than what stands beside it: NumPy repeats it."""
    y = np.sin(x[:1])
    return np.sum(y[np.arange(y.shape[0]), np.array([0, 1, 0])] ** 2)


def a_range_from_below(x, w, places):
    y = np.sin(x[:2])
    return np.sum(y[np.arange(-2, 2)] ** 2)


def a_range_that_is_written(x, w, places):
    rows = np.arange(places.shape[0])
    rows[0] = 1
    return np.sum(np.sin(x)[rows] ** 2)


def twice(x, w, places):
    rows = np.arange(places.shape[0])
    return np.sum(np.sin(x)[rows[:, None], np.array([[0, 1, 0]])] ** 2)


RNG = np.random.default_rng(4)
ARGS = (RNG.normal(size=(4, 3)), RNG.normal(size=(4, 3)), np.array([2, 0, 0, 1]))
ONCE = [one_of_each_row, one_of_each_row_given, first_rows, written]
PERHAPS = [one_row_that_is_repeated, a_range_from_below, a_range_that_is_written, twice]


@pytest.mark.parametrize("function", [*ONCE, *PERHAPS])
def test_derivatives_of_all_orders(function: Callable[..., Any]) -> None:
    check_grads(function, ARGS, wrt=(0, 1), order=2, together=True)


@pytest.mark.parametrize("function", ONCE)
def test_what_is_named_once(function: Callable[..., Any]) -> None:
    assert ".at(" not in differentiate(function, wrt=(0, 1)).source("adjoint", *ARGS)


@pytest.mark.parametrize("function", PERHAPS)
def test_what_may_be_named_again(function: Callable[..., Any]) -> None:
    assert ".at(" in differentiate(function, wrt=0).source("adjoint", *ARGS)

"""Convolutions by sliding windows: their adjoints make no array of all windows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

from s2sad import check_grads, differentiate, grad

RNG = np.random.default_rng(7)
X, K = RNG.normal(size=(6, 5)), RNG.normal(size=(2, 3))
BATCH, FILTERS = RNG.normal(size=(2, 3, 6)), RNG.normal(size=(4, 3, 2))


def one_filter(x, k):
    return np.sum(np.sin(np.einsum("ijkl,kl->ij", sliding_window_view(x, k.shape), k)))


def by_tensordot(x, k):
    return np.sum(np.sin(np.tensordot(sliding_window_view(x, k.shape), k, axes=((2, 3), (0, 1)))))


def other_way_round(x, k):
    return np.sum(np.sin(np.tensordot(k, sliding_window_view(x, k.shape), axes=((0, 1), (2, 3)))))


def in_one_direction(x, k):
    windows = sliding_window_view(x, 3, axis=1)
    return np.sum(np.sin(np.einsum("ijl,kl->ijk", windows, k)))


def filters(x, k):
    windows = sliding_window_view(x, 2, axis=2)
    return np.sum(np.cos(np.einsum("bctk,fck->bft", windows, k)))


def stretched(x, k):
    return np.sum(np.sin(np.einsum("ijkl,kl->ij", sliding_window_view(x, (2, 3)), k[:1])))


IMAGES = [one_filter, by_tensordot, other_way_round, in_one_direction, stretched]
CASES = [*((f, (X, K)) for f in IMAGES), (filters, (BATCH, FILTERS))]


@pytest.mark.parametrize(("function", "args"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_derivatives(function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check_grads(function, args, wrt=(0, 1))


@pytest.mark.parametrize(("function", "args"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_second_derivatives(function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check_grads(lambda x, k: np.sum(grad(function)(x, k) * np.cos(x)), args, wrt=(0, 1))


@pytest.mark.parametrize("function", [one_filter, by_tensordot, other_way_round])
def test_no_array_of_all_windows(function: Callable[..., Any]) -> None:
    text = differentiate(function, wrt=(0, 1)).source("adjoint", X, K)
    assert " einsum_windows_adjoint(" in text and " windows_adjoint(" not in text

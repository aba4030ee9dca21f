"""Shapes that programs put together of shapes: of arrays that are made so the number of axes is known, and each size that is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, differentiate


def with_channels(x):
    both = np.empty(x.shape + (2, 2))
    both[..., 0, 0] = x * x
    both[..., 1, 1] = both[..., 0, 1] = both[..., 1, 0] = x
    both[1:-1] += both[:-2] * both[2:]
    return np.sum(both[..., 0, 0] * both[..., 1, 1] - both[..., 0, 1] ** 2)


def in_two_directions(x):
    p = np.zeros((2,) + x.shape)

    def divergence(p):
        d = np.zeros_like(p[0])
        d[:-1] += p[0][:-1]
        d[:, :-1] += p[1][:, :-1]
        return d

    for _ in range(2):
        r = divergence(p) - x
        p[0, :-1] = np.diff(r, axis=0) * r[1:]
        p[1, :, :-1] += np.diff(r, axis=1) * p[0, :, 1:]
    return np.sum(divergence(p) * x)


def grown(x):
    shape = x.shape
    shape += (2,)
    pairs = np.zeros(shape)
    pairs[..., 0] = x
    pairs[..., 1] = pairs[..., 0] * x
    return np.sum(pairs * np.stack([x, x * x], axis=-1))


def repeated(x):
    ones = (1,) * x.ndim
    row = np.ones(x.shape[:1] + ones[1:])
    return np.sum(row * x[:, :1] * x[:, 1:2])


X = np.array([[0.3, 1.2, -0.4, 0.9], [0.7, -0.2, 0.5, 1.1], [0.1, 0.8, 0.6, -0.5]])


@pytest.mark.parametrize("function", [with_channels, in_two_directions, grown, repeated], ids=lambda f: f.__name__)
def test_sizes_are_known(function: Callable[[Any], Any]) -> None:
    check_grads(function, (X,))
    check_grads(function, (X[:, :3],))
    assert "unbroadcast" not in differentiate(function).source("adjoint", X)

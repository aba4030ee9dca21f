"""Powers of two that come first, and out of sums of products, executed: derivatives are those of differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, differentiate, jvp

RNG = np.random.default_rng(11)


def squares(u, n):
    for _ in range(n):
        u[1:-1] += 0.3 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def distances(p):
    total = 0.0
    for i in range(p.shape[0]):
        for j in range(i):
            d = p[i] - p[j]
            total += 1.0 / np.dot(d, d)
    return total


def weighted(x, w):
    return np.mean((x * w) ** 2) + 0.5 * np.vdot(w, w) / x.size


def written_between(x, y):
    u = x.copy()
    s = np.sum(u * u)
    u[0] = s
    return s * np.dot(u, y) + np.dot(y, u)


def single(x, y):
    return np.sum(x**2) * np.float32(0.5) + x @ y + y @ x


def by_a_vector(x, y):
    return np.dot(x, y) @ np.dot(y, x) + np.vdot(x[:, 0], y[0]) * np.vdot(y[0], x[:, 0])


X, Y = RNG.normal(size=(2, 4))
PROGRAMS: dict[Callable[..., Any], tuple[Any, ...]] = {
    squares: (X, 3), distances: (RNG.normal(size=(3, 2)),), weighted: (X, Y), written_between: (X, Y),
    single: (X.astype(np.float32), Y.astype(np.float32)), by_a_vector: (np.outer(X, Y), np.outer(Y, X) + 1.0),
}  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_derivatives(f: Callable[..., Any]) -> None:
    check_grads(f, PROGRAMS[f], order=1 if f is single else 2)


def test_no_array_is_scaled() -> None:
    assert "2 * np.vdot(u_dot, u)" in differentiate(squares).source("tangent", X, 3)
    assert "2.0 * np.dot(d_dot, d)" in differentiate(distances).source("tangent", *PROGRAMS[distances])
    assert "2 * out_bar / max(" in differentiate(weighted).source("adjoint", X, Y)


def test_exactly_what_it_was() -> None:
    _, tangent = jvp(squares, (X, 0), (Y, None))
    assert tangent == np.vdot(2 * Y, X)

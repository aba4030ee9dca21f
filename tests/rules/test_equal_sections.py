"""Arrays cut into a number of equal parts: as windows of known sizes, where the axis can be cut so; what cannot be raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, differentiate, hvp

RNG = np.random.default_rng(9)
X = RNG.normal(size=8)
M = RNG.normal(size=(3, 4))


def gates(x):
    i, f, o, g = np.split(np.sin(x), 4)
    return np.sum(i * f + o * np.tanh(g))


def in_a_loop(x):
    h = np.zeros(x.shape[0] // 4)
    for _ in range(3):
        i, f, o = np.split(x[: 3 * h.shape[0]] * np.concatenate([h, h, h]) + x[: 3 * h.shape[0]], 3)
        h = np.tanh(i) * h + f * o
    return np.sum(h**2)


def along_columns(m):
    a, b = np.split(np.exp(m), 2, axis=-1)
    rows = np.split(m, 3)
    return np.sum(a * b) + np.sum(rows[0] * rows[2])


def in_one_piece(x):
    return np.sum(np.split(x * x, 1)[0])


def of_a_known_size(x):
    a, b = np.split(np.array([x[0], x[1] * x[2], x[3], x[0]]), 2)
    return np.sum(a * b)


def cell(z, c):
    i, f = np.split(z, 2)
    return i * c + f


def in_a_callee(x):
    c = np.ones(x.shape[0] // 2)
    for _ in range(2):
        c = cell(x * x, c)
    return np.sum(c)


PROGRAMS: dict[Callable[..., Any], np.ndarray] = {
    gates: X, in_a_loop: X, along_columns: M, in_one_piece: X, of_a_known_size: X, in_a_callee: X,
}  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_derivatives(f: Callable[..., Any]) -> None:
    x = PROGRAMS[f]
    check_grads(f, (x.copy(),))
    u, h = RNG.normal(size=x.shape), 1e-6
    ours = differentiate(f)
    difference = (ours.grad(x + h * u) - ours.grad(x - h * u)) / (2 * h)
    np.testing.assert_allclose(hvp(f, (x,), (u,))[1], difference, rtol=1e-6, atol=1e-7)


def test_all_parts_are_assigned_and_what_is_recorded_is_as_small_as_them() -> None:
    text = differentiate(gates).source("adjoint", X)
    assert "section_bounds" not in text and "+=" not in text and "empty_like(" in text, text
    text = differentiate(in_a_loop).source("adjoint", X)
    assert "unbroadcast" not in text and "as_long_as" not in text, text


@pytest.mark.parametrize("sizes", [(8, 7, 4), (7, 8, 9), (0, 1, 4)])
def test_other_sizes(sizes: tuple[int, ...]) -> None:
    ours = differentiate(gates)
    for n in sizes:
        x = RNG.normal(size=n)
        if n % 4:
            with pytest.raises(ValueError, match="equal division"):
                ours.grad(x)
        else:
            check_grads(gates, (x,))
            assert ours.grad(x).shape == x.shape


def none(x):
    return np.sum(np.split(x, 0)[0])


def fewer_than_none(x):
    return np.sum(np.array(np.split(x, -2)[0]))


@pytest.mark.parametrize("f", [none, fewer_than_none], ids=lambda f: f.__name__)
def test_no_sections(f: Callable[..., Any]) -> None:
    with pytest.raises((ValueError, ZeroDivisionError)):
        f(X)
    with pytest.raises((ValueError, ZeroDivisionError)):
        differentiate(f).grad(X)

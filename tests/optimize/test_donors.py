"""Programs that recorded arrays for their shapes: what they record now takes no memory, and derivatives are right."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, grad, hvp, jvp, vjp


def neville(xs, ys, x):
    p = ys.copy()
    n = len(xs)
    for k in range(1, n):
        left, right = xs[: n - k], xs[k:]
        p[: n - k] = ((x - right) * p[: n - k] + (left - x) * p[1 : n - k + 1]) / (left - right)
    return p[0]


def rows(x, w, n):
    total = 0.0
    for i in range(n):
        part = np.tanh(x[i : i + 3])
        total += np.sum(part[1:] + w[: len(part) - 1])
    return total


def step(x, k):
    return np.sum((x[k:] + 1.0) * 2.0 + x[:1])


def through_calls(x, n):
    total = 0.0
    for k in range(n):
        total += step(x * x, k)
    return total


def in_either_order(x, n):
    """Strides decide whether ``flat`` is a window of ``a``: shadows must lie in memory as arrays do."""
    total = 0.0
    for i in range(n):
        a = x.T + i
        flat = a.reshape(-1)
        flat[1] = 2.0 * flat[0]
        total += np.sum(a[:, 0] + a[0, 1]) + np.sum(flat[1:])
    return total


def numbers_or_arrays(xs, y):
    total = 0.0
    for x in xs:
        total = total + np.sum(x * y)
    return total


RNG = np.random.default_rng(5)
PROGRAMS: dict[Callable[..., Any], tuple[Any, ...]] = {
    neville: (np.arange(5.0) + 0.1 * RNG.normal(size=5), RNG.normal(size=5), 0.4),
    rows: (RNG.normal(size=7), RNG.normal(size=4), 4),
    through_calls: (RNG.normal(size=6), 3),
    in_either_order: (RNG.normal(size=(3, 2)), 2),
    numbers_or_arrays: ([RNG.normal(size=3), RNG.normal(size=3)], RNG.normal(size=(2, 3))),
}


@pytest.mark.parametrize(("function", "args"), PROGRAMS.items(), ids=lambda x: getattr(x, "__name__", ""))
def test_derivatives_of_all_orders(function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check_grads(function, args)
    if function is numbers_or_arrays:
        return
    x = args[0]
    v = np.cos(np.arange(x.size)).reshape(x.shape)
    moved = [grad(function)(x + h * v, *args[1:]) for h in (1e-5, -1e-5)]
    _, product = hvp(function, args, (v,), wrt=0)
    np.testing.assert_allclose(product, (moved[0] - moved[1]) / 2e-5, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("order", ["C", "F"])
def test_layouts(order: str) -> None:
    x = np.array(PROGRAMS[in_either_order][0], order=order)
    v = np.sin(np.arange(6.0)).reshape(3, 2)
    _, slope = jvp(in_either_order, (x, 2), (v, None))
    assert np.vdot(grad(in_either_order)(x, 2), v) == pytest.approx(slope)


def wide(x, c, n):
    total = 0.0
    for i in range(n):
        total += np.sum(x[i:] + c * i)
    return total


def test_memory_does_not_grow_with_what_only_has_a_shape() -> None:
    x, c = np.ones(50_000), np.ones(1)
    vjp(wide, x, c, 2)
    tracemalloc.start()
    try:
        _, pullback = vjp(wide, x, c, 60)
        pullback(1.0)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 12 * x.nbytes

"""What is asked for the shape of another array, executed: derivatives are those of differences, and nothing more is recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, differentiate, hvp

RNG = np.random.default_rng(7)


def mean_of_squares(w, x, y):
    residual = x @ w - y
    return np.mean(residual**2)


def mean_of_picked(x, labels):
    scaled = np.exp(x)
    return np.mean(np.log(np.sum(scaled, axis=1)) - x[np.arange(x.shape[0]), labels])


def mean_in_a_loop(w, x, n):
    total = 0.0
    for _ in range(n):
        z = x * w
        total += np.mean(z**2 + np.sin(z))
        x = np.tanh(z)
    return total


def stretched_or_not(values, s, n):
    for i in range(n - 1, -1, -1):
        prices = s * 1.1 ** np.arange(i, -i - 1, -2)
        values = np.maximum(values[:-1] + 0.5 * values[1:], 3.0 - prices)
    return np.sum(values * values)


def mean_by_rows(x):
    total = 0.0
    for k in range(x.shape[0]):
        for j in range(k, x.shape[0]):
            total += np.mean(x[k, k:] ** 2 * x[j, k:])
    return total


def half(x):
    y = np.sin(x)
    return np.mean(y * y) * np.max(x)


def through_a_function(x, w):
    return half(x * w) + half(w)


PROGRAMS: dict[Callable[..., Any], tuple[tuple[Any, ...], str]] = {
    mean_of_squares: ((RNG.normal(size=3), RNG.normal(size=(4, 3)), RNG.normal(size=4)), "residual.size"),
    mean_of_picked: ((RNG.normal(size=(5, 3)), np.array([0, 2, 1, 1, 0])), "labels.size"),
    mean_in_a_loop: ((RNG.normal(size=3), RNG.normal(size=3), 3), ".size"),
    stretched_or_not: ((RNG.normal(size=4), 2.0, 3), "append"),
    mean_by_rows: ((RNG.normal(size=(3, 3)),), ".size"),
    through_a_function: ((RNG.normal(size=3), RNG.normal(size=3)), "size"),
}


@pytest.mark.parametrize("f", PROGRAMS)
def test_derivatives_of_what_is_asked_elsewhere(f: Callable[..., Any]) -> None:
    args, _ = PROGRAMS[f]
    check_grads(f, args, wrt=tuple(k for k, a in enumerate(args) if np.asarray(a).dtype == float), order=2)


@pytest.mark.parametrize("f", PROGRAMS)
def test_what_is_asked(f: Callable[..., Any]) -> None:
    args, asked = PROGRAMS[f]
    wrt = tuple(k for k, a in enumerate(args) if np.asarray(a).dtype == float)
    text = differentiate(f, wrt=wrt).source("adjoint", *args)
    assert asked in text
    assert text.count("stand_in(") == text.count("stand_in(values)")  # that shape nothing else has


def test_sizes_of_no_items() -> None:
    def f(x: Any, y: Any) -> Any:
        return np.sum(x) + np.mean((x - y) ** 2) * 0.0

    with np.errstate(all="ignore"), pytest.warns(RuntimeWarning):
        _, (x_bar,) = differentiate(f, wrt=("x",)).value_and_grad(np.zeros(0), np.zeros(0))
    assert x_bar.shape == (0,)


def test_products_with_hessians() -> None:
    w, x, y = PROGRAMS[mean_of_squares][0]
    _, product = hvp(lambda w: mean_of_squares(w, x, y), (w,), (np.ones(3),))
    np.testing.assert_allclose(product, 2 / 4 * x.T @ x @ np.ones(3))


def written_on_one_path(x, k):
    if k % 2:
        x[1:] += x[:-1] * (x[2] + x[-1])
    turned = np.concatenate((x[1:], x[:1]))
    return np.sum(turned * turned)


@pytest.mark.parametrize("k", [0, 1])
def test_nothing_is_asked_of_what_one_path_leaves_unbound(k: int) -> None:
    check_grads(written_on_one_path, (RNG.normal(size=4), k), wrt=0, order=2)

"""Shifts that cancel have no derivative, and no other ones: derivatives of all orders, and where the text asks for ties."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, differentiate, grad, jvp


def softmax(x, w):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum(w * (e / np.sum(e, axis=1, keepdims=True)))


def softmax_of_columns(x, w):
    e = np.exp(x - np.max(x, axis=0, keepdims=True))
    return np.sum(w * (e / np.sum(e, axis=0, keepdims=True)))


def entropy(x, w):
    s = x - np.max(x, axis=1, keepdims=True)
    return np.mean(np.log(np.sum(np.exp(s), axis=1)) - s[np.arange(x.shape[0]), np.array([1, 0, 2, 1])]) + w[0, 0]


def log_sum_exp(x, w):
    m = np.max(x, axis=-1)
    return np.sum(w[:, 0] * (m + np.log(np.sum(np.exp(x - m[:, None]), axis=1))))


def log_sum_exp_of_first(x, w):
    m = np.max(x, axis=1, keepdims=True)
    return np.sum(w[:, 0] * (np.log(np.sum(np.exp(x - m), axis=1)) + m[:, 0]))


def of_all(x, w):
    m = x.max()
    return m + np.log(np.mean(np.exp(x - m) * w))


def least_of_all(x, w):
    m = np.min(x)
    e = np.exp(-(x - m))
    p = e / np.sum(e)
    return np.sum(p[1:] * w[1:])


def shifted_again(x, w):
    s = x - np.max(x, axis=1, keepdims=True)
    t = s - np.max(s, axis=1, keepdims=True)
    return np.sum(w * t)


def in_a_loop(x, w):
    for _ in range(2):
        e = np.exp(x - np.max(x, axis=1, keepdims=True))
        x = x + w * e / np.sum(e, axis=1, keepdims=True)
    return np.sum(x * x)


def scores(x):
    return x - np.max(x, axis=1, keepdims=True)


def kept(x, w):
    return np.sum(w * np.exp(x - np.max(x, axis=1, keepdims=True)))


def also_read(x, w):
    m = np.max(x, axis=1, keepdims=True)
    e = np.exp(x - m)
    return np.sum(w * (e / np.sum(e, axis=1, keepdims=True))) + np.sum(m * m)


def with_a_beginning(x, w):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum(w * (e / np.sum(e, axis=1, keepdims=True, initial=1.0)))


def with_another_axis(x, w):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return np.sum(w * (e / np.sum(e, axis=0, keepdims=True)))


def twice_as_large(x, w):
    e = np.exp(2.0 * (x - np.max(x, axis=1, keepdims=True)))
    return np.sum(w * (e / np.sum(np.sqrt(e), axis=1, keepdims=True)))


def of_one_row(x, w):
    s = x - np.max(x, axis=1, keepdims=True)
    return np.log(np.sum(np.exp(s[0]))) - s[1, 1] + w[0, 0]


def other_rows(x, w):
    s = x - np.max(x, axis=1, keepdims=True)
    return np.sum(np.log(np.sum(np.exp(s), axis=1)) - s[np.array([1, 0, 3, 2]), np.array([0, 1, 2, 0])]) + w[0, 0]


def through_a_call(x, w):
    e = np.exp(scores(x))
    return np.sum(w * e / np.sum(e, axis=1, keepdims=True))


def written(x, w):
    m = np.max(x, axis=1, keepdims=True)
    m[0, 0] = x[0, 0] * x[0, 1]
    s = x - m
    s[1] *= 2.0
    e = np.exp(s)
    return np.sum(w * (e / np.sum(e, axis=1, keepdims=True)))


def carried(x, w):
    m = 0.0
    total = 0.0
    for _ in range(3):
        e = np.exp(x - m)
        total += np.sum(w * e / np.sum(e)) + m
        m = np.max(x * w)
    return total


RNG = np.random.default_rng(8)
ARGS = (RNG.normal(size=(4, 3)), RNG.uniform(0.5, 1.5, size=(4, 3)))
CANCEL = [softmax, softmax_of_columns, entropy, log_sum_exp, log_sum_exp_of_first, of_all, least_of_all, in_a_loop]
STAY = [
    kept, also_read, with_a_beginning, with_another_axis, twice_as_large, of_one_row, other_rows, through_a_call, written,
    carried, shifted_again,
]  # fmt: skip


@pytest.mark.parametrize("function", [*CANCEL, *STAY])
def test_derivatives_of_all_orders(function: Callable[..., Any]) -> None:
    check_grads(function, ARGS, order=2, together=True)


@pytest.mark.parametrize("function", CANCEL)
def test_no_derivative_passes(function: Callable[..., Any]) -> None:
    for mode in ("tangent", "adjoint"):
        assert "ties" not in differentiate(function).source(mode, *ARGS)


@pytest.mark.parametrize("function", STAY)
def test_derivatives_pass(function: Callable[..., Any]) -> None:
    assert "ties" in differentiate(function).source("adjoint", *ARGS)


def test_large_numbers() -> None:
    x = np.array([[1000.0, 999.0, -np.inf], [-2000.0, -2001.0, -2000.0]])
    w = np.array([[1.0, 2.0, 3.0], [0.0, 1.0, 0.0]])
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    p = e / np.sum(e, axis=1, keepdims=True)
    expected = p * (w - np.sum(p * w, axis=1, keepdims=True))
    np.testing.assert_allclose(grad(softmax)(x, w), expected, rtol=1e-12, atol=1e-300)
    _, tangent = jvp(softmax, (x, w), (np.ones_like(x), 0 * w))
    assert abs(tangent) < 1e-14

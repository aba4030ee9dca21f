"""First stores: which additions become assignments, where no zeros are made, and derivatives after it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable

import numpy as np
import pytest

from s2sad import check_grads, differentiate, hvp

RNG = np.random.default_rng(5)
X = RNG.normal(size=6)
V = RNG.normal(size=2)


def thirds(x, v):
    n = v.shape[0]
    z = np.sin(x)
    return np.sum(np.tanh(z[:n]) * np.exp(z[n : 2 * n]) * np.sin(z[2 * n :]))


def halves(x, v):
    z = np.sin(x)
    return np.sum(np.tanh(z[:3]) * np.exp(z[3:]))


def from_the_end(x, v):
    z = np.sin(x)
    return np.sum(np.tanh(z[:-2])) * np.sum(np.exp(z[-2:]))


def subtracted(x, v):
    z = np.sin(x)
    return np.sum(np.tanh(z[:3]) * np.cos(z[3:]))


def in_a_loop(x, v):
    n = v.shape[0]
    for _ in range(3):
        z = np.sin(x)
        x = np.concatenate([np.tanh(z[:n]), np.exp(z[n:])])
    return np.sum(x)


def a_gap(x, v):
    z = np.sin(x)
    return np.sum(np.tanh(z[:3])) * np.sum(np.exp(z[4:]))


def items(x, v):
    z = np.sin(x)
    return np.tanh(z[0]) * np.exp(z[1])


def overlap(x, v):
    z = np.sin(x)
    return np.sum(np.tanh(z[:4])) * np.sum(np.exp(z[3:]))


def the_same_items(x, v):
    z = np.sin(x)
    return np.sum(np.tanh(z[1:])) * np.sum(np.exp(z[1:]))


def an_end_that_may_be_negative(x, v, k=-2):
    z = np.sin(x)
    return np.sum(np.tanh(z[:k])) * np.sum(np.exp(z[k + 4 :]))


def every_other(x, v):
    z = np.sin(x)
    return np.sum(np.tanh(z[::2])) * np.sum(np.exp(z[1::2]))


def items_that_may_be_one(x, v, k=1):
    z = np.sin(x)
    return np.tanh(z[1]) * np.exp(z[k])


def a_number_subtracted(x, v):
    z = np.sin(x)
    return np.tanh(z[0]) - z[1] * z[2]


def all_numbers(x, v):
    z = np.array([x[0] * x[1], np.sin(x[2])])
    return z[0] * np.exp(z[1])


def all_numbers_but_one(x, v):
    z = np.array([x[0] * x[1], np.sin(x[2]), x[4]])
    return z[0] * np.exp(z[2])


def all_numbers_and_a_slice(x, v):
    z = np.concatenate([np.sin(x[:2]), np.array([x[3]])])
    return np.sum(z[0:2]) * np.exp(z[2])


def more_later(x, v):
    z = np.sin(x)
    a, b = np.tanh(z[:3]), np.exp(z[3:])
    for k in range(3):
        a = a * z[k]
    return np.sum(a * b)


# How many additions are assigned, how many are left, and whether zeros are made.
ASSIGNED: dict[Callable, tuple[int, int, bool]] = {
    thirds: (3, 0, False), halves: (2, 0, False), from_the_end: (2, 0, False), in_a_loop: (2, 0, False),
    subtracted: (1, 1, True), a_gap: (2, 0, True), items: (2, 0, True), overlap: (1, 1, True), the_same_items: (1, 1, True),
    an_end_that_may_be_negative: (1, 1, True), every_other: (1, 1, True), items_that_may_be_one: (1, 1, True),
    more_later: (0, 3, True), a_number_subtracted: (3, 0, True), all_numbers: (2, 0, False), all_numbers_but_one: (2, 0, True),
    all_numbers_and_a_slice: (2, 0, False),
}  # fmt: skip


@pytest.mark.parametrize("f", ASSIGNED, ids=lambda f: f.__name__)
def test_what_is_assigned(f: Callable) -> None:
    rest = [p.default for p in inspect.signature(f).parameters.values()][2:]
    text = differentiate(f, wrt="x").source("adjoint", X.copy(), V, *rest)
    assigned, added = (len(re.findall(rf"z_bar\[.*?\] {sign}= ", text)) for sign in ("", "[+-]"))
    assert (assigned, added, "z_bar = np.zeros_like(" in text) == ASSIGNED[f], text


@pytest.mark.parametrize("f", ASSIGNED, ids=lambda f: f.__name__)
def test_derivatives(f: Callable) -> None:
    check_grads(f, (X.copy(), V), wrt="x")
    u, h = RNG.normal(size=6), 1e-6
    ours = differentiate(f, wrt="x")
    product = hvp(lambda x: f(x, V), (X,), (u,))[1]
    np.testing.assert_allclose(product, (ours.grad(X + h * u, V) - ours.grad(X - h * u, V)) / (2 * h), rtol=1e-6, atol=1e-8)

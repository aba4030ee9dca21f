"""Stores by a mask, of as many items as the mask lets through, as it is then: nothing is stretched, and nothing is summed.

A mask that has been written meanwhile lets through others: one item may be stretched to all.
"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import differentiate
from s2sad.testing import check_grads

GLOBAL = np.array([False, True, False, False])


def kept(x, w):
    y = x.copy()
    active = np.ones(len(x), dtype=bool)
    for k in range(3):
        y[active] = 0.5 * y[active] + w[active] / (y[active] + 5.0)
        active[k] = False
    return np.sum(y**2)


def upwind(u, c):
    for _ in range(3):
        left = np.concatenate([u[:1], u[:-1]])
        right = np.concatenate([u[1:], u[-1:]])
        forwards = c > 0
        change = np.zeros(len(u))
        change[forwards] = c[forwards] * (u[forwards] - left[forwards])
        change[~forwards] = c[~forwards] * (right[~forwards] - u[~forwards])
        u = u - 0.1 * change
    return np.sum(u**2)


def exercised(paths, strike):
    cash = np.maximum(strike - paths[:, -1], 0.0) + paths[:, -1]
    stop = np.zeros(len(cash), dtype=bool)
    for t in range(paths.shape[1]):
        stop[t] = True
        cash[stop] = strike * paths[stop, t] - paths[stop, t]
    return np.sum(cash**2)


def written_between(x, w):
    mask = np.zeros(len(x), dtype=bool)
    mask[1] = True
    y, item = x.copy(), w[mask]
    mask[:] = True
    y[mask] = item * 2.0
    return np.sum(y**2 * x)


def written_by_a_view(x, w):
    mask = np.zeros(len(x), dtype=bool)
    window = mask[1:]
    window[0] = True
    y, item = x.copy(), w[mask]
    window[:] = True
    y[mask] = item * 2.0
    return np.sum(y**2 * x)


def let_all(mask):
    mask[:] = True


def written_by_a_function(x, w):
    mask = np.zeros(len(x), dtype=bool)
    mask[1] = True
    y, item = x.copy(), w[mask]
    let_all(mask)
    y[mask] = item * 2.0
    return np.sum(y**2 * x)


def written_in_a_loop(x, w):
    mask = np.zeros(len(x), dtype=bool)
    mask[1] = True
    y, item = x.copy(), w[mask]
    for k in range(len(x)):
        y[mask] = item * 2.0 + y[mask]
        mask[k] = True
    return np.sum(y**2 * x)


def written_in_a_branch(x, w):
    mask = np.zeros(len(x), dtype=bool)
    mask[1] = True
    y, item = x.copy(), w[mask]
    if x[0] > 0:
        mask[:] = True
    y[mask] = item * 2.0
    return np.sum(y**2 * x)


def of_the_next_turn(x, w):
    mask = np.zeros(len(x), dtype=bool)
    mask[1] = True
    y, item = x.copy(), w[mask]
    for k in range(2):
        y[mask] = item * 2.0
        item = w[mask] if k else item * 3.0
        mask[:] = True
    return np.sum(y**2 * x)


def items(*size):
    return np.random.default_rng(11).normal(size=size) ** 2 + 0.1


BOTH_WAYS = np.array([1.0, -0.5, 0.3, -1.0, 0.7])
FILLS = [(kept, (items(5), items(5))), (upwind, (items(5), BOTH_WAYS)), (exercised, (items(5, 3), 1.5))]
STRETCHES = [written_between, written_by_a_view, written_by_a_function, written_in_a_loop, written_in_a_branch, of_the_next_turn]


@pytest.mark.parametrize(("function", "args"), FILLS, ids=lambda part: getattr(part, "__name__", ""))
def test_nothing_is_looked_at(function, args):
    check_grads(function, args, jointly=True)
    text = differentiate(function, wrt=(0, 1)).source("adjoint", *args)
    assert "unbroadcast" not in text and "as_long_as" not in text, text


@pytest.mark.parametrize("function", STRETCHES)
def test_one_item_for_all(function):
    check_grads(function, (items(4), items(4)), jointly=True)

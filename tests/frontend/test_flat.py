"""Items of ``a.flat``: what is read is a copy, what is stored reaches the array, and one cell may be named twice."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import check_grads


def chosen_items_grow(x):
    x.flat[[0, 5]] += x[1, 0]
    return np.sum(x**2)


def one_item_twice(x):
    x.flat[np.array([0, 5, 0])] += x[1, 0]
    return np.sum(x**2)


def chosen_items_are_read(x):
    return np.sum(x.flat[[0, -1, 0]] ** 3)


def chosen_by_a_mask(x):
    x.flat[x.flat[:] > 0.5] *= 2.0
    return np.sum(x**2)


def stores_of_all_kinds(x):
    y = x * 1.0
    y.flat[[1, 2]] = y.flat[[2, 1]] ** 2
    y.flat[1:5] *= x[0].sum()
    y.flat[3] += y.flat[2]
    return np.sum(y**2)


def chosen_in_a_loop(x):
    fl = x.flat
    for k in range(2):
        fl[[k, k + 2]] *= fl[[k + 1, k]]
    return np.sum(x**2)


def a_mask_and_a_transposed_window(x):
    m = np.abs(x) > 0.5
    y = x**2
    y.flat[m.ravel()] = 0.0
    y.T.flat[[0, 1]] -= x.flat[[0, 3]]
    return np.sum(y * x)


def add_item(fl, k):
    fl[[0, 1]] += fl[k]


def in_a_helper(x):
    add_item(x.flat, 3)
    return np.sum(x**2)


PROGRAMS = [
    chosen_items_grow, one_item_twice, chosen_items_are_read, chosen_by_a_mask, stores_of_all_kinds, chosen_in_a_loop,
    a_mask_and_a_transposed_window, in_a_helper,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_items_of_flat(program) -> None:
    check_grads(program, (np.array([[0.3, 0.7, 0.9], [-0.2, 0.6, 1.1]]),), order=2)

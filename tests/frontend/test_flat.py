"""Items of ``a.flat``: what is read is a copy, what is stored reaches the array, and one cell may be named twice."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from thinning import thinned

from s2sad import check_grads, grad
from s2sad.errors import UnsupportedSyntaxError


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


def slices_of_a_transposed_array(x):
    x.T.flat[::2] = x[0] ** 2
    x[:, 1:].flat[0] *= 3.0
    y = x.T.flat[2:4]
    return np.sum(x**2) + np.sum(y**2)


def items_and_slices_in_a_loop(x):
    fl = x.flat
    fl[1:4] = x[1] ** 2
    s = 0.0
    for i in range(3):
        fl[i] *= fl[i + 1]
        s += np.sum(fl[i : i + 2]) ** 2
    for v in fl:
        s += v**3
    return s + np.sum(x**2)


def values_that_repeat(x):
    x.flat[1:4] = x[:, :1]
    x.flat[::2] = [x[0, 0] * 2, x[0, 1]]
    x.flat[...] *= 2
    return np.sum(x**2)


def kept_in_an_object(x):
    o = Holder()
    o.f = x.flat
    o.f[1:3] *= x[0, 0]
    return np.sum(x**2)


class Holder:
    pass


def in_a_list(x):
    for f in [x.flat, x.T.flat]:
        f[1:3] *= x[0, 0]
    return np.sum(x**2)


def appended(x):
    several = []
    for _ in range(2):
        several.append(x.flat)
    several[1][1:3] *= x[0, 0]
    return np.sum(x**2)


def one_of_two(x):
    fl = x.flat if x[0, 0] > 0 else x.T.flat
    fl[1:3] *= 2.0
    return np.sum(x**2)


PROGRAMS = [
    slices_of_a_transposed_array, items_and_slices_in_a_loop, values_that_repeat, kept_in_an_object,
    chosen_items_grow, one_item_twice, chosen_items_are_read, chosen_by_a_mask, stores_of_all_kinds, chosen_in_a_loop,
    a_mask_and_a_transposed_window, in_a_helper,
]  # fmt: skip


@pytest.mark.parametrize(
    ("program", "order"), thinned(itertools.product(PROGRAMS, "CF"), 3, lambda case: f"{case[0].__name__}-{case[1]}")
)
def test_items_of_flat(program, order) -> None:
    check_grads(program, (np.array([[0.3, 0.7, 0.9], [-0.2, 0.6, 1.1]], order=order),), order=2)


@pytest.mark.parametrize("program", [in_a_list, appended])
def test_lists_of_few_items(program) -> None:
    check_grads(program, (np.array([[0.3, 0.7, 0.9], [-0.2, 0.6, 1.1]]),), order=2)


def many(x):
    several = []
    for _ in range(40):
        several.append(x.flat)
    several[1][1:3] *= x[0, 0]
    return np.sum(x**2)


@pytest.mark.parametrize("program", [many, one_of_two])
def test_what_is_only_known_as_an_array_is_refused(program) -> None:
    with pytest.raises(UnsupportedSyntaxError):
        grad(program)(np.ones((2, 3)))

"""Lists of arrays that NumPy takes for one array, in loops: what is due to their items is added to the items one by one."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mode_pairs import MODES, check, check_pair

X = np.array([0.3, 0.8, 1.3])
TABLEAU = ((), (0.5,), (0.0, 0.5), (0.0, 0.0, 1.0))
WEIGHTS = (1 / 6, 1 / 3, 1 / 3, 1 / 6)


def slope(y):
    return np.array([y[1], -np.sin(y[0]) * y[2], 0.1 * y[0] * y[1]])


def runge_kutta(x):
    y = x
    for _ in range(2):
        ks = [slope(y)]
        for row in TABLEAU[1:]:
            ks.append(slope(y + 0.1 * np.dot(row, ks)))
        y = y + 0.1 * np.dot(WEIGHTS, ks)
    return np.sum(y**2)


def stages_by_sum(x):
    y = x
    for _ in range(2):
        ks = []
        for i in range(4):
            ks.append(slope(y + 0.1 * sum([TABLEAU[i][j] * ks[j] for j in range(i)], np.zeros(3))))
        y = y + 0.1 * np.tensordot(np.array(WEIGHTS), np.array(ks), axes=1)
    return np.sum(y**2)


def written_out(x):
    y = x
    for _ in range(2):
        first = slope(y)
        ks = [first, slope(y + 0.1 * first)]
        y = y + np.dot(np.array([0.05, 0.05]), ks)
    return np.sum(y**2)


def from_a_helper(x):
    def stages(y):
        return [slope(y), slope(2 * y)]

    y = x
    for _ in range(2):
        y = y + 0.1 * np.sum(stages(y), axis=0)
    return np.sum(y**2)


def history(x):
    past = [x]
    for _ in range(3):
        past.append(np.sin(past[-1]) + 0.1 * np.mean(past, axis=0))
    return np.sum(np.stack(past) ** 3)


def numbers(x):
    ys = [x[0], x[1]]
    for k in range(3):
        ys.append(np.dot(ys[k:], ys[k:]) * x[2])
        ys[0] = ys[0] * np.sum(ys)
    return np.sum(np.array(ys) ** 2)


def rows_of_lists(x):
    rows = [[x[0], x[1]]]
    for _ in range(2):
        a = np.array(rows)
        rows.append([np.sum(a[:, 0]) * x[2], np.sin(a[-1, 1])])
    return np.sum(np.array(rows) ** 2)


PROGRAMS: list[Callable[..., Any]] = [
    runge_kutta, stages_by_sum, written_out, from_a_helper, history, numbers, rows_of_lists,
]  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_first_order(function: Callable[..., Any], mode: str) -> None:
    check(function, (X,), mode)


@pytest.mark.parametrize("pair", list(itertools.product(MODES, MODES)), ids="-".join)
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_second_order(function: Callable[..., Any], pair: tuple[str, str]) -> None:
    check_pair(function, (X,), *pair)

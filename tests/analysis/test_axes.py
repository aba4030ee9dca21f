"""Sizes that no kind tells are equal where they come from the same masks, indices and slices, and only there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, differentiate


def masked(x, y):
    hot = x > 0.6
    return np.sum((x[hot] * y[hot]) ** 2 * x[hot])


def rows_by_a_mask(x, y):
    hot = x[:, 0] > 0.6
    return np.sum((x[hot] * y[hot] * x[hot]) ** 2 * y[hot, :])


def gathered(x, y, rows):
    return np.sum((x[rows] * y[rows]) ** 2) + np.sum(x[rows, None] * y[:, rows[1:], 0][..., None] * x[None, rows[1:], ...])


def stored_by_a_mask(x, y):
    out = np.zeros_like(x)
    hot = y > 0.6
    out[hot] = x[hot] * y[hot]
    out[hot] += x[hot] ** 2
    return np.sum(out**2)


def in_loops(x, y, n):
    total = 0.0
    for k in range(n):
        hot = x > 0.21 * k
        part = x[hot] * y[hot]
        total += np.sum(part**2 * x[hot])
    return total


def swapped(x, y):
    x[[0, 2]] = x[[2, 0]] * y[[1, 1]]
    rows = [3, 1, 3]
    return np.sum(x[rows] * y[rows] ** 2) + np.sum(x**2)


def of_sums(x, y):
    total = 0.0
    for k in range(4):
        others = np.arange(4) != k
        gaps = x[others] - y[k]
        far = np.sqrt((gaps**2).sum(1))
        total += np.sum(gaps.mean(axis=1) * far)
    return total


def of_counts(x, y):
    part = x[x > 0.6]
    n = part.shape[0]
    scale = np.zeros(n)
    scale += y[0] * np.arange(n)
    wide = np.ones((n, 2)) * y[1]
    wide[:] += np.sin(np.zeros((n, 2)) + y[2])
    return np.sum(part * scale) + np.sum(wide.T @ part)


def of_numbers(x, y):
    total = 0.0
    for k in range(3):
        ramp = np.sin(y[k] * np.arange(k + 1))
        total += np.sum(ramp * np.cos(x[k] * np.ones(k + 1)))
    return total


def tiled(x, y):
    n = len(x)
    table = np.tile(x, (n + 1, 1)) * y
    table[0] *= 2.0
    return np.sum(table**2 * np.tile(y, (n + 1, 1)))


def rows_from_another(x, y):
    hot = y[:, 0] > 0.6
    x[hot] = 2.0 * y[hot]
    x[hot] *= y[hot]
    return np.sum(x**3)


def columns_by_a_mask(x, y):
    for k in range(3):
        x += y
        hot = x[:, 1] > 0.4 * k
        x[hot, 1] *= y[0, k]
    return np.sum(x**2)


def swapped_in_turn(x, y):
    for i in range(3):
        j = (i + 1) % 3
        x[[i, j], :] = x[[j, i], :]
        x[:, [j, i]] = x[:, [i, j]]
        x[i] *= y[i]
    return np.sum(x**2 * y)


def made_again(x, y):
    for k in range(2):
        x = np.array([x[i - 1] * y[i] for i in range(len(x))])
    return np.sum(x**2)


def by_grids(x, y):
    for k in range(2):
        places = np.ix_([k, k + 1], [0, 2])
        x[places] += y[1:3, :2] * x[places]
        x[np.ix_(y[:, 0] > 0.6, [k, 2])] *= y[0, k]
        x[np.ix_(range(k, 3), range(2))] *= y[0, k]
    return np.sum(x**2)


def by_ranges(x, y):
    n = len(x) - 1
    x[range(n), range(n)] *= y[range(n), range(n)]
    x[range(2), 1:] *= y[0, 1:]
    some = x[range(2), :]
    some *= y[range(2), :]
    return np.sum(x**2 * y) + np.sum(some**2)


def crossed(x, y):
    return np.sum((x * np.cos(x[0]) + np.cross(x, y) * np.sin(y[0]) + y * np.dot(x, np.cross(y, x) / y[1])) ** 2)


def differences(x, y):
    r = np.sin(x) - y / 3.0
    g = np.zeros_like(x)
    g[:-1] = np.diff(r, axis=0)
    g[:, 1:] *= np.diff(r, axis=1)
    return np.sum(g**2)


def diagonal(x, y):
    for _ in range(2):
        y = np.diag(np.outer(x, y)) * y
    return np.sum(y**2)


def squashed(v):
    return 1.0 / (1.0 + np.exp(-v))


def through_calls(x, y):
    parts = np.array([v * w for v, w in zip(x, y, strict=True)])
    return np.sum(squashed(parts) * parts**2)


X, Y = (0.4 + np.linspace(0.0, 0.8, 12) ** p for p in (1.5, 0.5))
TABLE = X.reshape(4, 3), Y.reshape(4, 3)
ROWS = np.array([2, 0, 2])
EQUAL: dict[Callable[..., Any], tuple[Any, ...]] = {
    masked: (X, Y), rows_by_a_mask: TABLE, stored_by_a_mask: (X, Y), in_loops: (X, Y, 3), swapped: (X, Y), of_sums: TABLE,
    of_counts: (X, Y), of_numbers: (X, Y), tiled: (X, Y), rows_from_another: TABLE, columns_by_a_mask: TABLE,
    swapped_in_turn: TABLE, made_again: (X, Y), by_grids: TABLE, by_ranges: TABLE,
    crossed: (X[:3], Y[:3]), differences: TABLE, diagonal: (X[:4], Y[:4]),
    through_calls: (X, Y),
}  # fmt: skip


@pytest.mark.parametrize("function", EQUAL, ids=lambda f: f.__name__)
def test_nothing_is_summed(function: Callable[..., Any]) -> None:
    check_grads(function, EQUAL[function], wrt=(0, 1))
    assert "unbroadcast" not in differentiate(function, wrt=("x", "y")).source("adjoint", *EQUAL[function])


def test_gathers() -> None:
    y = np.stack([TABLE[1]] * 3)
    for rows in (ROWS, ROWS[:2], ROWS[:1]):
        check_grads(lambda x, y, rows=rows: np.sum((x[rows] * y[:, rows]) ** 2), (X[:4], TABLE[1].T @ TABLE[0] @ TABLE[1].T))
        check_grads(lambda x, y, rows=rows: np.sum(x[rows, 0] * y[rows, 0, rows] * y[rows, :, rows][:, 0]), (TABLE[0], y))
        check_grads(lambda x, y, rows=rows: np.sum(x[rows, 0] * y[0, :, rows][:, 0] * y[rows, rows, 0]), (TABLE[0], y))


def other_contents(x, y):
    hot = x > 0.6
    one = x[hot]
    hot[:] = y > 1.19
    return np.sum(one * y[hot] ** 2)


def other_masks(x, y):
    return np.sum(x[x > 0.6] * y[y > 1.19] ** 2)


def other_iterations(x, y):
    last = x[:1]
    for k in range(3):
        hot = x > 0.3 + 0.3 * k
        last = x[hot][-1:] * last if k < 2 else x[hot] * last
    return np.sum(last**2) * y[0]


def other_ends(x, y):
    total = 0.0
    for k in range(3):
        total += np.sum(x[k:] * y[11 - k : 12 - k])
    return total + np.sum(x[2:] * y[-1:])


def other_lists(x, y):
    rows = [2]
    one = x[rows] * x[[0]]
    rows.append(1)
    return np.sum(one * y[rows] ** 2 * y[[3]])


def other_numbers(x, y):
    last, k = x[:1] * 2.0, 1
    for i in range(3):
        last = last * np.ones(k) * y[i] if i < 1 else last[:1] * y[:k]
        k += 1
    n = 1 if x[0] < y[0] else 3
    return np.sum(last**2) + np.sum((x[0] * np.ones(n)) * (y[:3] * np.ones(3)))


def other_sums(x, y):
    table = x.reshape(4, 3)
    return np.sum(table.sum(1, keepdims=True) * y.reshape(4, 3)) + np.sum((table[:, :1] * y[:1]).sum(0) * y)


def other_calls(x, y):
    one, other = squashed(x[x > 0.6]), squashed(y[y > 1.19])
    last, total = squashed(x[:1]), 0.0
    for k in range(3):
        present = squashed(x[x > 0.3 + 0.3 * k])
        total += np.sum((present * last) ** 2)
        last = present[-1:]
    return np.sum(one * other**2) + total


OTHERS = [other_contents, other_masks, other_iterations, other_ends, other_lists, other_numbers, other_sums, other_calls]


@pytest.mark.parametrize("function", OTHERS, ids=lambda f: f.__name__)
def test_others_are_summed(function: Callable[..., Any]) -> None:
    for x, y in ((X, Y), (X[::-1].copy(), Y), (X, X)):
        if function not in (other_contents, other_masks, other_calls) or np.sum(y > 1.19) == 1:
            check_grads(function, (x, y), wrt=(0, 1))


def chosen(x, y):
    hot = x > 0.6
    return x[hot] * y[hot] - y[hot] ** 2


def put_together(x, y):
    rows = []
    for row in x:
        rows.append(y * (row - row.mean()))
    return np.stack(rows) - np.sqrt(y)


def both(x, y):
    hot = x > 0.6
    return np.concatenate([x[hot], y]) ** 2, x[hot] * y[hot] * np.cos(y[hot])


@pytest.mark.parametrize("function", [chosen, put_together, both], ids=lambda f: f.__name__)
def test_a_seed_has_the_shape_of_what_the_function_returns(function: Callable[..., Any]) -> None:
    y = np.array([0.7, 0.3, 1.1, 0.9])
    for x in (np.array([0.5, 0.7, 1.2, 0.8]), np.array([0.5, 0.7, 0.2, 0.1])):
        given = x[:3, None] * y if function is put_together else x
        check_grads(function, (given, y), wrt=(0, 1), jointly=True)
        check_grads(function, (given, y), wrt=(0, 1), order=2)
        assert "unbroadcast" not in differentiate(function, wrt=(0, 1)).source("adjoint", given, y)

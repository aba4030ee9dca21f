"""Pieces of derivatives of ``scipy.linalg``: pivots as an index, sums of diagonals, banded matrices by their diagonals.

A banded matrix with ``l`` diagonals below and ``u`` above the main one is stored as SciPy does it: ``ab[u + i - j, j]`` is
``a[i, j]``. Items of ``ab`` outside the matrix are ignored, and 0 in results.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.linalg import qr, solve_toeplitz


def pivoted(piv: Any, count: int) -> Any:
    """The order of ``count`` rows that pivots of ``lu_factor`` lead to: ``a[pivoted(piv, len(a))]`` is ``l @ u``.

    An integer vector, of stacks of pivots a stack of them.
    """
    rows = np.broadcast_to(np.arange(count), (*np.shape(piv)[:-1], count)).copy()
    for place in np.ndindex(np.shape(piv)[:-1]):
        own = rows[place]
        for k, other in enumerate(piv[place]):
            own[[k, other]] = own[[other, k]]
    return rows


def unit_lower(lu: Any) -> Any:
    """The lower factor that ``lu_factor`` stores without its diagonal of ones, of a matrix or a stack, in a new array."""
    rows, columns = np.shape(lu)[-2:]
    return np.tril(lu, -1)[..., : min(rows, columns)] + np.eye(rows, min(rows, columns), dtype=lu.dtype)


def row_order(p: Any, a: Any) -> Any:
    """The order ``p`` of ``scipy.linalg.lu(a)``, matrices or indices, which has no rows where ``a`` has no items: then zeros."""
    if np.size(a):
        return p
    rows = np.shape(a)[:-1]
    return np.zeros(rows if np.ndim(p) < np.ndim(a) else (*rows, rows[-1]), np.asarray(p).dtype)


def column_pivots(a: Any) -> Any:
    """The order of columns in which ``scipy.linalg.qr`` takes them with pivoting. An integer vector."""
    return qr(a, mode="r", pivoting=True)[1]


def diagonal_sums(x: Any) -> Any:
    """The sums of all diagonals of an ``m`` by ``n`` matrix, ``m + n - 1`` numbers, from its upper right corner on."""
    x = np.asarray(x)
    rows, columns = x.shape
    place = np.arange(rows)[:, None] - np.arange(columns) + columns - 1
    found = np.zeros(max(rows + columns - 1, 0), dtype=x.dtype)
    np.add.at(found, place, x)
    return found


def _diagonals(l_and_u: Any, size: int) -> Iterator[tuple[int, slice, slice]]:
    """The row of the storage, the rows and the columns of the matrix, for each diagonal inside of it."""
    lower, upper = l_and_u
    for k in range(max(-lower, 1 - size), min(upper, size - 1) + 1):
        shorter, longer = slice(0, size - abs(k)), slice(abs(k), size)
        yield upper - k, shorter if k >= 0 else longer, longer if k >= 0 else shorter


def banded_transpose(l_and_u: Any, ab: Any) -> Any:
    """The transposed matrix, stored with ``(u, l)``: the same diagonals in the opposite order, shifted."""
    found = np.zeros_like(ab)
    for row, rows, columns in _diagonals(l_and_u, ab.shape[1]):
        found[ab.shape[0] - 1 - row, rows] = ab[row, columns]
    return found


def banded_product(l_and_u: Any, ab: Any, x: Any) -> Any:
    """``a @ x`` for a vector or a matrix ``x``."""
    x = np.asarray(x)
    found = np.zeros(x.shape, dtype=np.result_type(ab, x))
    for row, rows, columns in _diagonals(l_and_u, ab.shape[1]):
        factor = ab[row, columns]
        found[rows] += (factor if x.ndim == 1 else factor[:, None]) * x[columns]
    return found


def banded_outer(l_and_u: Any, w: Any, x: Any) -> Any:
    """The diagonals of ``w @ x.T`` (for vectors: of their outer product) that the storage holds."""
    w, x = np.asarray(w), np.asarray(x)
    found = np.zeros((sum(l_and_u) + 1, len(x)), dtype=np.result_type(w, x))
    for row, rows, columns in _diagonals(l_and_u, len(x)):
        products = w[rows] * x[columns]
        found[row, columns] = products if x.ndim == 1 else products.sum(axis=1)
    return found


def toeplitz_solution(c: Any, r: Any, b: Any, transposed: bool = False) -> Any:
    """The solution ``x`` of ``toeplitz(c, r) @ x == b``, where ``r[0]`` is not read, or of the transposed system.

    By Levinson's recursion, in a number of steps that is quadratic in the size. The shape is that of ``b``.
    """
    if transposed:
        c, r = np.concatenate((c[:1], r[1:])), c
    return solve_toeplitz((c, r), b)

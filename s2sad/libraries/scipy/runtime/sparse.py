"""Sparse matrices by their items: the vector of their values, and two of their places; items at one place are summed."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import bicg, bicgstab, cg, gmres, spsolve

_SOLVERS = {"cg": cg, "bicg": bicg, "bicgstab": bicgstab, "gmres": gmres}


def entries(matrix: Any) -> Any:
    """The values, rows and columns of the items of a sparse matrix, and its shape."""
    items = matrix.tocoo()
    return items.data, items.row.astype(np.int64), items.col.astype(np.int64), items.shape


def unrolled(indptr: Any) -> Any:
    """The row of each item of a matrix whose rows begin at ``indptr``."""
    return np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))


def slots(lines: Any, places: Any) -> Any:
    """For each item the number of its place among all places, line by line; items at one place have one number."""
    return np.ravel(np.unique(np.stack((lines, places)), axis=1, return_inverse=True)[1])


def iterated(
    name: str, data: Any, rows: Any, columns: Any, b: Any, x0: Any = None, rtol: Any = 1e-05, atol: Any = 0.0, maxiter: Any = None
) -> Any:
    """A solution by one of SciPy's iterative solvers for a square matrix and a vector ``b``, in its shape, and its report."""
    matrix = sparse.csr_array((data, (rows, columns)), shape=(len(b), len(b)))
    return _SOLVERS[name](matrix, b, x0, rtol=rtol, atol=atol, maxiter=maxiter)


def matches(columns: Any, rows: Any) -> Any:
    """The pairs of items of two matrices that meet in their product: where a column of one is a row of the other."""
    order = np.argsort(rows, kind="stable")
    first, last = (np.searchsorted(np.asarray(rows)[order], columns, side) for side in ("left", "right"))
    counts = last - first
    place = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(np.arange(len(columns)), counts), order[np.repeat(first, counts) + place]


def sparse_product(data: Any, rows: Any, columns: Any, count: int, x: Any) -> Any:
    """The product of a matrix of ``count`` rows with a vector or a dense matrix ``x``."""
    return sparse.coo_array((data, (rows, columns)), shape=(count, x.shape[0])) @ x


def paired_sums(left: Any, rows: Any, right: Any, columns: Any) -> Any:
    """The items at given places of ``left @ right.T``, of vectors of their outer product: one number for each place."""
    products = left[rows] * right[columns]
    return products if products.ndim == 1 else products.sum(axis=-1)


def sparse_solution(data: Any, rows: Any, columns: Any, b: Any) -> Any:
    """The solution of the system with a square matrix, for a vector or a dense matrix ``b``, in its shape."""
    matrix = sparse.csc_array((data, (rows, columns)), shape=(len(b), len(b)))
    return np.reshape(spsolve(matrix, b), b.shape)

"""``scipy.sparse``: matrices whose values vary, at constant places, and systems that are solved with them.

A matrix is the vector of its values and those of their places; items at one place are summed, as SciPy does. Constant
matrices are SciPy's own objects.
"""

from __future__ import annotations

import operator
from typing import Annotated, Any, Literal

import numpy as np

from s2sad.errors import NoRuleError
from s2sad.libraries.scipy.runtime import (
    entries,
    factored_solution,
    factors,
    iterated,
    matches,
    slots,
    sparse_product,
    sparse_solution,
    unrolled,
)

__all__ = [
    "bicg",
    "bicgstab",
    "cg",
    "coo_array",
    "coo_matrix",
    "csc_array",
    "csc_matrix",
    "csr_array",
    "csr_matrix",
    "dia_array",
    "dia_matrix",
    "diags",
    "diags_array",
    "factorized",
    "gmres",
    "hstack",
    "kron",
    "splu",
    "spsolve",
    "vstack",
]

Varied = Annotated[Any, "varied"]
"""The mark of numbers that may vary: without them a call is SciPy's."""

Variables = Annotated[Any, "form"]
"""A matrix of these forms: a call with another is SciPy's."""


class Outside:
    """An operand that is neither a matrix of these nor an array: a constant matrix, an object of SciPy's."""


class Items:
    """A matrix by its items; ``format`` decides whose values it shares, as SciPy's do, and nothing else.

    ``order``: "kept" where SciPy has the values as they are here, "sorted" where it has summed and sorted them; of others
    nobody knows before the program runs, as SciPy leaves out what is 0.
    """

    __array_ufunc__ = None

    def __init__(self, data: Any, row: Any, col: Any, shape: Any, format: Any = "csr", order: Any = None) -> None:
        self.values, self.at_row, self.at_col, self.shape, self.format = data, row, col, shape, format
        self.order = order

    def like(self, data: Any, row: Any, col: Any, shape: Any, format: Any = "csr", order: Any = None) -> Any:
        """Another matrix of this kind."""
        return Items(data, row, col, shape, format, order)

    def scaled(self, data: Any) -> Any:
        """Other values at the same places."""
        return self.like(data, self.at_row, self.at_col, self.shape, self.format, self.order)

    @property
    def data(self) -> Any:
        """The values as SciPy stores them."""
        if self.order == "kept":
            return self.values
        if self.order != "sorted":
            raise NoRuleError("which values a sparse matrix made in this way stores depends on them: read A.toarray()")
        lines = (self.at_col, self.at_row) if self.format == "csc" else (self.at_row, self.at_col)
        place = slots(lines[0], lines[1])
        found = np.zeros(np.max(place, initial=-1) + 1, self.values.dtype)
        np.add.at(found, place, self.values)
        return found

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, tuple) or any(isinstance(part, slice) or np.ndim(part) != 0 for part in key):
            raise NoRuleError("parts of a sparse matrix of variables have no form: write A.toarray()[...]")
        i, j = operator.index(key[0]), operator.index(key[1])
        at = np.flatnonzero((self.at_row == i % self.shape[0]) & (self.at_col == j % self.shape[1]))
        return np.sum(self.values[at])

    def stored(self, format: Any) -> Any:
        """The matrix itself where it is stored in this way, otherwise a copy."""
        if self.format == format:
            return self
        return self.like(np.array(self.values), self.at_row, self.at_col, self.shape, format)

    @property
    def T(self) -> Any:
        """The transposed matrix."""
        turned = "csc" if self.format == "csr" else "csr" if self.format == "csc" else self.format
        return self.like(self.values, self.at_col, self.at_row, (self.shape[1], self.shape[0]), turned, self.order)

    def transpose(self) -> Any:
        """The same."""
        return self.T

    def conj(self) -> Any:
        """The conjugate matrix."""
        return self.scaled(np.conj(self.values))

    def copy(self) -> Any:
        """A copy."""
        return self.scaled(np.array(self.values))

    def tocsr(self) -> Any:
        """The matrix by rows."""
        return self.stored("csr")

    def tocsc(self) -> Any:
        """The matrix by columns."""
        return self.stored("csc")

    def tocoo(self) -> Any:
        """The matrix by items."""
        return self.stored("coo")

    def toarray(self) -> Any:
        """The dense matrix."""
        found = np.zeros(self.shape, self.values.dtype)
        np.add.at(found, (self.at_row, self.at_col), self.values)
        return found

    def diagonal(self) -> Any:
        """The main diagonal."""
        found = np.zeros(min(self.shape), self.values.dtype)
        on = np.flatnonzero(self.at_row == self.at_col)
        np.add.at(found, self.at_row[on], self.values[on])
        return found

    def trace(self) -> Any:
        """The sum of the main diagonal."""
        return np.sum(self.diagonal())

    def product(self, other: Any) -> Any:
        """The product with a vector, a dense matrix, or a sparse one."""
        if isinstance(other, Items):
            return self.times(other.values, other.at_row, other.at_col, other.shape)
        if isinstance(other, Outside):
            data, row, col, shape = entries(other)
            return self.times(data, row, col, shape)
        return sparse_product(self.values, self.at_row, self.at_col, self.shape[0], np.asarray(other))

    def times(self, data: Any, row: Any, col: Any, shape: Any) -> Any:
        """The product with another sparse matrix."""
        ours, theirs = matches(self.at_col, row)
        return self.like(self.values[ours] * data[theirs], self.at_row[ours], col[theirs], (self.shape[0], shape[1]))

    def product_from(self, other: Any) -> Any:
        """The product of a dense or a constant sparse matrix with this one."""
        if isinstance(other, Outside):
            data, row, col, shape = entries(other)
            return self.like(data, row, col, shape).times(self.values, self.at_row, self.at_col, self.shape)
        return sparse_product(self.values, self.at_col, self.at_row, self.shape[1], np.asarray(other).T).T

    def __matmul__(self, other: Any) -> Any:
        return self.product(other)

    def __rmatmul__(self, other: Any) -> Any:
        return self.product_from(other)

    def dot(self, other: Any) -> Any:
        """The product."""
        return self.product(other)

    def plus(self, other: Any, sign: Any) -> Any:
        """The sum with another sparse matrix, or the difference."""
        if isinstance(other, Items):
            data, row, col = other.values, other.at_row, other.at_col
        elif isinstance(other, Outside):
            data, row, col, _ = entries(other)
        else:
            raise NoRuleError("the sum of a sparse matrix of variables and a dense one has no form: write A.toarray() + B")
        joined = [np.concatenate(pair) for pair in ((self.at_row, row), (self.at_col, col))]
        return self.like(np.concatenate((self.values, sign * data)), joined[0], joined[1], self.shape)

    def __add__(self, other: Any) -> Any:
        return self.plus(other, 1)

    def __radd__(self, other: Any) -> Any:
        return self.plus(other, 1)

    def __sub__(self, other: Any) -> Any:
        return self.plus(other, -1)

    def __rsub__(self, other: Any) -> Any:
        return self.scaled(-self.values).plus(other, 1)

    def __neg__(self) -> Any:
        return self.scaled(-self.values)

    def __truediv__(self, other: Any) -> Any:
        if np.asarray(other).ndim != 0:
            raise NoRuleError("a sparse matrix of variables over an array has no form: write A.multiply(1 / x)")
        return self.scaled(self.values / other)

    def multiply(self, other: Any) -> Any:
        """The product item by item, with a number or a dense array."""
        if np.asarray(other).ndim == 0:
            return self.scaled(self.values * other)
        return self.scaled(self.values * np.broadcast_to(other, self.shape)[self.at_row, self.at_col])


class Sums(Items):
    """A sparse array in SciPy's words: ``*`` is item by item."""

    def like(self, data: Any, row: Any, col: Any, shape: Any, format: Any = "csr", order: Any = None) -> Any:
        return Sums(data, row, col, shape, format, order)

    def __mul__(self, other: Any) -> Any:
        return self.multiply(other)

    def __rmul__(self, other: Any) -> Any:
        return self.multiply(other)

    def sum(self, axis: Any = None) -> Any:
        """The sum of all items, or along an axis."""
        if axis is None:
            return np.sum(self.values)
        along = axis % 2
        found = np.zeros(self.shape[1 - along], self.values.dtype)
        np.add.at(found, self.at_row if along == 1 else self.at_col, self.values)
        return found

    def todense(self) -> Any:
        """The dense matrix."""
        return self.toarray()


class Matrix(Items):
    """A sparse matrix in SciPy's words: ``*`` is the product of matrices."""

    def like(self, data: Any, row: Any, col: Any, shape: Any, format: Any = "csr", order: Any = None) -> Any:
        return Matrix(data, row, col, shape, format, order)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, (Items, Outside)):
            return self.product(other)
        if np.asarray(other).ndim == 0:
            return self.scaled(self.values * other)
        return self.product(other)

    def __rmul__(self, other: Any) -> Any:
        if isinstance(other, Outside):
            return self.product_from(other)
        if np.asarray(other).ndim == 0:
            return self.scaled(self.values * other)
        return self.product_from(other)

    def sum(self, axis: Literal[None] = None) -> Any:
        """The sum of all items."""
        return np.sum(self.values)


# --- how they are made


def of_items(arg1: Any, shape: Any, dtype: Any, copy: Any, format: Any) -> Any:
    """The parts of a matrix that is made of ``(data, (row, col))``, ``(data, indices, indptr)``, a dense or a sparse one.

    Values that SciPy would share are shared.
    """
    if isinstance(arg1, Items):
        values = np.asarray(arg1.values, dtype) if arg1.format == format and not copy else np.array(arg1.values, dtype)
        return values, arg1.at_row, arg1.at_col, arg1.shape, format, arg1.order if arg1.format == format else None
    if not isinstance(arg1, tuple):
        dense = np.array(arg1, dtype)
        places = np.indices(dense.shape)
        return np.ravel(dense), np.ravel(places[0]), np.ravel(places[1]), dense.shape, format, None
    shared = not copy and (format == "coo" or len(arg1) == 3)
    values = np.asarray(arg1[0], dtype) if shared else np.array(arg1[0], dtype)
    if len(arg1) == 3:
        lines, along = unrolled(arg1[2]), np.array(arg1[1])
        row, col = (lines, along) if format == "csr" else (along, lines)
        if shape is None:  # lines at the end may be empty
            widest, count = np.max(along) + 1, len(arg1[2]) - 1
            shape = (count, widest) if format == "csr" else (widest, count)
    else:
        row, col = np.array(arg1[1][0]), np.array(arg1[1][1])
    whole = shape if shape is not None else (np.max(row) + 1, np.max(col) + 1)
    return values, row, col, whole, format, "kept" if format == "coo" or len(arg1) == 3 else "sorted"


class coo_array(Sums):
    """A sparse array of items at places."""

    def __init__(self, arg1: Varied, shape: Any = None, dtype: Any = None, copy: Any = False) -> None:
        super().__init__(*of_items(arg1, shape, dtype, copy, "coo"))


class csr_array(Sums):
    """A sparse array by rows."""

    def __init__(self, arg1: Varied, shape: Any = None, dtype: Any = None, copy: Any = False) -> None:
        super().__init__(*of_items(arg1, shape, dtype, copy, "csr"))


class csc_array(Sums):
    """A sparse array by columns."""

    def __init__(self, arg1: Varied, shape: Any = None, dtype: Any = None, copy: Any = False) -> None:
        super().__init__(*of_items(arg1, shape, dtype, copy, "csc"))


class coo_matrix(Matrix):
    """A sparse matrix of items at places."""

    def __init__(self, arg1: Varied, shape: Any = None, dtype: Any = None, copy: Any = False) -> None:
        super().__init__(*of_items(arg1, shape, dtype, copy, "coo"))


class csr_matrix(Matrix):
    """A sparse matrix by rows."""

    def __init__(self, arg1: Varied, shape: Any = None, dtype: Any = None, copy: Any = False) -> None:
        super().__init__(*of_items(arg1, shape, dtype, copy, "csr"))


class csc_matrix(Matrix):
    """A sparse matrix by columns."""

    def __init__(self, arg1: Varied, shape: Any = None, dtype: Any = None, copy: Any = False) -> None:
        super().__init__(*of_items(arg1, shape, dtype, copy, "csc"))


class Lines:
    """Diagonals in the rows of an array, of which column ``j`` holds what stands there; the array is shared."""

    def __init__(self, lines: Any, offsets: Any, shape: Any) -> None:
        col = np.broadcast_to(np.arange(lines.shape[1]), lines.shape)
        row = col - np.reshape(np.asarray(offsets), (-1, 1))
        self.lines = lines
        self.inside = np.flatnonzero((row >= 0) & (row < shape[0]) & (col < shape[1]))
        self.at_row, self.at_col = np.ravel(row)[self.inside], np.ravel(col)[self.inside]
        self.shape, self.format, self.order = shape, "dia", None

    @property
    def values(self) -> Any:
        """The values as they are now."""
        return np.ravel(self.lines)[self.inside]


class dia_array(Lines, Sums):
    """A sparse array of diagonals."""

    def __init__(self, arg1: Varied, shape: Any = None, dtype: Any = None, copy: Any = False) -> None:
        lines = np.array(arg1[0], dtype) if copy else np.asarray(arg1[0], dtype)
        super().__init__(np.atleast_2d(lines), arg1[1], shape)


class dia_matrix(Lines, Matrix):
    """A sparse matrix of diagonals."""

    def __init__(self, arg1: Varied, shape: Any = None, dtype: Any = None, copy: Any = False) -> None:
        lines = np.array(arg1[0], dtype) if copy else np.asarray(arg1[0], dtype)
        super().__init__(np.atleast_2d(lines), arg1[1], shape)


def of_diagonals(diagonals: Any, offsets: Any, shape: Any) -> Any:
    """Values, rows, columns and shape of diagonals, of which numbers are stretched."""
    if isinstance(offsets, int):
        lines, places = [diagonals if np.ndim(diagonals) == 1 else diagonals[0]], [offsets]
    else:
        lines, places = diagonals, offsets
    size = shape if shape is not None else (len(lines[0]) + abs(places[0]), len(lines[0]) + abs(places[0]))
    data, row, col = [], [], []
    for line, k in zip(lines, places, strict=True):
        count = min(size[0] + min(k, 0), size[1] - max(k, 0))
        data.append(np.broadcast_to(line, (count,)))
        row.append(np.arange(count) - min(k, 0))
        col.append(np.arange(count) + max(k, 0))
    return np.concatenate(data), np.concatenate(row), np.concatenate(col), size, "dia"


def diags(diagonals: Varied, offsets: Any = 0, shape: Any = None, format: Any = None) -> Any:
    """A sparse matrix of diagonals."""
    return Matrix(*of_diagonals(diagonals, offsets, shape))


def diags_array(diagonals: Varied, /, *, offsets: Any = 0, shape: Any = None, format: Any = None) -> Any:
    """A sparse array of diagonals."""
    return Sums(*of_diagonals(diagonals, offsets, shape))


# --- matrices made of others


def parts(block: Any) -> Any:
    """Values, rows, columns and shape of a matrix of variables, of a dense one, or of a constant one."""
    if isinstance(block, Items):
        return block.values, block.at_row, block.at_col, block.shape
    if isinstance(block, np.ndarray):
        rows, columns = np.indices(block.shape)
        return block.ravel(), rows.ravel(), columns.ravel(), block.shape
    return entries(block)


def of_kind(blocks: Any, data: Any, row: Any, col: Any, shape: Any) -> Any:
    """A sparse array where one of the blocks is one, else a sparse matrix."""
    if any(isinstance(block, Sums) for block in blocks):
        return Sums(data, row, col, shape)
    if not all(isinstance(block, (Items, np.ndarray)) for block in blocks):
        raise NoRuleError("a sparse matrix of variables beside a constant one has no form: make both of coo_array or csr_array")
    return Matrix(data, row, col, shape)


def vstack(blocks: Varied, format: Any = None) -> Any:
    """The blocks one below the other."""
    data, row, col, start, width = [], [], [], 0, 0
    for block in blocks:
        values, at_row, at_col, shape = parts(block)
        data.append(values)
        row.append(at_row + start)
        col.append(at_col)
        start, width = start + shape[0], shape[1]
    return of_kind(blocks, np.concatenate(data), np.concatenate(row), np.concatenate(col), (start, width))


def hstack(blocks: Varied, format: Any = None) -> Any:
    """The blocks side by side."""
    data, row, col, start, height = [], [], [], 0, 0
    for block in blocks:
        values, at_row, at_col, shape = parts(block)
        data.append(values)
        row.append(at_row)
        col.append(at_col + start)
        start, height = start + shape[1], shape[0]
    return of_kind(blocks, np.concatenate(data), np.concatenate(row), np.concatenate(col), (height, start))


def kron(A: Varied, B: Varied, format: Any = None) -> Any:
    """The product of Kronecker."""
    a, a_row, a_col, a_shape = parts(A)
    b, b_row, b_col, b_shape = parts(B)
    data = np.ravel(np.outer(a, b))
    row, col = np.ravel((a_row * b_shape[0])[:, None] + b_row), np.ravel((a_col * b_shape[1])[:, None] + b_col)
    return of_kind([A, B], data, row, col, (a_shape[0] * b_shape[0], a_shape[1] * b_shape[1]))


# --- systems


def spsolve(A: Varied, b: Any, permc_spec: Any = None, use_umfpack: Any = True) -> Any:
    """The solution of the system with a matrix that varies; a column is a vector."""
    matrix = A if isinstance(A, Items) else csc_array(A)
    found = sparse_solution(matrix.values, matrix.at_row, matrix.at_col, np.asarray(b))
    return np.ravel(found) if np.ndim(b) == 2 and np.shape(b)[1] == 1 else found


def cg(A: Variables, b: Any, x0: Any = None, *, rtol: Any = 1e-05, atol: Any = 0.0, maxiter: Any = None) -> Any:
    """The solution of a symmetric system, and whether it was found."""
    return iterated("cg", A.values, A.at_row, A.at_col, b, x0, rtol, atol, maxiter)


def bicg(A: Variables, b: Any, x0: Any = None, *, rtol: Any = 1e-05, atol: Any = 0.0, maxiter: Any = None) -> Any:
    """The solution of a system, and whether it was found."""
    return iterated("bicg", A.values, A.at_row, A.at_col, b, x0, rtol, atol, maxiter)


def bicgstab(A: Variables, b: Any, x0: Any = None, *, rtol: Any = 1e-05, atol: Any = 0.0, maxiter: Any = None) -> Any:
    """The solution of a system, and whether it was found."""
    return iterated("bicgstab", A.values, A.at_row, A.at_col, b, x0, rtol, atol, maxiter)


def gmres(A: Variables, b: Any, x0: Any = None, *, rtol: Any = 1e-05, atol: Any = 0.0, maxiter: Any = None) -> Any:
    """The solution of a system, and whether it was found."""
    return iterated("gmres", A.values, A.at_row, A.at_col, b, x0, rtol, atol, maxiter)


class splu:
    """The factors of a sparse matrix."""

    def __init__(self, A: Any) -> None:
        self.varies = isinstance(A, Items)
        self.lu = A if self.varies else factors(A)

    def solve(self, rhs: Any, trans: Literal["N", "T"] = "N") -> Any:
        """The solution of the system, or of the transposed one."""
        if self.varies:
            places = (self.lu.at_col, self.lu.at_row) if trans == "T" else (self.lu.at_row, self.lu.at_col)
            return sparse_solution(self.lu.values, places[0], places[1], rhs)
        return factored_solution(self.lu, rhs, True) if trans == "T" else factored_solution(self.lu, rhs)


class Solver:
    """The function that solves a system."""

    def __init__(self, A: Any) -> None:
        self.lu = splu(A)

    def __call__(self, b: Any) -> Any:
        return self.lu.solve(b)


def factorized(A: Any) -> Any:
    """The function that solves the system with a sparse matrix."""
    return Solver(A)

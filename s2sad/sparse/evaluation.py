"""Sparse Jacobians and Hessians of programs: as many directions as there are colours, in one sweep.

    coloring = color(jacobian_sparsity(f, x))      once, to be kept
    J = sparse_jacobian(f, coloring)
    J(x)                                           a csr_array with the pattern's entries, at any x
    sparse_jacobian(f)(x)                          the pattern is found at each call
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from typing import Any, Generic

import numpy as np

from s2sad.api import Derived, Function, P, as_called, called, derivatives_of, grad, kept
from s2sad.derivatives import Ask
from s2sad.errors import ActivityError
from s2sad.options import entry, make_options
from s2sad.sparse.coloring import Coloring, as_pattern, color
from s2sad.sparse.patterns import pattern_of, symmetric
from s2sad.trees import copied
from s2sad.vector_mode import along_all, at_a_time

TOLERANCE = 1e-6  # what rounding may leave between two products with one vector, relative to the larger entries


@entry
def sparse_jacobian(
    function: Callable[P, Any], coloring: Any = None, wrt: Any = 0, *, check: bool = False, chunk_size: int | None = None,
    **options: Any,
) -> SparseMatrix[P]:  # fmt: skip
    """A function with ``function``'s signature that returns its Jacobian as a ``scipy.sparse.csr_array``.

    Of an array (or number) by one argument, both of any shape and taken as flat: shape (number of results, number of
    arguments). ``coloring``: a ``Coloring``, or a pattern, which is then coloured by columns and by rows, whichever needs fewer
    colours; without it, the pattern is found at each call (``jacobian_sparsity`` with scope="local"), and coloured again where
    it has entries that no call before had. Colours of columns are evaluated by tangents, those of rows by adjoints, as many in
    one sweep as stay in caches (``chunk_size``: at most so many). Entries of the Jacobian outside of the pattern
    are lost, or end in others: with ``check`` one random direction more is evaluated at each call, and ActivityError is raised
    where the matrix does not agree with it.
    Raises ActivityError for arguments and results that do not fit the pattern. (Curtis, Powell & Reid 1974.)
    """
    if coloring is not None and not isinstance(coloring, Coloring):
        coloring = _either_way(coloring)
    if coloring is not None and coloring.structure == "symmetric":
        raise ActivityError("a symmetric colouring is one of a Hessian", instead="color(pattern, 'columns'), or sparse_hessian")
    return SparseMatrix(function, coloring, wrt, check, chunk_size, options)


def _either_way(pattern: Any) -> Coloring:
    return min((color(pattern, structure) for structure in ("columns", "rows")), key=lambda c: c.count)


@entry
def sparse_hessian(
    function: Callable[P, Any], coloring: Any = None, wrt: Any = 0, *, check: bool = False, chunk_size: int | None = None,
    **options: Any,
) -> SparseMatrix[P]:  # fmt: skip
    """A function with ``function``'s signature that returns its Hessian as a ``scipy.sparse.csr_array``.

    Of a number by one array argument of any shape, taken as flat: shape (n, n). ``coloring``: a symmetric ``Coloring`` (or one by
    columns), or a pattern, which is coloured symmetrically; without it, it is found at each call. The products are tangents of
    the gradient. Else as for ``sparse_jacobian``. (Coleman & Moré 1984; Gebremedhin, Manne & Pothen 2005.)
    """
    if coloring is not None and not isinstance(coloring, Coloring):
        coloring = color(coloring, "symmetric")
    if coloring is not None and coloring.structure == "rows":
        raise ActivityError("the Hessian is evaluated by columns", instead="color(pattern, 'symmetric')")
    return SparseMatrix(kept(grad, function, wrt, **options), coloring, wrt, check, chunk_size, options, True)


class SparseMatrix(Derived, Generic[P]):
    """The object that ``sparse_jacobian`` and ``sparse_hessian`` make; it can be kept and pickled as the function can."""

    def __init__(
        self, function: Function, coloring: Coloring | None, wrt: int | str, check: bool, chunk_size: int | None,
        options: dict[str, Any], hessian: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(type(self), function, coloring, wrt, check, chunk_size, options, hessian)
        self.found: Coloring | None = None
        self.hessian = hessian
        self.coloring, self.check, self.chunk_size = coloring, check, chunk_size
        self.derivatives = derivatives_of(function, make_options(options))
        self.inputs = self.derivatives.inputs(wrt)
        if len(self.inputs) != 1:
            raise ActivityError(f"wrt={wrt!r}: a sparse matrix is that by one argument")
        if chunk_size is not None and chunk_size < 1:
            raise ActivityError(f"chunk_size={chunk_size}: at least one direction is evaluated at a time")

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Any:
        values = self.derivatives.arguments(args, kwargs)
        compiled = self.derivatives.compiled(Ask("tangents", self.inputs, bare=True), values)
        if self.derivatives.leaves_more(compiled, values):
            return as_called(
                self.function, args, kwargs, self.derivatives, compiled, values, lambda value: self._matrix(values, lambda: value)
            )
        return self._matrix(values, lambda: called(self.function, args, kwargs))

    def _matrix(self, values: list[Any], value: Callable[[], Any]) -> Any:
        x = self.derivatives._value_of(self.inputs[0], values)
        coloring = self.coloring
        if coloring is None:
            with self._moment("tangents", values):
                coloring = self._coloring(values)
        rows = coloring.structure == "rows"
        ask = Ask("adjoints" if rows else "tangents", self.inputs, bare=True)
        compiled = self.derivatives.compiled(ask, values)
        moment = self._moment(ask.mode, values)
        if rows:
            with moment:
                like = value()
        else:
            like = x
        count, sizes = coloring.count, coloring.pattern.shape
        _fits("argument", x, sizes, 1)
        if rows:
            _fits("result", like, sizes, 0)
        seeds = coloring.kept_seeds(np.result_type(like, 0.0))
        if self.check:
            extra = np.asarray(np.random.default_rng(count).standard_normal(seeds.shape[1]), seeds.dtype)
            seeds = np.vstack([seeds, extra])
        seeds = seeds.reshape(len(seeds), *np.shape(like))
        step = self.chunk_size or at_a_time(compiled, len(seeds), max(sizes))
        pieces = []
        for k in range(0, max(len(seeds), 1), step):
            with moment:  # all of one evaluation
                pieces.append(self._products(ask, values, seeds[k : k + step], like, rows, step))
        products = pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
        products = products.reshape(len(seeds), math.prod(products.shape[1:]))
        last = products[0] if len(products) else np.zeros(sizes[rows])
        _fits("argument" if rows else "result", last, sizes, int(rows))
        matrix = coloring.decompress(products[:count])
        if self.check:
            self._compare(matrix.T if rows else matrix, seeds[count].ravel(), products[count])
        return matrix

    def _moment(self, mode: str, values: list[Any]) -> contextlib.AbstractContextManager[None]:
        compiled = self.derivatives.compiled(Ask(mode, self.inputs, bare=True), values)
        return self.derivatives.moment(compiled, values, whole=True) or contextlib.nullcontext()

    def _products(self, ask: Ask, values: list[Any], seeds: np.ndarray, like: Any, rows: bool, step: int) -> np.ndarray:
        name = "the result" if rows else self.inputs[0]
        found = along_all(self.derivatives, ask, [copied(v) for v in values], {name: seeds}, {name: like}, chunk=step)[1]
        if not isinstance(found, np.ndarray):
            raise ActivityError("a sparse matrix is that of an array by an array", instead="jacobian, or a function of one array")
        return found

    def _coloring(self, values: list[Any]) -> Coloring:
        """A colouring of the pattern at this point, and of those before, which makes it the same one soon."""
        pattern, before = pattern_of(self.derivatives, self.inputs, values, "local"), self.found
        if self.hessian:
            pattern = symmetric(pattern)
        if before is not None and before.pattern.shape == pattern.shape:
            if _same(before.pattern, pattern):
                return before
            pattern = as_pattern(pattern + before.pattern)
            if _same(before.pattern, pattern):
                return before
        self.found = found = color(pattern, "symmetric") if self.hessian else _either_way(pattern)
        return found

    def _compare(self, matrix: Any, direction: np.ndarray, wanted: np.ndarray) -> None:
        found = matrix @ direction
        single = wanted.dtype in (np.float32, np.complex64)
        scale = abs(matrix) @ abs(direction) + abs(wanted) + 1e-30
        if not np.all(abs(found - wanted) <= (1e-3 if single else TOLERANCE) * scale.max(initial=0.0)):
            worst = int(np.argmax(abs(found - wanted)))
            raise ActivityError(
                f"the pattern misses entries: along a random direction, number {worst} is {wanted[worst]}, not {found[worst]}",
                instead="a pattern with all entries that may differ from zero",
            )


def _same(one: Any, other: Any) -> bool:
    return np.array_equal(one.indptr, other.indptr) and np.array_equal(one.indices, other.indices)


def _fits(what: str, value: Any, shape: tuple[int, ...], axis: int) -> None:
    if not isinstance(value, np.ndarray | np.generic | float | complex) or np.size(value) != shape[axis]:
        found = f"of {np.size(value)} numbers" if isinstance(value, np.ndarray) else f"of type {type(value).__name__}"
        raise ActivityError(f"the {what} is {found}, the pattern has the shape {shape}")

"""Sparse matrices that are factored once and solved with many times."""

from __future__ import annotations

from typing import Any

from scipy.sparse.linalg import splu


def factors(A: Any) -> Any:
    """The triangular factors of a sparse matrix: the object that ``scipy.sparse.linalg.splu`` makes."""
    return splu(A)


def factored_solution(lu: Any, b: Any, transposed: bool = False) -> Any:
    """The solution of the factored system, or of the transposed one, for a vector or a matrix ``b``, in its shape."""
    return lu.solve(b, "T" if transposed else "N")

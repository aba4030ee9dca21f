"""``scipy.sparse.linalg``: factors of constant matrices, with which systems are solved."""

from __future__ import annotations

from typing import Any, Literal

from s2sad.scipy_runtime import factored_solution, factors

__all__ = ["factorized", "splu"]


class splu:
    """The factors of a sparse matrix."""

    def __init__(self, A: Any) -> None:
        self.lu = factors(A)

    def solve(self, rhs: Any, trans: Literal["N", "T"] = "N") -> Any:
        """The solution of the system, or of the transposed one."""
        return factored_solution(self.lu, rhs, True) if trans == "T" else factored_solution(self.lu, rhs)


class Solver:
    """The function that solves a system."""

    def __init__(self, A: Any) -> None:
        self.lu = factors(A)

    def __call__(self, b: Any) -> Any:
        return factored_solution(self.lu, b)


def factorized(A: Any) -> Any:
    """The function that solves the system with a sparse matrix."""
    return Solver(A)

"""``scipy.sparse``: systems of equations with a constant sparse matrix.

Products with a sparse matrix are Python's ``@``: of an operand that is no array the rule knows nothing but its transpose.
What depends on the items of a sparse matrix is refused: its adjoint would have to be of the same structure.
"""

from __future__ import annotations

from s2sad.ir.kinds import Array, Kind
from s2sad.rules.kind_arrays import array_kind
from s2sad.rules.kind_rules import Bound, shape_of
from s2sad.rules.registry import general
from s2sad.rules.scipy_names import no_slope, scope

ITEMS = no_slope("A", "the adjoint of a sparse matrix would have to have its structure", "a constant matrix")


def _solution(bound: Bound) -> Kind:
    """A vector for a vector, in a dtype that depends on the matrix."""
    shape = shape_of(array_kind(bound["b"].kind))
    return Array(None, shape) if shape is not None and len(shape) == 1 else Kind()


general(
    "scipy.sparse.linalg.spsolve(A, b, permc_spec=None, use_umfpack=True)",
    push={"A": ITEMS, "b": "spsolve(A, g)"},
    pull={"A": ITEMS, "b": "spsolve(A.T, g)"},
    kind=_solution,
    facts=scope("scipy.sparse.linalg"),
)

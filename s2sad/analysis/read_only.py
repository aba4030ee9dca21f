"""Windows that NumPy does not let one write into: diagonals, and what is broadcast.

    np.einsum("ii->i", a)[...] = v       # NumPy writes into a; we have written the call as np.diagonal(a)
"""

from __future__ import annotations

from s2sad.analysis.views import view_base
from s2sad.errors import AliasError
from s2sad.ir.nodes import Call, Function, Op, Value
from s2sad.ir.walk import definers, ops_of
from s2sad.rules import registry

READ_ONLY = {"numpy.diagonal", "numpy.linalg.diagonal", "ndarray.diagonal", "numpy.diag", "numpy.broadcast_to",
             "numpy.lib.stride_tricks.sliding_window_view"}  # fmt: skip


def check_read_only(function: Function) -> None:
    """Raise AliasError at a store into such a window."""
    made = definers(function)
    for op in ops_of(function.body):
        primitive = registry.lookup(op.target) if isinstance(op, Call) and op.callee is None else None
        if primitive is None or not primitive.writes or not isinstance(op, Call):
            continue
        bound = primitive.bind(op.args, op.kwargs)
        if any(_is_read_only(bound[param], made) for param in primitive.writes):
            raise AliasError(
                "this writes into a diagonal, or into what is broadcast", location=op.loc,
                why="NumPy's windows of this kind cannot be written",
                instead="np.fill_diagonal, or a store: a[np.arange(n), np.arange(n)] = v",
            )  # fmt: skip


def _is_read_only(value: Value, made: dict[Value, Op]) -> bool:
    op = made.get(value)
    while isinstance(op, Call):
        if op.target in READ_ONLY:
            return True
        base = view_base(op)
        op = None if base is None else made.get(base)
    return False

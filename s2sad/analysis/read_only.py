"""Windows that NumPy does not let one write into: diagonals, and what is broadcast.

    np.diagonal(a)[...] = v
"""

from __future__ import annotations

from s2sad.analysis.views import is_unsure, view_base
from s2sad.errors import AliasError
from s2sad.ir.nodes import Call, Function, Op, Value
from s2sad.ir.walk import definers, ops_of
from s2sad.rules.effects import effects


def check_read_only(function: Function) -> None:
    """Raise AliasError at a store into such a window."""
    made = definers(function)
    for op in ops_of(function.body):
        if not isinstance(op, Call) or op.callee is not None:
            continue
        does = effects(op)
        if any(_is_read_only(value, made) for value in (*does.writes, *does.changes)):
            raise AliasError(
                "this writes into a diagonal, or into what is broadcast", location=op.loc,
                why="NumPy's windows of this kind cannot be written",
                instead="np.fill_diagonal, or a store: a[np.arange(n), np.arange(n)] = v",
            )  # fmt: skip


def _is_read_only(value: Value, made: dict[Value, Op]) -> bool:
    op = made.get(value)
    while isinstance(op, Call):
        if op.callee is None and effects(op).frozen:
            return True
        base = None if is_unsure(op) else view_base(op)  # NumPy says itself that it is no copy
        op = None if base is None else made.get(base)
    return False

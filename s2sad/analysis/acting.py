"""What operations write into that others see: memory that they have not made themselves.

    x[i] += g()                  g may change x[i], which Python has loaded before
    while step(state) > tol:     state changes once more than the body runs
"""

from __future__ import annotations

from collections.abc import Iterable

from s2sad.analysis.alias import writes_parameters
from s2sad.analysis.views import view_base
from s2sad.ir.nodes import LITERALS, Block, Call, Op, Value
from s2sad.ir.walk import ops_of
from s2sad.rules.effects import effects


def changes(ops: Iterable[Op]) -> list[Value]:
    """What the operations, and those within them, write into and have not made; of a function that writes into its
    arguments, all of them."""
    inner = list(ops_of(Block([], list(ops))))
    made = {value for op in inner for value in op.results if view_base(op) is None}
    roots: dict[Value, Value] = {}
    found: list[Value] = []
    for op in inner:
        if not isinstance(op, Call):
            continue
        base = view_base(op)
        if base is not None:
            roots[op.result] = roots.get(base, base)
        if op.callee is not None:
            writing = op.callee.writes != frozenset() if op.callee.writes is not None else writes_parameters(op.callee)
            found += op.args if writing else []
        else:
            does = effects(op)
            found += [*does.writes, *does.changes]
    return [v for v in found if not isinstance(v, LITERALS) and roots.get(v, v) not in made]

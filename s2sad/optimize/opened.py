"""A call of a reverse part that is a single operation is that operation.

Before::

    z_bar = sigmoid_reverse(tape, out_bar)        sigmoid_reverse: return operator.mul(out_bar, tape)

After::

    z_bar = operator.mul(out_bar, tape)
"""

from __future__ import annotations

from dataclasses import replace

from s2sad.analysis.alias import is_droppable
from s2sad.ir.nodes import LEAF, LITERALS, Call, DerivativeName, Function, Op
from s2sad.ir.walk import blocks_of
from s2sad.optimize.memory_effects import Memory
from s2sad.optimize.rewriting import keeps_border


@keeps_border
def run(function: Function, memory: Memory | None = None) -> bool:
    """Write such operations in place of the calls."""
    changed = False
    for block in blocks_of(function.body):
        for at, op in enumerate(block.ops):
            if isinstance(op, Call) and op.callee is not None and (only := _only(op)) is not None:
                block.ops[at] = _opened(op, only)
                changed = True
    return changed


def _only(op: Call) -> Call | None:
    """The single operation of a reverse part that a call gives all parameters of, by their positions."""
    callee = op.callee
    if callee is None or len(callee.body.ops) != 1 or callee.returns != LEAF or op.kwargs or len(op.args) != len(callee.params):
        return None
    only = callee.body.ops[0]
    reverse = any(isinstance(p.value.name, DerivativeName) for p in callee.params)
    known = all(isinstance(v, LITERALS) or v in callee.values for v in only.operands())
    plain = isinstance(only, Call) and only.callee is None and is_droppable(only) and not only.check
    return only if reverse and known and plain and isinstance(only, Call) and callee.body.yields == only.results else None


def _opened(op: Call, only: Call) -> Op:
    """The operation with what the call gives."""
    assert op.callee is not None
    given = dict(zip(op.callee.values, op.args, strict=True))
    args, kwargs = [given.get(v, v) for v in only.args], {k: given.get(v, v) for k, v in only.kwargs.items()}
    return replace(only, args=args, kwargs=kwargs, results=op.results, loc=op.loc, primal=op.primal, tangent=op.tangent)

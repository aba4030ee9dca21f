"""Sinking: buffers of adjoints, and windows, are made right before their first use.

Before::

    x_bar = numpy.zeros_like(x)
    v_bar = operator.mul(out_bar, y)
    s2sad.additem(x_bar, 0, v_bar)

After::

    v_bar = operator.mul(out_bar, y)
    x_bar = numpy.zeros_like(x)
    s2sad.additem(x_bar, 0, v_bar)

This is for the reader, who meets a name where it matters. Operations stay in their block; what is moved reads only shapes,
so that it may cross stores, and keeps its order. What a function returns stays in its forward sweep, which may be
cut off as a function of its own.
"""

from __future__ import annotations

from s2sad.ir.kinds import Array, Scalar, Tuple
from s2sad.ir.nodes import Block, Call, DerivativeName, Function, Op
from s2sad.ir.walk import blocks_of
from s2sad.optimize.memory_effects import Memory, is_window, touched
from s2sad.optimize.rewriting import keeps_border
from s2sad.rules.traits import having


@keeps_border
def run(function: Function, _: Memory | None = None) -> bool:
    """Move allocations and windows down, in every block."""
    changed = False
    for block in blocks_of(function.body):
        changed |= _sink(block, function.reverse_at if block is function.body else None)
    return changed


def _sink(block: Block, border: int | None) -> bool:
    movable = [op for op in block.ops if may_move(op)]
    if not movable:
        return False
    places = touched(block)
    position = {op: k for k, op in enumerate(block.ops)}
    anchor = dict(position)  # the place that each operation ends up at, or right before
    before: dict[int, list[Op]] = {}
    for op in reversed(movable):
        users = [anchor[block.ops[k]] for k in places.get(op.results[0], ())]
        if border is not None and position[op] < border and op.results[0] in block.yields:
            users.append(border)
        anchor[op] = min(users, default=len(block.ops))
        before.setdefault(anchor[op], []).insert(0, op)
    moved = set(movable)
    ordered: list[Op] = []
    for k, op in enumerate(block.ops):
        ordered += before.get(k, [])
        if op not in moved:
            ordered.append(op)
    ordered += before.get(len(block.ops), [])
    changed = ordered != block.ops
    block.ops = ordered
    return changed


def may_move(op: Op) -> bool:
    """Test for an operation that reads no contents, and whose place is of no interest to the reader."""
    if not isinstance(op, Call) or len(op.results) != 1 or op.callee is not None:
        return False
    name = op.result.name
    if op.target in having("makes zeros"):
        fixed = all(isinstance(v.kind, Array | Scalar | Tuple) for v in op.operands())
        return fixed and isinstance(name, DerivativeName)
    return op.target == "operator.getitem" and (name is None or isinstance(name, DerivativeName)) and is_window(op)

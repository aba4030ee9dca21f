"""Simplifying control flow: values that loops carry unchanged, results that both branches agree on, decided branches.

Before::

    y, m = for i in range(n) carrying (v = x, k = c):
        w = if True:
            u = v * k
            yield u
        else:
            yield v
        yield w, k

After::

    y = for i in range(n) carrying (v = x):
        u = v * c
        yield u

A carried value whose loop hands on the parameter itself, or what it started from, is what it started from.
"""

from __future__ import annotations

from s2sad.ir.nodes import Block, Call, Const, Function, If, Loop, Op, Undef, Value
from s2sad.ir.walk import stand_in, substitute_all
from s2sad.optimize.memory_effects import Memory
from s2sad.optimize.rewriting import keeps_border, remove_slots, same_literal


@keeps_border
def run(function: Function, _: Memory | None = None) -> bool:
    """Replace what control flow only passes on."""
    found = _Simplifier()
    found.block(function.body)
    substitute_all(function.body, found.table)
    return found.changed


class _Simplifier:
    """Collects replacements, innermost first, and removes the slots that they leave unused."""

    def __init__(self) -> None:
        self.table: dict[Value, Value] = {}
        self.changed = False

    def block(self, block: Block) -> None:
        """Simplify the operations of a block; splice the taken side of decided branches into it."""
        ops: list[Op] = []
        for op in block.ops:
            if isinstance(op, Call):
                ops.append(op)
                continue
            for inner in op.blocks():
                self.block(inner)
            taken = self.decided(op)
            if taken is not None:
                ops += taken.ops
                self.table.update(zip(op.results, taken.yields, strict=True))
                self.changed = True
                continue
            if isinstance(op, Loop):
                self.remove(op, {k for k in range(len(op.results)) if self.is_invariant(op, k)})
            elif isinstance(op, If):
                self.remove(op, {k for k in range(len(op.results)) if self.agree(op, k)})
            ops.append(op)
        block.ops = ops

    def decided(self, op: Op) -> Block | None:
        """The block that is certainly taken."""
        cond = stand_in(self.table, op.cond) if isinstance(op, If) else None
        if isinstance(op, If) and isinstance(cond, Const) and isinstance(cond.payload, bool | int):
            return op.then if cond.payload else op.orelse
        return None

    def agree(self, op: If, k: int) -> bool:
        """Agreement of both branches in the value that they yield; enters it for the result."""
        then, orelse = stand_in(self.table, op.then.yields[k]), stand_in(self.table, op.orelse.yields[k])
        if not same_literal(then, orelse):
            return False
        self.table[op.results[k]] = then
        return True

    def is_invariant(self, op: Loop, k: int) -> bool:
        """Test for a carried value that never changes; enters where it starts for it."""
        start, following = stand_in(self.table, op.init[k]), stand_in(self.table, op.carried_yields[k])
        param = op.carried[k]
        if isinstance(start, Undef) or not (following is param or same_literal(following, start)):
            return False
        self.table[param] = self.table[op.results[k]] = start
        self.table.update((test.params[k], start) for test in op.tests)
        return True

    def remove(self, op: Op, slots: set[int]) -> None:
        """Remove results and what flows into them."""
        remove_slots(op, slots)
        self.changed |= bool(slots)

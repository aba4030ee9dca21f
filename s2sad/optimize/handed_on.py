"""A copy of an array that is complete, and that nothing uses any more, is the array.

Before::

    a = operator.mul(x, 2.0)
    operator.setitem(a, 0, y)
    b = numpy.copy(a)
    ...                            nothing mentions a, or a window of it

After::

    a = operator.mul(x, 2.0)
    operator.setitem(a, 0, y)
    ...                            of a

The same where a loop carries ``a``, each iteration makes its own one, and only the next gets it. This comes last: the two have
one class from then on, which is written.
"""

from __future__ import annotations

from s2sad.analysis.building import is_apart, makes
from s2sad.ir.nodes import Block, Call, For, Function, Op, Value
from s2sad.ir.walk import blocks_of, ops_of, substitute_all, use_counts
from s2sad.optimize.copies import is_copy
from s2sad.optimize.memory_effects import Memory
from s2sad.optimize.rewriting import drop, keeps_border, pass_name


@keeps_border
def run(function: Function, memory: Memory | None = None) -> bool:
    """Hand on what is copied for the last time."""
    changed = False
    while any(isinstance(op, Call) and is_copy(op) for op in ops_of(function.body)):
        found = _HandedOn(function)
        for block in blocks_of(function.body):
            found.block(block)
        if not found.dead:
            break
        for copy, source in found.table.items():
            if memory is not None:
                memory.merge(source, copy)
            pass_name(copy, source, None)
        substitute_all(function.body, found.table)
        drop(function, found.dead)
        changed = True
    return changed


class _HandedOn:
    def __init__(self, function: Function) -> None:
        self.uses = use_counts(function)
        self.loops = {op.body: (op, block) for block in blocks_of(function.body) for op in block.ops if isinstance(op, For)}
        self.table: dict[Value, Value] = {}
        self.dead: set[Op] = set()

    def block(self, block: Block) -> None:
        """Find the copies of one block."""
        copies = [(k, op) for k, op in enumerate(block.ops) if isinstance(op, Call) and is_copy(op)]
        for k, op in copies:
            source = op.args[0]
            if self.is_complete(block, k, source) or self.is_own(block, k, source):
                self.table[op.result] = source
                self.dead.add(op)
                return  # the others are asked of what the block is then

    def is_complete(self, block: Block, at: int, source: Value) -> bool:
        """Test for an array that the block has made, and is done with at one place."""
        start = next((k for k, op in enumerate(block.ops[:at]) if source in op.results), None)
        return start is not None and makes(block.ops[start]) and is_apart(block, source, start + 1, at)

    def is_own(self, block: Block, at: int, source: Value) -> bool:
        """Test for an array that each iteration of a loop makes anew, and gives to nobody but the next one."""
        if block not in self.loops or source not in self.loops[block][0].carried:
            return False
        loop, around = self.loops[block]
        k = loop.carried.index(source)
        first, following = loop.init[k], loop.carried_yields[k]
        made = next((op for op in around.ops if first in op.results), None)
        start = next((n for n, op in enumerate(block.ops) if following in op.results), None)
        if made is None or start is None or not makes(made) or not makes(block.ops[start]) or loop.snapshots is not None:
            return False
        once = self.uses[first] == 1 and sum(v is following for v in block.yields) == 1
        return once and is_apart(block, source, 0, at) and is_apart(block, following, start + 1)

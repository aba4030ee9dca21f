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

from s2sad.analysis.building import Owned
from s2sad.ir.nodes import Block, Call, Function
from s2sad.ir.walk import blocks_of, ops_of, substitute_all
from s2sad.optimize.copies import is_copy
from s2sad.optimize.memory_effects import Memory
from s2sad.optimize.rewriting import drop, keeps_border, pass_name


@keeps_border
def run(function: Function, memory: Memory | None = None) -> bool:
    """Hand on what is copied for the last time."""
    changed = False
    while any(isinstance(op, Call) and is_copy(op) for op in ops_of(function.body)):
        own = Owned(function)
        found = [op for block in blocks_of(function.body) if (op := _last_copy(block, own)) is not None]
        if not found:
            break
        for op in found:
            if memory is not None:
                memory.merge(op.args[0], op.result)
            pass_name(op.result, op.args[0], None)
        substitute_all(function.body, {op.result: op.args[0] for op in found})
        drop(function, {*found})
        changed = True
    return changed


def _last_copy(block: Block, own: Owned) -> Call | None:
    """The first copy in a block of an array that ends with it: the others are asked of what the block is then."""
    copies = ((k, op) for k, op in enumerate(block.ops) if isinstance(op, Call) and is_copy(op))
    return next((op for k, op in copies if own.ends(block, k, op.args[0])), None)

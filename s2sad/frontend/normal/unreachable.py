"""Drop statements that nothing can reach: those after a return, break, continue or raise in the same block.

Before::

    def f(x):
        while True:
            x = 2 * x
            if x > 10:
                return x
                x = 0
        else:
            x = 1
        return x

After::

    def f(x):
        while True:
            x = 2 * x
            if x > 10:
                return x

Declarations (``global``, ``nonlocal``) are kept, for they speak about the whole function.
"""

from __future__ import annotations

import gast

from .outcomes import endless, falls, outcomes, outcomes_of
from .syntax import TRIES, Block, blocks_of


def drop_unreachable(block: Block) -> Block:
    """The statements of a block that can be reached."""
    result: Block = []
    for index, node in enumerate(block):
        for owner, field in blocks_of(node):
            setattr(owner, field, drop_unreachable(getattr(owner, field)))
        if endless(node) or (isinstance(node, TRIES) and not falls(outcomes(node.body))):
            node.orelse = []
        if not falls(outcomes_of(node)):
            declarations = [
                late for late in block[index + 1 :] if isinstance(late, (gast.Global, gast.Nonlocal))
            ]
            return [*result, *declarations, node]
        result.append(node)
    return result

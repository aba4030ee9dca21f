"""Lengths that loops rely on, although the list or dict may have another one before the loop has ended.

n = len(xs)
for k in range(n):            # n is the length that ``for a in xs`` asked for
    a = xs[k]
    grow(xs)                  # now it is another
"""

from __future__ import annotations

from typing import Any

from s2sad.analysis.alias import Aliases, Node
from s2sad.analysis.views import STORES
from s2sad.ir.kinds import List, Slice
from s2sad.ir.nodes import Block, Call, Function, Loop, Op, Value
from s2sad.ir.walk import blocks_of, ops_of


def outdated(function: Function) -> set[Any]:
    """The places at which a length no longer holds where a loop relies on it."""
    if not any(isinstance(op, Call) and op.relied for op in ops_of(function.body)):
        return set()
    aliases = Aliases(function)
    found: set[Any] = set()
    for block in blocks_of(function.body):
        for at, op in enumerate(block.ops):
            if isinstance(op, Call) and op.relied:
                later, node = block.ops[at + 1 : _last_loop(block, at, op.result) + 1], aliases.node(op.args[0])
                found |= {place for place, whole in op.relied if any(_changes(aliases, o, node, whole) for o in later)}
    return found


def _last_loop(block: Block, at: int, length: Value) -> int:
    """Where the last loop stands whose number of iterations is made of a length."""
    made = {length}
    last = at
    for k in range(at + 1, len(block.ops)):
        for op in _with_nested(block.ops[k]):
            if isinstance(op, Call) and op.callee is None and not made.isdisjoint(op.operands()):
                made.update(op.results)
            elif isinstance(op, Loop) and not made.isdisjoint(op.over):
                last = k
    return last


def _with_nested(op: Op) -> list[Op]:
    return [op, *(inner for block in op.blocks() for inner in ops_of(block))]


def _changes(aliases: Aliases, op: Op, node: Node, whole: bool) -> bool:
    """Possibility that an operation changes the length, or what is there."""
    return any(
        (whole or not _only_stores(inner)) and any(n.find() is node for n in aliases.own_writes(inner))
        for inner in _with_nested(op)
    )


def _only_stores(op: Op) -> bool:
    """Test for an operation that writes items that are there, one by one: of a dict it may be a new one."""
    if not isinstance(op, Call) or op.callee is not None or op.target not in STORES:
        return False
    return not op.args[0].kind.keyed and not (
        isinstance(op.args[0].kind, List) and isinstance(op.args[1].kind, Slice)
    )

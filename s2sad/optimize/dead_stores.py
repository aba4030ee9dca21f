"""Stores of which nothing is read afterwards.

Before (x_bar is not returned)::

    for i in reversed(range(n)):
        v1 = operator.getitem(x_bar, i)
        operator.setitem(x_bar, i, 0.0)        no later iteration reads x_bar[i]
        v2 = operator.mul(v1, c)
        s2sad.subitem(x_bar, :i, v2)

After::

    for i in reversed(range(n)):
        v1 = operator.getitem(x_bar, i)
        v2 = operator.mul(v1, c)
        s2sad.subitem(x_bar, :i, v2)

The adjoint of a store zeroes the window that was overwritten; where the primal filled a buffer once, in order, nothing
comes back to it. ``analysis.windows`` tells windows apart by the ranges of the loops around them. A buffer that is not
read at all is the business of ``dead_code``.
"""

from __future__ import annotations

from s2sad.analysis.alias import Node
from s2sad.analysis.windows import Place, Windows
from s2sad.ir.kinds import Array
from s2sad.ir.nodes import Call, Function, Op, Value
from s2sad.ir.walk import ops_of
from s2sad.optimize.memory import STORES, Memory
from s2sad.optimize.rewriting import drop, keeps_border

MOST = 2000  # pairs of stores and reads to look at

Read = tuple[Op, Place | None]


@keeps_border
def run(function: Function, memory: Memory | None = None) -> bool:
    """Remove stores that no read follows."""
    memory = memory or Memory(function)
    stores: dict[Node, list[Call]] = {}
    for op in ops_of(function.body):
        if isinstance(op, Call) and op.target in STORES and isinstance(op.args[0].kind, Array):
            node = memory.node(op.args[0])
            if node not in memory.escaping and memory.aliases.static_root(op.args[0]) is not None:
                stores.setdefault(node, []).append(op)
    if not stores:
        return False
    windows = Windows(function, memory.aliases)
    dead: set[Op] = set()
    for node, ops in stores.items():
        reads = _reads(function, node, memory, windows)
        if len(reads) * len(ops) <= MOST:
            dead |= {op for op in ops if _is_dead(op, reads, windows)}
    drop(function, dead)
    return bool(dead)


def _is_dead(store: Call, reads: list[Read], windows: Windows) -> bool:
    place = windows.store_place(store)
    return all(windows.disjoint_after(store, place, reader, seen) for reader, seen in reads if reader is not store)


def _reads(function: Function, node: Node, memory: Memory, windows: Windows) -> list[Read]:
    """All operations that read the class, with the windows that they read (None: anything)."""
    found: list[Read] = []
    for op in ops_of(function.body):
        if isinstance(op, Call) and op.target in STORES and op.callee is None:
            base, _, value = op.args
            if op.target != "operator.setitem" and memory.node(base) is node:
                found.append((op, windows.store_place(op)))
            if node in memory.own_reads(op):
                found.append((op, _window(value, node, memory, windows)))
        elif node in memory.own_reads(op):
            if isinstance(op, Call) and op.target == "operator.getitem" and memory.node(op.args[0]) is node:
                found.append((op, windows.load_place(op)))
            else:
                found += [(op, _window(v, node, memory, windows)) for v in op.operands() if node in memory.reach(v)]
    return found


def _window(value: Value, node: Node, memory: Memory, windows: Windows) -> Place | None:
    """The window of the class that an operand shows; None where it only contains one."""
    return windows.window(value) if isinstance(value.kind, Array) and memory.node(value) is node else None

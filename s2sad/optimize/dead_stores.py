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
from s2sad.analysis.attempts import attempted
from s2sad.analysis.views import STORES
from s2sad.analysis.windows import Place, Windows
from s2sad.ir.kinds import Array
from s2sad.ir.nodes import Call, Function, Op, Value
from s2sad.ir.walk import ops_of
from s2sad.optimize.memory_effects import Memory
from s2sad.optimize.rewriting import drop, keeps_border

MOST = 2000  # pairs of stores and reads to look at

Read = tuple[Op, Place | None]


@keeps_border
def run(function: Function, memory: Memory | None = None) -> bool:
    """Remove stores that no read follows."""
    memory = memory or Memory(function)
    stores: dict[Node, list[Call]] = {}
    kept = attempted(function)
    for op in ops_of(function.body):
        if isinstance(op, Call) and op.target in STORES and not (op in kept or op.check) and isinstance(op.args[0].kind, Array):
            node = memory.node(op.args[0])
            if node not in memory.escaping and memory.aliases.static_root(op.args[0]) is not None:
                stores.setdefault(node, []).append(op)
    if not stores:
        return False
    windows = Windows(function, memory.aliases)
    dead: set[Op] = set()
    for node, reads in _reads(function, set(stores), memory, windows).items():
        if len(reads) * len(stores[node]) <= MOST:
            dead |= {op for op in stores[node] if _is_dead(op, reads, windows, node)}
    drop(function, dead)
    return bool(dead)


def _is_dead(store: Call, reads: list[Read], windows: Windows, node: Node) -> bool:
    place = windows.store_place(store)
    return all(windows.disjoint_after(store, place, reader, seen, node) for reader, seen in reads if reader is not store)


def _reads(function: Function, nodes: set[Node], memory: Memory, windows: Windows) -> dict[Node, list[Read]]:
    """For each class all operations that read it, with the windows that they read (None: anything)."""
    found: dict[Node, list[Read]] = {node: [] for node in nodes}
    for op in ops_of(function.body):
        stores = isinstance(op, Call) and op.callee is None and op.target in STORES
        if isinstance(op, Call) and stores and op.target != "operator.setitem":
            node = memory.node(op.args[0])
            if node in nodes:
                found[node].append((op, windows.store_place(op)))
        for node in memory.own_reads(op) & nodes:
            if isinstance(op, Call) and op.target == "operator.getitem" and memory.node(op.args[0]) is node:
                found[node].append((op, windows.load_place(op)))
            else:
                values = op.args[1:] if isinstance(op, Call) and stores else op.operands()
                seen = [(op, _window(v, node, memory, windows)) for v in values if node in memory.reach(v)]
                found[node] += seen or [(op, None)]
    return found


def _window(value: Value, node: Node, memory: Memory, windows: Windows) -> Place | None:
    """The window of the class that an operand shows; None where it only contains one."""
    return windows.window(value) if isinstance(value.kind, Array) and memory.node(value) is node else None

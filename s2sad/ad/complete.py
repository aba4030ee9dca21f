"""Values from where an array is complete: what is handed on then needs no shadow that travels with it.

    for _ in range(n):                              for _ in range(n):
        new = 2.0 * x - y                               new = 2.0 * x - y
        new[1:-1] += c * bend(x)            ==>         new[1:-1] += c * bend(x)
        x, y = new, x                                   new' = np.copy(new)
                                                        x, y = new', x

Nothing writes into ``new'``, nor into what ``x`` and ``y`` refer to: they are recorded by reference, and their adjoints are
values. The copy is none in the end: nothing uses ``new`` after it (``optimize.handed_on``).
"""

from __future__ import annotations

from s2sad.analysis.alias import Aliases
from s2sad.analysis.attempts import attempted
from s2sad.analysis.building import complete_at, makes
from s2sad.ir.nodes import Block, Call, Function, Loop, Op, Value
from s2sad.ir.walk import blocks_of, ops_of, substitute, substitute_all
from s2sad.rules.traits import spelled


def settle_values(function: Function) -> None:
    """Part what is built from what it is afterwards, where that makes values of arrays that control flow hands on."""
    ops = ops_of(function.body)
    if not any(map(makes, ops)) or attempted(function) or any(isinstance(op, Loop) and op.snapshots for op in ops):
        return
    aliases = Aliases(function, split=True)
    made = [
        (block, op.results[0], block.ops[end - 1])
        for block in blocks_of(function.body)
        for k, op in enumerate(block.ops)
        if makes(op) and aliases.mutable(op.results[0]) and aliases.static_root(op.results[0]) is None
        if (end := complete_at(block, k)) is not None
    ]
    parted = [(block, part(block, value, last)) for block, value, last in made]
    while parted:
        aliases = Aliases(function, split=True)
        failed = [(block, op) for block, op in parted if aliases.mutable(op.result)]
        if not failed:
            return
        for block, op in failed:
            block.ops.remove(op)
        substitute_all(function.body, {op.result: op.args[0] for _, op in failed})
        parted = [pair for pair in parted if pair not in failed]


def part(block: Block, value: Value, last: Op) -> Call:
    """A copy of an array for all that comes after the last store into it."""
    later, end = Value(value.kind, value.name), block.ops.index(last) + 1
    copy = Call(target=spelled("copies"), args=[value], results=[later], loc=last.loc)
    table = {value: later}
    for op in block.ops[end:]:
        for inner in (op, *(o for nested in op.blocks() for o in ops_of(nested))):
            substitute(inner, lambda v: table.get(v, v))
            for nested in inner.blocks():
                nested.yields = [table.get(v, v) for v in nested.yields]
    block.yields = [table.get(v, v) for v in block.yields]
    block.ops.insert(end, copy)
    return copy

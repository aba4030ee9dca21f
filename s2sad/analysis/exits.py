"""Values that are merged only to be returned: nobody in the function sees that they may be one buffer or another.

    if n == 1:
        yield x                  # the caller's array
    else:
        out = np.empty(n)
        out[:k] = ...            # a store into out, and not into x
        yield out
    return r                     # r is x or out; no store comes after this

An array that control flow merges with another would have to share its class, and x would count as written. For what is
returned and not touched again the two stay apart; ``sources`` says what it may be.
"""

from __future__ import annotations

from s2sad.ir.kinds import Array, Kind, List, Scalar
from s2sad.ir.nodes import Block, Function, If, Op, Value
from s2sad.ir.walk import blocks_of, ops_of


def exits(function: Function) -> dict[Value, tuple[If, list[Value]]]:
    """The results of branches that are only returned, with the branch and what they may be."""
    branches: dict[Value, tuple[If, int]] = {}
    _collect(function.body, branches)
    readers: set[Value] = {v for op in ops_of(function.body) for v in op.operands()}
    handed: dict[Value, list[Value | None]] = {}
    owner = {block: op for op in ops_of(function.body) for block in op.blocks()}
    for block in blocks_of(function.body):
        around = owner.get(block)
        for k, value in enumerate(block.yields):
            to = around.results[k] if isinstance(around, If) else None
            handed.setdefault(value, []).extend([] if block is function.body else [to])
    found = {
        value: (op, [op.then.yields[k], op.orelse.yields[k]])
        for value, (op, k) in branches.items()
        if value not in readers and value in handed
    }
    while True:
        kept = {v: entry for v, entry in found.items() if all(to in found for to in handed[v])}
        if len(kept) == len(found):
            return kept
        found = kept


def is_buffer(kind: Kind) -> bool:
    """Test for a kind whose values have a shadow that works like themselves: arrays, and lists of numbers."""
    if isinstance(kind, List):
        return isinstance(kind.item, Scalar)
    return isinstance(kind, Array) and kind.rank != 0


def _collect(block: Block, branches: dict[Value, tuple[If, int]]) -> None:
    """The array and list results of branches that are in no loop."""
    for op in block.ops:
        if isinstance(op, If):
            for k, value in enumerate(op.results):
                if is_buffer(value.kind):
                    branches[value] = (op, k)
            _collect(op.then, branches)
            _collect(op.orelse, branches)


def after(function: Function, branch: If) -> list[Op]:
    """The operations that run after a branch that is in no loop."""

    def search(block: Block) -> list[Op] | None:
        for k, op in enumerate(block.ops):
            rest = block.ops[k + 1 :]
            if op is branch:
                return list(rest)
            if isinstance(op, If):
                for inner in op.blocks():
                    found = search(inner)
                    if found is not None:
                        return [*found, *rest]
        return None

    return search(function.body) or []

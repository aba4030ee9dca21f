"""Calls whose memory the caller has to see are written out in its place.

    p, q = halves(x)             b = np.sin(x)            # def halves(a): b = np.sin(a); return b, b[1:]
    p *= x                 ==>   q = b[1:]
    ...                          b *= x

A call has a shadow for each of its results, and a reverse function of its own restores what it is given: right as long as no
memory that is written goes over the border in two ways. Where it does (two results share it, or a list's items may; a
result is an argument; what a reverse function restores stands twice on its tape), the callee becomes part of the caller, in
which windows, lists and swaps are followed. A recursive function cannot be written out: tangents share what it shares, and in
reverse mode it is refused.
"""

from __future__ import annotations

from collections.abc import Iterator

from s2sad.analysis.alias import Aliases, Node, returns_parameters
from s2sad.analysis.containers import ITEM
from s2sad.analysis.references import is_recursive
from s2sad.analysis.views import holds_references
from s2sad.errors import AliasError
from s2sad.ir.builder import Builder
from s2sad.ir.nodes import Block, Call, Function, Op, Value
from s2sad.ir.walk import blocks_of, ops_of, substitute_all
from s2sad.rules import registry
from s2sad.rules.structures import forward_items


def write_out_shared(function: Function, mirrored: bool = False) -> None:
    """Write such calls out, in place.

    Raises AliasError for a recursive function whose results share what is written, unless their derivatives share it too
    (``mirrored``).
    """
    again = any(isinstance(op, Call) and op.callee is not None for op in ops_of(function.body))
    while again:
        aliases = Aliases(function, split=True)
        blocks = [*blocks_of(function.body)] if aliases.written else []
        again = sum(_write_out(block, function, aliases, mirrored) for block in blocks) > 0
        if again:
            forward_items(function)  # what was put into a tuple, a tape for instance, and comes out of it again


def _write_out(block: Block, function: Function, aliases: Aliases, mirrored: bool) -> bool:
    ops: list[Op] = []
    table: dict[Value, Value] = {}
    for op in block.ops:
        if not (isinstance(op, Call) and op.callee is not None and _is_entangled(op, op.callee, aliases, mirrored)):
            ops.append(op)
            continue
        place = Builder(Block([], ops), registry.infer)
        table.update(zip(op.results, place.write_out(op.callee, op.args), strict=False))
    block.ops = ops
    substitute_all(function.body, table)
    return bool(table)


def _is_entangled(op: Call, callee: Function, aliases: Aliases, mirrored: bool) -> bool:
    """Test for memory that is written and goes over the border of a call in two ways."""
    results = {node for r in op.results if holds_references(r) for node in aliases.reach(aliases.node(r))} & aliases.written
    changed = {node for k in aliases.written_by(callee) for node in aliases.written_of(op, k)}
    if not results and not changed:
        return False
    recursive = is_recursive(callee) or callee.checkpointed
    if set(_twice(aliases, op.results)) & results:
        if recursive and not mirrored:
            raise _shared(op, callee)
        return not recursive
    if recursive:
        return False  # guarded, or refused where its shadow would have to be known
    given = {node for a in op.args if holds_references(a) for node in aliases.reach(aliases.node(a))}
    if results & given and returns_parameters(callee):
        return True
    return bool(set(_twice(aliases, op.args)) & changed)


def _shared(op: Call, callee: Function) -> AliasError:
    """The refusal of a call that cannot be written out, and whose results share memory."""
    if callee.records:
        return AliasError(
            f"what is recorded in {callee.title} shares memory, and is written here", location=op.loc,
            why="a recursive function records what it writes into with each call, and what is recorded has an adjoint each",
            instead="hvp, hessian, or jvp of grad, which do not reverse a reverse sweep",
        )  # fmt: skip
    return AliasError(
        f"what {callee.title} returns shares memory, and is written here", location=op.loc,
        why=f"the results of a {'checkpointed' if callee.checkpointed else 'recursive'} function have an adjoint each",
        instead="copy them before they are written",
    )  # fmt: skip


def _twice(aliases: Aliases, values: list[Value]) -> Iterator[Node]:
    """The classes that stand in two places of some values, or may: as items of a list."""
    seen: set[Node] = set()
    for value in values:
        stack = [(aliases.node(value), False)] if holds_references(value) else []
        while stack:
            node, many = stack.pop()
            if many or node in seen:
                yield node
            if node in seen:
                continue
            seen.add(node)
            stack += [(inner.find(), many or key == ITEM) for key, inner in node.fields.items()]

"""Arguments that a function of SciPy's may destroy (``overwrite_a=True``), and reads afterwards: nobody says what they hold.

    y = solve(A, b, overwrite_a=True)     ==>     y = solve(A, b)        # where nothing below reads A: nothing is destroyed
    return y.sum() + A[0, 0]                      refused

Lowering marks what may be destroyed, behind the call (``SPOIL``); here the marks are looked at, and taken away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from s2sad.analysis.alias import Aliases, Node
from s2sad.analysis.views import holds_references
from s2sad.errors import AliasError
from s2sad.ir.nodes import LITERALS, Block, Call, Function, Global, Loop, Op, Value
from s2sad.ir.walk import blocks_of, ops_of, reads_of
from s2sad.rules.buffers import SPOIL


def refuse_spoiled(functions: Sequence[Function]) -> None:
    """Raise AliasError where something is read that has been destroyed, perhaps by a function that was called; callees first."""
    positions: dict[Function, set[int]] = {}
    marked = False
    for function in functions:
        marked |= any(isinstance(op, Call) and op.target == SPOIL for op in ops_of(function.body))
        while marked and _look(function, positions):
            pass
    for function in functions if marked else ():
        for block in blocks_of(function.body):
            block.ops = [op for op in block.ops if not (isinstance(op, Call) and op.target == SPOIL)]


def _look(function: Function, positions: dict[Function, set[int]]) -> bool:
    """Look at one function; whether more of its parameters are known to be destroyed."""
    aliases = Aliases(function, split=True)
    found: set[int] = set()
    for op, values, later in _marks(function, function.body, [], positions, aliases):
        nodes = {node for v in values for node in aliases.reach(aliases.node(v))}
        results = [v for y in function.body.yields for v in aliases.origins(y) if holds_references(v)]
        kept = any(nodes & aliases.reach(aliases.node(v)) for v in results) or any(isinstance(v, Global) for v in values)
        if kept or any(nodes & aliases.reads(other) for other in later):
            name = next((v.name for v in values if v.name), "an array")
            raise AliasError(
                f"{name} is read after a function that may destroy it", location=op.loc,
                why="what it holds then, depends on how it lies in memory", instead="a copy, or the call without overwrite_...",
            )  # fmt: skip
        found |= {k for k, v in enumerate(function.values) if holds_references(v) and aliases.reach(aliases.node(v)) & nodes}
    grown = not found <= positions.setdefault(function, set())
    positions[function] |= found
    return grown


def _marks(
    function: Function, block: Block, after: list[Op], positions: dict[Function, set[int]], aliases: Aliases
) -> Iterator[tuple[Call, list[Value], list[Op]]]:
    """The operations that destroy something, with that, and what may run afterwards."""
    for k, op in enumerate(block.ops):
        later = [*block.ops[k + 1 :], *after]
        if isinstance(op, Call):
            known = (0,) if op.target == SPOIL else positions.get(op.callee, ()) if op.callee is not None else ()
            values = [op.args[p] for p in known if holds_references(op.args[p])]
            if values:
                yield op, values, later
        for inner in op.blocks():
            for call, values, rest in _marks(function, inner, later, positions, aliases):
                again = isinstance(op, Loop) and _outlives(op, values, aliases)
                yield call, values, [*rest, op] if again else rest


def _outlives(loop: Loop, values: list[Value], aliases: Aliases) -> bool:
    """Test for memory that is there before a round of a loop, so that the next one may read it."""
    ops = [*ops_of(Block([], [loop]))]
    carried = {p for block in loop.blocks() for p in block.params}
    inside = {r for op in ops for r in op.results} | carried
    used = {v for op in ops for v in reads_of(op)}
    nodes: set[Node] = {aliases.node(v) for v in values if not isinstance(v, LITERALS)}
    members = {v for v in list(aliases.nodes) if aliases.node(v) in nodes}
    return bool(members - inside or members & carried & used)

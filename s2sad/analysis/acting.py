"""The memory that operations write into and others see: they have not made it themselves.

    x[i] += g()                  g may change x[i], which Python has loaded before
    while step(state) > tol:     state changes once more than the body runs
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from s2sad.analysis.alias import Positions, facts, flows, writes_parameters
from s2sad.analysis.views import holds_references
from s2sad.errors import AliasError
from s2sad.ir.kinds import Array, is_number
from s2sad.ir.nodes import LITERALS, Block, Call, Function, Global, Loop, Op, Value
from s2sad.ir.walk import calls_within, ops_of
from s2sad.rules.effects import effects


def changes(ops: Iterable[Op]) -> list[Value]:
    """The values that the operations, and those within them, write into and have not made; of a function that writes into its
    arguments, all of them, and what they hold."""
    inner = ops_of(Block([], list(ops)))
    found: list[Value] = []
    for op in inner:
        if not isinstance(op, Call):
            continue
        if op.callee is not None:
            writing = op.callee.writes != frozenset() if op.callee.writes is not None else writes_parameters(op.callee)
            found += filter(_may_refer, op.args) if writing else []
        else:
            does = effects(op)
            found += [*does.writes, *does.changes]
    if not found:
        return found
    earlier = _Earlier()
    earlier.follow(inner)
    deep = {v for op in inner if isinstance(op, Call) for v in _changed_within(op)}
    return [v for v in found if v in earlier.selves or (v in deep and v in earlier.holders)]


def does_more(ops: Iterable[Op]) -> bool:
    """Test for operations that do more than compute: they write into what others see, or tell people something."""
    ops = list(ops)
    return any(op.callee is None and _reaches_out(op) for op in calls_within(Block([], ops))) or bool(changes(ops))


def _reaches_out(op: Call) -> bool:
    does = effects(op)
    return does.world or does.tells or any(isinstance(value, Global) for value in (*does.writes, *does.changes))


def written_apart(function: Function, handed_back: int) -> Positions:
    """The positions of the parameters whose memory a function writes. Raises AliasError if one of its last results, which are
    ``handed_back``, may be a part of that: who gets both would have two copies."""
    aliases = facts(function)
    written = aliases.written_parameters()
    parts = {node for k in written for node in aliases.reach(aliases.node(function.values[k]))}
    for value in function.body.yields[len(function.body.yields) - handed_back :]:
        if holds_references(value) and aliases.reach(aliases.node(value)) & parts:
            raise AliasError(
                f"{function.title} leaves a part of what it writes into under another name",
                why="a derivative of it is taken in the program, which copies what it writes into", instead="a copy of it",
            )  # fmt: skip
    return written


def _changed_within(op: Call) -> Iterable[Value]:
    """The operands of which a call may also change what they hold."""
    return op.args if op.callee is not None else effects(op).changes


def _may_refer(value: Value) -> bool:
    return not isinstance(value, LITERALS) and not is_number(value.kind)


@dataclass
class _Earlier:
    """Values that may be memory from before the operations (``selves``), and those that may hold such memory (``holders``)."""

    selves: set[Value] = field(default_factory=set)
    holders: set[Value] = field(default_factory=set)

    def follow(self, ops: list[Op]) -> None:
        """Follow memory from before through the operations until nothing is found any more."""
        made = {v for op in ops for v in (*op.results, *(p for b in op.blocks() for p in b.params))}
        outer = {v for op in ops for v in (*op.operands(), *(y for b in op.blocks() for y in b.yields))} - made
        outer = {v for v in outer if _may_refer(v)}
        self.selves |= outer
        self.holders |= outer
        before = -1
        while before != (before := len(self.selves) + len(self.holders)):
            for op in ops:
                for source, target, how in _ways(op):
                    self._pass(source, target, how)

    def _pass(self, source: Value, target: Value, how: str) -> None:
        if not (_may_refer(source) and _may_refer(target)):
            return
        if how == "same" and source in self.selves or how == "item" and source in self.holders:
            self.selves.add(target)
        if source in self.holders or how == "holds" and source in self.selves:
            self._holds(target)
        if target in self.holders:  # what is put into one of them may be seen in the other
            self._holds(source)

    def _holds(self, value: Value) -> None:
        if not isinstance(value.kind, Array):
            self.holders.add(value)


def _ways(op: Op) -> Iterator[tuple[Value, Value, str]]:
    """Where memory goes: from a value into another, as itself, as an item of it, as what it holds, or with what it holds."""
    if not isinstance(op, Call):
        for joined, other in flows(op):
            walks = isinstance(op, Loop) and joined in op.given
            yield other, joined, "item" if walks else "same"
            if isinstance(op, Loop) and not walks:
                yield joined, other, "same"
        return
    does = effects(op) if op.callee is None else None
    if does is None or does.unknown:
        for source in op.operands():
            yield from ((source, result, how) for result in op.results for how in ("same", "item", "holds"))
            yield from ((source, other, "holds") for other in op.operands() if other is not source)
        return
    for share in does.shares:
        yield from ((share.value, result, "same" if share.how == "view" else share.how) for result in op.results)
    for item, container in does.puts:
        yield item, container, "holds"

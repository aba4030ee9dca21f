"""Motion of operations: which may be evaluated later than where they stand.

    v1 = u[0] * 2.0
    u[0] = 1.0
    w[0] = v1

Here ``v1`` stays: the store changes what it reads. Nor does anything move past an effect, or past the
binding of a name that it reads, since that would take the name from the newer value.
"""

from __future__ import annotations

from collections.abc import Callable

from s2sad.analysis.alias import Aliases, Node, is_droppable
from s2sad.analysis.editions import Search
from s2sad.ir.nodes import LITERALS, Block, Call, Function, If, Op, Value
from s2sad.ir.walk import blocks_of
from s2sad.rules import registry
from s2sad.rules.effects import effects


class Motion:
    """The reads, writes and other effects of a function's operations."""

    def __init__(self, function: Function, aliases: Aliases | None = None) -> None:
        self.function = function
        self.aliases = aliases or Aliases(function)
        self.block_of: dict[Op, Block] = {}
        self.position_of: dict[Op, int] = {}
        for block in blocks_of(function.body):
            for at, op in enumerate(block.ops):
                self.block_of[op], self.position_of[op] = block, at
        self._writes: dict[Op, set[Node]] = {}
        self._effects: dict[Op, bool] = {}
        self._reaches_out = Search(_reaches_out)
        self._binds: dict[Op, set[str]] = {}
        self._pure: dict[Call, bool] = {}

    def may_move(self, op: Op, block: Block, at: int, to: int, folded: Callable[[Op], bool]) -> bool:
        """Permission to evaluate ``op`` just before position ``to`` of its block; the sweeps do not mix."""
        turn = self.function.reverse_at
        if block is self.function.body and turn is not None and at < turn <= to:
            return False
        between = [other for other in block.ops[at + 1 : to] if not folded(other)]
        if isinstance(op, Call) and not self.is_pure(op):
            return not between and not self._disturbs(op, block.ops[at + 1 : to])
        if not between:
            return True
        if self.checks(op) and any(map(self.checks, between)):
            return False  # of two that fail the first one raises
        reads = {node.find() for node in self.reads(op)}
        names = {value.name for value in self._read_values(op) if value.name is not None}
        for other in between:
            if self.has_effect(other) or names & self.binds(other):
                return False
            if reads and any(node.find() in reads for node in self.writes(other)):
                return False
        return True

    def _disturbs(self, op: Op, others: list[Op]) -> bool:
        """Test for an operation that writes what others read, so that none of them may be evaluated first."""
        written = {node.find() for node in self.writes(op)}
        return any(node.find() in written for other in others for node in self.reads(other))

    def is_pure(self, op: Call) -> bool:
        """Test for a call that does nothing but compute its result."""
        if op not in self._pure:
            self._pure[op] = self._is_pure(op)
        return self._pure[op]

    def _is_pure(self, op: Call) -> bool:
        if self.has_effect(op):
            return False
        if op.callee is not None:
            return len(op.callee.body.yields) == 1 and is_droppable(op)
        primitive = registry.lookup(op.target)
        return (primitive is None or primitive.spelling != "statement") and is_droppable(op)

    def has_effect(self, op: Op) -> bool:
        """Test for an operation that prints, raises, draws random numbers, or is not known, itself or a nested one."""
        found = self._effects.get(op)
        if found is None:
            if isinstance(op, Call):
                found = _reaches_out(op) if op.callee is None else self._reaches_out(op.callee)
            else:
                found = any(self.has_effect(i) for block in op.blocks() for i in block.ops)
            self._effects[op] = found
        return found

    def checks(self, op: Op) -> bool:
        """Test for an operation that may raise, itself or a nested one, in place of what comes later."""
        if isinstance(op, Call):
            return bool(op.check)
        return any(self.checks(inner) for block in op.blocks() for inner in block.ops)

    def writes(self, op: Op) -> set[Node]:
        """The memory that an operation writes."""
        found = self._writes.get(op)
        if found is None:
            found = self._writes[op] = self.aliases.writes(op)
        return found

    def reads(self, op: Op) -> set[Node]:
        """The memory that an operation reads."""
        return self.aliases.reads(op)

    def binds(self, op: Op) -> set[str]:
        """The users' names that an operation binds."""
        found = self._binds.get(op)
        if found is None:
            values = list(op.results)
            for block in () if isinstance(op, Call) else op.blocks():
                for inner in blocks_of(block):
                    values += inner.params
                    values += [value for nested in inner.ops for value in nested.results]
            found = self._binds[op] = {value.name for value in values if value.name is not None}
        return found

    def _read_values(self, op: Op) -> list[Value]:
        values = list(op.operands())
        if isinstance(op, If):
            for block in op.blocks():
                values += block.yields
                for inner in block.ops:
                    values += self._read_values(inner)
        return [value for value in values if not isinstance(value, LITERALS)]


def _reaches_out(op: Call) -> bool:
    return op.callee is None and effects(op).world

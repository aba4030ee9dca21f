"""Assignments: of one value, of a call's several results, and of what blocks hand over all at once.

    x.1 = y.0, y.1 = x.0     ==>     x, y = y, x

What does not depend on the others is a statement of its own.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import gast

from s2sad.emit.bindings import name
from s2sad.emit.expressions import BINARY, Expressions
from s2sad.emit.out_of_ssa import Variables
from s2sad.emit.uses import Transfer, at_end, transfers
from s2sad.ir.kinds import Scalar
from s2sad.ir.nodes import Block, Call, Const, DerivativeName, Function, If, Straight, Undef, Value
from s2sad.ir.walk import ops_of, raises

AUGMENTED = {"add", "sub", "mul", "truediv"}
COMMUTATIVE = {"add", "mul"}
LINE = 80  # characters of targets that are assigned one value in one line


def _begins_alike(target: Value, source: Value) -> bool:
    """Test for a value that is assigned in one line with others that are the same."""
    if not isinstance(source, Const):
        return False
    return source.payload is None or type(source.payload) is float and isinstance(target.name, DerivativeName)


class Assignments:
    """Builds assignments for one function."""

    def __init__(self, function: Function, variables: Variables, expressions: Expressions) -> None:
        self.function = function
        self.variables = variables
        self.expressions = expressions
        self.names = expressions.names

    def target(self, value: Value) -> str:
        """The variable that a result is assigned to, or the name for what nobody reads."""
        return self.names[value] if self.variables.liveness.bound(value) else self.names.unused

    # --- one value

    def assign(self, value: Value, op: Call) -> gast.stmt:
        """``x = call``, or ``x += e`` where ``x`` is a number."""
        return self.augmented(value, op) or gast.Assign(
            [name(self.names[value], store=True)], self.expressions.call(op), None
        )

    def augmented(self, value: Value, op: Call) -> gast.stmt | None:
        """``x += e`` for ``x = x + e`` and ``x = e + x``."""
        operator = op.target.removeprefix("operator.")
        if operator not in AUGMENTED or not all(isinstance(v.kind, Scalar) for v in [value, *op.args]):
            return None
        mine = self.names[value]
        left, right = op.args
        if self.is_variable(right, mine) and not self.is_variable(left, mine) and operator in COMMUTATIVE:
            left, right = right, left
        if not self.is_variable(left, mine):
            return None
        return gast.AugAssign(name(mine, store=True), BINARY[operator](), self.expressions.value(right))

    def is_variable(self, value: Value, identifier: str) -> bool:
        """Identity of a value with this variable."""
        return self._variable(value) == identifier

    def _variable(self, value: Value) -> str | None:
        inline = self.variables.folding.inline
        literal = not self.variables.liveness.leaves(value) or value in inline
        return None if literal else self.names[value]

    # --- several at once

    def copies(self, transfers: list[Transfer]) -> list[gast.stmt]:
        """Assignments of what blocks hand over, all at once: those that read what others assign share one, as do adjoints that
        begin at the same number, and what is None on this path."""
        pairs: list[tuple[str, Value]] = []
        beginning: dict[str, list[tuple[str, Value]]] = {}
        for target, source in self.variables.liveness.wanted(transfers):
            if not self.is_variable(source, self.names[target]):
                pairs.append((self.names[target], source))
                if _begins_alike(target, source):
                    beginning.setdefault(str(source), []).append(pairs[-1])
        read = {variable for _, source in pairs for variable in self.read(source)}
        alike = [group for group in beginning.values() if len(group) > 1 and read.isdisjoint(target for target, _ in group)]
        if not self.variables.folding.compact:
            alike = []
        others = [pair for pair in pairs if not any(pair in group for group in alike)]
        found = [self._together(group) for group in self._dependent(others)]
        return found + [line for group in alike for line in self._alike(group)]

    def at_end(self, op: Straight, block: Block) -> list[gast.stmt]:
        """Assignments at a branch's end, if that is reached; a name that it leaves unbound is None where it is copied whatever
        the branch was."""
        if raises(block):
            return []
        pairs = at_end(op, block)
        found = self.copies(pairs)
        if isinstance(op, If):
            loose = [t for t, source in pairs if isinstance(source, Undef) and t in self.copied]
            found += self._alike([(self.names[t], Const(None)) for t in loose])
        return found

    @functools.cached_property
    def copied(self) -> set[Value]:
        """The values that are assigned from one variable to another where blocks hand them over, be it after some have passed
        them on under one name."""
        live = self.variables.liveness
        pairs = [pair for op in ops_of(self.function.body) for pair in live.wanted(list(transfers(op)))]
        assigned = [(t, s) for t, s in pairs if t not in live.inline and not self.is_variable(s, self.names[t])]
        found = {leaf for _, s in assigned for leaf in live.leaves(s)}
        passed = [(t, s) for t, s in pairs if t not in live.inline and self.is_variable(s, self.names[t])]
        count = -1
        while count != len(found):
            count = len(found)
            found.update(leaf for t, s in passed if t in found for leaf in live.leaves(s))
        return found

    def _dependent(self, pairs: list[tuple[str, Value]]) -> list[list[tuple[str, Value]]]:
        """The pairs in groups that read what they assign to each other, in order of their first member."""
        groups: list[list[tuple[str, Value]]] = []
        for pair in pairs:
            tied = [g for g in groups if any(self._depend(pair, other) for other in g)]
            merged = [other for g in tied for other in g] + [pair]
            if tied:
                groups[groups.index(tied[0])] = merged
            else:
                groups.append(merged)
            groups = [g for g in groups if g not in tied[1:]]
        return groups

    def _depend(self, a: tuple[str, Value], b: tuple[str, Value]) -> bool:
        return a[0] in self.read(b[1]) or b[0] in self.read(a[1])

    def read(self, value: Value) -> set[str]:
        """The variables that an expression reads."""
        return {self.names[leaf] for leaf in self.variables.liveness.leaves(value)}

    def _together(self, pairs: list[tuple[str, Value]]) -> gast.stmt:
        targets: list[gast.expr] = [name(target, store=True) for target, _ in pairs]
        values = self.expressions.values([source for _, source in pairs])
        if len(pairs) > 1:
            return gast.Assign([gast.Tuple(targets, gast.Store())], gast.Tuple(values, gast.Load()), None)
        return gast.Assign(targets, values[0], None)

    def _alike(self, pairs: list[tuple[str, Value]]) -> Iterator[gast.stmt]:
        """``x_bar = y_bar = 0.0``, in as many lines as that takes."""
        line: list[str] = []
        for target, value in pairs:
            if line and len(" = ".join([*line, target])) > LINE:
                yield self._chain(line, value)
                line = []
            line.append(target)
        if line:
            yield self._chain(line, pairs[0][1])

    def _chain(self, targets: list[str], value: Value) -> gast.stmt:
        return gast.Assign([name(target, store=True) for target in targets], self.expressions.value(value), None)

    def overwritten(self, copies: list[gast.stmt], value: Value) -> bool:
        """Test for assignments that change what an expression reads."""
        assigned = {
            n.id
            for copy in copies
            for n in gast.walk(copy)
            if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store)
        }
        return bool(assigned & self.read(value))

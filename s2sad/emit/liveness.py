"""Values that are alive at the same time, and so cannot share a variable.

One walk backwards over the structured program: a value that is needed at all is alive at its definition, so
a carried parameter that is needed is alive at the loop's head, and a value from outside that the loop reads
is alive throughout it; no iteration to a fixed point is needed. Two values *interfere* if one is assigned
while the other is alive.

In an adjoint most of the forward sweep is alive at once, so sets of values are bits of one integer, numbered
as the values are met: the interference of n values takes n * n / 8 bytes, and one instruction for 64 of them.
"""

from __future__ import annotations

from collections.abc import Iterable

from s2sad.emit.uses import Transfer, Uses, after_test, at_back_edge, at_end, at_entry, at_exit
from s2sad.ir.nodes import LITERALS, Block, Call, Function, Loop, Op, Straight, Undef, Value

Live = int  # a set of values: the bits of their numbers


class Liveness:
    """The interference of values that become variables; ``inline`` are those that become expressions."""

    def __init__(self, function: Function, uses: Uses, inline: dict[Value, Op]) -> None:
        self.uses = uses
        self.inline = inline
        self.alive: dict[Value, Live] = {}  # what else is alive when a value is assigned
        self._numbers: dict[Value, int] = {}
        self._leaves: dict[Value, frozenset[Value]] = {}
        self._inside: dict[Op, tuple[Live, Live]] = {}
        live = self.block(function.body, self.reads(function.body.yields))
        for value in function.values:
            self.define(value, live | self.these(function.values))

    # --- what is read

    def leaves(self, value: Value) -> frozenset[Value]:
        """The variables that the expression for a value reads."""
        if isinstance(value, LITERALS):
            return frozenset()
        op = self.inline.get(value)
        if op is None:
            return frozenset((value,))
        found = self._leaves.get(value)
        if found is None:
            read = list(op.operands())
            for block in op.blocks():
                read += block.yields
            found = self._leaves[value] = frozenset(self.variables(read))
        return found

    def variables(self, values: Iterable[Value]) -> set[Value]:
        """The variables that several expressions read."""
        return {leaf for value in values for leaf in self.leaves(value)}

    def reads(self, values: Iterable[Value]) -> Live:
        """The same, as a set of bits."""
        return self.these(leaf for value in values for leaf in self.leaves(value))

    def these(self, values: Iterable[Value]) -> Live:
        """A set of values."""
        found = 0
        for value in values:
            found |= 1 << self._numbers.setdefault(value, len(self._numbers))
        return found

    # --- interference

    def define(self, value: Value, live: Live) -> None:
        """The value is assigned while others are alive."""
        self.alive[value] = self.alive.get(value, 0) | (live & ~self.these([value]))

    def bound(self, value: Value) -> bool:
        """Test for a result of a call that is assigned to a variable."""
        return value not in self.inline and (value in self.uses.needed or value.name not in (None, "_"))

    def wanted(self, found: list[Transfer]) -> list[Transfer]:
        """The transfers that are assignments: to values that are needed, from values that exist."""
        return [(t, s) for t, s in found if t in self.uses.needed and not isinstance(s, Undef)]

    # --- the walk

    def block(self, block: Block, live: Live) -> Live:
        """The values that are alive before a block, from those that are alive behind it."""
        for op in reversed(block.ops):
            if not self.inline.keys().isdisjoint(op.results):
                continue
            if isinstance(op, Call):
                results = [value for value in op.results if self.bound(value)]
                assigned = self.these(results)
                for value in results:
                    self.define(value, live | assigned)
                live = (live & ~assigned) | self.reads(op.operands())
            elif isinstance(op, Straight):
                live = self.branches(op, live) | self.reads([op.head])
            elif isinstance(op, Loop):
                live = self.loop(op, live)
        return live

    def branches(self, op: Straight, live: Live) -> Live:
        """Each branch assigns the results at its end."""
        before: Live = 0
        results = [value for value in op.results if value in self.uses.needed]
        assigned = self.these(results)
        for value in results:
            self.define(value, live | assigned)
        for block in op.blocks():
            given = [source for _, source in self.wanted(at_end(op, block))]
            before |= self.block(block, (live & ~assigned) | self.reads(given))
        return before

    def loop(self, op: Loop, live: Live) -> Live:
        """A loop: ``head`` is what is alive whenever it decides whether there is another iteration."""
        heads, inner = self._needed(at_entry(op)), self._needed(after_test(op))
        carried, passed = self.these(heads), self.these(inner)
        left = self._leave(at_exit(op), live)
        head = left | carried | self._from_outside(op)
        for value in (*heads, *filter(self.bound, op.given)):
            self.define(value, head)
        after = self._stop(op, heads)
        given = [source for _, source in self.wanted(at_back_edge(op))]
        body = self.block(op.body, (head & ~carried) | self.reads(given) | after)
        for value in inner:
            self.define(value, body | passed)
        handed = [source for _, source in self.wanted(after_test(op))]
        for test in op.tests:
            self.block(test, left | (body & ~passed) | self.reads(handed) | self.reads(test.yields))
        self._evaluated_after_entry(op, heads)
        start = [source for _, source in self.wanted(at_entry(op))]
        return (head & ~carried) | self.reads(start) | self.reads(op.over)

    def _evaluated_after_entry(self, op: Loop, carried: list[Value]) -> None:
        """What it runs over is evaluated after the initial assignments, which must not overwrite what that reads."""
        start = dict(at_entry(op))
        for leaf in (leaf for value in op.over for leaf in self.leaves(value)):
            self.define(leaf, self.these(value for value in carried if start[value] is not leaf))

    def _needed(self, found: list[Transfer]) -> list[Value]:
        """The receiving values that are read in the end."""
        return [target for target, _ in found if target in self.uses.needed]

    def _leave(self, found: list[Transfer], live: Live) -> Live:
        """The values that are alive at a loop's exit; its results are assigned there."""
        results = self._needed(found)
        assigned = self.these(results)
        for value in results:
            self.define(value, live | assigned)
        return (live & ~assigned) | self.these(source for _, source in self.wanted(found))

    def _stop(self, op: Loop, carried: list[Value]) -> Live:
        """The flag on which a loop ends is read after the assignments for the next iteration."""
        if not op.breaks:
            return 0
        flags = self.leaves(op.body.yields[0])
        given = dict(at_back_edge(op))
        for flag in flags:
            self.define(flag, self.these(value for value in carried if given[value] is not flag))
        return self.these(flags)

    def _from_outside(self, op: Loop) -> Live:
        """The variables from outside that a loop reads."""
        read, defined = self.inside(op)
        return read & ~defined

    def inside(self, op: Op) -> tuple[Live, Live]:
        """The values that the blocks of a region read, and define, nested regions included."""
        found = self._inside.get(op)
        if found is None:
            read: Live = 0
            defined: Live = 0
            for block in op.blocks():
                defined |= self.these(block.params)
                read |= self._end_reads(op, block)
                for inner in block.ops:
                    if not self.inline.keys().isdisjoint(inner.results):
                        continue
                    defined |= self.these(inner.results)
                    read |= self._own_reads(inner)
                    if inner.blocks():
                        deeper_read, deeper_defined = self.inside(inner)
                        read |= deeper_read
                        defined |= deeper_defined
            found = self._inside[op] = (read, defined)
        return found

    def _own_reads(self, op: Op) -> Live:
        if isinstance(op, Loop):
            return self.reads(op.over) | self.reads(s for _, s in self.wanted(at_entry(op)))
        return self.reads(op.operands())

    def _end_reads(self, op: Op, block: Block) -> Live:
        if isinstance(op, Straight):
            return self.reads(s for _, s in self.wanted(at_end(op, block)))
        assert isinstance(op, Loop)
        if block in op.tests:
            return self.reads(block.yields)
        flag = self.reads(block.yields[:1]) if op.breaks else 0
        return flag | self.reads(s for _, s in self.wanted(at_back_edge(op)))

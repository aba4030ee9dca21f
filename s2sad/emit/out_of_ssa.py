"""Values become variables: those that are handed over between blocks share one where they can.

    for i in range(n) carrying (x.1 = x.0):            for i in range(n):
      x.2 = operator.mul(x.1, 2.0)             ==>         x = x * 2.0
      yield x.2

Values are merged greedily, innermost loops first, if none of one group is assigned while one of the other
is alive (``liveness``), and if the user did not give them different names. What remains apart is copied. At
the end of an iteration, a value that only its copy reads is computed there: ``a, b = b, a + b``.
"""

from __future__ import annotations

from s2sad.emit.folding import Folding
from s2sad.emit.liveness import Live, Liveness
from s2sad.emit.uses import Transfer, Uses, after_test, at_back_edge, at_end, at_entry, at_exit
from s2sad.ir.nodes import LITERALS, Block, Call, Function, Loop, Op, Straight, Value


class Variables:
    """Groups of values that share a variable."""

    def __init__(self, function: Function, uses: Uses, folding: Folding) -> None:
        self.uses = uses
        self.folding = folding
        self.liveness = Liveness(function, uses, folding.inline)
        self.parents: dict[Value, Value] = {}
        self.members: dict[Value, Live] = {}
        self.names: dict[Value, str | None] = {}
        self.alive = dict(self.liveness.alive)  # by representative: what is alive when one of the group is assigned
        for transfer in self._candidates(function.body):
            self._merge(*transfer)
        if folding.compact:
            self._compute_in_place(function.body)

    # --- groups

    def find(self, value: Value) -> Value:
        """The representative of a value's group."""
        found = value
        while found in self.parents:
            found = self.parents[found]
        while value is not found:  # who asks next comes there in one step
            self.parents[value], value = found, self.parents[value]
        return found

    def group(self, value: Value) -> Live:
        """All values of a group, by its representative."""
        return self.members.get(value) or self.liveness.these([value])

    def name(self, value: Value) -> str | None:
        """The user's name of a group, by its representative."""
        return self.names.get(value, value.name)

    def clash(self, a: Value, b: Value) -> bool:
        """Conflict of two groups, by their representatives, which cannot share a variable then."""
        return bool(self.alive.get(a, 0) & self.group(b) or self.alive.get(b, 0) & self.group(a))

    def _merge(self, target: Value, source: Value) -> None:
        a, b = self.find(target), self.find(source)
        name = self.name(a) or self.name(b)
        if a is b or name != (self.name(b) or name) or self.clash(a, b):
            return
        self.members[a] = self.group(a) | self.group(b)
        self.alive[a] = self.alive.get(a, 0) | self.alive.get(b, 0)
        self.names[a] = name
        self.parents[b] = a

    # --- candidates

    def _candidates(self, body: Block) -> list[Transfer]:
        """The pairs of values that might share a variable, the most worthwhile first."""
        found: list[tuple[int, int, Transfer]] = []
        self._collect(body, 0, found)
        found.sort(key=lambda item: item[:2])
        pairs = [pair for _, _, pair in found]
        same = [(t, s) for t, s in pairs if t.name == s.name]
        return same + [(t, s) for t, s in pairs if t.name != s.name]

    def _collect(self, block: Block, depth: int, found: list[tuple[int, int, Transfer]]) -> None:
        def enter(transfers: list[Transfer], at_depth: int, rank: int) -> None:
            for target, source in transfers:
                if (
                    target in self.uses.needed
                    and not isinstance(source, LITERALS)
                    and source not in self.folding.inline
                ):
                    found.append((-at_depth, rank, (target, source)))

        for op in block.ops:
            if not self.folding.inline.keys().isdisjoint(op.results):
                continue
            inner_depth = depth + isinstance(op, Loop)
            if isinstance(op, Loop):
                enter(after_test(op), inner_depth, 0)
                enter(at_back_edge(op), inner_depth, 0)
                enter(at_exit(op), depth, 1)
                enter(at_entry(op), depth, 3)
            elif isinstance(op, Straight):
                for inner in op.blocks():
                    enter(at_end(op, inner), depth, 2)
            for inner in op.blocks():
                self._collect(inner, inner_depth, found)

    # --- copies that compute

    def _compute_in_place(self, block: Block) -> None:
        for op in block.ops:
            for inner in op.blocks():
                self._compute_in_place(inner)
            if isinstance(op, Loop) and not op.breaks:
                self._fold_into_copies(op)

    def _fold_into_copies(self, op: Loop) -> None:
        """Move the last operations of a body into the copies that end it, if these alone read the results."""
        passed: list[Value] = []
        targets = {source: target for target, source in self.liveness.wanted(at_back_edge(op))}
        for inner in reversed(op.body.ops):
            if not self.folding.inline.keys().isdisjoint(inner.results):
                continue
            if not isinstance(inner, Call) or not self.folding.motion.is_pure(inner):
                return
            value = inner.result
            target = targets.get(value)
            if target is not None and self._only_copied(inner, target, passed):
                self.folding.inline[value] = inner
                for leaf in self.liveness.variables(inner.operands()):
                    self._separate(leaf, passed)
            else:
                passed.append(value)

    def _only_copied(self, op: Call, target: Value, passed: list[Value]) -> bool:
        value = op.result
        if len(self.uses.of.get(value, [])) != 1 or value.name not in (None, target.name):
            return False
        if self.find(value) is self.find(target):
            return False
        overwritten = {self.find(other) for other in passed}
        return not any(self.find(leaf) in overwritten for leaf in self.liveness.variables(op.operands()))

    def _separate(self, value: Value, others: list[Value]) -> None:
        """Keep a value apart from the variables of others, though they were not alive together before."""
        group = self.find(value)
        self.alive[group] = self.alive.get(group, 0) | self.liveness.these(others)


def statements_of(block: Block, inline: dict[Value, Op]) -> list[Op]:
    """The operations of a block that are statements of their own."""
    return [op for op in block.ops if inline.keys().isdisjoint(op.results)]

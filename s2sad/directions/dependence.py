"""The part of a derivative program that depends on its seeds, and so exists once for each direction; all else is computed once.

    y_dot = np.zeros_like(y)            y_dot depends: what is stored into it does
    y_dot[1:] = x_dot[1:] * c           x_dot is the seed, c does not depend
    n = len(x_dot)                      does not depend: only the shape is looked at

Dependence goes from operands to results, through control flow and calls, and into the memory that is stored into: all
references into one buffer depend, or none. Facts only rise, and functions are looked at again until nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from s2sad.analysis.alias import Aliases, Node
from s2sad.analysis.views import holds_references
from s2sad.ir.kinds import Kind, List, is_differentiable
from s2sad.ir.nodes import LITERALS, Call, Function, Loop, Op, Straight, Value
from s2sad.ir.walk import ops_of
from s2sad.rules.effects import effects

# What makes zeros of the shape of something: of one that depends on the direction, there are as many.
MAKERS = {"numpy.zeros_like", "numpy.ones_like", "numpy.empty_like", "s2sad.runtime.zeros", "s2sad.runtime.buffer_for"}
@dataclass(eq=False)
class Summaries:
    """Knowledge of called functions: by function and the positions of the arguments that depend, the positions of the
    parameters and of the results that do, and of those of which the size may do so."""

    known: dict[tuple[Function, frozenset[int]], tuple[frozenset[int], ...]] = field(default_factory=dict)
    facts: dict[tuple[Function, frozenset[int]], Dependence] = field(default_factory=dict)
    risen: bool = False
    make: type[Dependence] | None = None

    def of(self, function: Function, positions: frozenset[int]) -> tuple[frozenset[int], ...]:
        """The parameters and results that depend if these arguments do, and those of which the size may."""
        key = (function, positions)
        known = self.known.setdefault(key, (positions, frozenset(), frozenset(), frozenset()))
        if key not in self.facts:
            facts = self.facts[key] = (self.make or Dependence)(function, [function.values[k] for k in positions], self)
            facts.find()
            found = tuple(
                frozenset(k for k, v in enumerate(values) if holds(v))
                for holds in (facts.has, facts.is_resized)
                for values in (function.values, function.body.yields)
            )
            if found != known:
                self.known[key] = known = found
                self.risen = True
        return known

    def settle(self, function: Function, positions: frozenset[int]) -> None:
        """Find the facts of a function and of all that it calls."""
        while True:
            self.risen = False
            self.facts.clear()
            self.of(function, positions)
            if not self.risen:
                return


class Dependence:
    """The values of one function that depend on these of its parameters."""

    def __init__(self, function: Function, seeds: Iterable[Value], summaries: Summaries) -> None:
        self.function = function
        self.summaries = summaries
        self.aliases = Aliases(function)
        self.values: set[Value] = set()
        self.resized: set[Value] = set()
        self.nodes: set[Node] = set()
        self.changed = False
        for seed in seeds:
            self.mark(seed)

    def has(self, value: Value) -> bool:
        """Dependence of a value on the direction."""
        if value in self.values:
            return True
        refers = bool(self.nodes) and holds_references(value) and not isinstance(value, LITERALS)
        return refers and self.aliases.node(value) in self.nodes

    def is_resized(self, value: Value) -> bool:
        """Dependence also of the size, where that is asked for."""
        return value in self.resized

    def mark(self, value: Value) -> None:
        """The value depends, and so does all memory that it refers to."""
        if self.has(value) or isinstance(value, LITERALS) or not self.carries(value.kind):
            return
        self.changed = True
        self.values.add(value)
        if holds_references(value):
            self.nodes |= self._memory(value)

    def carries(self, kind: Kind) -> bool:
        """Ability of values of this kind to depend."""
        return is_differentiable(kind)

    def looks(self, op: Call) -> list[Value]:
        """The arguments of which only the shape counts."""
        return looked_at(op)

    def _memory(self, value: Value) -> set[Node]:
        """The classes behind a value whose members must agree: those that are written, and lists."""
        if isinstance(value, LITERALS) or not holds_references(value):
            return set()
        own = self.aliases.node(value)
        found = self.aliases.reach(own) & self.aliases.written
        return found | {own} if isinstance(value.kind, List) else found

    def find(self) -> None:
        """Go over the function until nothing changes."""
        self.changed = True
        while self.changed:
            self.changed = False
            for op in ops_of(self.function.body):
                self._visit(op)

    def _visit(self, op: Op) -> None:
        if isinstance(op, Call):
            if op.callee is not None:
                self._call(op, op.callee)
            else:
                self._primitive(op)
            return
        for group in flows(op):
            if any(map(self.has, group)):
                for value in group if any(map(self._memory, group)) else group[: bound(op)]:
                    self.mark(value)
        for param in op.given if isinstance(op, Loop) and any(map(self.has, op.over)) else ():
            self.mark(param)

    def _call(self, op: Call, callee: Function) -> None:
        positions = frozenset(k for k, arg in enumerate(op.args) if self.has(arg))
        if not positions:
            return
        params, results, *_ = self.summaries.of(callee, positions)
        for k in params:
            self.mark(op.args[k])
        for k in results:
            self.mark(op.results[k])

    def _primitive(self, op: Call) -> None:
        done = effects(op)
        looks = self.looks(op)
        targets = [*op.results, *done.writes, *done.changes]
        if any(self.has(v) for v in op.operands() if v not in looks):
            for value in targets:
                self.mark(value)
        held = [(share.value, r) for share in done.shares if share.how in ("item", "part", "holds") for r in op.results]
        for item, container in [*held, *done.puts]:
            if self.has(container) and self._memory(item):
                self.mark(item)


def looked_at(op: Call) -> list[Value]:
    """The arguments of a primitive of which it reads but the shape; what it makes of that shape may depend all the same."""
    return [] if op.target in MAKERS else list(effects(op).looks)


def bound(op: Op) -> int:
    """The number of values of a group of ``flows`` that the operation itself binds; the others are computed elsewhere."""
    return 2 + len(op.tests) if isinstance(op, Loop) else 1


def flows(op: Op) -> Iterator[list[Value]]:
    """The values that control flow makes one: first those that the operation binds."""
    if isinstance(op, Straight):
        yield from map(list, zip(op.results, *(block.yields for block in op.blocks()), strict=True))
    elif isinstance(op, Loop):
        tests = (block.params for block in op.tests)
        yield from map(list, zip(op.results, op.carried, *tests, op.init, op.carried_yields, strict=True))

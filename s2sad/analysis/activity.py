"""Activity: which values are *varied* (depend on an input of interest) and *useful* (an output depends on them).

Only values that are both are differentiated, and nothing else is recorded (Griewank & Walther, "Evaluating
Derivatives", 2nd ed., section 6.2; Hascoet, Naumann, Pascual 2005). Values are tracked one by one; memory that is
written, and lists, by alias class, since a store changes what every reference into it sees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from s2sad.analysis.alias import Aliases, Node
from s2sad.analysis.views import holds_references
from s2sad.ir.kinds import Array, List, Scalar, may_come_to_carry
from s2sad.ir.nodes import LITERALS, Block, Call, Function, Loop, Op, Straight, Value
from s2sad.ir.walk import blocks_of
from s2sad.rules import registry
from s2sad.rules.containers import GIVING, TAKING, move_of
from s2sad.rules.effects import effects
from s2sad.rules.language import Nothing


class Activity:
    """The active values and classes of a function, for given inputs and outputs.

    ``held``: outputs into which the caller may write what is varied; ``inert``: values through which no derivative passes.
    """

    def __init__(
        self,
        function: Function,
        aliases: Aliases,
        inputs: Iterable[Value],
        outputs: Iterable[Value],
        held: Iterable[Value] = (),
        inert: Iterable[Value] = (),
    ) -> None:
        self.function = function
        self.aliases = aliases
        self.varied: set[Value | Node] = set()
        self.useful: set[Value | Node] = set()
        self._writes: dict[Op, set[Node]] = {}
        self._late = set(_late_values(function.body))
        self._again = False
        self._inert = {*inert}
        for value in inputs:
            self._mark(self.varied, value)
        for value in held:
            self._mark(self.varied, value)
            if holds_references(value) and not isinstance(value, LITERALS):
                self.varied |= aliases.reach(aliases.node(value))
        self._until_settled(self._forward)
        for value in outputs:
            self._need(value)
        self._until_settled(self._backward)

    def _until_settled(self, walk: Callable[[Block], None]) -> None:
        """Walk over the function, again as long as something was marked that operations behind may ask for.

        That is memory, and late values: all others are marked before they are asked for, as they are bound before they are used.
        """
        self._again = True
        while self._again:
            self._again = False
            walk(self.function.body)

    def active(self, value: Value) -> bool:
        """Test for a value that carries a derivative that matters."""
        if isinstance(value, LITERALS) or not may_come_to_carry(value.kind):
            return False
        return self.is_varied(value) and self._key(value) in self.useful

    def is_varied(self, value: Value) -> bool:
        """Dependence of the value, or of memory that it holds, on an input of interest."""
        return self._key(value) in self.varied or not self.varied.isdisjoint(self._held(value))

    def _held(self, value: Value) -> set[Node]:
        """The classes of what a container holds that are written: others may write into them, through other references."""
        if isinstance(value.kind, Array | Scalar) or isinstance(value, LITERALS) or not holds_references(value):
            return set()  # what is of unknown kind may be a container
        node = self.aliases.node(value)
        return (self.aliases.reach(node) - {node}) & self.aliases.written if node.fields else set()

    def is_useful(self, value: Value) -> bool:
        """Dependence of a result on the value."""
        return self._key(value) in self.useful

    def _key(self, value: Value) -> Value | Node:
        if not holds_references(value):
            return value
        shared = isinstance(value.kind, List) or self.aliases.mutable(value)
        return self.aliases.node(value) if shared else value

    def _mark(self, marked: set[Value | Node], value: Value) -> None:
        if isinstance(value, LITERALS) or not may_come_to_carry(value.kind):
            return
        key = self._key(value)
        if key not in marked:
            marked.add(key)
            self._again |= key is not value or key in self._late

    def _mark_memory(self, marked: set[Value | Node], nodes: set[Node]) -> None:
        if not marked.issuperset(nodes):
            marked |= nodes
            self._again = True

    def _need(self, value: Value) -> None:
        """Mark a value, and what it holds, as useful."""
        self._mark(self.useful, value)
        self._mark_memory(self.useful, self._held(value))

    def _written(self, op: Op) -> set[Node]:
        """The classes that a call writes: those behind an argument, and of what it holds, as far as they are changed."""
        if op not in self._writes:
            self._writes[op] = self.aliases.own_writes(op)
        return self._writes[op]

    def _containing(self, op: Op, written: set[Node]) -> list[Value]:
        """The operands through which a call reaches what it writes."""
        found = (v for v in op.operands() if holds_references(v) and not isinstance(v, LITERALS))
        return [v for v in found if self.aliases.reach(self.aliases.node(v)) & written]

    def _forward(self, block: Block) -> None:
        for op in block.ops:
            for inner in op.blocks():
                self._forward(inner)
            for source, target in flows(op):
                if self.is_varied(source) and target not in self._inert:
                    self._mark(self.varied, target)
            written = self._written(op)
            if not written <= self.varied and any(map(self.is_varied, _sources(op))):
                self._mark_memory(self.varied, written)

    def _backward(self, block: Block) -> None:
        for op in reversed(block.ops):
            for source, target in flows(op):
                if self._key(target) in self.useful:
                    self._need(source)
            if not self.useful.isdisjoint(written := self._written(op)):
                for value in [*_sources(op), *self._containing(op, written)]:
                    self._need(value)
            for inner in op.blocks():
                self._backward(inner)


def _late_values(body: Block) -> Iterator[Value]:
    """The values that flow into ones that are bound already: those that loops carry, and the targets of stores."""
    for block in blocks_of(body):
        if block is not body:
            yield from block.params
        for op in block.ops:
            move = move_of(op)
            if isinstance(op, Call) and move is not None and move.does in TAKING:
                yield move.within(op)


def _sources(op: Op) -> list[Value]:
    """The values that flow into the memory that a call writes."""
    if not isinstance(op, Call):
        return []
    move = move_of(op)
    return move.put(op) if move is not None and move.does in TAKING else list(op.operands())


def flows(op: Op) -> Iterator[tuple[Value, Value]]:
    """The pairs (source, target) along which derivatives flow through one operation."""
    if isinstance(op, Call):
        yield from _call_flows(op)
    elif isinstance(op, Straight):
        for result, *ends in zip(op.results, *(block.yields for block in op.blocks()), strict=True):
            for end in ends:
                yield end, result
    elif isinstance(op, Loop):
        for result, init, param, end in zip(op.results, op.init, op.carried, op.carried_yields, strict=True):
            yield init, param
            yield end, param
            yield init, result
            yield end, result


def _call_flows(op: Call) -> Iterator[tuple[Value, Value]]:
    move = move_of(op)
    if move is not None and move.does in TAKING:
        yield from ((value, move.within(op)) for value in move.put(op))
        return
    if op.callee is None:
        primitive = registry.lookup(op.target)
        if primitive is not None and isinstance(primitive.derivative, Nothing):
            return
        if op.target in ("s2sad.hooked", "s2sad.runtime.added_items"):
            yield op.args[0], op.result
            return
        if move is not None and move.does in GIVING:
            given = [move.within(op), *(op.args[k] for k in (move.default,) if k is not None and k < len(op.args))]
            yield from ((source, result) for result in op.results for source in given)
            return
    looked_at = effects(op).looks if op.callee is None else ()
    for source in op.operands():
        if not any(source is value for value in looked_at):  # shapes and dtypes carry no derivative
            for result in op.results:
                yield source, result

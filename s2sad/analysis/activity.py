"""Activity: which values are *varied* (depend on an input of interest) and *useful* (an output depends on them).

Only values that are both are differentiated, and nothing else is recorded (Griewank & Walther, "Evaluating
Derivatives", 2nd ed., section 6.2; Hascoet, Naumann, Pascual 2005). Values are tracked one by one; memory that is
written, and lists, by alias class, since a store changes what every reference into it sees.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from s2sad.analysis.alias import Aliases, Node
from s2sad.analysis.views import holds_references
from s2sad.ir.kinds import List, StructKind, Tuple, is_differentiable
from s2sad.ir.nodes import LITERALS, Block, Call, For, Function, If, Op, Value, While, With
from s2sad.rules import registry
from s2sad.rules.effects import effects
from s2sad.rules.language import Nothing

# Memory operations: the arguments that flow into the memory behind the first one.
STORES = {"operator.setitem": (2,), "s2sad.additem": (2,), "s2sad.subitem": (2,), "numpy.add.at": (2,),
          "numpy.subtract.at": (2,), "list.append": (1,), "list.insert": (2,),
          "s2sad.runtime.add_items": (2,), "s2sad.runtime.add_into_items": (2,), "s2sad.runtime.put_back": (2,)}  # fmt: skip


class Activity:
    """The active values and classes of a function, for given inputs and outputs.

    ``held``: outputs into which the caller may write what is varied.
    """

    def __init__(
        self,
        function: Function,
        aliases: Aliases,
        inputs: Iterable[Value],
        outputs: Iterable[Value],
        held: Iterable[Value] = (),
    ) -> None:
        self.function = function
        self.aliases = aliases
        self.varied: set[Value | Node] = set()
        self.useful: set[Value | Node] = set()
        self._writes: dict[Op, set[Node]] = {}
        for value in inputs:
            self._mark(self.varied, value)
        for value in held:
            self._mark(self.varied, value)
            if holds_references(value) and not isinstance(value, LITERALS):
                self.varied |= aliases.reach(aliases.node(value))
        while self._forward(function.body):
            pass
        for value in outputs:
            self._need(value)
        while self._backward(function.body):
            pass

    def active(self, value: Value) -> bool:
        """Whether the value carries a derivative that matters."""
        if isinstance(value, LITERALS) or not is_differentiable(value.kind):
            return False
        return self.is_varied(value) and self._key(value) in self.useful

    def is_varied(self, value: Value) -> bool:
        """Whether the value, or memory that it holds, depends on an input of interest."""
        return self._key(value) in self.varied or not self.varied.isdisjoint(self._held(value))

    def _held(self, value: Value) -> set[Node]:
        """The classes of what a container holds that are written: others may write into them, through other references."""
        if not isinstance(value.kind, List | Tuple | StructKind) or isinstance(value, LITERALS) or not holds_references(value):
            return set()
        node = self.aliases.node(value)
        return (self.aliases.reach(node) - {node}) & self.aliases.written if node.fields else set()

    def is_useful(self, value: Value) -> bool:
        """Whether a result depends on the value."""
        return self._key(value) in self.useful

    def _key(self, value: Value) -> Value | Node:
        shared = isinstance(value.kind, List) or self.aliases.mutable(value)
        return self.aliases.node(value) if shared and holds_references(value) else value

    def _mark(self, marked: set[Value | Node], value: Value) -> bool:
        if isinstance(value, LITERALS) or not is_differentiable(value.kind):
            return False
        key = self._key(value)
        if key in marked:
            return False
        marked.add(key)
        return True

    def _need(self, value: Value) -> bool:
        """Mark a value, and what it holds, as useful."""
        changed = self._mark(self.useful, value)
        if not self.useful.issuperset(held := self._held(value)):
            self.useful |= held
            changed = True
        return changed

    def _written(self, op: Op) -> set[Node]:
        """The classes that a call writes: those behind an argument, and of what it holds, as far as they are changed."""
        if op not in self._writes:
            self._writes[op] = self.aliases.own_writes(op)
        return self._writes[op]

    def _containing(self, op: Op, written: set[Node]) -> list[Value]:
        """The operands through which a call reaches what it writes."""
        found = (v for v in op.operands() if holds_references(v) and not isinstance(v, LITERALS))
        return [v for v in found if self.aliases.reach(self.aliases.node(v)) & written]

    def _forward(self, block: Block) -> bool:
        changed = False
        for op in block.ops:
            for inner in op.blocks():
                changed |= self._forward(inner)
            for source, target in flows(op):
                if self.is_varied(source):
                    changed |= self._mark(self.varied, target)
            written = self._written(op)
            if not written <= self.varied and any(map(self.is_varied, _sources(op))):
                self.varied |= written
                changed = True
        return changed

    def _backward(self, block: Block) -> bool:
        changed = False
        for op in reversed(block.ops):
            for source, target in flows(op):
                if self._key(target) in self.useful:
                    changed |= self._need(source)
            if not self.useful.isdisjoint(written := self._written(op)):
                for value in [*_sources(op), *self._containing(op, written)]:
                    changed |= self._need(value)
            for inner in op.blocks():
                changed |= self._backward(inner)
        return changed


def _sources(op: Op) -> list[Value]:
    """What flows into the memory that a call writes."""
    if not isinstance(op, Call):
        return []
    if op.target in STORES and op.callee is None:
        return [op.args[position] for position in STORES[op.target]]
    return list(op.operands())


def flows(op: Op) -> Iterator[tuple[Value, Value]]:
    """The pairs (source, target) along which derivatives flow through one operation."""
    if isinstance(op, Call):
        yield from _call_flows(op)
    elif isinstance(op, If):
        for result, a, b in zip(op.results, op.then.yields, op.orelse.yields, strict=True):
            yield a, result
            yield b, result
    elif isinstance(op, For | While):
        for result, init, param, end in zip(op.results, op.init, op.carried, op.carried_yields, strict=True):
            yield init, param
            yield end, param
            yield init, result
            yield end, result
    elif isinstance(op, With):
        for result, end in zip(op.results, op.body.yields, strict=True):
            yield end, result


def _call_flows(op: Call) -> Iterator[tuple[Value, Value]]:
    if op.target in STORES and op.callee is None:
        for position in STORES[op.target]:
            yield op.args[position], op.args[0]
        return
    if op.callee is None:
        primitive = registry.lookup(op.target)
        if primitive is not None and isinstance(primitive.derivative, Nothing):
            return
        if op.target in ("operator.getitem", "list.pop", "dict.pop", "dict.get", "s2sad.hooked", "s2sad.runtime.added_items"):
            yield op.args[0], op.result
            return
    looked_at = effects(op).looks if op.callee is None else ()
    for source in op.operands():
        if not any(source is value for value in looked_at):  # shapes and dtypes carry no derivative
            for result in op.results:
                yield source, result

"""Kinds of values that may be None: where a function refuses None, they are known to be what else they may be.

    previous = None                                    None, or an array of float64 with one axis
    for x in xs:
        if previous is not None:
            total += np.sum((x - previous) ** 2)       x - previous.2, which is that array: the other name of previous here
        previous = x

Of None and something else kinds have nothing in common, so that such values are unknown, and all that is made of them: what table
entries are before they are filled, the best so far, the state before the first step. Here each of them has the kinds that come to
it, by all ways, without None. What is computed with it is of the kind that follows; a use that raises for None is given it under
a name of its own, of that kind. The items of containers are those that are put into any that may be the same, or hold the same.

One goes round until nothing is new. What comes from outside, or from calls of functions, is as unknown as before.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from typing import Any

from s2sad.analysis.alias import Aliases, Node
from s2sad.analysis.containers import ITEM, pours, where_in
from s2sad.ir.kinds import BOTTOM, NONE, UNKNOWN, Array, DictOf, Kind, List, Scalar, is_head, join, symbols_of
from s2sad.ir.nodes import (
    AS_NUMBER,
    LITERALS,
    SAME,
    Block,
    Call,
    Const,
    For,
    Function,
    Loop,
    Op,
    Straight,
    Undef,
    Value,
)
from s2sad.ir.walk import ops_of, raises, substitute
from s2sad.rules import registry
from s2sad.rules.containers import ADDS, EACH, GIVING, MAKES, TAKING, Move, move_of
from s2sad.rules.effects import effects
from s2sad.rules.traits import having


@dataclass(frozen=True, slots=True)
class Fact:
    """The kind that a value has where it is not None, and whether it may be that."""

    kind: Kind
    none: bool = False

    def __or__(self, other: Fact) -> Fact:
        """The fact about either."""
        return Fact(_lasting(join(self.kind, other.kind)), self.none or other.none)

    @property
    def told(self) -> bool:
        """Test for a kind that tells something."""
        return isinstance(self.kind, Scalar | Array)


NUMBER = Scalar(types=frozenset(itertools.product(("float64", "int64"), (True, False))))  # that has been looked at
NOTHING = Fact(BOTTOM)  # nothing has come by yet
ANYTHING = Fact(UNKNOWN, True)


def tell_beside_none(function: Function) -> None:
    """Tell the kinds of what may be None, in place."""
    ops = ops_of(function.body)
    if any(v.kind == UNKNOWN for op in ops for v in op.results) and any(map(_has_none, ops)):
        tell_kinds(function)


def tell_kinds(function: Function, numbers: Set[Value] = frozenset()) -> None:
    """Tell kinds that follow from others, in place; ``numbers``: those that are looked at, and are numbers behind that."""
    found = _Facts(function, numbers)
    _Names(found).block(function.body, {})


def _has_none(op: Op) -> bool:
    """Test for an operation that is given None, or may give it."""
    given = [*op.operands(), *(v for block in op.blocks() for v in block.yields)]
    move = move_of(op)
    return any(v.kind == NONE and isinstance(v, Const) for v in given) and not (isinstance(op, Call) and op.target in ASKS) or (
        move is not None and move.default is not None
    )


ASKS = ("operator.is_", "operator.is_not", "builtins.slice")


class _Facts:
    """What is known of the values of a function, and of what stands in containers."""

    def __init__(self, function: Function, numbers: Set[Value]) -> None:
        self.aliases = Aliases(function, split=True)
        self.numbers = numbers
        self.table: dict[Value, Fact] = {}
        self.items: dict[Node, Fact] = {}
        self.changed = True
        ops = ops_of(function.body)
        self.own = {v for op in ops for v in (*op.results, *(v for block in op.blocks() for v in block.params))}
        outside = [*function.values, *self.aliases.named.values()]
        for value in outside:
            self.spoil(self.aliases.reach(self.aliases.node(value)))
        while self.changed:
            self.changed = False
            self.block(function.body)

    def of(self, value: Value) -> Fact:
        """The fact about a value."""
        if value.kind in (NONE, BOTTOM) or isinstance(value, Undef):
            return Fact(BOTTOM, True)
        if value.kind != UNKNOWN:
            return Fact(_lasting(value.kind)) if isinstance(value.kind, Scalar | Array) else Fact(UNKNOWN)
        return ANYTHING if isinstance(value, LITERALS) else self.table.get(value, NOTHING if value in self.own else ANYTHING)

    def note(self, value: Value, fact: Fact) -> None:
        """Note a fact about a value of unknown kind."""
        if value.kind == UNKNOWN:
            old = self.table.get(value, NOTHING)
            new = old | fact
            self.changed |= new != old
            self.table[value] = new

    # --- containers

    def place(self, container: Value, index: Value | None, attribute: bool = False) -> Node:
        """What stands somewhere in a container."""
        return self.aliases.field(container, where_in(container, index, attribute))

    def put(self, node: Node, fact: Fact) -> None:
        """Note what stands somewhere."""
        node = node.find()
        old = self.items.get(node, NOTHING)
        new = old | fact
        self.changed |= new != old
        self.items[node] = new

    def spoil(self, nodes: Iterable[Node]) -> None:
        """Note that nobody knows what stands in containers."""
        for node in list(nodes):
            for inner in list(node.find().fields.values()):
                if self.items.get(inner.find()) != ANYTHING:
                    self.put(inner, ANYTHING)

    def given(self, op: Call, move: Move) -> Fact:
        """What stands at a place."""
        container = move.within(op)
        if isinstance(container, LITERALS) or isinstance(container.kind, DictOf) and container.kind.sort is not None:
            return ANYTHING
        if container.kind == UNKNOWN or isinstance(container.kind, Array):
            return self.computed(op)
        if move.place == EACH or not container.kind.container:
            return ANYTHING
        found = self.items.get(self.place(container, move.at(op), op.target == "s2sad.attribute").find(), NOTHING)
        if move.default is None:
            return found
        return found | (self.of(op.args[move.default]) if move.default < len(op.args) else Fact(BOTTOM, True))

    def taken(self, op: Call, move: Move) -> None:
        """Note what is put into a container."""
        container = move.within(op)
        if isinstance(container, LITERALS) or isinstance(container.kind, Array):
            return
        if move.does == MAKES:
            keys = container.kind.keys
            items = move.put(op)
            for key, item in zip(keys if len(keys) == len(items) else [ITEM] * len(items), items, strict=True):
                self.put(self.aliases.field(container, key), self.of(item))
        elif not container.kind.container:
            self.spoil([self.aliases.node(container)])
        elif pours(op):
            source = move.put(op)[0]
            if not (isinstance(source.kind, List) and not isinstance(source, LITERALS)):
                self.spoil([self.aliases.node(container)])
        else:
            place, fact = self.place(container, move.at(op), op.target == "s2sad.setattr"), self.of(move.put(op)[0])
            self.put(place, self.sum(self.items.get(place.find(), NOTHING), fact) if move.does == ADDS else fact)

    def sum(self, old: Fact, added: Fact) -> Fact:
        """The fact about what was somewhere, with something added to it."""
        if BOTTOM in (old.kind, added.kind):
            return NOTHING
        kind = registry.infer(Call(target="operator.add", args=[Value(old.kind), Value(added.kind)]))
        return Fact(_lasting(kind)) if isinstance(kind, Scalar | Array) else ANYTHING

    def others(self, op: Call) -> None:
        """What else may come into containers: by functions, and by operations that nobody has told of."""
        if op.callee is not None:
            self.spoil(self.aliases.own_writes(op))
            self.spoil(node for r in op.results for node in self.aliases.reach(self.aliases.node(r)))
            return
        does, move = effects(op), move_of(op)
        if move is not None and move.does in (*TAKING, MAKES, *GIVING):
            return
        self.spoil(self.aliases.node(v) for v in (*does.writes, *does.changes) if not isinstance(v, LITERALS))
        handed_on = does.certain and all(share.how in ("part", "same", "item") for share in does.shares)
        known = handed_on and all(share.value.kind.container and not isinstance(share.value, LITERALS) for share in does.shares)
        for result in op.results:
            if not known and (result.kind.container or result.kind == UNKNOWN):
                self.spoil(self.aliases.reach(self.aliases.node(result)))

    # --- the walk

    def block(self, block: Block) -> None:
        """Go through a block."""
        for op in block.ops:
            if isinstance(op, Call):
                self.call(op)
                continue
            for inner in op.blocks():
                self.block(inner)
            if isinstance(op, Loop):
                self.loop(op)
            elif isinstance(op, Straight):
                ends = [inner.yields for inner in op.blocks() if not raises(inner)]
                for k, result in enumerate(op.results):
                    for end in ends:
                        self.note(result, self.of(end[k]))

    def loop(self, op: Loop) -> None:
        """What a loop carries."""
        if isinstance(op, For) and op.body.params:
            self.note(op.body.params[0], ANYTHING)
        params = [op.carried, *(test.params for test in op.tests), op.results]
        for k, (start, end) in enumerate(zip(op.init, op.carried_yields, strict=False)):
            for values in params:
                self.note(values[k], self.of(start))
                self.note(values[k], self.of(end))
        for result in op.results[len(op.init) :]:
            self.note(result, ANYTHING)

    def call(self, op: Call) -> None:
        """Note what a call gives, and what it puts into containers."""
        self.others(op)
        if op.callee is not None:
            for result in op.results:
                self.note(result, ANYTHING)
            return
        move = move_of(op)
        if move is not None and move.does in (*TAKING, MAKES):
            self.taken(op, move)
        for result in op.results:
            if result.kind == UNKNOWN:
                single = len(op.results) == 1
                gives = single and move is not None and move.does in GIVING
                self.note(result, self.given(op, move) if gives else self.computed(op) if single else ANYTHING)  # type: ignore[arg-type]

    def refused(self, value: Value) -> Fact:
        """The fact about a value where it is computed with."""
        return Fact(NUMBER, True) if value in self.numbers else self.of(value)

    def computed(self, op: Call) -> Fact:
        """The fact about what a function computes, which may be refused None."""
        if op.target == SAME:
            return self.of(op.args[0])
        refused = {*refusing(op)}
        kinds: dict[Value, Kind] = {}
        for value in op.operands():
            fact = self.refused(value) if value in refused else self.of(value)
            if value.kind == UNKNOWN:
                if fact.kind == BOTTOM and (value in refused or not fact.none):
                    return NOTHING
                if not fact.told or fact.none and value not in refused:
                    return ANYTHING
                kinds[value] = fact.kind
        kind = _inferred(op, kinds) if kinds else UNKNOWN
        return Fact(_lasting(kind)) if isinstance(kind, Scalar | Array) else ANYTHING


def refusing(op: Call) -> Iterator[Value]:
    """The operands that are not None where a call gives something."""
    if op.callee is not None:
        return
    if op.target in having("refuses None"):
        yield from op.operands()
    elif op.target.startswith("ndarray.") or op.target in having("reads items"):
        yield op.args[0]


def _inferred(op: Call, kinds: dict[Value, Kind]) -> Kind:
    """The kind of a result for operands of these kinds."""
    given = [Value(kinds[v]) if v in kinds else v for v in op.args]
    named = {name: Value(kinds[v]) if v in kinds else v for name, v in op.kwargs.items()}
    return registry.infer(Call(target=op.target, args=given, kwargs=named, loc=op.loc))


def _lasting(kind: Kind) -> Kind:
    """A kind as several iterations have it in common: of sizes literals, and those of arguments."""
    if isinstance(kind, Scalar):
        return Scalar(types=kind.types)
    if not isinstance(kind, Array) or kind.shape is None:
        return kind
    return Array(kind.dtype, tuple(n if isinstance(n, int) or _is_given(n) else None for n in kind.shape))


def _is_given(size: Any) -> bool:
    return size is not None and all(map(is_head, symbols_of(size.key)))


class _Names:
    """The walk that tells the kinds."""

    def __init__(self, facts: _Facts) -> None:
        self.facts = facts

    def block(self, block: Block, names: dict[Value, Value]) -> None:
        """Tell the kinds of a block; ``names``: what stands for a value that is not None here."""
        found: list[Op] = []
        for op in block.ops:
            if isinstance(op, Call):
                self.call(op, names, found)
            elif isinstance(op, Loop):
                for params in [op.carried, *(test.params for test in op.tests)]:
                    self.tell(params)
            for inner in op.blocks():
                self.block(inner, dict(names))
            if not isinstance(op, Call):
                self.tell(op.results)
            found.append(op)
        block.ops[:] = found

    def tell(self, values: Iterable[Value]) -> None:
        """Tell the kinds of values that control flow hands on, and that are not None."""
        for value in values:
            fact = self.facts.of(value)
            if value.kind == UNKNOWN and fact.told and not fact.none:
                value.kind = fact.kind

    def call(self, op: Call, names: dict[Value, Value], found: list[Op]) -> None:
        """Tell the kind of a result, with names for operands that are not None."""
        facts = {value: self.facts.of(value) for value in op.results}
        facts |= {value: self.facts.refused(value) for value in refusing(op)}
        for value in refusing(op):
            if value.kind == UNKNOWN and facts[value].told and value not in names:
                target = AS_NUMBER if value in self.facts.numbers else SAME
                name = Call(target=target, args=[value], results=[Value(facts[value].kind)], loc=op.loc, primal=op.primal)
                names[value] = name.result
                found.append(name)
        refused = {*refusing(op)}
        substitute(op, lambda value: names.get(value, value) if value in refused else value)
        for result in op.results:
            if result.kind == UNKNOWN and facts[result].told and not facts[result].none:
                kind = registry.infer(op)
                result.kind = kind if isinstance(kind, Scalar | Array) else facts[result].kind

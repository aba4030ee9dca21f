"""The lists that functions make longer or shorter.

    def drop(rows):                 the list that the caller gives is shorter afterwards, and so has to be
        rows.pop()                  the list of adjoints that travels with it

What a function does to a list of its own, before anything else refers to that, is part of making it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from s2sad.analysis.alias import Aliases, Node, Positions, facts
from s2sad.analysis.references import is_recursive
from s2sad.analysis.views import holds_references
from s2sad.ir.kinds import List, Slice
from s2sad.ir.nodes import LITERALS, Block, Call, Function, Op, Value
from s2sad.ir.walk import blocks_of, ops_of
from s2sad.rules.containers import ADDS, WRITES, move_of
from s2sad.rules.effects import effects


class Resizing:
    """What functions make longer or shorter, each looked at once: for a time in which none of them changes."""

    def __init__(self) -> None:
        self._found: dict[Function, set[Node]] = {}

    def positions(self, function: Function) -> Positions:
        """The positions of the parameters that are lists, or hold some, which a function makes longer or shorter."""
        return _positions(function, self.lists(function))

    def lists(self, function: Function, within: Mapping[Function, Positions] = {}) -> set[Node]:
        """The classes, in the facts of a function, of lists that it makes longer or shorter.

        ``within``: functions that are being looked at, with what is known of them so far.
        """
        if function in self._found:
            return self._found[function]
        aliases, alone, recursive = facts(function), _alone(function), is_recursive(function)
        known, found = dict(within), set[Node]()
        while True:
            if recursive:
                known[function] = _positions(function, found)
            before, found = found, {n for op in ops_of(function.body) for n in self._by(op, aliases, alone, known)}
            if found == before or not recursive:
                break
        if not recursive or not within:
            self._found[function] = found
        return found

    def _by(
        self, op: Op, aliases: Aliases, alone: set[tuple[Op, Value]], known: Mapping[Function, Positions]
    ) -> Iterator[Node]:  # fmt: skip
        """The classes of the lists that an operation makes longer or shorter."""
        if not isinstance(op, Call):
            return
        if op.callee is None:
            yield from (aliases.node(v) for v in _resized(op) if (op, v) not in alone)
            return
        given = [(k, v) for k, v in enumerate(op.args) if holds_references(v) and not isinstance(v, LITERALS)]
        for k, value in given:
            if op.callee not in known:
                inside = facts(op.callee)
                theirs = inside.node(op.callee.values[k])
                yield from aliases.standing(inside, self.lists(op.callee, known), theirs, aliases.node(value))
            elif k in known[op.callee]:
                yield from aliases.reach(aliases.node(value))


def _positions(function: Function, lists: set[Node]) -> Positions:
    aliases = facts(function)
    given = ((k, v) for k, v in enumerate(function.values) if holds_references(v))
    return frozenset(k for k, v in given if not lists.isdisjoint(aliases.reach(aliases.node(v))))


def _resized(op: Call) -> list[Value]:
    """The lists that an operation makes longer or shorter."""
    move = move_of(op)
    keeps = move is not None and move.does in (WRITES, ADDS) and not isinstance(getattr(move.at(op), "kind", None), Slice)
    changed = [] if keeps else [*effects(op).changes, *effects(op).writes]
    return [v for v in changed if isinstance(v.kind, List) and not v.kind.keyed]


def _alone(function: Function) -> set[tuple[Op, Value]]:
    """The operations after which a list that the function makes is known by its one name alone: what they do to it is a part of
    making it, though it may be of the class of what a parameter holds, where it gets there later on."""
    found: set[tuple[Op, Value]] = set()
    for block in blocks_of(function.body):
        for k, op in enumerate(block.ops):
            if _makes_list(op):
                found |= {(each, op.result) for each in _before_given_away(op.result, block.ops[k + 1 :])}
    return found


def _before_given_away(value: Value, later: Sequence[Op]) -> Iterator[Op]:
    """The operations among those that follow, nested ones too, until one may give a list away."""
    for op in later:
        inside = ops_of(Block(ops=[op]))
        if any(_gives_away(each, value) for each in inside):
            return
        yield from (each for each in inside if value in each.operands())


def _makes_list(op: Op) -> bool:
    """Test for an operation that makes a list of its own, which nothing else refers to yet."""
    if not isinstance(op, Call) or op.callee is not None or len(op.results) != 1 or not isinstance(op.result.kind, List):
        return False
    does = effects(op)
    return not does.world and all(share.how in ("holds", "part") for share in does.shares)


def _gives_away(op: Op, value: Value) -> bool:
    """Possibility that something else may refer to a list after an operation that uses it."""
    if any(value in block.yields for block in op.blocks()):
        return True
    if value not in op.operands():
        return False
    if not isinstance(op, Call) or op.callee is not None:
        return True
    does = effects(op)
    held = any(share.value is value and share.how not in ("item", "part") for share in does.shares)
    return does.world or held or any(item is value for item, _ in does.puts)

"""``x += e`` where it is not known whether ``x`` is a number or an array.

    v = A @ b        # a number, a vector or a matrix: without annotations nobody knows
    v -= c * b       # a new value for a number; an array changes for everyone who sees it

Lowering takes it for ``v = v - c * b``. That is as good wherever nobody else sees the memory of the old ``v``: no other
name that is still read, no list or object that holds it, no window into it, no caller. Else the program is refused.
A value is still read if an operation behind this one reads it, or, in a loop, any operation of the loop.

Where a number becomes an array in the first iteration of a loop (``s = 0.0``, then ``s += x``), the loop is lowered again, with
its first iteration apart (``Again``).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from s2sad.analysis.alias import Aliases, Node
from s2sad.analysis.distinct import distinct
from s2sad.analysis.views import holds_references
from s2sad.errors import KindError, Location
from s2sad.ir.again import Again
from s2sad.ir.kinds import UNKNOWN, Scalar
from s2sad.ir.nodes import LITERALS, Block, Call, Function, Global, Loop, Op, Value
from s2sad.ir.walk import blocks_of, ops_of, reads_of


def check_rebinding(function: Function, shared: bool, apart: Container[Location]) -> None:
    """Refuse those of the operations that rebind a name (``Call.rebinds``) that may change an array that others see.

    ``shared``: whether the caller sees what happens to the memory of the parameters; it does not where a derivative
    program copies what it writes. ``apart``: the loops whose first iterations stand apart already.
    """
    if any(isinstance(op, Call) and op.rebinds for op in ops_of(function.body)):
        _Check(function, shared, apart).block(function.body, set(), [])


def guard_rebinding(function: Function) -> None:
    """Check at entry that an argument which rebinding changes, if it is an array, shares no memory with another one: the other
    would change, too, and a derivative program, which changes none, would not see that."""
    changed = [op.args[0] for op in ops_of(function.body) if isinstance(op, Call) and op.rebinds]
    changed = [v for v in changed if holds_references(v) and not isinstance(v, LITERALS)]
    if not changed:
        return
    aliases = Aliases(function)
    nodes = {aliases.node(v) for v in changed}
    given = [v for v in (*function.values, *aliases.named.values()) if holds_references(v)]
    written = [v for v in given if not nodes.isdisjoint(aliases.reach(aliases.node(v)))]
    if written and len(given) > 1:
        function.body.ops[:0] = distinct(given, written)


def accept_rebinding(function: Function) -> None:
    """Acceptance of what a function rebinds: it was checked where it stood; derivatives, which keep old values, are right too."""
    for op in ops_of(function.body):
        if isinstance(op, Call):
            op.rebinds = False


class _Check:
    """One walk over a function, with the values that are read later."""

    def __init__(self, function: Function, shared: bool, apart: Container[Location]) -> None:
        self.apart = apart
        self.aliases = Aliases(function)
        self.given = self._reached([*(function.values if shared else ()), *self.aliases.named.values()])

    def _reached(self, values: Iterable[Value]) -> set[Node]:
        """The classes of all memory that these values refer to, or hold."""
        return {n for v in values if holds_references(v) for n in self.aliases.reach(self.aliases.node(v))}

    def block(self, block: Block, after: set[Value], loops: list[Op]) -> None:
        """Check the operations of a block in these loops, behind which the values ``after`` are read."""
        live = after | set(block.yields)
        for op in reversed(block.ops):
            live -= set(op.results)
            if isinstance(op, Call) and op.rebinds:
                self._check(op, live, loops)
            looped = isinstance(op, Loop)
            inside = live | (_again(op) if isinstance(op, Loop) else set())
            for inner in op.blocks():
                self.block(inner, inside, [op, *loops] if looped else loops)
            live |= set(reads_of(op)) - set(_defined_in(op))

    def _check(self, op: Call, live: set[Value], loops: list[Op]) -> None:
        old = op.args[0]
        if isinstance(old, LITERALS) and not isinstance(old, Global):
            return
        others = [v for v in live if not isinstance(v, LITERALS)]
        if self.aliases.node(old) in self.given | self._reached(others):
            begun = any(loop.loc in self.apart for loop in loops)  # what is in it may have to stand apart, too
            for loop in loops:
                if loop.loc is not None and loop.loc not in self.apart and _starts_as_a_number(loop, begun):
                    raise Again(apart=frozenset([loop.loc]))
            raise KindError(
                f"whether this changes {old.name or 'an array'} in place is not known", location=op.loc,
                why="for a number it rebinds the name; an array changes for everyone who sees it",
                instead="annotate the parameter (x: float, or a: Float[np.ndarray, 'n m'], or np.ndarray), "
                "or call with arguments",
            )  # fmt: skip


def _starts_as_a_number(loop: Op, begun: bool) -> bool:
    """Test for a loop that carries what is of unknown kind, and a number at first, or where a loop around it has ``begun``."""
    assert isinstance(loop, Loop)
    carried = zip(loop.init, loop.results, strict=True)
    return any((begun or isinstance(start.kind, Scalar)) and result.kind == UNKNOWN for start, result in carried)


def _again(op: Loop) -> set[Value]:
    """The values from outside of a loop that its next iteration reads."""
    inner = {v for block in op.blocks() for nested in block.ops for v in reads_of(nested)}
    inner |= {v for block in op.blocks() for v in block.yields}
    inner.update(op.over)
    return inner - set(_defined_in(op))


def _defined_in(op: Op) -> Iterator[Value]:
    """All values that are defined inside of an operation."""
    for block in op.blocks():
        for inner in blocks_of(block):
            yield from inner.params
            for nested in inner.ops:
                yield from nested.results

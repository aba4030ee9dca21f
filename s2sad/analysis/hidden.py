"""Text, objects and keys in which a number hides that depends on the variables, and that is read out of them again.

    text = f"{x!r}"              text carries no derivative, and needs none for a log or a message,
    y = float(text)              but this would be x, with the derivative 0: refused
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from s2sad.analysis.activity import Activity, flows
from s2sad.analysis.alias import Node
from s2sad.errors import NonDifferentiableError
from s2sad.ir.kinds import (
    OBJECT,
    STR,
    UNKNOWN,
    Array,
    Kind,
    List,
    dtype_of,
    is_differentiable,
)
from s2sad.ir.nodes import LITERALS, Block, Call, Op, Value
from s2sad.ir.walk import ops_of
from s2sad.rules import registry
from s2sad.rules.containers import GIVING, MAKES, move_of
from s2sad.rules.effects import effects
from s2sad.rules.language import Nothing

UNSEEN = ("s2sad.runtime.error_of",)  # whatever failed may have mentioned a number


ITEMS = "the number itself, or s2sad.stop_gradient(x) if its derivative is to count as zero"
TRIPLETS = "scipy.sparse.csr_array((data, (i, j))) and its like, or diags_array, for matrices whose items vary; a dense matrix"


def refuse_hidden(activity: Activity) -> None:
    """Raise NonDifferentiableError where a number that matters is read from text or an object made of the variables."""
    hidden = _Hidden(activity)
    for op in ops_of(activity.function.body):
        if isinstance(op, Call) and hidden.reveals(op):
            raise NonDifferentiableError(
                "a number is read here from text or an object that was made of the variables of differentiation",
                location=op.loc,
                why="text, keys and objects carry no derivative: it would be lost on the way, and come out as zero",
                instead=TRIPLETS if any(map(hidden.makes_sparse, ops_of(activity.function.body))) else ITEMS,
            )


class _Hidden:
    def __init__(self, activity: Activity) -> None:
        self.activity = activity
        self.found: set[Value | Node] = set()
        while self._pass_on(activity.function.body):
            pass

    def reveals(self, op: Call) -> bool:
        """Test for an operation that makes a number that matters of something hidden."""
        if _passed_on(op) is not None:
            return False
        if any(dtype_of(r.kind) == "object" for r in op.results) and any(map(self.activity.is_varied, op.operands())):
            return True  # arithmetic with objects is theirs
        return any(map(self._is_hidden, op.operands())) and any(
            is_differentiable(result.kind) and self.activity.is_useful(result) for result in op.results
        )

    def makes_sparse(self, op: Op) -> bool:
        """Test for an operation that makes a sparse matrix of the variables."""
        return isinstance(op, Call) and op.target.startswith("scipy.sparse.") and any(map(self.activity.is_varied, op.operands()))

    def _pass_on(self, block: Block) -> bool:
        changed = False
        for op in block.ops:
            for inner in op.blocks():
                changed |= self._pass_on(inner)
            for target in self._made(op):
                key = self._key(target)
                changed |= key not in self.found
                self.found.add(key)
        return changed

    def _made(self, op: Op) -> Iterator[Value]:
        """The values that hold something hidden after an operation."""
        if not isinstance(op, Call):
            yield from (target for source, target in flows(op) if self._is_hidden(source))
        elif (passed_on := _passed_on(op)) is not None:
            if any(map(self._is_hidden, passed_on)):
                yield from (r for r in op.results if not isinstance(r.kind, List) or _holds_text(r.kind))
        else:
            does = effects(op)
            known = op.callee is None and not does.unknown
            if known and any(map(self._is_hidden, op.operands())):  # it is put there, or is the key
                yield from (*does.writes, *does.changes)
            yield from self._written_out(op)

    def _written_out(self, op: Call) -> Iterator[Value]:
        passed_on = any(map(self._is_hidden, op.operands())) or op.target in UNSEEN
        if not passed_on and not any(map(self.activity.is_varied, op.operands())):
            return
        primitive = registry.lookup(op.target) if op.callee is None else None
        encodes = op.callee is not None or primitive is None or isinstance(primitive.derivative, Nothing)
        for result in op.results:
            kept = passed_on and (result.kind == UNKNOWN or not is_differentiable(result.kind) and _holds_text(result.kind))
            if kept or _is_text(result.kind) and (encodes or result.kind != OBJECT):
                yield result
        if op.callee is not None:
            yield from (op.args[k] for k in self.activity.aliases.written_by(op.callee) if _holds_text(op.args[k].kind))

    def _is_hidden(self, value: Value) -> bool:
        return not isinstance(value, LITERALS) and self._key(value) in self.found

    def _key(self, value: Value) -> Value | Node:
        return self.activity.aliases.node(value) if isinstance(value.kind, List) else value


def _passed_on(op: Call) -> list[Value] | None:
    """The values that an operation passes on as they are given: the contents of containers, and not the places."""
    move = move_of(op)
    if move is None or move.does not in (MAKES, *GIVING):
        return None
    return list(op.args) if move.does == MAKES else [move.within(op)]


def _is_text(kind: Kind) -> bool:
    """Certainty that this is text, an object, or an array of those."""
    if isinstance(kind, Array):
        return kind.dtype is not None and np.dtype(kind.dtype).kind in "OSUV"
    return kind in (STR, OBJECT)


def _holds_text(kind: Kind) -> bool:
    return _is_text(kind) or any(map(_holds_text, kind.inner))

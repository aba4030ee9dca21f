"""What is added to one item of an array in several places is added once, as a sum.

Before::

    s2sad.subitem(z_bar, 1, v1)
    s2sad.additem(z_bar, 0, v2)
    s2sad.additem(z_bar, 1, v3)

After::

    s2sad.additem(z_bar, 0, v2)
    v4 = operator.sub(v3, v1)
    s2sad.additem(z_bar, 1, v4)

The same of short rows, of which the number of items is known: a sum of long ones would be an array more. Between these additions
nothing looks at the array, nor at what shares its memory, and what is added does not change. Results change by no more than
rounding. It comes last, beside the first stores, which may be assigned then.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from s2sad.analysis.alias import Node
from s2sad.analysis.windows import Windows
from s2sad.ir.kinds import Array, Kind, Scalar, dtype_of
from s2sad.ir.nodes import Block, Call, Const, Function, Op, Value
from s2sad.ir.walk import blocks_of, ops_of, reads_of
from s2sad.optimize.accumulation import is_whole
from s2sad.optimize.memory_effects import Memory
from s2sad.optimize.rewriting import drop, insert, is_derivative, keeps_border, same_literal
from s2sad.rules import registry

ADDS, SUBTRACTS = "s2sad.additem", "s2sad.subitem"
SHORT = 16  # items of a row, of which a sum is no array that counts


@keeps_border
def run(function: Function, memory: Memory | None = None) -> bool:
    """Sum what is added to the same items; whether there was any."""
    calls = [op for op in ops_of(function.body) if isinstance(op, Call)]
    if sum(map(_adds_few, calls)) < 2:
        return False
    work = _Sums(function, memory or Memory(function))
    for block in blocks_of(function.body):
        work.block(block)
    insert(function, work.before)
    drop(function, work.dead)
    return bool(work.dead)


@dataclass
class _Group:
    """Additions to the same items of an array, so far."""

    index: Value
    ops: list[Call] = field(default_factory=list)


class _Sums:
    def __init__(self, function: Function, memory: Memory) -> None:
        self.memory = memory
        self.windows = Windows(function, memory.aliases)
        self.before: dict[Op, list[Op]] = {}
        self.dead: set[Op] = set()
        self.open: dict[Node, list[_Group]] = {}

    def block(self, block: Block) -> None:
        """Sum the additions of one block."""
        self.open = {}
        for op in block.ops:
            if isinstance(op, Call) and _adds_few(op) and self.is_steady(op):
                self.add(op)
                continue
            for node in {*(n for v in reads_of(op) for n in self.memory.reach(v)), *self.memory.writes(op)}:
                self.close(node, self.open.get(node.find(), []))
        for node, groups in [*self.open.items()]:
            self.close(node, [*groups])

    def is_steady(self, op: Call) -> bool:
        """Test for an addition that may come later: what it adds stays as it is, and is of the type of the items."""
        base, index, value = op.args
        steady = isinstance(value.kind, Scalar) or not self.memory.mutable(value)
        same = dtype_of(value.kind) == dtype_of(base.kind) is not None
        return steady and same and not self.memory.mutable(index) and not op.kwargs and not op.check

    def add(self, op: Call) -> None:
        """Put an addition to those before it, and end those that are perhaps to some of its items."""
        base, index, _ = op.args
        node = self.memory.node(base).find()
        groups = self.open.setdefault(node, [])
        mine = next((g for g in groups if g.ops[0].args[0] is base and _same(g.index, index)), None)
        place = self.windows.index_place(op)
        self.close(node, [g for g in groups if g is not mine and not self.is_apart(op, place, g)])
        if mine is None:
            mine = _Group(index)
            self.open[node].append(mine)
        mine.ops.append(op)

    def is_apart(self, op: Call, place: object, group: _Group) -> bool:
        """Certainty that an addition is to other items of the same array."""
        first = group.ops[0]
        return first.args[0] is op.args[0] and self.windows.are_apart(op, place, self.windows.index_place(first))  # type: ignore[arg-type]

    def close(self, node: Node, groups: list[_Group]) -> None:
        """Write groups as one addition each, where the last one stands."""
        for group in groups:
            if len(group.ops) > 1:
                self.sum(group.ops)
        if groups:
            self.open[node.find()] = [g for g in self.open[node.find()] if g not in groups]

    def sum(self, ops: list[Call]) -> None:
        """One addition in place of several: what is added comes first, then what is subtracted, if there is both."""
        *others, last = ops
        first = next((op for op in ops if op.target == ADDS), ops[0])
        total, sign, made = first.args[2], first.target, list[Op]()
        for op in [op for op in ops if op is not first]:
            target = "operator.add" if op.target == sign else "operator.sub"
            term = Call(target=target, args=[total, op.args[2]], loc=op.loc, primal=op.primal)
            term.results = [Value(registry.infer(term))]
            total = term.result
            made.append(term)
        last.target, last.args[2] = sign, total
        self.before.setdefault(last, []).extend(made)
        self.dead.update(others)


def _adds_few(op: Call) -> bool:
    """Test for an addition to one item of an array, or to a short row, of a derivative."""
    if op.target not in (ADDS, SUBTRACTS) or op.callee is not None or len(op.args) != 3 or not is_derivative(op):
        return False
    base, index, value = op.args
    if not isinstance(base.kind, Array) or is_whole(index) or not isinstance(index.kind, Scalar) or not index.kind.is_of("iu"):
        return False
    shape = base.kind.shape
    return shape is not None and _is_short(shape[1:]) and (isinstance(value.kind, Scalar) or _is_row(value.kind, shape[1:]))


def _is_short(shape: tuple[object, ...]) -> bool:
    sizes = [n for n in shape if isinstance(n, int)]
    return len(sizes) == len(shape) and math.prod(sizes) <= SHORT


def _is_row(kind: Kind, shape: tuple[object, ...]) -> bool:
    return isinstance(kind, Array) and kind.shape == shape


def _same(one: Value, other: Value) -> bool:
    """Test for two indices that are the same, wherever both are known."""
    return one is other or isinstance(one, Const) and isinstance(other, Const) and same_literal(one, other)

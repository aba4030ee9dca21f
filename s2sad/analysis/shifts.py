"""Shifts that cancel: values on which nothing else depends, as the largest number by which exponentials are kept small.

    m = numpy.max(x, axis=1, keepdims=True)       with m + d in place of m, d a number for each row:
    s = operator.sub(x, m)                        s - d
    e = numpy.exp(s)                              e * exp(-d)
    z = numpy.sum(e, axis=1, keepdims=True)       z * exp(-d)
    p = operator.truediv(e, z)                    p, whatever d is: no derivative passes through m

A value that depends on ``d`` is one plus a multiple of ``d``, or one times a power of ``exp(d)``; it has the axes of ``x``, or
has lost the one along which the largest was looked for. Any other use of it, and ``m`` counts as what it is. That ``m`` is the
largest does not matter to that: it says where to look.
"""

from __future__ import annotations

from typing import NamedTuple

from s2sad.analysis.alias import Aliases
from s2sad.ir.kinds import Array, dtype_of, rank_of
from s2sad.ir.nodes import LITERALS, Block, Call, Const, Function, Op, Value
from s2sad.ir.walk import blocks_of, ops_of
from s2sad.rules import registry
from s2sad.rules.traits import having

ADDED, SCALED = "added", "scaled"
ADD, SUB, MUL, DIV, NEG, ITEM = (f"operator.{name}" for name in ("add", "sub", "mul", "truediv", "neg", "getitem"))


class Shifted(NamedTuple):
    """How a value depends on the shift: ``times`` it is added, or its exponential is a factor. ``whole``: it has all axes."""

    how: str
    times: int
    whole: bool


def shifts(function: Function, aliases: Aliases) -> set[Value]:
    """The values that cancel."""
    picks = having("picks")
    if not any(isinstance(op, Call) and op.target in picks for op in ops_of(function.body)):
        return set()
    found: set[Value] = set()
    for block in blocks_of(function.body):
        places = (k for k, op in enumerate(block.ops) if isinstance(op, Call) and op.callee is None and op.target in picks)
        found.update(block.ops[k].results[0] for k in places if _Shift(function, aliases, block, k).cancels())
    return found


class _Shift:
    """What becomes of the largest of some numbers."""

    def __init__(self, function: Function, aliases: Aliases, block: Block, at: int) -> None:
        self.function, self.aliases, self.block, self.at = function, aliases, block, at
        op = block.ops[at]
        assert isinstance(op, Call)
        self.op = op
        self.maker = {v: other for other in block.ops for v in other.results}
        self.rank = rank_of(op.args[0].kind) or 0
        self.axis = self.axis_of(op)
        self.found: dict[Value, Shifted] = {}

    def axis_of(self, op: Call) -> int | None:
        """The axis along which a call looks or adds; None: along all of them; -1: it is not known."""
        primitive = registry.lookup(op.target)
        assert primitive is not None
        axis = primitive.bind(op.args, op.kwargs).get("axis", Const(None))
        if isinstance(axis, Const) and axis.payload is None:
            return None
        return axis.payload % self.rank if isinstance(axis, Const) and type(axis.payload) is int and self.rank else -1

    def cancels(self) -> bool:
        """Certainty that no value that is not followed depends on the shift."""
        op = self.op
        plain = (dtype_of(op.result.kind) or "").startswith("float") and not self.aliases.mutable(op.result)
        if not plain or self.axis == -1:
            return False
        self.found[op.result] = Shifted(ADDED, 1, self.axis is None or rank_of(op.result.kind) == self.rank)
        for other in self.block.ops[self.at + 1 :]:
            if not self.follow(other):
                return False
        return not any(v in self.found for block in blocks_of(self.function.body) for v in block.yields)

    def follow(self, op: Op) -> bool:
        """Note how the result of an operation depends on the shift; False where that is not known."""
        read = [v for v in _mentioned(op) if v in self.found]
        if not read or isinstance(op, Call) and op.callee is None and op.target in having("tells sizes"):
            return True
        if not isinstance(op, Call) or op.callee is not None or len(op.results) != 1 or self.aliases.mutable(op.result):
            return False
        shifted = self.result(op)
        if shifted is None:
            return False
        if shifted.times:
            self.found[op.result] = shifted
        return self.axis is None or rank_of(op.result.kind) == self.rank - (not shifted.whole)

    def result(self, op: Call) -> Shifted | None:
        """How a result depends on the shift."""
        first = self.found.get(op.args[0])
        if op.target in (ADD, SUB, MUL, DIV):
            return self.of_two(op)
        if first is None:
            return None
        if op.target == NEG:
            return first._replace(times=-first.times) if first.how == ADDED else first
        if op.target in having("exponential") and len(op.operands()) == 1:
            return Shifted(SCALED, first.times, first.whole) if first.how == ADDED else None
        if op.target in having("logarithm") and len(op.operands()) == 1:
            return Shifted(ADDED, first.times, first.whole) if first.how == SCALED else None
        if op.target in having("sums") and first.how == SCALED or op.target in having("picks") and first.how == ADDED:
            return self.along_axis(op, first)
        return self.item(op, first) if op.target == ITEM and op.args[1] not in self.found else None

    def of_two(self, op: Call) -> Shifted | None:
        """Of a sum, a difference, a product or a quotient, of which one part may be free of the shift."""
        a, b = (self.found.get(v) for v in op.args)
        how = ADDED if op.target in (ADD, SUB) else SCALED
        sign = -1 if op.target in (SUB, DIV) else 1
        if a is not None and b is not None:
            same = a.how == b.how == how and a.whole == b.whole
            return Shifted(how, a.times + sign * b.times, a.whole) if same else None
        one = a or b
        assert one is not None
        return Shifted(how, one.times if a else sign * one.times, one.whole) if one.how == how else None

    def along_axis(self, op: Call, first: Shifted) -> Shifted | None:
        """Of a sum of what has one factor, or of the largest of what is shifted alike, along the axis itself, or along all."""
        if len(op.args) > 2 or not {"axis", "keepdims"}.issuperset(op.kwargs):
            return None  # what it begins with is not shifted
        if self.axis is None:
            return first
        kept = rank_of(op.result.kind) == self.rank
        return Shifted(first.how, first.times, kept) if first.whole and self.axis_of(op) == self.axis else None

    def item(self, op: Call, first: Shifted) -> Shifted | None:
        """Of items: one of each row, or rows as a column."""
        index = op.args[1]
        if self.axis is None:
            return first
        if self.rank != 2 or self.axis != 1:
            return None
        if isinstance(index, Const):
            column = index.payload == (slice(None), None) and not first.whole
            first_ones = index.payload == (slice(None), 0) and first.whole
            return first._replace(whole=column) if column or first_ones else None
        return first._replace(whole=False) if first.whole and self.one_of_each_row(op.args[0], index) else None

    def one_of_each_row(self, rows: Value, index: Value) -> bool:
        """Test for an index of all rows, one after the other, and of an item of each."""
        pair = self.maker.get(index)
        if not isinstance(pair, Call) or pair.target != "builtins.tuple" or len(pair.args) != 2:
            return False
        count, which = self.maker.get(pair.args[0]), pair.args[1]
        counts = isinstance(count, Call) and count.target in having("counts") and len(count.args) == 1 and not count.kwargs
        sizes = [v.kind.shape for v in (rows, pair.args[0]) if isinstance(v.kind, Array) and v.kind.shape]
        known = len(sizes) == 2 and sizes[0][0] is not None and sizes[0][0] == sizes[1][0]
        one = isinstance(which.kind, Array) and (dtype_of(which.kind) or "").startswith("int") and rank_of(which.kind) == 1
        return counts and known and one and which not in self.found


def _mentioned(op: Op) -> list[Value]:
    """What an operation and those in it read."""
    found = [v for v in op.operands() if not isinstance(v, LITERALS)]
    for block in op.blocks():
        for inner in block.ops:
            found += _mentioned(inner)
        found += block.yields
    return found


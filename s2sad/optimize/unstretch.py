"""Sums to the shape of an operand are not made to that of the result before.

Before::

    v1 = operator.add(a, b)                       forward sweep
    y = operator.mul(c, v1)
    ...
    v2 = s2sad.runtime.unbroadcast(g, y)          reverse sweep
    v3 = operator.mul(v2, c)
    v4 = s2sad.runtime.unbroadcast(v3, v1)
    a_bar = s2sad.runtime.unbroadcast(v4, a)

After::

    v3 = operator.mul(g, c)
    a_bar = s2sad.runtime.unbroadcast(v3, a)

An elementwise result has the shape to which its operands are stretched together, so the axes along which it was stretched
itself are among those along which they were, and what is computed of them alone is constant along these: it may be multiplied
before the sum. Complex numbers come to real ones in the same way, as each operation on the way keeps to the real ones. Where
nothing else asks for the shape of the result, it needs no tape.

A product before the sum may be one of more items. So a sum is left where it is if several need it and nothing tells that its
result has axes itself: a product of numbers, as ``dt * c`` probably is, multiplies an array next.
"""

from __future__ import annotations

from collections.abc import Hashable

from s2sad.analysis.tapes import tapes_of
from s2sad.ir.kinds import Array, Scalar
from s2sad.ir.nodes import Call, Const, Function, Value
from s2sad.ir.walk import definers, ops_of, substitute_all
from s2sad.optimize.forms import keeps_dtype
from s2sad.optimize.memory_effects import Memory
from s2sad.optimize.rewriting import const_key, drop, keeps_border, uses_of
from s2sad.optimize.sums import is_unbroadcast
from s2sad.rules import registry
from s2sad.rules.traits import having

MUL, DIV, NEG = "operator.mul", "operator.truediv", "operator.neg"
DEPTH = 16  # operations between an operand and a result, or two sums, at most


@keeps_border
def run(function: Function, memory: Memory | None = None) -> bool:
    """Leave out sums that are followed by others."""
    sums = [op for op in ops_of(function.body) if isinstance(op, Call) and is_unbroadcast(op)]
    if len(sums) < 2:
        return False
    found = _Sums(function, memory or Memory(function))
    for op in sums:
        found.call(op)
    substitute_all(function.body, {op.result: op.args[0] for op in found.early})
    drop(function, set(found.early))
    for op in found.between:
        op.result.kind = registry.infer(op)
    return bool(found.early)


class _Sums:
    """The sums of a function that others follow (``early``), and what is computed between the two, in order."""

    def __init__(self, function: Function, memory: Memory) -> None:
        self.memory = memory
        self.definer = definers(function)
        self.uses = uses_of(function)
        self.recorded = {tape.pop.result: tape.recorded for tape in tapes_of(function)}
        self.early: dict[Call, None] = {}
        self.between: list[Call] = []

    def call(self, op: Call) -> None:
        """Note a sum, if others follow."""
        value, like = op.args
        if isinstance(like.kind, Scalar) or self.memory.mutable(value):
            return  # one number is the least to go on with; what is written is read later then
        sources = self.sources(like)
        between = self.until_summed(op.result, {self.shape(source) for source in sources}, DEPTH)
        if between is None:
            return
        scaled = any(made.target != NEG and not any(map(_is_real, made.args)) for made in between)
        if not scaled or len(self.uses[op.result]) == 1 or any(map(self.has_axes, sources)):
            self.early[op] = None
            self.between += between

    # --- what a sum is made for

    def sources(self, like: Value) -> set[Value]:
        """A value, and those that have led to it by elementwise operations that keep to real numbers."""
        found = level = {self.origin(like)}
        for _ in range(DEPTH):
            makers = [self.definer.get(value) for value in level]
            operands = {v for op in makers if isinstance(op, Call) and keeps_dtype(op) for v in op.args}
            level = {self.origin(v) for v in operands if not isinstance(v, Const)} - found
            found = found | level
        return found

    def has_axes(self, value: Value) -> bool:
        """Test for a value that probably has axes, or is one of many: an array, or what is taken out of one."""
        op = self.definer.get(value)
        return isinstance(value.kind, Array) or isinstance(op, Call) and op.target == "operator.getitem"

    def origin(self, value: Value) -> Value:
        """The value of the forward sweep that a value is, or stands for."""
        return self.recorded.get(value, value)

    def shape(self, value: Value) -> Hashable:
        """Equal for values that certainly have the same shape: for one value, and for windows of one array with equal indices."""
        value = self.origin(value)
        op = self.definer.get(value)
        if isinstance(op, Call) and op.target == "operator.getitem":
            base, index = op.args
            if isinstance(index, Const) and self.is_array(base):
                return "window", self.shape(base), const_key(index)
        return value

    def is_array(self, value: Value) -> bool:
        """Test for a value whose contents keep their shape: it is an array, or nobody writes into it."""
        op = self.definer.get(value)
        copied = isinstance(op, Call) and op.target in having("copies")
        return copied or isinstance(value.kind, Array) or not self.memory.mutable(value)

    # --- what becomes of it

    def until_summed(self, value: Value, shapes: set[Hashable], depth: int) -> list[Call] | None:
        """All that is computed of a sum until it is summed to one of the shapes; None where it is used in another way."""
        found: list[Call] = []
        for op in self.uses.get(value, [None]):
            if not isinstance(op, Call) or op.callee is not None or op.kwargs or depth == 0:
                return None
            if is_unbroadcast(op) and op.args[0] is value and self.shape(op.args[1]) in shapes:
                continue
            others = [v for v in op.args if v is not value]
            scales = op.target == NEG or op.target == MUL and len(others) == 1 or op.target == DIV and op.args[0] is value
            if not scales or not all(self.is_within(other, shapes, DEPTH) for other in others):
                return None
            more = self.until_summed(op.result, shapes, depth - 1)
            if more is None:
                return None
            found += [op, *more]
        return found

    def is_within(self, factor: Value, shapes: set[Hashable], depth: int) -> bool:
        """Test for a factor that is constant along all axes that the sum takes, and real where its result is."""
        if _is_real(factor) or self.shape(factor) in shapes:
            return True
        op = self.definer.get(self.origin(factor))
        made = depth > 0 and isinstance(op, Call) and keeps_dtype(op)
        return made and all(self.is_within(v, shapes, depth - 1) for v in op.args)  # type: ignore[union-attr]


def _is_real(factor: Value) -> bool:
    """Test for one real number."""
    if isinstance(factor, Const):
        return type(factor.payload) in (int, float)
    return isinstance(factor.kind, Scalar) and factor.kind.is_of("bif")

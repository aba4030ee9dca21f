"""Sums to the shape of an operand are not made to that of the result before.

Before::

    v1 = operator.add(a, b)                       forward sweep
    y = operator.mul(2.0, v1)
    ...
    v2 = s2sad.runtime.unbroadcast(g, y)          reverse sweep
    v3 = operator.mul(v2, 2.0)
    v4 = s2sad.runtime.unbroadcast(v3, v1)
    a_bar = s2sad.runtime.unbroadcast(v4, a)

After::

    v5 = operator.mul(g, 2.0)
    a_bar = s2sad.runtime.unbroadcast(v5, a)

An elementwise result has the shape to which its operands are stretched together, so the axes along which it was stretched
itself are among those along which they were. Where nothing else asks for the shape of the result, it needs no tape.
"""

from __future__ import annotations

from collections.abc import Hashable

from s2sad.analysis.tapes import tapes_of
from s2sad.ir.kinds import Array
from s2sad.ir.nodes import Call, Const, Function, Op, Value
from s2sad.ir.walk import definers, ops_of
from s2sad.optimize.memory_effects import Memory
from s2sad.optimize.rewriting import const_key, insert, keeps_border
from s2sad.optimize.sums import is_unbroadcast
from s2sad.rules import registry
from s2sad.rules.traits import having

ELEMENTWISE = {"operator.add", "operator.sub", "operator.mul", "operator.truediv", "operator.neg"}
SCALING = {"operator.mul", "operator.truediv"}
DEPTH = 16  # operations between an operand and a result, at most


@keeps_border
def run(function: Function, memory: Memory | None = None) -> bool:
    """Sum to the shape of the operand at once."""
    sums = [op for op in ops_of(function.body) if isinstance(op, Call) and is_unbroadcast(op)]
    if len(sums) < 2:
        return False
    found = _Sums(function, memory or Memory(function))
    for op in sums:
        found.call(op)
    insert(function, found.before)
    return found.changed


class _Sums:
    def __init__(self, function: Function, memory: Memory) -> None:
        self.memory = memory
        self.definer = definers(function)
        self.recorded = {tape.pop.result: tape.recorded for tape in tapes_of(function)}
        self.before: dict[Op, list[Op]] = {}
        self.changed = False

    def call(self, op: Call) -> None:
        """Leave the inner one of two sums out."""
        scaled: list[Call] = []
        inner = self.definer.get(op.args[0])
        while isinstance(inner, Call) and inner.callee is None and self.scales(inner):
            scaled.append(inner)
            inner = self.definer.get(inner.args[0])
        if not isinstance(inner, Call) or not is_unbroadcast(inner) or not self.feeds(op.args[1], inner.args[1]):
            return
        value = inner.args[0]
        if self.memory.mutable(value):
            return  # it is read later now
        for scale in reversed(scaled):
            fresh = Call(target=scale.target, args=[value, *scale.args[1:]], loc=scale.loc, primal=scale.primal)
            fresh.results = [Value(registry.infer(fresh), scale.result.name)]
            self.definer[fresh.result] = fresh
            self.before.setdefault(op, []).append(fresh)
            value = fresh.result
        op.args[0] = value
        self.changed = True

    def scales(self, op: Call) -> bool:
        """Test for an operation that multiplies all items by one real number, or negates them."""
        if op.target == "operator.neg":
            return True
        factor = op.args[1] if op.target in SCALING else None
        return isinstance(factor, Const) and type(factor.payload) in (int, float)

    def feeds(self, operand: Value, result: Value) -> bool:
        """Test for an operand of the elementwise operations that have led to another value, or for a window of its shape."""
        wanted, level = self.shape(operand), {self.recorded.get(result, result)}
        for _ in range(DEPTH):
            if any(self.shape(value) == wanted for value in level):
                return True
            makers = [self.definer.get(value) for value in level]
            level = {v for op in makers if isinstance(op, Call) and op.target in ELEMENTWISE for v in op.args}
        return False

    def shape(self, value: Value) -> Hashable:
        """Equal for values that certainly have the same shape: for one value, and for windows of one array with equal indices."""
        value = self.recorded.get(value, value)
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

"""Arrays that certainly have the same shape, whatever it is.

    v = u[1:] * c             the shape of u[1:], if c is a number
    v_dot = u_dot[1:] * c     the same, since a tangent has the shape of what it is of
    w = v + np.exp(a)         that of u[1:] and a, broadcast

A shape is a set of sources: what it is, broadcast over all of them. Equal sets are equal shapes. What comes off a tape has the
shape that it had when it was recorded, in the same iteration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from s2sad.analysis.axes import AxesOf, seeds_of
from s2sad.analysis.tapes import tapes_of
from s2sad.ir.kinds import Array, Kind, Other, Scalar
from s2sad.ir.nodes import Call, Const, DerivativeName, Function, Value
from s2sad.ir.walk import ops_of, substitute_all
from s2sad.rules import registry
from s2sad.rules.language import Elementwise
from s2sad.rules.traits import having

FILL = "numpy.full_like"
HELPERS = {f"s2sad.runtime.{name}" for name in ("ge_share", "strong_zero", "strong_slope", "sign", "safe_divide", "ratio")}


def shaped_as(target: str) -> int | None:
    """The position of the argument that has the shape of the result."""
    return next((k for k in (0, 1) if target in having(f"shaped as {k}")), None)


class Shapes:
    """The shapes of the values of one function. ``mutable`` tells what may be written."""

    def __init__(self, function: Function, mutable: Callable[[Value], bool]) -> None:
        self.function, self.mutable = function, mutable
        self.recorded = {tape.pop: tape.recorded for tape in tapes_of(function) if not tape.counts}
        self.seeds = seeds_of(function)
        self._find()

    def _find(self) -> None:
        """Note the shapes of parameters and of the results of calls."""
        function = self.function
        self.table: dict[Value, frozenset[Any]] = {}
        own = {p.name: p.value for p in function.params}
        for name, value in own.items():
            twin = own.get(name.removesuffix("_dot")) if isinstance(value.name, DerivativeName) else None
            self.table[value] = frozenset({twin or value})
        for op in ops_of(function.body):
            if isinstance(op, Call) and op.callee is None and len(op.results) == 1 and isinstance(op.result.kind, Array):
                self._note(op)
                self.table |= {seed: self.of(op.result) for seed in self.seeds.get(op.result, ())}

    def same(self, a: Value, b: Value) -> bool:
        """Certainty that two arrays have the same shape."""
        arrays = isinstance(a.kind, Array) and isinstance(b.kind, Array)
        return arrays and (self.of(a) == self.of(b) or self.axes.same(a, b))

    def fits(self, value: Value, like: Value) -> bool:
        """The same of an array that has the shape to which ``like`` has been stretched."""
        arrays = isinstance(value.kind, Array) and isinstance(like.kind, Array)
        return arrays and (self.of(value) == self.of(like) or self.axes.fits(value, like))

    def narrow(self, kinds: Mapping[Value, Kind]) -> None:
        """Give values kinds of smaller arrays, and find the shapes again: what is smaller stretches nothing else."""
        for value, kind in kinds.items():
            value.kind = kind
        if kinds:
            self.__dict__.pop("axes", None)
            self._find()

    @cached_property
    def axes(self) -> AxesOf:
        """The sizes of axes, one by one."""
        return AxesOf(self.function, self.mutable, self.recorded, _broadcasts, _like)

    def of(self, value: Value) -> frozenset[Any]:
        """The sources of a shape; none: a number."""
        if isinstance(value, Const) or isinstance(value.kind, Scalar | Other):
            return frozenset()
        if not isinstance(value.kind, Array) and self.mutable(value):
            return frozenset({object()})  # a list that grows
        return self.table.get(value) or frozenset({value})

    def _note(self, op: Call) -> None:
        primitive = registry.lookup(op.target)
        if op in self.recorded:
            self.table[op.result] = self.of(self.recorded[op])
        if primitive is None or op.kwargs:
            return
        if _broadcasts(op):
            self.table[op.result] = frozenset().union(*map(self.of, op.args))
        elif (like := _like(op)) is not None:
            self.table[op.result] = self.of(like)
        elif op.target in having("moves") and isinstance(op.args[0].kind, Array) and not any(map(self.mutable, op.args[1:])):
            places = tuple(repr(a.payload) if isinstance(a, Const) else a for a in op.args[1:])
            self.table[op.result] = frozenset({(op.target, self.of(op.args[0]), places)})


def _broadcasts(op: Call) -> bool:
    """Test for a call whose result has the shape to which its arguments are stretched together."""
    primitive = registry.lookup(op.target)
    return primitive is not None and isinstance(primitive.derivative, Elementwise) or op.target in HELPERS


def _like(op: Call) -> Value | None:
    """The argument that has the shape of the result."""
    place = shaped_as(op.target)
    return op.args[place] if place is not None and place < len(op.args) <= 2 else None


def drop_stretches(function: Function, mutable: Callable[[Value], bool]) -> None:
    """Leave out what would stretch an array to the shape that it has."""
    shapes = Shapes(function, mutable)
    table: dict[Value, Value] = {}
    for op in ops_of(function.body):
        if isinstance(op, Call) and op.target == "s2sad.runtime.broadcast_like":
            value, like = op.args
            if isinstance(value.kind, Array) and shapes.of(value) == shapes.of(like):
                table[op.result] = value
                value.name = value.name or op.result.name
    substitute_all(function.body, table)

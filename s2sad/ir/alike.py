"""Functions that are the same but for the names of their variables, and the places that they came from.

    def f(x): y = sin(x); return y * k        ==>        ("x",), (("Call", ("sin", (0,), ...), 1), ...), (2,)
    def g(x): z = sin(x); return z * k        ==>        the same
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import fields
from typing import Any

from s2sad.ir.nodes import Block, Const, Function, FunctionRef, Global, Op, Undef, Value, is_literal

OWN = ("results", "loc", "primal", "asked")  # of an operation: what says nothing of what it does


def form_of(function: Function) -> Hashable:
    """The form of a function: equal to that of another one that does the same with parameters of the same names and kinds."""
    return _Forms().function(function)


class _Forms:
    """One look at a function, and at all that it calls."""

    def __init__(self) -> None:
        self.numbers: dict[Value, int] = {}
        self.functions: dict[Function, int] = {}

    def function(self, function: Function) -> Hashable:
        """A function; one that is looked at already, by its turn."""
        if function in self.functions:
            return self.functions[function]
        self.functions[function] = len(self.functions)
        params = tuple((self.new(p.value), p.name, p.value.kind, p.keyword_only) for p in function.params)
        return params, self.block(function.body), function.returns, function.checkpointed, function.sharing

    def block(self, block: Block) -> Hashable:
        """The operations of a block."""
        return tuple(map(self.new, block.params)), tuple(map(self.op, block.ops)), tuple(map(self.part, block.yields))

    def op(self, op: Op) -> Hashable:
        """An operation, with all that it holds."""
        parts = tuple(self.part(getattr(op, slot.name)) for slot in fields(op) if slot.name not in OWN)
        return type(op), parts, tuple(map(self.new, op.results))

    def new(self, value: Value) -> int:
        """A value that is defined here."""
        return self.numbers.setdefault(value, len(self.numbers))

    def part(self, part: Any) -> Hashable:
        """A part of an operation."""
        if isinstance(part, list | tuple):
            return tuple(map(self.part, part))
        if isinstance(part, dict):
            return tuple((name, self.part(item)) for name, item in part.items())
        if isinstance(part, Block):
            return self.block(part)
        if isinstance(part, Function):
            return self.function(part)
        return self.value(part) if isinstance(part, Value) else _literal(part)

    def value(self, value: Value) -> Hashable:
        """A value that is read."""
        if isinstance(value, Const):
            return _literal(value.payload)
        if isinstance(value, Global):
            return value.identity
        if isinstance(value, FunctionRef):
            return self.function(value.function)
        return "undefined" if isinstance(value, Undef) else self.new(value)


def _literal(payload: Any) -> Hashable:
    """Something known: by what is written for it; 0.0 is not -0.0, and 1 is not 1.0. Anything else by its identity."""
    if isinstance(payload, slice):
        return slice, _literal(payload.start), _literal(payload.stop), _literal(payload.step)
    return ("literal", repr(payload)) if is_literal(payload) else ("object", id(payload))

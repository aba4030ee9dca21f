"""Helpers with which passes edit a program."""

from __future__ import annotations

from functools import wraps
from typing import Protocol

from s2sad.ir.kinds import Kind, dtype_of
from s2sad.ir.nodes import (
    LITERALS,
    Const,
    DerivativeName,
    Function,
    Global,
    If,
    Loop,
    Op,
    Straight,
    Value,
)
from s2sad.ir.walk import blocks_of
from s2sad.optimize.memory_effects import Memory

Uses = dict[Value, list[Op | None]]


class Pass(Protocol):
    """A pass edits a function in place and says whether it changed anything.

    ``memory`` may be given where the memory facts of the function, as it stands, are known already.
    """

    def __call__(self, function: Function, memory: Memory | None = None, /) -> bool:
        """Run the pass."""


def keeps_border(run: Pass) -> Pass:
    """A pass that keeps ``reverse_at`` before the first operation that stood behind it."""

    @wraps(run)
    def wrapped(function: Function, memory: Memory | None = None, /) -> bool:
        if function.reverse_at is None:
            return run(function, memory)
        turn, before = function.reverse_at, list(function.body.ops)
        inside = {op: with_branches([op]) for op in before if isinstance(op, If)}  # as they are before the pass
        changed = run(function, memory)
        ops = function.body.ops
        if ops == before:
            return changed
        head, tail = (set(part).union(*(inside[op] for op in part if op in inside)) for part in (before[:turn], before[turn:]))
        border = next((k for k, op in enumerate(ops) if op in tail), len(ops))
        while border and ops[border - 1] not in head:
            border -= 1  # operations that are new belong to what follows them
        function.reverse_at = border
        return changed

    return wrapped


def with_branches(ops: list[Op]) -> set[Op]:
    """Operations, and those in their branches, which may come to stand in their place."""
    found = set(ops)
    for op in ops:
        if isinstance(op, If):
            found |= with_branches(op.then.ops) | with_branches(op.orelse.ops)
    return found


def drop(function: Function, dead: set[Op]) -> None:
    """Remove operations, wherever they stand."""
    if dead:
        for block in list(blocks_of(function.body)):
            block.ops = [op for op in block.ops if op not in dead]


def remove_slots(op: Op, dead: set[int]) -> None:
    """Remove carried values or results of control flow by position."""
    if not dead:
        return

    def without(values: list[Value], shift: int = 0) -> list[Value]:
        return [v for k, v in enumerate(values) if k - shift not in dead]

    op.results = without(op.results)
    if isinstance(op, Straight):
        for block in op.blocks():
            block.yields = without(block.yields)
    elif isinstance(op, Loop):
        op.init = without(op.init)
        op.body.yields = without(op.body.yields, int(op.breaks))
        op.body.params = without(op.body.params, op.GIVEN)
        for test in op.tests:
            test.params = without(test.params)


def insert(function: Function, before: dict[Op, list[Op]]) -> None:
    """Put operations before others, wherever those stand."""
    if before:
        for block in list(blocks_of(function.body)):
            block.ops = [inner for op in block.ops for inner in (*before.get(op, ()), op)]


def const_key(value: Const) -> str:
    """Equal for literals of equal type and value: 1 is not 1.0, nor 0.0 the same as -0.0; all nan are one."""
    return repr(value.payload)


def same_literal(a: Value, b: Value) -> bool:
    """Identity of two values, or equality of two literals."""
    if isinstance(a, Const) and isinstance(b, Const):
        return const_key(a) == const_key(b)
    if isinstance(a, Global) and isinstance(b, Global):
        return a.identity == b.identity
    return a is b


def pass_name(gone: Value, value: Value, maker: Op | None) -> None:
    """A value that stands for another takes its name, if it has none; but nothing in the user's code is called x_bar."""
    if value.name is None and gone.name is not None and not isinstance(value, LITERALS):
        of_derivative = isinstance(gone.name, DerivativeName)
        if maker is None or maker.primal is not None or not of_derivative:
            value.name = gone.name


def is_derivative(op: Op) -> bool:
    """Test for an operation that belongs to a derivative, and is not the user's own."""
    values = [*op.results, *op.operands()]
    return op.tangent or op.primal is not None or any(isinstance(v.name, DerivativeName) for v in values)


def is_float(kind: Kind) -> bool:
    """Test for a kind that arithmetic with Python's numbers keeps a float (or complex)."""
    dtype = dtype_of(kind)
    return dtype is not None and dtype.startswith(("float", "complex"))


def uses_of(function: Function) -> Uses:
    """The operations that read each value; None: a block yields it."""
    found: Uses = {}
    for block in blocks_of(function.body):
        for op in block.ops:
            for value in op.operands():
                found.setdefault(value, []).append(op)
        for value in block.yields:
            found.setdefault(value, []).append(None)
    return found

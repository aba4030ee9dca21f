"""Walking and copying programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from functools import partial
from typing import Any

from s2sad.ir.kinds import Other
from s2sad.ir.nodes import (
    Block,
    Call,
    Function,
    FunctionRef,
    Global,
    If,
    Loop,
    Op,
    Straight,
    Value,
    With,
)


def blocks_of(block: Block) -> Iterator[Block]:
    """The block and all blocks nested in it, outermost first."""
    yield block
    for op in block.ops:
        if type(op) is not Call:
            for inner in op.blocks():
                yield from blocks_of(inner)


def ops_of(block: Block) -> list[Op]:
    """All operations, nested ones after the operation that holds them."""
    found: list[Op] = []
    _collect(block, found)
    return found


def _collect(block: Block, found: list[Op]) -> None:
    for op in block.ops:
        found.append(op)
        if type(op) is not Call:
            for inner in op.blocks():
                _collect(inner, found)


def reads_of(op: Op) -> list[Value]:
    """All values that an operation and everything nested in it reads, yields included."""
    found = op.operands()
    for block in () if type(op) is Call else op.blocks():
        found += values_read(block)
    return found


def values_read(block: Block) -> list[Value]:
    """All values that the operations of a block read, and those that it yields."""
    return [*(value for op in block.ops for value in reads_of(op)), *block.yields]


def globals_of(block: Block) -> Iterator[Global]:
    """The values from outside that operations of a block read, or that branches and loops hand on under other names."""
    yield from (value for op in block.ops for value in reads_of(op) if isinstance(value, Global))


def functions_of(op: Op) -> Iterator[Function]:
    """The functions of the program that an operation calls, or hands over to be called."""
    if isinstance(op, Call) and op.callee is not None:
        yield op.callee
    yield from (value.function for value in op.operands() if isinstance(value, FunctionRef))


def calls_within(block: Block) -> Iterator[Call]:
    """The calls in a block, and in the functions that these call."""
    seen, waiting = set[Function](), [block]
    while waiting:
        for op in ops_of(waiting.pop()):
            if isinstance(op, Call):
                yield op
                if op.callee is not None and op.callee not in seen:
                    seen.add(op.callee)
                    waiting.append(op.callee.body)


def program_of(function: Function) -> list[Function]:
    """All functions that a function calls, or hands over to be called, callees before callers; it is the last one."""
    found: dict[Function, None] = {}
    met = {function}

    def visit(current: Function) -> None:
        for op in ops_of(current.body):
            for callee in functions_of(op):
                if callee not in met:
                    met.add(callee)
                    visit(callee)
        found[current] = None

    visit(function)
    return [*found]


def definers(function: Function) -> dict[Value, Op]:
    """The operation that defines each value that is the result of one."""
    return {value: op for op in ops_of(function.body) for value in op.results}


def owners(function: Function) -> dict[Value, Block]:
    """The block in which each value is defined, as a parameter or a result."""
    table: dict[Value, Block] = {p.value: function.body for p in function.params}
    for block in blocks_of(function.body):
        for value in block.params:
            table[value] = block
        for op in block.ops:
            for value in op.results:
                table[value] = block
    return table


def use_counts(function: Function) -> dict[Value, int]:
    """The number of times that each value is read or yielded."""
    counts: dict[Value, int] = {}
    for block in blocks_of(function.body):
        for value in block.yields:
            counts[value] = counts.get(value, 0) + 1
        for op in block.ops:
            for value in op.operands():
                counts[value] = counts.get(value, 0) + 1
    return counts


def substitute(op: Op, get: Callable[[Value], Value]) -> None:
    """Replace every operand of ``op`` (not those of nested operations) in place."""
    if isinstance(op, Call):
        op.args = [get(v) for v in op.args]
        op.kwargs = {k: get(v) for k, v in op.kwargs.items()} if op.kwargs else {}
        return
    if isinstance(op, Straight):
        setattr(op, op.HEAD, get(op.head))
    elif isinstance(op, Loop):
        for name in op.OVER:
            setattr(op, name, get(getattr(op, name)))
        op.init = [get(v) for v in op.init]
        op.snapshots = op.snapshots and get(op.snapshots)


def substitute_all(block: Block, table: dict[Value, Value]) -> None:
    """Replace values by others everywhere in a block; chains in ``table`` are followed."""
    if table:
        substitute_each(block, partial(stand_in, table))


def stand_in(table: dict[Value, Value], value: Value) -> Value:
    """The stand-in of a value by now."""
    while value in table:
        value = table[value]
    return value


def substitute_each(block: Block, get: Callable[[Value], Value]) -> None:
    """Replace every operand and every yield in a block, nested ones included."""
    for inner in blocks_of(block):
        inner.yields = [get(v) for v in inner.yields]
        for op in inner.ops:
            substitute(op, get)


def clone_value(value: Value, table: dict[Value, Value]) -> Value:
    """A fresh value with the same kind and name, entered into ``table``."""
    table[value] = fresh = Value(value.kind, value.name)
    return fresh


def clone_block(block: Block, table: dict[Value, Value], where: dict[Block, Block] | None = None) -> Block:
    """A deep copy; ``table`` maps old values to new ones, and ``where`` old blocks to new ones."""
    copy = Block([clone_value(v, table) for v in block.params])
    if where is not None:
        where[block] = copy
    copy.ops = [clone_op(op, table, where) for op in block.ops]
    copy.yields = [table.get(v, v) for v in block.yields]
    return copy


def clone_op(op: Op, table: dict[Value, Value], where: dict[Block, Block] | None = None) -> Op:
    """A deep copy of one operation; see ``clone_block``."""
    copy: Op
    if isinstance(op, Call):
        copy = copied_call(op)
    else:
        assert isinstance(op, Straight | Loop)
        names = op.BLOCKS if isinstance(op, Straight) else (*op.TESTS, "body")
        blocks: dict[str, Any] = {name: clone_block(getattr(op, name), table, where) for name in names}
        copy = replace(op, **blocks)
    substitute(copy, lambda v: table.get(v, v))
    copy.results = [clone_value(v, table) for v in op.results]
    return copy


CALL_SLOTS = tuple(slot.name for slot in fields(Call) if slot.init)


def copied_call(op: Call) -> Call:
    """A shallow copy."""
    copy = Call.__new__(Call)
    for slot in CALL_SLOTS:
        setattr(copy, slot, getattr(op, slot))
    copy.asked = None
    return copy


def clone_function(function: Function) -> tuple[Function, dict[Value, Value], dict[Block, Block]]:
    """A deep copy of a function, with the maps from its values and blocks to the copy's."""
    table: dict[Value, Value] = {}
    where: dict[Block, Block] = {}
    params = [replace(p, value=clone_value(p.value, table)) for p in function.params]
    body = clone_block(function.body, table, where)
    return replace(function, params=params, body=body), table, where


def raises(block: Block, within: tuple[Block, ...] = ()) -> bool:
    """Test for a block that ends by raising: what it hands over is of no use. ``within``: the bodies of functions around it."""
    return bool(block.ops) and _always_raises(block.ops[-1], within)


def end_at_raise(block: Block, start: int = 0) -> bool:
    """Drop what comes behind an operation that always raises, the first one from ``start`` on; False if there is none."""
    for position, op in enumerate(block.ops[start:], start):
        if _always_raises(op):
            del block.ops[position + 1 :]
            return True
    return False


def _always_raises(op: Op, within: tuple[Block, ...] = ()) -> bool:
    if isinstance(op, If):
        return raises(op.then, within) and raises(op.orelse, within)
    if isinstance(op, With):
        return op.context.kind != Other("attempt") and raises(op.body, within)
    if isinstance(op, Call) and op.callee is not None:  # one that calls itself says nothing by that
        body = op.callee.body
        return body not in within and raises(body, (*within, body))
    return isinstance(op, Call) and op.target == "s2sad.raise"

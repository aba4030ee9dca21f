"""Where values are handed over between blocks, and where they are read.

A region hands values over at its borders: a loop its initial values to its parameters, its yields to the
parameters of the next iteration, the parameters to its results; a branch its yields to the results. Each is
an assignment in the emitted program (unless both ends become one variable), and is needed only if the
receiving end is read in the end::

    for i in range(n) carrying (x = a, unread = b):  ==>   x = a
      yield x * x, x                                       for i in range(n):
                                                               x = x * x
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from s2sad.ir.nodes import LITERALS, Block, Call, Function, Loop, Op, Straight, Value
from s2sad.ir.walk import blocks_of, ops_of

Transfer = tuple[Value, Value]  # the receiving value, and where it comes from


def at_entry(op: Loop) -> list[Transfer]:
    """The transfers at a loop's entry."""
    return list(zip(op.entered, op.init, strict=True))


def at_back_edge(op: Loop) -> list[Transfer]:
    """The transfers from an iteration to the next one."""
    return list(zip(op.entered, op.carried_yields, strict=True))


def at_exit(op: Loop) -> list[Transfer]:
    """The transfers at a loop's exit."""
    return list(zip(op.results, op.entered, strict=True))


def after_test(op: Loop) -> list[Transfer]:
    """The transfers from the test of a loop, if it has one, to the body."""
    return [pair for test in op.tests for pair in zip(op.carried, test.params, strict=True)]


def at_end(op: Straight, block: Block) -> list[Transfer]:
    """The transfers from a branch (or the body of a with statement) to what follows."""
    return list(zip(op.results, block.yields, strict=True))


def transfers(op: Op) -> Iterator[Transfer]:
    """Everything that a region hands over."""
    if isinstance(op, Straight):
        for block in op.blocks():
            yield from at_end(op, block)
    elif isinstance(op, Loop):
        yield from at_back_edge(op)
        yield from at_entry(op)
        yield from at_exit(op)
        yield from after_test(op)


class Use(NamedTuple):
    """One reading of ``value``: by the operation at a position of a block, or (``op`` is None) at the block's
    end.

    ``role``: operand, cond, iterable, context; test, stop, return; or transfer.
    """

    block: Block
    at: int
    op: Op | None
    role: str
    value: Value


class Uses:
    """All readings that count, and the values that have one."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.of: dict[Value, list[Use]] = {}
        self.needed = self._needed()
        self._collect()

    def _needed(self) -> set[Value]:
        sources: dict[Value, list[Value]] = {}
        stack = list(self.function.body.yields)
        for op in ops_of(self.function.body):
            if isinstance(op, Call):
                stack += op.operands()
                continue
            for target, source in transfers(op):
                sources.setdefault(target, []).append(source)
            stack += [value for value, _ in _direct(op)] + [value for value, *_ in _at_ends(op)]
        found: set[Value] = set()
        while stack:
            value = stack.pop()
            if value not in found and not isinstance(value, LITERALS):
                found.add(value)
                stack += sources.get(value, [])
        return found

    def _collect(self) -> None:
        body = self.function.body
        for value in body.yields:
            self._add(value, Use(body, len(body.ops), None, "return", value))
        for block in blocks_of(body):
            for at, op in enumerate(block.ops):
                if isinstance(op, Call):
                    for value in op.operands():
                        self._add(value, Use(block, at, op, "operand", value))
                    continue
                for value, role in _direct(op):
                    self._add(value, Use(block, at, op, role, value))
                for value, where, role in _at_ends(op):
                    self._add(value, Use(where, len(where.ops), None, role, value))
                self._transfers(op, block, at)

    def _transfers(self, op: Op, block: Block, at: int) -> None:
        if isinstance(op, Loop):
            for target, source in at_entry(op):
                self._transfer(target, source, Use(block, at, op, "transfer", source))
            for target, source in at_back_edge(op):
                self._transfer(target, source, Use(op.body, len(op.body.ops), None, "transfer", source))
        elif isinstance(op, Straight):
            for inner in op.blocks():
                for target, source in at_end(op, inner):
                    self._transfer(target, source, Use(inner, len(inner.ops), None, "transfer", source))

    def _transfer(self, target: Value, source: Value, use: Use) -> None:
        if target in self.needed:
            self._add(source, use)

    def _add(self, value: Value, use: Use) -> None:
        if not isinstance(value, LITERALS):
            self.of.setdefault(value, []).append(use)


def _direct(op: Op) -> Iterator[tuple[Value, str]]:
    """The values that control flow itself reads, transfers apart."""
    if isinstance(op, Straight):
        yield op.head, op.HEAD
    elif isinstance(op, Loop):
        yield from zip(op.over, op.OVER, strict=True)


def _at_ends(op: Op) -> Iterator[tuple[Value, Block, str]]:
    """The values at the ends of a loop's blocks that decide whether it goes on."""
    for test in op.tests if isinstance(op, Loop) else ():
        yield test.yields[0], test, "test"
    if isinstance(op, Loop) and op.breaks:
        yield op.body.yields[0], op.body, "stop"

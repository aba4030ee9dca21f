"""How many places one more of a kind takes (CONTRIBUTING.md says which): tried with a region that only this module has.

A region whose blocks run once says what it is, and how it is written down: two places, and the front end's. Everything between
knows it as what it is made from (``ir.nodes.Straight``): activity, memory, tangents, adjoints, what is recorded, dead code,
names, liveness.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gast
import numpy as np
import pytest

from s2sad import check_grads, differentiate, pipeline
from s2sad.emit import statements
from s2sad.ir.nodes import Block, Call, Function, If, Straight, Undef, Value
from s2sad.ir.verifier import verify
from s2sad.ir.walk import blocks_of, program_of

MADE: list[Chosen] = []


@dataclass(eq=False, slots=True)
class Chosen(Straight):
    """``results = blocks[number].yields``: one of three."""

    HEAD = "number"
    BLOCKS = ("first", "second", "third")

    number: Value = field(default_factory=Undef)
    first: Block = field(default_factory=Block)
    second: Block = field(default_factory=Block)
    third: Block = field(default_factory=Block)

    def operands(self) -> list[Value]:
        return [self.number]

    def blocks(self) -> tuple[Block, ...]:
        return (self.first, self.second, self.third)


def written(made: statements.Statements, op: Chosen) -> list[gast.stmt]:
    """``if number == 0: ... elif number == 1: ... else: ...``."""
    first, second, third = (made.nested(b) + made.assignments.at_end(op, b) or [gast.Pass()] for b in op.blocks())

    def test(k: int) -> gast.expr:
        return gast.Compare(made.expressions.value(op.number), [gast.Eq()], [gast.Constant(k, None)])

    return [gast.If(test(0), first, [gast.If(test(1), second, third)])]


def chosen(function: Function) -> None:
    """What a front end would make of ``if n == 0: ... elif n == 1: ... else: ...``."""
    for block in list(blocks_of(function.body)):
        maker = {r: op for op in block.ops for r in op.results}
        for k, op in enumerate(block.ops):
            inner = op.orelse.ops[-1] if isinstance(op, If) and op.orelse.ops else None
            test = maker.get(op.cond) if isinstance(op, If) else None
            if isinstance(op, If) and isinstance(inner, If) and isinstance(test, Call) and test.target == "operator.eq":
                assert op.orelse.yields == inner.results
                block.ops[k] = region = Chosen(op.results, op.loc, None, test.args[0], op.then, inner.then, inner.orelse)
                MADE.append(region)


@pytest.fixture(autouse=True)
def _with_the_region(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lower = pipeline.lower

    def lowered(*given: Any, **named: Any) -> Any:
        function, program = lower(*given, **named)
        for one in program_of(function):
            chosen(one)
            verify(one)
        return function, program

    monkeypatch.setattr(pipeline, "lower", lowered)
    monkeypatch.setitem(statements.REGIONS, Chosen, written)
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path))
    MADE.clear()


def of_numbers(x, n):
    if n == 0:
        y = x * x
    elif n == 1:
        y = np.sin(x) * x
    else:
        y = 3.0
    return y * x


def of_arrays(x, n):
    v = x * x
    if n == 0:
        y = np.exp(v)
        w = v
    elif n == 1:
        y = v
        w = np.sin(v) * v
    else:
        y = x
        w = v + 1.0
    return np.sum(y * w)


def in_place(x, n):
    a = np.zeros(3)
    a[:] = x
    if n == 0:
        a[0] = a[1] * a[2]
    elif n == 1:
        a *= x
    else:
        a = a * 2.0
    return np.sum(a * a)


def in_a_loop(x, n):
    s = 0.5
    for k in range(4):
        if n == 0:
            s = s * x
        elif n == 1:
            s = np.sin(s) + x * k
        else:
            t = s * s
            s = t * x
    return s


def of_tuples(x, n):
    if n == 0:
        p = (x, x * x)
    elif n == 1:
        p = (x * x, 2.0)
    else:
        p = (1.0, np.cos(x))
    return p[0] * p[1]


PROGRAMS: list[tuple[Callable[..., Any], Any]] = [
    (of_numbers, 0.7), (of_arrays, np.array([0.3, 0.8, 1.1])), (in_place, np.array([0.3, 0.8, 1.1])), (in_a_loop, 0.7),
    (of_tuples, 0.7),
]  # fmt: skip


@pytest.mark.parametrize(("program", "x"), PROGRAMS, ids=lambda p: getattr(p, "__name__", ""))
def test_a_region_of_one_module(program: Callable[..., Any], x: Any) -> None:
    for n in range(3):
        check_grads(program, (x, n), wrt="x")
    assert MADE


def test_its_reverse_is_such_a_region() -> None:
    text = differentiate(of_numbers, wrt="x").source("adjoint", 0.7, 0)
    assert text.count("elif n == 1:") == 2

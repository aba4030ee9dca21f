"""How many places one more of a kind takes (CONTRIBUTING.md says which): tried with two regions that only this module has.

A region says what it is, and how it is written down: two places, and the front end's. Everything between knows it as what it is
made from (``ir.nodes.Straight`` where its blocks run once, ``Loop`` where they run again and again): activity, memory, tangents,
adjoints, what is recorded, dead code, names, liveness.
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
from s2sad.emit.uses import at_entry, at_exit
from s2sad.ir.nodes import Block, Call, For, Function, If, Loop, Op, Straight, Undef, Value
from s2sad.ir.verifier import verify
from s2sad.ir.walk import blocks_of, program_of, values_read

MADE: list[Op] = []


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


@dataclass(eq=False, slots=True)
class Repeat(Loop):
    """The body, ``count`` times."""

    OVER = ("count",)

    count: Value = field(default_factory=Undef)


def repeated(made: statements.Statements, op: Repeat) -> list[gast.stmt]:
    """``for _ in range(count): ...``."""
    times = gast.Call(gast.Name("range", gast.Load(), None, None), [made.expressions.value(op.count)], [])
    body = made.nested(op.body) + made.next_iteration(op) or [gast.Pass()]
    loop = gast.For(gast.Name("_", gast.Store(), None, None), times, body, [], None)
    return [*made.assignments.copies(at_entry(op)), loop, *made.assignments.copies(at_exit(op))]


def repeating(function: Function) -> None:
    """What a front end would make of ``for _ in range(n): ...``, where nothing but ``n`` decides how often."""
    for block in list(blocks_of(function.body)):
        maker = {r: op for op in block.ops for r in op.results}
        for k, op in enumerate(block.ops):
            span = maker.get(op.iterable) if isinstance(op, For) else None
            if not isinstance(op, For) or not isinstance(span, Call) or span.target != "builtins.range" or len(span.args) > 1:
                continue
            if op.snapshots is None and op.body.params[0] not in values_read(op.body):
                body = op.body
                body.params = op.carried
                block.ops[k] = region = Repeat(op.results, op.loc, None, op.init, body, op.breaks, count=span.args[0])
                MADE.append(region)


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
def _with_the_regions(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lower = pipeline.lower

    def lowered(*given: Any, **named: Any) -> Any:
        function, program = lower(*given, **named)
        for one in program_of(function):
            chosen(one)
            repeating(one)
            verify(one)
        return function, program

    monkeypatch.setattr(pipeline, "lower", lowered)
    monkeypatch.setitem(statements.REGIONS, Chosen, written)
    monkeypatch.setitem(statements.REGIONS, Repeat, repeated)
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
    assert any(isinstance(op, Chosen) for op in MADE)


def test_its_reverse_is_such_a_region() -> None:
    text = differentiate(of_numbers, wrt="x").source("adjoint", 0.7, 0)
    assert text.count("elif n == 1:") == 2


def powers(x, n):
    s = 1.0
    for _ in range(n):
        s = s * np.sin(x)
    return s


def of_an_array(x, n):
    for _ in range(n):
        x = np.tanh(x) * x[::-1]
    return np.sum(x)


def stored(x, n):
    a = np.zeros(3)
    for _ in range(n):
        a[1:] = a[:-1] * x[1:]
        a[0] = x[0] * a[2] + x[1]
    return np.sum(a * x)


def nested(x, n):
    s = x
    for _ in range(n):
        for _ in range(2):
            s = s * x
        s = np.cos(s)
    return s


def until(x, n):
    s = x
    for _ in range(n + 5):
        s = s * x + 0.5
        if s > 1.2:
            break
    return s * x


def born_inside(x, n):
    y = 0.0 * x
    for _ in range(n):
        z = x * x
        y = y + z
    return y if n == 0 else y * z


def collected(x, n):
    found = [x]
    for _ in range(n):
        found.append(found[-1] * x)
    return sum(found)


def of_a_pair(x, n):
    p = (x, 1.0)
    for _ in range(n):
        p = (p[1] * x, p[0] + x)
    return p[0] * p[1]


REPEATED: list[tuple[Callable[..., Any], Any]] = [
    (powers, 0.7), (of_an_array, np.array([0.3, 0.8, 1.1])), (stored, np.array([0.3, 0.8, 1.1])), (nested, 0.7), (until, 0.7),
    (born_inside, 0.7), (collected, 0.7), (of_a_pair, 0.7),
]  # fmt: skip


@pytest.mark.parametrize(("program", "x"), REPEATED, ids=lambda p: getattr(p, "__name__", ""))
def test_a_loop_of_one_module(program: Callable[..., Any], x: Any) -> None:
    for n in range(4):
        check_grads(program, (x, n), wrt="x", order=2)
    assert any(isinstance(op, Repeat) for op in MADE)


def test_the_reverse_of_a_loop_of_one_module() -> None:
    text = differentiate(powers, wrt="x").source("adjoint", 0.7, 3)
    assert text.count("    for _ in range(n):\n") == 1 and text.count("    while tape:\n") == 1

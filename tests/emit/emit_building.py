"""Small programs by hand, their text, and what they compute."""

from __future__ import annotations

import copy
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ir_interpreter import run

from s2sad.emit.module import emit_module
from s2sad.ir.builder import Builder, value_of
from s2sad.ir.kinds import BOOL, FLOAT, INT, Array, Kind
from s2sad.ir.nodes import LEAF, Block, For, Function, If, Op, Param, Structure, Value, While
from s2sad.ir.verifier import verify
from s2sad.rules import registry

VECTOR = Array("float64", (None,))
PAIR = Structure("tuple", (LEAF, LEAF))


class Program(Builder):
    """A function under construction: ``p.param("x")``, ``p.call(...)``, ``p.returns(...)``."""

    def __init__(self, name: str = "f") -> None:
        super().__init__(Block(), registry.infer)
        self.function = Function(name, [], self.block)

    def param(self, name: str, kind: Kind = FLOAT, default: Any = None, keyword_only: bool = False) -> Value:
        """A parameter."""
        value = Value(kind, name)
        given = None if default is None else value_of(default)
        self.function.params.append(Param(value, given, keyword_only))
        return value

    def add(self, x: Any, y: Any, name: str | None = None) -> Value:
        """``x + y``."""
        return self.call("operator.add", x, y, name=name)

    def mul(self, x: Any, y: Any, name: str | None = None) -> Value:
        """``x * y``."""
        return self.call("operator.mul", x, y, name=name)

    def less(self, x: Any, y: Any, name: str | None = None) -> Value:
        """``x < y``."""
        return self.call("operator.lt", x, y, name=name)

    def load(self, base: Value, index: Any, name: str | None = None) -> Value:
        """``base[index]``."""
        return self.call("operator.getitem", base, index, name=name)

    def store(self, base: Value, index: Any, value: Any, target: str = "operator.setitem") -> None:
        """``base[index] = value``."""
        self.call(target, base, index, value)

    def range(self, n: Any) -> Value:
        """``range(n)``."""
        return self.call("builtins.range", n)

    # --- regions

    @contextmanager
    def loop(
        self, iterable: Value, init: list[Any], names: list[str | None], item: str | None = "i"
    ) -> Iterator[For]:
        """A ``for`` loop that carries floats; set ``op.body.yields`` inside."""
        op = For(iterable=iterable, init=[value_of(v) for v in init])
        op.body.params = [Value(INT, item), *(Value(v.kind, n) for v, n in zip(op.init, names, strict=True))]
        op.results = [Value(v.kind, n) for v, n in zip(op.init, names, strict=True)]
        with self.inside(op.body):
            yield op
        self.append(op)

    @contextmanager
    def branch(self, cond: Value, names: list[str | None], kind: Kind = FLOAT) -> Iterator[If]:
        """An ``if``; build inside ``with p.inside(op.then)`` and set the yields of both blocks."""
        op = If(cond=cond, results=[Value(kind, n) for n in names])
        yield op
        self.append(op)

    def while_loop(self, init: list[Any], names: list[str | None]) -> While:
        """A ``while`` loop that carries floats; fill both blocks, then append it."""
        op = While(init=[value_of(v) for v in init])
        for block in (op.test, op.body):
            block.params = [Value(v.kind, n) for v, n in zip(op.init, names, strict=True)]
        op.results = [Value(v.kind, n) for v, n in zip(op.init, names, strict=True)]
        return op

    def returns(self, *values: Any, structure: Structure | None = None) -> Function:
        """End the function."""
        self.block.yields = [value_of(v) for v in values]
        flat = LEAF if len(values) == 1 else Structure("tuple", (LEAF,) * len(values))
        self.function.returns = structure or flat
        verify(self.function)
        return self.function


def body_of(function: Function, **options: Any) -> str:
    """The text of one function, from its first line on."""
    text = emit_module([function], **options)
    return text[text.index(f"def {function.name}(") :]


def expected(text: str) -> str:
    """A golden text as it is written in a test."""
    return textwrap.dedent(text).strip("\n") + "\n"


def execute(text: str, name: str = "f", **bound: Any) -> Any:
    """The function that a text defines; ``bound`` is what a loader would bind."""
    namespace: dict[str, Any] = dict(bound)
    exec(compile(text, "<emitted>", "exec"), namespace)
    return namespace[name]


def check(function: Function, golden: str, *args: Any, callees: tuple[Function, ...] = ()) -> None:
    """The text is the golden one, and both styles compute what the program means."""
    text = emit_module([*callees, function])
    assert text[text.index(f"def {function.name}(") :] == expected(golden)
    for style in ("compact", "ssa"):
        found = execute(emit_module([*callees, function], style=style), function.name)(*copy.deepcopy(args))
        assert found == run(function, *copy.deepcopy(args))


__all__ = [
    "BOOL",
    "FLOAT",
    "INT",
    "PAIR",
    "VECTOR",
    "Op",
    "Program",
    "body_of",
    "check",
    "execute",
    "expected",
]

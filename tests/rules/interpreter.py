"""A small interpreter of straight-line programs: formulas are tested without the rest of the compiler.

It also compares the kind of every intermediate result with what NumPy makes.
"""

from __future__ import annotations

import builtins
import functools
import importlib
import math
import operator
import types
from typing import Any

import numpy as np
from sampling import Literal

from s2sad.ir.builder import Builder
from s2sad.ir.kinds import (
    UNKNOWN,
    Array,
    Dim,
    Kind,
    List,
    Scalar,
    Size,
    StructKind,
    Tuple,
    floor_of,
    is_many,
    kind_of,
    least_of,
)
from s2sad.ir.nodes import Block, Call, Const, Value
from s2sad.rules import registry

MODULES: dict[str, Any] = {"numpy": np, "math": math, "operator": operator, "builtins": builtins}


@functools.cache
def function_named(name: str) -> Any:
    """The Python function behind a canonical name."""
    if name == "builtins.tuple":
        return lambda *items: tuple(items)
    if name == "s2sad.items":
        return lambda *items: list(items)
    if name.startswith("ndarray."):
        attribute = name.removeprefix("ndarray.")
        primitive = registry.lookup(name)
        assert primitive is not None
        if primitive.spelling == "attribute":
            return lambda x: getattr(x, attribute)
        return lambda x, *args, **kwargs: getattr(x, attribute)(*args, **kwargs)
    root, _, rest = name.partition(".")
    found = MODULES.get(root) or importlib.import_module(root)
    for part in rest.split("."):
        ours = isinstance(found, types.ModuleType) and found.__name__.startswith("s2sad") and not hasattr(found, part)
        found = importlib.import_module(f"{found.__name__}.{part}") if ours else getattr(found, part)
    return found


class Machine:
    """Builds a program and runs it: the values of the program stand for actual ones."""

    def __init__(self, described: bool = True) -> None:
        self.block = Block()
        self.builder = Builder(self.block, registry.infer if described else lambda _: UNKNOWN)
        self.actual: dict[Value, Any] = {}
        self.described = described

    def value(self, actual: Any, literal: bool = False) -> Value:
        """A value that stands for ``actual``."""
        if literal:
            return Const(actual)
        if isinstance(actual, tuple | list) and self.described:
            target = "builtins.tuple" if isinstance(actual, tuple) else "s2sad.items"
            return self.builder.call(target, *(self.value(item, not _holds_reals(item)) for item in actual))
        value = Value(exact_kind(actual) if self.described else UNKNOWN)
        self.actual[value] = actual
        return value

    def run(self, value: Value) -> Any:
        """Run all operations; the actual result."""
        for op in self.block.ops:
            assert isinstance(op, Call)
            if op.result not in self.actual:
                args = [self.read(a) for a in op.args]
                kwargs = {k: self.read(v) for k, v in op.kwargs.items()}
                found = function_named(op.target)(*args, **kwargs)
                self.actual[op.result] = found
                if self.described:
                    assert fits(op.result.kind, found), (
                        f"{op.target}: {describe(op.result.kind)} but {described(found)}"
                    )
        return self.read(value)

    def read(self, value: Value) -> Any:
        """The actual value."""
        return value.payload if isinstance(value, Const) else self.actual[value]


def _holds_reals(actual: Any) -> bool:
    if isinstance(actual, tuple | list):
        return any(map(_holds_reals, actual))
    return isinstance(actual, float | complex | np.inexact) or (
        isinstance(actual, np.ndarray) and actual.dtype.kind in "fc"
    )


def exact_kind(actual: Any) -> Kind:
    """The kind with symbolic sizes: equal sizes above 1 are one symbol, as in a specialised program."""
    kind = kind_of(actual)
    if isinstance(kind, Array):
        sizes = (n if n < 2 else Dim(("size", n), many=True, least=floor_of(n)) for n in actual.shape)
        return Array(kind.dtype, tuple(sizes))
    return kind


def actual_size(size: Size) -> int | None:
    """What a symbolic size stands for, where this can be told."""
    if not isinstance(size, Dim):
        return size
    if isinstance(size.key, tuple) and size.key[0] == "size":
        return int(size.key[1]) + size.offset
    if isinstance(size.key, tuple) and size.key[0] in ("product", "sum"):
        parts = [actual_size(n) for n in size.key[1]]
        known = [n for n in parts if n is not None]
        return None if len(known) < len(parts) else math.prod(known) if size.key[0] == "product" else sum(known)
    return None


def fits(kind: Kind, actual: Any) -> bool:
    """Whether a kind tells the truth."""
    if isinstance(kind, Tuple):
        return (
            isinstance(actual, tuple | list | np.ndarray)
            and len(actual) == len(kind.items)
            and all(map(fits, kind.items, actual))
        )
    if isinstance(kind, List | StructKind) or kind == UNKNOWN:
        return True
    if isinstance(kind, Scalar):
        number = isinstance(actual, np.generic | int | float | complex)
        same_size = not isinstance(kind.size, int) or kind.size == actual
        dtype = np.result_type(actual if isinstance(actual, np.generic) else type(actual)).name if number else None
        return number and same_size and (kind.types is None or dtype in {name for name, _ in kind.types})
    if isinstance(kind, Array):
        return (
            isinstance(actual, np.ndarray)
            and kind.dtype in (None, actual.dtype.name)
            and _fits_shape(kind.shape, actual.shape)
        )
    return True


def _fits_shape(shape: tuple[Size, ...] | None, actual: tuple[int, ...]) -> bool:
    if shape is None:
        return True
    return len(shape) == len(actual) and all(
        actual_size(n) in (None, m) and m >= least_of(n) and not (m == 1 and isinstance(n, Dim) and is_many(n))
        for n, m in zip(shape, actual, strict=True)
    )


def describe(kind: Kind) -> str:
    """A kind with its sizes, for messages."""
    return (
        f"{kind} {[actual_size(n) for n in kind.shape]}"
        if isinstance(kind, Array) and kind.shape is not None
        else f"{kind!r}"
    )


def described(actual: Any) -> str:
    """What an actual value is, for messages."""
    return f"{type(actual).__name__} {getattr(actual, 'dtype', '')} {np.shape(actual)}"


def prepared(machine: Machine, sample: Any) -> tuple[list[Value], dict[str, Value]]:
    """The arguments of a sample as values: what holds no real numbers is a literal, unless it is an array."""
    args, kwargs = sample.fresh()

    def value(actual: Any) -> Value:
        if isinstance(actual, Literal):
            return machine.value(float(actual), literal=True)
        literal = not _holds_reals(actual) and not isinstance(actual, np.ndarray | np.generic)
        return machine.value(actual, literal)

    return [value(a) for a in args], {k: value(v) for k, v in kwargs.items()}

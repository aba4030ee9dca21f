"""Whether a kind is true of a value, and the order of kinds: what is true of a value is true of it higher up."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from interpreter import actual_size, exact_kind

from s2sad.ir.kinds import (
    ANY_SLICE,
    BOTTOM,
    OBJECT,
    UNKNOWN,
    Array,
    DictOf,
    Dim,
    Kind,
    List,
    Other,
    Scalar,
    Singleton,
    Size,
    Slice,
    StructKind,
    Tuple,
    TupleOf,
    is_many,
    join,
    join_all,
    kind_of,
    least_of,
)

NUMBERS = [Scalar(dtype, weak) for dtype in ("float64", "int64", "bool", "complex128") for weak in (True, False)]
NUMBERS += [Scalar("float32", weak=False), Scalar("int32", weak=False)]
NAMED: dict[str, Any] = {
    "none": lambda x: x is None, "str": lambda x: isinstance(x, str), "range": lambda x: isinstance(x, range),
    "shape": lambda x: isinstance(x, tuple | list), "dtype": lambda x: isinstance(x, np.dtype), "bottom": lambda x: False,
}  # fmt: skip


def holds_reals(actual: Any) -> bool:
    """Whether a value could carry a derivative."""
    if isinstance(actual, tuple | list):
        return any(map(holds_reals, actual))
    return isinstance(actual, float | complex | np.inexact) or isinstance(actual, np.ndarray) and actual.dtype.kind in "fcO"


def exact(actual: Any) -> Kind:
    """All that can be known of a value."""
    if isinstance(actual, tuple | list):
        return Tuple(tuple(map(exact, actual)), listed=isinstance(actual, list))
    return exact_kind(actual) if isinstance(actual, np.ndarray) else kind_of(actual)


def true_of(kind: Kind, actual: Any) -> bool:
    """Whether a kind is true of a value, the least part of it included."""
    if type(kind) is Kind:
        return True
    if isinstance(kind, Scalar):
        python = type(actual) in (bool, int, float, complex)
        known = python or isinstance(actual, np.generic) and actual.dtype.kind in "biufc"
        return known and below(kind_of(actual), Scalar(types=kind.types)) and actual_size(kind.size) in (None, actual)
    if isinstance(kind, Array):
        alike = isinstance(actual, np.ndarray) and kind.dtype in (None, actual.dtype.name)
        return alike and (kind.shape is None or len(kind.shape) == actual.ndim and all(map(_fits, kind.shape, actual.shape)))
    if isinstance(kind, Tuple):
        several = isinstance(actual, tuple | list | np.ndarray) and len(actual) == len(kind.items)
        return several and all(map(true_of, kind.items, actual))
    if isinstance(kind, List):
        items = actual.values() if isinstance(actual, dict) else actual
        sort = dict if isinstance(kind, DictOf) else tuple if isinstance(kind, TupleOf) else list
        return isinstance(actual, sort) and all(true_of(kind.item, x) for x in items)
    if isinstance(kind, StructKind):
        read = actual.__getitem__ if isinstance(actual, dict) else lambda key: getattr(actual, key)
        return all(true_of(item, read(key)) for key, item in zip(kind.keys, kind.items, strict=True))
    if isinstance(kind, Slice):
        return isinstance(actual, slice)
    if isinstance(kind, Singleton):
        return actual is kind.payload
    assert isinstance(kind, Other)
    name, _, dtype = kind.name.partition(" ")
    return bool(NAMED.get(name, lambda x: not holds_reals(x))(actual)) and dtype in ("", getattr(actual, "name", ""))


def _fits(size: Size, actual: int) -> bool:
    wide = not (actual == 1 and isinstance(size, Dim) and is_many(size))
    return actual_size(size) in (None, actual) and actual >= least_of(size) and wide


def below(a: Kind, b: Kind) -> bool:
    """Whether ``b`` is true of all that ``a`` is true of."""
    if a in (b, BOTTOM) or b == UNKNOWN or (b == OBJECT and isinstance(a, Other)):
        return True
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        return _below_size(a.size, b.size) and (b.types is None or a.types is not None and a.types <= b.types)
    if isinstance(a, Array) and isinstance(b, Array):
        known = b.dtype in (None, a.dtype)
        return known and (b.shape is None or a.rank == b.rank and all(map(_below_size, a.shape or (), b.shape)))
    if isinstance(a, Tuple | StructKind) and isinstance(b, Tuple | StructKind):
        return type(a) is type(b) and len(a.items) == len(b.items) and all(map(below, a.items, b.items))
    if isinstance(a, Tuple) and b == Other("shape"):
        return all(isinstance(item, Scalar) and item.is_of("i") for item in a.items)
    if isinstance(a, Tuple) and isinstance(b, List):
        return all(below(item, b.item) for item in a.items)
    if isinstance(a, List) and isinstance(b, List):
        return type(a) is type(b) and below(a.item, b.item)
    if isinstance(a, Slice) and isinstance(b, Slice):
        return b == ANY_SLICE
    return isinstance(a, Other) and isinstance(b, Other) and not isinstance(b, Singleton) and a.name.partition(" ")[0] == b.name


def _below_size(a: Size, b: Size) -> bool:
    if b is None or a == b:
        return True
    if isinstance(b, int):
        return actual_size(a) == b
    known = actual_size(b)
    return known in (None, actual_size(a)) and least_of(a) >= b.least and (not is_many(b) or is_many(a))


def higher(kind: Kind, rng: random.Random) -> Kind:
    """Some kind above another."""
    choice = rng.random()
    if choice < 0.12:
        return UNKNOWN
    if isinstance(kind, Scalar):
        return join(kind, rng.choice(NUMBERS)) if choice < 0.4 else Scalar(types=None if choice < 0.45 else kind.types)
    if isinstance(kind, Array):
        if choice < 0.3 or kind.shape is None:
            return Array(kind.dtype if choice < 0.22 else None, None)
        shape = tuple(_higher_size(n, rng.random()) for n in kind.shape)
        return Array(None if choice < 0.5 else kind.dtype, shape)
    if isinstance(kind, Tuple):
        if choice < 0.3 and kind.items and kind.listed:
            return List(join_all(kind.items))
        return Tuple(tuple(higher(item, rng) for item in kind.items), kind.listed, kind.names, kind.cls)
    if type(kind) is List:
        return List(higher(kind.item, rng))
    if isinstance(kind, Singleton):
        return Other(kind.name)
    return ANY_SLICE if isinstance(kind, Slice) and choice < 0.6 else kind


def _higher_size(size: Size, choice: float) -> Size:
    if choice < 0.3:
        return None
    return Dim(object(), 0, size.many, size.least) if choice < 0.5 and isinstance(size, Dim) else size

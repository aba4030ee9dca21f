"""The order of facts and their join: the least fact that is true of all that either is true of."""

from __future__ import annotations

from typing import Any

from s2sad.facts.assumptions import equal_sizes
from s2sad.facts.kinds import (
    ANY_SLICE,
    BOTTOM,
    NONE,
    OBJECT,
    UNKNOWN,
    UNSURE,
    Array,
    DictOf,
    Kind,
    List,
    Nested,
    Other,
    Scalar,
    Slice,
    Sort,
    StructKind,
    Tuple,
    TupleOf,
    is_differentiable,
)
from s2sad.facts.sizes import Anonymous, Dim, Size, is_many, least_of, same_size


def join_all(kinds: Any) -> Kind:
    """The least kind that covers all of ``kinds``."""
    result: Kind = BOTTOM
    for kind in kinds:
        result = join(result, kind)
    return UNKNOWN if result == BOTTOM else result


def join(a: Kind, b: Kind) -> Kind:
    """The least kind that covers both ``a`` and ``b``."""
    if a == b or b == BOTTOM:
        return a
    if a == BOTTOM:
        return b
    if NONE in (a, b) and (isinstance(a, Nested) or isinstance(b, Nested)):
        return a if isinstance(a, Nested) else b
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        known = a.types is not None and b.types is not None
        size = a.size if same_size(a.size, b.size) else None
        return Scalar(types=a.types | b.types if known else None, size=size)  # type: ignore[operator]
    if isinstance(a, Array) and isinstance(b, Array):
        return Array(a.dtype if a.dtype == b.dtype else None, _join_shapes(a.shape, b.shape))
    if isinstance(a, Tuple) and isinstance(b, Tuple) and len(a.items) == len(b.items):
        named = a if a.cls is b.cls else Tuple()
        return Tuple(tuple(map(join, a.items, b.items)), a.listed and b.listed, named.names, named.cls)
    if isinstance(a, DictOf) and isinstance(b, DictOf):
        return DictOf(join(a.item, b.item), join_keys(a.key, b.key), _one_sort(a, b))
    if isinstance(a, List) and isinstance(b, List) and not isinstance(a, DictOf) and not isinstance(b, DictOf):
        return (TupleOf if TupleOf in (type(a), type(b)) else List)(join(a.item, b.item))  # what makes a tuple gives a list
    if isinstance(a, Other) and isinstance(b, Other) and a.name == b.name:
        return Other(a.name)
    if isinstance(a, Slice) and isinstance(b, Slice):
        return ANY_SLICE
    if isinstance(a, StructKind) and isinstance(b, StructKind) and a.keys == b.keys:
        return StructKind(a.keys, tuple(map(join, a.items, b.items)), a.cls if a.cls is b.cls else None, _one_sort(a, b))
    return UNKNOWN


def _one_sort(a: DictOf | StructKind, b: DictOf | StructKind) -> Sort | None:
    return a.sort if a.sort == b.sort else UNSURE


def join_keys(a: Kind, b: Kind) -> Kind:
    """The kind of keys of either kind; of those that carry no derivative, one that carries none."""
    both = join(a, b)
    if a == b or BOTTOM in (a, b) or not _has_unknown(both):
        return both
    return UNKNOWN if is_differentiable(a) or is_differentiable(b) else OBJECT


def _has_unknown(kind: Kind) -> bool:
    return kind == UNKNOWN or any(map(_has_unknown, kind.inner))


def _join_shapes(a: tuple[Size, ...] | None, b: tuple[Size, ...] | None) -> tuple[Size, ...] | None:
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(_join_sizes(m, n) for m, n in zip(a, b, strict=True))


def _join_sizes(a: Size, b: Size) -> Size:
    if not equal_sizes(a, b):
        if not (is_many(a) and is_many(b)):
            return None
        least = min(least_of(a), least_of(b))
        anonymous = isinstance(a, Dim) and isinstance(a.key, Anonymous)
        key = a.key if anonymous else Anonymous()  # type: ignore[union-attr]
        return a if anonymous and least_of(a) == least else Dim(key, many=True, least=least)
    return Dim(a.key, a.offset, a.many and b.many, min(a.least, b.least)) if isinstance(a, Dim) and isinstance(b, Dim) else a

"""Kinds of the results of functions that put several arrays together; symbolic sizes are kept."""

from __future__ import annotations

from collections.abc import Callable

from s2sad.ir.kinds import Array, Kind, List, Tuple
from s2sad.rules.kind_arrays import (
    ARRAY,
    Shape,
    array_kind,
    broadcast_equal,
    literal_of,
    strong_dtype,
    sum_of_sizes,
)
from s2sad.rules.kind_rules import Bound, KindRule, make, shape_of

# --- several arrays


def _items(kind: Kind) -> tuple[list[Kind], bool] | None:
    """The kinds of the arrays that are put together, and whether these are all."""
    if isinstance(kind, Tuple):
        return [array_kind(item) for item in kind.items], True
    if isinstance(kind, List):
        return [array_kind(kind.item)], False
    if isinstance(kind, Array) and kind.shape:
        item = make(kind.dtype, kind.shape[1:])
        count = kind.shape[0]
        return ([item] * count, True) if isinstance(count, int) and 0 < count < 100 else ([item], False)
    return None


def stacked(bound: Bound) -> Kind:
    """``stack(arrays, axis)``: a new axis."""
    found = _items(next(iter(bound.values())).kind)
    if found is None:
        return ARRAY
    items, complete = found
    dtype = strong_dtype(items)
    shape = broadcast_equal([shape_of(item) for item in items])
    axis = literal_of(bound["axis"])
    if shape is None or axis is None:
        return Array(dtype, None if shape is None else (None,) * (len(shape) + 1))
    at = axis % (len(shape) + 1)
    return Array(dtype, (*shape[:at], len(items) if complete else None, *shape[at:]))


def concatenated(prepare: Callable[[Shape], Shape], axis_of: Callable[[Bound, int], int | None]) -> KindRule:
    """``concatenate`` and its relatives, which first give each array the shape that ``prepare`` says."""

    def rule(bound: Bound) -> Kind:
        found = _items(next(iter(bound.values())).kind)
        if found is None:
            return ARRAY
        items, complete = found
        dtype = strong_dtype(items)
        known = [shape_of(item) for item in items]
        shapes = [prepare(shape) for shape in known if shape is not None]
        ranks = {len(shape) for shape in shapes}
        if len(ranks) != 1:
            return Array(dtype, None)
        (rank,) = ranks
        axis = axis_of(bound, rank)
        if axis is None or not rank:
            return Array(dtype, (None,) * rank if rank else None)
        whole = complete and len(shapes) == len(known)
        return Array(
            dtype,
            tuple(
                (sum_of_sizes(list(sizes)) if whole else None)
                if k == axis % rank
                else next((n for n in sizes if n is not None), None)
                for k, sizes in enumerate(zip(*shapes, strict=True))
            ),
        )

    return rule


def _axis_argument(bound: Bound, rank: int) -> int | None:
    axis = literal_of(bound["axis"])
    return axis if isinstance(axis, int) else None


def concatenate(bound: Bound) -> Kind:
    """``concatenate(arrays, axis)``."""
    axis = bound["axis"]
    if literal_of(axis, axis) is None:
        found = _items(next(iter(bound.values())).kind)
        return ARRAY if found is None else Array(strong_dtype(found[0]), (None,))
    return concatenated(lambda shape: shape, _axis_argument)(bound)


vstack = concatenated(lambda shape: (1,) * (2 - len(shape)) + shape, lambda _, rank: 0)
hstack = concatenated(lambda shape: shape or (1,), lambda _, rank: min(1, rank - 1))
column_stack = concatenated(
    lambda shape: shape if len(shape) > 1 else (*(shape or (1,)), 1), lambda _, rank: 1
)

"""Helpers of programs for several directions at once: what stands in front is the axis of the directions."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.runtime.broadcasting import broadcast_like, unbroadcast
from s2sad.runtime.guards import SeedError
from s2sad.runtime.structures import fields, is_record, record

ROWS = 15 * 2**10  # numbers of 8 bytes in the directions of one sweep: C libraries take more than 128 KiB from the system


def seeds(bars: Any, out: Any) -> Any:
    """``bars``, adjoints of ``out``, one a row. Raises SeedError where they do not fit."""
    if isinstance(out, tuple | list | dict) or np.shape(bars)[1:] != np.shape(out):
        raise SeedError(f"the result has shape {np.shape(out)}, its adjoints {np.shape(bars)[1:]}: give some of the same shape")
    return bars


def broadcast_like_each(x: Any, like: Any) -> Any:
    """Each of ``x``, which have at least as many axes as ``like``, stretched to its shape, in a new array unless they fit."""
    count, shape = len(x), np.shape(like)
    extra = np.ndim(x) - 1 - len(shape)
    if extra > 0:
        x = np.reshape(x, (count, *np.shape(x)[1 + extra :]))
    return broadcast_like(x, np.broadcast_to(like, (count, *shape)))


def unbroadcast_each(bars: Any, like: Any) -> Any:
    """Each of ``bars`` summed over the axes along which ``like`` was stretched, in the dtype of ``like``."""
    count, shape = len(bars), np.shape(like)
    extra = np.ndim(bars) - 1 - len(shape)
    if extra > 0:
        bars = np.sum(bars, axis=tuple(range(1, extra + 1)))
    elif extra < 0:  # a store leaves out axes of size 1 in front of what is stored
        bars = np.reshape(bars, (count, *(1,) * -extra, *np.shape(bars)[1:]))
    like = np.asarray(like)
    floating = like if like.dtype.kind in "fc" else like.astype(float)
    return unbroadcast(bars, np.broadcast_to(floating, (count, *shape)))


def rows_like(x: Any, count: int, dtype: Any) -> Any:
    """A new array of shape (count, *x.shape), in each row laid out in memory as ``x``: a reshape makes the same windows."""
    order = sorted(range(x.ndim), key=lambda k: -abs(x.strides[k]))
    laid = np.empty((count, *(x.shape[k] for k in order)), dtype)
    return laid.transpose(0, *(1 + order.index(k) for k in range(x.ndim)))


def zeros_each(x: Any, count: int) -> Any:
    """Zeros of the structure of ``x``, with ``count`` in place of each number, and of each array as many."""
    if isinstance(x, tuple):
        return tuple.__new__(type(x), [zeros_each(item, count) for item in x])
    if isinstance(x, list):
        return [zeros_each(item, count) for item in x]
    if isinstance(x, dict):
        return {key: zeros_each(item, count) for key, item in x.items()}
    if is_record(x):
        named = fields(x)
        return record(x, tuple(named), *(zeros_each(item, count) for item in named.values()))
    if isinstance(x, bool | int | float | complex | np.generic | np.ndarray):
        made = rows_like(np.asarray(x), count, np.result_type(x, 0.0))
        made[...] = 0
        return made
    return None


def one_by_one(derivative: Any, arguments: tuple[Any, ...], seeds: tuple[Any, ...], **keywords: Any) -> Any:
    """Results of a derivative program for each direction, the derivatives stacked: for programs of which it is not known how to
    take all directions at once. ``seeds`` hold one direction a row."""
    results = [derivative(*arguments, *(row_of(s, k) for s in seeds), **keywords) for k in range(directions_of(seeds))]
    return results[0][0], stacked([result[1] for result in results])


def directions_of(seeds: Any) -> int:
    """The number of rows of the arrays in a structure of seeds: that of the first one."""
    if isinstance(seeds, np.ndarray):
        return len(seeds)
    items = _items(seeds)
    return next((n for n in map(directions_of, items.values()) if n), 0) if items is not None else 0


def stacked(results: list[Any]) -> Any:
    """Values of one structure as one of arrays, which have a row for each; what is no number stays that of the first."""
    first = results[0]
    items = _items(first)
    if items is None:
        number = isinstance(first, bool | int | float | complex | np.generic | np.ndarray)
        return np.stack([np.asarray(r) for r in results]) if number else first
    rows = [_items(r) or {} for r in results]
    return _rebuilt(first, {key: stacked([row[key] for row in rows]) for key in items})


def row_of(seeds: Any, k: int) -> Any:
    """Direction ``k`` of a structure of arrays."""
    if isinstance(seeds, np.ndarray):
        return seeds[k]
    items = _items(seeds)
    return seeds if items is None else _rebuilt(seeds, {key: row_of(item, k) for key, item in items.items()})


def _items(value: Any) -> dict[Any, Any] | None:
    if isinstance(value, tuple | list):
        return dict(enumerate(value))
    if isinstance(value, dict):
        return value
    return dict(fields(value)) if is_record(value) else None


def _rebuilt(like: Any, items: dict[Any, Any]) -> Any:
    if isinstance(like, tuple):
        return tuple.__new__(type(like), items.values())
    if isinstance(like, list):
        return list(items.values())
    return items if isinstance(like, dict) else record(like, tuple(items), *items.values())

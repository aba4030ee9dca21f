"""Methods of ufuncs that have no rule of their own, item by item along an axis: any function of two arguments has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def reduce(f: Any, array: Any, axis: Any = 0, *, keepdims: Any = False) -> Any:
    """``f(f(a[0], a[1]), a[2])`` and so on."""
    whole = np.asarray(array)
    if np.ndim(whole) > 1 if axis is None else isinstance(axis, tuple) and len(axis) > 1:
        f.reduce([[1]], axis=(0, 1))  # raises what NumPy raises where the order of the items matters
    total = _of_items(f, _in_order(whole, axis))
    if axis is None and keepdims:
        return np.reshape(total, (1,) * np.ndim(whole))
    return np.expand_dims(total, axis) if keepdims else total


def _in_order(whole: Any, axis: Any) -> Any:
    """The items one behind the other."""
    if axis is None:
        return np.ravel(whole)
    if not isinstance(axis, tuple):
        return np.moveaxis(whole, axis, 0)
    moved = np.moveaxis(whole, axis, tuple(range(len(axis))))
    return np.reshape(moved, (-1, *np.shape(moved)[len(axis) :]))


def _of_items(f: Any, items: Any) -> Any:
    if len(items) > 1 or f.identity is None:
        total = items[0]
        for k in range(1, len(items)):
            total = f(total, items[k])
        return total
    total = np.full(np.shape(items)[1:], f.identity, dtype=items.dtype)[()]
    for item in items:
        total = f(total, item)
    return total


def accumulate(f: Any, array: Any, axis: Any = 0) -> Any:
    """All that comes on the way of ``reduce``."""
    items = np.moveaxis(np.asarray(array), axis, 0)
    found = np.empty_like(items)
    if len(items) > 0:
        found[0] = items[0]
    for k in range(1, len(items)):
        found[k] = f(found[k - 1], items[k])
    return np.moveaxis(found, 0, axis)


def reduceat(f: Any, array: Any, indices: Any, axis: Any = 0) -> Any:
    """The pieces from each place up to the next, reduced; the item alone where the next lies no further."""
    items, places = np.moveaxis(np.asarray(array), axis, 0), np.asarray(indices)
    found = np.empty((len(places), *np.shape(items)[1:]), dtype=items.dtype)
    for k in range(len(places)):
        start, stop = places[k], places[k + 1] if k + 1 < len(places) else len(items)
        if start < 0 or start >= len(items):
            raise IndexError("index out-of-bounds in reduceat")
        found[k] = f.reduce(items[start:stop]) if stop > start else items[start]
    return np.moveaxis(found, 0, axis)


TABLE: dict[str, Callable[..., Any]] = {program.__name__: program for program in (reduce, accumulate, reduceat)}

"""Helpers of derivatives of maxima, products and running products, along any axes of an array.

``before(x)`` and ``after(x)`` are the products of the items before and after each item; ``scan`` is the
linear recurrence ``r[0] = 0``, ``r[n + 1] = b[n] + x[n] * r[n]``, and ``scan_back`` the same from behind.
Together the four are closed under differentiation, so that products, also of items that are 0, can be
differentiated any number of times.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Lanes = Callable[..., Any]


def ties(x: Any, extreme: Any, axis: Any = None) -> Any:
    """The share that each item of ``x`` has in its maximum or minimum ``extreme``: ties share evenly.

    ``axis``: along which ``extreme`` was taken; where it kept its axes they tell.
    """
    if np.ndim(x) == 0:
        return 1.0
    if np.ndim(extreme) == np.ndim(x):
        axis = tuple(k for k, size in enumerate(np.shape(extreme)) if size == 1)
    elif axis is not None:
        extreme = np.expand_dims(extreme, axis)
    x = np.asarray(x)  # of an iterator, too
    at = np.equal(x, extreme)
    return np.divide(at, np.sum(at, axis=axis, keepdims=True), dtype=np.result_type(x, 0.0))


def largest_item(items: Any) -> Any:
    """``max(items)`` of a vector: the first of the largest, or the first one, if that is NaN, which no item is larger than."""
    found = items[np.argmax(items)] if len(items) else np.nan
    return found if found == found else max(items)


def smallest_item(items: Any) -> Any:
    """``min(items)`` of a vector, in the same way."""
    found = items[np.argmin(items)] if len(items) else np.nan
    return found if found == found else min(items)


def _along(lanes: Lanes, axis: Any, *arrays: Any) -> Any:
    """Apply ``lanes``, which works on the last axis, along ``axis``: None for all, an int, or a tuple."""
    shape = np.broadcast_shapes(*map(np.shape, arrays))
    if not shape:
        return lanes(*(np.reshape(a, (1,)) for a in arrays))[0]
    axes = (
        tuple(range(len(shape)))
        if axis is None
        else tuple(axis)
        if isinstance(axis, tuple | list)
        else (axis,)
    )
    last = tuple(range(-len(axes), 0))
    moved = [np.moveaxis(np.broadcast_to(a, shape), axes, last) for a in arrays]
    kept = moved[0].shape
    outer = kept[: len(shape) - len(axes)]
    flat = lanes(*(np.reshape(a, (*outer, math.prod(kept[len(outer) :]))) for a in moved))
    return np.moveaxis(np.reshape(flat, kept), last, axes)


def _before(x: Any) -> Any:
    found = np.ones(x.shape, dtype=np.result_type(x, 0.0))
    np.cumprod(x[..., :-1], axis=-1, out=found[..., 1:])
    return found


def _scan(b: Any, x: Any) -> Any:
    found = np.zeros(x.shape, dtype=np.result_type(b, x, 0.0))
    for n in range(x.shape[-1] - 1):
        found[..., n + 1] = b[..., n] + x[..., n] * found[..., n]
    return found


def before(x: Any, axis: Any = None) -> Any:
    """For each item of ``x`` the product of those before it along ``axis``."""
    return _along(_before, axis, x)


def after(x: Any, axis: Any = None) -> Any:
    """For each item of ``x`` the product of those after it along ``axis``."""
    return _along(lambda x: _before(x[..., ::-1])[..., ::-1], axis, x)


def scan(b: Any, x: Any, axis: Any = None) -> Any:
    """``r[0] = 0``, ``r[n + 1] = b[n] + x[n] * r[n]`` along ``axis``."""
    return _along(_scan, axis, b, x)


def scan_back(b: Any, x: Any, axis: Any = None) -> Any:
    """``r[-1] = 0``, ``r[n - 1] = b[n] + x[n] * r[n]`` along ``axis``."""
    return _along(lambda b, x: _scan(b[..., ::-1], x[..., ::-1])[..., ::-1], axis, b, x)


def prod_of_others(x: Any, axis: Any = None) -> Any:
    """For each item of ``x`` the product of all others along ``axis``: the derivative of ``numpy.prod``."""
    return before(x, axis) * after(x, axis)

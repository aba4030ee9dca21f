"""Helpers of derivatives of means, extrema, quantiles and covariances.

A quantile is a weighted mean of two order statistics. Its weights hold while no two items change places, so that
``quantile_push`` (the mean of ``x`` with the weights found in ``a``) and ``quantile_pull``, its transpose, are linear
in their first argument and constant in ``a``. Items that are equal to an order statistic share its weight evenly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from s2sad.runtime.broadcasting import unbroadcast
from s2sad.runtime.guards import SeedError


def count_where(mask: Any, like: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """How many items of ``mask``, stretched to the shape of ``like``, are true along ``axis``; in the dtype of ``like``."""
    dtype = np.result_type(np.real(like), 0.0)
    return np.sum(np.broadcast_to(mask, np.shape(like)), axis=axis, keepdims=keepdims, dtype=dtype)


def item_shares(
    x: Any, extreme: Any, mask: Any, initial: Any = None, axis: Any = None, keepdims: bool = False
) -> Any:
    """The share of each item of ``x`` in ``max(x, axis, initial=initial, where=mask)``, likewise ``min``.

    Items where ``mask`` is false have none; all others that equal ``extreme``, and ``initial`` if it does, share evenly.
    """
    if axis is not None and not keepdims:
        extreme = np.expand_dims(extreme, axis)
    at = np.logical_and(np.equal(x, extreme), mask)
    count = np.sum(at, axis=axis, keepdims=True) + (0 if initial is None else np.equal(initial, extreme))
    return np.divide(at, np.maximum(count, 1), dtype=np.result_type(x, 0.0))[()]


# --- quantiles

# alpha and beta of the continuous definitions of a sample quantile (Hyndman and Fan, The American Statistician 50, 1996)
_PARAMETERS = {
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "linear": (1.0, 1.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}


def _position(count: int, q: Any, method: str) -> tuple[int, int, float, float]:
    """The places of the two order statistics, the share of the second, and how fast it grows with ``q``.

    NumPy itself says where the quantile lies: of the numbers 0, 1, ... it is its own place.
    """
    place = float(np.quantile(np.arange(float(count)), q, method=method))  # type: ignore[call-overload]
    low = min(int(place), max(count - 2, 0))
    alpha, beta = _PARAMETERS.get(method, (0.0, 0.0))
    virtual = float(count * q + alpha + q * (1 - alpha - beta) - 1)
    inside = -1e-9 <= virtual <= count - 1 + 1e-9
    slope = count + 1 - alpha - beta if method in _PARAMETERS and inside and count > 1 else 0.0
    return low, min(low + 1, count - 1), place - low, slope


def _evenly(lanes: Any, value: Any) -> Any:
    at = np.equal(lanes, value)
    return np.divide(at, np.maximum(np.sum(at, axis=-1, keepdims=True), 1), dtype=lanes.dtype)


def _weightings(lanes: Any, levels: Any, method: str, ignore_nan: bool, order: int) -> Iterator[Any]:
    """For each level the weights of the items along the last axis, differentiated ``order`` times by the level."""
    nan = np.isnan(lanes)
    counts = np.sum(~nan, axis=-1) if ignore_nan else np.full(lanes.shape[:-1], lanes.shape[-1])
    lost = (counts == 0 if ignore_nan else np.any(nan, axis=-1))[..., None]
    kept = np.unique(counts[counts > 0]).tolist()
    positions = {count: [_position(count, level, method) for level in np.ravel(levels)] for count in kept}
    needed = {k for rows in positions.values() for row in rows for k in row[:2]}
    ordered = np.partition(lanes, sorted(needed), axis=-1) if needed else lanes  # NaN comes last
    low, high = np.zeros(counts.shape, dtype=int), np.zeros(counts.shape, dtype=int)
    share, slope = np.zeros(counts.shape), np.zeros(counts.shape)
    for k in range(np.size(levels)):
        for count in kept:
            here = counts == count
            low[here], high[here], share[here], slope[here] = positions[count][k]
        first, second = (
            _evenly(lanes, np.take_along_axis(ordered, i[..., None], axis=-1)) for i in (low, high)
        )
        by_first, by_second = (
            ((1 - share, share), (-slope, slope))[order] if order < 2 else (0 * share, 0 * share)
        )
        one, two = (weights[..., None].astype(lanes.real.dtype) for weights in (by_first, by_second))
        found = np.real(first * one + second * two)
        yield np.where(lost, np.nan, found) if np.any(lost) else found


def _axes(axis: Any, rank: int) -> tuple[int, ...]:
    return tuple(range(rank)) if axis is None else (axis,) if hasattr(axis, "__index__") else tuple(axis)


def _to_lanes(x: Any, axis: Any) -> Any:
    """The reduced axes of ``x`` put together as the last one."""
    x = np.asarray(x)
    axes = _axes(axis, x.ndim)
    moved = np.moveaxis(x, axes, tuple(range(-len(axes), 0)))
    outer = x.ndim - len(axes)
    return np.reshape(moved, (*moved.shape[:outer], math.prod(moved.shape[outer:])))


def _from_lanes(lanes: Any, shape: tuple[int, ...], axis: Any) -> Any:
    """The inverse of ``_to_lanes`` of an array of this shape."""
    axes = _axes(axis, len(shape))
    places = tuple(range(-len(axes), 0))
    moved = np.moveaxis(np.broadcast_to(0, shape), axes, places).shape
    return np.moveaxis(np.reshape(lanes, moved), places, axes)


def _floating(a: Any) -> Any:
    return np.asarray(a, dtype=np.result_type(np.asarray(a), 0.0))


def quantile_push(
    x: Any,
    a: Any,
    q: Any,
    axis: Any = None,
    keepdims: bool = False,
    method: str = "linear",
    ignore_nan: bool = False,
    order: int = 0,
) -> Any:
    """The items of ``x`` weighted as ``quantile(a, q, axis)`` weights those of ``a``.

    ``x`` has the shape of ``a``, the result that of the quantile, in the dtype of ``x`` and ``q`` together. ``order``
    counts how often the weights are differentiated by ``q``. Lanes that hold NaN give NaN unless ``ignore_nan``. Of an empty
    ``a`` NumPy's functions that pass over NaN give a result without the axes of ``q``; its slope by those is refused
    (SeedError).
    """
    if ignore_nan and not np.size(a) and np.ndim(q):
        if order:
            raise SeedError("of an empty array nanquantile and nanpercentile have no axes of levels, and no slope by them")
        q = 0.5
    lanes, items = _to_lanes(_floating(a), axis), _to_lanes(x, axis)
    levels = q if isinstance(q, int | float) else np.asarray(q)
    if lanes.shape[-1]:
        weightings = _weightings(lanes, levels, method, ignore_nan, order)
        rows = [np.sum(np.where(weights == 0, 0, weights * items), axis=-1) for weights in weightings]
    else:
        rows = [np.full(lanes.shape[:-1], np.nan, items.dtype)] * np.size(levels)
    found = np.reshape(rows, (*np.shape(levels), *lanes.shape[:-1]))
    if keepdims:
        axes = (k % np.ndim(a) + np.ndim(levels) for k in _axes(axis, np.ndim(a)))
        found = np.expand_dims(found, tuple(axes))
    return found.astype(np.result_type(items, levels, 0.0))[()]


def quantile_pull(
    bar: Any,
    a: Any,
    q: Any,
    axis: Any = None,
    keepdims: bool = False,
    method: str = "linear",
    ignore_nan: bool = False,
    order: int = 0,
) -> Any:
    """The transpose of ``quantile_push``: an array of the shape and dtype of ``a``."""
    del keepdims  # the size and order of the items of bar do not depend on it
    if not np.size(a):
        return np.zeros_like(a)
    lanes = _to_lanes(_floating(a), axis)
    bars = np.reshape(bar, (np.size(q), *lanes.shape[:-1]))
    found = np.zeros_like(lanes)
    for weights, one in zip(_weightings(lanes, q, method, ignore_nan, order), bars, strict=True):
        found += weights * one[..., None]
    return unbroadcast(_from_lanes(found, np.shape(a), axis), a)


# --- covariances


def variables(m: Any, rowvar: bool = True) -> Any:
    """The observations as ``numpy.cov`` sees them: a matrix with a row for each variable. A view where possible."""
    if np.ndim(m) < 2:
        return np.reshape(m, (1, -1))
    return np.asarray(m) if rowvar else np.transpose(m)


def all_variables(m: Any, y: Any, rowvar: bool = True) -> Any:
    """The variables of ``m`` and ``y`` below each other; where ``m`` has none NumPy leaves out those of ``y``, too."""
    first = variables(m, rowvar)
    return np.concatenate((first, variables(y, rowvar))) if len(first) else first


def variables_adjoint(bar: Any, m: Any, rowvar: bool = True) -> Any:
    """The adjoint of ``variables``: ``bar`` in the shape and dtype of ``m``."""
    return unbroadcast(np.reshape(bar, np.shape(m)) if np.ndim(m) < 2 or rowvar else np.transpose(bar), m)

"""Averages, histograms and quantiles with options, and reductions that pass over NaN and a mask."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np

from s2sad.runtime import histogram_weighted, weights_along

__all__ = [
    "average", "histogram", "histogram_bin_edges", "nanmax", "nanmean", "nanmin", "nanpercentile", "nanprod", "nanquantile",
    "nansum", "percentile", "quantile",
]  # fmt: skip
Given = Annotated[Any, "given"]
Several = Annotated[Any, "several"]


def average(a: Any, axis: Any = None, weights: Any = None, returned: Given = False, **options: Any) -> Any:
    """The average, and the sum of the weights of each."""
    mean = np.average(a, axis, weights, **options)
    if not returned:
        return mean
    if weights is None:
        return mean, np.ones_like(mean) * (np.size(a) / np.size(mean))
    along = np.broadcast_to(weights_along(weights, a, axis), np.shape(a))
    return mean, np.sum(along, axis=axis, **options) * np.ones_like(mean)


def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = False, weights: Any = None) -> Any:
    """Sums of weights in bins, or counts, which are flat in the data; and the edges of the bins."""
    if weights is None:
        sums = histogram_weighted(a, np.ones(np.shape(a)), bins, range).astype(np.int64)
    else:
        sums = histogram_weighted(a, weights, bins, range)
    edges = np.asarray(bins) if np.ndim(bins) == 1 else np.histogram_bin_edges(a, bins, range)
    if density:
        sums = sums / np.diff(edges) / np.sum(sums)
    return sums, edges


def histogram_bin_edges(a: Any, bins: Annotated[Any, "number"] = 10, range: Any = None, weights: Any = None) -> Any:
    """Edges at equal distances, between the extremes of the data where no range is given."""
    items = np.asarray(a)
    first, last = _extremes(items) if range is None else range
    if bins < 1:
        raise ValueError("`bins` must be positive, when an integer")
    if last < first:
        raise ValueError("max must be larger than min in range parameter.")
    if not (np.isfinite(first) and np.isfinite(last)):
        raise ValueError(f"range of [{first}, {last}] is not finite")
    if first == last:
        first, last = first - 0.5, last + 0.5
    return np.linspace(first, last, bins + 1).astype(items.dtype if np.issubdtype(items.dtype, np.floating) else np.float64)


def _extremes(items: Any) -> Any:
    """The least and the largest item; of nothing 0 and 1."""
    return (np.min(items), np.max(items)) if np.size(items) else (0.0, 1.0)


# --- what passes over NaN: an item takes its place that the reduction does not notice


def nansum(
    a: Any, axis: Any = None, dtype: Literal[None] = None, out: Literal[None] = None, keepdims: Any = False,
    initial: Given = None, where: Given = None,
) -> Any:  # fmt: skip
    """The sum."""
    return _reduced(np.sum, np.where(np.isnan(a), 0, a), axis, keepdims, initial, where)


def nanprod(
    a: Any, axis: Any = None, dtype: Literal[None] = None, out: Literal[None] = None, keepdims: Any = False,
    initial: Given = None, where: Given = None,
) -> Any:  # fmt: skip
    """The product."""
    return _reduced(np.prod, np.where(np.isnan(a), 1, a), axis, keepdims, initial, where)


def nanmax(
    a: Any, axis: Any = None, out: Literal[None] = None, keepdims: Any = False, initial: Given = None, where: Given = None
) -> Any:
    """The largest."""
    return _reduced(np.max, _without(a, -np.inf), axis, keepdims, initial, where)


def nanmin(
    a: Any, axis: Any = None, out: Literal[None] = None, keepdims: Any = False, initial: Given = None, where: Given = None
) -> Any:
    """The smallest."""
    return _reduced(np.min, _without(a, np.inf), axis, keepdims, initial, where)


def nanmean(
    a: Any, axis: Any = None, dtype: Literal[None] = None, out: Literal[None] = None, keepdims: Any = False, *,
    where: Given = None,
) -> Any:  # fmt: skip
    """The mean."""
    missing = np.isnan(a)
    count = _reduced(np.sum, np.logical_not(missing), axis, keepdims, None, where)
    total = _reduced(np.sum, np.where(missing, 0, a), axis, keepdims, None, where)
    return total / count.astype(total.dtype)


def _without(a: Any, neutral: Any) -> Any:
    """The items, something neutral in place of NaN; integers are none."""
    items = np.asarray(a)
    return np.where(np.isnan(items), neutral, items) if np.issubdtype(items.dtype, np.inexact) else items


def _reduced(reduce: Any, whole: Any, axis: Any, keepdims: Any, initial: Any, where: Any) -> Any:
    if initial is None:
        return reduce(whole, axis=axis, keepdims=keepdims, where=where)
    if where is None:
        return reduce(whole, axis=axis, keepdims=keepdims, initial=initial)
    return reduce(whole, axis=axis, keepdims=keepdims, initial=initial, where=where)


# --- quantiles with weights: a call for each level


def _each(quantile: Any, a: Any, levels: Any, axis: Any, method: Any, keepdims: Any, weights: Any) -> Any:
    return np.stack([quantile(a, q, axis=axis, method=method, keepdims=keepdims, weights=weights) for q in levels])


def quantile(
    a: Any, q: Several, axis: Any = None, out: Literal[None] = None, overwrite_input: Literal[False] = False,
    method: Any = "linear", keepdims: Any = False, *, weights: Given = None,
) -> Any:  # fmt: skip
    """The quantiles."""
    return _each(np.quantile, a, q, axis, method, keepdims, weights)


def percentile(
    a: Any, q: Several, axis: Any = None, out: Literal[None] = None, overwrite_input: Literal[False] = False,
    method: Any = "linear", keepdims: Any = False, *, weights: Given = None,
) -> Any:  # fmt: skip
    """The percentiles."""
    return _each(np.percentile, a, q, axis, method, keepdims, weights)


def nanquantile(
    a: Any, q: Several, axis: Any = None, out: Literal[None] = None, overwrite_input: Literal[False] = False,
    method: Any = "linear", keepdims: Any = False, *, weights: Given = None,
) -> Any:  # fmt: skip
    """The quantiles without NaN."""
    return _each(np.nanquantile, a, q, axis, method, keepdims, weights)


def nanpercentile(
    a: Any, q: Several, axis: Any = None, out: Literal[None] = None, overwrite_input: Literal[False] = False,
    method: Any = "linear", keepdims: Any = False, *, weights: Given = None,
) -> Any:  # fmt: skip
    """The percentiles without NaN."""
    return _each(np.nanpercentile, a, q, axis, method, keepdims, weights)

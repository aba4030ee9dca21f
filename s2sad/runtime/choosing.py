"""Where functions find, put and choose items: places as indices, and the adjoints of choices and interpolation.

A function called ``f_adjoint`` takes the adjoint ``bar`` of the result of ``f`` first. Results are new arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.runtime.broadcasting import unbroadcast
from s2sad.runtime.pieces import take_adjoint

# --- places


def section_bounds(x: Any, sections: int, axis: int = 0, even: bool = True) -> tuple[int, ...]:
    """The ends of the pieces that ``split`` (or, not ``even``, ``array_split``) makes along an axis.

    The first pieces of an uneven split have one item more. Raises ValueError as NumPy does.
    """
    size = np.shape(x)[axis]
    if sections <= 0:
        raise ValueError("number of sections must be larger than 0")
    each, extras = divmod(size, sections)
    if even and extras:
        raise ValueError("array split does not result in an equal division")
    return tuple(k * each + min(k, extras) for k in range(sections + 1))


def flat_places(a: Any, ind: Any, mode: str = "raise") -> tuple[Any, ...]:
    """The index of the items that ``put(a, ind, ...)`` writes: ``ind`` counts the items of ``a`` in C order.

    Raises IndexError for a place outside, unless ``mode`` is 'wrap' or 'clip'.
    """
    places, size = np.asarray(ind), np.size(a)
    if mode == "wrap":
        places = places % size
    elif mode == "clip":
        places = np.clip(places, 0, size - 1)
    elif mode != "raise":
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    elif np.any((places < -size) | (places >= size)):
        raise IndexError(f"a place is out of bounds for an array of {size} items")
    return np.unravel_index(places % size if size else places, np.shape(a))


def flat_cells(a: Any, index: Any) -> tuple[Any, ...]:
    """The index in ``a`` of the items that ``a.flat[index]`` names. Raises IndexError as that does."""
    return np.unravel_index(np.arange(np.size(a))[index], np.shape(a))


def mask_places(a: Any, mask: Any) -> tuple[Any, ...]:
    """The index of the items of ``a`` where ``mask``, of the same size, is true, in C order. Raises ValueError."""
    chosen = np.asarray(mask, dtype=bool)
    if chosen.size != np.size(a):
        raise ValueError("place: mask and data must be the same size")
    return np.unravel_index(np.flatnonzero(chosen), np.shape(a))


def places_along(a: Any, indices: Any, axis: int) -> tuple[Any, ...]:
    """The index of the items that ``take_along_axis(a, indices, axis)`` takes."""
    at = axis % np.ndim(a)
    shape = np.shape(indices)
    sizes = [n if k == at else m for k, (n, m) in enumerate(zip(shape, np.shape(a), strict=True))]
    grid: list[Any] = list(np.ogrid[tuple(slice(n) for n in sizes)])
    grid[at] = indices
    return tuple(grid)


def diagonal_places(a: Any, wrap: bool = False) -> tuple[Any, ...]:
    """The index of the items that ``fill_diagonal(a, ..., wrap)`` writes. Raises ValueError as NumPy does."""
    shape = np.shape(a)
    if len(shape) < 2:
        raise ValueError("array must be at least 2-d")
    if len(shape) > 2 and len(set(shape)) > 1:
        raise ValueError("All dimensions of input must be of equal length")
    step = shape[1] + 1 if len(shape) == 2 else 1 + sum(int(np.prod(shape[:k])) for k in range(1, len(shape)))
    end = shape[1] ** 2 if len(shape) == 2 and not wrap else None
    return np.unravel_index(np.arange(np.size(a))[:end:step], shape)


def placement(a: Any, out: Any, axis: int | None = -1) -> Any:
    """Where the items of ``out``, the same items in another order along ``axis``, stood in ``a``.

    Equal items are matched in the order in which they stand. ``take_along_axis(a, places, axis)`` is ``out``.
    """
    source = np.argsort(a, axis, kind="stable")
    rank = np.argsort(np.argsort(out, axis, kind="stable"), axis, kind="stable")
    return np.take_along_axis(source, rank, axis)


# --- choices and insertions


def choose_adjoint(bar: Any, a: Any, choices: Any, mode: str = "raise") -> Any:
    """The adjoint of ``choose(a, choices)``: to each choice what was taken from it; a tuple or list, as they are."""
    count, chosen = len(choices), np.asarray(a)
    if mode != "raise":
        chosen = chosen % count if mode == "wrap" else np.clip(chosen, 0, count - 1)
    parts = [unbroadcast(np.where(chosen == k, bar, 0.0), choice) for k, choice in enumerate(choices)]
    if isinstance(choices, np.ndarray):
        return np.stack(parts)
    return parts if isinstance(choices, list) else tuple(parts)


def insert_adjoint(bar: Any, arr: Any, obj: Any, values: Any, axis: int | None = None, k: int = 0) -> Any:
    """The adjoint of ``arr`` (``k`` is 0) or ``values`` (1) of ``insert(arr, obj, values, axis)``.

    All items are numbered, and NumPy puts the numbers where it puts the items.
    """
    count = np.size(arr)
    numbers = np.arange(count).reshape(np.shape(arr))
    others = count + np.arange(np.size(values)).reshape(np.shape(values))
    places = np.insert(numbers, obj, others, axis)
    every = take_adjoint(bar, np.zeros(count + np.size(values)), places)
    like = values if k else arr
    due = np.reshape(every[count:] if k else every[:count], np.shape(like))[()]
    return unbroadcast(due, like) if np.iscomplexobj(due) else due  # real items have real adjoints


def _remaining(filt: Any, trim: str, axis: Any) -> tuple[slice, ...]:
    """The items that ``trim_zeros(filt, trim, axis)`` leaves, by axes."""
    items, sides = np.asarray(filt), trim.lower()
    found = [slice(None)] * items.ndim
    for k in range(items.ndim) if axis is None else [int(a) % items.ndim for a in np.ravel(axis)]:
        kept = np.nonzero(items)[k]
        first, last = (int(kept.min()), int(kept.max()) + 1) if kept.size else (0, 0)
        whole = kept.size > 0
        found[k] = slice(first if "f" in sides else 0, items.shape[k] if whole and "b" not in sides else last)
    return tuple(found)


def trim_adjoint(bar: Any, filt: Any, trim: str = "fb", axis: Any = None) -> Any:
    """The adjoint of ``trim_zeros(filt, trim, axis)``: ``bar`` where the items were that remained, zeros elsewhere."""
    found = np.zeros(np.shape(filt), dtype=np.result_type(bar, 0.0))
    found[_remaining(filt, trim, axis)] = bar
    return found[()]


def trimmed(bar: Any, filt: Any, trim: str = "fb", axis: Any = None) -> Any:
    """The items of ``bar`` that stand where ``trim_zeros(filt, trim, axis)`` leaves those of ``filt``: a view, or a list."""
    places = _remaining(filt, trim, axis)
    if isinstance(bar, list | tuple):
        return bar[places[0]] if len(places) == 1 else np.asarray(bar)[places]
    return bar if np.ndim(filt) == 0 else bar[places]


# --- interpolation


def _knots(x: Any, xp: Any, period: float | None) -> tuple[Any, Any, Any]:
    """Places, knots in ascending order, and which item of ``xp`` each of them is."""
    x, xp = np.asarray(x, dtype=float), np.asarray(xp, dtype=float)
    order = np.arange(xp.size)
    if period is None:
        return x, xp, order
    x, xp = x % abs(period), xp % abs(period)
    order = np.argsort(xp)
    xp = xp[order]
    return (
        x,
        np.concatenate((xp[-1:] - abs(period), xp, xp[:1] + abs(period))),
        np.concatenate((order[-1:], order, order[:1])),
    )


def _interval(x: Any, knots: Any, side: str) -> tuple[Any, Any]:
    """The interval of each place, and whether it is inside; a knot belongs to the interval on its ``side``."""
    found = np.searchsorted(knots, x, side) - 1  # type: ignore[call-overload]
    return np.clip(found, 0, max(0, knots.size - 2)), (found >= 0) & (found < knots.size - 1)


def interp_slope(x: Any, xp: Any, fp: Any, period: float | None = None) -> Any:
    """The derivative of ``interp(x, xp, fp)`` by ``x``: the slope of the interval, 0 outside, at a knot the middle."""
    x, knots, order = _knots(x, xp, period)
    values = np.asarray(fp)[order]
    if knots.size < 2:
        return np.zeros(np.shape(x))[()]
    slopes = np.diff(values) / np.diff(knots)
    total = np.zeros(np.shape(x))
    for side in ("left", "right"):
        interval, inside = _interval(x, knots, side)
        total = total + np.where(inside, slopes[interval], 0.0)
    return (0.5 * total)[()]


def interp_slope_adjoint(bar: Any, x: Any, xp: Any, fp: Any, period: float | None = None) -> Any:
    """The adjoint of ``fp`` of ``interp_slope``, which is linear in it."""
    x, knots, order = _knots(x, xp, period)
    found = np.zeros(np.shape(fp), dtype=np.result_type(bar, 0.0))
    if knots.size < 2:
        return found
    widths = np.diff(knots)
    for side in ("left", "right"):
        interval, inside = _interval(x, knots, side)
        share = 0.5 * np.where(inside, bar, 0.0) / widths[interval]
        np.add.at(found, order[interval + 1], share)
        np.add.at(found, order[interval], -share)
    return found


def interp_adjoint(
    bar: Any, x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: float | None = None
) -> Any:
    """The adjoint of ``fp`` of ``interp(x, xp, fp, left, right)``; values given for the outside take no part."""
    x, knots, order = _knots(x, xp, period)
    found = np.zeros(np.shape(fp), dtype=np.result_type(bar, 0.0))
    bar = np.where(x < knots[0], 0.0, bar) if left is not None and period is None else np.asarray(bar)
    bar = np.where(x > knots[-1], 0.0, bar) if right is not None and period is None else bar
    if knots.size < 2:
        return found + np.sum(bar)
    interval, _ = _interval(x, knots, "right")
    start, width = knots[interval], np.diff(knots)[interval]
    share = np.clip((x - start) / width, 0.0, 1.0)
    np.add.at(found, order[interval], bar * (1.0 - share))
    np.add.at(found, order[interval + 1], bar * share)
    return found


def interp_outside(x: Any, xp: Any, side: str) -> Any:
    """1.0 where ``x`` lies below ('left') or above ('right') all knots, else 0.0."""
    found = np.asarray(x) < np.asarray(xp)[0] if side == "left" else np.asarray(x) > np.asarray(xp)[-1]
    return np.where(found, 1.0, 0.0)[()]

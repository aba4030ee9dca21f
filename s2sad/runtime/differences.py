"""Adjoints of differences, integrals and sums over pieces of an array: ``bar`` is that of the result.

All are linear in ``bar``, and new arrays unless a function's own text says otherwise.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.runtime.broadcasting import unbroadcast


def diff_part(bar: Any, k: int, a: Any, prepend: Any = None, append: Any = None, axis: int = -1) -> Any:
    """The part of ``bar`` that belongs to ``(prepend, a, append)[k]``, put together as ``numpy.diff`` does it."""
    part = (prepend, a, append)[k]
    return unbroadcast(bar[_part_index(k, a, prepend, append, axis)], part)


def diff_part_adjoint(
    part: Any, k: int, a: Any, prepend: Any = None, append: Any = None, axis: int = -1
) -> Any:
    """The adjoint of ``diff_part``: zeros of the shape of the whole around ``part``."""
    shape = list(np.shape(a))
    shape[axis] += sum(_length(x, axis) for x in (prepend, append))
    whole = np.zeros(shape, dtype=np.result_type(part, np.asarray(a), 0.0))
    whole[_part_index(k, a, prepend, append, axis)] = part
    return whole


def _length(x: Any, axis: int) -> int:
    return 0 if x is None else 1 if np.ndim(x) == 0 else int(np.shape(x)[axis])


def _part_index(k: int, a: Any, prepend: Any, append: Any, axis: int) -> tuple[Any, ...]:
    sizes = [_length(x, axis) for x in (prepend, a, append)]
    start = sum(sizes[:k])
    index: list[Any] = [slice(None)] * np.ndim(a)
    index[axis] = slice(start, start + sizes[k])
    return tuple(index)


# --- integrals


def _intervals(bar: Any, y: Any, axis: int) -> tuple[Any, Any]:
    """``bar`` spread along the intervals between the items of ``y``, and the means of ``y`` on them; axis last."""
    y = np.moveaxis(np.asarray(y), axis, -1)
    return np.asarray(bar)[..., None], 0.5 * (y[..., 1:] + y[..., :-1])


def trapezoid_adjoint(bar: Any, y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """The adjoint of ``y`` in ``trapezoid(y, x, dx, axis)``, in the shape and dtype of ``y``."""
    if x is not None:
        dx = np.diff(x) if np.ndim(x) == 1 else np.diff(np.moveaxis(np.asarray(x), axis, -1))
    count = np.shape(y)[axis]
    half = _met(0.5 * dx * np.asarray(bar)[..., None], count - 1)
    found = np.zeros((*half.shape[:-1], count), dtype=half.dtype)
    found[..., 1:] += half
    found[..., :-1] += half
    return unbroadcast(np.moveaxis(found, -1, axis if axis < 0 else axis - np.ndim(y)), y)


def _met(along: Any, count: int) -> Any:
    """What reaches so many intervals, where a single one meets all those of the other argument."""
    if count == 1:
        return np.sum(along, axis=-1, keepdims=True)
    return np.broadcast_to(along, (*along.shape[:-1], count)) if along.shape[-1] == 1 and count > 1 else along


def trapezoid_adjoint_x(bar: Any, y: Any, x: Any, axis: int = -1) -> Any:
    """The adjoint of the places ``x`` in ``trapezoid(y, x)``, in the shape and dtype of ``x``."""
    spread, means = _intervals(bar, y, axis)
    along = _met(spread * means, np.shape(x)[-1 if np.ndim(x) == 1 else axis] - 1)
    found = np.zeros((*along.shape[:-1], along.shape[-1] + 1), dtype=along.dtype)
    found[..., 1:] += along
    found[..., :-1] -= along
    return unbroadcast(found if np.ndim(x) == 1 else np.moveaxis(found, -1, axis), x)


def trapezoid_adjoint_dx(bar: Any, y: Any, dx: Any, axis: int = -1) -> Any:
    """The adjoint of the spacing ``dx`` in ``trapezoid(y, dx=dx)``, in the shape and dtype of ``dx``."""
    spread, means = _intervals(bar, y, axis)
    along = spread * means
    return unbroadcast(along if np.ndim(dx) < 2 else np.moveaxis(along, -1, axis), dx)


# --- differences


def gradient_adjoint(bar: Any, spacing: Any = 1.0, axis: int | None = None, edge_order: int = 1) -> Any:
    """The adjoint of ``f`` in ``gradient(f, spacing, axis=axis, edge_order=edge_order)``, in the dtype of ``bar``.

    ``spacing`` is a number, or the places of the items. Each derivative is that of the parabola through three items
    (of the line through two at the ends, with ``edge_order=1``). Raises ValueError without an axis if there are several.
    """
    if axis is None and np.ndim(bar) != 1:
        raise ValueError(
            "the derivative of numpy.gradient along all axes at once is not known here: give an axis"
        )
    lanes = np.moveaxis(np.asarray(bar), -1 if axis is None else axis, -1)
    count = lanes.shape[-1]
    steps = np.diff(spacing) if np.ndim(spacing) else np.full(count - 1, spacing)
    steps = steps.astype(np.result_type(lanes, 0.0))
    left, right = steps[:-1], steps[1:]
    found = np.zeros(lanes.shape, dtype=steps.dtype)
    inner = lanes[..., 1:-1]
    found[..., :-2] -= inner * (right / (left * (left + right)))
    found[..., 1:-1] += inner * ((right - left) / (left * right))
    found[..., 2:] += inner * (left / (right * (left + right)))
    for end, away in ((0, 1), (-1, -1)):
        near = steps[end] * away
        if edge_order == 1:
            weights = [-1 / near, 1 / near]
        else:
            far = steps[end + away] * away
            weights = [
                -(2 * near + far) / (near * (near + far)),
                (near + far) / (near * far),
                -near / (far * (near + far)),
            ]
        for k, weight in enumerate(weights):
            found[..., end + k * away] += weight * lanes[..., end]
    return np.moveaxis(found, -1, -1 if axis is None else axis)


# --- sums over pieces


def reduceat_adjoint(bar: Any, a: Any, indices: Any, axis: int = 0) -> Any:
    """The adjoint of ``numpy.add.reduceat(a, indices, axis)``, in the shape and dtype of ``a``."""
    found = np.zeros(np.shape(a), dtype=np.result_type(bar, 0.0))
    target, source = np.moveaxis(found, axis, 0), np.moveaxis(np.asarray(bar), axis, 0)
    starts = np.asarray(indices)
    ends = np.append(starts[1:], target.shape[0])
    lengths = np.where(
        starts < ends, ends - starts, 1
    )  # an index that is not below the next one stands for one item
    offsets = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    np.add.at(target, np.repeat(starts, lengths) + offsets, np.repeat(source, lengths, axis=0))
    return unbroadcast(found, a)


def histogram_adjoint(bar: Any, a: Any, weights: Any, bins: Any = 10, range: Any = None) -> Any:
    """The adjoint of ``weights`` in ``histogram(a, bins, range, weights=weights)[0]``: the ``bar`` of each item's bin."""
    edges = np.histogram_bin_edges(a, bins, range)
    place = np.searchsorted(edges, a, side="right") - 1
    place = np.where(np.equal(a, edges[-1]), len(edges) - 2, place)
    inside = (place >= 0) & (place < len(edges) - 1)
    return unbroadcast(np.where(inside, np.asarray(bar)[np.where(inside, place, 0)], 0.0), weights)


def histogram_weighted(a: Any, weights: Any, bins: Any = 10, range: Any = None) -> Any:
    """The sums of ``weights`` in each bin: ``histogram(a, bins, range, weights=weights)[0]``."""
    return np.histogram(a, bins, range, weights=weights)[0]


# --- parts of numbers


def fraction(x: Any) -> Any:
    """The first result of ``numpy.modf``: the fractional part, with the sign of ``x``."""
    return np.modf(x)[0]


def whole_part(x: Any) -> Any:
    """The second result of ``numpy.modf``: the number without its fractional part, a float."""
    return np.modf(x)[1]


def mantissa(x: Any) -> Any:
    """The first result of ``numpy.frexp``: ``x`` scaled by a power of two, between 0.5 and 1 in size."""
    return np.frexp(x)[0]


def exponent(x: Any) -> Any:
    """The second result of ``numpy.frexp``: the power of two that ``mantissa`` takes out."""
    return np.frexp(x)[1]


# --- running extrema


def running_place(x: Any, out: Any, axis: int = 0, last: bool = False) -> Any:
    """Where each running maximum (or minimum) ``out`` of ``x`` comes from: the index along ``axis`` of the first item
    that equals it so far, or of the last one. The result is an integer array of the shape of ``x``.
    """
    lanes, runs = np.moveaxis(np.asarray(x), axis, -1), np.moveaxis(np.asarray(out), axis, -1)
    here = np.equal(lanes, runs)
    if not last:
        here[..., 1:] = runs[..., 1:] != runs[..., :-1]
    found = np.maximum.accumulate(np.where(here, np.arange(lanes.shape[-1]), 0), axis=-1)
    return np.moveaxis(found, -1, axis)

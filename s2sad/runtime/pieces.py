"""Adjoints of functions that cut, repeat and gather: ``bar`` is that of the result, ``x`` the argument."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from s2sad.runtime.broadcasting import unbroadcast
from s2sad.runtime.guards import UnsupportedError


def unconcatenate(bar: Any, arrays: Any, axis: int | None = 0) -> Any:
    """Cut ``bar`` into pieces of the shapes of ``arrays``: the adjoint of concatenation.

    The pieces have the dtypes of ``arrays``, and are views of ``bar`` where that has it, too. An array that lacks an
    axis counts as one slice (``vstack``); ``axis`` is the last one at most (``hstack``). The result is a tuple or list
    as ``arrays`` is, an array for an array.
    """
    bar = np.ravel(bar) if axis is None else np.asarray(bar)
    at = 0 if axis is None else min(axis % bar.ndim if axis < 0 else axis, bar.ndim - 1)
    pieces = []
    start = 0
    for array in arrays:
        shape = np.shape(array)
        size = int(np.prod(shape)) if axis is None else shape[at] if len(shape) == bar.ndim else 1
        index = (slice(None),) * at + (slice(start, start + size),)
        pieces.append(unbroadcast(np.reshape(bar[index], shape), array))
        start += size
    if isinstance(arrays, np.ndarray):
        return np.stack(pieces)
    return pieces if isinstance(arrays, list) else tuple(pieces)


def reconcatenate(pieces: Any, like: Any, axis: int | None = 0) -> Any:
    """Put what ``unconcatenate`` cut together again, to the shape of ``like``; Python's numbers take its precision."""
    shape = np.shape(like)
    pieces = [
        np.asarray(piece, dtype=np.result_type(like, piece)) if type(piece) is float else piece
        for piece in pieces
    ]
    if axis is None:
        return np.reshape(np.concatenate([np.ravel(piece) for piece in pieces]), shape)
    at = min(axis % len(shape) if axis < 0 else axis, len(shape) - 1)
    return np.concatenate([np.reshape(piece, (*shape[:at], -1, *shape[at + 1 :])) for piece in pieces], at)


def untile(bar: Any, x: Any, reps: Any) -> Any:
    """The adjoint of ``tile(x, reps)``."""
    shape = np.shape(x)
    counts = tuple(map(int, reps if np.iterable(reps) else (reps,)))  # of a set, too; True is one
    rank = max(len(shape), len(counts))
    counts = (1,) * (rank - len(counts)) + counts
    sizes = (1,) * (rank - len(shape)) + shape
    split = np.reshape(bar, [n for pair in zip(counts, sizes, strict=True) for n in pair])
    return np.reshape(split.sum(axis=tuple(range(0, 2 * rank, 2))), shape)[()]


def unrepeat(bar: Any, x: Any, repeats: Any, axis: int | None = None) -> Any:
    """The adjoint of ``repeat(x, repeats, axis)``; a number has no axes."""
    axis = axis if np.ndim(x) else None
    size = np.size(x) if axis is None else np.shape(x)[axis]
    index = np.repeat(np.arange(size), repeats)
    return take_adjoint(bar, x, index, axis)


def take_adjoint(bar: Any, x: Any, indices: Any, axis: int | None = None, mode: str = "raise") -> Any:
    """The adjoint of ``take(x, indices, axis)``: ``bar`` summed into zeros of the shape of ``x``."""
    found = np.zeros(np.shape(x), dtype=np.result_type(bar, 0.0))
    if not found.size:
        return found
    counted = "b" if isinstance(indices, np.ndarray) else "bf"  # which ``take`` counts or cuts off, and a subscript would not
    indices = np.asarray(indices)
    if indices.dtype.kind in counted:
        indices = indices.astype(np.intp)
    if axis is None:
        target, source = np.reshape(found, -1), bar
    else:
        axis = axis % found.ndim
        target = np.moveaxis(found, axis, 0)
        source = np.moveaxis(bar, range(axis, axis + indices.ndim), range(indices.ndim))
    if mode != "raise":
        size = target.shape[0]
        indices = indices % size if mode == "wrap" else np.clip(indices, 0, size - 1)
    np.add.at(target, indices, source)
    return found[()]


def take_along_adjoint(bar: Any, x: Any, indices: Any, axis: int | None = -1) -> Any:
    """The adjoint of ``take_along_axis(x, indices, axis)``."""
    found = np.zeros(np.shape(x), dtype=np.result_type(bar, 0.0))
    if axis is None:
        np.add.at(np.reshape(found, -1), indices, bar)
        return found
    at = axis % found.ndim
    shape = np.broadcast_shapes(
        np.shape(bar), *(n[:at] + (1,) + n[at + 1 :] for n in (np.shape(x), np.shape(indices)))
    )
    grid = list(np.ogrid[tuple(slice(n) for n in shape)])
    grid = [
        np.minimum(index, n - 1) for index, n in zip(grid, found.shape, strict=True)
    ]  # stretched axes of x
    grid[at] = indices
    np.add.at(found, tuple(grid), bar)
    return found


def diag_adjoint(bar: Any, v: Any, k: int = 0) -> Any:
    """The adjoint of ``diag(v, k)``: of a vector the diagonal, a view; of a matrix zeros around ``bar``."""
    return np.diagonal(bar, k) if np.ndim(v) == 1 else diagonal_adjoint(bar, v, k)


def diagonal_adjoint(bar: Any, x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Zeros of the shape of ``x``, in a new array, with ``bar`` on the diagonal."""
    found = np.zeros(np.shape(x), dtype=np.result_type(bar, 0.0))
    planes = np.moveaxis(found, (axis1, axis2), (-2, -1))
    rows, columns = max(0, -offset), max(0, offset)
    index = np.arange(max(0, min(planes.shape[-2] - rows, planes.shape[-1] - columns)))
    planes[..., rows + index, columns + index] = bar
    return found


def diagonal_window(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """A diagonal of an array, as a window that can be written if the array can."""
    found = np.diagonal(a, offset, axis1, axis2)
    found.flags.writeable = a.flags.writeable
    return found


def pad_adjoint(bar: Any, x: Any, pad_width: Any, mode: str = "constant", reflect_type: str = "even") -> Any:
    """The adjoint of ``pad(x, pad_width, mode)``. For constant padding it is a view of ``bar``."""
    shape = np.shape(x)
    if isinstance(pad_width, dict):  # widths by axis
        given = {axis % len(shape): np.broadcast_to(width, 2) for axis, width in pad_width.items()}
        pad_width = [tuple(given.get(axis, (0, 0))) for axis in range(len(shape))]
    if mode == "constant":
        widths = np.broadcast_to(pad_width, (len(shape), 2))
        return bar[
            tuple(slice(int(first), int(first) + n) for (first, _), n in zip(widths, shape, strict=True))
        ]
    if reflect_type == "odd":
        for axis, (first, last) in reversed([*enumerate(np.broadcast_to(pad_width, (len(shape), 2)))]):
            bar = _turned_adjoint(bar, shape[axis], int(first), int(last), axis, mode == "symmetric")
        return bar
    source = np.pad(np.arange(np.size(x)).reshape(shape), pad_width, mode)  # type: ignore[call-overload]
    return take_adjoint(bar, x, source)


def _turned_adjoint(bar: Any, count: int, first: int, last: int, axis: int, symmetric: bool) -> Any:
    """The adjoint of a reflection at the points of both ends, along one axis of ``count`` items.

    With the period p = count (symmetric) or count - 1, item q p + r of the result is x[r] + q d for an even q and
    2 x[-1] - x[mirror of r] + (q - 1) d for an odd one, where d = x[-1] - x[0].
    """
    period = count if symmetric else max(1, count - 1)
    turns, rest = np.divmod(np.arange(-first, count + last), period)
    odd = turns % 2
    places = np.where(odd, (count - 1 if count > 1 else 0) - rest, rest)
    bar = np.moveaxis(bar, axis, -1)
    found = np.zeros((*bar.shape[:-1], count), dtype=np.result_type(bar, 0.0))
    np.add.at(np.moveaxis(found, -1, 0), places, np.moveaxis(np.where(odd, -bar, bar), -1, 0))
    drift = (turns - odd).astype(found.real.dtype)
    found[..., 0] -= bar @ drift
    found[..., -1] += bar @ (drift + 2 * odd.astype(drift.dtype))
    return np.moveaxis(found, -1, axis)


def windows_adjoint(bar: Any, x: Any, window_shape: Any, axis: Any = None) -> Any:
    """The adjoint of ``sliding_window_view(x, window_shape, axis)``: each item gets what all windows over it have."""
    found = np.zeros(np.shape(x), dtype=np.result_type(bar, 0.0))
    for offset, start in _offsets(found.ndim, _window(window_shape), axis):
        _add_at(found, start, bar[(..., *offset)])
    return found


def einsum_windows_adjoint(x: Any, window_shape: Any, axis: Any, subscripts: str, *operands: Any) -> Any:
    """``windows_adjoint(einsum(subscripts, *operands), x, window_shape, axis)``, without an array of all windows."""
    found, window = np.zeros(np.shape(x), dtype=np.result_type(*operands, 0.0)), _window(window_shape)
    left, _, result = subscripts.replace(" ", "").partition("->")
    kept, slid = result[: len(result) - len(window)], result[len(result) - len(window) :]
    labels, arrays = left.split(","), [np.asarray(v) for v in operands]
    terms = ["".join(c for c in label if c not in slid) for label in labels]
    if kept in labels and sorted(terms) == [*[""] * (len(terms) - 1), kept]:  # one of them, times numbers
        whole = arrays.pop(at := labels.index(kept))
        factors = np.broadcast_to(np.einsum(f"{','.join([*labels[:at], *labels[at + 1 :]])}->{slid}", *arrays), window)
        for offset, start in _offsets(found.ndim, window, axis):
            _add_at(found, start, factors[offset] * whole)
        return found
    for offset, start in _offsets(found.ndim, window, axis):
        known = dict(zip(slid, offset, strict=True))
        parts = [_items_at(v, label, known) for v, label in zip(arrays, labels, strict=True)]
        _add_at(found, start, np.einsum(f"{','.join(terms)}->{kept}", *parts))
    return found


def _items_at(x: Any, label: str, at: dict[str, int]) -> Any:
    """The items of an operand at some indices; those of an axis of size 1 are the same everywhere."""
    return x[tuple(min(at[c], n - 1) if c in at else slice(None) for c, n in zip(label, x.shape, strict=True))]


def _window(window_shape: Any) -> tuple[int, ...]:
    return (int(window_shape),) if np.ndim(window_shape) == 0 else tuple(map(int, window_shape))


def _offsets(rank: int, window: tuple[int, ...], axis: Any) -> Iterator[tuple[tuple[int, ...], list[int]]]:
    """The places in a window, each with the place of what is there in the first window, along all axes."""
    axes = range(rank) if axis is None else (axis,) if np.ndim(axis) == 0 else axis
    for offset in np.ndindex(*window):
        start = [0] * rank
        for k, n in zip(axes, offset, strict=True):
            start[k] += n
        yield offset, start


def _add_at(found: Any, start: list[int], part: Any) -> None:
    found[tuple([slice(first, first + n) for first, n in zip(start, part.shape, strict=True)])] += part


def diff_adjoint(bar: Any, n: int = 1, axis: int = -1, size: int | None = None) -> Any:
    """The adjoint of ``diff(x, n, axis)``, where ``x`` has ``size`` items along the axis.

    Raises UnsupportedError where no differences are left and the size is not told.
    """
    n, widths = int(n), [(0, 0)] * np.ndim(bar)  # True is a number of differences
    if n > 1 and not np.shape(bar)[axis]:
        if size is not None:
            shape = list(np.shape(bar))
            shape[axis] = size
            return np.zeros(shape, dtype=np.result_type(bar))
        raise UnsupportedError(f"the adjoint of diff with n={n} along axis {axis}, which has {n} items or fewer")
    widths[axis] = (n, n)
    return (-1) ** n * np.diff(np.pad(bar, widths), n, axis)


def inverse_axes(axes: Sequence[int]) -> tuple[int, ...]:
    """The axes that undo ``transpose(x, axes)``."""
    return tuple(int(k) for k in np.argsort([a % len(axes) for a in axes]))

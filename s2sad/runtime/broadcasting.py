"""Undoing and redoing what NumPy's broadcasting does to shapes and dtypes.

z = x + b          # x has shape (n, m), b has shape (m,)
b_bar = unbroadcast(z_bar, b)
"""

from __future__ import annotations

from typing import Any

import numpy as np


def unbroadcast(bar: Any, like: Any) -> Any:
    """Sum ``bar`` over the axes along which ``like`` was stretched, and give it the dtype of ``like``.

    Returns ``bar`` itself where there is nothing to do. Numbers come back as numbers of the type of ``like``. What is due to a
    list comes back as an array, or as a list where some of its items are real and others complex.
    """
    kind = type(like)
    if kind is float:
        return float(bar if type(bar) in (float, np.float64) else np.sum(np.real(bar)))
    if type(bar) is kind and _agree(bar, like):
        return bar
    if kind is tuple and type(bar) is tuple and any(item is None or isinstance(item, list | tuple | dict) for item in bar):
        return bar  # of a tape, whose structure nothing stretches
    if kind in (list, tuple) and np.iscomplexobj(bar) and _some_real(like):
        return kind(unbroadcast(np.asarray(g), item) for g, item in zip(bar, like, strict=True))
    shape = np.shape(like)
    if np.shape(bar) != shape:
        bar = _sum_to(np.asarray(bar), shape)
    return _cast(bar, like)


class Stretched(Exception):
    """Arrays that a program expects to be as long as each other are not: another program serves such arguments."""


def as_long_as(x: Any, like: Any) -> Any:
    """``x`` itself, an array that has the shape of ``like``. Raises Stretched where it has not."""
    if x.shape == like.shape:
        return x
    raise Stretched(f"an array of shape {x.shape} meets one of shape {like.shape}; this program is for equal shapes")


def as_a_row_of(x: Any, like: Any) -> Any:
    """``x`` itself, an array that has the shape of the last axes of ``like``. Raises Stretched where it has not."""
    if x.shape == like.shape[like.ndim - x.ndim :]:
        return x
    raise Stretched(f"an array of shape {x.shape} meets one of shape {like.shape}; this program is for equal last axes")


def as_number(x: Any) -> Any:
    """``x`` itself, one of Python's numbers, or of NumPy's in double precision. Raises Stretched where it is something else."""
    if type(x) in (float, int, np.float64, np.int64):
        return x
    raise Stretched(f"a {type(x).__name__} stands where this program is for numbers")


def _some_real(items: Any) -> bool:
    """Presence of real items, or of such in theirs, so that no array holds their adjoints where others are complex."""
    if isinstance(items, list | tuple):
        return any(map(_some_real, items))
    return not np.iscomplexobj(items)


def _agree(bar: Any, like: Any) -> bool:
    """Agreement of two of one type in shape and dtype, which is real or complex: the usual case, asked first."""
    if type(like) is np.ndarray:
        return bar.shape == like.shape and bar.dtype == like.dtype and like.dtype.kind in "fc"
    return isinstance(like, np.inexact)


def _sum_to(bar: Any, shape: tuple[int, ...]) -> Any:
    if 0 in shape:
        return np.zeros(shape, bar.dtype)  # what was made of no items, as ``diff`` of an empty array is
    extra = bar.ndim - len(shape)
    if extra < 0:  # a store leaves out axes of size 1 in front of what is stored
        bar, extra = bar[(None,) * -extra], 0
    stretched = tuple(k for k, n in enumerate(shape, extra) if n == 1 and bar.shape[k] != 1)
    return bar.sum(axis=(*range(extra), *stretched)).reshape(shape)


def _cast(bar: Any, like: Any) -> Any:
    """``bar`` with the dtype of ``like``, if that is a real or complex one; an array for an array."""
    if type(like) is complex:
        return complex(bar)
    array = isinstance(like, np.ndarray)
    dtype = like.dtype if array or isinstance(like, np.generic) else np.asarray(like).dtype
    if dtype.kind != "c":
        bar = np.real(bar)
    if dtype.kind in "fc" and getattr(bar, "dtype", None) != dtype:
        bar = np.asarray(bar, dtype=dtype)
    if array or np.shape(like):
        return np.asarray(bar)
    return bar[()] if isinstance(bar, np.ndarray) else bar


def broadcast_like(x: Any, like: Any) -> Any:
    """``x`` stretched to the shape of ``like``, in a new array; ``x`` itself where it has that shape, a list as an array for one.

    As a store does, it leaves out axes of size 1 in front that ``like`` does not have.

    The dtype is that of ``x``; a Python number takes the precision of ``like``.
    """
    shape = np.shape(like)
    if np.shape(x) == shape:
        if isinstance(x, list | tuple) and isinstance(like, np.ndarray):
            return np.asarray(x)
        number = isinstance(x, np.ndarray) and not shape and not isinstance(like, np.ndarray)
        return x[()] if number else x
    if isinstance(x, int | float | complex):
        return np.full(shape, x, dtype=np.result_type(np.asarray(like), x, 0.0))
    extra = np.ndim(x) - len(shape)
    if extra > 0:
        x = np.reshape(x, np.shape(x)[extra:])
    return np.array(np.broadcast_to(x, shape))


def in_place(old: Any, new: Any) -> Any:
    """The result of ``old op= e``, from ``new``, which is ``old op e``: an array stays in its shape and dtype."""
    if not isinstance(old, np.ndarray) or type(new) is type(old) and new.dtype == old.dtype and new.shape == old.shape:
        return new
    made = np.empty_like(old)
    np.copyto(made, new, casting="same_kind")  # raises what op= raises
    return made


def spread(bar: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The adjoint of a sum of ``x`` along ``axis``: ``bar`` repeated along these axes, in a new array."""
    shape = np.shape(x)
    if not shape:
        return bar
    if axis is not None and not keepdims:
        bar = np.expand_dims(bar, _axes(axis, len(shape)))
    elif axis is None and not keepdims:
        bar = np.reshape(bar, ())
    return _cast(np.array(np.broadcast_to(bar, shape)), x)


def _axes(axis: Any, rank: int) -> tuple[int, ...]:
    return tuple(int(a) % rank for a in (axis if isinstance(axis, tuple | list) else (axis,)))


def size_along(x: Any, axis: Any = None) -> int:
    """The number of items that a reduction of ``x`` along ``axis`` puts together."""
    shape = np.shape(x)
    axes = range(len(shape)) if axis is None else _axes(axis, len(shape)) if shape else ()
    count = 1
    for k in axes:
        count *= shape[k]
    return count


def weights_along(weights: Any, x: Any, axis: Any = None) -> Any:
    """The weights of ``numpy.average`` with all axes of ``x``, some of size 1; a view of ``weights``."""
    if np.shape(weights) == np.shape(x) or axis is None:
        return np.asarray(weights)
    axes = _axes(axis, np.ndim(x))
    ordered = np.transpose(
        weights, np.argsort(axes)
    )  # the axes of weights follow the order in which axis names them
    return np.expand_dims(ordered, tuple(k for k in range(np.ndim(x)) if k not in axes))


def weights_along_adjoint(bar: Any, weights: Any, x: Any, axis: Any = None) -> Any:
    """The adjoint of ``weights_along``."""
    if np.shape(weights) == np.shape(x) or axis is None:
        return bar
    axes = _axes(axis, np.ndim(x))
    ordered = np.squeeze(bar, tuple(k for k in range(np.ndim(x)) if k not in axes))
    return np.transpose(ordered, np.argsort(np.argsort(axes)))

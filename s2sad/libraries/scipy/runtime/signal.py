"""Adjoints of convolutions and filters: ``bar`` is the adjoint of the result."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.signal import convolve, fftconvolve

from s2sad.runtime.broadcasting import unbroadcast


def _whole(bar: Any, in1: Any, in2: Any, mode: str) -> Any:
    """``bar`` in its place in the full convolution, which has zeros elsewhere."""
    first, second = np.shape(in1), np.shape(in2)
    sizes = [m + n - 1 for m, n in zip(first, second, strict=True)]
    found = np.zeros(sizes, dtype=np.result_type(bar, 0.0))
    starts = [0] * len(sizes)
    if mode == "same":
        starts = [(n - 1) // 2 for n in second]
    elif mode == "valid":
        starts = [min(m, n) - 1 for m, n in zip(first, second, strict=True)]
    found[tuple(slice(start, start + count) for start, count in zip(starts, np.shape(bar), strict=True))] = (
        bar
    )
    return found


def convolve_adjoint_1(bar: Any, in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Any:
    """The adjoint of the first factor of ``scipy.signal.convolve(in1, in2, mode, method)``, in its shape and dtype."""
    if not np.size(in1) or not np.size(in2):
        return np.zeros_like(in1)
    whole = _whole(bar, in1, in2, mode)
    return unbroadcast(convolve(whole, np.flip(in2), "valid", method), in1)


def convolve_adjoint_2(bar: Any, in1: Any, in2: Any, mode: str = "full", method: str = "auto") -> Any:
    """The adjoint of the second factor of ``scipy.signal.convolve(in1, in2, mode, method)``, in its shape and dtype."""
    if not np.size(in1) or not np.size(in2):
        return np.zeros_like(in2)
    whole = _whole(bar, in1, in2, mode)
    return unbroadcast(convolve(whole, np.flip(in1), "valid", method), in2)


def _along(bar: Any, in1: Any, in2: Any, axes: Any) -> tuple[Any, tuple[int, ...]]:
    """``bar`` in its place, the middle, in the full convolution along some axes, and these; the other axes are stretched."""
    first, second = np.shape(in1), np.shape(in2)
    chosen = tuple(k % len(first) for k in np.ravel(axes))
    sizes = [m + n - 1 if k in chosen else max(m, n) for k, (m, n) in enumerate(zip(first, second, strict=True))]
    whole = np.zeros(sizes, dtype=np.result_type(bar, 0.0))
    starts = [(size - count) // 2 for size, count in zip(sizes, np.shape(bar), strict=True)]
    whole[tuple(slice(start, start + count) for start, count in zip(starts, np.shape(bar), strict=True))] = bar
    return whole, chosen


def fftconvolve_adjoint_1(bar: Any, in1: Any, in2: Any, mode: str = "full", axes: Any = -1) -> Any:
    """The adjoint of the first factor of ``scipy.signal.fftconvolve(in1, in2, mode, axes)``, in its shape and dtype.

    Where the result lies in the full one, its shape tells: ``mode`` is what the adjoint's own derivative is taken with.
    """
    if not np.size(in1) or not np.size(in2):
        return np.zeros_like(in1)
    whole, chosen = _along(bar, in1, in2, axes)
    return unbroadcast(fftconvolve(whole, np.flip(in2, chosen), "valid", chosen), in1)


def fftconvolve_adjoint_2(bar: Any, in1: Any, in2: Any, mode: str = "full", axes: Any = -1) -> Any:
    """The adjoint of the second factor of ``scipy.signal.fftconvolve(in1, in2, mode, axes)``, in its shape and dtype.

    Where the result lies in the full one, its shape tells: ``mode`` is what the adjoint's own derivative is taken with.
    """
    if not np.size(in1) or not np.size(in2):
        return np.zeros_like(in2)
    whole, chosen = _along(bar, in1, in2, axes)
    return unbroadcast(fftconvolve(whole, np.flip(in1, chosen), "valid", chosen), in2)


def lag_products(h: Any, x: Any, count: int, axis: int = -1) -> Any:
    """The ``count`` sums of ``h[t] * x[t - k]`` over ``t`` along an axis and over all other axes; a vector."""
    h, x = np.moveaxis(np.asarray(h), axis, -1), np.moveaxis(np.asarray(x), axis, -1)
    size = x.shape[-1]
    found = np.zeros(count, dtype=np.result_type(h, x))
    for k in range(min(count, size)):
        found[k] = np.sum(h[..., k:] * x[..., : size - k])
    return found


def margins(weights: Any, first: int, full: bool = False) -> list[tuple[int, int]]:
    """How far weighted sums look beyond an image, before and after it, along each axis: no more than needed for sums at
    the places of the image, or (``full``) for all in which an item of it takes part.

    ``first``: 1 if the larger part is before the image where the weights have an even size, else 0.
    """
    if full:
        return [(max(n - 1, 0),) * 2 for n in np.shape(weights)]
    return [(n // 2, max(n - 1, 0) - n // 2)[:: 1 if first else -1] for n in np.shape(weights)]

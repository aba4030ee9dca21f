"""Adjoints of filters along one axis, and of the spline that interpolates samples, as ``scipy.ndimage`` computes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import ndimage

from s2sad.runtime.broadcasting import unbroadcast

_PAD = {
    "reflect": "symmetric",
    "nearest": "edge",
    "mirror": "reflect",
    "wrap": "wrap",
    "constant": "constant",
}
_PAD |= {"grid-mirror": "symmetric", "grid-wrap": "wrap", "grid-constant": "constant"}


def _places(size: int, before: int, after: int, mode: str) -> Any:
    """Which sample each place of the axis with its margins repeats; ``size`` where it is a constant."""
    if _PAD[mode] == "constant" or size == 0:  # nothing can be repeated
        return np.pad(np.arange(size), (before, after), constant_values=size)
    return np.pad(np.arange(size), (before, after), _PAD[mode])  # type: ignore[call-overload]


def correlate1d_adjoint(
    bar: Any, input: Any, weights: Any, axis: int = -1, mode: str = "reflect", origin: int = 0
) -> Any:
    """The adjoint of ``input`` in ``scipy.ndimage.correlate1d(input, weights, axis, mode=mode, origin=origin)``."""
    lanes = np.moveaxis(np.asarray(bar), axis, -1)
    size, count = lanes.shape[-1], len(weights)
    before = count // 2 + origin
    margin = [(0, 0)] * (lanes.ndim - 1) + [(count // 2, (count - 1) // 2)]
    whole = ndimage.convolve1d(np.pad(lanes, margin), weights, axis=-1, mode="constant")
    found = np.moveaxis(whole[..., before : before + size].copy(), -1, 0)
    places = _places(size, before, count - 1 - before, mode)
    for outside in (slice(before), slice(before + size, None)):
        inside = places[outside] < size
        np.add.at(found, places[outside][inside], np.moveaxis(whole[..., outside], -1, 0)[inside])
    return unbroadcast(np.moveaxis(np.moveaxis(found, 0, -1), -1, axis), input)


def correlate1d_adjoint_weights(
    bar: Any,
    input: Any,
    weights: Any,
    axis: int = -1,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
) -> Any:
    """The adjoint of ``weights`` in ``scipy.ndimage.correlate1d(input, weights, axis, None, mode, cval, origin)``."""
    lanes, bars = (np.moveaxis(np.asarray(x), axis, -1) for x in (input, bar))
    size, count = lanes.shape[-1], len(weights)
    before = count // 2 + origin
    rim = np.full((*lanes.shape[:-1], 1), cval, dtype=lanes.dtype)
    whole = np.concatenate((lanes, rim), axis=-1)[..., _places(size, before, count - 1 - before, mode)]
    sums = [np.sum(bars * whole[..., k : k + size]) for k in range(count)]
    return unbroadcast(np.array(sums), weights)


def gaussian_filter_adjoint(
    bar: Any,
    input: Any,
    sigma: Any,
    order: Any = 0,
    mode: str = "reflect",
    truncate: float = 4.0,
    radius: Any = None,
) -> Any:
    """The adjoint of ``input`` in ``scipy.ndimage.gaussian_filter``, along all axes."""
    rank = np.ndim(bar)
    for axis, options in enumerate(
        zip(_each(sigma, rank), _each(order, rank), _each(radius, rank), strict=True)
    ):
        width, degree, reach = options
        if width > 1e-15:
            bar = gaussian_filter1d_adjoint(bar, bar, width, axis, degree, mode, truncate, reach)
    return unbroadcast(bar, input)


def gaussian_filter1d_adjoint(
    bar: Any, input: Any, sigma: Any, axis: int = -1, order: int = 0, mode: str = "reflect", truncate: float = 4.0,
    radius: Any = None,
) -> Any:  # fmt: skip
    """The adjoint of ``input`` in ``scipy.ndimage.gaussian_filter1d``."""
    return correlate1d_adjoint(bar, input, _gaussian(sigma, order, truncate, radius), axis, mode)


def uniform_filter_adjoint(
    bar: Any, input: Any, size: Any = 3, mode: str = "reflect", origin: Any = 0
) -> Any:
    """The adjoint of ``input`` in ``scipy.ndimage.uniform_filter``, along all axes."""
    rank = np.ndim(bar)
    for axis, (count, first) in enumerate(zip(_each(size, rank), _each(origin, rank), strict=True)):
        bar = correlate1d_adjoint(bar, bar, np.full(count, 1.0 / count), axis, mode, first)
    return unbroadcast(bar, input)


def _each(option: Any, rank: int) -> Any:
    return option if isinstance(option, Sequence | np.ndarray) else [option] * rank


def _gaussian(sigma: float, order: int, truncate: float, radius: int | None) -> Any:
    """The weights: what the filter makes of an impulse, backwards."""
    reach = int(truncate * float(sigma) + 0.5) if radius is None else int(radius)
    impulse = np.zeros(4 * reach + 1)
    impulse[2 * reach] = 1.0
    response = ndimage.gaussian_filter1d(
        impulse, sigma, order=order, mode="constant", truncate=truncate, radius=radius
    )
    return response[reach : 3 * reach + 1][::-1]


def spline_filter1d_adjoint(
    bar: Any, input: Any, order: int = 3, axis: int = -1, mode: str = "mirror"
) -> Any:
    """The adjoint of ``input`` in ``scipy.ndimage.spline_filter1d``, whose matrix is that of the filtered unit vectors."""
    size = np.shape(input)[axis]
    matrix = ndimage.spline_filter1d(np.eye(size), order, axis=0, mode=mode)
    return unbroadcast(np.moveaxis(np.tensordot(matrix.T, bar, axes=(1, axis)), 0, axis), input)

"""``scipy.ndimage``: filters that are made of others, splines at any place, and what these do to whole images."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy import ndimage

from s2sad.errors import NoRuleError

__all__ = [
    "affine_transform",
    "center_of_mass",
    "convolve1d",
    "gaussian_gradient_magnitude",
    "gaussian_laplace",
    "laplace",
    "map_coordinates",
    "prewitt",
    "shift",
    "sobel",
    "spline_filter",
    "uniform_filter1d",
    "zoom",
]

MODES = Literal[
    "reflect", "constant", "nearest", "mirror", "wrap", "grid-mirror", "grid-wrap", "grid-constant"
]
EDGES = Literal["reflect", "constant", "nearest", "mirror", "grid-mirror", "grid-wrap"]
ORDERS = Literal[0, 1, 3]

# --- filters along axes


def convolve1d(
    input: Any,
    weights: Any,
    axis: Any = -1,
    output: Literal[None] = None,
    mode: MODES = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
) -> Any:
    """A correlation with the weights turned round."""
    turned = np.asarray(weights)[::-1]
    centre = -origin if len(turned) % 2 else -origin - 1
    return ndimage.correlate1d(input, turned, axis, mode=mode, cval=cval, origin=centre)


def uniform_filter1d(
    input: Any,
    size: Any,
    axis: Any = -1,
    output: Literal[None] = None,
    mode: MODES = "reflect",
    cval: Any = 0.0,
    origin: Any = 0,
) -> Any:
    """The means of windows along one axis."""
    return ndimage.correlate1d(input, np.full(size, 1.0 / size), axis, mode=mode, cval=cval, origin=origin)


def sobel(
    input: Any, axis: Any = -1, output: Literal[None] = None, mode: MODES = "reflect", cval: Any = 0.0
) -> Any:
    """The slope along one axis, smoothed along the others."""
    found = ndimage.correlate1d(input, np.array([-1.0, 0.0, 1.0]), axis, mode=mode, cval=cval)
    for other in range(np.ndim(input)):
        if other != axis % np.ndim(input):
            found = ndimage.correlate1d(found, np.array([1.0, 2.0, 1.0]), other, mode=mode, cval=cval)
    return found


def prewitt(
    input: Any, axis: Any = -1, output: Literal[None] = None, mode: MODES = "reflect", cval: Any = 0.0
) -> Any:
    """The same with equal weights."""
    found = ndimage.correlate1d(input, np.array([-1.0, 0.0, 1.0]), axis, mode=mode, cval=cval)
    for other in range(np.ndim(input)):
        if other != axis % np.ndim(input):
            found = ndimage.correlate1d(found, np.ones(3), other, mode=mode, cval=cval)
    return found


def laplace(input: Any, output: Literal[None] = None, mode: MODES = "reflect", cval: Any = 0.0) -> Any:
    """The sum of the second differences."""
    found = ndimage.correlate1d(input, np.array([1.0, -2.0, 1.0]), 0, mode=mode, cval=cval)
    for axis in range(1, np.ndim(input)):
        found = found + ndimage.correlate1d(input, np.array([1.0, -2.0, 1.0]), axis, mode=mode, cval=cval)
    return found


def gaussian_laplace(
    input: Any,
    sigma: Any,
    output: Literal[None] = None,
    mode: MODES = "reflect",
    cval: Any = 0.0,
    *,
    truncate: Any = 4.0,
) -> Any:
    """The sum of the second derivatives of the smoothed image."""
    rank = np.ndim(input)
    found = ndimage.gaussian_filter(
        input, sigma, [2] + [0] * (rank - 1), mode=mode, cval=cval, truncate=truncate
    )
    for axis in range(1, rank):
        orders = [0] * axis + [2] + [0] * (rank - 1 - axis)
        found = found + ndimage.gaussian_filter(input, sigma, orders, mode=mode, cval=cval, truncate=truncate)
    return found


def gaussian_gradient_magnitude(
    input: Any,
    sigma: Any,
    output: Literal[None] = None,
    mode: MODES = "reflect",
    cval: Any = 0.0,
    *,
    truncate: Any = 4.0,
) -> Any:
    """The length of the gradient of the smoothed image."""
    rank = np.ndim(input)
    slopes = []
    for axis in range(rank):
        orders = [0] * axis + [1] + [0] * (rank - 1 - axis)
        slopes.append(ndimage.gaussian_filter(input, sigma, orders, mode=mode, cval=cval, truncate=truncate))
    return np.linalg.norm(np.stack(slopes), axis=0)


# --- splines through the items of an image


def spline_filter(input: Any, order: ORDERS = 3, output: Any = np.float64, mode: EDGES = "mirror") -> Any:
    """The coefficients of the spline, along all axes."""
    found = np.asarray(input)
    if order > 1:
        for axis in range(np.ndim(input)):
            found = ndimage.spline_filter1d(found, order, axis, mode=mode)
    return found


def taps(place: Any, size: Any, order: Any, mode: Any) -> Any:
    """The items of an axis that a spline takes at each place, in the first axis, and their weights."""
    if order == 0:
        return reflected(np.floor(place + 0.5)[None], size, mode), np.ones_like(place)[None]
    first = np.floor(place)
    part = place - first
    if order == 1:
        return reflected(np.stack((first, first + 1)), size, mode), np.stack((1 - part, part))
    rest = 1 - part
    inner = (4 - 6 * part**2 + 3 * part**3) / 6
    weights = np.stack((rest**3 / 6, inner, (4 - 6 * rest**2 + 3 * rest**3) / 6, part**3 / 6))
    return reflected(np.stack((first - 1, first, first + 1, first + 2)), size, mode), weights


def reflected(place: Any, size: Any, mode: Any) -> Any:
    """Whole places, brought back inside of an axis."""
    index = np.asarray(place, dtype=int)
    if mode == "nearest":
        return np.clip(index, 0, size - 1)
    if mode == "grid-wrap":
        return index % size
    if mode == "reflect" or mode == "grid-mirror":
        turn = index % (2 * size)
        return np.where(turn < size, turn, 2 * size - 1 - turn)
    turn = index % max(2 * size - 2, 1)
    return np.where(turn < size, turn, 2 * size - 2 - turn)


def map_coordinates(
    input: Any,
    coordinates: Any,
    output: Literal[None] = None,
    order: ORDERS = 3,
    mode: EDGES = "constant",
    cval: Any = 0.0,
    prefilter: Literal[True] = True,
) -> Any:
    """The spline at given places, of an image with up to three axes; with ``mode="nearest"`` of an order below 3."""
    if order == 3 and mode == "nearest":
        raise NoRuleError("a spline of order 3 with mode='nearest' has no form")
    items = spline_filter(input, order, mode=mode)
    places = np.asarray(coordinates)
    if mode == "nearest":
        sizes = np.reshape(np.array(items.shape), (items.ndim,) + (1,) * (places.ndim - 1))
        places = np.clip(places, 0, sizes - 1)
    i, v = taps(places[0], items.shape[0], order, mode)
    if items.ndim == 1:
        found = np.sum(v * items[i], axis=0)
    elif items.ndim == 2:
        j, w = taps(places[1], items.shape[1], order, mode)
        found = np.sum(v[:, None] * w[None] * items[i[:, None], j[None]], axis=(0, 1))
    else:
        j, w = taps(places[1], items.shape[1], order, mode)
        k, z = taps(places[2], items.shape[2], order, mode)
        weights = v[:, None, None] * w[None, :, None] * z[None, None]
        found = np.sum(weights * items[i[:, None, None], j[None, :, None], k[None, None]], axis=(0, 1, 2))
    if mode == "constant":
        sizes = np.reshape(np.array(items.shape), (items.ndim,) + (1,) * (places.ndim - 1))
        inside = np.all((places >= 0) & (places <= sizes - 1), axis=0)
        return np.where(inside, found, cval)
    return found


def shift(
    input: Any,
    shift: Any,
    output: Literal[None] = None,
    order: ORDERS = 3,
    mode: EDGES = "constant",
    cval: Any = 0.0,
    prefilter: Literal[True] = True,
) -> Any:
    """The image moved by a vector, or by the same distance along all axes."""
    rank = np.ndim(input)
    moves = np.reshape(shift * np.ones(rank), (rank,) + (1,) * rank)
    return map_coordinates(input, np.indices(np.shape(input)) - moves, order=order, mode=mode, cval=cval)


def affine_transform(
    input: Any,
    matrix: Any,
    offset: Any = 0.0,
    output_shape: Literal[None] = None,
    output: Literal[None] = None,
    order: ORDERS = 3,
    mode: EDGES = "constant",
    cval: Any = 0.0,
    prefilter: Literal[True] = True,
) -> Any:
    """The image at the places ``matrix @ place + offset``; a vector stands for a diagonal matrix."""
    rank = np.ndim(input)
    grid = np.reshape(np.indices(np.shape(input)), (rank, -1))
    turned = np.asarray(matrix) @ grid if np.ndim(matrix) == 2 else np.reshape(matrix, (rank, 1)) * grid
    places = turned + np.reshape(offset * np.ones(rank), (rank, 1))
    return np.reshape(map_coordinates(input, places, order=order, mode=mode, cval=cval), np.shape(input))


def zoom(
    input: Any,
    zoom: Any,
    output: Literal[None] = None,
    order: ORDERS = 3,
    mode: EDGES = "constant",
    cval: Any = 0.0,
    prefilter: Literal[True] = True,
    *,
    grid_mode: Literal[False] = False,
) -> Any:
    """The image with as many times the items along each axis, whose first and last items stay where they are."""
    rank = np.ndim(input)
    sizes = np.array(np.shape(input))
    counts = np.round(sizes * zoom * np.ones(rank)).astype(int)
    steps = np.reshape((sizes - 1) / np.maximum(counts - 1, 1), (rank,) + (1,) * rank)
    return map_coordinates(input, np.indices(tuple(counts)) * steps, order=order, mode=mode, cval=cval)


# --- measures


def center_of_mass(input: Any, labels: Literal[None] = None, index: Literal[None] = None) -> Any:
    """The mean place of the items of an image with up to three axes, with their values as weights."""
    x = np.asarray(input)
    weights = x / np.sum(x)
    grid = np.indices(x.shape)
    if x.ndim == 1:
        return (np.sum(weights * grid[0]),)
    if x.ndim == 2:
        return np.sum(weights * grid[0]), np.sum(weights * grid[1])
    return np.sum(weights * grid[0]), np.sum(weights * grid[1]), np.sum(weights * grid[2])

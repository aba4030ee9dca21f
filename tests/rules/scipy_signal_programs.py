"""Programs that call forms of scipy.ndimage, scipy.signal, scipy.interpolate and scipy.integrate, with a place each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import integrate, interpolate, ndimage, signal

RNG = np.random.default_rng(0)
IMAGE, WEIGHTS, VOLUME = RNG.normal(size=(5, 6)), RNG.normal(size=(5, 6)), RNG.normal(size=(3, 4, 3))
WIDE, INSIDE = RNG.uniform(-0.5, 4.4, (2, 7)), RNG.uniform(0.1, 3.9, (2, 7))
DEEP = np.stack([0.4 * INSIDE[0], 0.7 * INSIDE[1], 0.5 * INSIDE[0]])
NUMBERS = np.arange(1.0, 8.0)
LONG, ROWS, TWELVE = RNG.normal(size=40), RNG.normal(size=(3, 12)), RNG.normal(size=12)
NUMERATOR, DENOMINATOR = np.array([0.4, 0.3, -0.2]), np.array([1.2, -0.5, 0.1])
BUTTER, SECTIONS = signal.butter(3, 0.3), signal.butter(4, 0.3, output="sos")
X, T = np.array([0.0, 0.4, 0.7, 1.5, 1.9, 2.6]), np.array([0.2, 0.5, 1.1, 1.7, 2.5, 2.9])
Y, CURVE = RNG.normal(size=6), RNG.normal(size=(6, 2))
GRID, TABLE, POINTS = np.array([0.0, 0.5, 0.9, 1.5]), RNG.normal(size=(6, 4)), RNG.uniform(0.1, 1.4, (4, 2))

# --- images


def lines(x, w):
    total = np.sum(ndimage.convolve1d(x, w, 0, mode="nearest") * WEIGHTS) + np.sum(
        ndimage.convolve1d(x, w[:2], origin=-1) ** 2
    )
    return (
        total
        + np.sum(ndimage.uniform_filter1d(x, 4, 0, mode="nearest") ** 2)
        + np.sum(ndimage.uniform_filter1d(x, 3, origin=1))
    )


def edges(x, v):
    total = (
        np.sum(ndimage.sobel(x) ** 2)
        + np.sum(ndimage.sobel(x, 0, mode="wrap") * WEIGHTS)
        + np.sum(ndimage.laplace(x) ** 2)
    )
    return (
        total
        + np.sum(ndimage.prewitt(x, 1, mode="constant", cval=0.5) ** 2)
        + np.sum(ndimage.sobel(v, 1) ** 2)
    )


def smooth_edges(x):
    slopes = ndimage.gaussian_gradient_magnitude(x, 0.7, mode="nearest")
    return np.sum(ndimage.gaussian_laplace(x, 0.7) ** 2) + np.sum(slopes * WEIGHTS)


def sampled_inside(x, places):
    linear = np.sum(ndimage.map_coordinates(x, places, order=1) * NUMBERS)
    return linear + np.sum(ndimage.map_coordinates(x, places) * NUMBERS)


def sampled_anywhere(x, places):
    total = np.sum(ndimage.map_coordinates(x, places, order=1, mode="nearest") * NUMBERS)
    total += np.sum(ndimage.map_coordinates(x, places, order=1, mode="reflect") * NUMBERS)
    total += np.sum(ndimage.map_coordinates(x, places, order=3, mode="reflect") * NUMBERS)
    total += np.sum(ndimage.map_coordinates(x, places, order=3, mode="mirror") * NUMBERS)
    return total + np.sum(ndimage.map_coordinates(x, places, order=3, mode="grid-wrap") * NUMBERS)


def sampled_at_constants(x):
    steps = ndimage.map_coordinates(x, WIDE, order=0, cval=2.0)
    return np.sum(ndimage.map_coordinates(x, WIDE, order=1) * NUMBERS) + np.sum(steps * NUMBERS)


def sampled_volume(x, places):
    return np.sum(ndimage.map_coordinates(x, places, order=1) ** 2)


def sampled_line(x, places):
    return np.sum(ndimage.map_coordinates(x, places, order=3) ** 2)


def shifted(x, s):
    moved = ndimage.shift(x, [0.3, 0.7], mode="mirror")
    return np.sum(ndimage.shift(x, s, order=1) * WEIGHTS) + np.sum(moved * WEIGHTS)


def turned(x, matrix):
    scaled = ndimage.affine_transform(x, [0.8, 0.9], offset=0.3, mode="nearest", order=1)
    return np.sum(ndimage.affine_transform(x, matrix, offset=[0.15, 0.33], order=1) * WEIGHTS) + np.sum(
        scaled * WEIGHTS
    )


def zoomed(x):
    return np.sum(ndimage.zoom(x, 2, order=1) ** 2) + np.sum(ndimage.zoom(x, (1.5, 0.7), mode="mirror") ** 2)


def centre(x):
    i, j = ndimage.center_of_mass(x)
    return i * j


# --- filters and spectra


def with_state(b, a, x, state):
    y, last = signal.lfilter(b, a, x, zi=state)
    return np.sum(y**2) + np.sum(last**3) + np.sum(signal.lfilter_zi(b, a) ** 2)


def both_ways(b, a, x):
    total = np.sum(signal.filtfilt(b, a, x, padtype="even", padlen=5) ** 3) + np.sum(
        signal.filtfilt(b, a, x, padtype=None) ** 2
    )
    return (
        total
        + np.sum(signal.filtfilt(b, a, x, padtype="constant") ** 2)
        + np.sum(signal.filtfilt(*BUTTER, x) ** 3)
    )


def in_sections(s, x):
    sos = np.concatenate((s, SECTIONS[:, 3:]), axis=1)
    return (
        np.sum(signal.sosfilt(sos, x) ** 3)
        + np.sum(signal.sosfiltfilt(sos, x) ** 3)
        + np.sum(signal.sosfilt(SECTIONS, x))
    )


def polished(x):
    total = np.sum(signal.savgol_filter(x, 5, 2) ** 3) + np.sum(
        signal.savgol_filter(x, 5, 3, deriv=1, delta=0.5, axis=1) ** 2
    )
    total += np.sum(signal.savgol_filter(x, 5, 3, deriv=1, delta=0.5, mode="nearest") ** 2)
    return total + np.sum(signal.savgol_filter(x.T, 7, 3, deriv=2, axis=0) ** 3)


def level(x):
    return np.sum(signal.detrend(x) ** 3) + np.sum(signal.detrend(x, axis=0, type="constant") ** 3)


def envelope(x):
    return np.sum(np.abs(signal.hilbert(x)) * TWELVE) + np.sum(np.real(signal.hilbert(x[:11])) ** 2)


def resampled(x, rows):
    total = (
        np.sum(signal.resample(x, 7) ** 3)
        + np.sum(signal.resample(x, 20) ** 3)
        + np.sum(signal.resample(x, 8) ** 3)
    )
    return total + np.sum(signal.resample(rows, 8, axis=1) ** 3)


def thinned(x):
    return np.sum(signal.decimate(x, 3) ** 3)


def spectra(x):
    total = np.sum(signal.periodogram(x)[1] ** 2) + np.sum(signal.welch(x, nperseg=16)[1] ** 2)
    total += np.sum(signal.periodogram(x, fs=2.0, window="hann", scaling="spectrum", detrend=False)[1] ** 2)
    return total + np.sum(signal.welch(x, 2.0, nperseg=15, noverlap=5)[1] ** 2)


# --- interpolants


def splines(x, y, t):
    natural, clamped = (
        interpolate.CubicSpline(x, y, bc_type="natural"),
        interpolate.CubicSpline(x, y, bc_type="clamped"),
    )
    total = np.sum(interpolate.CubicSpline(x, y)(t) ** 2) + np.sum(natural(t, 1) ** 2) + clamped(0.3, nu=2)
    return total + np.sum(interpolate.make_interp_spline(x, y)(t) ** 2) + natural.derivative()(0.4)


def curves(y, t):
    short = interpolate.CubicSpline(X[:3], y[:3])(t)
    return np.sum(interpolate.CubicSpline(X, y)(t) ** 2) + np.sum(short**2)


def monotone(x, y, t):
    akima = interpolate.Akima1DInterpolator(x, y)
    total = np.sum(akima(t[:4]) ** 2) + np.sum(interpolate.PchipInterpolator(x, y)(t) ** 2)
    return total + np.sum(interpolate.pchip_interpolate(x, y, t, der=1)) + akima.derivative(2)(0.5)


TCK = interpolate.splrep(X, np.cos(X), s=0)
GRID = np.mgrid[0.0:3.0:6j, 0.0:2.0:5j]
SURFACE = interpolate.bisplrep(*GRID, np.sin(GRID[0]) * GRID[1] ** 2)
LINEAR = interpolate.bisplrep(*GRID, np.cos(GRID[0] * GRID[1]), kx=1, ky=2)


def by_knots(t):
    total = np.sum(interpolate.splev(t, TCK) ** 2) + interpolate.splev(t[0] * t[1], TCK, 1)
    total += float(interpolate.splev(t[2], TCK, ext=1))
    total += np.sum(interpolate.splev(t * 9.0, TCK, ext=3) * t + interpolate.splev(t * 9.0, TCK, der=2, ext=3))
    return total + np.sum(interpolate.splev(T, TCK) * t)


def on_surfaces(t):
    inside = interpolate.bisplev(t[0], t[1] * t[1], SURFACE) * t[2] + float(interpolate.bisplev(t[1], t[0], LINEAR)) ** 2
    beyond = interpolate.bisplev(t[0] + 7.0, t[1], SURFACE) + interpolate.bisplev(t[0], -t[1] * t[1], LINEAR)
    return inside + beyond * t[0] + np.sum(interpolate.bisplev([0.3, 0.7], T[:2], SURFACE)) * t[1]


def outside_of_akima(y):
    return np.nansum(interpolate.Akima1DInterpolator(X, y)(T))


def hermite(x, y, slopes, t):
    return np.sum(interpolate.CubicHermiteSpline(x, y, slopes)(t) ** 2)


def lines_and_cubics(x, y, t):
    total = np.sum(interpolate.interp1d(x, y, fill_value="extrapolate")(t) ** 2) + interpolate.interp1d(x, y)(
        0.3
    )
    total += np.sum(interpolate.interp1d(x, y, kind="cubic", fill_value="extrapolate")(t) ** 2)
    total += np.sum(interpolate.interp1d(x, np.stack((y, y * y)))(t[:5]) ** 2 * np.arange(1.0, 6.0))
    return total + np.sum(interpolate.interp1d(x, y[:, None] * y, axis=0)(t[:5]) ** 2)


def steps(y):
    total = np.sum(interpolate.interp1d(X, y, kind="nearest", fill_value="extrapolate")(T) ** 2)
    total += np.sum(interpolate.interp1d(X, y, kind="previous")(T[:5]) ** 2 * T[:5])
    return total + np.sum(interpolate.interp1d(X, y, "next")(T[:5]) ** 3)


def polynomial(x, y, t):
    return np.sum(interpolate.BarycentricInterpolator(x, y)(t) ** 2) + np.sum(
        interpolate.barycentric_interpolate(x, y, t)
    )


def grids(x, values, points):
    table = interpolate.RegularGridInterpolator((x, GRID), values)
    nearest = interpolate.RegularGridInterpolator((x, GRID), values, method="nearest")
    total = np.sum(table(points) ** 2) + np.sum(interpolate.interpn((x, GRID), values, points) ** 3)
    return total + np.sum(nearest(points) ** 2) + table((0.3, 0.7))


def beyond_grids(values, points):
    open_table = interpolate.RegularGridInterpolator((X, GRID), values, bounds_error=False, fill_value=None)
    holes = interpolate.RegularGridInterpolator((X, GRID), values, bounds_error=False)
    return np.sum(open_table(2 * points) ** 2) + np.nansum(holes(2 * points) ** 2)


def running(y, x):
    total = np.sum(integrate.cumulative_simpson(y, x=x) ** 2 * np.arange(5))
    total += np.sum(integrate.cumulative_simpson(y[:5], dx=0.3, initial=0) ** 2 * np.arange(5))
    return total + np.sum(integrate.cumulative_simpson(np.outer(y, y), axis=0))


SIGNAL_PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    program.__name__: (program, args)
    for program, args in [
        (lines, (IMAGE, NUMERATOR)),
        (edges, (IMAGE, VOLUME)),
        (smooth_edges, (IMAGE,)),
        (sampled_inside, (IMAGE, INSIDE)),
        (sampled_anywhere, (IMAGE, WIDE)),
        (sampled_at_constants, (IMAGE,)),
        (sampled_volume, (VOLUME, DEEP)),
        (sampled_line, (TWELVE, INSIDE[:1])),
        (shifted, (IMAGE, 0.4)),
        (turned, (IMAGE, np.array([[0.8, 0.1], [-0.05, 0.7]]))),
        (zoomed, (IMAGE,)),
        (centre, (IMAGE**2,)),
        (with_state, (NUMERATOR, DENOMINATOR, TWELVE, np.array([0.3, -0.2]))),
        (both_ways, (NUMERATOR, DENOMINATOR, LONG)),
        (in_sections, (SECTIONS[:, :3], LONG)),
        (polished, (ROWS,)),
        (level, (ROWS,)),
        (envelope, (TWELVE,)),
        (resampled, (TWELVE, ROWS)),
        (thinned, (LONG,)),
        (spectra, (LONG,)),
        (splines, (X, Y, T)),
        (curves, (CURVE, T)),
        (monotone, (X, Y, T)),
        (outside_of_akima, (Y,)),
        (by_knots, (np.abs(T) * 0.4 + 0.13,)),
        (on_surfaces, (np.abs(T) * 0.4 + 0.13,)),
        (hermite, (X, Y, Y[::-1], T)),
        (lines_and_cubics, (X, Y, T)),
        (steps, (Y,)),
        (polynomial, (X, Y, T)),
        (grids, (X, TABLE, POINTS)),
        (beyond_grids, (TABLE, POINTS)),
        (running, (Y, X)),
    ]
}

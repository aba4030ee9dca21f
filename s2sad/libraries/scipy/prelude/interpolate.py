"""``scipy.interpolate``: interpolants that the program makes of places and values, both of which may be variables.

A cubic is given by its values and slopes at two places (de Boor, "A Practical Guide to Splines", 1978, chapter IV). Where
several pieces meet, the right one counts, as in SciPy; outside of the places the first and the last go on.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy import interpolate, linalg

from s2sad.errors import NoRuleError
from s2sad.libraries.scipy.runtime import surface_value, tck_value

__all__ = [
    "Akima1DInterpolator",
    "BarycentricInterpolator",
    "CubicHermiteSpline",
    "CubicSpline",
    "PchipInterpolator",
    "RegularGridInterpolator",
    "barycentric_interpolate",
    "bisplev",
    "interp1d",
    "interpn",
    "make_interp_spline",
    "pchip_interpolate",
    "splev",
]


def column(steps: Any, y: Any) -> Any:
    """Numbers for each place, so that they broadcast against the values there."""
    return np.reshape(steps, (-1,) + (1,) * (np.ndim(y) - 1))


# --- cubics, piece by piece


Beyond = Literal[None, True, False, "periodic"]  # what is outside of the places: more of the ends, NaN, the same again


class CubicHermiteSpline:
    """The cubics with given values and slopes; the places' axes stand in the results where the values have their axis."""

    def __init__(self, x: Any, y: Any, dydx: Any, axis: Any = 0, extrapolate: Beyond = None) -> None:
        self.x, self.y, self.slopes = np.asarray(x), np.moveaxis(np.asarray(y), axis, 0), np.moveaxis(dydx, axis, 0)
        self.axis, self.extrapolate = axis, True if extrapolate is None else extrapolate
        self.c = coefficients(self.x, self.y, self.slopes)

    def __call__(self, x: Any, nu: Any = 0, extrapolate: Beyond = None) -> Any:
        beyond = self.extrapolate if extrapolate is None else extrapolate
        places = within(self.x, x) if beyond == "periodic" else np.asarray(x)
        k = np.clip(np.searchsorted(self.x, places, "right") - 1, 0, len(self.x) - 2)
        tail = (1,) * (self.y.ndim - 1)
        width = np.reshape(self.x[k + 1] - self.x[k], places.shape + tail)
        step = np.reshape(places - self.x[k], places.shape + tail)
        rise = (self.y[k + 1] - self.y[k]) / width
        left, right = self.slopes[k], self.slopes[k + 1]
        cubic = (left + right - 2 * rise) / width**2
        square = (3 * rise - 2 * left - right) / width
        if nu == -1:
            widths = column(np.diff(self.x), self.y)
            means = 0.5 * (self.y[1:] + self.y[:-1]) + widths / 12 * (self.slopes[:-1] - self.slopes[1:])
            before = np.concatenate((np.zeros_like(means[:1]), np.cumsum(widths * means, axis=0)))
            found = before[k] + step * (self.y[k] + step * (left / 2 + step * (square / 3 + step / 4 * cubic)))
        elif nu < 0:
            raise NoRuleError("several integrations of a spline have no form: one is covered")
        elif nu == 0:
            found = self.y[k] + step * (left + step * (square + step * cubic))
        elif nu == 1:
            found = left + step * (2 * square + 3 * step * cubic)
        elif nu == 2:
            found = 2 * square + 6 * step * cubic
        else:
            found = (6 if nu == 3 else 0) * cubic + 0 * step
        if beyond is False:
            inside = np.logical_and(places >= self.x[0], places <= self.x[-1])
            found = np.where(np.reshape(inside, places.shape + tail), found, np.nan)
        first = self.axis % self.y.ndim
        return found if first == 0 else np.moveaxis(found, tuple(range(places.ndim)), tuple(range(first, first + places.ndim)))

    def derivative(self, nu: Any = 1) -> Any:
        """The derivative, as a function."""
        return Derived(self, nu, self.extrapolate)

    def antiderivative(self, nu: Literal[1] = 1) -> Any:
        """The integral from the first place on, as a function; of a periodic spline within one period."""
        return Derived(self, -1, False if self.extrapolate == "periodic" else self.extrapolate)

    def integrate(self, a: Any, b: Any, extrapolate: Beyond = None) -> Any:
        """The integral between two numbers."""
        beyond = self.extrapolate if extrapolate is None else extrapolate
        first = integrable(self.x, self.y, self.slopes)
        if beyond == "periodic":
            length = self.x[-1] - self.x[0]
            turns = np.floor((b - self.x[0]) / length) - np.floor((a - self.x[0]) / length)
            return turns * first(self.x[-1], -1) + first(within(self.x, b), -1) - first(within(self.x, a), -1)
        return first(b, -1, beyond) - first(a, -1, beyond)


def integrable(x: Any, y: Any, slopes: Any) -> Any:
    """The cubics with the axis of the places in front, as far as it goes."""
    return CubicHermiteSpline(x, y, slopes)


def coefficients(x: Any, y: Any, slopes: Any) -> Any:
    """Coefficients of the powers 3, 2, 1 and 0 of the distance from the place before, piece by piece."""
    width = column(np.diff(x), y)
    rise = np.diff(y, axis=0) / width
    bend = (slopes[:-1] + slopes[1:] - 2 * rise) / width
    return np.stack((bend / width, (rise - slopes[:-1]) / width - bend, slopes[:-1], y[:-1]))


class Derived:
    """A derivative of cubics, or with -1 their integral."""

    def __init__(self, cubics: Any, nu: Any, extrapolate: Any) -> None:
        self.cubics, self.nu, self.extrapolate = cubics, nu, extrapolate

    def __call__(self, x: Any, nu: Any = 0, extrapolate: Beyond = None) -> Any:
        return self.cubics(x, self.nu + nu, self.extrapolate if extrapolate is None else extrapolate)


def within(x: Any, places: Any) -> Any:
    """Places, brought back into the first period."""
    return x[0] + (np.asarray(places) - x[0]) % (x[-1] - x[0])


def periodic_slopes(dx: Any, rise: Any, y: Any) -> Any:
    """The slopes of the spline that goes on as it began: a cyclic system, by two tridiagonal ones (Sherman & Morrison, 1950)."""
    if len(dx) == 2:
        mean = np.sum(rise / column(dx, rise), axis=0) / np.sum(1 / dx)
        return np.stack((mean, mean, mean))
    before = np.concatenate((dx[-1:], dx[:-1]))
    rises = np.concatenate((rise[-1:], rise[:-1]))
    right = 3 * (column(dx, rise) * rises + column(before, rise) * rise)
    rows = np.reshape(right, (len(dx), -1))
    diagonal = 2 * (before + dx)
    own, corner = -diagonal[:1], dx[:1] * before[-1:] / -diagonal[:1]
    middle = np.concatenate((diagonal[:1] - own, diagonal[1:-1], diagonal[-1:] - corner))
    bands = np.stack((np.concatenate((np.zeros(1), before[:-1])), middle, np.concatenate((dx[1:], np.zeros(1)))))
    edge = np.concatenate((own, np.zeros(len(dx) - 2), before[-1:]))
    found = linalg.solve_banded((1, 1), bands, np.concatenate((rows, edge[:, None]), axis=1))
    plain, turn = found[:, :-1], found[:, -1:]
    last = dx[:1] / own
    slopes = plain - turn * (plain[:1] + last * plain[-1:]) / (1 + turn[:1] + last * turn[-1:])
    return np.reshape(np.concatenate((slopes, slopes[:1])), np.shape(y))


def edge(dx: Any, rise: Any, end: Any, outward: Any) -> Any:
    """The row of an end: what its slope and the next one are multiplied by, and the right side; ``outward``: -1 at the first."""
    if end == "not-a-knot":
        both = dx[0] + dx[1]
        return dx[1], both, ((dx[0] + 2 * both) * dx[1] * rise[0] + dx[0] ** 2 * rise[1]) / both
    order, value = end
    if order not in (1, 2):
        raise ValueError("a spline's ends have first or second derivatives that are given")
    if order == 1:
        return 1.0 + 0.0 * dx[0], 0.0 * dx[0], value + 0.0 * rise[0]
    return 2 * dx[0], dx[0], outward * 0.5 * value * dx[0] ** 2 + 3 * rise[0] * dx[0]


def condition(end: Any, rise: Any) -> Any:
    """A condition at an end as the order and value of a derivative, unless the third one goes on (two points: a line)."""
    if end == "natural":
        return 2, 0.0
    if end == "clamped":
        return 1, 0.0
    return (1, rise[0]) if end == "not-a-knot" and len(rise) == 1 else end


def spline_slopes(x: Any, y: Any, bc_type: Any) -> Any:
    """The slopes of the spline with continuous second derivatives: a tridiagonal system (de Boor, chapter IV)."""
    n = len(x)
    dx = np.diff(x)
    rise = np.diff(y, axis=0) / column(dx, y)
    if bc_type == "periodic":
        return periodic_slopes(dx, rise, y)
    first, last = (bc_type, bc_type) if isinstance(bc_type, str) else bc_type
    if first == "not-a-knot" and last == "not-a-knot":
        if n == 2:
            return np.concatenate((rise, rise))
        if n == 3:
            bend = (rise[1] - rise[0]) / (x[2] - x[0])
            return np.stack((rise[0] - dx[0] * bend, rise[0] + dx[0] * bend, rise[1] + dx[1] * bend))
    inner = 3 * (column(dx[1:], y) * rise[:-1] + column(dx[:-1], y) * rise[1:])
    own, next_, start = edge(dx, rise, condition(first, rise), -1)
    final, before, stop = edge(dx[::-1], rise[::-1], condition(last, rise), 1)
    above = np.concatenate((np.zeros(1), np.stack((next_,)), dx[:-1]))
    middle = np.concatenate((np.stack((own,)), 2 * (dx[:-1] + dx[1:]), np.stack((final,))))
    below = np.concatenate((dx[1:], np.stack((before,)), np.zeros(1)))
    right = np.concatenate((np.stack((start,)), inner, np.stack((stop,))))
    rows = np.reshape(right, (n, -1))
    return np.reshape(linalg.solve_banded((1, 1), np.stack((above, middle, below)), rows), np.shape(y))


class CubicSpline(CubicHermiteSpline):
    """The cubic spline through points."""

    def __init__(self, x: Any, y: Any, axis: Any = 0, bc_type: Any = "not-a-knot", extrapolate: Beyond = None) -> None:
        self.x, self.y = np.asarray(x), np.moveaxis(np.asarray(y), axis, 0)
        default: Any = "periodic" if bc_type == "periodic" else True
        self.axis, self.extrapolate = axis, default if extrapolate is None else extrapolate
        self.slopes = spline_slopes(self.x, self.y, bc_type)
        self.c = coefficients(self.x, self.y, self.slopes)


class Akima1DInterpolator(CubicHermiteSpline):
    """Cubics whose slopes are means of neighbouring slopes, weighted by how much the others change (Akima, 1970).

    With ``makima`` their sizes count, too (Moler, "Makima Piecewise Cubic Interpolation", 2019).
    """

    def __init__(
        self, x: Any, y: Any, axis: Any = 0, *, method: Literal["akima", "makima"] = "akima", extrapolate: Beyond = None
    ) -> None:
        self.x, self.y = np.asarray(x), np.moveaxis(np.asarray(y), axis, 0)
        self.axis, self.extrapolate = axis, False if extrapolate is None else extrapolate
        rise = np.diff(self.y, axis=0) / column(np.diff(self.x), self.y)
        self.slopes = np.concatenate((rise, rise)) if len(self.x) == 2 else akima_slopes(rise, method)
        self.c = coefficients(self.x, self.y, self.slopes)


def akima_slopes(rise: Any, method: Any) -> Any:
    """The slopes at the places, from those between them, which go on beyond the ends."""
    before = np.stack((3 * rise[0] - 2 * rise[1], 2 * rise[0] - rise[1]))
    after = np.stack((2 * rise[-1] - rise[-2], 3 * rise[-1] - 2 * rise[-2]))
    m = np.concatenate((before, rise, after))
    change = np.abs(np.diff(m, axis=0))
    if method == "makima":
        change = change + 0.5 * np.abs(m[1:] + m[:-1])
    left, right = change[2:], change[:-2]
    total = left + right
    flat = total <= 1e-9 * np.max(total)
    weighted = (left * m[1:-2] + right * m[2:-1]) / np.where(flat, 1.0, total)
    return np.where(flat, 0.5 * (m[3:] + m[:-3]), weighted)


class PchipInterpolator(CubicHermiteSpline):
    """Monotone cubics, whose slopes are harmonic means of neighbouring slopes (Fritsch & Butland, 1984)."""

    def __init__(self, x: Any, y: Any, axis: Any = 0, extrapolate: Beyond = None) -> None:
        self.x, self.y = np.asarray(x), np.moveaxis(np.asarray(y), axis, 0)
        self.axis, self.extrapolate = axis, True if extrapolate is None else extrapolate
        h = column(np.diff(self.x), self.y)
        rise = np.diff(self.y, axis=0) / h
        if len(self.x) == 2:
            self.slopes = np.concatenate((rise, rise))
        else:
            flat = rise[1:] * rise[:-1] <= 0
            w1, w2 = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
            mean = (w1 + w2) / (w1 / np.where(flat, 1.0, rise[:-1]) + w2 / np.where(flat, 1.0, rise[1:]))
            first = end_slope(h[0], h[1], rise[0], rise[1])
            last = end_slope(h[-1], h[-2], rise[-1], rise[-2])
            self.slopes = np.concatenate((np.stack((first,)), np.where(flat, 0.0, mean), np.stack((last,))))
        self.c = coefficients(self.x, self.y, self.slopes)


def end_slope(h0: Any, h1: Any, m0: Any, m1: Any) -> Any:
    """The slope of a parabola at the end, unless this would not be monotone (Moler, "Numerical Computing", 2004)."""
    d = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    steep = (np.sign(m0) != np.sign(m1)) & (np.abs(d) > 3.0 * np.abs(m0))
    return np.where(np.sign(d) != np.sign(m0), 0.0, np.where(steep, 3.0 * m0, d))


def pchip_interpolate(xi: Any, yi: Any, x: Any, der: Literal[0, 1, 2, 3] = 0, axis: Any = 0) -> Any:
    """Monotone cubics at given places."""
    return PchipInterpolator(xi, yi, axis)(x, der)


# --- splines of a degree, and polynomials


class Linear:
    """Straight lines from point to point."""

    def __init__(self, x: Any, y: Any) -> None:
        self.x, self.y = np.asarray(x), np.asarray(y)

    def __call__(self, x: Any) -> Any:
        places = np.asarray(x)
        k = np.clip(np.searchsorted(self.x, places) - 1, 0, len(self.x) - 2)
        tail = (1,) * (self.y.ndim - 1)
        share = np.reshape((places - self.x[k]) / (self.x[k + 1] - self.x[k]), places.shape + tail)
        return self.y[k] + share * (self.y[k + 1] - self.y[k])


def make_interp_spline(
    x: Any, y: Any, k: Literal[3] = 3, t: Literal[None] = None, bc_type: Literal[None] = None, axis: Literal[0] = 0,
    check_finite: Any = True,
) -> Any:  # fmt: skip
    """The cubic spline through four or more points."""
    return CubicSpline(x, y)


def splev(x: Any, tck: Any, der: Any = 0, ext: Any = 0) -> Any:
    """A spline of constant knots and coefficients, or its derivative."""
    return tck_value(x, tck, der, 0 if ext == 3 and der > 0 else ext)  # SciPy's derivatives go on beyond the ends


def bisplev(x: Any, y: Any, tck: Any, dx: Literal[0] = 0, dy: Literal[0] = 0) -> Any:
    """A surface of constant knots and coefficients, at one point."""
    return surface_value(x, y, tck) if np.ndim(x) == 0 and np.ndim(y) == 0 else interpolate.bisplev(x, y, tck)


class interp1d:
    """Interpolation of values in the first or only axis, inside of the places unless they are to be extrapolated."""

    def __init__(
        self,
        x: Any,
        y: Any,
        kind: Literal["linear", "cubic", "nearest", "previous", "next", "zero"] = "linear",
        axis: Literal[-1, 0] = -1,
        copy: Any = True,
        bounds_error: Literal[None, True] = None,
        fill_value: Literal["extrapolate"] = np.nan,  # type: ignore[assignment]
        assume_sorted: Any = False,
    ) -> None:
        self.x, self.y, self.kind = np.asarray(x), np.moveaxis(np.asarray(y), axis, 0), kind
        self.slopes = spline_slopes(self.x, self.y, "not-a-knot") if kind == "cubic" else self.y
        self.turned = axis == -1 and np.ndim(y) > 1
        self.bounded = not isinstance(fill_value, str)

    def __call__(self, x: Any) -> Any:
        places = np.asarray(x)
        if self.bounded and np.any((places < self.x[0]) | (places > self.x[-1])):
            raise ValueError("a place is outside of the range of interpolation")
        if self.turned and places.ndim > 1:
            raise ValueError("the last axis of an array is interpolated at a vector of places")
        found = self.values(places)
        return np.moveaxis(found, 0, -1) if self.turned and places.ndim == 1 else found

    def values(self, places: Any) -> Any:
        """The values, with the axes of the places first."""
        if self.kind == "cubic":
            return CubicHermiteSpline(self.x, self.y, self.slopes)(places)
        if self.kind == "linear":
            return Linear(self.x, self.y)(places)
        if self.kind == "nearest":
            k = np.searchsorted(0.5 * (self.x[1:] + self.x[:-1]), places, "left")
        elif self.kind == "next":
            k = np.searchsorted(self.x, places, "left")
        else:
            k = np.searchsorted(self.x, places, "right") - 1
        known = (k >= 0) & (k < len(self.x))
        items = self.y[np.where(known, k, 0)]
        return np.where(np.reshape(known, places.shape + (1,) * (self.y.ndim - 1)), items, np.nan)


class BarycentricInterpolator:
    """The polynomial through points, by Lagrange's formula (Berrut & Trefethen, SIAM Review 46, 2004)."""

    def __init__(self, xi: Any, yi: Any, axis: Literal[0] = 0) -> None:
        self.xi, self.yi = np.asarray(xi), np.asarray(yi)

    def __call__(self, x: Any) -> Any:
        places = np.asarray(x)
        away = places[..., None] - self.xi
        own = np.eye(len(self.xi), dtype=bool)
        gaps = np.where(own, 1.0, self.xi[:, None] - self.xi)
        factors = np.where(own, 1.0, away[..., None, :] / gaps)
        return np.prod(factors, axis=-1) @ self.yi


def barycentric_interpolate(xi: Any, yi: Any, x: Any, axis: Literal[0] = 0) -> Any:
    """That polynomial at given places."""
    return BarycentricInterpolator(xi, yi)(x)


# --- grids


class RegularGridInterpolator:
    """Multilinear interpolation, or the nearest value, on a grid with one, two or three axes."""

    def __init__(
        self,
        points: Any,
        values: Any,
        method: Literal["linear", "nearest"] = "linear",
        bounds_error: Any = True,
        fill_value: Any = np.nan,
    ) -> None:
        self.grid, self.values, self.method = points, np.asarray(values), method
        self.bounded, self.fill_value = bounds_error, fill_value

    def __call__(self, xi: Any) -> Any:
        places = np.stack(xi, axis=-1) if isinstance(xi, tuple) else np.asarray(xi)
        if not isinstance(xi, tuple) and places.ndim == 1:  # one place, or with one axis many
            places = places.reshape(-1, len(self.grid))
        if places.shape[-1] != len(self.grid):
            raise ValueError("the places have another number of coordinates than the grid has axes")
        outside = np.zeros(places.shape[:-1], dtype=bool)
        for axis, line in enumerate(self.grid):
            outside = outside | (places[..., axis] < line[0]) | (places[..., axis] > line[-1])
        if self.bounded and np.any(outside):
            raise ValueError("one of the requested places is out of bounds of the grid")
        found = self.inside(places)
        if self.bounded or self.fill_value is None:
            return found
        return np.where(beside(outside, self.values.ndim - len(self.grid)), self.fill_value, found)

    def inside(self, places: Any) -> Any:
        """The values, extrapolated where they have to be."""
        more = self.values.ndim - len(self.grid)  # axes of what stands at a node
        if self.method == "nearest":
            return self.values[tuple([nearest(line, places[..., axis]) for axis, line in enumerate(self.grid)])]
        i, v = corners(self.grid[0], places[..., 0])
        if len(self.grid) == 1:
            return np.sum(beside(v, more) * self.values[i], axis=0)
        j, w = corners(self.grid[1], places[..., 1])
        if len(self.grid) == 2:
            return np.sum(beside(v[:, None] * w[None], more) * self.values[i[:, None], j[None]], axis=(0, 1))
        k, z = corners(self.grid[2], places[..., 2])
        weights = v[:, None, None] * w[None, :, None] * z[None, None]
        return np.sum(
            beside(weights, more) * self.values[i[:, None, None], j[None, :, None], k[None, None]], axis=(0, 1, 2)
        )


def beside(weights: Any, more: int) -> Any:
    """Weights of what has further axes."""
    return weights.reshape(weights.shape + (1,) * more) if more else weights


def nearest(line: Any, places: Any) -> Any:
    """The item of an axis next to each place."""
    (k, after), (_, share) = corners(line, places)
    return np.where(share <= 0.5, k, after)


def corners(line: Any, places: Any) -> Any:
    """The items of an axis around each place, in the first axis, and their weights."""
    x = np.asarray(line)
    k = np.clip(np.searchsorted(x, places, "right") - 1, 0, len(x) - 2)
    share = (places - x[k]) / (x[k + 1] - x[k])
    return np.stack((k, k + 1)), np.stack((1 - share, share))


def interpn(
    points: Any, values: Any, xi: Any, method: Literal["linear", "nearest"] = "linear", bounds_error: Any = True,
    fill_value: Any = np.nan,
) -> Any:  # fmt: skip
    """The same at once."""
    return RegularGridInterpolator(points, values, method, bounds_error, fill_value)(xi)

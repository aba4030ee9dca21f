"""Splines, with the derivative that is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.interpolate import BSpline, bisplev, splev

from s2sad.runtime.guards import UnsupportedError


def spline_value(spline: Any, x: Any, nu: int = 0) -> Any:
    """The ``nu``-th derivative of a spline of ``scipy.interpolate`` at ``x``: an array of the shape of ``x``."""
    return spline(x, nu)


def tck_value(x: Any, tck: Any, der: int = 0, ext: int = 0) -> Any:
    """``splev`` of one function's knots, coefficients and degree."""
    found = splev(x, tck, der, ext)
    if isinstance(found, list):
        raise UnsupportedError("splev of a curve in several dimensions is not covered: one coordinate after the other is")
    return found


def tck_slope(x: Any, tck: Any, der: int, ext: int = 0) -> Any:
    """The derivative of ``splev`` by ``x``, its ``der``-th: beyond the degree it is zero, as beyond the ends with ``ext=3``."""
    degree = tck.k if isinstance(tck, BSpline) else tck[2]
    return np.zeros(np.shape(x)) if der > degree else splev(x, tck, der, 1 if ext == 3 else ext)


def surface_value(x: Any, y: Any, tck: Any) -> Any:
    """``bisplev`` at one point."""
    return bisplev(x, y, tck)


def surface_slope(x: Any, y: Any, tck: Any, dx: int, dy: int) -> Any:
    """A derivative of ``bisplev`` at one point: outside of the rectangle of the knots the surface goes on as at its border."""
    tx, ty, c, kx, ky = tck
    beyond = dx and not tx[kx] <= x <= tx[-kx - 1] or dy and not ty[ky] <= y <= ty[-ky - 1]
    if beyond or dx > kx or dy > ky:
        return np.float64(0.0)
    along_x = BSpline(tx, np.reshape(c, (len(tx) - kx - 1, -1)), kx)(np.clip(x, tx[kx], tx[-kx - 1]), dx)
    return np.float64(BSpline(ty, along_x, ky)(np.clip(y, ty[ky], ty[-ky - 1]), dy))

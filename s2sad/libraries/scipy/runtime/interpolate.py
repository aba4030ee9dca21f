"""Splines, with the derivative that is asked for."""

from __future__ import annotations

from typing import Any


def spline_value(spline: Any, x: Any, nu: int = 0) -> Any:
    """The ``nu``-th derivative of a spline of ``scipy.interpolate`` at ``x``: an array of the shape of ``x``."""
    return spline(x, nu)

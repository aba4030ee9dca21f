"""``scipy.integrate``: integrals of samples at given places, and running integrals by parabolas.

Where the places are not given, the integrals are linear functions with a rule (``rules.scipy_integrate``).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy import integrate

__all__ = ["cumulative_simpson", "cumulative_trapezoid", "simpson"]


def intervals(x: Any, axis: Any) -> Any:
    """The distances of places, along the last axis."""
    return np.diff(x if np.ndim(x) == 1 else np.moveaxis(np.asarray(x), axis, -1))


def simpson(y: Any, x: Any, *, dx: Any = 1.0, axis: Any = -1) -> Any:
    """The integral of parabolas through three samples each; of an even number the last interval gets that of the parabola
    through the last three (Cartwright 2017, equation 8)."""
    lanes, steps = np.moveaxis(np.asarray(y), axis, -1), intervals(x, axis)
    count = lanes.shape[-1]
    if count != 2:
        steps = np.asarray(steps, dtype=float)  # as SciPy does
    if count < 3:
        return np.sum(0.5 * steps * (lanes[..., :-1] + lanes[..., 1:]), axis=-1)
    paired = (count - 1) // 2 * 2
    h1, h2 = steps[..., 0:paired:2], steps[..., 1:paired:2]
    y0, y1, y2 = lanes[..., 0:paired:2], lanes[..., 1:paired:2], lanes[..., 2 : paired + 1 : 2]
    whole = h1 + h2
    total = np.sum(whole / 6 * (y0 * (2 - h2 / h1) + y1 * whole**2 / (h1 * h2) + y2 * (2 - h1 / h2)), axis=-1)
    if count % 2 == 1:
        return total
    return total + parabolas(lanes[..., :-4:-1], steps[..., -1:], steps[..., -2:-1])[..., 0]


def cumulative_trapezoid(y: Any, x: Any, dx: Any = 1.0, axis: Any = -1, initial: Literal[None, 0] = None) -> Any:
    """The integrals up to each sample but the first, with straight lines between them; with 0 before them if ``initial``."""
    lanes = np.moveaxis(np.asarray(y), axis, -1)
    total = np.cumsum(0.5 * intervals(x, axis) * (lanes[..., 1:] + lanes[..., :-1]), axis=-1)
    if initial is not None:
        total = np.concatenate((np.zeros_like(total[..., :1]), total), axis=-1)
    return np.moveaxis(total, -1, axis)


def parabolas(y: Any, h1: Any, h2: Any) -> Any:
    """The integrals over the first of two intervals each, of the parabolas through three samples (Cartwright, 2017)."""
    ratio, rest = h1 / (h1 + h2), h1**2 / (h2 * (h1 + h2))
    return h1 / 6 * (y[..., :-2] * (3 - ratio) + y[..., 1:-1] * (3 + rest + ratio) - y[..., 2:] * rest)


def cumulative_simpson(y: Any, *, x: Any = None, dx: Any = 1.0, axis: Any = -1, initial: Any = None) -> Any:
    """The integrals up to each sample but the first, of at least three; with ``initial`` before them."""
    lanes = np.moveaxis(np.asarray(y), axis, -1)
    if x is None:
        steps = dx * np.ones(lanes.shape[-1] - 1)
    else:
        steps = intervals(x, axis)
    before = parabolas(lanes, steps[..., :-1], steps[..., 1:])
    after = parabolas(lanes[..., ::-1], steps[..., :0:-1], steps[..., -2::-1])[..., ::-1]
    even = np.arange(lanes.shape[-1] - 1) % 2 == 0
    left = np.concatenate((before, after[..., -1:]), axis=-1)
    right = np.concatenate((before[..., :1], after), axis=-1)
    last = np.arange(lanes.shape[-1] - 1) == lanes.shape[-1] - 2
    total = np.cumsum(np.where(even & ~last, left, right), axis=-1)
    if initial is not None:
        total = np.concatenate((initial + 0 * total[..., :1], initial + total), axis=-1)
    return np.moveaxis(total, -1, axis)


# --- the solution of an initial value problem as a function of time


class Solution:
    """The solution as ``solve_ivp(..., dense_output=True).sol`` has it: the problem is solved again for each time or vector of
    times, at which SciPy evaluates the same interpolants."""

    def __init__(
        self, fun: Any, t0: Any, t1: Any, y0: Any, args: Any, method: Any = "RK45", rtol: Any = 1e-3, atol: Any = 1e-6,
        max_step: Any = np.inf, first_step: Any = None,
    ) -> None:  # fmt: skip
        self.fun, self.t0, self.t1, self.y0, self.args = fun, t0, t1, y0, args
        self.method, self.rtol, self.atol, self.max_step, self.first_step = method, rtol, atol, max_step, first_step

    def __call__(self, t: Any) -> Any:
        places = np.atleast_1d(t)
        order = np.argsort(places if self.t1 > self.t0 else -places)
        found = integrate.solve_ivp(
            self.fun, (self.t0, self.t1), self.y0, self.method, places[order], args=self.args, rtol=self.rtol, atol=self.atol,
            max_step=self.max_step, first_step=self.first_step,
        ).y[:, np.argsort(order)]  # fmt: skip
        return found[:, 0] if np.ndim(t) == 0 else found

"""``scipy.integrate``: running integrals of samples by parabolas."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["cumulative_simpson"]


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
        steps = np.diff(x if np.ndim(x) == 1 else np.moveaxis(np.asarray(x), axis, -1))
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

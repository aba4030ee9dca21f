"""Adjoints of integrals of samples: ``bar`` is the adjoint of the result, and results have the shape and dtype of ``y``."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.runtime.broadcasting import unbroadcast


def simpson_adjoint(bar: Any, y: Any, dx: Any = 1.0, axis: int = -1) -> Any:
    """The adjoint of ``y`` in ``scipy.integrate.simpson(y, dx=dx, axis=axis)``.

    The rule is that of parabolas through three samples each; of an even number the last interval gets the integral of
    the parabola through the last three (Cartwright 2017, equation 8).
    """
    weights = dx * _simpson_weights(np.shape(y)[axis])
    return unbroadcast(np.moveaxis(np.asarray(bar)[..., None] * weights, -1, axis), y)


def _simpson_weights(count: int) -> Any:
    found = np.zeros(count)
    if count < 3:
        return found + 0.5 * (count - 1)
    paired = (count - 1) // 2 * 2
    found[0:paired:2] += 1 / 3
    found[1:paired:2] += 4 / 3
    found[2 : paired + 1 : 2] += 1 / 3
    if count % 2 == 0:
        found[-3:] += np.array((-1.0, 8.0, 5.0)) / 12
    return found


def cumulative_trapezoid_adjoint(
    bar: Any, y: Any, dx: Any = 1.0, axis: int = -1, initial: Any = None
) -> Any:
    """The adjoint of ``y`` in ``scipy.integrate.cumulative_trapezoid(y, None, dx, axis, initial)``, with an initial 0 or none."""
    lanes = np.moveaxis(np.asarray(bar), axis, -1)
    if initial is not None:
        lanes = lanes[..., 1:]
    due = 0.5 * dx * np.cumsum(lanes[..., ::-1], axis=-1)[..., ::-1]
    found = np.zeros((*due.shape[:-1], due.shape[-1] + 1), dtype=due.dtype)
    found[..., 1:] += due
    found[..., :-1] += due
    return unbroadcast(np.moveaxis(found, -1, axis), y)

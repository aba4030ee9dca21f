"""Adjoints of integrals of samples: ``bar`` is the adjoint of the result, and results have the shape and dtype of ``y``."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.runtime.broadcasting import unbroadcast


def _steps(y: Any, x: Any, dx: Any, axis: int) -> Any:
    """The distances between samples, along the last axis."""
    if x is None:
        return np.full(np.shape(y)[axis] - 1, dx, dtype=np.result_type(dx, 0.0))
    return np.diff(x) if np.ndim(x) == 1 else np.diff(np.moveaxis(np.asarray(x), axis, -1))


def simpson_adjoint(bar: Any, y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """The adjoint of ``y`` in ``scipy.integrate.simpson(y, x, dx=dx, axis=axis)``.

    The rule is that of parabolas through three samples each; of an even number the last interval gets the integral of
    the parabola through the last three (Cartwright 2017, equation 8).
    """
    weights = _simpson_weights(_steps(y, x, dx, axis))
    return unbroadcast(np.moveaxis(np.asarray(bar)[..., None] * weights, -1, axis), y)


def _simpson_weights(steps: Any) -> Any:
    count = steps.shape[-1] + 1
    found = np.zeros((*steps.shape[:-1], count))
    if count == 2:
        return found + 0.5 * steps
    paired = (count - 1) // 2 * 2
    left, right = steps[..., 0:paired:2], steps[..., 1:paired:2]
    both = left + right
    found[..., 0:paired:2] += both / 6 * (2 - right / left)
    found[..., 1:paired:2] += both**3 / (6 * left * right)
    found[..., 2 : paired + 1 : 2] += both / 6 * (2 - left / right)
    if count % 2 == 0:
        left, right = steps[..., -2], steps[..., -1]
        found[..., -1] += (2 * right**2 + 3 * left * right) / (6 * (left + right))
        found[..., -2] += (right**2 + 3 * left * right) / (6 * left)
        found[..., -3] -= right**3 / (6 * left * (left + right))
    return found


def cumulative_trapezoid_adjoint(
    bar: Any, y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1, initial: Any = None
) -> Any:
    """The adjoint of ``y`` in ``scipy.integrate.cumulative_trapezoid(y, x, dx, axis, initial)``, with an initial 0 or none."""
    lanes = np.moveaxis(np.asarray(bar), axis, -1)
    if initial is not None:
        lanes = lanes[..., 1:]
    due = 0.5 * _steps(y, x, dx, axis) * np.cumsum(lanes[..., ::-1], axis=-1)[..., ::-1]
    found = np.zeros((*due.shape[:-1], due.shape[-1] + 1), dtype=due.dtype)
    found[..., 1:] += due
    found[..., :-1] += due
    return unbroadcast(np.moveaxis(found, -1, axis), y)

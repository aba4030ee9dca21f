"""``scipy.optimize``: Rosenbrock's function, on which minimisers are tried, with its derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["rosen", "rosen_der", "rosen_hess", "rosen_hess_prod"]


def rosen(x: Any) -> Any:
    """Rosenbrock's function of the first axis."""
    x = np.asarray(x)
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2, axis=0)


def rosen_der(x: Any) -> Any:
    """Its gradient."""
    x = np.asarray(x)
    bend = 200.0 * (x[1:] - x[:-1] ** 2)
    slope = np.zeros_like(x)
    slope[:-1] -= 2.0 * x[:-1] * bend + 2.0 * (1 - x[:-1])
    slope[1:] += bend
    return slope


def rosen_hess(x: Any) -> Any:
    """Its Hessian, of a vector."""
    x = np.atleast_1d(x)
    beside = -400.0 * x[:-1]
    middle = np.zeros_like(x)
    middle[:-1] += 1200.0 * x[:-1] ** 2 - 400.0 * x[1:] + 2.0
    middle[1:] += 200.0
    return np.diag(middle) + np.diag(beside, 1) + np.diag(beside, -1)


def rosen_hess_prod(x: Any, p: Any) -> Any:
    """The product of its Hessian with a vector."""
    return rosen_hess(x) @ np.asarray(p)

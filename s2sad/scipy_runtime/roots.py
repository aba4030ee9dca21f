"""Solutions of f(x, *args) = 0, and of the linear equations that their derivatives solve (implicit function theorem).

∂f/∂x dx + ∂f/∂args dargs = 0 where x solves the equation (Griewank & Walther 2008, chapter 15; Blondel et al. 2022). The
Jacobian ∂f/∂x is dense, and is built of one derivative for each component of x; x is a number or an array, and f gives as many
numbers as x has. A minimum is a root of the gradient. How the solver came to x does not matter: where it began, its bracket
and its tolerances carry no derivative, and derivatives are as accurate as x is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import optimize

from s2sad.runtime.guards import SeedError

NO_DERIVATIVE = "the solution has no derivative"
AT_BOUND = 1e-9
CLOSE = 1e-3  # how far from the solution, relative to its size, derivatives still are those of the solution


def linear_root(
    func: Any,
    at: int,
    like: Any,
    *,
    args: tuple[Any, ...],
    right: Any = None,
    fixed: bool = False,
    bounds: Any = None,
    value: Any = None,
    transposed: bool = False,
    success: bool = True,
) -> Any:
    """The v of the form of ``like`` for which the last of what ``func(*args)`` returns, linear in v, is ``right``, or 0.

    ``at``: before which of the arguments v stands. ``fixed``: it is v + right. ``bounds``: what of ``like`` is at a bound
    stays there, and v is 0. ``value``: the residual at the solution ``like`` of the equation whose Jacobian (``transposed``:
    its transpose) the function multiplies by v. ``success``: what the solver said of the solution.

    Raises SeedError: that is no isolated solution; what Newton's method would still change about it is not small.
    Where the solver said so, too, and there are tangents to be had whether they are used or not, these are nan.
    """

    def left(v: Any) -> Any:
        product = np.ravel(func(*args[:at], v, *args[at:])[-1])
        return product - np.ravel(v) if fixed else product

    size, free = np.size(like), ~_held(like, bounds)
    found = np.zeros(size)
    offset = left(_shaped(found, like))
    due = -offset if right is None else np.ravel(right) - offset
    if right is not None and not np.any(due):
        return _shaped(found, like)  # an adjoint that is zero: the solution need not be one
    matrix = np.stack([left(_shaped(unit, like)) - offset for unit in np.eye(size)], axis=1)[
        np.ix_(free, free)
    ]
    try:
        found[free] = np.linalg.solve(matrix, due[free])
        if value is not None:
            residual = (np.ravel(value) - np.ravel(like) if fixed else np.ravel(value))[free]
            _require_small(np.linalg.solve(matrix.T if transposed else matrix, residual), like)
    except np.linalg.LinAlgError as error:
        if not success:
            return _shaped(np.full(size, np.nan), like)
        raise SeedError(f"{NO_DERIVATIVE}: {error}") from error
    return _shaped(found, like)


def _require_small(step: Any, x: Any) -> None:
    """Raise LinAlgError if a step of Newton's method would change the solution x."""
    if not np.linalg.norm(step) <= CLOSE * (1.0 + np.linalg.norm(x)):
        raise np.linalg.LinAlgError("the solver has not converged, or a bound is active")


def _shaped(vector: Any, x: Any) -> Any:
    """A vector in the form of x."""
    return np.reshape(vector, np.shape(x)).copy() if isinstance(x, np.ndarray) else float(vector[0])


def _held(x: Any, bounds: Any) -> Any:
    """Which components of x are at a bound: pairs (low, high), where None is no bound, or an object with lb and ub."""
    if bounds is None:
        return np.zeros(np.size(x), dtype=bool)
    ends = (bounds.lb, bounds.ub) if hasattr(bounds, "lb") else zip(*bounds, strict=True)
    low, high = (np.broadcast_to(np.array(end, dtype=np.float64), np.shape(x)) for end in ends)
    return (np.abs(x - low) <= AT_BOUND * (1.0 + np.abs(x))) | (
        np.abs(high - x) <= AT_BOUND * (1.0 + np.abs(x))
    )


# --- solvers that return objects: (solution, whether it is one)


def root_of(fun: Any, x0: Any, *, args: tuple[Any, ...] = (), **options: Any) -> tuple[Any, bool]:
    """``scipy.optimize.root``."""
    found = optimize.root(fun, x0, args=args, **options)
    return found.x, bool(found.success)


def scalar_root_of(f: Any, *, args: tuple[Any, ...] = (), **options: Any) -> tuple[float, bool]:
    """``scipy.optimize.root_scalar``."""
    found = optimize.root_scalar(f, args=args, **options)
    return float(found.root), bool(found.converged)


def minimum_of(fun: Any, x0: Any, *, args: tuple[Any, ...] = (), **options: Any) -> tuple[Any, bool]:
    """``scipy.optimize.minimize``."""
    found = optimize.minimize(fun, x0, args=args, **options)
    return found.x, bool(found.success)


def scalar_minimum_of(fun: Any, *, args: tuple[Any, ...] = (), **options: Any) -> tuple[float, bool]:
    """``scipy.optimize.minimize_scalar``."""
    found = optimize.minimize_scalar(fun, args=args, **options)
    return float(found.x), bool(found.success)


def least_squares_of(fun: Any, x0: Any, *, args: tuple[Any, ...] = (), **options: Any) -> tuple[Any, bool]:
    """``scipy.optimize.least_squares``."""
    found = optimize.least_squares(fun, x0, args=args, **options)
    return found.x, bool(found.success)

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
from scipy.linalg import lapack

from s2sad.runtime.guards import SeedError, UnsupportedError

NO_DERIVATIVE = "the solution has no derivative"
AT_BOUND = 1e-9
STEPS = 10_000  # of an iteration towards a fixed point
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
        _require_regular(matrix)
        found[free] = np.linalg.solve(matrix, due[free])
        if value is not None:
            residual = (np.ravel(value) - np.ravel(like) if fixed else np.ravel(value))[free]
            _require_small(np.linalg.solve(matrix.T if transposed else matrix, residual), like)
    except np.linalg.LinAlgError as error:
        if not success:
            return _shaped(np.full(size, np.nan), like)
        raise SeedError(f"{NO_DERIVATIVE}: {error}") from error
    return _shaped(found, like)


def _require_regular(matrix: Any) -> None:
    """Raise LinAlgError if a matrix is singular to working precision (LAPACK's estimate of its condition)."""
    if matrix.size and np.isfinite(matrix).all():
        factors, _, singular = lapack.dgetrf(matrix)
        if singular or lapack.dgecon(factors, np.linalg.norm(matrix, 1))[0] < np.finfo(float).eps:
            raise np.linalg.LinAlgError("the Jacobian is singular")


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


# --- solvers of the user's, and what solves without one


def _solved(solver: Any, function: Any, x0: Any) -> Any:
    """The root that the user's solver finds. Raises UnsupportedError for what is no solver, or finds nothing."""
    if not callable(solver):
        raise UnsupportedError(f"solver={solver!r} is no function: solver(function_of_x, start) is called")
    found = solver(function, _copied(x0))
    if found is None:
        raise UnsupportedError("the solver has returned None: it returns x")
    return _like(found, x0)


def solved_root(func: Any, x0: Any, *, args: tuple[Any, ...] = (), solver: Any = None) -> Any:
    """An x with ``func(x, *args) = 0``, as ``solver(func_of_x, x0)`` finds it, in the form of x0."""

    def residual(x: Any) -> Any:
        return _real(func(_like(x, x0), *args))

    if solver is not None:
        return _solved(solver, residual, x0)
    found = optimize.root(lambda x: np.ravel(residual(x)), np.ravel(x0), tol=1e-13)
    if not np.linalg.norm(found.fun) <= 1e-8 * (1.0 + np.linalg.norm(found.x)):
        raise ArithmeticError(f"no root was found: {found.message}")
    return _like(found.x, x0)


def solved_fixed_point(func: Any, x0: Any, *, args: tuple[Any, ...] = (), solver: Any = None) -> Any:
    """An x with ``func(x, *args) = x``, as ``solver(func_of_x, x0)`` finds it, or by doing it again and again."""

    def step(x: Any) -> Any:
        return _real(func(_like(x, x0), *args))

    if solver is not None:
        return _solved(solver, step, x0)
    x = _copied(x0)
    for _ in range(STEPS):
        x, before = _like(step(x), x0), x
        if np.linalg.norm(np.ravel(x) - np.ravel(before)) <= 1e-14 * (1.0 + np.linalg.norm(np.ravel(x))):
            return x
    raise ArithmeticError(f"the steps have not come to a fixed point after {STEPS}")


def solved_minimum(
    fun: Any, x0: Any, *, args: tuple[Any, ...] = (), slope: Any = None, gradient: Any = None, solver: Any = None
) -> Any:
    """An x where ``fun(x, *args)`` is least, as ``solver(fun_of_x, x0)`` finds it, or by BFGS with its gradient.

    ``slope`` is the gradient, too, as what is differentiated: where it is given for that alone, it is not called.
    """

    def objective(x: Any) -> Any:
        return fun(_like(x, x0), *args)

    def downhill(x: Any) -> Any:
        return np.ravel(gradient(_like(x, x0), *args))

    if solver is not None:
        return _solved(solver, objective, x0)
    jac = None if gradient is None else downhill
    with np.errstate(all="ignore"):
        found = optimize.minimize(objective, np.ravel(x0), jac=jac, method="BFGS", options={"gtol": 1e-10})
    if not found.success and not np.linalg.norm(found.jac) <= 1e-5:
        raise ArithmeticError(f"no minimum was found: {found.message}")
    return _like(found.x if gradient is None else _refined(found.x, downhill), x0)


def _refined(x: Any, gradient: Any) -> Any:
    """One step of Newton's method: the last digits, which a search by values does not see."""
    at, h = gradient(x), 1e-6 * (1.0 + np.linalg.norm(x))
    hessian = np.stack([(gradient(x + h * unit) - gradient(x - h * unit)) / (2.0 * h) for unit in np.eye(x.size)], axis=1)
    try:
        better = x - np.linalg.solve(hessian, at)
    except np.linalg.LinAlgError:
        return x
    return better if np.linalg.norm(gradient(better)) <= np.linalg.norm(at) else x


def _like(x: Any, x0: Any) -> Any:
    """A solution, or a point on the way to one, in the form of where the search begins."""
    x = _real(x)
    if isinstance(x0, np.ndarray):
        return np.array(x, dtype=np.float64).reshape(x0.shape)
    return float(np.reshape(np.asarray(x), ()))


def _real(x: Any) -> Any:
    """The values of a function of the user's. Raises UnsupportedError for complex numbers, whose imaginary part would be lost."""
    if np.iscomplexobj(x):
        raise UnsupportedError("complex numbers on the way to a solution: solve for real and imaginary parts")
    return x


def _copied(x0: Any) -> Any:
    return _like(x0, x0)

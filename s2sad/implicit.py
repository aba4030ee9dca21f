"""Solutions of equations by solvers of any kind, differentiated by the implicit function theorem.

    x = root(f, start, c)                     f(x, c) = 0         dx/dc = -(df/dx)^-1 df/dc
    x = fixed_point(step, start, c)           step(x, c) = x      dx/dc = (1 - dstep/dx)^-1 dstep/dc
    x = argmin(loss, start, c)                the gradient is 0   a root of it

In a program that is differentiated, derivatives are those of the solution, in both modes and to any order: how the solver
came to it does not matter, and it may be any Python function. The start carries no derivative. (Griewank & Walther,
"Evaluating Derivatives", 2nd ed., chapter 15; Blondel et al., "Efficient and Modular Implicit Differentiation", 2022.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from s2sad.api import grad
from s2sad.errors import ActivityError, S2sadError
from s2sad.options import entry
from s2sad.rules.transformations import transformation
from s2sad.runtime.guards import UnsupportedError

Solver = Callable[[Callable[[Any], Any], Any], Any]


@contextmanager
def _told(name: str) -> Iterator[None]:
    """A search, which raises ActivityError for what a solver or a function gives that is no real number."""
    try:
        yield
    except UnsupportedError as error:
        raise ActivityError(f"{name}(): {error}") from error


def _checked(name: str, start: Any) -> Any:
    """Where a search begins. Raises ActivityError for what is no real number and no array of them."""
    kept = np.asarray(start) if isinstance(start, int | float | np.ndarray | np.generic) else None
    if kept is None or kept.dtype.kind not in "biuf":
        what = f"{type(start).__name__}" if kept is None else f"{type(start).__name__} of dtype {kept.dtype}"
        raise ActivityError(f"{name}(): start is of type {what}", instead="a real number, or an array: np.asarray(..., float)")
    return start


@transformation("root")
@entry
def root(residual: Callable[..., Any], start: Any, *args: Any, solver: Solver | None = None) -> Any:
    """An x with ``residual(x, *args) = 0``: a number, or an array of the shape of ``start``, as many equations as unknowns.

    ``solver(residual_of_x, start)`` finds it; without one, SciPy's ``root`` does, which raises ArithmeticError where it fails.
    In a derivative, ActivityError is raised where the Jacobian is singular, or x is not a solution.
    (Griewank & Walther, "Evaluating Derivatives", 2nd ed., chapter 15; Blondel et al. 2022.)
    """
    from s2sad.libraries.scipy.runtime import solved_root

    with _told("root"):
        return solved_root(residual, _checked("root", start), args=args, solver=solver)


@transformation("fixed_point")
@entry
def fixed_point(step: Callable[..., Any], start: Any, *args: Any, solver: Solver | None = None) -> Any:
    """An x with ``step(x, *args) = x``: a number, or an array of the shape of ``start``.

    ``solver(step_of_x, start)`` finds it; without one, the step is done until nothing changes, and ArithmeticError is raised
    after 10,000 steps. Derivatives, errors and source as for ``root``.
    """
    from s2sad.libraries.scipy.runtime import solved_fixed_point

    with _told("fixed_point"):
        return solved_fixed_point(step, _checked("fixed_point", start), args=args, solver=solver)


@transformation("argmin")
@entry
def argmin(objective: Callable[..., Any], start: Any, *args: Any, solver: Solver | None = None) -> Any:
    """An x where the number ``objective(x, *args)`` is least: a number, or an array of the shape of ``start``.

    ``solver(objective_of_x, start)`` finds it; without one, BFGS with the objective's gradient does, which raises
    ArithmeticError where it fails. Derivatives, errors and source as for ``root``, of the gradient; the Hessian must be regular.
    """
    from s2sad.libraries.scipy.runtime import solved_minimum

    start = _checked("argmin", start)
    gradient = grad(objective) if solver is None else None
    if gradient is not None:
        try:
            gradient(start, *args)
        except S2sadError:  # a function that is not followed is minimised by differences
            gradient = None
    with _told("argmin"):
        return solved_minimum(objective, start, args=args, gradient=gradient, solver=solver)

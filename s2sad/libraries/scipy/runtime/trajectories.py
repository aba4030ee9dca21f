"""Solutions of initial value problems y' = f(t, y, *args), and their derivatives.

Tangents solve the problem together with its linearisation. Adjoints follow the continuous adjoint equation backwards along
the solution (Cao, Li, Petzold, Serban 2003; Chen et al. 2018), which is solved again for that, with dense output::

    λ' = -(∂f/∂y)ᵀ λ,    args_bar' = -(∂f/∂args)ᵀ λ,    λ jumps by y_bar[:, i] at times[i]

Both use the method and the tolerances of the primal, and are as accurate as these. Where the solver chose the times itself,
those in between count as constant. States are vectors of length n, solutions arrays of shape (n, number of times), all of
float64, or of complex128 where ``dtype`` says so: adjoints are those of the plain product, so that nothing is conjugated.
RuntimeError: the solver did not reach the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from s2sad.libraries.scipy.runtime.functionals import flattened, pulled, shaped_as
from s2sad.runtime.guards import UnsupportedError


def solved(fun: Any, span: tuple[Any, Any], y0: Any, **options: Any) -> Any:
    """``solve_ivp``, which must reach the end."""
    found = solve_ivp(fun, span, y0, **options)
    if not found.success:
        raise UnsupportedError(f"solve_ivp stopped at t = {found.t[-1]}: {found.message}")
    return found


def trajectory(
    fun: Any, t0: Any, t1: Any, y0: Any, *, args: tuple[Any, ...] = (), **options: Any
) -> tuple[Any, Any]:
    """The times and the solution of ``solve_ivp(fun, (t0, t1), y0, args=args, **options)``, as (t, y)."""
    found = solved(fun, (t0, t1), y0, args=args, **options)
    return found.t, found.y


def trajectory_pushforward(
    tangent: Any,
    t0: Any,
    y0: Any,
    times: Any,
    args: tuple[Any, ...],
    y0_dot: Any,
    dots: tuple[Any, ...],
    dtype: str = "float64",
    **options: Any,
) -> Any:
    """The tangent of the solution at the given times; ``dots`` are the tangents of the arguments of interest."""
    size = np.size(y0)

    def both(t: Any, z: Any) -> Any:
        slope, slope_dot = tangent(t, z[:size], *args, z[size:], *dots)
        return np.concatenate([slope, slope_dot])

    begin = np.concatenate([_state(y0, dtype), np.broadcast_to(y0_dot, np.shape(y0))])
    if times[-1] == t0:
        return np.repeat(begin[size:, None], len(times), axis=1)
    return solved(both, (t0, times[-1]), begin, t_eval=times, **_for_both(options)).y[size:]


def trajectory_pullback(
    fun: Any,
    adjoint: Any,
    t0: Any,
    y0: Any,
    times: Any,
    args: tuple[Any, ...],
    y_bar: Any,
    dtype: str = "float64",
    **options: Any,
) -> Any:
    """The adjoints of ``y0`` and of the arguments of interest: a tuple, or that of ``y0`` alone.

    ``y_bar`` is the adjoint of the solution at ``times``; ``adjoint`` gives that of the state first.
    """
    options, begin = _for_both(options), _state(y0, dtype)
    size = begin.view(np.float64).size
    like = pulled(adjoint, (t0, begin), args, np.zeros_like(begin))
    path = _path(lambda t, y: fun(t, y, *args), t0, times[-1], begin, options)

    def back(t: Any, z: Any) -> Any:
        return -flattened(pulled(adjoint, (t, path(t)), args, z[:size].view(dtype)))

    z, now = np.zeros(len(flattened(like))), times[-1]
    for k in reversed(range(len(times))):
        if np.any(y_bar[:, k]):
            z = _moved(back, now, times[k], z, options)
            z[:size] += y_bar[:, k].astype(dtype).view(np.float64)
            now = times[k]
    return shaped_as(_moved(back, now, t0, z, options), like)


def _state(y0: Any, dtype: str) -> Any:
    """Where the solution begins. Raises TypeError for complex numbers that nobody has told of."""
    if np.iscomplexobj(y0) and dtype == "float64":
        raise TypeError("derivatives of this trajectory are known for real states; give y0 a complex dtype where it is made")
    return np.asarray(y0, dtype=dtype)


def _path(fun: Any, t0: Any, end: Any, begin: Any, options: dict[str, Any]) -> Any:
    """The state as a function of time."""
    if end == t0:
        return lambda t: begin
    return solved(fun, (t0, end), begin, dense_output=True, **options).sol


def _moved(fun: Any, now: Any, then: Any, z: Any, options: dict[str, Any]) -> Any:
    """The state ``z`` at another time; nothing happens to a zero."""
    if now == then or not np.any(z):
        return z
    return solved(fun, (now, then), z, t_eval=[then], **options).y[:, -1]


def _for_both(options: dict[str, Any]) -> dict[str, Any]:
    """The options for a state and what is solved along with it: one tolerance for all, no first step."""
    found = {key: value for key, value in options.items() if key != "first_step"}
    return {**found, "atol": float(np.min(found["atol"]))} if "atol" in found else found


def slopes(fun: Any, times: Any, y: Any, args: tuple[Any, ...]) -> Any:
    """The derivative of the solution ``y`` by the time, at all times: an array of the shape of ``y``."""
    return np.stack([fun(t, y[:, k], *args) for k, t in enumerate(times)], axis=1)


def times_adjoint(fun: Any, times: Any, y: Any, args: tuple[Any, ...], y_bar: Any, y0_bar: Any = None) -> Any:
    """The adjoints of the times at which the solution is asked for.

    ``y0_bar``: the first of them is the time at which the solution begins, and moves all that follows.
    """
    found = np.real(np.sum(y_bar * slopes(fun, times, y, args), axis=0))
    if y0_bar is not None:
        found[0] -= np.real(np.dot(y0_bar, fun(times[0], y[:, 0], *args)))
    return found


def ends_dot(times: Any, t0_dot: Any, t1_dot: Any) -> Any:
    """The tangents of times that the solver has chosen between two ends."""
    found = np.zeros(np.shape(times))
    found[0], found[-1] = t0_dot, t1_dot
    return found

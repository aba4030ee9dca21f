"""Derivatives of integrals: integrals of derivatives (Leibniz), each by ``quad`` with the options of the primal."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import quad, quad_vec

from s2sad.libraries.scipy.runtime.functionals import flattened, parts_of, pulled, shaped_as


def quad_derivative(func: Any, a: Any, b: Any, *, args: tuple[Any, ...] = (), **options: Any) -> Any:
    """The integral of what ``func(x, *args)`` returns last: a number, an array, or a tuple of such.

    Every component is integrated by itself, to the accuracy that the options of ``quad`` ask for; where the rule looks at a
    place that another component has asked about, the integrand is not evaluated again.
    """
    known: dict[float, Any] = {}
    like = parts_of(func(_inside(a, b), *args)[-1])

    def components(x: float) -> Any:
        if x not in known:
            known[x] = flattened(parts_of(func(x, *args)[-1]))
        return known[x]

    def integral(k: int) -> Any:
        return quad(lambda x: components(x)[k], a, b, **options)[0]

    return shaped_as(np.array([integral(k) for k in range(len(flattened(like)))]), like)


def quad_vec_pushforward(
    tangent: Any, a: Any, b: Any, args: tuple[Any, ...], dots: tuple[Any, ...], **options: Any
) -> Any:
    """The tangent of ``quad_vec(f, a, b, args=args)[0]``; ``dots`` are the tangents of the arguments of interest."""
    return quad_vec(lambda x: tangent(x, *args, *dots)[1], a, b, **options)[0]


def quad_vec_pullback(adjoint: Any, a: Any, b: Any, args: tuple[Any, ...], bar: Any, **options: Any) -> Any:
    """The adjoints of the arguments of interest in ``quad_vec(f, a, b, args=args)[0]``, whose own adjoint is ``bar``."""
    like = pulled(adjoint, (_inside(a, b),), args, bar)
    found = quad_vec(lambda x: flattened(pulled(adjoint, (x,), args, bar)), a, b, **options)[0]
    return shaped_as(found, like)


def _inside(a: Any, b: Any) -> float:
    """A place in the range of integration."""
    if np.isinf(a) and np.isinf(b):
        return 0.0
    if np.isinf(b):
        return float(a + np.copysign(1.0, b))
    return float(b + np.copysign(1.0, a)) if np.isinf(a) else float(a + 0.5 * (b - a))

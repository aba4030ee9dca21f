"""SciPy's distributions with their parameters given first, its splines, and its functions of functions.

d = stats.norm(mu, scale=s)           (nothing is computed)
d.logpdf(x)                           stats.norm.logpdf(x, mu, scale=s)
SPLINE(x)                             spline_value(SPLINE, x)
"""

from __future__ import annotations

from typing import Any

from s2sad.frontend.entities import Entity, Method, Partial, Static
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.state import Lowering
from s2sad.libraries.scipy.rules.names import HELPERS
from s2sad.rules import registry


def called_object(
    ctx: Lowering, function: Static, args: list[Entity], kwargs: dict[str, Entity], node: Any
) -> Entity | None:
    """The call of a distribution or a spline; None for other functions."""
    owner = registry.owner_name(function.payload) or ""
    if owner.startswith("scipy.stats."):
        return Partial(function, args, kwargs)
    if is_spline(function.payload) and 0 < len(args) < 3 and not kwargs:
        values = [ctx.value(a, node, "an argument") for a in args]
        return ctx.builder.call(f"{HELPERS}spline_value", ctx.value(function, node), *values)
    return None


def is_spline(payload: Any) -> bool:
    """Test for a spline of one variable and of numbers, whose second argument counts derivatives."""
    cls = type(payload)
    if not cls.__module__.startswith("scipy.interpolate."):
        return False
    names = {base.__name__ for base in cls.__mro__}
    axes = {"PPoly": 2, "BSpline": 1}
    return "UnivariateSpline" in names or any(n in names and payload.c.ndim == axes[n] for n in axes)


def frozen_method(
    ctx: Lowering, bound: Method, args: list[Entity], kwargs: dict[str, Entity], node: Any
) -> Entity | None:
    """A method of a distribution with its parameters, which stand behind the arguments; None for other owners."""
    owner = bound.owner
    if not isinstance(owner, Partial) or not isinstance(owner.function, Static):
        return None
    if registry.owner_name(owner.function.payload) is None or not hasattr(owner.function.payload, bound.name):
        return None
    path = f"{owner.function.path}.{bound.name}"
    method = Static(getattr(owner.function.payload, bound.name), path)
    return apply(ctx, method, [*args, *owner.args], {**owner.kwargs, **kwargs}, node)

"""``scipy.integrate``: integrals of samples. Those of functions are refused: the compiler would have to differentiate them."""

from __future__ import annotations

from s2sad.ir.kinds import Array, Kind, dtype_of
from s2sad.rules import numpy_differences  # noqa: F401  the rule of the trapezoid stands in its table by then
from s2sad.rules.adapted import only
from s2sad.rules.application import Application
from s2sad.rules.choices import Written, refuse, written
from s2sad.rules.kind_arrays import array_kind, float_dtype, reduced
from s2sad.rules.kind_rules import Bound, shape_of
from s2sad.rules.registry import alias, general
from s2sad.rules.scipy_names import no_slope, scope

INTEGRATE = scope("scipy.integrate")

alias("numpy.trapezoid", "scipy.integrate.trapezoid")


def places(formula: str) -> Written:
    """A formula in which PLACES stands for where the samples are, and for the other options."""

    def write(app: Application) -> str:
        text = "x=x, axis=axis" if app.given("x") else "dx=dx, axis=axis"
        if "initial" in app.bound:
            only(app, initial={None, 0})
            text += ", initial=initial" if app.given("initial") else ""
        return formula.replace("PLACES", text)

    return written(write)


def by_spacing(formula: str) -> Written:
    """The slope in a spacing of all samples, in which integrals are linear."""

    def write(app: Application) -> str:
        if app.given("x"):
            refuse(app, "with respect to dx", "it is not used where x is given", "a constant dx")
        return formula

    return written(write)


general(
    "scipy.integrate.simpson(y, x=None, *, dx=1.0, axis=-1)",
    push={"y": places("simpson(g, PLACES)"), "x": no_slope("x"), "dx": by_spacing("g * out / dx")},
    pull={
        "y": places("simpson_adjoint(g, y, PLACES)"),
        "x": no_slope("x"),
        "dx": by_spacing("sum(g * out) / dx"),
    },
    kind=lambda bound: reduced(float_dtype)({"y": bound["y"], "axis": bound["axis"]}),
    facts=INTEGRATE,
)


def _running(bound: Bound) -> Kind:
    kind = array_kind(bound["y"].kind)
    shape, dtype = shape_of(kind), dtype_of(kind)
    return Array(
        None if dtype is None else float_dtype(dtype), None if shape is None else (None,) * len(shape)
    )


general(
    "scipy.integrate.cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None)",
    push={
        "y": places("cumulative_trapezoid(g, PLACES)"),
        "x": no_slope("x"),
        "dx": by_spacing("g * out / dx"),
    },
    pull={
        "y": places("cumulative_trapezoid_adjoint(g, y, PLACES)"),
        "x": no_slope("x"),
        "dx": by_spacing("sum(g * out) / dx"),
    },
    kind=_running,
    facts=INTEGRATE,
)

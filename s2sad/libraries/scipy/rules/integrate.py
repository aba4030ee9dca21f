"""``scipy.integrate``: integrals of samples that are equally far apart; at given places they are programs (``prelude``)."""

from __future__ import annotations

from s2sad.ir.kinds import Array, Kind, dtype_of
from s2sad.libraries.numpy.rules import differences  # noqa: F401  the rule of the trapezoid stands in its table by then
from s2sad.libraries.scipy.rules.adapted import only
from s2sad.libraries.scipy.rules.names import scope
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import Written, refuse, written
from s2sad.rules.kind_arrays import array_kind, float_dtype, if_double, reduced
from s2sad.rules.kind_rules import Bound, shape_of
from s2sad.rules.registry import alias, general

INTEGRATE = scope("scipy.integrate")

alias("numpy.trapezoid", "scipy.integrate.trapezoid")


def spaced(formula: str) -> Written:
    """A formula in which PLACES stands for the distance of the samples, and for the other options."""

    def write(app: Application) -> str:
        if app.given("x"):
            refuse(app, "with places that are computed or not", "the formula depends on it", "two calls")
        text = "dx=dx, axis=axis"
        if "initial" in app.bound:
            only(app, initial={None, 0})
            text += ", initial=initial" if app.given("initial") else ""
        return formula.replace("PLACES", text)

    return written(write)


general(
    "scipy.integrate.simpson(y, x=None, *, dx=1.0, axis=-1)",
    push={"y": spaced("simpson(g, PLACES)"), "dx": spaced("g * out / dx")},
    pull={"y": spaced("simpson_adjoint(g, y, PLACES)"), "dx": spaced("sum(g * out) / dx")},
    kind=if_double(lambda bound: reduced(float_dtype)({"y": bound["y"], "axis": bound["axis"]})),
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
    push={"y": spaced("cumulative_trapezoid(g, PLACES)"), "dx": spaced("g * out / dx")},
    pull={"y": spaced("cumulative_trapezoid_adjoint(g, y, PLACES)"), "dx": spaced("sum(g * out) / dx")},
    kind=_running,
    facts=INTEGRATE,
)

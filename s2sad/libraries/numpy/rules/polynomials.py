"""Polynomials by their coefficients, highest power first.

A leading coefficient that is 0 is dropped by ``polymul`` and ``roots``: the derivative follows the polynomial of lower
degree that NumPy computes with. Roots that coincide have no derivative: theirs is infinite or NaN.
"""

from __future__ import annotations

import numpy as np

from s2sad.ir.kinds import UNKNOWN, Array, Kind, Scalar, dtype_of
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import Written, refuse, written
from s2sad.rules.kind_arrays import array_kind, literal_of, strong_dtype
from s2sad.rules.kind_rules import Bound, KindRule, make, shape_of
from s2sad.rules.registry import general, linear


def _vector(*params: str) -> KindRule:
    """A vector of unknown length, of the dtype of the named arguments."""

    def rule(bound: Bound) -> Kind:
        return Array(strong_dtype(array_kind(bound[p].kind) for p in params), (None,))

    return rule


def _polyval(bound: Bound) -> Kind:
    """The shape of ``x``; a number from a number."""
    p, x = array_kind(bound["p"].kind), array_kind(bound["x"].kind)
    dtype = strong_dtype([p, x])
    if len(shape_of(p) or ()) != 1:
        return UNKNOWN  # rows of coefficients give rows of values
    if isinstance(x, Array) and dtype != x.dtype:
        return make(None, x.shape)  # without coefficients it is zero, in the dtype of x
    return make(dtype, shape_of(x)) if isinstance(x, Scalar | Array) and dtype is not None else UNKNOWN


def _slope(app: Application) -> str | None:
    return "g * polyval(polyder(p), x)" if app.kind("x") != UNKNOWN else None


def _of_vector(formula: str) -> Written:
    """Coefficients in a vector; of a matrix each row is a coefficient."""

    def write(app: Application) -> str:
        if (app.rank("p") or 0) > 1:
            refuse(app, "with a matrix of coefficients", "no rule is written for it", "a loop over the columns")
        return formula

    return written(write)


general(
    "numpy.polyval(p, x)",
    push={"p": _of_vector("polyval(g, x)"), "x": _of_vector("g * polyval(polyder(p), x)")},
    pull={
        "p": _of_vector("polyval_adjoint(g, p, x)"),
        "x": written(_slope, "unbroadcast(g * polyval(polyder(p), x), x)"),
    },
    kind=_polyval,
)
general(
    "numpy.roots(p)",
    push={"p": "unbroadcast(-polyval(g, out) / polyval(polyder(p), out), out)"},
    pull={"p": "polyval_adjoint(-g / polyval(polyder(p), out), p, out)"},
    kind=lambda _: Array(None, (None,)),
)


def _derived(bound: Bound) -> Kind:
    """Coefficients times integers, which widen small floats."""
    dtype = dtype_of(array_kind(bound["p"].kind))
    again = literal_of(bound["m"])
    if again is None:
        return Array(None, None)
    if dtype is None:
        return Array(None, (None,) if again else None)
    return Array(str(np.result_type(dtype, "int64")), (None,)) if again else Array(dtype, None)


linear("numpy.polyder(p, m=1) -> same(p) if m == 0 else fresh", p="polyder_adjoint(g, p, m)", kind=_derived)
linear(
    "numpy.polyint(p, m=1, k=None) -> same(p) if m == 0 else fresh",
    p="polyint_adjoint(g, p, m)",
    k="polyint_adjoint_k(g, k, m)",
    kind=lambda _: Array(None, (None,)),
)
linear("numpy.polyadd(a1, a2)", a1="lowest(g, a1)", a2="lowest(g, a2)", kind=_vector("a1", "a2"))
linear("numpy.polysub(a1, a2)", a1="lowest(g, a1)", a2="-lowest(g, a2)", kind=_vector("a1", "a2"))

_FIRST, _SECOND = "significant(a1)", "significant(a2)"
general(
    "numpy.polymul(a1, a2)",
    push={
        "a1": f"convolve(lowest(g, {_FIRST}), {_SECOND})",
        "a2": f"convolve({_FIRST}, lowest(g, {_SECOND}))",
    },
    pull={
        "a1": f"lowest_adjoint(convolve_adjoint_x(g, {_FIRST}, {_SECOND}), a1)",
        "a2": f"lowest_adjoint(convolve_adjoint_x(g, {_SECOND}, {_FIRST}), a2)",
    },
    kind=_vector("a1", "a2"),
)

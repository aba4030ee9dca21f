"""Differences, integrals, running sums with a start, and phases: what is done along one axis of sampled functions."""

from __future__ import annotations

from s2sad.ir.kinds import UNKNOWN, Array, Kind, Scalar, promote
from s2sad.ir.nodes import Const
from s2sad.libraries.numpy.rules import kind_shapes
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import field_of, is_literal, literal, refuse, written
from s2sad.rules.kind_arrays import (
    array_kind,
    first,
    float_dtype,
    if_alike,
    inexact_dtype,
    literal_of,
    reduced,
    same,
    shaped,
    strong_dtype,
    sum_dtype,
)
from s2sad.rules.kind_rules import Bound, shape_of
from s2sad.rules.language import Partial
from s2sad.rules.registry import elementwise, general, linear

# --- differences


def _alone(app: Application) -> bool:
    return not (app.given("prepend") or app.given("append"))


def _whole_diff_adjoint(app: Application) -> str:
    n = literal(app, "n")
    sizes, axis = shape_of(array_kind(app.kind("a"))), literal(app, "axis")
    size = sizes[axis] if sizes and isinstance(axis, int) else None
    if isinstance(n, int) and isinstance(size, int) and size < n and _alone(app):
        return "zeros_like(a)"  # no differences are left
    if app.rank("a") != 1 or not isinstance(n, int) or (n > 1 and not isinstance(size, int)):
        return "diff_adjoint(g, n, axis, size_along(a, axis))" if n != 1 and _alone(app) else "diff_adjoint(g, n, axis)"
    if n == 0:
        refuse(app, "with n=0", "its result is the array itself", "the array")
    return "-diff(pad(g, 1))" if n == 1 else f"{'-' if n % 2 else ''}diff(pad(g, {n}), {n})"


def _diff_part(k: int) -> Partial:
    def write(app: Application) -> str:
        whole = _whole_diff_adjoint(app)
        return whole if _alone(app) else f"diff_part({whole}, {k}, a, prepend, append, axis)"

    return written(write)


def _diff_kind(bound: Bound) -> Kind:
    joined = {
        p: array_kind(bound[p].kind)
        for p in ("a", "prepend", "append")
        if literal_of(bound[p], bound[p]) is not None
    }
    if len(joined) == 1:
        return shaped(kind_shapes.diffed)(bound)
    known = all(isinstance(kind, Scalar | Array) for kind in joined.values())
    dtype = strong_dtype(joined.values()) if known else None
    shape = shape_of(joined["a"])
    return Array(dtype, (None,)) if shape is not None and len(shape) == 1 else Array(dtype, None)


linear(
    "numpy.diff(a, n=1, axis=-1, prepend=None, append=None) -> same(a) if n == 0 else fresh",
    a=_diff_part(1),
    prepend=_diff_part(0),
    append=_diff_part(2),
    kind=_diff_kind,
)


def _ediff_kind(bound: Bound) -> Kind:
    return Array(getattr(first(bound), "dtype", None), (None,))


linear(
    "numpy.ediff1d(ary, to_end=None, to_begin=None)",
    ary=written(
        lambda app: (
            "reshape(diff_adjoint(g)[:size(ary)], shape(ary))"
            if not (app.given("to_begin") or app.given("to_end"))
            else f"reshape(diff_adjoint(g[{_start(app)}:{_end(app)}])[:size(ary)], shape(ary))"
        )
    ),
    to_begin="reshape(g[:size(to_begin)], shape(to_begin))",
    to_end=written(lambda app: f"reshape(g[{_end(app)}:], shape(to_end))"),
    kind=_ediff_kind,
)


def _start(app: Application) -> str:
    return "size(to_begin)" if app.given("to_begin") else "0"


def _end(app: Application) -> str:
    return "size(g) - size(to_end)" if app.given("to_end") else "size(g)"


# --- derivatives and integrals of samples


def _spacing(app: Application) -> str:
    """The spacing along the one axis, as it stands in the call."""
    if "varargs1" in app.bound:
        refuse(app, "along several axes at once", "its result is a tuple", "a call for each axis")
    return "varargs0" if "varargs0" in app.bound else "1.0"


def _gradient_push(app: Application) -> str:
    spacing = ", varargs0" if _spacing(app) == "varargs0" else ""
    return f"gradient(g{spacing}, axis=axis, edge_order=edge_order)"


def _by_spacing(text: str) -> Partial:
    """The derivative by the spacing: the result is proportional to its inverse. Places of items have no rule."""

    def write(app: Application) -> str:
        if app.rank("varargs0"):
            refuse(
                app, "with respect to the places of the items", "it is not written", "a number as the spacing"
            )
        return text

    return written(write)


def _gradient_kind(bound: Bound) -> Kind:
    source = first(bound)
    shape = shape_of(source)
    dtype = getattr(source, "dtype", None)
    axis = bound["axis"]
    if shape is None or "varargs1" in bound:
        return UNKNOWN
    single = isinstance(literal_of(axis), int) or (
        isinstance(axis, Const) and axis.payload is None and len(shape) == 1
    )
    return Array(None if dtype is None else float_dtype(dtype), shape) if single else UNKNOWN


general(
    "numpy.gradient(f, *varargs, axis=None, edge_order=1)",
    push={"f": written(_gradient_push), "varargs0": _by_spacing("-g * out / varargs0")},
    pull={
        "f": written(lambda app: f"gradient_adjoint(g, {_spacing(app)}, axis, edge_order)"),
        "varargs0": _by_spacing("-sum(g * out) / varargs0"),
    },
    kind=_gradient_kind,
)


def _places(app: Application) -> str:
    if app.given("x"):
        return "x, axis=axis"
    return "axis=axis" if is_literal(app, "dx") and literal(app, "dx") == 1.0 else "dx=dx, axis=axis"


def _by_dx(text: str) -> Partial:
    def write(app: Application) -> str:
        if app.given("x"):
            refuse(app, "with respect to dx", "x is given, and dx does not count", "a call without dx")
        return text

    return written(write)


def _trapezoid_kind(bound: Bound) -> Kind:
    kind = reduced(float_dtype)({"y": bound["y"], "axis": bound["axis"]})
    given = "x" if literal_of(bound["x"], bound["x"]) is not None else "dx"
    spacing = array_kind(bound[given].kind)
    if not isinstance(kind, Scalar | Array) or not isinstance(spacing, Scalar | Array):
        return UNKNOWN
    shape = shape_of(kind)
    dtype = promote(kind, spacing)
    if dtype is None or shape is None:
        return UNKNOWN if shape in ((), None) else Array(dtype, shape)
    return Array(dtype, shape) if shape else Scalar(dtype, weak=False)


general(
    "numpy.trapezoid(y, x=None, dx=1.0, axis=-1)",
    push={
        "y": written(lambda app: f"trapezoid(g, {_places(app)})"),
        "x": "trapezoid(y, g, axis=axis)",
        "dx": _by_dx("trapezoid(y, dx=g, axis=axis)"),
    },
    pull={
        "y": written(lambda app: f"trapezoid_adjoint(g, y, {_places(app)})"),
        "x": "trapezoid_adjoint_x(g, y, x, axis)",
        "dx": _by_dx("trapezoid_adjoint_dx(g, y, dx, axis)"),
    },
    kind=if_alike(_trapezoid_kind, "y", "x"),
)

# --- running sums and products with a start


def _axis(app: Application) -> str:
    """The axis of the sum, which a vector need not name."""
    return "-1" if is_literal(app, "axis") and literal(app, "axis") is None else "axis"


def _without_start(app: Application) -> str:
    if is_literal(app, "include_initial") and not literal(app, "include_initial"):
        return "g"
    if not is_literal(app, "include_initial"):
        refuse(app, "with a computed include_initial", "it decides the shape", "True or False")
    axis = _axis(app)
    return f"take(g, arange(1, size(g, {axis})), {axis})"


def _with_start(app: Application, text: str) -> str:
    """A tangent, with the zero in front that the constant start has."""
    if _without_start(app) == "g":
        return text
    axis = _axis(app)
    text = f"reshape({text}, (1,))" if app.rank("x") == 0 else text
    return f"concatenate((zeros_like(take(out, (0,), {axis})), {text}), axis={axis})"


def _running_kind(bound: Bound) -> Kind:
    source = first(bound)
    start, shape = literal_of(bound["include_initial"]), shape_of(source)
    shape = shape if shape != () else (1,)  # of a number a vector
    dtype = getattr(source, "dtype", None)
    axis = bound["axis"]
    same_shape = start is False and isinstance(axis, Const)
    rank = None if shape is None else (None,) * len(shape)
    given = bound.get("dtype", Const(None))
    summed = None if dtype is None or literal_of(given, given) is not None else sum_dtype(dtype)
    return Array(summed, shape if same_shape else rank)


linear(
    "numpy.cumulative_sum(x, *, axis=None, dtype=None, include_initial=False)",
    x=written(
        lambda app: f"flip(cumsum(flip({_without_start(app)}, {_axis(app)}), {_axis(app)}), {_axis(app)})"
    ),
    kind=_running_kind,
)
general(
    "numpy.cumulative_prod(x, *, axis=None, include_initial=False)",
    push={
        "x": written(
            lambda app: _with_start(
                app, "(before(x, {0}) * g + x * scan(before(x, {0}) * g, x, {0}))".format(_axis(app))
            )
        )
    },
    pull={
        "x": written(
            lambda app: f"sum({_without_start(app)})"
            if app.rank("x") == 0
            else "before(x, {0}) * ({1} + scan_back({1} * x, x, {0}))".format(_axis(app), _without_start(app))
        )
    },
    kind=_running_kind,
)

# --- phases: whole turns are added, which is constant between jumps


def _by_period(_: Application) -> str:
    refuse(_, "with respect to its period", "how many turns are added is not recorded", "a constant period")
    return ""


elementwise(
    "numpy.unwrap(p, discont=None, axis=-1, *, period=6.283185307179586)",
    p="g",
    period=written(_by_period),
    kind=lambda bound: same(inexact_dtype)({"p": bound["p"]}),
)


def _if_close(app: Application) -> str:
    if field_of(app, "a") == "complex":
        refuse(app, "of complex numbers", "whether the result is real depends on the numbers", "np.real")
    return "g"


elementwise(
    "numpy.real_if_close(a, tol=100)",
    a=written(_if_close),
    kind=shaped(lambda shape, _: shape),
    facts={"effects": "view(a)?"},
)

"""Functions that sort, choose, insert and drop items, and interpolation: what moves items follows where NumPy put them."""

from __future__ import annotations

from s2sad.ir.kinds import UNKNOWN, Array, Kind, Scalar, Tuple, dtype_of, promote
from s2sad.libraries.numpy.rules import kind_shapes
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import is_literal, refuse, written
from s2sad.rules.kind_arrays import array_kind, if_taken, literal_of, shaped, trimmed_like
from s2sad.rules.kind_rules import Bound, broadcast_shapes, make, shape_of
from s2sad.rules.registry import general, linear

# --- orders


def _check_axis(app: Application) -> None:
    """Refuse a truth value as an axis, which functions that sort take, and others do not."""
    if dtype_of(app.bound["axis"].kind) == "bool":
        refuse(app, "with a truth value as its axis", "what puts the places back takes none", "axis=0 or axis=1")


def _sorted(app: Application, line: str, general: str, number: str) -> str:
    _check_axis(app)
    if app.rank("a") == 0:
        return number
    return line if app.rank("a") == 1 and is_literal(app, "axis") else general


general(
    "numpy.sort(a, axis=-1, kind=None)",
    push={
        "a": written(lambda app: _sorted(app, "g[argsort(a)]", "take_along_axis(g, argsort(a, axis), axis)", "g"))
    },
    pull={
        "a": written(
            lambda app: _sorted(
                app, "g[argsort(argsort(a))]", "take_along_adjoint(g, a, argsort(a, axis), axis)", "sum(g)"
            )
        )
    },
    kind=kind_shapes.ordered,
)


def _placed(app: Application) -> None:
    """No formula of its own; refuses what has none."""
    _check_axis(app)


general(
    "numpy.partition(a, kth, axis=-1, kind='introselect')",
    push={"a": written(_placed, "take_along_axis(g, placement(a, out, axis), axis)")},
    pull={"a": written(_placed, "take_along_adjoint(g, a, placement(a, out, axis), axis)")},
    kind=kind_shapes.ordered,
)
# --- items by conditions and places


def _some(shape: tuple[object, ...], bound: Bound) -> tuple[None, ...] | None:
    """Some slices along an axis, or some items of all."""
    axis = bound.get("axis")
    if axis is None or literal_of(axis, axis) is None:
        return (None,)
    return (None,) * len(shape)


for head, spelling in (
    ("numpy.compress(condition, a, axis=None)", "call"),
    ("ndarray.compress(a, condition, axis=None)", "method"),
):
    linear(
        head,
        a="take_adjoint(g, a, flatnonzero(condition), axis)",
        kind=shaped(_some, "a"),
        facts={"spelling": spelling},
    )
linear(
    "numpy.extract(condition, arr)",
    arr="take_adjoint(g, arr, flatnonzero(condition))",
    kind=shaped(_some, "arr"),
)
linear(
    "numpy.delete(arr, obj, axis=None)",
    arr="take_adjoint(g, arr, delete(arange(size_along(arr, axis)), obj), axis)",
    kind=shaped(_some, "arr"),
)
linear(
    "numpy.insert(arr, obj, values, axis=None) -> fresh; casts values",
    arr="insert_adjoint(g, arr, obj, values, axis)",
    values="insert_adjoint(g, arr, obj, values, axis, 1)",
    kind=shaped(_some, "arr"),
)
general(
    "numpy.trim_zeros(filt, trim='fb', axis=None)",
    push={"filt": "trimmed(g, filt, trim, axis)"},
    pull={"filt": "trim_adjoint(g, filt, trim, axis)"},
    kind=trimmed_like("filt"),
    facts={"effects": "view(filt)?"},
)


@if_taken
def _chosen(bound: Bound) -> Kind:
    places, choices = array_kind(bound["a"].kind), bound["choices"].kind
    if not isinstance(choices, Tuple):
        return UNKNOWN
    items = [array_kind(item) for item in choices.items]
    shape = broadcast_shapes([shape_of(kind) for kind in (places, *items)])
    return UNKNOWN if not shape else make(promote(*items), shape)


for head, spelling in (
    ("numpy.choose(a, choices, *, mode='raise')", "call"),
    ("ndarray.choose(a, choices, *, mode='raise')", "method"),
):
    linear(head, choices="choose_adjoint(g, a, choices, mode)", kind=_chosen, facts={"spelling": spelling})

# --- interpolation


def _interpolated(bound: Bound) -> Kind:
    place, values = array_kind(bound["x"].kind), array_kind(bound["fp"].kind)
    if not isinstance(place, Scalar | Array):
        return UNKNOWN
    dtype = dtype_of(values)
    if dtype is None:
        return make(None, shape_of(place))
    wide = "complex128" if dtype.startswith("complex") else "float64"
    return make(wide, shape_of(place))


def _outside(app: Application) -> str:
    """Stand-ins for ``left`` and ``right`` where knots alone are considered: zeros where they are given."""
    left, right = ("0.0" if app.given(side) else "None" for side in ("left", "right"))
    return f"{left}, {right}, period"


def _weights(app: Application) -> str:
    return f"interp(x, xp, g, {_outside(app)})"


def _of_knots(app: Application) -> str:
    return f"-interp_slope(x, xp, fp, period) * {_weights(app)}"


def _to_knots(app: Application) -> str:
    return f"-interp_adjoint(g * interp_slope(x, xp, fp, period), x, xp, xp, {_outside(app)})"


def _to_values(app: Application) -> str:
    return f"interp_adjoint(g, x, xp, fp, {_outside(app)})"


def _no_period(app: Application) -> str | None:
    refuse(app, "by its period", "it is not written", "a period that is not differentiated")
    return None


def _real_places(app: Application) -> None:
    """Refuse complex places, whose imaginary parts NumPy takes and discards where there is a period."""
    if any((dtype_of(app.kind(p)) or "").startswith("complex") for p in ("x", "xp")):
        refuse(app, "at complex places", "NumPy discards their imaginary parts", "their real parts, z.real")


general(
    "numpy.interp(x, xp, fp, left=None, right=None, period=None)",
    push={
        "x": "g * interp_slope(x, xp, fp, period)",
        "xp": written(_of_knots),
        "fp": written(_weights),
        "left": "g * interp_outside(x, xp, 'left')",
        "right": "g * interp_outside(x, xp, 'right')",
        "period": written(_no_period),
    },
    pull={
        "x": "g * interp_slope(x, xp, fp, period)",
        "xp": written(_to_knots),
        "fp": written(_to_values),
        "left": "sum(g * interp_outside(x, xp, 'left'))",
        "right": "sum(g * interp_outside(x, xp, 'right'))",
        "period": written(_no_period),
    },
    kind=_interpolated,
    facts={"refuses": _real_places},
)

"""Rules for ``s2sad.runtime.choosing`` and ``.polynomials``, so that derivative programs can be differentiated again."""

from __future__ import annotations

from s2sad.ir.kinds import INT, UNKNOWN, Array, Kind, Scalar, Tuple
from s2sad.libraries.numpy.rules.kind_shapes import diagonal_size, indices_of, ordered
from s2sad.rules import kind_rules
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import literal, written
from s2sad.rules.helpers import RUNTIME, adjoint_of, double_like, shaped_like
from s2sad.rules.kind_arrays import array_kind, literal_of, trimmed_like
from s2sad.rules.kind_rules import Bound, make, shape_of
from s2sad.rules.registry import general, linear, nothing

# --- places


def _bounds(bound: Bound) -> Kind:
    count = literal_of(bound["sections"])
    return Tuple((INT,) * (count + 1)) if isinstance(count, int) else UNKNOWN


def _index(bound: Bound) -> Kind:
    """An index for each axis of the first argument."""
    shape = shape_of(array_kind(next(iter(bound.values())).kind))
    places = bound.get("ind")
    inner = (None,) if places is None else shape_of(array_kind(places.kind))
    return UNKNOWN if shape is None else Tuple((make("int64", inner),) * len(shape))


def _diagonal_index(bound: Bound) -> Kind:
    """An index for each axis of the array, of the items of its diagonal; of more than two axes all are equally long."""
    shape, wrap = shape_of(array_kind(bound["a"].kind)), literal_of(bound["wrap"])
    if shape is None or len(shape) < 2:
        return UNKNOWN
    size = shape[0] if len(shape) > 2 else diagonal_size(shape[0], shape[1], 0) if wrap is False else None
    return Tuple((make("int64", (size,)),) * len(shape))


def _cells(bound: Bound) -> Kind:
    """An index for each axis of the array: of several cells, or of one."""
    shape, index = shape_of(array_kind(bound["a"].kind)), bound["index"].kind
    if shape is None or index == UNKNOWN:
        return UNKNOWN
    return Tuple((Scalar("int64", weak=False) if isinstance(index, Scalar) else Array("int64", (None,)),) * len(shape))


def _grid(bound: Bound) -> Kind:
    """``ogrid``, with the indices in the place of the axis."""
    places, axis = array_kind(bound["indices"].kind), literal_of(bound["axis"])
    shape = shape_of(places)
    if shape is None or not isinstance(axis, int):
        return UNKNOWN
    at = axis % len(shape)
    lines = [tuple(None if k == j else 1 for j in range(len(shape))) for k in range(len(shape))]
    return Tuple(tuple(places if k == at else Array("int64", line) for k, line in enumerate(lines)))


nothing([f"{RUNTIME}section_bounds(x, sections, axis=0, even=True)"], kind=_bounds, zero=True)
nothing([f"{RUNTIME}flat_places(a, ind, mode='raise')"], kind=_index, zero=True)
nothing([f"{RUNTIME}flat_cells(a, index)"], kind=_cells, zero=True)
nothing([f"{RUNTIME}mask_places(a, mask)"], kind=_index, zero=True)
nothing([f"{RUNTIME}diagonal_places(a, wrap=False)"], kind=_diagonal_index, zero=True)
nothing([f"{RUNTIME}places_along(a, indices, axis) -> holds(indices)"], kind=_grid, zero=True)
nothing([f"{RUNTIME}placement(a, out, axis=-1)"], kind=indices_of(ordered), zero=True)

# --- choices and insertions

linear(
    f"{RUNTIME}choose_adjoint(bar, a, choices, mode='raise')",
    bar="unbroadcast(choose(a, g, mode=mode), bar)",
    kind=kind_rules.like("choices"),
)


def _insertion(app: Application) -> str:
    """The other part of what was inserted, or inserted into, counts as zeros."""
    second = literal(app, "k") == 1
    return f"insert({'zeros_like(arr), obj, g' if second else 'g, obj, zeros_like(values)'}, axis)"


def _inserted(bound: Bound) -> Kind:
    part = literal_of(bound["k"])
    return UNKNOWN if part is None else shaped_like(("arr", "values")[part])(bound)


general(
    f"{RUNTIME}insert_adjoint(bar, arr, obj, values, axis=None, k=0)",
    push={"bar": "insert_adjoint(g, arr, obj, values, axis, k)"},
    pull={"bar": written(_insertion)},
    kind=_inserted,
)
linear(
    f"{RUNTIME}trim_adjoint(bar, filt, trim='fb', axis=None)",
    bar="trimmed(g, filt, trim, axis)",
    kind=shaped_like("filt"),
)
linear(
    f"{RUNTIME}trimmed(bar, filt, trim='fb', axis=None)",
    bar="trim_adjoint(g, filt, trim, axis)",
    kind=trimmed_like("bar"),
    facts={"effects": "view(bar)?"},
)

# --- interpolation

_PLACED = "x, xp, fp, left, right, period"
_SLOPE = "interp_slope(x, xp, g, period)"
_AGAIN = "interp(x, xp, g, left, right, period)"
general(
    f"{RUNTIME}interp_slope(x, xp, fp, period=None)",
    push={"fp": _SLOPE, "xp": f"-out * {_SLOPE}"},
    pull={
        "fp": "interp_slope_adjoint(g, x, xp, fp, period)",
        "xp": "-interp_slope_adjoint(g * out, x, xp, xp, period)",
    },
    kind=double_like("x", "fp"),
)
general(
    f"{RUNTIME}interp_slope_adjoint(bar, x, xp, fp, period=None)",
    push={
        "bar": "interp_slope_adjoint(g, x, xp, fp, period)",
        "xp": f"-interp_slope_adjoint(bar * {_SLOPE}, x, xp, fp, period)",
    },
    pull={"bar": _SLOPE, "xp": f"-interp_slope_adjoint(bar * {_SLOPE}, x, xp, xp, period)"},
    kind=shaped_like("fp"),
)
general(
    f"{RUNTIME}interp_adjoint(bar, {_PLACED.replace('left, right, period', 'left=None, right=None, period=None')})",
    push={
        "bar": f"interp_adjoint(g, {_PLACED})",
        "x": "interp_slope_adjoint(bar * g, x, xp, fp, period)",
        "xp": f"-interp_slope_adjoint(bar * {_AGAIN}, x, xp, fp, period)",
    },
    pull={
        "bar": _AGAIN,
        "x": f"bar * {_SLOPE}",
        "xp": f"-interp_adjoint(bar * {_SLOPE}, x, xp, xp, left, right, period)",
    },
    kind=shaped_like("fp"),
)
nothing([f"{RUNTIME}interp_outside(x, xp, side)"], kind=double_like("x", "xp"), zero=True)

# --- polynomials

general(
    f"{RUNTIME}polyval_adjoint(bar, p, x)",
    push={
        "bar": "polyval_adjoint(g, p, x)",
        "x": "polyder_adjoint(polyval_adjoint(bar * g, polyder(p), x), p)",
    },
    pull={"bar": "polyval(g, x)", "x": "bar * polyval(polyder(g), x)"},
    kind=adjoint_of("p"),
)
linear(f"{RUNTIME}polyder_adjoint(bar, p, m=1)", bar="polyder(g, m)", kind=shaped_like("p"))
linear(
    f"{RUNTIME}polyint_adjoint(bar, p, m=1)",
    bar="polyint(g, m)",
    kind=shaped_like("p"),
)
linear(
    f"{RUNTIME}polyint_adjoint_k(bar, k, m=1)",
    bar="lowest_adjoint(lowest(polyint(zeros(1), m, g), zeros(m)), bar)",
    kind=shaped_like("k"),
)
linear(
    f"{RUNTIME}lowest(bar, p)",
    bar="lowest_adjoint(g, bar)",
    kind=shaped_like("p"),
    facts={"effects": "view(bar)?"},
)
general(
    f"{RUNTIME}significant(p)",
    push={"p": "lowest(g, significant(p))"},
    pull={"p": "lowest_adjoint(g, p)"},
    kind=lambda _: Array(None, (None,)),
)
linear(f"{RUNTIME}lowest_adjoint(part, bar)", part="lowest(g, part)", kind=shaped_like("bar", "part"))

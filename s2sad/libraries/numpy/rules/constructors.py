"""Arrays from values: conversions, copies, fills and ranges; and the attributes that tell shapes.

A list of numbers as argument stands for an array: its adjoint is an array whose items are those of the list's
items.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.ir.kinds import INT, UNKNOWN, Array, Kind, List, Scalar, Tuple, dtype_of, rank_of
from s2sad.rules import kind_arrays, kind_rules
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import Written, field_of, refuse, written
from s2sad.rules.kind_arrays import array_kind, literal_of
from s2sad.rules.kind_rules import Bound, KindRule, shape_of
from s2sad.rules.language import by_rank
from s2sad.rules.registry import elementwise, general, linear, nothing, plain

MAYBE_VIEW = {"effects": "view(a)?"}
METHOD = {"spelling": "method"}


def _precision(kind: Kind) -> Any:
    """The dtype, or several, of which none is complex where others are real; None where nothing is known."""
    among = kind.among if isinstance(kind, Array) else None
    return dtype_of(kind) or (None if among is None or any(dtype.startswith("complex") for dtype in among) else among)


def converted(param: str) -> Written:
    """The adjoint of a copy: nothing to do for items of the result's dtype, else the conversion is undone."""

    def write(app: Application) -> str | None:
        source, target = array_kind(app.kind(param)), app.kind("out")
        if isinstance(source, Scalar):
            return "sum(g)"
        known = _precision(source) is not None and shape_of(source) is not None
        return "g" if known and _precision(source) == _precision(target) and rank_of(source) == rank_of(target) else None

    return written(write, f"unbroadcast(g, {param})")


linear(
    "numpy.array(object, dtype=None, *, copy=True, order='K', ndmin=0) -> fresh if copy == True else view(object)?",
    object=converted("object"),
    kind=kind_arrays.converted("object"),
)
general(
    "s2sad.runtime.items_array(items, dtype=None)",
    push={"items": "asarray(g, out.dtype)"},
    pull={"items": converted("items")},
    kind=kind_arrays.converted("items"),
)
for head in ("asarray(a, dtype=None, order=None, *, copy=None)", "asanyarray(a, dtype=None, order=None, *, copy=None)",
             "ascontiguousarray(a, dtype=None)", "asfortranarray(a, dtype=None)",
             "asarray_chkfinite(a, dtype=None, order=None)", "require(a, dtype=None, requirements=None)"):  # fmt: skip
    of = kind_arrays.converted("a", least=1 if head.startswith(("asc", "asfort")) else 0)
    line = "same(a) if a.kept and order is None else view(a)?" if "order" in head else "view(a)?"
    line = f"fresh if copy == True else {line}" if "copy" in head else line
    linear(f"numpy.{head} -> {line}", a=converted("a"), kind=of)


def _copied(bound: Bound) -> Kind:
    """The copy of an array is one; a number is its own, and a list's copy is a list. What nothing is known of counts as an array,
    though NumPy's numbers have the method as well: programs without annotations would be refused."""
    kind = bound["a"].kind
    return kind if isinstance(kind, Scalar | List | Tuple) else kind_arrays.converted("a")(bound)


linear("numpy.copy(a, order='K')", a=converted("a"), kind=kind_arrays.converted("a"), facts=METHOD)
linear("ndarray.copy(a, order='C')", a=converted("a"), kind=_copied, facts=METHOD)


def _cast_back(app: Application) -> str | None:
    """The adjoint in the type of the argument: of a real one that became complex, the real part."""
    source, target = field_of(app, "a"), field_of(app, "out")
    if app.rank("a") == 0:
        return "g"
    if source is None or target is None:
        return None
    return "ndarray.astype(real(g), a.dtype)" if (source, target) == ("real", "complex") else "ndarray.astype(g, a.dtype)"


linear(
    "ndarray.astype(a, dtype, order='K', casting='unsafe', subok=True, copy=True)",
    a=written(_cast_back, "unbroadcast(g, a)"),
    kind=kind_arrays.cast,
    facts={**METHOD, "effects": "fresh if copy == True else same(a)?"},
)


def _converting(dtype: str) -> KindRule:
    """The kind of ``np.float64(x)``."""
    return kind_arrays.same(lambda _: dtype)


for precision in ("float16", "float32", "float64"):
    elementwise(f"numpy.{precision}(x)", x="g", kind=_converting(precision), facts={"effects": "same(x)?"})
for precision in ("complex64", "complex128"):
    linear(f"numpy.{precision}(x)", x="g", kind=_converting(precision), facts={"effects": "same(x)?"})

for precision in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
    nothing([f"numpy.{precision}(x)"], kind=_converting(precision), zero=True)

# --- fills and ranges

_FILL = by_rank("fill_value", table={0: "sum(g)"}, otherwise="unbroadcast(g, fill_value)")
linear("numpy.full(shape, fill_value, dtype=None, order='C')", fill_value=_FILL, kind=kind_arrays.full)
linear(
    "numpy.full_like(a, fill_value, dtype=None) -> fresh; looks a; casts fill_value",
    fill_value=_FILL,
    kind=kind_rules.filled_like("a"),
)


def _end(weights: str) -> Written:
    """The adjoint of one end of a range; ``weights`` is its share in each item."""

    def write(app: Application) -> str:
        if literal_of(app.bound["endpoint"]) is None:
            refuse(
                app,
                "with a computed endpoint",
                "the shares of the ends depend on it",
                "endpoint=True or False",
            )
        scalars = app.rank("start") == app.rank("stop") == 0
        end = "start" if weights.startswith("1") else "stop"
        shares = f"linspace({weights}, num, endpoint{'' if scalars else ', dtype=g.dtype'})"
        if scalars:
            return f"sum(g * {shares})"
        return f"unbroadcast(tensordot({shares}, moveaxis(g, axis, 0), 1), {end})"

    return written(write)


linear(
    "numpy.linspace(start, stop, num=50, endpoint=True, *, dtype=None, axis=0)",
    start=_end("1.0, 0.0"),
    stop=_end("0.0, 1.0"),
    kind=kind_arrays.counted("num"),
)


def _ends_alone(app: Application) -> bool:
    """Test for a call ``arange(stop)``: its items do not depend on where it ends."""
    return not app.given("stop")


general(
    "numpy.arange(start, stop=None, step=None, dtype=None)",
    push={
        "start": written(lambda app: "zeros_like(out)" if _ends_alone(app) else "full_like(out, g)"),
        "stop": "full_like(out, 0.0 * g)",
        "step": "g * arange(size(out))",
    },
    pull={
        "start": written(lambda app: "0.0 * sum(g)" if _ends_alone(app) else "sum(g)"),
        "stop": "0.0 * sum(g)",
        "step": "sum(g * arange(size(g)))",
    },
    kind=kind_arrays.arange,
)


def _geometric(text: str, share: str, end: str = "") -> dict[str, Written]:
    """The pushforward and the pullback of a range of powers; ``share`` is that of one end in the exponents.

    ``text`` writes the derivative of the items by the exponents or the end, without that share.
    """

    def numbers(app: Application) -> bool:
        return app.rank("start") == app.rank("stop") == 0

    precise = share.replace("endpoint)", "endpoint, dtype=out.dtype)")

    def slope(app: Application) -> str:
        """A Python number as the base stays one, so that its logarithm does not widen single precision."""
        return (
            text.replace("log(base)", "math.log(base)")
            if "base" in app.bound and app.rank("base") == 0 and field_of(app, "base") == "real"
            else text
        )

    def push(app: Application) -> str:
        if numbers(app):
            return f"g * {slope(app)} * {share}"
        return f"transpose(transpose(g * {slope(app)}) * {precise})"

    def pull(app: Application) -> str:
        if numbers(app):
            return f"sum(g * {slope(app)} * {share})"
        return f"unbroadcast(tensordot({precise}, g * {slope(app)}, 1), {end})"

    return {"push": written(push), "pull": written(pull)}


_SHARES = {"start": "linspace(1.0, 0.0, num, endpoint)", "stop": "linspace(0.0, 1.0, num, endpoint)"}


def _ends(scale: str, mode: str) -> dict[str, Written]:
    """The formulas of both ends; ``scale`` is the derivative of an item by an exponent, or by what replaces it."""
    return {end: _geometric(scale.format(end=end), share, end)[mode] for end, share in _SHARES.items()}


def _in_double(bound: Bound) -> Kind:
    """As ``linspace``, in double precision always."""
    kind = kind_arrays.counted("num")(bound)
    dtype = dtype_of(kind)
    return kind if dtype is None else Array("complex128" if dtype.startswith("complex") else "float64", shape_of(kind))


general(
    "numpy.geomspace(start, stop, num=50, endpoint=True)",
    push=_ends("out / {end}", "push"),
    pull=_ends("out / {end}", "pull"),
    kind=_in_double,
)
def _by_base(bound: Bound) -> Kind:
    """As ``linspace``, complex where the base is."""
    kind = kind_arrays.counted("num")(bound)
    if "base" in bound and rank_of(bound["base"].kind) != 0:
        return UNKNOWN
    base = dtype_of(bound["base"].kind) if "base" in bound else "float64"
    if base is None or base.startswith("complex"):
        return Array(base and "complex128", shape_of(kind))
    return kind


def _to_one_base(write: Callable[[Application], Any]) -> Written:
    """A formula for the powers of one number: arrays of bases have other axes than the exponents."""

    def checked(app: Application) -> Any:
        if "base" in app.bound and app.rank("base") != 0:
            refuse(
                app, "of what is not known to be one base", "the items of arrays of bases lie along other axes",
                "base ** np.linspace(start, stop, num)[:, None]",
            )  # fmt: skip
        return write(app)

    return written(checked)


def _powers(mode: str, of_base: str) -> dict[str, Written]:
    ends = {end: _to_one_base(formula.pick) for end, formula in _ends("out * log(base)", mode).items()}
    return {**ends, "base": _to_one_base(lambda _: of_base)}


_BY_BASE = "out * linspace(start, stop, num, endpoint) / base"
general(
    "numpy.logspace(start, stop, num=50, endpoint=True, base=10.0)",
    push=_powers("push", f"g * {_BY_BASE}"),
    pull=_powers("pull", f"sum(g * {_BY_BASE})"),
    kind=_by_base,
)
nothing(["numpy.eye(N, M=None, k=0, dtype=None)", "numpy.tri(N, M=None, k=0, dtype=None)"],
        kind=kind_arrays.square("N", "M"), zero=True)  # fmt: skip
nothing(["numpy.identity(n, dtype=None)"], kind=kind_arrays.square("n"), zero=True)

# --- attributes

for attribute, kind in (
    ("shape", kind_rules.shape_tuple),
    ("ndim", kind_arrays.rank),
    ("size", kind_arrays.size),
    ("dtype", kind_arrays.dtype),
):
    nothing([f"ndarray.{attribute}(a)"], kind=kind, zero=True, cheap=True, spelling="attribute", effects="none; looks a")
for attribute in ("itemsize", "nbytes"):
    nothing(
        [f"ndarray.{attribute}(a)"], kind=kind_rules.always(INT), zero=True, cheap=True, spelling="attribute"
    )
nothing(["numpy.shape(a)"], kind=kind_rules.shape_tuple, zero=True, cheap=True, effects="none; looks a")
nothing(["numpy.ndim(a)"], kind=kind_arrays.rank, zero=True, cheap=True, effects="none; looks a")
nothing(["numpy.size(a, axis=None)"], kind=kind_arrays.size, zero=True, cheap=True, effects="none; looks a")
plain(
    "ndarray.flat(a)",
    kind=kind_arrays.shaped(lambda shape, _: (kind_arrays.product_size(shape),)),
    effects="view(a)",
    spelling="attribute",
)

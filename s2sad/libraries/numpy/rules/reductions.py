"""Sums, means, extrema and running sums.

With a literal ``axis`` the adjoint is written with the axes put back by an index; otherwise by the helper
``spread``. ``where=`` leaves items out, which get the adjoint 0; ``initial=`` is one item more.
"""

from __future__ import annotations

from s2sad.ir.kinds import UNKNOWN, Array, Kind, Scalar, dtype_of
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import (
    Written,
    broadcastable,
    count_text,
    extreme_axis,
    field_of,
    is_literal,
    keeps_shape,
    literal,
    options_text,
    repeated,
    restored,
    written,
)
from s2sad.rules.kind_arrays import (
    cumulative,
    first,
    float_dtype,
    literal_of,
    real_float,
    reduced,
    strong_dtype,
    sum_dtype,
)
from s2sad.rules.kind_rules import Bound, make, shape_of
from s2sad.rules.registry import alias, general, linear, nothing


def _chosen(app: Application) -> bool:
    """Possibility that ``where=`` leaves items out."""
    return "where" in app.bound and not (is_literal(app, "where") and literal(app, "where") is True)


def _only_chosen(app: Application, text: str, neutral: str = "0.0") -> str:
    """``text`` for the items that count, ``neutral`` for the others."""
    return f"where(where, {text}, {neutral})" if _chosen(app) else text


linear(
    "numpy.sum(a, axis=None, dtype=None, *, keepdims=False, initial=None, where=True)",
    a=written(lambda app: _only_chosen(app, repeated(app, "a", "g"))),
    initial="sum(g)",
    kind=reduced(sum_dtype),
)


def _mean_adjoint(app: Application) -> str:
    if _chosen(app):
        return _only_chosen(app, repeated(app, "a", f"(g / count_where(where, a{options_text(app)}))"))
    if app.rank("a") == 0:
        return "g"
    if restored(app, "a", "g") is None:
        return "spread(g, a, axis, keepdims) / size_along(a, axis)"
    return _divided_then_repeated(app)


def _whole(app: Application) -> bool:
    """Test for an array that is reduced to a number, whose adjoint may be one of Python's: no 0 divides these."""
    return app.rank("out") == 0 and app.rank("a") != 0


def _some(app: Application) -> str:
    """The number of items, to divide an adjoint by: 1 of an empty array, which gets nothing of it."""
    return f"builtins.max({count_text(app, 'a')}, 1)" if _whole(app) else count_text(app, "a")


def _divided_then_repeated(app: Application) -> str:
    count = _some(app)
    back = repeated(app, "a", "g")
    return f"{back[:-1]} / {count})" if back.startswith("full_like") else f"{back} / {count}"


linear(
    "numpy.mean(a, axis=None, dtype=None, *, keepdims=False, where=True)",
    a=written(_mean_adjoint),
    kind=reduced(float_dtype),
)


def _nansum_pull(app: Application) -> str:
    typed = "dtype" in app.bound and not (is_literal(app, "dtype") and literal(app, "dtype") is None)
    back = repeated(app, "a", "g") if typed else broadcastable(app, "a", "g")
    return f"where(isnan(a), 0.0, {back})"


general(
    "numpy.nansum(a, axis=None, dtype=None, *, keepdims=False)",
    push={"a": written(lambda app: f"sum(where(isnan(a), 0.0, g){options_text(app)})")},
    pull={"a": written(_nansum_pull)},
    kind=reduced(sum_dtype),
)

# --- extrema: ties share evenly


def _plain(app: Application) -> bool:
    return not _chosen(app) and not ("initial" in app.bound and app.given("initial"))


def _ties(app: Application) -> str:
    if _plain(app):
        return f"ties(a, out{extreme_axis(app)})"
    return f"item_shares(a, out, where, initial{options_text(app)})"


def _alone(app: Application) -> bool:
    return app.rank("a") == 0 and _plain(app)


def _initial_share(app: Application) -> str:
    return f"(1.0 - sum({_ties(app)}{options_text(app)}))"


def _passed(app: Application, g: str) -> str:
    """The share that an item passes on, or is passed back: nothing where it has none, whatever ``g`` is."""
    shares = _ties(app) if "axis" in app.bound else "ties(a, out)"
    return f"strong_zero({g} * {shares}, {shares})" if app.steep else f"{g} * {shares}"


EXTREMUM_PUSH = written(lambda app: "g" if _alone(app) else f"sum({_passed(app, 'g')}{options_text(app)})")
EXTREMUM_PULL = written(
    lambda app: (
        "g"
        if _alone(app)
        else f"sum({_passed(app, 'g')})"  # a number, which an axis makes a vector of
        if app.rank("a") == 0
        else _passed(app, broadcastable(app, "a", "g"))
    )
)
for name in ("max", "min"):
    general(
        f"numpy.{name}(a, axis=None, *, keepdims=False, initial=None, where=True)",
        push={"a": EXTREMUM_PUSH, "initial": written(lambda app: f"g * {_initial_share(app)}")},
        pull={"a": EXTREMUM_PULL, "initial": written(lambda app: f"sum(g * {_initial_share(app)})")},
        kind=reduced(),
    )
for head in ("s2sad.runtime.largest_item(a)", "s2sad.runtime.smallest_item(a)"):  # Python's own, of a vector
    general(
        head,
        push={"a": written(lambda app: f"sum({_passed(app, 'g')})")},
        pull={"a": written(lambda app: _passed(app, "g"))},
        kind=lambda bound: make(dtype_of(bound["a"].kind), ()),
    )
alias("numpy.max", "numpy.amax")
alias("numpy.min", "numpy.amin")

# --- variances; the deviation of equal items has the slope 0


def _deviation(app: Application) -> str:
    options = "" if literal(app, "axis") is None else ", axis=axis, keepdims=True"
    options += ", where=where" if _chosen(app) else ""
    deviation = "(a - mean)" if app.given("mean") else f"(a - mean(a{options}))"
    return _only_chosen(app, deviation if field_of(app, "a") == "real" else f"conj{deviation}")


def _lost(app: Application) -> str | None:
    """By what the number of items is reduced; None by nothing."""
    lost = "correction" if app.given("correction") else "ddof"
    return lost if lost == "correction" or literal(app, "ddof") != 0 else None


def _count(app: Application, spread: bool) -> str:
    """The number of items less ``ddof``, as NumPy never below 0, in a shape that divides what is summed or what is spread."""
    lost = _lost(app)
    if _chosen(app):
        kept = f"count_where(where, a{options_text(app)})"
        kept = f"maximum({kept} - {lost}, 0)" if lost else kept
        return broadcastable(app, "a", kept) if spread else kept
    if lost:
        return f"builtins.max({count_text(app, 'a')} - {lost}, 0)"
    return _some(app) if spread else count_text(app, "a")


def _weighted_sum(app: Application, factor: str) -> str:
    """The tangent: a sum of tangents, weighted with deviations."""
    text = f"sum({_deviation(app)} * g{options_text(app)})"
    return f"{factor}{text if field_of(app, 'a') == 'real' else f'real({text})'}"


VAR_PUSH = written(lambda app: f"{_weighted_sum(app, '2 * ')} / {_count(app, False)}")


def _var_pull(app: Application) -> str:
    """The deviations; infinite or NaN where too few items are left."""
    g, count = f"2 * {broadcastable(app, 'a', 'g')}", _count(app, True)
    share = f"ratio({g}, {count})" if _lost(app) and _whole(app) and not _chosen(app) else f"{g} / {count}"
    return f"{share} * {_deviation(app)}"


VAR_PULL = written(_var_pull)
STD_PUSH = written(lambda app: f"safe_divide({_weighted_sum(app, '')}, out * {_count(app, False)})")
STD_PULL = written(
    lambda app: f"{broadcastable(app, 'a', 'safe_divide(g, out)')} / {_count(app, True)} * {_deviation(app)}"
)



def _back(spec: Written, fold: str = "{}") -> Written:
    """The slope by a mean that is given, which deviations fall with."""
    return written(lambda app: fold.format(f"-({spec.formula(app).text})"))


for name, push, pull in (("var", VAR_PUSH, VAR_PULL), ("std", STD_PUSH, STD_PULL)):
    general(
        f"numpy.{name}(a, axis=None, *, ddof=0, keepdims=False, where=True, mean=None, correction=None)",
        push={"a": push, "mean": _back(push)},
        pull={"a": pull, "mean": _back(pull, "unbroadcast({}, mean)")},
        kind=reduced(real_float),
    )

# --- products: the product of all others, so that items that are 0 are right


def _others(app: Application) -> str:
    items = _only_chosen(app, "a", "1.0")
    return f"prod_of_others({items})" if literal(app, "axis") is None else f"prod_of_others({items}, axis)"


def _initial_factor(app: Application) -> str:
    return " * initial" if "initial" in app.bound and app.given("initial") else ""


def _prod(app: Application) -> str:
    return f"prod({_only_chosen(app, 'a', '1.0')}{options_text(app)})"


PROD_PUSH = written(
    lambda app: f"sum({_only_chosen(app, f'g * {_others(app)}')}{options_text(app)}){_initial_factor(app)}"
)
PROD_PULL = written(
    lambda app: _only_chosen(app, f"{broadcastable(app, 'a', 'g')} * {_others(app)}{_initial_factor(app)}")
)
general(
    "numpy.prod(a, axis=None, *, keepdims=False, initial=None, where=True)",
    push={"a": PROD_PUSH, "initial": written(lambda app: f"g * {_prod(app)}")},
    pull={"a": PROD_PULL, "initial": written(lambda app: f"sum(g * {_prod(app)})")},
    kind=reduced(sum_dtype),
)

# --- running sums and products


def _flat(app: Application) -> bool:
    return app.rank("a") != 1 and is_literal(app, "axis") and literal(app, "axis") is None


def _cumsum_adjoint(app: Application) -> str | None:
    if app.rank("a") == 1 and is_literal(app, "axis"):
        return "cumsum(g[::-1])[::-1]"
    return _of_number(app, "sum(g)", "reshape(cumsum(g[::-1])[::-1], shape(a))")


CUMSUM_PULL = written(_cumsum_adjoint, "flip(cumsum(flip(g, axis), axis), axis)")


def _of_number(app: Application, number: str, flat: str) -> str | None:
    """The formula for one number, and that for arrays whose items count in one row."""
    return number if app.rank("a") == 0 else flat if _flat(app) else None


CUMPROD_PUSH = written(
    lambda app: _of_number(app, "full_like(out, g)", "ravel(before(a) * g + a * scan(before(a) * g, a))"),
    "before(a, axis) * g + a * scan(before(a, axis) * g, a, axis)",
)
CUMPROD_PULL = written(
    lambda app: _of_number(app, "sum(g)", "before(a) * (reshape(g, shape(a)) + scan_back(reshape(g, shape(a)) * a, a))"),
    "before(a, axis) * (g + scan_back(g * a, a, axis))",
)
linear("numpy.cumsum(a, axis=None)", a=CUMSUM_PULL, kind=cumulative)
general("numpy.cumprod(a, axis=None)", push={"a": CUMPROD_PUSH}, pull={"a": CUMPROD_PULL}, kind=cumulative)

# --- weighted means


def _weighted(app: Application) -> bool:
    return not (is_literal(app, "weights") and literal(app, "weights") is None)


def _simple(app: Application) -> bool:
    """Test for an average of all items to one number, with weights of the array's shape."""
    flat = app.rank("a") == app.rank("weights") == 1 or (
        literal(app, "axis") is None and keeps_shape(app, "a", "weights")
    )
    return flat and is_literal(app, "keepdims") and not literal(app, "keepdims")


def _total(app: Application) -> str:
    return f"sum(weights_along(weights, a, axis){options_text(app)})"


def _average_push_a(app: Application) -> str:
    weights = ", weights=weights" if _weighted(app) else ""
    return f"average(g{weights}{options_text(app)})"


def _average_pull_a(app: Application) -> str:
    if not _weighted(app):
        return _mean_adjoint(app)
    if _simple(app):
        return "g / sum(weights) * weights"
    share = broadcastable(app, "a", f"(g / {_total(app)})")
    return f"{share} * weights_along(weights, a, axis)"


_CENTRED = "(a - average(a, axis, weights, keepdims=True))"


def _average_push_weights(app: Application) -> str:
    if _simple(app):
        return "sum(g * (a - out)) / sum(weights)"
    return f"sum(weights_along(g, a, axis) * {_CENTRED}{options_text(app)}) / {_total(app)}"


def _average_pull_weights(app: Application) -> str:
    if _simple(app):
        return "g / sum(weights) * (a - out)"
    share = broadcastable(app, "a", f"(g / {_total(app)})")
    summed = f"unbroadcast({share} * {_CENTRED}, weights_along(weights, a, axis))"
    return f"weights_along_adjoint({summed}, weights, a, axis)"


def _average_kind(bound: Bound) -> Kind:
    """The dtype of the product of items and weights, which has at least that of a mean."""
    mean = reduced(float_dtype)(bound)
    weights = bound["weights"]
    if literal_of(weights, weights) is None or not isinstance(mean, Scalar | Array):
        return mean
    dtype = strong_dtype([mean, first({"weights": weights})])
    return UNKNOWN if dtype is None and isinstance(mean, Scalar) else make(dtype, shape_of(mean))


general(
    "numpy.average(a, axis=None, weights=None, *, keepdims=False)",
    push={"a": written(_average_push_a), "weights": written(_average_push_weights)},
    pull={"a": written(_average_pull_a), "weights": written(_average_pull_weights)},
    kind=_average_kind,
)

# --- counts and places

nothing([f"numpy.{name}(a, axis=None, *, keepdims=False, where=True)" for name in ("any", "all")],
        kind=reduced(lambda _: "bool"), zero=True)  # fmt: skip
nothing(["numpy.count_nonzero(a, axis=None, *, keepdims=False)"], kind=reduced(lambda _: "int64"), zero=True)
nothing(["numpy.argmax(a, axis=None, *, keepdims=False)", "numpy.argmin(a, axis=None, *, keepdims=False)"],
        kind=reduced(lambda _: "int64"), zero=True)  # fmt: skip

METHODS = (
    "sum",
    "mean",
    "max",
    "min",
    "var",
    "std",
    "prod",
    "cumsum",
    "cumprod",
    "any",
    "all",
    "argmax",
    "argmin",
)
for name in METHODS:
    alias(f"numpy.{name}", f"ndarray.{name}", spelling="method")

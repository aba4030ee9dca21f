"""Statistics: reductions that pass over NaN, quantiles, weighted counts.

What passes over NaN is written by its counterpart on ``where(isnan(a), neutral, a)``; no NaN of ``a`` reaches a
derivative, and the adjoint of an item that is NaN is 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from s2sad.ir.kinds import Array, Kind, Scalar
from s2sad.libraries.numpy.rules.reductions import (
    CUMPROD_PULL,
    CUMPROD_PUSH,
    CUMSUM_PULL,
    EXTREMUM_PULL,
    EXTREMUM_PUSH,
    PROD_PULL,
    PROD_PUSH,
)
from s2sad.libraries.numpy.rules.statistics_helpers import level_pull, level_push, quantile_kind
from s2sad.rules import kind_rules
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import (
    broadcastable,
    extreme_axis,
    field_of,
    is_literal,
    literal,
    options_text,
    refuse,
    written,
)
from s2sad.rules.kind_arrays import (
    cumulative,
    float_dtype,
    literal_of,
    real_float,
    reduced,
    sum_dtype,
)
from s2sad.rules.kind_rules import Bound, shape_of
from s2sad.rules.language import CallFormula, Partial, spec_of
from s2sad.rules.registry import general, linear, nothing

# --- reductions that pass over NaN


def _clean(text: str, neutral: str) -> str:
    """A formula of ``a``, of its items that are numbers; those that are NaN count as ``neutral``."""
    return re.sub(r"\ba\b", f"where(isnan(a), {neutral}, a)", text)


def passing_nan(spec: CallFormula, neutral: str, pull: bool) -> Partial:
    """The formula of the counterpart, of numbers alone."""

    def write(app: Application) -> str:
        text = _clean(spec.formula(app).text, neutral)
        if app.rank("a") == 0:
            return spec.formula(app).text
        if pull:
            return f"where(isnan(a), 0.0, {text})"
        return re.sub(r"\bg\b", "where(isnan(a), 0.0, g)", text)

    return written(write)


for head, neutral, push, pull, kind in (
    ("nanprod(a, axis=None, *, keepdims=False)", "1.0", PROD_PUSH, PROD_PULL, reduced(sum_dtype)),
    ("nancumprod(a, axis=None)", "1.0", CUMPROD_PUSH, CUMPROD_PULL, cumulative),
    ("nancumsum(a, axis=None)", "0.0", written(lambda _: "cumsum(g, axis)"), CUMSUM_PULL, cumulative),
):
    general(
        f"numpy.{head}",
        push={"a": passing_nan(push, neutral, pull=False)},
        pull={"a": passing_nan(pull, neutral, pull=True)},
        kind=kind,
    )


def _numbers(app: Application) -> str:
    """The number of items that are numbers."""
    return f"count_where(logical_not(isnan(a)), a{options_text(app)})"


general(
    "numpy.nanmean(a, axis=None, *, keepdims=False)",
    push={"a": written(lambda app: f"sum(where(isnan(a), 0.0, g){options_text(app)}) / {_numbers(app)}")},
    pull={
        "a": written(lambda app: f"where(isnan(a), 0.0, {broadcastable(app, 'a', f'(g / {_numbers(app)})')})")
    },
    kind=reduced(float_dtype),
)
for name in ("nanmax", "nanmin"):
    general(
        f"numpy.{name}(a, axis=None, *, keepdims=False)",
        push={"a": EXTREMUM_PUSH},
        pull={"a": EXTREMUM_PULL},
        kind=reduced(),
    )


def _nan_deviation(app: Application) -> str:
    options = "" if is_literal(app, "axis") and literal(app, "axis") is None else ", axis=axis, keepdims=True"
    deviation = f"(a - nanmean(a{options}))"
    return f"where(isnan(a), 0.0, {deviation if field_of(app, 'a') == 'real' else f'conj{deviation}'})"


def _nan_weighted_sum(app: Application) -> str:
    text = f"sum({_nan_deviation(app)} * where(isnan(a), 0.0, g){options_text(app)})"
    return text if field_of(app, "a") == "real" else f"real({text})"


def _remaining(app: Application) -> str:
    """The number of items that are numbers, less those that the mean has cost."""
    return f"{_numbers(app)} - {'correction' if app.given('correction') else 'ddof'}"


NANVAR_PUSH = written(lambda app: f"2 * {_nan_weighted_sum(app)} / ({_remaining(app)})")
NANVAR_PULL = written(
    lambda app: f"2 * {broadcastable(app, 'a', f'(g / ({_remaining(app)}))')} * {_nan_deviation(app)}"
)
NANSTD_PUSH = written(lambda app: f"safe_divide({_nan_weighted_sum(app)}, out * ({_remaining(app)}))")
NANSTD_PULL = written(
    lambda app: (
        f"{broadcastable(app, 'a', f'(safe_divide(g, out) / ({_remaining(app)}))')} * {_nan_deviation(app)}"
    )
)
for name, push, pull in (("nanvar", NANVAR_PUSH, NANVAR_PULL), ("nanstd", NANSTD_PUSH, NANSTD_PULL)):
    general(
        f"numpy.{name}(a, axis=None, *, ddof=0, keepdims=False, correction=None)",
        push={"a": push},
        pull={"a": pull},
        kind=reduced(real_float),
    )


def _range_ties(app: Application) -> str:
    options = options_text(app)
    axis = extreme_axis(app)
    return f"(ties(a, max(a{options}){axis}) - ties(a, min(a{options}){axis}))"


general(
    "numpy.ptp(a, axis=None, *, keepdims=False)",
    push={"a": written(lambda app: f"sum(g * {_range_ties(app)}{options_text(app)})")},
    pull={"a": written(lambda app: f"{broadcastable(app, 'a', 'g')} * {_range_ties(app)}")},
    kind=reduced(),
)

# --- quantiles: items that are equal to an order statistic share its weight evenly


def _level(app: Application, percent: bool) -> str:
    """The level between 0 and 1. A Python number stays one, so that it does not widen single precision."""
    if not percent:
        return "q"
    return "q / 100" if isinstance(app.kind("q"), Scalar | Array) else "asarray(q) / 100"


def quantiles(name: str, percent: bool, ignore_nan: bool) -> None:
    """``quantile``, ``percentile`` and their counterparts that pass over NaN."""
    options = f"method, {ignore_nan}"

    def moved(text: str) -> Partial:
        return written(
            lambda app: text.format(f"g, a, {_level(app, percent)}, axis, keepdims, {options}"), otherwise="g"
        )

    def slopes(app: Application) -> str:
        found = f"quantile_push(a, a, {_level(app, percent)}, axis, keepdims, {options}, 1)"
        return f"({found} / 100)" if percent else found

    def weighted(chosen: Callable[[Application], str], otherwise: CallFormula | str) -> Partial:
        """The formula of a quantile with weights, which is one of the items."""
        plain = spec_of(otherwise)

        def write(app: Application) -> str:
            if not app.given("weights"):
                return (plain.formula(app) if isinstance(plain, CallFormula) else plain).text
            if app.rank("q") != 0:
                refuse(app, "with weights and several levels", "its rule is that of one level", "a call for each level")
            return chosen(app)

        return written(write)

    def item(app: Application) -> str:
        return f"ties(a, out{extreme_axis(app)})"

    general(
        f"numpy.{name}(a, q, axis=None, *, method='linear', keepdims=False, weights=None)",
        push={
            "a": weighted(lambda app: f"sum(g * {item(app)}{options_text(app)})", moved("quantile_push({})")),
            "q": weighted(lambda app: "0.0 * g * out", written(lambda app: level_push(app, slopes(app)))),
        },
        pull={
            "a": weighted(lambda app: f"{broadcastable(app, 'a', 'g')} * {item(app)}", moved("quantile_pull({})")),
            "q": weighted(lambda app: "0.0 * sum(g)", written(lambda app: level_pull(app, slopes(app)))),
        },
        kind=quantile_kind,
    )


for prefix, ignore_nan in (("", False), ("nan", True)):
    quantiles(f"{prefix}quantile", percent=False, ignore_nan=ignore_nan)
    quantiles(f"{prefix}percentile", percent=True, ignore_nan=ignore_nan)
    middle = f"a, 0.5, axis, keepdims, 'linear', {ignore_nan}"
    general(
        f"numpy.{prefix}median(a, axis=None, *, keepdims=False)",
        push={"a": f"quantile_push(g, {middle})"},
        pull={"a": f"quantile_pull(g, {middle})"},
        kind=reduced(float_dtype),
    )

# --- counts with weights


def _bincount_kind(bound: Bound) -> Kind:
    weights = bound["weights"]
    return Array("int64" if literal_of(weights, weights) is None else "float64", (None,))


def _counted(app: Application) -> None:
    """Refuse an array of nothing: NumPy counts an empty list, which is an array of floats here."""
    if shape_of(app.kind("x")) == (0,):
        refuse(app, "of nothing", "it counts integers, and an empty list has none", "np.zeros(minlength)")


linear(
    "numpy.bincount(x, weights=None, minlength=0)",
    weights=written(
        lambda app: (
            "take(g, x)" if field_of(app, "weights") is not None else "unbroadcast(take(g, x), weights)"
        )
    ),
    kind=_bincount_kind,
    facts={"refuses": _counted},
)
nothing(
    ["numpy.histogram_bin_edges(a, bins=10, range=None)"],
    kind=kind_rules.always(Array(None, (None,))),
    why="the edges follow the extremes of the data, which no rule is written for; give the bins, or a range",
)

"""Statistics: reductions that pass over NaN, quantiles, covariances, weighted counts, integrals and differences.

What passes over NaN is written by its counterpart on ``where(isnan(a), neutral, a)``; no NaN of ``a`` reaches a
derivative, and the adjoint of an item that is NaN is 0.
"""

from __future__ import annotations

import re

from s2sad.ir.kinds import UNKNOWN, Array, Kind, Scalar, is_many, promote
from s2sad.rules import kind_rules
from s2sad.rules.application import Application
from s2sad.rules.choices import broadcastable, field_of, is_literal, literal, options_text, refuse, written
from s2sad.rules.kind_arrays import (
    array_kind,
    cumulative,
    float_dtype,
    literal_of,
    real_float,
    reduced,
    sum_dtype,
)
from s2sad.rules.kind_rules import Bound, make, shape_of
from s2sad.rules.language import Choice, Partial
from s2sad.rules.numpy_reductions import (
    CUMPROD_PULL,
    CUMPROD_PUSH,
    CUMSUM_PULL,
    EXTREMUM_PULL,
    EXTREMUM_PUSH,
    PROD_PULL,
    PROD_PUSH,
)
from s2sad.rules.registry import general, linear, nothing
from s2sad.rules.statistics_helpers import by_level, level_pull, level_push, quantile_kind

# --- reductions that pass over NaN


def _clean(text: str, neutral: str) -> str:
    """A formula of ``a``, of its items that are numbers; those that are NaN count as ``neutral``."""
    return re.sub(r"\ba\b", f"where(isnan(a), {neutral}, a)", text)


def passing_nan(spec: Choice, neutral: str, pull: bool) -> Partial:
    """The formula of the counterpart, of numbers alone."""

    def write(app: Application) -> str:
        text = _clean(spec.formula(app).text, neutral)
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
    """How many items are numbers."""
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


NANVAR_PUSH = written(lambda app: f"2 * {_nan_weighted_sum(app)} / ({_numbers(app)} - ddof)")
NANVAR_PULL = written(
    lambda app: f"2 * {broadcastable(app, 'a', f'(g / ({_numbers(app)} - ddof))')} * {_nan_deviation(app)}"
)
NANSTD_PUSH = written(lambda app: f"safe_divide({_nan_weighted_sum(app)}, out * ({_numbers(app)} - ddof))")
NANSTD_PULL = written(
    lambda app: (
        f"{broadcastable(app, 'a', f'(safe_divide(g, out) / ({_numbers(app)} - ddof))')} * {_nan_deviation(app)}"
    )
)
for name, push, pull in (("nanvar", NANVAR_PUSH, NANVAR_PULL), ("nanstd", NANSTD_PUSH, NANSTD_PULL)):
    general(
        f"numpy.{name}(a, axis=None, *, ddof=0, keepdims=False)",
        push={"a": push},
        pull={"a": pull},
        kind=reduced(real_float),
    )


def _range_ties(app: Application) -> str:
    options = options_text(app)
    return f"(ties(a, max(a{options}){options}) - ties(a, min(a{options}){options}))"


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
    return "q / 100" if isinstance(app.kind("q"), Scalar) else "divide(q, 100)"


def quantiles(name: str, percent: bool, ignore_nan: bool) -> None:
    """``quantile``, ``percentile`` and their counterparts that pass over NaN."""
    options = f"method, {ignore_nan}"

    def moved(text: str) -> Partial:
        return written(
            lambda app: text.format(f"g, a, {_level(app, percent)}, axis, keepdims, {options}"), otherwise="g"
        )

    def slopes(app: Application) -> str:
        found = by_level(app, "1", options).replace(", q,", f", {_level(app, percent)},")
        return f"({found} / 100)" if percent else found

    general(
        f"numpy.{name}(a, q, axis=None, *, method='linear', keepdims=False)",
        push={"a": moved("quantile_push({})"), "q": written(lambda app: level_push(app, slopes(app)))},
        pull={"a": moved("quantile_pull({})"), "q": written(lambda app: level_pull(app, slopes(app)))},
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

# --- covariances: X holds a variable in each row, C the same less their means; cov is C C^H / (n - ddof)


def _rows(app: Application, m: str, y: str) -> str:
    return (
        f"concatenate((variables({m}, rowvar), variables({y}, rowvar)))"
        if app.given("y")
        else f"variables({m}, rowvar)"
    )


def _centred(app: Application, first: str) -> str:
    rows = _rows(app, first, "y")
    return f"({rows} - mean({rows}, axis=1, keepdims=True))"


def _moved_rows(app: Application, first: str, param: str) -> str:
    """The tangent of the rows: those of the other argument do not move."""
    if param == "y":
        return _rows(app, f"zeros_like({first})", "g")
    return _rows(app, "g", "zeros_like(y)")


def _own_rows(app: Application, first: str, param: str, text: str) -> str:
    """Those rows of an adjoint that belong to an argument, in its shape."""
    if app.given("y"):
        size = f"size(variables({first}, rowvar), 0)"
        text = f"({text})[:{size}]" if param == first else f"({text})[{size}:]"
    return f"variables_adjoint({text}, {param}, rowvar)"


_BAR = "atleast_2d(g)"


def _cov_divisor(app: Application, first: str) -> str:
    if not (is_literal(app, "ddof") and literal(app, "ddof") is None):
        return f"(size({_rows(app, first, 'y')}, 1) - ddof)"
    lost = (0 if literal(app, "bias") else 1) if is_literal(app, "bias") else "(1 - bias)"
    return f"(size({_rows(app, first, 'y')}, 1) - {lost})"


def _conjugate(app: Application, first: str, text: str) -> str:
    real = all(field_of(app, p) == "real" for p in (first, "y") if app.given(p))
    return text if real else f"conj({text})"


def _cov_push(param: str) -> Partial:
    def write(app: Application) -> str:
        centred = _conjugate(app, "m", _centred(app, "m"))
        cross = f"({_moved_rows(app, 'm', param)} @ {centred}.T / {_cov_divisor(app, 'm')})"
        return f"squeeze({cross} + {_conjugate(app, 'm', cross)}.T)"

    return written(write)


def _cov_pull(param: str) -> Partial:
    def write(app: Application) -> str:
        centred = _conjugate(app, "m", _centred(app, "m"))
        text = f"({_BAR} + {_conjugate(app, 'm', _BAR)}.T) @ {centred} / {_cov_divisor(app, 'm')}"
        return _own_rows(app, "m", param, text)

    return written(write)


def _matrix_kind(bound: Bound) -> Kind:
    """A row and a column for each variable; without axes where there is one."""
    (first_name, *_), rowvar = list(bound), literal_of(bound["rowvar"])
    kinds = [
        array_kind(bound[p].kind) for p in (first_name, "y") if literal_of(bound[p], bound[p]) is not None
    ]
    dtype = (
        promote(*kinds, Scalar("float64", weak=False))
        if all(isinstance(k, Scalar | Array) for k in kinds)
        else None
    )
    shape = shape_of(kinds[0])
    if len(kinds) > 1 or shape is None or rowvar is None:
        return Array(dtype, None) if len(kinds) > 1 else UNKNOWN
    if len(shape) < 2:
        return make(dtype, ()) if first_name == "x" else Array(dtype, ())
    count = shape[0 if rowvar else 1]
    return Array(dtype, (count, count)) if is_many(count) else UNKNOWN


general(
    "numpy.cov(m, y=None, rowvar=True, bias=False, ddof=None)",
    push={p: _cov_push(p) for p in ("m", "y")},
    pull={p: _cov_pull(p) for p in ("m", "y")},
    kind=_matrix_kind,
)


def _norms(app: Application) -> str:
    centred = _centred(app, "x")
    return f"sqrt(sum({centred} ** 2, axis=1, keepdims=True))"


def _real_only(app: Application) -> None:
    for param in ("x", "y"):
        if app.given(param) and field_of(app, param) == "complex":
            refuse(app, "of complex numbers", "its derivative is not written", "np.cov, and a division")


def _corrcoef_push(param: str) -> Partial:
    def write(app: Application) -> str:
        _real_only(app)
        unit = f"({_centred(app, 'x')} / {_norms(app)})"
        rows = _moved_rows(app, "x", param)
        turned = f"(({rows} - {unit} * sum({unit} * {rows}, axis=1, keepdims=True)) / {_norms(app)})"
        return f"squeeze({turned} @ {unit}.T + {unit} @ {turned}.T)"

    return written(write)


def _corrcoef_pull(param: str) -> Partial:
    def write(app: Application) -> str:
        _real_only(app)
        unit = f"({_centred(app, 'x')} / {_norms(app)})"
        drawn = f"(({_BAR} + {_BAR}.T) @ {unit})"
        text = f"({drawn} - {unit} * sum({unit} * {drawn}, axis=1, keepdims=True)) / {_norms(app)}"
        return _own_rows(app, "x", param, text)

    return written(write)


general(
    "numpy.corrcoef(x, y=None, rowvar=True)",
    push={p: _corrcoef_push(p) for p in ("x", "y")},
    pull={p: _corrcoef_pull(p) for p in ("x", "y")},
    kind=_matrix_kind,
)

# --- counts with weights


def _bincount_kind(bound: Bound) -> Kind:
    weights = bound["weights"]
    return Array("int64" if literal_of(weights, weights) is None else "float64", (None,))


linear(
    "numpy.bincount(x, weights=None, minlength=0)",
    weights=written(
        lambda app: (
            "take(g, x)" if field_of(app, "weights") is not None else "unbroadcast(take(g, x), weights)"
        )
    ),
    kind=_bincount_kind,
)
nothing(
    ["numpy.histogram_bin_edges(a, bins=10, range=None)"],
    kind=kind_rules.always(Array(None, (None,))),
    why="the edges follow the extremes of the data, which no rule is written for; give the bins, or a range",
)

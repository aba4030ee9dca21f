"""Sums, means, extrema and running sums.

With a literal ``axis`` the adjoint is written with the axes put back by an index; otherwise by the helper
``spread``.
"""

from __future__ import annotations

from s2sad.ir.kinds import UNKNOWN, Array, Kind, Scalar
from s2sad.rules.application import Application
from s2sad.rules.choices import (
    broadcastable,
    count_text,
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

linear(
    "numpy.sum(a, axis=None, dtype=None, *, keepdims=False)",
    a=written(lambda app: repeated(app, "a", "g")),
    kind=reduced(sum_dtype),
)


def _mean_adjoint(app: Application) -> str:
    if app.rank("a") == 0:
        return "g"
    if restored(app, "a", "g") is None:
        return "spread(g, a, axis, keepdims) / size_along(a, axis)"
    return _divided_then_repeated(app)


def _divided_then_repeated(app: Application) -> str:
    count = count_text(app, "a")
    back = repeated(app, "a", "g")
    return f"{back[:-1]} / {count})" if back.startswith("full_like") else f"{back} / {count}"


linear(
    "numpy.mean(a, axis=None, dtype=None, *, keepdims=False)",
    a=written(_mean_adjoint),
    kind=reduced(float_dtype),
)


def _nansum_pull(app: Application) -> str:
    return f"where(isnan(a), 0.0, {broadcastable(app, 'a', 'g')})"


general(
    "numpy.nansum(a, axis=None, dtype=None, *, keepdims=False)",
    push={"a": written(lambda app: f"sum(where(isnan(a), 0.0, g){options_text(app)})")},
    pull={"a": written(_nansum_pull)},
    kind=reduced(sum_dtype),
)

# --- extrema: ties share evenly


def _ties(app: Application) -> str:
    return f"ties(a, out{options_text(app)})"


EXTREMUM_PUSH = written(
    lambda app: "g" if app.rank("a") == 0 else f"sum(g * {_ties(app)}{options_text(app)})"
)
EXTREMUM_PULL = written(
    lambda app: "g" if app.rank("a") == 0 else f"{broadcastable(app, 'a', 'g')} * {_ties(app)}"
)
for name in ("max", "min"):
    general(
        f"numpy.{name}(a, axis=None, *, keepdims=False)",
        push={"a": EXTREMUM_PUSH},
        pull={"a": EXTREMUM_PULL},
        kind=reduced(),
    )
alias("numpy.max", "numpy.amax")
alias("numpy.min", "numpy.amin")

# --- variances


def _deviation(app: Application) -> str:
    options = "" if literal(app, "axis") is None else ", axis=axis, keepdims=True"
    deviation = f"(a - mean(a{options}))"
    return deviation if field_of(app, "a") == "real" else f"conj{deviation}"


def _count(app: Application) -> str:
    count = count_text(app, "a")
    return count if literal(app, "ddof") == 0 else f"({count} - ddof)"


def _weighted_sum(app: Application, factor: str) -> str:
    """The tangent: a sum of tangents, weighted with deviations."""
    text = f"sum({_deviation(app)} * g{options_text(app)})"
    return f"{factor}{text if field_of(app, 'a') == 'real' else f'real({text})'}"


VAR_PUSH = written(lambda app: f"{_weighted_sum(app, '2 * ')} / {_count(app)}")
VAR_PULL = written(lambda app: f"2 * {broadcastable(app, 'a', 'g')} / {_count(app)} * {_deviation(app)}")
STD_PUSH = written(lambda app: f"{_weighted_sum(app, '')} / (out * {_count(app)})")
STD_PULL = written(lambda app: f"{broadcastable(app, 'a', '(g / out)')} / {_count(app)} * {_deviation(app)}")
for name, push, pull in (("var", VAR_PUSH, VAR_PULL), ("std", STD_PUSH, STD_PULL)):
    general(
        f"numpy.{name}(a, axis=None, *, ddof=0, keepdims=False)",
        push={"a": push},
        pull={"a": pull},
        kind=reduced(real_float),
    )

# --- products: the product of all others, so that items that are 0 are right


def _others(app: Application) -> str:
    return "prod_of_others(a)" if literal(app, "axis") is None else "prod_of_others(a, axis)"


general(
    "numpy.prod(a, axis=None, *, keepdims=False)",
    push={"a": written(lambda app: f"sum(g * {_others(app)}{options_text(app)})")},
    pull={"a": written(lambda app: f"{broadcastable(app, 'a', 'g')} * {_others(app)}")},
    kind=reduced(sum_dtype),
)

# --- running sums and products


def _flat(app: Application) -> bool:
    return app.rank("a") != 1 and is_literal(app, "axis") and literal(app, "axis") is None


def _cumsum_adjoint(app: Application) -> str | None:
    if app.rank("a") == 1 and is_literal(app, "axis"):
        return "cumsum(g[::-1])[::-1]"
    return "reshape(cumsum(g[::-1])[::-1], shape(a))" if _flat(app) else None


linear(
    "numpy.cumsum(a, axis=None)",
    a=written(_cumsum_adjoint, "flip(cumsum(flip(g, axis), axis), axis)"),
    kind=cumulative,
)
general(
    "numpy.cumprod(a, axis=None)",
    push={
        "a": written(
            lambda app: "ravel(before(a) * g + a * scan(before(a) * g, a))" if _flat(app) else None,
            "before(a, axis) * g + a * scan(before(a, axis) * g, a, axis)",
        )
    },
    pull={
        "a": written(
            lambda app: (
                "before(a) * (reshape(g, shape(a)) + scan_back(reshape(g, shape(a)) * a, a))"
                if _flat(app)
                else None
            ),
            "before(a, axis) * (g + scan_back(g * a, a, axis))",
        )
    },
    kind=cumulative,
)

# --- weighted means


def _weighted(app: Application) -> bool:
    return not (is_literal(app, "weights") and literal(app, "weights") is None)


def _simple(app: Application) -> bool:
    """Whether all items are averaged to one number, with weights of the array's shape."""
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

nothing(["numpy.any(a, axis=None, *, keepdims=False)", "numpy.all(a, axis=None, *, keepdims=False)"],
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

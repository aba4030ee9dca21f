"""Rules for ``s2sad.runtime.statistics`` and ``.differences``, so that derivative programs can be differentiated again.

The helpers come in pairs of transposes: what one does to an adjoint, the other does to a tangent.
"""

from __future__ import annotations

import numpy as np

from s2sad.ir.kinds import UNKNOWN, Array, Kind, Scalar, dtype_of, is_differentiable, promote
from s2sad.ir.nodes import Const
from s2sad.rules import kind_arrays, kind_rules
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import written
from s2sad.rules.helpers import RUNTIME, adjoint_of
from s2sad.rules.kind_arrays import (
    array_kind,
    float_dtype,
    literal_of,
    real_float,
    reduced,
    same,
    strong_dtype,
)
from s2sad.rules.kind_rules import Bound, make, shape_of
from s2sad.rules.registry import elementwise, general, linear, multilinear, nothing

# --- counts and shares, which jump

nothing(
    [f"{RUNTIME}count_where(mask, like, axis=None, keepdims=False)"],
    kind=lambda bound: reduced(real_float)({**bound, "mask": bound["like"]}),
    zero=True,
)
nothing(
    [f"{RUNTIME}item_shares(x, extreme, mask, initial=None, axis=None, keepdims=False)"],
    kind=same(float_dtype),
    zero=True,
)
nothing([f"{RUNTIME}running_place(x, out, axis=0, last=False)"], kind=same(lambda _: "int64"), zero=True)

# --- quantiles


def quantile_kind(bound: Bound) -> Kind:
    """The axes of ``q``, then those of ``a`` that are not reduced; the dtype of both, which for integers some methods keep."""
    levels = array_kind(bound["q"].kind)
    inner = reduced(float_dtype)({p: bound[p] for p in ("a", "axis", "keepdims")})
    if not isinstance(inner, Scalar | Array) or not isinstance(levels, Scalar | Array):
        return UNKNOWN
    outer, rest = shape_of(levels), shape_of(inner)
    dtype = promote(inner, levels)
    source, method = array_kind(bound["a"].kind), bound.get("method", Const("linear"))
    chosen = literal_of(method) != "linear" or dtype_of(levels) is None or not is_differentiable(levels)
    if chosen and (dtype_of(source) is None or not is_differentiable(source)):
        dtype = None
    if outer is None or rest is None:
        return Array(dtype, None) if outer else UNKNOWN
    return make(dtype, (*outer, *rest))


def level_push(app: Application, slopes: str) -> str:
    """The tangent of the quantiles from that of ``q``, whose axes come first in the result."""
    if isinstance(app.kind("q"), Scalar):
        return f"g * {slopes}"
    return f"transpose(transpose(g) * transpose({slopes}))"


def level_pull(app: Application, slopes: str, bar: str = "g") -> str:
    """The adjoint of ``q``: all but its own axes are summed."""
    if isinstance(app.kind("q"), Scalar):
        return f"sum({bar} * {slopes})"
    lanes = f"(size(q), size({bar}) // maximum(size(q), 1))"
    return f"reshape(sum(reshape({bar} * {slopes}, {lanes}), axis=1), shape(q))"


_NEXT = "a, q, axis, keepdims, method, ignore_nan, order + 1"
_SAME = "a, q, axis, keepdims, method, ignore_nan, order"


def _spread_level(app: Application) -> str:
    if isinstance(app.kind("q"), Scalar):
        return "g * bar"
    return "transpose(transpose(g) * transpose(bar))"


_SIGNATURE = "a, q, axis=None, keepdims=False, method='linear', ignore_nan=False, order=0"
general(
    f"{RUNTIME}quantile_push(x, {_SIGNATURE})",
    push={
        "x": f"quantile_push(g, {_SAME})",
        "q": written(lambda app: level_push(app, f"quantile_push(x, {_NEXT})")),
    },
    pull={
        "x": f"quantile_pull(g, {_SAME})",
        "q": written(lambda app: level_pull(app, f"quantile_push(x, {_NEXT})")),
    },
    kind=lambda bound: quantile_kind({**bound, "a": bound["x"]}),
)
general(
    f"{RUNTIME}quantile_pull(bar, {_SIGNATURE})",
    push={
        "bar": f"quantile_pull(g, {_SAME})",
        "q": written(lambda app: f"quantile_pull({_spread_level(app)}, {_NEXT})"),
    },
    pull={
        "bar": f"quantile_push(g, {_SAME})",
        "q": written(lambda app: level_pull(app, f"quantile_push(g, {_NEXT})", "bar")),
    },
    kind=adjoint_of("a"),
)

# --- covariances


def _variables_kind(bound: Bound) -> Kind:
    kind, rowvar = array_kind(bound["m"].kind), kind_arrays.literal_of(bound["rowvar"])
    shape = shape_of(kind)
    if shape is None or rowvar is None:
        return Array(dtype_of(kind), None)
    if len(shape) < 2:
        return Array(dtype_of(kind), (1, kind_arrays.product_size(shape)))
    return Array(dtype_of(kind), shape if rowvar else shape[::-1])


linear(
    f"{RUNTIME}variables(m, rowvar=True)",
    m="variables_adjoint(g, m, rowvar)",
    kind=_variables_kind,
    facts={"effects": "view(m)?"},
)


def own_variables(text: str, first: str, param: str) -> str:
    """The adjoint of ``first`` or ``y``, in its shape, of one of ``all_variables(first, y, rowvar)``; none may belong to y."""
    size = f"size(variables({first}, rowvar), 0)"
    rows = f"({text})[:{size}]" if param == first else f"fitted(({text})[{size}:], variables(y, rowvar))"
    return f"variables_adjoint({rows}, {param}, rowvar)"


linear(
    f"{RUNTIME}all_variables(m, y, rowvar=True)",
    m=own_variables("g", "m", "m"),
    y=own_variables("g", "m", "y"),
    kind=lambda bound: Array(strong_dtype([array_kind(bound[p].kind) for p in ("m", "y")]), (None, None)),
    facts={"effects": "view(m)?"},
)
linear(
    f"{RUNTIME}variables_adjoint(bar, m, rowvar=True)",
    bar="variables(g, rowvar)",
    kind=adjoint_of("m"),
    facts={"effects": "view(bar)?"},
)

# --- differences and integrals


def _part_kind(bound: Bound) -> Kind:
    place = kind_arrays.literal_of(bound["k"])
    return UNKNOWN if place is None else adjoint_of(("prepend", "a", "append")[place])(bound)


_PARTS = "k, a, prepend=None, append=None, axis=-1"
linear(
    f"{RUNTIME}diff_part(bar, {_PARTS})",
    bar="diff_part_adjoint(g, k, a, prepend, append, axis)",
    kind=_part_kind,
    facts={"effects": "view(bar)?"},
)
linear(
    f"{RUNTIME}diff_part_adjoint(part, {_PARTS})",
    part="unbroadcast(diff_part(g, k, a, prepend, append, axis), part)",
    kind=lambda bound: Array(promote(*(array_kind(bound[p].kind) for p in ("part", "a"))), None),
)
multilinear(
    f"{RUNTIME}trapezoid_adjoint(bar, y, x=None, dx=1.0, axis=-1)",
    bar="unbroadcast(trapezoid(g, x, dx, axis), bar)",
    x="trapezoid_adjoint_x(bar, g, x, axis)",
    dx="trapezoid_adjoint_dx(bar, g, dx, axis)",
    kind=adjoint_of("y"),
)
for name, again in (("x", "trapezoid(y, g, axis=axis)"), ("dx", "trapezoid(y, dx=g, axis=axis)")):
    multilinear(
        f"{RUNTIME}trapezoid_adjoint_{name}(bar, y, {name}, axis=-1)",
        bar=again,
        y=f"trapezoid_adjoint(bar, y, {name}=g, axis=axis)",
        kind=adjoint_of(name),
    )
general(
    f"{RUNTIME}gradient_adjoint(bar, spacing=1.0, axis=None, edge_order=1)",
    push={
        "bar": "gradient_adjoint(g, spacing, axis, edge_order)",
        "spacing": "-g * out / spacing",
    },
    pull={
        "bar": "gradient(g, spacing, axis=axis, edge_order=edge_order)",
        "spacing": "-sum(g * out) / spacing",
    },
    kind=kind_rules.like("bar"),
)
linear(
    f"{RUNTIME}reduceat_adjoint(bar, a, indices, axis=0)",
    bar="add.reduceat(g, indices, axis)",
    kind=adjoint_of("a"),
)
linear(
    f"{RUNTIME}histogram_weighted(a, weights, bins=10, range=None)",
    weights="histogram_adjoint(g, a, weights, bins, range)",
    kind=lambda bound: Array(dtype_of(array_kind(bound["weights"].kind)), (None,)),
)
linear(
    f"{RUNTIME}histogram_adjoint(bar, a, weights, bins=10, range=None)",
    bar="histogram_weighted(a, g, bins, range)",
    kind=adjoint_of("weights"),
)

# --- parts of numbers



def _parts_dtype(dtype: str) -> str:
    """The dtype of the results of ``modf``: of narrow integers narrow floats."""
    return np.modf(np.zeros(1, dtype))[0].dtype.name


def _parts_kind(bound: Bound) -> Kind:
    """Unknown of what NumPy takes no parts of: a call raises, or nobody comes to it."""
    try:
        return same(_parts_dtype)(bound)
    except TypeError:
        return UNKNOWN


elementwise(f"{RUNTIME}fraction(x)", x="g", kind=_parts_kind)
nothing([f"{RUNTIME}whole_part(x)"], kind=_parts_kind, zero=True)
elementwise(f"{RUNTIME}mantissa(x)", x="ldexp(g, -exponent(x))", kind=same(float_dtype))
nothing([f"{RUNTIME}exponent(x)"], kind=same(lambda _: "int32"), zero=True)

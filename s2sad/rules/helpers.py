"""Rules for the functions of ``s2sad.runtime``, so that derivative programs can be differentiated again.

A helper ``f_adjoint(bar, x, y)`` of a bilinear ``f`` is bilinear in ``bar`` and the other factor; its
derivatives are ``f`` and the helpers themselves.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from s2sad.ir.kinds import (
    FLOAT,
    INT,
    UNKNOWN,
    Array,
    Kind,
    List,
    Other,
    Scalar,
    Tuple,
    dtype_of,
    is_differentiable,
    join,
    plus,
    promote,
    promoted_types,
)
from s2sad.rules import kind_rules
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import Written, literal, written
from s2sad.rules.kind_arrays import array_kind, double_dtype, float_dtype, literal_of, same, ufunc
from s2sad.rules.kind_rules import Bound, KindRule, make, shape_of
from s2sad.rules.registry import elementwise, general, linear, multilinear, nothing

RUNTIME = "s2sad.runtime."


def shaped_like(param: str, source: str = "bar") -> KindRule:
    """The shape of one argument with the dtype of another."""

    def rule(bound: Bound) -> Kind:
        dtype, shape = dtype_of(array_kind(bound[source].kind)), shape_of(array_kind(bound[param].kind))
        return make(None if dtype is None else float_dtype(dtype), shape)

    return rule


def double_like(param: str, source: str) -> KindRule:
    """The shape of one argument in double precision, complex as another is."""

    def rule(bound: Bound) -> Kind:
        dtype, shape = dtype_of(array_kind(bound[source].kind)), shape_of(array_kind(bound[param].kind))
        return make(None if dtype is None else double_dtype(dtype), shape)

    return rule


def _inexact(kind: Scalar) -> Scalar:
    """The kind of a derivative of a number: Python's floats belong to integers."""
    types = {(d, weak) if d.startswith(("float", "complex")) else ("float64", True) for d, weak in kind.types or ()}
    return Scalar(types=frozenset(types) if types else None)


def adjoint_of(param: str) -> KindRule:
    """The kind of an adjoint of ``param``: its shape and dtype; a Python number for a Python number."""

    def rule(bound: Bound) -> Kind:
        kind = bound[param].kind
        if isinstance(kind, Scalar):
            return _inexact(kind)
        found = array_kind(kind)
        return found if isinstance(found, Scalar | Array) else Kind()

    return rule


def scalar(kind: Kind) -> KindRule:
    """Always this kind."""
    return kind_rules.always(kind)


# --- shapes and dtypes


def _unbroadcast_adjoint(app: Application) -> str:
    same_dtype = dtype_of(app.kind("bar")) == dtype_of(app.kind("like")) is not None
    return "broadcast_like(g, bar)" if same_dtype else "unbroadcast(broadcast_like(g, bar), bar)"


linear(
    f"{RUNTIME}unbroadcast(bar, like)",
    bar=written(_unbroadcast_adjoint),
    kind=adjoint_of("like"),
    facts={"effects": "view(bar)?"},
)


def _stretched(bound: Bound) -> Kind:
    """A Python number takes the precision of what it is stretched to."""
    x, like = array_kind(bound["x"].kind), array_kind(bound["like"].kind)
    if isinstance(x, Scalar) and x.weak and isinstance(like, Array):
        dtype = promote(x, like)
        return Array(None if dtype is None else float_dtype(dtype), like.shape)
    return shaped_like("like", "x")(bound)


linear(
    f"{RUNTIME}broadcast_like(x, like)",
    x="unbroadcast(g, x)",
    kind=_stretched,
    facts={"effects": "view(x)?"},
)
def _kept_kind(bound: Bound) -> Kind:
    """An array keeps its kind; a number takes that of what is computed."""
    old = bound["old"].kind
    return old if isinstance(old, Array) else bound["new"].kind if isinstance(old, Scalar) else UNKNOWN


def _refined(bound: Bound) -> Kind:
    """The dtype of an array, with the sizes of the one that it is as long as."""
    x, like = bound["x"].kind, bound["like"].kind
    fits = isinstance(x, Array) and isinstance(like, Array) and x.rank == like.rank
    return replace(x, shape=like.shape) if fits else x  # type: ignore[call-arg, attr-defined]


def _refined_row(bound: Bound) -> Kind:
    """The same of the last axes."""
    x, like = bound["x"].kind, bound["like"].kind
    fits = isinstance(x, Array) and isinstance(like, Array) and x.shape and like.shape and len(x.shape) <= len(like.shape)
    return replace(x, shape=like.shape[-len(x.shape) :]) if fits else x  # type: ignore[call-arg, attr-defined]


for _name, _kind in (("as_long_as", _refined), ("as_a_row_of", _refined_row)):
    linear(f"{RUNTIME}{_name}(x, like)", x="g", kind=_kind, facts={"effects": "same(x); stays; looks like"})
linear(
    f"{RUNTIME}as_number(x)",
    x="g",
    kind=lambda _: Scalar(types=frozenset(itertools.product(("float64", "int64"), (True, False)))),
    facts={"effects": "same(x); stays"},
)
linear(
    f"{RUNTIME}in_place(old, new)",
    new="unbroadcast(g, new)",
    kind=_kept_kind,
    facts={"effects": "view(new)?"},
)
linear(
    f"{RUNTIME}spread(bar, x, axis=None, keepdims=False)",
    bar="sum(g, axis, keepdims=keepdims)",
    kind=adjoint_of("x"),
)
linear(
    f"{RUNTIME}weights_along(weights, x, axis=None)",
    weights="weights_along_adjoint(g, weights, x, axis)",
    facts={"effects": "view(weights)?"},
)
linear(
    f"{RUNTIME}weights_along_adjoint(bar, weights, x, axis=None)",
    bar="weights_along(g, x, axis)",
    kind=adjoint_of("weights"),
    facts={"effects": "view(bar)?"},
)
nothing([f"{RUNTIME}size_along(x, axis=None)"], kind=scalar(INT), zero=True, cheap=True)
nothing([f"{RUNTIME}inverse_axes(axes)"], kind=scalar(Other("shape")), zero=True, cheap=True)
nothing(
    [f"{RUNTIME}{name}_axes(x, y)" for name in ("dot", "inner")],
    kind=scalar(Other("shape")),
    zero=True,
    cheap=True,
)

# --- structures


def _zero_kind(bound: Bound) -> Kind:
    """Numbers become floats."""
    return _zero_of(bound["x"].kind)


def _zero_of(kind: Kind) -> Kind:
    if isinstance(kind, Tuple):
        return Tuple(tuple(map(_zero_of, kind.items)))
    if isinstance(kind, Scalar):
        return _inexact(kind)
    whole = isinstance(kind, Array) and kind.dtype is not None and not is_differentiable(kind)
    return Array("float64", kind.shape) if whole else kind  # type: ignore[attr-defined]


def _buffer_kind(bound: Bound) -> Kind:
    """As zeros, but that of a number is an array without axes."""
    kind = _zero_kind(bound)
    return kind_rules.array(kind.dtype, ()) if isinstance(kind, Scalar) else kind


def _typed_kind(bound: Bound) -> Kind:
    """A Python number is NumPy's where x is one, in the precision of x."""
    dot, x = bound["dot"].kind, bound["x"].kind
    if not isinstance(dot, Scalar) or isinstance(x, Array) or isinstance(x, Scalar) and x.weak:
        return dot
    if dot.types is None or not any(weak for _, weak in dot.types):
        return dot
    types = promoted_types(x, dot) if isinstance(x, Scalar) else None
    return UNKNOWN if types is None else join(dot, Scalar(types=types)) if dot.mixed else Scalar(types=types)


def _unboxed_kind(bound: Bound) -> Kind:
    """That of the buffer for an array; its number for a number."""
    bar, x = bound["bar"].kind, bound["x"].kind
    if isinstance(x, Array) or not isinstance(bar, Array) or bar.shape not in (None, ()):
        return bar
    return Scalar(bar.dtype, weak=False) if isinstance(x, Scalar) and bar.dtype is not None else UNKNOWN


linear(f"{RUNTIME}seed(bar, out) -> same(bar); looks out", bar="g", kind=kind_rules.like("out"))
linear(f"{RUNTIME}typed(dot, x) -> same(dot)?; looks x", dot="g", kind=_typed_kind)
general(
    f"{RUNTIME}unboxed(bar, x) -> view(bar)?; looks x",
    push={"bar": "unboxed(g, x)"},
    pull={"bar": "g"},
    kind=_unboxed_kind,
)
nothing([f"{RUNTIME}zeros(x)"], kind=_zero_kind, zero=True)
nothing([f"{RUNTIME}buffer_for(x)"], kind=_buffer_kind, zero=True)
general(
    f"{RUNTIME}buffered(x) -> fresh if x.number else same(x)",
    push={"x": "g"},
    pull={"x": "unbroadcast(g, x)"},
    kind=scalar(UNKNOWN),
)

# --- slopes


def _own(found: KindRule) -> KindRule:
    """The kind that a rule gives, but that a number is Python's own where all arguments are."""

    def rule(bound: Bound) -> Kind:
        kind = found(bound)
        if not isinstance(kind, Scalar) or kind.types is None:
            return kind
        given = [v.kind.types or () if isinstance(v.kind, Scalar) else () for v in bound.values()]
        own = {all(weak for _, weak in types) for types in itertools.product(*given)} or {False}
        return Scalar(types=frozenset((dtype, weak) for dtype, _ in kind.types for weak in own))

    return rule


def _arithmetic(name: str) -> KindRule:
    """A ufunc's kind, which for Python's numbers is Python's."""
    return _own(ufunc(name))


nothing([f"{RUNTIME}sign(x)"], kind=_arithmetic("sign"), zero=True, cheap=True)
nothing([f"{RUNTIME}ge_share(x, y)"], kind=_arithmetic("divide"), zero=True, cheap=True)
elementwise(
    f"{RUNTIME}safe_divide(x, y)",
    x="safe_divide(g, y)",
    y="-g * safe_divide(out, y)",
    kind=_arithmetic("divide"),
)
elementwise(
    f"{RUNTIME}ratio(x, y)",
    x="ratio(g, y)",
    y="-ratio(ratio(g, y) * x, y)",
    kind=_arithmetic("divide"),
    facts={"spelling": "guarded quotient"},
)
elementwise(
    f"{RUNTIME}power_dx(x, y)",
    x="g * y * power_dx(x, y - 1)",
    y="strong_zero(g * (power(x, y - 1) + y * power_dy(x, power(x, y - 1))), g)",
    kind=_arithmetic("power"),
)
elementwise(
    f"{RUNTIME}power_dy(x, p)",
    x="g * safe_divide(p, x)",
    p="g * safe_divide(out, p)",
    kind=_arithmetic("multiply"),
)
elementwise(f"{RUNTIME}strong_zero(x, seed) -> view(x)?", x="strong_slope(g, x, seed)", kind=kind_rules.like("x"))
elementwise(f"{RUNTIME}strong_slope(z, x, seed) -> view(z)?", z="strong_slope(g, x, seed)", kind=kind_rules.like("z"))


def _sech2_kind(bound: Bound) -> Kind:
    """In double precision it may be Python's number for one of NumPy's."""
    kind = same(float_dtype)(bound)
    if not isinstance(kind, Scalar) or kind.types is None:
        return kind
    own = {(dtype, True) for dtype, _ in kind.types if dtype in ("float64", "complex128")}
    return Scalar(types=kind.types | own)


elementwise(f"{RUNTIME}sech2(x)", x="-2 * (g * out) * tanh(x)", kind=_sech2_kind)
elementwise(f"{RUNTIME}sinc_derivative(x, n)", x="g * sinc_derivative(x, n + 1)", kind=same(float_dtype))
elementwise(
    f"{RUNTIME}bessel_i(n, x)",
    x="0.5 * g * (bessel_i(n - 1, x) + bessel_i(n + 1, x))",
    kind=lambda bound: same(float_dtype)({"x": bound["x"]}),
)
elementwise(f"{RUNTIME}digamma(x)", x="g * polygamma(1, x)", kind=scalar(FLOAT))
elementwise(f"{RUNTIME}polygamma(n, x)", x="g * polygamma(n + 1, x)", kind=scalar(FLOAT))

# --- reductions

nothing([f"{RUNTIME}ties(x, extreme, axis=None)"], kind=same(float_dtype), zero=True)
general(
    f"{RUNTIME}before(x, axis=None)",
    push={"x": "scan(out * g, x, axis)"},
    pull={"x": "out * scan_back(g, x, axis)"},
    kind=same(float_dtype),
)
general(
    f"{RUNTIME}after(x, axis=None)",
    push={"x": "scan_back(out * g, x, axis)"},
    pull={"x": "out * scan(g, x, axis)"},
    kind=same(float_dtype),
)
for name, back in (("scan", "scan_back"), ("scan_back", "scan")):
    general(
        f"{RUNTIME}{name}(b, x, axis=None)",
        push={"b": f"{name}(g, x, axis)", "x": f"{name}(out * g, x, axis)"},
        pull={"b": f"unbroadcast({back}(g, x, axis), b)", "x": f"unbroadcast(out * {back}(g, x, axis), x)"},
        kind=lambda bound: ufunc("multiply")({p: bound[p] for p in ("b", "x")}),
    )
general(
    f"{RUNTIME}prod_of_others(x, axis=None)",
    push={
        "x": "after(x, axis) * scan(before(x, axis) * g, x, axis)"
        " + before(x, axis) * scan_back(after(x, axis) * g, x, axis)"
    },
    pull={
        "x": "before(x, axis) * scan_back(g * after(x, axis), x, axis)"
        " + after(x, axis) * scan(g * before(x, axis), x, axis)"
    },
    kind=same(float_dtype),
)

# --- pieces

def _cut(bound: Bound) -> Kind:
    """The kind of pieces of an array: lists of numbers that were put together with others get pieces of it, too."""
    whole = bound["arrays"].kind
    if isinstance(whole, Tuple):
        return replace(whole, items=tuple(map(kind_rules.as_array_kind, whole.items)))
    return List(kind_rules.as_array_kind(whole.item)) if isinstance(whole, List) else whole


linear(
    f"{RUNTIME}unconcatenate(bar, arrays, axis=0)",
    bar="reconcatenate(g, bar, axis)",
    kind=_cut,
    facts={"effects": "holds(bar); looks arrays"},
)
linear(
    f"{RUNTIME}reconcatenate(pieces, like, axis=0)",
    pieces="unconcatenate(g, pieces, axis)",
    kind=lambda bound: array_kind(bound["like"].kind),
)
for head, again in (
    ("untile(bar, x, reps)", "tile(g, reps)"),
    ("unrepeat(bar, x, repeats, axis=None)", "repeat(g, repeats, axis)"),
    ("take_adjoint(bar, x, indices, axis=None, mode='raise')", "take(g, indices, axis, mode=mode)"),
    ("take_along_adjoint(bar, x, indices, axis=-1)", "take_along_axis(g, indices, axis)"),
    (
        "diagonal_adjoint(bar, x, offset=0, axis1=0, axis2=1)",
        "unbroadcast(diagonal(g, offset, axis1, axis2), bar)",
    ),
):
    linear(f"{RUNTIME}{head}", bar=again, kind=shaped_like("x"))
linear(
    f"{RUNTIME}diag_adjoint(bar, v, k=0)",
    bar="diag(g, k)",
    kind=shaped_like("v"),
    facts={"effects": "view(bar)?; frozen"},
)
linear(
    f"{RUNTIME}pad_adjoint(bar, x, pad_width, mode='constant', reflect_type='even')",
    bar=written(
        lambda app: "pad(g, pad_width, mode, reflect_type=reflect_type)" if literal(app, "reflect_type") != "even" else None,
        "pad(g, pad_width, mode)",
    ),
    kind=shaped_like("x"),
    facts={"effects": "view(bar)?"},
)
def _undone_differences(bound: Bound) -> Kind:
    """One item more along the axis a time."""
    bar, n, axis = bound["bar"].kind, literal_of(bound["n"]), literal_of(bound["axis"])
    shape = shape_of(bar)
    if not shape or type(n) is not int or type(axis) is not int or literal_of(bound["size"], bound["size"]) is not None:
        return Array(dtype_of(bar), None)
    return Array(dtype_of(bar), tuple(plus(size, n) if k == axis % len(shape) else size for k, size in enumerate(shape)))


linear(
    f"{RUNTIME}diff_adjoint(bar, n=1, axis=-1, size=None)",
    bar="diff(g, n, axis)",
    kind=_undone_differences,
)

# --- products


def bilinear(name: str, again: str, options: str = "", kind: Callable[[str], KindRule] = adjoint_of) -> None:
    """The helpers ``<name>_adjoint_x`` and ``<name>_adjoint_y`` of a product that ``again`` writes."""
    passed = "".join(f", {option.partition('=')[0]}" for option in options.split(", ")) if options else ""
    signature = f"bar, x, y, {options}" if options else "bar, x, y"
    multilinear(
        f"{RUNTIME}{name}_adjoint_x({signature})",
        bar=again.format(x="g", y="y"),
        y=f"{name}_adjoint_y(bar, g, y{passed})",
        kind=kind("x"),
    )
    multilinear(
        f"{RUNTIME}{name}_adjoint_y({signature})",
        bar=again.format(x="x", y="g"),
        x=f"{name}_adjoint_x(bar, x, g{passed})",
        kind=kind("y"),
    )


bilinear("matmul", "{x} @ {y}")
bilinear("tensordot", "tensordot({x}, {y}, axes)", "axes=2")
bilinear("kron", "kron({x}, {y})")
multilinear(
    f"{RUNTIME}cross_adjoint(bar, a, b, axisa=-1, axisb=-1, axisc=-1, axis=None)",
    bar="cross(g, b, axisa, axisb, axisc, axis)",
    b="cross_adjoint(-bar, b, g, axisb, axisa, axisc, axis)",
    kind=adjoint_of("a"),
)
multilinear(
    f"{RUNTIME}convolve_adjoint_x(bar, x, y, mode='full')",
    bar="convolve(g, y, mode)",
    y="convolve_adjoint_x(bar, y, g, mode)",
    kind=adjoint_of("x"),
)


def _einsum_operands(app: Application) -> list[str]:
    """The operands of the ``einsum`` of which this is an adjoint, with what multiplies that adjoint in its place."""
    names = [f"operands{j}" for j in range(sum(name.startswith("operands") for name in app.bound))]
    names.insert(literal(app, "k"), "g")
    return names


def _einsum_operand(j: int) -> Written:
    def write(app: Application) -> str:
        names = _einsum_operands(app)
        place = j + (j >= literal(app, "k"))
        like = names.pop(place)
        return f"einsum_adjoint(bar, subscripts, {place}, {', '.join([like, *names])})"

    return written(write)


EINSUM: dict[str, Any] = {f"operands{j}": _einsum_operand(j) for j in range(31)}
multilinear(
    f"{RUNTIME}einsum_adjoint(bar, subscripts, k, like, *operands)",
    kind=adjoint_of("like"),
    bar=written(lambda app: f"einsum(subscripts, {', '.join(_einsum_operands(app))})"),
    **EINSUM,
)

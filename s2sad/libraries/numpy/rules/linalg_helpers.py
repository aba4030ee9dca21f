"""Rules for ``s2sad.runtime.linalg``, so that derivative programs can be differentiated again."""

from __future__ import annotations

from s2sad.ir.kinds import NONE
from s2sad.libraries.numpy.rules import kind_linalg
from s2sad.libraries.numpy.rules.decompositions import eig_vectors_pull, eig_vectors_push, text
from s2sad.libraries.numpy.rules.linalg import pinv_pull, pinv_push
from s2sad.libraries.numpy.rules.matrix_text import Matrices
from s2sad.rules import kind_arrays, kind_rules
from s2sad.rules.application import Application
from s2sad.rules.helpers import RUNTIME
from s2sad.rules.kind_arrays import float_dtype, if_alike, same
from s2sad.rules.registry import elementwise, general, linear, nothing

SAME = same(float_dtype)


def _placed(x: str) -> str:
    """Zeros but for the largest items of the columns of v."""
    return f"take_along_adjoint({x}, v, largest(v), -2)"


def _taken(x: str) -> str:
    """The items of columns that stand where the largest items of the columns of v are."""
    return f"take_along_axis({x}, largest(v), -2)"


def _along(x: str) -> str:
    """The sums of columns."""
    return f"sum({x}, axis=-2, keepdims=True)"


# --- triangles

linear(f"{RUNTIME}half_tril(x)", x="half_tril(g)", kind=SAME)
for mirror, fold in (("mirror_lower", "fold_upper"), ("mirror_upper", "fold_lower")):
    linear(f"{RUNTIME}{mirror}(x)", x=f"{fold}(g)", kind=SAME)
    linear(f"{RUNTIME}{fold}(x)", x=f"{mirror}(g)", kind=SAME)
linear(f"{RUNTIME}with_dagger(x)", x="with_dagger(g)", kind=SAME)

# what looks at the matrix itself, and not at its tangents
for head in ("of_whole_rank(a, inverse)", "regular(a, triangular=False)", "nonsingular(a, sign)"):
    general(f"{RUNTIME}{head} -> same(a)", push={"a": "g"}, pull={"a": "g"}, kind=kind_rules.like("a"))

general(
    f"{RUNTIME}top_square(f)",
    push={"f": "g[..., :g.shape[-1], :]"},
    pull={"f": "fitted(g, f)"},
    kind=kind_linalg.unsized("f"),
    facts={"effects": "view(f)?"},
)

# --- right-hand sides

linear(f"{RUNTIME}columns(x, b)", x="without_columns(g, b)", facts={"effects": "view(x)?"})
linear(f"{RUNTIME}without_columns(x, b)", x="columns(g, b)", facts={"effects": "view(x)?"})

# --- quotients

elementwise(f"{RUNTIME}quotient(x, y)", x="quotient(g, y)", y="-quotient(g * out, y)")
linear(f"{RUNTIME}gaps(w)", w="sum(g, axis=-2) - sum(g, axis=-1)", kind=kind_linalg.gaps)
_AGAIN = "divide_chosen_gaps({}, w, chosen)"
general(
    f"{RUNTIME}divide_chosen_gaps(x, w, chosen)",
    push={
        "x": _AGAIN.format("g"),
        "w": _AGAIN.format("out * g[..., :, None]"),
        "chosen": f"-{_AGAIN.format('out * g[..., None, :]')}",
    },
    pull={
        "x": _AGAIN.format("g"),
        "w": f"sum({_AGAIN.format('g * out')}, axis=-1)",
        "chosen": f"-sum({_AGAIN.format('g * out')}, axis=-2)",
    },
    kind=kind_rules.like("x"),
)
general(
    f"{RUNTIME}divide_gaps(x, w)",
    push={"x": "divide_gaps(g, w)", "w": "-divide_gaps(out * gaps(g), w)"},
    pull={
        "x": "divide_gaps(g, w)",
        "w": "sum(divide_gaps(g * out, w), axis=-1) - sum(divide_gaps(g * out, w), axis=-2)",
    },
    kind=SAME,
)

nothing([f"{RUNTIME}one_less(order)"], kind=kind_rules.like("order"), zero=True, cheap=True)

# --- gauges

general(
    f"{RUNTIME}phase_slope(x, s)",
    push={"x": "phase_slope(g, s)", "s": "-quotient(out * g[..., None, :], s[..., None, :])"},
    pull={"x": "phase_slope(g, s)", "s": "-real(sum(quotient(g * out, s[..., None, :]), axis=-2))"},
    kind=SAME,
)
nothing([f"{RUNTIME}assert_phase_free(x, y=0.0)"], kind=lambda _: NONE, zero=True, effects="fresh; stays")
linear(f"{RUNTIME}imaginary(x)", x="imaginary(g)", kind=SAME)
nothing([f"{RUNTIME}largest(v)"], kind=kind_linalg.largest, zero=True)
_G, _V, _X = _taken("g"), _taken("v"), _taken("x")
_COEFFICIENT = f"real({_along('conj(v) * x')}) + imaginary({_X} / {_V})"
_TURNED = _placed(f"imaginary({_along('g * v')}) * {_X} / {_V} ** 2")
general(
    f"{RUNTIME}in_gauge(x, v)",
    push={
        "x": "in_gauge(g, v)",
        "v": f"-g * ({_COEFFICIENT}) - v * (real({_along('conj(g) * x')}) - imaginary({_X} * {_G} / {_V} ** 2))",
    },
    pull={
        "x": "in_gauge_adjoint(g, v)",
        "v": f"-g * ({_COEFFICIENT}) - real({_along('g * v')}) * conj(x) + {_TURNED}",
    },
    kind=SAME,
)
_H, _H_DOT = _along("bar * v"), _along("bar * g")
_TURNED_DOT = _placed(f"imaginary({_H_DOT}) / {_V} - imaginary({_H}) * {_G} / {_V} ** 2")
_TURNED = _placed(f"imaginary({_H}) * {_G} / {_V} ** 2")
_ALONG = f"real({_along('g * conj(v)')}) + imaginary({_G} / {_V})"
general(
    f"{RUNTIME}in_gauge_adjoint(bar, v)",
    push={
        "bar": "in_gauge_adjoint(g, v)",
        "v": f"-conj(g) * real({_H}) - conj(v) * real({_H_DOT}) - {_TURNED_DOT}",
    },
    pull={
        "bar": "in_gauge(g, v)",
        "v": f"-conj(g) * real({_H}) - ({_ALONG}) * bar + {_TURNED}",
    },
    kind=SAME,
)
general(
    f"{RUNTIME}eigenvectors(a, w)",
    push={"a": text(eig_vectors_push("w", "out"))},
    pull={"a": text(eig_vectors_pull("w", "out"))},
    kind=kind_linalg.eigenvectors,
)
linear(f"{RUNTIME}unless_square(x) -> same(x)?", x="unless_square(g)", kind=SAME)
linear(f"{RUNTIME}leading(x, count, axis=-1) -> view(x)", x="fitted(g, x)", kind=kind_linalg.unsized("x"))
linear(f"{RUNTIME}without_rest(x, like, axis=-1) -> same(x)?", x="fitted(g, x)", kind=kind_linalg.unsized("x"))

# --- blocks and minors

linear(
    f"{RUNTIME}bordered(a, x)",
    a="unbroadcast(g[..., :a.shape[-1], :a.shape[-1]] + g[..., a.shape[-1]:, a.shape[-1]:], a)",
    x="g[..., :a.shape[-1], a.shape[-1]:]",
    kind=if_alike(kind_linalg.unsized("x"), "a", "x"),
)
general(f"{RUNTIME}cofactor(a)", push={"a": "cofactor_slope(a, g)"}, pull={"a": "cofactor_slope(a, g)"}, kind=kind_arrays.inverse)


def _third(app: Application, m: Matrices) -> str:
    """The third derivative of the determinant, a matrix for two directions ``x`` and ``g``, in which it is symmetric."""
    inverse = "linalg.inv(nonsingular(a, linalg.slogdet(a)[0]))"
    p, q = f"({inverse} @ x)", f"({inverse} @ g)"
    trace_p, trace_q, trace_both = (m.cell(m.trace(f)) for f in (p, q, f"{p} @ {q}"))
    alone = f"({trace_p} * {trace_q} - {trace_both}) * {inverse}"
    mixed = f"({p} @ {q} + {q} @ {p} - {trace_p} * {q} - {trace_q} * {p}) @ {inverse}"
    return f"{m.cell('linalg.det(a)')} * {m.t(f'({alone} + {mixed})')}"


general(
    f"{RUNTIME}cofactor_slope(a, x)",
    push={"a": text(_third), "x": "cofactor_slope(a, g)"},
    pull={"a": text(_third), "x": "cofactor_slope(a, g)"},
    kind=if_alike(kind_arrays.inverse, "a", "x"),
)
general(
    f"{RUNTIME}inverse_of_rank(a, rank)",
    push={"a": text(pinv_push("out", "a"))},
    pull={"a": text(pinv_pull("out", "a"))},
    kind=kind_linalg.inverse,
)

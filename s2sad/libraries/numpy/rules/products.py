"""Products of arrays. Pullbacks are plain transposes: complex items are not conjugated."""

from __future__ import annotations

from typing import Any

from s2sad.ir.kinds import is_many, same_size
from s2sad.libraries.numpy.rules import kind_products
from s2sad.libraries.python.rules import builtins  # noqa: F401  the rule of ``@`` stands in its table by then
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import (
    Written,
    field_of,
    literal,
    refuse,
    shape_text,
    written,
)
from s2sad.rules.kind_arrays import array_kind
from s2sad.rules.kind_rules import shape_of
from s2sad.rules.language import by_rank
from s2sad.rules.registry import alias, multilinear

# --- products of two

alias("operator.matmul", "numpy.matmul", spelling="call", cheap=False)
multilinear(
    "numpy.dot(a, b)",
    a=by_rank(
        "a",
        "b",
        table={(0, 0): "g * b", (1, 0): "g * b", (2, 0): "g * b", (0, 1): "sum(g * b)", (0, 2): "sum(g * b)",
               (1, 1): "g * b", (2, 1): "outer(g, b)", (1, 2): "b @ g", (2, 2): "g @ b.T"},
        otherwise="tensordot_adjoint_x(g, a, b, dot_axes(a, b))",
    ),
    b=by_rank(
        "a",
        "b",
        table={(0, 0): "g * a", (1, 0): "sum(g * a)", (2, 0): "sum(g * a)", (0, 1): "g * a", (0, 2): "g * a",
               (1, 1): "g * a", (2, 1): "a.T @ g", (1, 2): "outer(a, g)", (2, 2): "a.T @ g"},
        otherwise="tensordot_adjoint_y(g, a, b, dot_axes(a, b))",
    ),
    kind=kind_products.dot,
)  # fmt: skip
alias("numpy.dot", "ndarray.dot", spelling="method")
multilinear(
    "numpy.inner(a, b)",
    a=by_rank("a", "b", table={(1, 1): "g * b", (2, 1): "outer(g, b)", (1, 2): "g @ b", (2, 2): "g @ b"},
              otherwise="tensordot_adjoint_x(g, a, b, inner_axes(a, b))"),
    b=by_rank("a", "b", table={(1, 1): "g * a", (2, 1): "g @ a", (1, 2): "outer(g, a)", (2, 2): "g.T @ a"},
              otherwise="tensordot_adjoint_y(g, a, b, inner_axes(a, b))"),
    kind=kind_products.inner,
)  # fmt: skip
multilinear(
    "numpy.outer(a, b)",
    a=by_rank("a", "b", table={(1, 1): "g @ b"}, otherwise="unbroadcast(reshape(g @ ravel(b), shape(a)), a)"),
    b=by_rank("a", "b", table={(1, 1): "a @ g"}, otherwise="unbroadcast(reshape(ravel(a) @ g, shape(b)), b)"),
    kind=kind_products.outer,
)


def _vdot_adjoint(other: str, own: str) -> Written:
    """``vdot`` flattens both, and conjugates ``a``."""

    def write(app: Application) -> str:
        real = field_of(app, "a") == "real"
        factor = other if own == "a" or real else f"conj({other})"
        if app.rank("a") is None or app.rank("a") != app.rank("b"):
            factor = f"reshape({factor}, {shape_text(app, own)})"
        return (
            f"conj(g * {factor})"
            if own == "a" and not (real and field_of(app, "b") == "real")
            else f"g * {factor}"
        )

    return written(write)


multilinear(
    "numpy.vdot(a, b)",
    a=_vdot_adjoint("b", "a"),
    b=_vdot_adjoint("a", "b"),
    kind=kind_products.number,
)
multilinear(
    "numpy.tensordot(a, b, axes=2)",
    a="tensordot_adjoint_x(g, a, b, axes)",
    b="tensordot_adjoint_y(g, a, b, axes)",
    kind=kind_products.tensordot,
)
multilinear(
    "numpy.kron(a, b)", a="kron_adjoint_x(g, a, b)", b="kron_adjoint_y(g, a, b)", kind=kind_products.kron
)


_CROSS = "axisa=-1, axisb=-1, axisc=-1, axis=None"


def _cross_adjoint(x: str, y: str, bar: str) -> Written:
    """The adjoint of ``x``; only running the program tells whether vectors have two components or three."""
    places = f"axis{x}, axis{y}, axisc"

    def write(app: Application) -> str:
        plain = all(literal(app, p) == -1 for p in ("axisa", "axisb", "axisc")) and literal(app, "axis") is None
        return f"cross_adjoint({bar}, {x}, {y}{'' if plain else f', {places}, axis'})"

    return written(write)


multilinear(
    f"numpy.cross(a, b, {_CROSS})",
    a=_cross_adjoint("a", "b", "g"),
    b=_cross_adjoint("b", "a", "-g"),
    kind=kind_products.crossed,
)
multilinear(
    "numpy.convolve(a, v, mode='full')",
    a="convolve_adjoint_x(g, a, v, mode)",
    v="convolve_adjoint_x(g, v, a, mode)",
    kind=kind_products.convolved,
)

# --- einsum


def _labels(app: Application) -> tuple[list[str], str]:
    """The labels of each operand and of the result."""
    subscripts = literal(app, "subscripts")
    if not isinstance(subscripts, str):
        refuse(
            app, "with computed subscripts", "which axes are summed must be known", "a literal string first"
        )
    left, arrow, result = str(subscripts).replace(" ", "").partition("->")
    if not arrow:
        result = "".join(sorted(c for c in set(left) - set(",.") if left.count(c) == 1))
    return left.split(","), result


def _einsum_adjoint(k: int) -> Written:
    """Another ``einsum``, of the adjoint and the other operands, where that is all there is to it.

    The adjoint comes first: what is due to the same array in two places (``einsum("ij,ij->i", d, d)``) is the same then.
    """

    def write(app: Application) -> str:
        labels, result = _labels(app)
        names = [f"operands{j}" for j in range(len(labels))]
        own = labels[k]
        others = {c for j, label in enumerate(labels) if j != k for c in label} | set(result)
        even = _unstretched(app, labels, k)
        summed = set(own) - set(result)  # such an axis may be one along which operands of size 1 are stretched
        rest = names[:k] + names[k + 1 :]
        if "." in "".join(labels) or len(set(own)) < len(own) or set(own) - others or (summed and not even):
            return f"einsum_adjoint(g, subscripts, {k}, {', '.join([names[k], *rest])})"
        terms = [result, *labels[:k], *labels[k + 1 :]]
        text = f"einsum('{','.join(terms)}->{own}', {', '.join(['g', *rest])})"
        return text if even else f"unbroadcast({text}, operands{k})"

    return written(write)


def _unstretched(app: Application, labels: list[str], k: int) -> bool:
    """Certainty that no axis of operand ``k`` is one of size 1 that is stretched, or stretches others."""
    shapes = [shape_of(array_kind(app.kind(f"operands{j}"))) for j in range(len(labels))]
    if any(shape is None for shape in shapes) or "." in "".join(labels):
        return False
    others = [(shape, label) for j, (shape, label) in enumerate(zip(shapes, labels, strict=True)) if shape and j != k]
    for c, size in zip(labels[k], shapes[k] or (), strict=False):
        sizes = [shape[label.index(c)] for shape, label in others if c in label]
        if not all(same_size(size, n) or (is_many(size) and is_many(n)) for n in sizes):
            return False
    return True


EINSUM: dict[str, Any] = {f"operands{k}": _einsum_adjoint(k) for k in range(32)}
multilinear(
    "numpy.einsum(subscripts, *operands, optimize=False) -> view(operands) if subscripts.rearranges else fresh",
    kind=kind_products.einsum,
    **EINSUM,
)

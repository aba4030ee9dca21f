"""Norms and condition numbers. All are real: one array of slopes, by which the argument's tangent is multiplied and
summed, serves both modes.

Where a norm has a corner its slope is a subgradient: ties share evenly, and norms have the slope 0 at 0. The order of
a norm of matrices must be a literal or ``np.inf``, as it decides the formula; that of vectors may be any number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from s2sad.ir.nodes import Global, Value
from s2sad.libraries.numpy.rules import kind_linalg
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
from s2sad.rules.kind_arrays import real_float, reduced
from s2sad.rules.registry import general

Slope = Callable[[Application], str]

# --- vectors


def _direction(app: Application, x: str) -> str:
    """The slope of the absolute value."""
    return f"sign({x})" if field_of(app, "x") == "real" else f"conj(safe_divide({x}, abs({x})))"


def _named_order(app: Application, param: str = "ord") -> Any:
    """The order of the norm where it is a literal or ``np.inf``; otherwise the value that stands for it."""
    value = app.bound[param]
    infinite = isinstance(value, Global) and value.resolved and value.payload == math.inf
    return math.inf if infinite else literal(app, param)


def _order(app: Application, param: str = "ord") -> Any:
    """The order of a norm of matrices, which decides the formula. Raises NoRuleError unless it is known."""
    order = _named_order(app, param)
    if isinstance(order, Value):
        refuse(
            app,
            f"with a computed {param}",
            "the order of a matrix norm decides its formula",
            f"a literal {param}",
        )
    return order


def _vector_slope(app: Application) -> str:
    order = _named_order(app)
    if order is None or order == 2:
        x = "x" if field_of(app, "x") == "real" else "conj(x)"
        return f"safe_divide({x}, {broadcastable(app, 'x', 'out')})"
    if order == 1:
        return _direction(app, "x")
    if order in (math.inf, -math.inf):
        return f"{_direction(app, 'x')} * ties(abs(x), out{extreme_axis(app, 'x')})"
    ratio = f"safe_divide(abs(x), {broadcastable(app, 'x', 'out')})"
    less = "(ord - 1)" if is_literal(app, "ord") else "one_less(ord)"
    return f"{_direction(app, 'x')} * {ratio} ** {less}"


def _no_order(app: Application) -> None:
    refuse(
        app,
        f"with ord={literal(app, 'ord')!r}",
        "NumPy has no such norm",
        "an order that numpy.linalg.norm names",
    )


# --- matrices, whose rows and columns are the last axes


def matrix_slope(app: Application, x: str, order: Any, whole: str) -> str:
    """The slope of a norm of ``x``, whose value is ``whole`` with axes of size 1."""
    if order is None or order == "fro":
        return f"safe_divide({x if field_of(app, 'x') == 'real' else f'conj({x})'}, {whole})"
    conj = "" if field_of(app, "x") == "real" else "conj"
    u, s, vh = (f"linalg.svd({x}, full_matrices=False)[{k}]" for k in range(3))
    if order == "nuc":
        return f"({conj}({u}) * sign({s})[..., None, :]) @ {conj}({vh})"
    if order in (2, -2):
        chosen = f"ties({s}, {'max' if order == 2 else 'min'}({s}, axis=-1), axis=-1)"
        return f"({conj}({u}) * (sign({s}) * {chosen})[..., None, :]) @ {conj}({vh})"
    if order in (1, -1, math.inf, -math.inf):
        along = -2 if abs(order) == 1 else -1
        sums = f"sum(abs({x}), axis={along}, keepdims=True)"
        extreme = f"{'max' if order > 0 else 'min'}({sums}, axis=(-2, -1), keepdims=True)"
        return f"{_direction(app, x)} * ties({sums}, {extreme})"
    _no_order(app)
    return ""


def _norm_slope(app: Application) -> str:
    """``norm`` is of vectors or of matrices, as the axes say."""
    axis, order = literal(app, "axis"), _named_order(app)
    if not is_literal(app, "axis"):
        refuse(app, "with a computed axis", "vectors and matrices have different norms", "a literal axis")
    if axis is None and order is not None and app.rank("x") is None:
        refuse(
            app, "of an array of unknown rank", "vectors and matrices have different norms", "an annotation"
        )
    flat = axis is None and (order is None or app.rank("x") in (0, 1))
    if flat or isinstance(axis, int) or (isinstance(axis, tuple) and len(axis) == 1):
        return _vector_slope(app)
    order = _order(app)
    axes = (-2, -1) if axis is None else tuple(axis)
    if len(axes) != 2:
        refuse(app, f"with axis={axis}", "a matrix has two axes", "two axes")
    whole = broadcastable(app, "x", "out")
    if axes == (-2, -1) or order in (None, "fro"):
        return matrix_slope(app, "x", order, whole)
    moved = f"moveaxis(x, {axes}, (-2, -1))"
    return f"moveaxis({matrix_slope(app, moved, order, whole)}, (-2, -1), {axes})"


# --- both modes from the slope


def _euclidean(app: Application) -> bool:
    """Test for a norm that is a root of a sum of squares, which reads well where it is divided last."""
    order, axis = literal(app, "ord"), literal(app, "axis")
    matrix = isinstance(axis, tuple) and len(axis) == 2 or axis is None and app.rank("x") == 2
    return (
        order is None
        or (order == "fro" and matrix)
        or (order == 2 and not matrix and app.rank("x") is not None)
    )


def _push(slope: Slope) -> Slope:
    def write(app: Application) -> str:
        if literal(app, "ord") == 0 and is_literal(app, "ord"):
            return "s2sad.runtime.zeros(out)"
        if _euclidean(app):
            product = "x * g" if field_of(app, "x") == "real" else "real(conj(x) * g)"
            return f"safe_divide(sum({product}{options_text(app)}), out)"
        product = f"{slope(app)} * g"
        if field_of(app, "x") != "real":
            product = f"real({product})"
        return f"sum({product}{options_text(app)})"

    return write


def _pull(slope: Slope) -> Slope:
    def write(app: Application) -> str:
        if literal(app, "ord") == 0 and is_literal(app, "ord"):
            return "s2sad.runtime.zeros(x)"
        if _euclidean(app):
            back = broadcastable(app, "x", "safe_divide(g, out)")
            return f"{back} * {'x' if field_of(app, 'x') == 'real' else 'conj(x)'}"
        return f"{broadcastable(app, 'x', 'g')} * ({slope(app)})"

    return write


def _no_slope_by_order(app: Application) -> str:
    refuse(app, "by its order", "only the norm's argument has a derivative", "sum(abs(x) ** p) ** (1 / p)")
    return ""


for head, slope in (
    ("norm(x, ord=None, axis=None, keepdims=False)", _norm_slope),
    ("vector_norm(x, *, axis=None, keepdims=False, ord=2)", _vector_slope),
):
    general(
        f"numpy.linalg.{head}",
        push={"x": written(_push(slope)), "ord": written(_no_slope_by_order)},
        pull={"x": written(_pull(slope)), "ord": written(_no_slope_by_order)},
        kind=reduced(real_float),
    )


def _cells(app: Application, x: str) -> str:
    """One number for each matrix, with the axes put back."""
    if "keepdims" in app.bound and not is_literal(app, "keepdims"):
        refuse(
            app,
            "with a computed keepdims",
            "the shape of the result must be known",
            "a literal True or False",
        )
    return x if "keepdims" in app.bound and literal(app, "keepdims") else f"{x}[..., None, None]"


def _stacked(slope: Slope) -> dict[str, dict[str, Any]]:
    """Both modes of a function that makes one number of each matrix in the last axes."""

    def push(app: Application) -> str:
        product = f"({slope(app)}) * g"
        keep = ", keepdims=True" if "keepdims" in app.bound and literal(app, "keepdims") else ""
        real = product if field_of(app, "x") == "real" else f"real({product})"
        return f"sum({real}, axis=(-2, -1){keep})"

    return {
        "push": {"x": written(push)},
        "pull": {"x": written(lambda app: f"{_cells(app, 'asarray(g)')} * ({slope(app)})")},
    }


def _matrix_norm_slope(app: Application) -> str:
    return matrix_slope(app, "x", _order(app), _cells(app, "asarray(out)"))


general(
    "numpy.linalg.matrix_norm(x, *, keepdims=False, ord='fro')",
    kind=kind_linalg.matrix_norm,
    **_stacked(_matrix_norm_slope),
)


def _cond_slope(app: Application) -> str:
    """``norm(x) * norm(inv(x))``; of singular values the quotient of the extreme ones."""
    order = _order(app, "p")
    if order is None or order in (2, -2):
        u, s, vh = (f"linalg.svd(x, full_matrices=False)[{k}]" for k in range(3))
        largest, least = (f"{f}({s}, axis=-1, keepdims=True)" for f in ("max", "min"))
        top, bottom = (least, largest) if order == -2 else (largest, least)
        shares = [f"ties({s}, {x})" for x in (top, bottom)]
        slope = f"({shares[0]} - {top} / {bottom} * {shares[1]}) / {bottom}"
        conj = "" if field_of(app, "x") == "real" else "conj"
        return f"({conj}({u}) * ({slope})[..., None, :]) @ {conj}({vh})"
    inverse = "linalg.inv(x)"
    norms = [f"linalg.norm({x}, p, axis=(-2, -1), keepdims=True)" for x in ("x", inverse)]
    slopes = [matrix_slope(app, x, order, norm) for x, norm in zip(("x", inverse), norms, strict=True)]
    back = f"swapaxes({inverse}, -1, -2)"
    return f"{norms[1]} * ({slopes[0]}) - {back} @ ({norms[0]} * ({slopes[1]})) @ {back}"


general("numpy.linalg.cond(x, p=None)", kind=kind_linalg.cond, **_stacked(_cond_slope))

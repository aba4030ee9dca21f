"""Formulas that depend on the call: on dtypes, ranks, literal axes, so that common cases read well.

np.sum(a)              a_bar = np.full_like(a, out_bar)
np.sum(a, axis=1)      a_bar = np.full_like(a, out_bar[:, None])
np.sum(a, axis=k)      a_bar = spread(out_bar, a, k, False)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from s2sad.errors import NoRuleError
from s2sad.ir.kinds import NONE, Array, List, Scalar, Tuple, dtype_of, is_many, same_size
from s2sad.ir.nodes import Const
from s2sad.rules.application import Application, known_dtypes
from s2sad.rules.kind_arrays import array_kind
from s2sad.rules.kind_rules import normal_axes, shape_of
from s2sad.rules.language import CallFormula, Formula

parsed = cache(Formula)


@dataclass(frozen=True)
class Written(CallFormula):
    """A choice whose ``pick`` writes the formula itself; where it returns None, ``otherwise`` holds."""

    def formula(self, app: Application) -> Formula:
        """The formula for this call."""
        text = self.pick(app)
        return self.formulas[None] if text is None else parsed(str(text))


def written(write: Callable[[Application], str | None], otherwise: str = "g") -> Written:
    """A formula that ``write`` writes for each call."""
    return Written(write, {}, otherwise)


def field_of(app: Application, param: str) -> str | None:
    """'real' or 'complex', None where the dtype is unknown; of a number that may be whole, that of what has a derivative."""
    dtypes = known_dtypes(app.kind(param))
    inexact = [dtype for dtype in dtypes if dtype.startswith(("float", "complex"))]
    fields = {"complex" if dtype.startswith("complex") else "real" for dtype in inexact or dtypes}
    return fields.pop() if len(fields) == 1 else None


def by_field(param: str, real: str, complex: str, unknown: str | None = None) -> CallFormula:
    """Choose by whether an argument is real or complex; the complex formula is the general one."""
    table: dict[object, str] = {"real": real, "complex": complex}
    return CallFormula(lambda app: field_of(app, param), table, complex if unknown is None else unknown)


def is_single(app: Application) -> bool:
    """Test for a result of single precision, an array, which a Python number's tangent must not widen."""
    kind = app.kind("out")
    return isinstance(kind, Array) and kind.dtype in ("float16", "float32", "complex64")


def of_one_dtype(app: Application, param: str) -> bool:
    """Certainty that the items of a sequence are of one dtype: then their adjoints are of it, too, and need no casts."""
    kind = app.kind(param)
    items = kind.items if isinstance(kind, Tuple) else (kind.item,) if isinstance(kind, List) else (kind,)
    dtypes = {dtype_of(array_kind(item)) for item in items}
    return len(dtypes) < 2 and None not in dtypes


def literal(app: Application, param: str) -> Any:
    """The value of an argument that is a literal, or known to be None; an object equal to nothing else where it is not."""
    value = app.bound[param]
    return value.payload if isinstance(value, Const) else None if value.kind == NONE else value


def is_literal(app: Application, param: str) -> bool:
    """Test for a literal (or absent, with a literal default) argument, or one that is known to be None."""
    value = app.bound[param]
    return isinstance(value, Const) or value.kind == NONE


def refuse(app: Application, what: str, why: str, instead: str = "") -> None:
    """Refuse a call that no rule covers."""
    raise NoRuleError(
        f"{app.primitive.name} {what} has no derivative rule", location=app.call.loc, why=why, instead=instead
    )


def shape_text(app: Application, param: str) -> str:
    """The formula's text for the shape of an argument."""
    return f"{param}.shape" if isinstance(app.kind(param), Array) else f"shape({param})"


def reshaped(param: str) -> CallFormula:
    """The adjoint of functions that keep all items in their order: back to the argument's shape."""

    def write(app: Application) -> str:
        if isinstance(app.kind(param), Scalar):
            return "sum(g)"
        return f"reshape(g, {shape_text(app, param)})"

    return written(write)


# --- reductions


def axes_of(app: Application, param: str) -> tuple[int, ...] | None:
    """The reduced axes where rank and axis are known."""
    rank = app.rank(param)
    return None if rank is None else normal_axes(app.bound["axis"], rank)


def restored(app: Application, param: str, text: str) -> str | None:
    """``text``, shaped as the result, with the reduced axes put back: it broadcasts against ``param``."""
    if is_literal(app, "keepdims") and literal(app, "keepdims"):
        return text
    if not is_literal(app, "keepdims") or not is_literal(app, "axis"):
        return None
    axes, rank = axes_of(app, param), app.rank(param)
    if literal(app, "axis") is None or rank == 0:
        return text
    if axes is None or rank is None:
        return None
    items = ["None" if k in axes else ":" for k in range(rank)]
    while items and items[0] == "None":
        items.pop(0)
    while items and items[-1] == ":":
        items.pop()
    return f"{text}[{', '.join(items)}]" if items else text


def repeated(app: Application, param: str, text: str) -> str:
    """``text``, shaped as the result, spread over the shape of ``param``, in a new array."""
    back = restored(app, param, text)
    if app.rank(param) == 0:
        return text
    if back is None or not isinstance(app.kind(param), Array):
        return f"spread({text}, {param}, axis, keepdims)"
    return f"full_like({param}, {back.removeprefix('(').removesuffix(')') if back == text else back})"


def broadcastable(app: Application, param: str, text: str) -> str:
    """``text``, shaped as the result, so that it broadcasts against ``param``."""
    back = restored(app, param, text)
    return f"spread({text}, {param}, axis, keepdims)" if back is None else back


def count_text(app: Application, param: str) -> str:
    """The formula's text for the number of items that are reduced."""
    axes = axes_of(app, param)
    if app.rank(param) == 0:
        return "1"
    if not isinstance(app.kind(param), Array):
        return f"size_along({param}, axis)"
    if is_literal(app, "axis") and literal(app, "axis") is None:
        return f"{param}.size"
    if axes is None:
        return f"size_along({param}, axis)"
    sizes = [f"{param}.shape[{k}]" for k in axes]
    return sizes[0] if len(sizes) == 1 else f"({' * '.join(sizes)})" if sizes else "1"


def options_text(app: Application) -> str:
    """The ``axis`` and ``keepdims`` of a reduction to be done again, as they were given."""
    text = ""
    if not (is_literal(app, "axis") and literal(app, "axis") is None):
        text += ", axis=axis"
    if not (is_literal(app, "keepdims") and not literal(app, "keepdims")):
        text += ", keepdims=keepdims"
    return text


def extreme_axis(app: Application, array: str = "a") -> str:
    """The ``axis`` of a maximum or minimum, as ``ties`` needs it: not where the axes are kept."""
    kept = is_literal(app, "keepdims") and literal(app, "keepdims")
    whole = is_literal(app, "axis") and literal(app, "axis") is None or app.rank(array) == 0
    return "" if kept or whole else ", axis=axis"


def keeps_shape(app: Application, *params: str) -> bool:
    """Certainty that the named arguments have one shape, that of their elementwise result."""
    shapes = [shape_of(app.kind(p)) for p in params]
    first = shapes[0]
    if first is None or any(shape is None or len(shape) != len(first) for shape in shapes):
        return False
    return all(
        same_size(m, n) or (is_many(m) and is_many(n))
        for shape in shapes
        if shape is not None
        for m, n in zip(first, shape, strict=True)
    )

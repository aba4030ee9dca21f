"""Functions that repeat, cut, choose and put together items."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.ir.kinds import Array, List, Size, Tuple
from s2sad.ir.nodes import Value
from s2sad.libraries.numpy.rules import kind_joining, kind_shapes
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import Written, is_literal, literal, of_one_dtype, refuse, written
from s2sad.rules.kind_arrays import array_kind, entries, literal_of, shaped
from s2sad.rules.kind_rules import Bound, shape_of, sizes_of
from s2sad.rules.language import by_rank
from s2sad.rules.registry import alias, general, linear, multilinear

# --- repetition

linear(
    "numpy.broadcast_to(array, shape, subok=False)",
    array=by_rank("array", table={0: "sum(g)"}, otherwise="unbroadcast(g, array)"),
    kind=shaped(lambda _, bound: sizes_of(bound["shape"])),
    facts={"effects": "view(array); frozen", "cheap": True},
)
linear("numpy.tile(A, reps)", A="untile(g, A, reps)", kind=shaped(kind_shapes.tiled))
linear(
    "numpy.repeat(a, repeats, axis=None)",
    a="unrepeat(g, a, repeats, axis)",
    kind=shaped(kind_shapes.repeated),
)
alias("numpy.repeat", "ndarray.repeat", spelling="method")
linear(
    "numpy.resize(a, new_shape)",
    a="take_adjoint(g, a, resize(arange(size(a)), new_shape))",
    kind=shaped(lambda _, bound: sizes_of(bound["new_shape"])),
)




def _windows(shape: tuple[Size, ...], bound: Bound) -> tuple[Size, ...] | None:
    """The places of the windows along each axis, then the shape of a window."""
    window, axes = sizes_of(bound["window_shape"]), literal_of(bound["axis"], bound["axis"])
    if window is None or isinstance(axes, Value):
        return None
    slid = range(len(shape)) if axes is None else [k % len(shape) for k in entries(axes, 1)]
    return (*(None if k in slid else size for k, size in enumerate(shape)), *window)


linear(
    "numpy.lib.stride_tricks.sliding_window_view(x, window_shape, axis=None)",
    x="windows_adjoint(g, x, window_shape, axis)",
    kind=shaped(_windows),
    facts={"effects": "view(x); frozen", "cheap": True},
)
linear(
    "s2sad.runtime.windows_adjoint(bar, x, window_shape, axis=None)",
    bar="lib.stride_tricks.sliding_window_view(g, window_shape, axis)",
    kind=shaped(lambda _, bound: shape_of(array_kind(bound["x"].kind))),
)


def _of_operand(k: int) -> Written:
    """The adjoint of an operand: each item of a window was multiplied by what the item of the image under it has."""

    def write(app: Application) -> str:
        names = [f"operands{j}" for j in range(sum(name.startswith("operands") for name in app.bound))]
        windows = "lib.stride_tricks.sliding_window_view(g, window_shape, axis)"
        return f"einsum_adjoint({windows}, subscripts, {k}, {', '.join([names.pop(k), *names])})"

    return written(write)


OPERANDS: dict[str, Any] = {f"operands{k}": _of_operand(k) for k in range(31)}
multilinear(
    "s2sad.runtime.einsum_windows_adjoint(x, window_shape, axis, subscripts, *operands)",
    kind=lambda bound: Array(None, shape_of(array_kind(bound["x"].kind))),
    **OPERANDS,
)


def _pad_mode(app: Application) -> str:
    mode = literal(app, "mode")
    if mode not in ("constant", "edge", "reflect", "symmetric", "wrap"):
        refuse(
            app,
            f"with mode={mode!r}",
            "its edges are computed from items",
            "mode='constant', 'edge', 'reflect' or 'wrap'",
        )
    return str(mode)


_NONE = ""  # an absent bound of a slice


def _pad_push(app: Application) -> str:
    if _pad_mode(app) == "constant":
        return "pad(g, pad_width)"
    return "pad(g, pad_width, mode, reflect_type=reflect_type)" if _is_odd(app) else "pad(g, pad_width, mode)"


def _is_odd(app: Application) -> bool:
    """Test for a reflection at the edge's point: ``2 * x[-1] - x[-1 - k]`` lies behind it."""
    if not is_literal(app, "reflect_type"):
        refuse(app, "with a computed reflect_type", "it decides what is added", "'even' or 'odd'")
    return literal(app, "reflect_type") == "odd" and literal(app, "mode") in ("reflect", "symmetric")


def _pad_pull(app: Application) -> str:
    if _pad_mode(app) != "constant":
        return f"pad_adjoint(g, array, pad_width, mode{', reflect_type' if _is_odd(app) else ''})"
    widths = literal(app, "pad_width")
    rank = app.rank("array")
    if rank and is_literal(app, "pad_width"):
        pairs = np.broadcast_to(widths, (rank, 2)).tolist()
        return f"g[{', '.join(f'{a or _NONE}:{-b or _NONE}' for a, b in pairs)}]"
    return "pad_adjoint(g, array, pad_width)"


def _one_constant(text: str) -> Written:
    """The derivative by a number with which all sides are padded."""

    def write(app: Application) -> str:
        if app.rank("constant_values") != 0:
            refuse(app, "by several constant_values", "it is written for one number", "np.concatenate")
        return text

    return written(write)


general(
    "numpy.pad(array, pad_width, mode='constant', *, constant_values=0, reflect_type='even') -> fresh; casts constant_values",
    push={
        "array": written(_pad_push),
        "constant_values": _one_constant("pad(zeros_like(array), pad_width, constant_values=g)"),
    },
    pull={
        "array": written(_pad_pull),
        "constant_values": _one_constant("sum(g) - sum(pad_adjoint(g, array, pad_width))"),
    },
    kind=shaped(kind_shapes.padded),
)

# --- putting together


def _concatenate_adjoint(app: Application) -> str:
    """Two arrays are cut apart by slices, more by a helper."""
    arrays, axis = app.kind("arrays"), literal(app, "axis")
    if not (isinstance(arrays, Tuple) and len(arrays.items) == 2 and isinstance(axis, int) and axis >= 0):
        return "unconcatenate(g, arrays, axis)"
    if not all(isinstance(item, Array) for item in arrays.items) or not of_one_dtype(app, "arrays"):
        return "unconcatenate(g, arrays, axis)"
    lead, size = ":, " * axis, f"arrays[0].shape[{axis}]"
    return f"(g[{lead}:{size}], g[{lead}{size}:])"


def _unstacked(param: str, axis: str) -> str:
    return f"unconcatenate(g, {param}, {axis})"


def _stack_adjoint(app: Application) -> str:
    moved = "g" if literal(app, "axis") == 0 else "moveaxis(g, axis, 0)"
    return moved if of_one_dtype(app, "arrays") else f"unconcatenate({moved}, arrays)"


linear(
    "numpy.concatenate(arrays, axis=0)", arrays=written(_concatenate_adjoint), kind=kind_joining.concatenate
)
alias("numpy.concatenate", "numpy.concat")
linear(
    "numpy.stack(arrays, axis=0)",
    arrays=written(_stack_adjoint),
    kind=kind_joining.stacked,
)


def _rows(app: Application) -> str | None:
    """A marker for items that are all vectors, so that they become the rows of a matrix."""
    kind = app.kind("tup")
    items = kind.items if isinstance(kind, Tuple) else (kind.item,) if isinstance(kind, List) else ()
    return "rows" if items and all(len(shape_of(array_kind(item)) or ()) == 1 for item in items) else None


linear(
    "numpy.vstack(tup)",
    tup=written(lambda app: "g" if _rows(app) and of_one_dtype(app, "tup") else None, _unstacked("tup", "0")),
    kind=kind_joining.vstack,
)
alias("numpy.vstack", "numpy.row_stack")
linear("numpy.hstack(tup)", tup=_unstacked("tup", "1"), kind=kind_joining.hstack)
linear(
    "numpy.column_stack(tup)",
    tup=written(lambda app: "g.T" if _rows(app) else None, _unstacked("tup", "1")),
    kind=kind_joining.column_stack,
)

# --- diagonals and triangles

linear(
    "numpy.diag(v, k=0)",
    v=by_rank(
        "v", table={1: "diagonal(g, k)", 2: "diagonal_adjoint(g, v, k)"}, otherwise="diag_adjoint(g, v, k)"
    ),
    kind=shaped(kind_shapes.diag),
    facts={"effects": "fresh if v.ndim == 1 else view(v); frozen", "mirror": "s2sad.runtime.diagonal_window"},
)
linear(
    "numpy.diagonal(a, offset=0, axis1=0, axis2=1)",
    a="diagonal_adjoint(g, a, offset, axis1, axis2)",
    kind=shaped(kind_shapes.diagonal),
    facts={"effects": "view(a); frozen", "cheap": True, "mirror": "s2sad.runtime.diagonal_window"},
)
linear(
    "s2sad.runtime.diagonal_window(a, offset=0, axis1=0, axis2=1)",
    a="diagonal_adjoint(g, a, offset, axis1, axis2)",
    kind=shaped(kind_shapes.diagonal),
    facts={"effects": "view(a)", "cheap": True},
)
alias("numpy.diagonal", "ndarray.diagonal", spelling="method")


def _of_rows_and_columns(app: Application) -> bool:
    """Test for the diagonal of a matrix, its rows first."""
    axes = (literal(app, "axis1"), literal(app, "axis2"))
    return len(shape_of(array_kind(app.kind("a"))) or ()) == 2 and axes in ((0, 1), (0, -1), (-2, 1), (-2, -1))


linear(
    "numpy.trace(a, offset=0, axis1=0, axis2=1)",
    a=written(
        lambda app: "g * eye(a.shape[0], a.shape[1], offset, a.dtype)" if _of_rows_and_columns(app) else None,
        "diagonal_adjoint(expand_dims(g, -1), a, offset, axis1, axis2)",
    ),
    kind=kind_shapes.traced,
)
alias("numpy.trace", "ndarray.trace", spelling="method")
for name in ("tril", "triu"):
    linear(
        f"numpy.{name}(m, k=0)",
        m=by_rank(
            "m",
            table={1: f"unbroadcast({name}(g, k), m)", 2: f"{name}(g, k)"},
            otherwise=f"unbroadcast({name}(g, k), m)",
        ),
        kind=shaped(kind_shapes.triangle),
    )

# --- choosing items

linear(
    "numpy.take(a, indices, axis=None, *, mode='raise')",
    a="take_adjoint(g, a, indices, axis, mode)",
    kind=kind_shapes.taken,
)
alias("numpy.take", "ndarray.take", spelling="method")


linear(
    "numpy.take_along_axis(arr, indices, axis=-1)",
    arr="take_along_adjoint(g, arr, indices, axis)",
    kind=kind_shapes.taken_along,
)

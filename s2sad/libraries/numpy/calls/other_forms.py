"""Other forms of an array: Python lists, windows that slide over it, views; and what NumPy tells about types.

x.tolist()                            [float(v) for v in x], of a matrix a list of such lists
x.view()                              x[...]
np.finfo(x.dtype).eps                 2.220446049250313e-16
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.lib import stride_tricks

from s2sad.frontend.entities import Entity, Static
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import Other, Scalar, dtype_of
from s2sad.ir.nodes import Const, Value
from s2sad.libraries.numpy.calls.functional import collected
from s2sad.libraries.numpy.calls.handlers import TABLE, Handler, item, rank, written_out

WIDE = {"float32": "float64", "float16": "float64", "complex64": "complex128"}


def tolist(ctx: Lowering, value: Value, args: list[Value], kwargs: dict[str, Entity], node: Any) -> Entity:
    """``x.tolist()``: lists of Python's numbers, which are of double precision."""
    if args or kwargs:
        ctx.refuse(node, "this call of tolist", "it takes no arguments", "x.tolist()")
    if isinstance(value.kind, Scalar):
        return python_number(ctx, value)
    wide = WIDE.get(dtype_of(value.kind) or "")
    whole = value if wide is None else ctx.builder.call("ndarray.astype", value, wide)
    return _listed(ctx, node, whole, rank(ctx, node, value, "tolist"))


def _listed(ctx: Lowering, node: Any, value: Value, axes: int) -> Entity:
    if axes == 0:
        number = isinstance(value.kind, Scalar)
        return python_number(ctx, value if number else ctx.builder.call("operator.getitem", value, Const(())))
    count = ctx.builder.call("builtins.len", value)
    return collected(ctx, node, count, lambda k: _listed(ctx, node, item(ctx, value, k), axes - 1))


PYTHONS = {"f": "builtins.float", "c": "builtins.complex", "i": "builtins.int", "u": "builtins.int", "b": "builtins.bool"}


def python_number(ctx: Lowering, number: Value) -> Value:
    """The number that ``item`` and ``tolist`` make of NumPy's numbers: Python's own."""
    if isinstance(number.kind, Scalar) and number.kind.weak:
        return number
    dtype = dtype_of(number.kind)
    return ctx.builder.call(PYTHONS[np.dtype(dtype).kind] if dtype else "s2sad.runtime.python_number", number)


def view(ctx: Lowering, value: Value, args: list[Value], kwargs: dict[str, Entity], node: Any) -> Entity:
    """``x.view()``; of another type only where that is the array's own."""
    if args or kwargs:
        ctx.refuse(node, "a view of another type", "its items are other numbers, of the same bytes", "x.astype, x.real, x.imag")
    return item(ctx, value, Const(...))


METHODS = {"tolist": tolist, "view": view}


# --- types


FACTS = "eps epsneg max min tiny smallest_normal smallest_subnormal resolution"


@written_out(np.finfo)
def _finfo(ctx: Lowering, node: Any, dtype: Entity) -> Entity | None:
    """Facts about a type, written down as Python's numbers, which widen nothing."""
    if isinstance(dtype, Static):
        name = dtype.payload
    elif isinstance(dtype, Const):
        name = dtype.payload if isinstance(dtype.payload, str) else type(dtype.payload)
    else:
        found = dtype.kind if isinstance(dtype, Value) else None
        told = str(found).removeprefix("dtype ") if isinstance(found, Other) else dtype_of(found) if found else None
        name = None if told == "dtype" else told
    if name is None:
        ctx.refuse(node, "np.finfo of a computed type", "which type it is, is not known", "np.finfo(float)")
    facts = ctx.known(node, lambda: np.finfo(name), "this call of np.finfo", "a type of fractions")
    return Static(Facts(bits=facts.bits, **{k: float(getattr(facts, k)) for k in FACTS.split()}))


@written_out(np.issubdtype)
def _issubdtype(ctx: Lowering, node: Any, arg1: Entity, arg2: Entity) -> Entity | None:
    """The facts that are known of a dtype before the program runs."""
    told = str(arg1.kind) if isinstance(arg1, Value) else ""
    known = told.startswith("dtype ") and isinstance(arg2, Static) and isinstance(arg2.payload, type)
    return Const(bool(np.issubdtype(told.removeprefix("dtype "), arg2.payload))) if known else None  # type: ignore[union-attr]


class Facts(SimpleNamespace):
    """Facts about a type."""


# --- what only Python or C can run


def _refused(name: str, why: str, instead: str) -> Handler:
    def handler(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
        ctx.refuse(node, name, why, instead)

    return handler


for _function, _why, _instead in (
    (np.nditer, "an iterator of NumPy's is not seen through", "a loop over x.flat, np.ndindex(x.shape) or np.ndenumerate(x)"),
    (np.nested_iters, "an iterator of NumPy's is not seen through", "nested loops over ranges"),
    (stride_tricks.as_strided, "which items it shows is told by addresses", "np.lib.stride_tricks.sliding_window_view"),
    (np.matrix, "its * is a product of matrices", "np.array and @"),
    (np.asmatrix, "its * is a product of matrices", "np.asarray and @"),
    (np.bmat, "it makes a matrix, whose * is a product of matrices", "np.block"),
):
    TABLE[_function] = _refused(f"np.{_function.__name__}", _why, _instead)

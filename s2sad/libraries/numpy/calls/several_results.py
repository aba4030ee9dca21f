"""NumPy's functions that give several results, and those whose answer is known before the program runs.

q, r = np.divmod(x, y)                q = np.floor_divide(x, y); r = np.remainder(x, y)
np.gradient(f)    (two axes)          np.gradient(f, axis=0), np.gradient(f, axis=1)
np.ndim(x)                            2
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.frontend.entities import Entity, Static, Struct
from s2sad.frontend.lower import control
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import NONE, STR, Array, List, Scalar, Tuple, dtype_of, rank_of
from s2sad.ir.nodes import Const, Global, Value
from s2sad.libraries.numpy.calls.handlers import TABLE, Handler, array, written_out
from s2sad.libraries.numpy.prelude.slopes import gradient_at
from s2sad.rules.kind_arrays import array_kind

# --- several results


def _whole(ctx: Lowering, value: Value) -> Value:
    """A list or tuple as the array that NumPy makes of it."""
    return ctx.builder.call("numpy.asarray", value) if isinstance(value.kind, List | Tuple) else value


def _in_two(first: str, second: str, count: int = 1) -> Handler:
    """A function of so many arguments whose two results are functions of their own."""

    def handler(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
        if kwargs or len(args) > count:  # places for the results
            ctx.refuse(
                node, "options of a function with two results", "they are not known", "a call without options"
            )
        values = [_whole(ctx, ctx.value(a, node, "an argument")) for a in args]
        return Struct([ctx.builder.call(name, *values) for name in (first, second)])

    return handler


def _is(value: Value, payload: Any) -> bool:
    return isinstance(value, Const) and value.payload is payload


def _gradient(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """A call for each axis; along one axis the call as it stands, unless the places of the items may vary."""
    values = [ctx.value(a, node, "an argument") for a in args]
    axis = _axes(kwargs.get("axis", Const(None)))
    named = {k: ctx.value(v, node, "an argument") for k, v in kwargs.items() if k != "axis"}
    samples, *spacing = values
    rank = rank_of(array_kind(samples.kind))
    if not isinstance(axis, Const) or not isinstance(axis.payload, int | tuple | None):
        ctx.refuse(
            node,
            "np.gradient along a computed axis",
            "how many results it has is not known",
            "a literal axis",
        )
    if isinstance(axis.payload, int) or (axis.payload is None and rank == 1):
        along = axis.payload if isinstance(axis.payload, int) else 0
        return _gradient_at(ctx, samples, spacing[0], along, named, node) if spacing and _varies(spacing[0]) else None
    if axis.payload is None and rank is None:
        ctx.ask_for_kind(
            node,
            "how many axes np.gradient differentiates along is not known",
            "each has a result of its own",
        )
    axes = tuple(range(rank or 0)) if axis.payload is None else tuple(axis.payload)
    if len(spacing) not in (0, 1, len(axes)):
        ctx.refuse(
            node,
            "this spacing of np.gradient",
            f"there are {len(spacing)} for {len(axes)} axes",
            "one for each axis",
        )
    steps = spacing * len(axes) if len(spacing) == 1 else spacing
    results: list[Entity] = [
        _gradient_at(ctx, samples, steps[k], a, named, node)
        if steps and _varies(steps[k])
        else ctx.builder.call("numpy.gradient", samples, *steps[k : k + 1], axis=Const(a), **named)
        for k, a in enumerate(axes)
    ]
    return Struct(results) if len(results) != 1 else results[0]


def _axes(axis: Entity) -> Entity:
    """Axes that are listed, as a tuple."""
    if isinstance(axis, Struct) and all(isinstance(item, Const) for item in axis.items):
        return Const(tuple(item.payload for item in axis.items if isinstance(item, Const)))
    return axis


def _varies(spacing: Value) -> bool:
    """Test for a spacing that is a vector of places which are no constants."""
    return rank_of(array_kind(spacing.kind)) == 1 and not isinstance(spacing, Const | Global)


def _gradient_at(ctx: Lowering, samples: Value, places: Value, axis: int, named: dict[str, Value], node: Any) -> Entity:
    """The gradient as a program of the samples and their places, in the dtype of the samples."""
    order = named.get("edge_order", Const(1))
    found = apply(ctx, Static(gradient_at), [samples, places, Const(axis), order], {}, node)
    dtype = dtype_of(samples.kind)
    floating = dtype is not None and dtype.startswith(("float", "complex"))
    return ctx.builder.call("ndarray.astype", ctx.value(found, node), Const(dtype)) if floating else found


@written_out(np.sign)
def _sign(ctx: Lowering, node: Any, x: Entity, /, *rest: Entity, **options: Entity) -> Entity | None:
    """Of complex numbers a direction, which turns; of real ones a step."""
    value = array(ctx, node, x)
    if not (dtype_of(value.kind) or "complex").startswith("complex"):
        return None
    if rest or options:
        ctx.refuse(node, "np.sign of complex numbers with options", "they are not written out", "z / np.abs(z)")
    return ctx.builder.call("s2sad.runtime.direction", value)


def _told(name: str) -> Handler:
    """``np.ndim(x)`` and its like, where the answer is known before the program runs: tests fall away then."""

    def handler(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
        if len(args) != 1 or kwargs or not isinstance(args[0], Value | Struct):
            return None
        if isinstance(args[0], Struct):
            with control.scratch(ctx):
                rank = rank_of(array_kind(ctx.value(args[0], node).kind))
            return Const(rank) if name == "ndim" and rank is not None else None
        kind = args[0].kind
        if name == "iscomplexobj":
            dtype = dtype_of(array_kind(kind))
            return None if dtype is None else Const(dtype.startswith("complex"))
        if isinstance(kind, Scalar):
            of_numbers: dict[str, Entity] = {"ndim": Const(0), "shape": Struct([]), "size": Const(1)}
            return of_numbers[name]
        return Const(kind.rank) if name == "ndim" and isinstance(kind, Array) and kind.rank is not None else None

    return handler


def _is_one(of_number: bool) -> Handler:
    """``np.isscalar(x)``, or, where numbers have the other answer, ``np.iterable(x)``: known of numbers, arrays, lists, text and
    None."""

    def handler(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
        if len(args) != 1 or kwargs:
            return None
        kind = ctx.kind(args[0])
        if isinstance(args[0], Struct) and args[0].kind in ("list", "tuple"):
            return Const(not of_number)
        if kind == STR:
            return Const(True)
        if kind == NONE:
            return Const(False)
        if isinstance(kind, Scalar):
            return Const(of_number)
        if isinstance(kind, Array) and (of_number or kind.rank is not None):
            return Const(not of_number and bool(kind.rank))
        return Const(not of_number) if isinstance(kind, List | Tuple) else None

    return handler


TABLE.update(
    {
        np.isscalar: _is_one(of_number=True),
        np.iterable: _is_one(of_number=False),
        np.iscomplexobj: _told("iscomplexobj"),
        np.ndim: _told("ndim"),
        np.shape: _told("shape"),
        np.size: _told("size"),
        np.divmod: _in_two("numpy.floor_divide", "numpy.remainder", 2),
        np.modf: _in_two("s2sad.runtime.fraction", "s2sad.runtime.whole_part"),
        np.frexp: _in_two("s2sad.runtime.mantissa", "s2sad.runtime.exponent"),
        np.gradient: _gradient,
    }
)

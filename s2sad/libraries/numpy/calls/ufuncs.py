"""Methods of ufuncs without a rule of their own.

np.subtract.outer(x, y)               np.subtract(x[:, None], y)
np.multiply.at(a, index, b)           for k in range(len(index)): a[index[k]] = np.multiply(a[index[k]], b[k])
np.hypot.reduce(a)                    total = a[0]; for k in range(1, len(a)): total = np.hypot(total, a[k])
"""

from __future__ import annotations

import inspect
import types
from typing import Any

import gast
import numpy as np

from s2sad.frontend.entities import Entity, Static, Struct
from s2sad.frontend.lower import control, subscripts
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import Array, Scalar, Slice, dtype_of, is_differentiable, rank_of
from s2sad.ir.nodes import Const, Value
from s2sad.libraries.numpy.prelude import item_by_item
from s2sad.rules import registry
from s2sad.rules.kind_arrays import array_kind

# --- outer


def outer_of(payload: Any) -> str | None:
    """The name of the ufunc of which this is the method ``outer``, if it has a rule."""
    return _ufunc_with(payload, "outer")


def _ufunc_with(payload: Any, method: str) -> str | None:
    """The name of the ufunc of which this is the method of that name."""
    owner = getattr(payload, "__self__", None)
    own = isinstance(payload, types.BuiltinMethodType) and isinstance(owner, np.ufunc)
    return registry.name_of(owner) if own and payload.__name__ == method else None


def outer_arguments(ctx: Lowering, args: list[Entity], node: gast.AST) -> list[Entity]:
    """The arguments of the ufunc itself: the first with a new axis at its end for each axis of the second."""
    if len(args) != 2:
        ctx.refuse(node, "this call of outer", "it takes two arrays", "two arguments")
    first, second = (ctx.value(a, node, "an argument") for a in args)
    rank, own = rank_of(array_kind(second.kind)), rank_of(array_kind(first.kind))
    if rank is None:
        ctx.ask_for_kind(
            node,
            "how many axes this outer product has is not known",
            "the second array's are put behind the first's",
        )
    if rank == 0 or own == 0:
        return [first, second]
    if not isinstance(first.kind, Array):
        first = ctx.builder.call("numpy.asarray", first)
    lead = (...,) if own is None else (slice(None),) * own
    return [ctx.builder.call("operator.getitem", first, Const((*lead, *(None,) * rank))), second]


# --- at

ADDED = {"numpy.add", "numpy.subtract"}  # stores of their own


def in_turn_of(payload: Any) -> str | None:
    """The name of the ufunc of which this is the method ``at``, if it is written out."""
    name = _ufunc_with(payload, "at")
    return name if name is not None and name not in ADDED and payload.__self__.nout == 1 and payload.__self__.nin < 3 else None


def in_turn(ctx: Lowering, ufunc: str, args: list[Entity], node: gast.AST) -> Entity:
    """A loop over the index, in which a place that is named twice is changed twice; one store where none can be."""
    function = registry.find_object(ufunc)
    if len(args) != function.nin + 1:
        need = "an array, an index and values" if function.nin == 2 else "an array and an index"
        ctx.refuse(node, f"this call of {ufunc}.at", f"it takes {need}", "arguments by position")
    target = subscripts.writable(ctx, args[0], node)
    several = isinstance(args[1], Struct) and args[1].kind == "tuple"
    given = args[1].items if isinstance(args[1], Struct) and several else [args[1]]
    values = ctx.value(args[2], node, "an argument") if function.nin == 2 else None

    def changed(place: Value, value: Value | None) -> None:
        old = ctx.builder.call("operator.getitem", target, place)
        new = ctx.builder.call(ufunc, old) if value is None else ctx.builder.call(ufunc, old, value)
        ctx.builder.call("operator.setitem", target, place, new)

    if all(isinstance(entity, Value) and _names_items_once(entity) for entity in given):
        changed(ctx.value(args[1], node, "an index"), values)
        return Const(None)
    axes = [_places(ctx, entity, node) for entity in given]
    whole = all(np.dtype(dtype_of(v.kind) or "O").kind in "iu" and rank_of(v.kind) == 1 for v in axes)
    if rank_of(target.kind) != len(axes) or not whole:
        ctx.refuse(
            node, f"this call of {ufunc}.at", "a vector of integers is expected for each axis of the array",
            "a loop over the places",
        )  # fmt: skip
    # NumPy copies what shares memory with the array before it begins to write.
    axes = [ctx.builder.call("numpy.copy", axis) for axis in axes]
    if values is not None:
        if not isinstance(values.kind, Scalar):
            values = ctx.builder.call("numpy.copy", values)
        values = ctx.builder.call("numpy.broadcast_to", values, ctx.builder.call("numpy.shape", axes[0]))

    def body(k: Value) -> None:
        places = [ctx.builder.call("operator.getitem", axis, k) for axis in axes]
        place = ctx.builder.call("builtins.tuple", *places) if several else places[0]
        changed(place, None if values is None else ctx.builder.call("operator.getitem", values, k))

    control.counted_loop(ctx, ctx.builder.call("builtins.len", axes[0]), body, node)
    return Const(None)


def _names_items_once(part: Value) -> bool:
    """Test for a part of an index that is a slice, a mask, an ellipsis or one place."""
    if isinstance(part, Const):
        return part.payload is ... or isinstance(part.payload, slice | int)
    whole = isinstance(part.kind, Scalar) and part.kind.is_of("iu")
    return whole or isinstance(part.kind, Slice) or dtype_of(part.kind) == "bool"


def _places(ctx: Lowering, entity: Entity, node: gast.AST) -> Value:
    """The places along one axis, as an array."""
    value = ctx.value(entity, node, "an argument")
    return value if isinstance(value.kind, Array) else ctx.builder.call("numpy.asarray", value)


# --- reduce, accumulate, reduceat

OUT_OF_ORDER = {"numpy.power", "numpy.arctan2"}  # power.reduce([1.3, 0.7, 2.1, 1.7, 0.9]) is 1.27 on some processors, and 1.80


def one_by_one(
    ctx: Lowering, function: Static, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity | None:
    """Such a method of a ufunc without a rule of its own, item by item; None of other calls, and of what cannot vary."""
    payload = function.payload
    program = item_by_item.TABLE.get(getattr(payload, "__name__", ""))
    name = None if program is None else _ufunc_with(payload, payload.__name__)
    if program is None or name is None or registry.name_of(payload) is not None:
        return None
    try:
        bound = inspect.signature(program).bind(Static(payload.__self__, name), *args, **kwargs)
    except TypeError:
        return None
    value = ctx.value(args[0], node, "an argument") if args else Const(None)
    if not is_differentiable(array_kind(value.kind)):
        return None
    if name in OUT_OF_ORDER and program is not item_by_item.accumulate:
        what, why = f"{name}.{program.__name__}", "what NumPy gives depends on the processor: it takes several items at once"
        ctx.refuse(node, what, why, f"functools.reduce({name.replace('numpy', 'np')}, x)")
    return apply(ctx, Static(program, program.__name__), [*bound.args[:1], value, *bound.args[2:]], bound.kwargs, node)

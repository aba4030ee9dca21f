"""NumPy's functions that write to places, written out as stores.

np.place(a, mask, v)                  a[mask] = np.resize(v, np.count_nonzero(mask))
np.fill_diagonal(a, v)                a[diagonal_places(a)] = v
a.sort()                              a[...] = np.sort(a)
a.flat = v                            a[...] = np.resize(v, a.shape)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.frontend.entities import Entity
from s2sad.frontend.lower import subscripts
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import Array, Scalar
from s2sad.ir.nodes import Const, Value
from s2sad.libraries.numpy.calls.handlers import (
    NO,
    array,
    literal,
    operand,
    written_out,
)

RAISE = Const("raise")
EVERYWHERE = Const(...)

# --- writing to places


def _cycled(ctx: Lowering, node: Any, values: Entity, shape: Any) -> Value:
    """Values repeated to a shape, as functions that write to places repeat them; a number stays."""
    value = array(ctx, node, values)
    return value if isinstance(value.kind, Scalar) else subscripts.resized(ctx, value, shape)


def _store(ctx: Lowering, node: Any, target: Entity, index: Value, values: Entity) -> Entity:
    subscripts.store(ctx, target, index, values, node)
    return Const(None)


@written_out(np.put)
def _put(ctx: Lowering, node: Any, a: Entity, ind: Entity, v: Entity, mode: Entity = RAISE) -> Entity:
    target, places = subscripts.writable(ctx, a, node), array(ctx, node, ind)
    index = ctx.builder.call("s2sad.runtime.flat_places", target, places, operand(ctx, node, mode))
    return _store(ctx, node, target, index, _cycled(ctx, node, v, ctx.builder.call("numpy.shape", places)))


@written_out(np.place)
def _place(ctx: Lowering, node: Any, arr: Entity, mask: Entity, vals: Entity) -> Entity:
    target = subscripts.writable(ctx, arr, node)
    index = ctx.builder.call("s2sad.runtime.mask_places", target, operand(ctx, node, mask))
    count = ctx.builder.call("numpy.count_nonzero", operand(ctx, node, mask))
    return _store(ctx, node, target, index, _cycled(ctx, node, vals, count))


@written_out(np.putmask)
def _putmask(ctx: Lowering, node: Any, a: Entity, /, mask: Entity, values: Entity) -> Entity:
    target = subscripts.writable(ctx, a, node)
    shape = ctx.builder.call("numpy.shape", target)
    chosen = _cycled(ctx, node, values, shape)
    mixed = ctx.builder.call("numpy.where", operand(ctx, node, mask), chosen, target)
    return _store(ctx, node, target, EVERYWHERE, mixed)


@written_out(np.put_along_axis)
def _put_along_axis(
    ctx: Lowering, node: Any, arr: Entity, indices: Entity, values: Entity, axis: Entity
) -> Entity:
    target = subscripts.writable(ctx, arr, node)
    at = literal(ctx, node, axis, "axis")
    if at is None:
        return _put(ctx, node, target, indices, values)
    index = ctx.builder.call("s2sad.runtime.places_along", target, operand(ctx, node, indices), at)
    return _store(ctx, node, target, index, values)


@written_out(np.fill_diagonal)
def _fill_diagonal(ctx: Lowering, node: Any, a: Entity, val: Entity, wrap: Entity = NO) -> Entity:
    target = subscripts.writable(ctx, a, node)
    index = ctx.builder.call("s2sad.runtime.diagonal_places", target, Const(literal(ctx, node, wrap, "wrap")))
    return _store(ctx, node, target, index, subscripts.repeated(ctx, array(ctx, node, val), index))


# --- methods that write


def _in_place(function: str, *names: str) -> Any:
    """A method that stores what a function makes of the whole array."""

    def handler(
        ctx: Lowering, value: Value, args: list[Value], kwargs: dict[str, Entity], node: Any
    ) -> Entity:
        options = {k: operand(ctx, node, v) for k, v in kwargs.items()}
        if len(args) > len(names) or set(options) - set(names):
            ctx.refuse(
                node, "this call of a method", "its options are not known", f"the options {', '.join(names)}"
            )
        target = subscripts.writable(ctx, value, node)
        made = ctx.builder.call(function, target, *args, **options)
        return _store(ctx, node, target, EVERYWHERE, made)

    return handler


def refuse_number(ctx: Lowering, value: Value, method: str, node: Any) -> None:
    """Refuse a method that writes into arrays, of a number of NumPy's, which it leaves as it is."""
    if isinstance(value.kind, Scalar):
        ctx.refuse(node, f"{method} of a number", "NumPy has it, and changes nothing by it", "nothing, or a new value")


def _put_method(
    ctx: Lowering, value: Value, args: list[Value], kwargs: dict[str, Entity], node: Any
) -> Entity:
    refuse_number(ctx, value, "put", node)
    return _put(ctx, node, value, *args, **kwargs)


def _resize_method(
    ctx: Lowering, value: Value, args: list[Value], kwargs: dict[str, Entity], node: Any
) -> Entity:
    ctx.refuse(node, "resizing an array in place", "its memory is moved", "np.resize, or np.concatenate")


def set_attribute(ctx: Lowering, owner: Entity, attr: str, entity: Entity, node: Any) -> bool:
    """``a.flat = v``, ``z.real = v``: stores into the array. Whether this is an attribute of an array."""
    if not isinstance(owner, Value) or not isinstance(owner.kind, Array):
        return False
    if attr == "flat":
        shape = ctx.builder.call("ndarray.shape", owner)
        _store(ctx, node, owner, EVERYWHERE, _cycled(ctx, node, entity, shape))
    elif attr in ("real", "imag"):
        _store(ctx, node, ctx.builder.call(f"ndarray.{attr}", owner), EVERYWHERE, entity)
    else:
        ctx.refuse(node, f"assigning the attribute {attr!r} of an array", "it is another array then", "np.reshape, or astype")
    return True


METHODS: dict[str, Any] = {
    "sort": _in_place("numpy.sort", "axis", "kind"),
    "partition": _in_place("numpy.partition", "kth", "axis", "kind"),
    "put": _put_method,
    "resize": _resize_method,
}

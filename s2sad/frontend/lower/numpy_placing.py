"""NumPy's functions that choose by conditions or write to places, written out as ``where`` and as stores.

np.select([c, d], [x, y], z)          np.where(c, x, np.where(d, y, z))
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
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.numpy_forms import (
    NO,
    ZERO,
    array,
    items_of,
    literal,
    operand,
    rank,
    written_out,
)
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import Array, Scalar
from s2sad.ir.nodes import Const, Value

RAISE = Const("raise")
EVERYWHERE = Const(...)

# --- choosing by conditions


def _listed(ctx: Lowering, node: Any, entity: Entity, what: str) -> list[Entity]:
    found = items_of(ctx, entity)
    if not found:
        ctx.refuse(node, f"these {what}", "they are not known one by one", f"a literal list of {what}")
    return found


@written_out(np.select)
def _select(ctx: Lowering, node: Any, condlist: Entity, choicelist: Entity, default: Entity = ZERO) -> Entity:
    conditions = _listed(ctx, node, condlist, "conditions")
    choices = _listed(ctx, node, choicelist, "choices")
    if len(conditions) != len(choices):
        ctx.refuse(
            node,
            "this call of np.select",
            f"there are {len(conditions)} conditions for {len(choices)} choices",
            "as many",
        )
    result = operand(ctx, node, default)
    for condition, choice in reversed(list(zip(conditions, choices, strict=True))):
        result = ctx.builder.call(
            "numpy.where", operand(ctx, node, condition), operand(ctx, node, choice), result
        )
    return result


@written_out(np.piecewise)
def _piecewise(
    ctx: Lowering, node: Any, x: Entity, condlist: Entity, funclist: Entity, *args: Entity, **kw: Entity
) -> Entity:
    value = array(ctx, node, x)
    if not isinstance(value.kind, Array) or not rank(ctx, node, value, "np.piecewise"):
        ctx.refuse(node, "np.piecewise of a number", "its parts are chosen by masks", "if, or np.where")
    masks = [operand(ctx, node, c) for c in _listed(ctx, node, condlist, "conditions")]
    functions = _listed(ctx, node, funclist, "functions")
    if any(
        not isinstance(m.kind, Array) or m.kind.dtype != "bool" or m.kind.rank != value.kind.rank
        for m in masks
    ):
        ctx.refuse(
            node,
            "these conditions of np.piecewise",
            "they are no masks of the array's shape",
            "x < 0 and the like",
        )
    if len(functions) == len(masks) + 1:
        masks.append(_none_of(ctx, masks))
    if len(functions) != len(masks):
        ctx.refuse(
            node,
            "this call of np.piecewise",
            "conditions and functions differ in number",
            "as many, or one more",
        )
    result = ctx.builder.call("numpy.zeros_like", value)
    for mask, function in zip(masks, functions, strict=True):
        part: Entity = function
        if not (isinstance(function, Value) and isinstance(function.kind, Array | Scalar)):
            part = apply(ctx, function, [ctx.builder.call("operator.getitem", value, mask), *args], kw, node)
        subscripts.store(ctx, result, mask, part, node)
    return result


def _none_of(ctx: Lowering, masks: list[Value]) -> Value:
    found = masks[0]
    for mask in masks[1:]:
        found = ctx.builder.call("numpy.logical_or", found, mask)
    return ctx.builder.call("numpy.logical_not", found)


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


def _put_method(
    ctx: Lowering, value: Value, args: list[Value], kwargs: dict[str, Entity], node: Any
) -> Entity:
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

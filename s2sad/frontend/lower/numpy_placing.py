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


def _listed(lw: Lowering, node: Any, entity: Entity, what: str) -> list[Entity]:
    found = items_of(lw, entity)
    if not found:
        lw.refuse(node, f"these {what}", "they are not known one by one", f"a literal list of {what}")
    return found


@written_out(np.select)
def _select(lw: Lowering, node: Any, condlist: Entity, choicelist: Entity, default: Entity = ZERO) -> Entity:
    conditions = _listed(lw, node, condlist, "conditions")
    choices = _listed(lw, node, choicelist, "choices")
    if len(conditions) != len(choices):
        lw.refuse(
            node,
            "this call of np.select",
            f"there are {len(conditions)} conditions for {len(choices)} choices",
            "as many",
        )
    result = operand(lw, node, default)
    for condition, choice in reversed(list(zip(conditions, choices, strict=True))):
        result = lw.builder.call(
            "numpy.where", operand(lw, node, condition), operand(lw, node, choice), result
        )
    return result


@written_out(np.piecewise)
def _piecewise(
    lw: Lowering, node: Any, x: Entity, condlist: Entity, funclist: Entity, *args: Entity, **kw: Entity
) -> Entity:
    value = array(lw, node, x)
    if not isinstance(value.kind, Array) or not rank(lw, node, value, "np.piecewise"):
        lw.refuse(node, "np.piecewise of a number", "its parts are chosen by masks", "if, or np.where")
    masks = [operand(lw, node, c) for c in _listed(lw, node, condlist, "conditions")]
    functions = _listed(lw, node, funclist, "functions")
    if any(
        not isinstance(m.kind, Array) or m.kind.dtype != "bool" or m.kind.rank != value.kind.rank
        for m in masks
    ):
        lw.refuse(
            node,
            "these conditions of np.piecewise",
            "they are no masks of the array's shape",
            "x < 0 and the like",
        )
    if len(functions) == len(masks) + 1:
        masks.append(_none_of(lw, masks))
    if len(functions) != len(masks):
        lw.refuse(
            node,
            "this call of np.piecewise",
            "conditions and functions differ in number",
            "as many, or one more",
        )
    result = lw.builder.call("numpy.zeros_like", value)
    for mask, function in zip(masks, functions, strict=True):
        part: Entity = function
        if not (isinstance(function, Value) and isinstance(function.kind, Array | Scalar)):
            part = apply(lw, function, [lw.builder.call("operator.getitem", value, mask), *args], kw, node)
        subscripts.store(lw, result, mask, part, node)
    return result


def _none_of(lw: Lowering, masks: list[Value]) -> Value:
    found = masks[0]
    for mask in masks[1:]:
        found = lw.builder.call("numpy.logical_or", found, mask)
    return lw.builder.call("numpy.logical_not", found)


# --- writing to places


def _cycled(lw: Lowering, node: Any, values: Entity, shape: Any) -> Value:
    """Values repeated to a shape, as functions that write to places repeat them; a number stays."""
    value = array(lw, node, values)
    return value if isinstance(value.kind, Scalar) else lw.builder.call("numpy.resize", value, shape)


def _store(lw: Lowering, node: Any, target: Entity, index: Value, values: Entity) -> Entity:
    subscripts.store(lw, target, index, values, node)
    return Const(None)


@written_out(np.put)
def _put(lw: Lowering, node: Any, a: Entity, ind: Entity, v: Entity, mode: Entity = RAISE) -> Entity:
    target, places = subscripts.writable(lw, a, node), array(lw, node, ind)
    index = lw.builder.call("s2sad.runtime.flat_places", target, places, operand(lw, node, mode))
    return _store(lw, node, target, index, _cycled(lw, node, v, lw.builder.call("numpy.shape", places)))


@written_out(np.place)
def _place(lw: Lowering, node: Any, arr: Entity, mask: Entity, vals: Entity) -> Entity:
    target = subscripts.writable(lw, arr, node)
    index = lw.builder.call("s2sad.runtime.mask_places", target, operand(lw, node, mask))
    count = lw.builder.call("numpy.count_nonzero", operand(lw, node, mask))
    return _store(lw, node, target, index, _cycled(lw, node, vals, count))


@written_out(np.putmask)
def _putmask(lw: Lowering, node: Any, a: Entity, /, mask: Entity, values: Entity) -> Entity:
    target = subscripts.writable(lw, a, node)
    shape = lw.builder.call("numpy.shape", target)
    chosen = _cycled(lw, node, values, shape)
    mixed = lw.builder.call("numpy.where", operand(lw, node, mask), chosen, target)
    return _store(lw, node, target, EVERYWHERE, mixed)


@written_out(np.put_along_axis)
def _put_along_axis(
    lw: Lowering, node: Any, arr: Entity, indices: Entity, values: Entity, axis: Entity
) -> Entity:
    target = subscripts.writable(lw, arr, node)
    at = literal(lw, node, axis, "axis")
    if at is None:
        return _put(lw, node, target, indices, values)
    index = lw.builder.call("s2sad.runtime.places_along", target, operand(lw, node, indices), at)
    return _store(lw, node, target, index, values)


@written_out(np.fill_diagonal)
def _fill_diagonal(lw: Lowering, node: Any, a: Entity, val: Entity, wrap: Entity = NO) -> Entity:
    target = subscripts.writable(lw, a, node)
    index = lw.builder.call("s2sad.runtime.diagonal_places", target, Const(literal(lw, node, wrap, "wrap")))
    return _store(lw, node, target, index, subscripts.repeated(lw, array(lw, node, val), index))


# --- methods that write


def _in_place(function: str, *names: str) -> Any:
    """A method that stores what a function makes of the whole array."""

    def handler(
        lw: Lowering, value: Value, args: list[Value], kwargs: dict[str, Entity], node: Any
    ) -> Entity:
        options = {k: operand(lw, node, v) for k, v in kwargs.items()}
        if len(args) > len(names) or set(options) - set(names):
            lw.refuse(
                node, "this call of a method", "its options are not known", f"the options {', '.join(names)}"
            )
        target = subscripts.writable(lw, value, node)
        made = lw.builder.call(function, target, *args, **options)
        return _store(lw, node, target, EVERYWHERE, made)

    return handler


def _put_method(
    lw: Lowering, value: Value, args: list[Value], kwargs: dict[str, Entity], node: Any
) -> Entity:
    return _put(lw, node, value, *args, **kwargs)


def _resize_method(
    lw: Lowering, value: Value, args: list[Value], kwargs: dict[str, Entity], node: Any
) -> Entity:
    lw.refuse(node, "resizing an array in place", "its memory is moved", "np.resize, or np.concatenate")


def set_attribute(lw: Lowering, owner: Entity, attr: str, entity: Entity, node: Any) -> bool:
    """``a.flat = v``, ``z.real = v``: stores into the array. Whether this is an attribute of an array."""
    if not isinstance(owner, Value) or not isinstance(owner.kind, Array):
        return False
    if attr == "flat":
        shape = lw.builder.call("ndarray.shape", owner)
        _store(lw, node, owner, EVERYWHERE, _cycled(lw, node, entity, shape))
    elif attr in ("real", "imag"):
        _store(lw, node, lw.builder.call(f"ndarray.{attr}", owner), EVERYWHERE, entity)
    else:
        lw.refuse(node, f"assigning the attribute {attr!r} of an array", "it is another array then", "np.reshape, or astype")
    return True


METHODS: dict[str, Any] = {
    "sort": _in_place("numpy.sort", "axis", "kind"),
    "partition": _in_place("numpy.partition", "kth", "axis", "kind"),
    "put": _put_method,
    "resize": _resize_method,
}

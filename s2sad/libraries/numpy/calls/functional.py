"""NumPy's functions of functions, written out as loops over what the function is called with.

np.vectorize(f)(x, y)                 items = []
                                      for k in range(x.size): items.append(f(x[k], y[k]))
                                      items_array(items)
np.apply_along_axis(f, 1, a)          the same loop over the rows of a

``np.vectorize`` and ``np.apply_along_axis`` give all results the type of the first one: where that loses anything,
``items_array`` raises.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.frontend import observe
from s2sad.frontend.entities import Entity, Partial, Static, Struct
from s2sad.frontend.lower import control
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import BOTTOM, List, dtype_of, join, rank_of, same_size
from s2sad.ir.nodes import Const, Value
from s2sad.libraries.numpy.calls.handlers import (
    ABSENT,
    NO,
    TABLE,
    array,
    handler_of,
    item,
    items_of,
    literal,
    operand,
    rank,
    written_out,
)
from s2sad.rules.kind_arrays import array_kind
from s2sad.rules.kind_rules import shape_of

FLOAT = Static(float, "float")
OVER_ITEMS = object()  # what ``np.vectorize(f)`` calls: ``_over_items``
Item = Callable[[Value], Entity]

# --- np.vectorize


@written_out(np.vectorize)
def _vectorize(
    ctx: Lowering,
    node: Any,
    pyfunc: Entity = ABSENT,
    otypes: Entity = ABSENT,
    doc: Entity = ABSENT,
    excluded: Entity = ABSENT,
    cache: Entity = NO,
    signature: Entity = ABSENT,
) -> Entity:
    """The function that loops; without ``pyfunc`` the decorator that makes it."""
    if literal(ctx, node, signature, "signature") is not None:
        ctx.refuse(
            node,
            "np.vectorize(signature=...)",
            "loops over parts of arrays are not written out",
            "a loop over the rows",
        )
    if isinstance(pyfunc, Const):
        options = {"otypes": otypes, "excluded": excluded}
        return Partial(Static(np.vectorize, "numpy.vectorize"), [], options)
    return Partial(Static(OVER_ITEMS), [pyfunc, otypes, Const(literal(ctx, node, excluded, "excluded"))], {})


def vectorized(payload: Any) -> Partial | None:
    """The function that loops, of an ``np.vectorize`` object that was made outside; None of other objects."""
    if type(payload) is not np.vectorize or observe.attribute(payload, "signature") is not None:
        return None
    types = observe.attribute(payload, "otypes")
    kinds = (
        Const(None)
        if types is None
        else Struct([Static(np.dtype(t).type, f"numpy.{np.dtype(t).name}") for t in types])
    )
    return Partial(Static(OVER_ITEMS), [
        Static(observe.attribute(payload, "pyfunc")), kinds, Const(frozenset(observe.attribute(payload, "excluded")))
    ], {})


def _over_items(
    ctx: Lowering,
    node: Any,
    function: Entity,
    otypes: Entity,
    excluded: Entity,
    *args: Entity,
    **kwargs: Entity,
) -> Entity:
    """``function`` of each item of the arguments, which are broadcast."""
    left_out = literal(ctx, node, excluded, "excluded") or ()
    given: dict[int | str, Entity] = dict([*enumerate(args), *kwargs.items()])
    values = {key: array(ctx, node, entity) for key, entity in given.items() if key not in left_out}
    arrays = {key: value for key, value in values.items() if rank_of(array_kind(value.kind)) != 0}

    def call(index: Value) -> Entity:
        found: dict[int | str, Entity] = {
            **given,
            **values,
            **{key: item(ctx, flat[key], index) for key in arrays},
        }
        positional = [entity for key, entity in found.items() if isinstance(key, int)]
        named = {key: entity for key, entity in found.items() if isinstance(key, str)}
        return apply(ctx, function, positional, named, node)

    flat: dict[int | str, Value] = {}
    if not arrays:
        return _each(call(Const(0)), lambda value, k: _typed(ctx, node, value, otypes, k))
    shape = _common_shape(ctx, list(arrays.values()))
    for key, value in arrays.items():
        whole = (
            value
            if len(arrays) == 1 or _alike(arrays.values())
            else ctx.builder.call("numpy.broadcast_to", value, shape)
        )
        flat[key] = whole if rank_of(whole.kind) == 1 else ctx.builder.call("numpy.ravel", whole)
    count = ctx.builder.call("ndarray.size", next(iter(flat.values())))
    lists = collected(ctx, node, count, call)

    def shaped(value: Value, k: int) -> Value:
        made = _typed(ctx, node, value, otypes, k)
        flat_already = all(rank_of(v.kind) == 1 for v in arrays.values())
        return made if flat_already else ctx.builder.call("numpy.reshape", made, shape)

    return _each(lists, shaped)


TABLE[OVER_ITEMS] = handler_of("np.vectorize", _over_items)


def _typed(ctx: Lowering, node: Any, value: Value, otypes: Entity, k: int) -> Value:
    """An array of the type that ``otypes`` gives the k-th result, or else of the first item's."""
    if isinstance(otypes, Const) and otypes.payload is None:
        return (
            items_array(ctx, value) if isinstance(value.kind, List) else ctx.builder.call("numpy.array", value)
        )
    codes = otypes.payload if isinstance(otypes, Const) and isinstance(otypes.payload, str) else None
    types = items_of(ctx, otypes) if codes is None else [Const(code) for code in codes]
    if types is None or k >= len(types):
        ctx.refuse(node, "these otypes", "they are not known one by one", "a literal list of types")
    return ctx.builder.call("numpy.array", value, dtype=operand(ctx, node, types[k]))


def _alike(values: Any) -> bool:
    """Certainty that all arrays have one shape."""
    shapes = [shape_of(value.kind) for value in values]
    first = shapes[0]
    return first is not None and all(
        shape is not None and len(shape) == len(first) and all(map(same_size, shape, first))
        for shape in shapes
    )


def _common_shape(ctx: Lowering, values: list[Value]) -> Value:
    shapes = [ctx.builder.call("numpy.shape", value) for value in values]
    return (
        shapes[0]
        if len(shapes) == 1 or _alike(values)
        else ctx.builder.call("numpy.broadcast_shapes", *shapes)
    )


# --- loops whose results are collected


def collected(ctx: Lowering, node: Any, count: Value, call: Item) -> Entity:
    """The list of what ``call`` gives for each index below ``count``; of several results a list for each."""
    with control.scratch(ctx):
        probe = call(Const(0))
    lists = []
    for _ in probe.items if isinstance(probe, Struct) else [probe]:
        fresh = ctx.builder.call("builtins.list")
        fresh.kind = List(BOTTOM)
        lists.append(fresh)

    def body(index: Value) -> None:
        found = call(index)
        parts = found.items if isinstance(found, Struct) else [found]
        for fresh, part in zip(lists, parts, strict=True):
            value = ctx.value(part, node, "what the function gives")
            assert isinstance(fresh.kind, List)
            fresh.kind = List(join(fresh.kind.item, value.kind))
            ctx.builder.call("list.append", fresh, value)

    control.counted_loop(ctx, count, body, node)
    return Struct(list(lists)) if isinstance(probe, Struct) else lists[0]


def items_array(ctx: Lowering, items: Value) -> Value:
    """A list of results as an array."""
    assert isinstance(items.kind, List)
    return ctx.builder.call("s2sad.runtime.items_array", items, dtype_of(array_kind(items.kind.item)))


def _each(entity: Entity, make: Callable[[Value, int], Value]) -> Entity:
    """``make`` of one result, or of each of several."""
    if isinstance(entity, Struct):
        return Struct([make(one, k) for k, one in enumerate(entity.items) if isinstance(one, Value)])
    assert isinstance(entity, Value)
    return make(entity, 0)


# --- along axes


@written_out(np.apply_along_axis)
def _apply_along_axis(
    ctx: Lowering, node: Any, func1d: Entity, axis: Entity, arr: Entity, *args: Entity, **kwargs: Entity
) -> Entity:
    whole = array(ctx, node, arr)
    count = rank(ctx, node, whole, "np.apply_along_axis")
    at = literal(ctx, node, axis, "axis") % count if count else 0
    if not count:
        ctx.refuse(node, "np.apply_along_axis of a number", "it has no axis", "a call of the function")
    if count == 1:
        return ctx.builder.call("numpy.array", operand(ctx, node, apply(ctx, func1d, [whole, *args], kwargs, node)))
    moved = whole if at == count - 1 else ctx.builder.call("numpy.moveaxis", whole, at, -1)
    lead = _leading(ctx, moved, count - 1)
    rows = (
        moved
        if count == 2
        else ctx.builder.call("numpy.reshape", moved, _joined(ctx, [Const(-1)], [_size(ctx, moved, -1)]))
    )
    start = len(ctx.builder.block.ops)
    called = collected(
        ctx,
        node,
        ctx.builder.call("builtins.len", rows),
        lambda k: apply(ctx, func1d, [item(ctx, rows, k), *args], kwargs, node),
    )
    if count > 2 and ctx.program.changes(ctx.builder.block.ops[start:]):
        why = "whether the rows of an array with more than two axes are windows of it is known only when the program runs"
        ctx.refuse(node, "np.apply_along_axis of a function that writes", why, "a function that returns a new array")
    if not isinstance(called, Value) or not isinstance(called.kind, List):
        ctx.refuse(
            node,
            "np.apply_along_axis of this function",
            "it gives no number or array",
            "a function that gives one array",
        )
    inner = rank_of(array_kind(called.kind.item))
    if inner is None:
        ctx.ask_for_kind(
            node,
            "how many axes the result of the function has is not known",
            "they are put where the axis was",
        )
    made = items_array(ctx, called)
    if count > 2:
        own = [_size(ctx, made, k + 1) for k in range(inner)]
        made = ctx.builder.call("numpy.reshape", made, _joined(ctx, lead, own))
    if inner == 0 or at == count - 1:
        return made
    behind = tuple(range(count - 1, count - 1 + inner))
    return ctx.builder.call("numpy.moveaxis", made, Const(behind), Const(tuple(range(at, at + inner))))


def _size(ctx: Lowering, value: Value, axis: int) -> Value:
    return item(ctx, ctx.builder.call("ndarray.shape", value), Const(axis))


def _leading(ctx: Lowering, value: Value, count: int) -> list[Value]:
    return [_size(ctx, value, k) for k in range(count)] if count > 1 else []


def _joined(ctx: Lowering, first: list[Value], second: list[Value]) -> Value:
    return ctx.builder.call("builtins.tuple", *first, *second)


@written_out(np.frompyfunc)
def _frompyfunc(ctx: Lowering, node: Any, *args: Entity, **kwargs: Entity) -> Entity:
    ctx.refuse(node, "np.frompyfunc", "its results are arrays of Python objects", "np.vectorize")

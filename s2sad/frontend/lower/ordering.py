"""``sorted``, and ``min`` and ``max`` with a key: the order is found from the keys, and the items are gathered.

Before::

    first, second, *rest = sorted(points, key=lambda p: p[1])

After (which item comes where is piecewise constant; derivatives flow through the gather)::

    keys = [p[1] for p in points]
    order = s2sad.runtime.order(keys, False)
    [points[k] for k in order]
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from s2sad.frontend.entities import Entity, Iteration, Record, Struct, flatten, rebuild, same_structure
from s2sad.frontend.lower import control, ranking
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.iteration import ahead, indexed, is_lazy, of_entity
from s2sad.frontend.lower.lists import displayed, list_of, listed
from s2sad.frontend.lower.parts import as_record, as_struct, holds_records, seal
from s2sad.frontend.lower.referring import SELECTED
from s2sad.frontend.lower.selection import by_label, is_selection
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import NONE, List, Tuple
from s2sad.ir.nodes import Const, Value


def sort(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    """``sorted(items, key=None, reverse=False)``."""
    it = of_entity(ctx, args[0], node)
    key = _key(ctx, kwargs.get("key"), node)
    reverse = ctx.value(kwargs.get("reverse", Const(False)), node)
    if it.items is None:
        return _sort_list(ctx, it, key, reverse, node)
    keys = [key(item) for item in it.items]
    if ranking.are_objects(keys) and isinstance(reverse, Const):
        return list_of(ctx, ranking.ranked(ctx, it.items, keys, bool(reverse.payload), node))
    if all(isinstance(k, Const) for k in keys) and isinstance(reverse, Const):
        payloads = [k.payload for k in keys if isinstance(k, Const)]
        descending = bool(reverse.payload)
        order = ctx.known(node, lambda: sorted(range(len(keys)), key=payloads.__getitem__, reverse=descending), "this order",
                          "keys that can be compared")  # fmt: skip
        return displayed(ctx, node, [it.items[k] for k in order], list_of)
    found = ctx.builder.call("s2sad.runtime.order", _list(ctx, keys, node), reverse)
    places = [ctx.builder.call("operator.getitem", found, Const(k)) for k in range(len(keys))]
    gather = gatherer(ctx, it.items, node)
    return list_of(ctx, [gather(place) for place in places])


def _sort_list(
    ctx: Lowering, it: Iteration, key: Callable[[Entity], Entity], reverse: Value, node: Any
) -> Entity:
    """A list of unknown length: the keys in a loop, the items in another."""
    length, item = indexed(ctx, it, node)
    order = ctx.builder.call("s2sad.runtime.order", _keys(ctx, length, item, key, node), reverse)

    def at(index: Value) -> Entity:
        return item(ctx.builder.call("operator.getitem", order, index))

    with control.scratch(ctx):
        plain = all(isinstance(leaf, Value | Record) for leaf in flatten(item(Const(0))))
    if not plain:
        return Iteration(length=length, item=at)
    return listed(ctx, length, at, node)


def _keys(
    ctx: Lowering, length: Value, item: Callable[[Value], Entity], key: Callable[[Entity], Entity], node: Any
) -> Value:
    return listed(ctx, length, lambda index: key(item(index)), node)


def _key(ctx: Lowering, function: Entity | None, node: Any) -> Callable[[Entity], Entity]:
    """The key of an item."""
    if function is None or (isinstance(function, Value) and function.kind == NONE):
        return lambda item: item
    return lambda item: apply(ctx, function, [item], {}, node)


def _list(ctx: Lowering, items: list[Entity], node: Any) -> Value:
    return ctx.builder.call("builtins.list", *(ctx.value(item, node, "a key") for item in items))


def gatherer(ctx: Lowering, items: list[Entity], node: Any) -> Callable[[Value], Entity]:
    """``items[k]`` for an index that is known only at run time: one list for each leaf of the items."""
    if ctx.program.referring and _are_tuples(items) and any(map(holds_records, items)):
        rows = [item.items for item in items if isinstance(item, Struct)]
        parts = [gatherer(ctx, list(column), node) for column in zip(*rows, strict=True)]
        return lambda place: Struct([part(place) for part in parts])
    forms = [as_struct(ctx, item) for item in items]
    leaves = [list(flatten(form)) for form in forms]
    alike = all(same_structure(forms[0], form) for form in forms)
    if is_selection(ctx, items):
        return lambda place: by_label(ctx, place, tuple(range(len(items))), items, node)
    if not alike:
        ctx.refuse(
            node, "ordering these items", "they differ in structure", "numbers, or tuples of equally many numbers"
        )  # fmt: skip
    for item in items:
        seal(ctx, item, SELECTED)
    columns = [_list(ctx, list(column), node) for column in zip(*leaves, strict=True)]

    def gather(place: Value) -> Entity:
        found = [ctx.builder.call("operator.getitem", column, place) for column in columns]
        return as_record(ctx, rebuild(forms[0], iter(found)), SELECTED)

    return gather


def _are_tuples(items: list[Entity]) -> bool:
    """Test for tuples of one length."""
    found = [item for item in items if isinstance(item, Struct) and item.kind == "tuple" and item.cls is None]
    return len(found) == len(items) and len({len(item.items) for item in found}) == 1


def holds_tuples(ctx: Lowering, it: Iteration) -> bool:
    """Test for an iteration whose items are tuples, which compare as a whole."""
    if it.items is not None:
        return bool(it.items) and all(map(_in_order, it.items))
    if it.item is None:
        return False
    with control.scratch(ctx):
        item = it.item(Const(0))
    return _in_order(item)


def _in_order(item: Entity) -> bool:
    """Test for an item that is compared by its own items: a tuple, or a list of any length."""
    return isinstance(item, Struct) or isinstance(item, Value) and isinstance(item.kind, Tuple | List)


def extremum(name: str) -> Callable[..., Entity | None]:
    """``min`` or ``max`` with ``key`` or ``default``."""
    target = "s2sad.runtime.first_smallest" if name == "min" else "s2sad.runtime.first_largest"

    def handler(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
        made = functools.partial(of_entity, ctx, Struct(args) if len(args) > 1 else args[0], node)
        found = functools.partial(best, ctx, kwargs, node)
        return ahead(ctx, made, found, node) if "key" in kwargs and is_lazy(args[0]) else found(made())

    def best(ctx: Lowering, kwargs: dict[str, Entity], node: Any, it: Iteration) -> Entity:
        key = _key(ctx, kwargs.get("key"), node)
        default = kwargs.get("default")
        if it.items is not None:
            if not it.items and default is not None:
                return default
            if not it.items:
                ctx.refuse(node, f"{name} of nothing", "there is no item", "at least one item, or default=")
            keys = [key(item) for item in it.items]
            it.check()
            if ranking.are_objects(keys):
                return ranking.best(ctx, it.items, keys, name == "max", node)
            place = ctx.builder.call(target, _list(ctx, keys, node))
            return gatherer(ctx, it.items, node)(place)
        length, item = indexed(ctx, it, node)

        def found() -> Entity:
            return item(ctx.builder.call(target, _keys(ctx, length, item, key, node)))

        if default is None:
            return found()
        some = ctx.builder.call("operator.gt", length, Const(0))
        return control.choose(ctx, some, found, lambda: default, node)

    return handler


TABLE = {sorted: sort}

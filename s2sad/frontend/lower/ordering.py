"""``sorted``, and ``min`` and ``max`` with a key: the order is found from the keys, and the items are gathered.

Before::

    first, second, *rest = sorted(points, key=lambda p: p[1])

After (which item comes where is piecewise constant; derivatives flow through the gather)::

    keys = [p[1] for p in points]
    order = s2sad.runtime.order(keys, False)
    [points[k] for k in order]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.frontend.entities import Aggregate, Box, Entity, Iteration, flatten, rebuild, same_structure
from s2sad.frontend.lower import control, ranking
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.iteration import indexed, of_entity
from s2sad.frontend.lower.lists import list_of, listed
from s2sad.frontend.lower.parts import frozen, seal, thawed
from s2sad.frontend.lower.selection import SELECTED, by_label, is_selection
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import NONE, Tuple
from s2sad.ir.nodes import Const, Value


def sort(lw: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    """``sorted(items, key=None, reverse=False)``."""
    it = of_entity(lw, args[0], node)
    key = _key(lw, kwargs.get("key"), node)
    reverse = lw.value(kwargs.get("reverse", Const(False)), node)
    if it.items is None:
        return _sort_list(lw, it, key, reverse, node)
    keys = [key(item) for item in it.items]
    if ranking.are_objects(keys) and isinstance(reverse, Const):
        return list_of(lw, ranking.ranked(lw, it.items, keys, bool(reverse.payload), node))
    if all(isinstance(k, Const) for k in keys) and isinstance(reverse, Const):
        payloads = [k.payload for k in keys if isinstance(k, Const)]
        order = sorted(range(len(keys)), key=lambda k: payloads[k], reverse=bool(reverse.payload))
        return list_of(lw, [it.items[k] for k in order])
    found = lw.builder.call("s2sad.runtime.order", _list(lw, keys, node), reverse)
    places = [lw.builder.call("operator.getitem", found, Const(k)) for k in range(len(keys))]
    gather = gatherer(lw, it.items, node)
    return list_of(lw, [gather(place) for place in places])


def _sort_list(
    lw: Lowering, it: Iteration, key: Callable[[Entity], Entity], reverse: Value, node: Any
) -> Entity:
    """A list of unknown length: the keys in a loop, the items in another."""
    length, item = indexed(lw, it, node)
    order = lw.builder.call("s2sad.runtime.order", _keys(lw, length, item, key, node), reverse)

    def at(index: Value) -> Entity:
        return item(lw.builder.call("operator.getitem", order, index))

    with control.scratch(lw):
        plain = all(isinstance(leaf, Value | Box) for leaf in flatten(item(Const(0))))
    if not plain:
        return Iteration(length=length, item=at)
    return listed(lw, length, at, node)


def _keys(
    lw: Lowering, length: Value, item: Callable[[Value], Entity], key: Callable[[Entity], Entity], node: Any
) -> Value:
    return listed(lw, length, lambda index: key(item(index)), node)


def _key(lw: Lowering, function: Entity | None, node: Any) -> Callable[[Entity], Entity]:
    """The key of an item."""
    if function is None or (isinstance(function, Value) and function.kind == NONE):
        return lambda item: item
    return lambda item: apply(lw, function, [item], {}, node)


def _list(lw: Lowering, items: list[Entity], node: Any) -> Value:
    return lw.builder.call("builtins.list", *(lw.value(item, node, "a key") for item in items))


def gatherer(lw: Lowering, items: list[Entity], node: Any) -> Callable[[Value], Entity]:
    """``items[k]`` for an index that is known only at run time: one list for each leaf of the items."""
    forms = [frozen(lw, item) for item in items]
    leaves = [list(flatten(form)) for form in forms]
    alike = all(same_structure(forms[0], form) for form in forms)
    if is_selection(lw, items):
        return lambda place: by_label(lw, place, tuple(range(len(items))), items, node)
    if not alike:
        lw.refuse(
            node, "ordering these items", "they differ in structure", "numbers, or tuples of equally many numbers"
        )  # fmt: skip
    for item in items:
        seal(lw, item, SELECTED)
    columns = [_list(lw, list(column), node) for column in zip(*leaves, strict=True)]

    def gather(place: Value) -> Entity:
        found = [lw.builder.call("operator.getitem", column, place) for column in columns]
        return thawed(lw, rebuild(forms[0], iter(found)), SELECTED)

    return gather


def holds_tuples(lw: Lowering, it: Iteration) -> bool:
    """Whether the items of an iteration are tuples, which compare as a whole."""
    if it.items is not None:
        return bool(it.items) and all(isinstance(item, Aggregate) for item in it.items)
    if it.item is None:
        return False
    with control.scratch(lw):
        item = it.item(Const(0))
    return isinstance(item, Aggregate) or isinstance(item, Value) and isinstance(item.kind, Tuple)


def extremum(name: str) -> Callable[..., Entity | None]:
    """``min`` or ``max`` with ``key`` or ``default``."""
    target = "s2sad.runtime.first_smallest" if name == "min" else "s2sad.runtime.first_largest"

    def handler(lw: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
        it = of_entity(lw, Aggregate(args) if len(args) > 1 else args[0], node)
        key = _key(lw, kwargs.get("key"), node)
        default = kwargs.get("default")
        if it.items is not None:
            if not it.items and default is not None:
                return default
            if not it.items:
                lw.refuse(node, f"{name} of nothing", "there is no item", "at least one item, or default=")
            keys = [key(item) for item in it.items]
            if ranking.are_objects(keys):
                return ranking.best(lw, it.items, keys, name == "max", node)
            place = lw.builder.call(target, _list(lw, keys, node))
            return gatherer(lw, it.items, node)(place)
        length, item = indexed(lw, it, node)

        def found() -> Entity:
            return item(lw.builder.call(target, _keys(lw, length, item, key, node)))

        if default is None:
            return found()
        some = lw.builder.call("operator.gt", length, Const(0))
        return control.choose(lw, some, found, lambda: default, node)

    return handler


TABLE = {sorted: sort}

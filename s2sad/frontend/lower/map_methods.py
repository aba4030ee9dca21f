"""The methods of dicts with computed keys, and what makes such dicts: ``dict(pairs)``, ``Counter``."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from s2sad.frontend.entities import Aggregate, Box, Entity, Iteration
from s2sad.frontend.lower import control, maps
from s2sad.frontend.lower.arithmetic import arithmetic
from s2sad.frontend.lower.assignment import unpacked
from s2sad.frontend.lower.iteration import indexed, of_entity
from s2sad.frontend.lower.lists import writable
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import Map
from s2sad.ir.nodes import Const, Value

Method = Callable[[Lowering, Value, list[Entity], Any], Entity]


def map_method(
    lw: Lowering, items: Value, name: str, args: list[Entity], kwargs: dict[str, Entity], node: Any
) -> Entity:
    """``items.name(...)``."""
    if name == "update":
        return _update(lw, items, args, kwargs, node)
    if name not in METHODS or set(kwargs) - {"default", "last"}:
        lw.refuse(
            node, f"the dict method {name!r}", "its keys are computed", f"one of {', '.join(METHODS)}, update"
        )
    return METHODS[name](lw, items, [*args, *kwargs.values()], node)


def _get(lw: Lowering, items: Value, args: list[Entity], node: Any) -> Entity:
    place = maps.key_value(lw, args[0], node)
    default = writable(lw, args[1]) if len(args) > 1 else Const(None)
    found = maps.contains(lw, items, place)
    return control.choose(lw, found, lambda: maps.item_of_map(lw, items, place), lambda: default, node)


def _setdefault(lw: Lowering, items: Value, args: list[Entity], node: Any) -> Entity:
    place = maps.key_value(lw, args[0], node)
    missing = arithmetic(lw, "operator.not_", maps.contains(lw, items, place))
    default = args[1] if len(args) > 1 else Const(None)
    control.branch(lw, missing, lambda: maps.store(lw, items, place, default, node), lambda: None, node)
    return maps.item_of_map(lw, items, place)


def take(lw: Lowering, items: Value, key: Value) -> Value:
    """``items.pop(key)``."""
    maps.changed(lw, items)
    item = lw.builder.call("dict.pop", items, key)
    assert isinstance(items.kind, Map)
    item.kind = items.kind.item
    return item


def _pop(lw: Lowering, items: Value, args: list[Entity], node: Any) -> Entity:
    place = maps.key_value(lw, args[0], node)
    if len(args) == 1:
        return take(lw, items, place)
    found = maps.contains(lw, items, place)
    return control.choose(lw, found, lambda: take(lw, items, place), lambda: writable(lw, args[1]), node)


def _popitem(lw: Lowering, items: Value, args: list[Entity], node: Any) -> Entity:
    """The last item; of an OrderedDict with ``last=False`` the first one."""
    last = control.truth(lw, args[0]) if args else True
    if last is None:
        lw.refuse(node, "this popitem", "which end is meant must be known", "last=True or last=False")
    maps.check_keys(lw, items, node)
    keys = lw.builder.call("s2sad.runtime.keys_of", items)
    key = lw.builder.call("operator.getitem", keys, Const(-1 if last else 0))
    return Aggregate([key, take(lw, items, key)])


def _copy(lw: Lowering, items: Value, args: list[Entity], node: Any) -> Entity:
    return made_of(lw, maps.place_of(lw, node), items, node, lw.factories.get(items))


def _clear(lw: Lowering, items: Value, args: list[Entity], node: Any) -> Entity:
    _each(
        lw,
        maps.iteration_over(lw, items, "keys", node),
        lambda key: take(lw, items, lw.value(key, node)),
        node,
    )
    return Const(None)


def _keys(lw: Lowering, items: Value, args: list[Entity], node: Any) -> Entity:
    """A dict is as good as its keys."""
    return items


def _view(what: str) -> Method:
    def method(lw: Lowering, items: Value, args: list[Entity], node: Any) -> Entity:
        return Iteration(make=lambda: maps.iteration_over(lw, items, what, node), over=items)

    return method


def _update(lw: Lowering, items: Value, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    if isinstance(lw.factories.get(items), Const):
        lw.refuse(node, "Counter.update", "it adds counts", "a loop: counts[key] += 1")
    for source in args:
        update(lw, items, source, node)
    for name, entity in kwargs.items():
        maps.store(lw, items, Const(name), entity, node)
    return Const(None)


METHODS: dict[str, Method] = {
    "get": _get,
    "setdefault": _setdefault,
    "pop": _pop,
    "popitem": _popitem,
    "copy": _copy,
    "clear": _clear,
    "keys": _keys,
    "values": _view("values"),
    "items": _view("items"),
}


# --- from other things


def update(lw: Lowering, items: Value, source: Entity, node: Any) -> None:
    """``items.update(source)``: of a dict, or of pairs of keys and values."""
    if isinstance(source, Box) and source.kind == "dict":
        for key in lw.keys(source, node):
            maps.store(lw, items, Const(key), lw.variables[(source, key)], node)
        return
    if maps.is_map(source) and isinstance(source, Value):
        source = maps.iteration_over(lw, source, "items", node)

    def put(pair: Entity) -> None:
        key, item = unpacked(lw, pair, 2, node)
        maps.store(lw, items, key, item, node)

    _each(lw, of_entity(lw, source, node), put, node)


def _each(lw: Lowering, it: Iteration, step: Callable[[Entity], object], node: Any) -> None:
    if it.items is not None:
        for item in it.items:
            step(item)
        return
    length, item_at = indexed(lw, it, node)

    def body(index: Value) -> None:
        step(item_at(index))

    control.counted_loop(lw, length, body, node)


def made_of(lw: Lowering, place: Hashable, source: Entity, node: Any, factory: Entity | None = None) -> Value:
    """``dict(source)``."""
    made = maps.new_map(lw, place, factory)
    update(lw, made, source, node)
    return made


def from_keys(lw: Lowering, place: Hashable, keys: Iteration, value: Entity, node: Any) -> Value:
    """``dict.fromkeys(keys, value)``."""
    made = maps.new_map(lw, place)
    item = lw.value(writable(lw, value), node, "what is stored")
    _each(lw, keys, lambda key: maps.store(lw, made, key, item, node), node)
    return made


def counted(lw: Lowering, source: Entity | None, node: Any) -> Value:
    """``Counter(source)``: how often each item occurs; a key that is not there counts as zero."""
    made = maps.new_map(lw, maps.place_of(lw, node), Const(0))

    def count(item: Entity) -> None:
        place = maps.key_value(lw, item, node)
        old = maps.read(lw, made, place, node)
        maps.store(lw, made, place, arithmetic(lw, "operator.add", old, Const(1)), node)

    if source is not None:
        _each(lw, of_entity(lw, source, node), count, node)
    return made

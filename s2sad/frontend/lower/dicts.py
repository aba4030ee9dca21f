"""Dicts whose keys are known at compile time, records: their methods, and what makes them.

Where a key is computed, the record becomes a dict with computed keys (``maps``), or a few keys are compared (``keys``).
"""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import gast

from s2sad.frontend.entities import Aggregate, Box, Entity
from s2sad.frontend.lower import control, keys, map_methods, maps
from s2sad.frontend.lower.iteration import dict_view, of_entity
from s2sad.frontend.lower.lists import writable
from s2sad.frontend.lower.objects import drop, put
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.nodes import Const

Method = Callable[[Lowering, Box, list[Entity], dict[str, Entity], Any], Entity]


def dict_method(
    lw: Lowering, box: Box, name: str, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity:
    """``box.name(...)``."""
    if name not in METHODS:
        lw.refuse(
            node, f"the dict method {name!r}", "the dict's keys must be known", f"one of {', '.join(METHODS)}"
        )
    return METHODS[name](lw, box, args, kwargs, node)


def _key(lw: Lowering, box: Box, args: list[Entity], node: gast.AST) -> Any:
    key = lw.value(args[0], node, "a key")
    if not isinstance(key, Const):
        maps.compute(lw, box, node)
    return key.payload


def _get(lw: Lowering, box: Box, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    key, default = (
        lw.value(args[0], node, "a key"),
        args[1] if len(args) > 1 else kwargs.get("default", Const(None)),
    )
    if not isinstance(key, Const):
        found = keys.has(lw, box, key, node)
        return control.choose(lw, found, lambda: keys.chosen(lw, box, key, node), lambda: default, node)
    if key.payload in lw.keys(box, node):
        return lw.variables[(box, key.payload)]
    return default


def _setdefault(lw: Lowering, box: Box, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    key = _key(lw, box, args, node)
    if key not in lw.keys(box, node):
        put(lw, box, key, writable(lw, args[1]) if len(args) > 1 else Const(None), node)  # a list in it can be changed
    return lw.variables[(box, key)]


def _pop(lw: Lowering, box: Box, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    key = _key(lw, box, args, node)
    if key not in lw.keys(box, node):
        if len(args) > 1:
            return args[1]
        lw.refuse(node, f"the key {key!r}", f"the dict has the keys {box.keys}", "an existing key")
    taken = lw.variables[(box, key)]
    drop(lw, box, key, node)
    return taken


def _popitem(lw: Lowering, box: Box, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    known = lw.keys(box, node)
    if args or kwargs or not known:
        maps.compute(lw, box, node)
    taken = Aggregate([Const(known[-1]), lw.variables[(box, known[-1])]])
    drop(lw, box, known[-1], node)
    return taken


def _update(lw: Lowering, box: Box, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    for source in args:
        pairs = _pairs(lw, source, node)
        if pairs is None:
            maps.compute(lw, box, node)
        for key, entity in pairs:
            put(lw, box, key, entity, node)
    for name, entity in kwargs.items():
        put(lw, box, name, entity, node)
    return Const(None)


def _pairs(lw: Lowering, source: Entity, node: gast.AST) -> list[tuple[Any, Entity]] | None:
    """Keys and values of a dict, or of an iteration over known pairs; None where they are known only at run time."""
    if isinstance(source, Box) and source.kind == "dict":
        return [(key, lw.variables[(source, key)]) for key in lw.keys(source, node)]
    found: list[tuple[Any, Entity]] = []
    if maps.is_map(source):
        return None
    items = of_entity(lw, source, node).items
    for item in items if items is not None else [Const(None)]:
        pair = item.items if isinstance(item, Aggregate) else []
        key = lw.value(pair[0], node, "a key") if len(pair) == 2 else None
        if not isinstance(key, Const):
            return None
        found.append((key.payload, pair[1]))
    return found


def _copy(lw: Lowering, box: Box, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    if maps.wanted(lw, maps.place_of(lw, node)):
        return map_methods.made_of(lw, maps.place_of(lw, node), box, node, box.factory)
    fresh = Box("dict", keys=lw.keys(box, node), factory=box.factory, place=maps.place_of(lw, node))
    for key in box.keys:
        lw.variables[(fresh, key)] = lw.variables[(box, key)]
    return fresh


def _clear(lw: Lowering, box: Box, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    for key in lw.keys(box, node):
        drop(lw, box, key, node)
    return Const(None)


def _view(what: str) -> Method:
    def method(lw: Lowering, box: Box, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
        return dict_view(lw, box, what)

    return method


METHODS: dict[str, Method] = {
    "get": _get,
    "setdefault": _setdefault,
    "pop": _pop,
    "popitem": _popitem,
    "update": _update,
    "copy": _copy,
    "clear": _clear,
    "keys": _view("keys"),
    "values": _view("values"),
    "items": _view("items"),
}


def made(
    lw: Lowering, node: Any, args: list[Entity], kwargs: dict[str, Entity], factory: Entity | None = None
) -> Entity:
    """``dict(source, name=value, ...)``."""
    place = maps.place_of(lw, node)
    if maps.wanted(lw, place):
        fresh = maps.new_map(lw, place, factory)
        map_methods.map_method(lw, fresh, "update", args, {}, node)
        for name, entity in kwargs.items():
            maps.store(lw, fresh, Const(name), entity, node)
        return fresh
    box = Box("dict", factory=factory, place=place)
    _update(lw, box, args, kwargs, node)
    return box


def _ordered(lw: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    return made(lw, node, args, kwargs)


def _defaultdict(lw: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    return made(lw, node, args[1:], kwargs, args[0] if args else None)


def _from_keys(lw: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """``dict.fromkeys(keys, value)``."""
    place, it = maps.place_of(lw, node), of_entity(lw, args[0], node)
    value = args[1] if len(args) > 1 else Const(None)
    known = [item.payload for item in it.items or [] if isinstance(item, Const)]
    if it.items is None or len(known) < len(it.items) or maps.wanted(lw, place):
        return map_methods.from_keys(lw, place, it, value, node)
    box = Box("dict", place=place)
    for key in known:
        put(lw, box, key, value, node)
    return box


def _counter(lw: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    return map_methods.counted(lw, args[0] if args else None, node)


TABLE: dict[Any, Callable[[Lowering, list[Entity], dict[str, Entity], Any], Entity | None]] = {
    collections.OrderedDict: _ordered,
    collections.defaultdict: _defaultdict,
    collections.Counter: _counter,
    dict.fromkeys: _from_keys,
}

"""The methods of dicts, whose keys are known at compile time; ``defaultdict`` and ``OrderedDict`` are such dicts."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import gast

from s2sad.frontend.entities import Aggregate, Box, Entity, Iteration
from s2sad.frontend.lower.iteration import of_entity
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


def _key(lw: Lowering, name: str, args: list[Entity], node: gast.AST) -> Any:
    if not args or not isinstance(args[0], Const):
        lw.refuse(
            node,
            f"the dict method {name!r} with a computed key",
            "the dict's keys must be known",
            "a constant key",
        )
    return args[0].payload


def _get(lw: Lowering, box: Box, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    key = _key(lw, "get", args, node)
    if key in lw.keys(box, node):
        return lw.variables[(box, key)]
    return args[1] if len(args) > 1 else kwargs.get("default", Const(None))


def _setdefault(lw: Lowering, box: Box, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    key = _key(lw, "setdefault", args, node)
    if key not in lw.keys(box, node):
        put(lw, box, key, args[1] if len(args) > 1 else Const(None), node)
    return lw.variables[(box, key)]


def _pop(lw: Lowering, box: Box, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    key = _key(lw, "pop", args, node)
    if key not in lw.keys(box, node):
        if len(args) > 1:
            return args[1]
        lw.refuse(node, f"the key {key!r}", f"the dict has the keys {box.keys}", "an existing key")
    taken = lw.variables[(box, key)]
    drop(lw, box, key, node)
    return taken


def _update(lw: Lowering, box: Box, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    for key, entity in [*(pair for source in args for pair in _pairs(lw, source, node)), *kwargs.items()]:
        put(lw, box, key, entity, node)
    return Const(None)


def _pairs(lw: Lowering, source: Entity, node: gast.AST) -> list[tuple[Any, Entity]]:
    """Keys and values of a dict, or of an iteration over known pairs."""
    if isinstance(source, Box) and source.kind == "dict":
        return [(key, lw.variables[(source, key)]) for key in lw.keys(source, node)]
    found: list[tuple[Any, Entity]] = []
    items = source.items if isinstance(source, Iteration | Aggregate) else of_entity(lw, source, node).items
    for item in items or [Const(None)]:
        pair = item.items if isinstance(item, Aggregate) else []
        if len(pair) != 2 or not isinstance(pair[0], Const):
            lw.refuse(
                node, "a dict from this value", "its keys are not known", "a dict display with constant keys"
            )
        found.append((pair[0].payload, pair[1]))
    return found


def _copy(lw: Lowering, box: Box, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    fresh = Box("dict", keys=lw.keys(box, node), factory=box.factory)
    for key in box.keys:
        lw.variables[(fresh, key)] = lw.variables[(box, key)]
    return fresh


def _clear(lw: Lowering, box: Box, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    for key in lw.keys(box, node):
        drop(lw, box, key, node)
    return Const(None)


def _keys(lw: Lowering, box: Box, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    return Aggregate([Const(key) for key in lw.keys(box, node)])


def _values(lw: Lowering, box: Box, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    return Aggregate([lw.variables[(box, key)] for key in lw.keys(box, node)])


def _items(lw: Lowering, box: Box, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    return Aggregate([Aggregate([Const(key), lw.variables[(box, key)]]) for key in lw.keys(box, node)])


METHODS: dict[str, Method] = {
    "get": _get,
    "setdefault": _setdefault,
    "pop": _pop,
    "update": _update,
    "copy": _copy,
    "clear": _clear,
    "keys": _keys,
    "values": _values,
    "items": _items,
}


def _ordered(lw: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    box = Box("dict")
    _update(lw, box, args, kwargs, node)
    return box


def _defaultdict(lw: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    box = Box("dict", factory=args[0] if args else None)
    _update(lw, box, args[1:], kwargs, node)
    return box


TABLE: dict[Any, Callable[[Lowering, list[Entity], dict[str, Entity], Any], Entity | None]] = {
    collections.OrderedDict: _ordered,
    collections.defaultdict: _defaultdict,
}

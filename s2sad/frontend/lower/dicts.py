"""Dicts whose keys are known at compile time, records: their methods, and what makes them.

Where a key is computed, the record becomes a dict with computed keys (``maps``), or a few keys are compared (``keys``).
"""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import gast

from s2sad.frontend.entities import Choice, Entity, Record, Struct
from s2sad.frontend.lower import built_on, control, keys, map_methods, maps, subscripts
from s2sad.frontend.lower.iteration import dict_view, of_entity
from s2sad.frontend.lower.lists import writable
from s2sad.frontend.lower.maybe import is_maybe
from s2sad.frontend.lower.objects import drop, put
from s2sad.frontend.lower.outside import OUTSIDE
from s2sad.frontend.lower.selection import each
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import UNKNOWN, UNSURE, Sort
from s2sad.ir.nodes import Const, Value

# Methods that count, as those of no other dict do; of dict: of one of several.
BY_CLASS: dict[type, tuple[str, ...]] = {collections.Counter: ("update", "subtract", "total", "most_common"), dict: ("update",)}
Method = Callable[[Lowering, Record, list[Entity], dict[str, Entity], Any], Entity]


def dict_method(
    ctx: Lowering, box: Record, name: str, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity:
    """``box.name(...)``."""
    if box.sort is not None and name in BY_CLASS.get(box.sort.cls, ()):
        if box.sort == UNSURE or box.place is None or box.sealed:
            ctx.refuse(node, f"{name} of this dict", maps.COUNTS, "a loop over its items")
        maps.compute(ctx, box, node)
    if name not in METHODS:
        ctx.refuse(
            node, f"the dict method {name!r}", "the dict's keys must be known", f"one of {', '.join(METHODS)}"
        )
    return METHODS[name](ctx, box, args, kwargs, node)


def _key(ctx: Lowering, box: Record, args: list[Entity], node: gast.AST) -> Any:
    maps.check_hash(ctx, args[0], node)
    key = ctx.value(keys.changing(ctx, box, args[0], node), node, "a key")
    if not isinstance(key, Const):
        maps.compute(ctx, box, node)
    return key.payload


def _get(ctx: Lowering, box: Record, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    if isinstance(args[0], Choice):
        return each(ctx, args[0], lambda one: _get(ctx, box, [one, *args[1:]], kwargs, node), node)
    maps.check_hash(ctx, args[0], node)
    key, default = (
        ctx.value(keys.constant(args[0]), node, "a key"),
        args[1] if len(args) > 1 else kwargs.get("default", Const(None)),
    )
    if not isinstance(key, Const):
        found = keys.has(ctx, box, key, node)
        return control.choose(ctx, found, lambda: keys.chosen(ctx, box, key, node), lambda: default, node)
    return subscripts.read(ctx, box, args[0], node) if key.payload in ctx.keys(box, node) else default


def _setdefault(ctx: Lowering, box: Record, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    key = _key(ctx, box, args, node)
    if key not in ctx.keys(box, node):
        put(ctx, box, key, writable(ctx, args[1]) if len(args) > 1 else Const(None), node)  # a list in it can be changed
    return ctx.variables[(box, key)]


def _pop(ctx: Lowering, box: Record, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    key = _key(ctx, box, args, node)
    if key not in ctx.keys(box, node):
        if len(args) > 1:
            return args[1]
        ctx.refuse(node, f"the key {key!r}", f"the dict has the keys {box.keys}", "an existing key")
    taken = ctx.variables[(box, key)]
    drop(ctx, box, key, node)
    return taken


def _popitem(ctx: Lowering, box: Record, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    known, last = ctx.keys(box, node), control.truth(ctx, args[0] if args else kwargs.get("last", Const(True)))
    if last is None or not known:
        maps.compute(ctx, box, node)
    key = known[-1 if last else 0]
    taken = Struct([keys.given(ctx, key), ctx.variables[(box, key)]])
    drop(ctx, box, key, node)
    return taken


def _move_to_end(ctx: Lowering, box: Record, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    """``move_to_end(key, last=True)`` of an OrderedDict."""
    key, known = _key(ctx, box, args, node), ctx.keys(box, node)
    last = control.truth(ctx, args[1] if len(args) > 1 else kwargs.get("last", Const(True)))
    if key not in known:
        ctx.fail(node, KeyError(key), f"the key {key!r}", f"one of {known}")
    if last is None or box.through:
        why = "which end is meant must be known" if last is None else OUTSIDE
        ctx.refuse(node, "this move_to_end", why, "last=True or last=False, of a dict that is made by the function")
    put(ctx, box, key, ctx.variables[(box, key)], node)  # refused where others would not see it
    box.keys.remove(key)
    box.keys.insert(len(box.keys) if last else 0, key)
    return Const(None)


def _update(ctx: Lowering, box: Record, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    for source in args:
        pairs = _pairs(ctx, source, node)
        if pairs is None:
            maps.compute(ctx, box, node)
        for key, entity in pairs:
            put(ctx, box, key, entity, node)
    for name, entity in kwargs.items():
        put(ctx, box, name, entity, node)
    return Const(None)


def _pairs(ctx: Lowering, source: Entity, node: gast.AST) -> list[tuple[Any, Entity]] | None:
    """Keys and values of a dict, or of an iteration over known pairs; None where they are known only at run time."""
    source = built_on.contents(ctx, control.there(ctx, source, "'NoneType' object is not iterable", node))
    if isinstance(source, Record) and source.kind == "dict":
        return [(key, ctx.variables[(source, key)]) for key in ctx.keys(source, node)]
    found: list[tuple[Any, Entity]] = []
    if maps.is_map(source):
        return None
    items = of_entity(ctx, source, node).items
    for item in items if items is not None else [Const(None)]:
        pair = item.items if isinstance(item, Struct) else []
        if len(pair) == 2:
            maps.check_hash(ctx, pair[0], node)
        key = ctx.value(pair[0], node, "a key") if len(pair) == 2 else None
        if not isinstance(key, Const):
            return None
        found.append((key.payload, pair[1]))
    return found


def _copy(ctx: Lowering, box: Record, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    if maps.wanted(ctx, ctx.place(node)):
        return map_methods.made_of(ctx, ctx.place(node), box, node, box.sort)
    fresh = Record("dict", keys=ctx.keys(box, node), sort=box.sort, place=ctx.place(node))
    for key in box.keys:
        ctx.variables[(fresh, key)] = ctx.variables[(box, key)]
    return fresh


def _clear(ctx: Lowering, box: Record, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    for key in ctx.keys(box, node):
        drop(ctx, box, key, node)
    return Const(None)


def _view(what: str) -> Method:
    def method(ctx: Lowering, box: Record, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
        return dict_view(ctx, box, what)

    return method


METHODS: dict[str, Method] = {
    "get": _get,
    "setdefault": _setdefault,
    "pop": _pop,
    "popitem": _popitem,
    "move_to_end": _move_to_end,
    "update": _update,
    "copy": _copy,
    "clear": _clear,
    "keys": _view("keys"),
    "values": _view("values"),
    "items": _view("items"),
}


def made(
    ctx: Lowering, node: Any, args: list[Entity], kwargs: dict[str, Entity], sort: Sort | None = None
) -> Entity:
    """``dict(source, name=value, ...)``."""
    place = ctx.place(node)
    if maps.wanted(ctx, place):
        fresh = maps.new_map(ctx, place, sort)
        map_methods.map_method(ctx, fresh, "update", args, {}, node)
        for name, entity in kwargs.items():
            maps.store(ctx, fresh, Const(name), entity, node)
        return fresh
    box = Record("dict", sort=sort, place=place)
    _update(ctx, box, args, kwargs, node)
    return box


def _ordered(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    return made(ctx, node, args, kwargs, Sort(collections.OrderedDict))


def _defaultdict(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    factory = args[0] if args else kwargs.pop("default_factory", Const(None))
    none = isinstance(factory, Const) and factory.payload is None
    if isinstance(factory, Const) and not none:
        ctx.fail(node, TypeError("first argument must be callable or None"), "defaultdict of this", "a function, or a class")
    return made(ctx, node, args[1:], kwargs, Sort(collections.defaultdict, made=None if none else factory))


def _from_keys(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """``dict.fromkeys(keys, value)``."""
    place, it = ctx.place(node), of_entity(ctx, args[0], node)
    for item in it.items or []:
        maps.check_hash(ctx, item, node)
    value = args[1] if len(args) > 1 else Const(None)
    known = [item.payload for item in it.items or [] if isinstance(item, Const)]
    if it.items is None or len(known) < len(it.items) or maps.wanted(ctx, place):
        return map_methods.from_keys(ctx, place, it, value, node)
    box = Record("dict", place=place)
    for key in known:
        put(ctx, box, key, value, node)
    return box


def _counter(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    if args and (is_maybe(args[0]) or isinstance(args[0], Value) and args[0].kind == UNKNOWN):
        ctx.refuse(node, "a Counter of what may be None", "it counts nothing then", "a test for None before it")
    return map_methods.counted(ctx, args[0] if args else Const(None), kwargs, node)


TABLE: dict[Any, Callable[[Lowering, list[Entity], dict[str, Entity], Any], Entity | None]] = {
    collections.OrderedDict: _ordered,
    collections.defaultdict: _defaultdict,
    collections.Counter: _counter,
    dict.fromkeys: _from_keys,
}

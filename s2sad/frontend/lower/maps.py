"""Dicts whose keys are computed while the program runs: they exist then, as lists do, and not as variables for each key.

    hs = {}                                      hs = {}
    hs[-1] = h                     ==>           hs[-1] = h
    for t in range(n):                           for t in range(n):
        hs[t] = f(hs.get(t - 1, h))                  hs[t] = f(hs[t - 1] if t - 1 in hs else h)

A dict starts as a record (``dicts``), and the function is lowered again when it turns out that its keys are not known.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NoReturn

import gast

from s2sad.frontend.entities import Aggregate, Box, Entity, Iteration
from s2sad.frontend.lower import control, growth
from s2sad.frontend.lower.arithmetic import arithmetic
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.lists import as_item, hold
from s2sad.frontend.lower.parts import seal
from s2sad.frontend.lower.state import Computed, Lowering
from s2sad.ir.kinds import (
    BOTTOM,
    Array,
    Kind,
    List,
    Map,
    Scalar,
    forget_sizes,
    is_differentiable,
    join,
    join_keys,
)
from s2sad.ir.nodes import Const, Value

GIVEN = "given"
STEPS = {"add": "s2sad.additem", "sub": "s2sad.subitem"}
COPIED = "it is an item of a dict with computed keys, which would not see that"


# --- making them


def is_map(entity: Entity) -> bool:
    """Whether an entity is a dict with computed keys."""
    return isinstance(entity, Value) and isinstance(entity.kind, Map)


def is_dict(entity: Entity) -> bool:
    """Whether an entity is a dict of either sort."""
    return is_map(entity) or isinstance(entity, Box) and entity.kind == "dict"


def place_of(lw: Lowering, node: gast.AST) -> Hashable:
    """Where a dict is made: the same each time that the function is lowered."""
    return (
        lw.frame.source.file,
        getattr(node, "lineno", 0),
        getattr(node, "col_offset", 0),
        type(node).__name__,
    )


def wanted(lw: Lowering, place: Hashable) -> bool:
    """Whether the dict that is made there has turned out to have computed keys."""
    return place in lw.maps.known


def compute(lw: Lowering, box: Box, node: object) -> NoReturn:
    """A record is used with computed keys: make it a dict with those from the beginning. Refuses where it cannot be."""
    if box.place is None or box.sealed:
        lw.refuse(
            node,
            "a computed key into a dict",
            box.sealed or "its layout must be known",
            "a constant key, or a list",
        )
    raise Computed(lw.maps, box.place)


def new_map(lw: Lowering, place: Hashable, factory: Entity | None = None) -> Value:
    """A new, empty dict."""
    made = _born(lw, place, lw.builder.call("s2sad.map", Const(())))
    if factory is not None:
        lw.factories[made] = factory
    return made


def _born(lw: Lowering, place: Hashable, made: Value) -> Value:
    made.kind = lw.maps.known.get(place, Map(BOTTOM, BOTTOM))
    lw.places[made] = place
    lw.births[made] = len(lw.births)
    lw.maps.found.setdefault(place, made.kind)
    return made


def map_of(lw: Lowering, place: Hashable, pairs: list[tuple[Entity, Entity]], node: gast.AST) -> Value:
    """A dict display; of constant keys it stays one."""
    keys = [key.payload for key, _ in pairs if isinstance(key, Const)]
    if len(set(keys)) < len(pairs):
        made = new_map(lw, place)
        for key, entity in pairs:
            store(lw, made, key, entity, node)
        return made
    items = [_item(lw, entity, node) for _, entity in pairs]
    made = _born(lw, place, lw.builder.call("s2sad.map", Const(tuple(keys)), *items))
    for key, item in zip(keys, items, strict=True):
        _hold(lw, made, Const(key).kind, item.kind)
        if item in lw.factories:
            lw.inner_factories[made] = lw.factories[item]
    return made


def opened(lw: Lowering, entity: Entity, name: str) -> Entity:
    """A dict parameter, which may be used with computed keys."""
    if not isinstance(entity, Box) or entity.kind != "dict":
        return entity
    entity.place = (GIVEN, name)
    if not wanted(lw, entity.place):
        return entity
    pairs: list[tuple[Entity, Entity]] = [(Const(key), lw.variables[(entity, key)]) for key in entity.keys]
    made = map_of(lw, entity.place, pairs, lw.frame.source.node)
    made.name = name
    return made


def changed(lw: Lowering, items: Value) -> None:
    """A dict is written: if it is an argument, others may see the same one."""
    place = lw.places.get(items)
    lw.assigned |= isinstance(place, tuple) and place[0] == GIVEN


# --- reading and writing


def key_value(lw: Lowering, key: Entity, node: object) -> Value:
    """A key as a run-time value."""
    return lw.value(key, node, "a key")


def item_of_map(lw: Lowering, items: Value, key: Value) -> Value:
    """``items[key]``, where it is there."""
    place = lw.places.get(items)
    if place is not None:
        lw.maps.relied.append((place, items.kind))
    item = lw.builder.call("operator.getitem", items, key)
    assert isinstance(items.kind, Map)
    item.kind = items.kind.item
    if isinstance(item.kind, List):
        lw.holders[item] = items
    if items in lw.inner_factories:
        lw.factories[item] = lw.inner_factories[items]
    return item


def read(lw: Lowering, items: Value, key: Entity, node: Any) -> Value:
    """``items[key]``; a defaultdict makes what is missing."""
    place = key_value(lw, key, node)
    factory = lw.factories.get(items)
    if isinstance(factory, Const):  # of a Counter, which stays as it is
        return item_or(lw, items, place, factory)
    ensure(lw, items, place, node)
    return item_of_map(lw, items, place)


def ensure(lw: Lowering, items: Value, key: Value, node: Any) -> None:
    """A defaultdict makes what is missing under a key; a number in a dict of arrays it is not taken to make."""
    factory, number = lw.factories.get(items), default_number(lw, items, node)
    assert isinstance(items.kind, Map)
    place = lw.places.get(items)
    if number is not None and place is not None and items.kind.item == BOTTOM:
        lw.maps.starts[place] = Map(number.kind, key.kind)
    elif factory is not None and not (number is not None and isinstance(items.kind.item, Array)):
        missing = arithmetic(lw, "operator.not_", contains(lw, items, key))
        control.branch(lw, missing, lambda: _make(lw, items, key, factory, node), lambda: None, node)


def item_or(lw: Lowering, items: Value, key: Value, number: Const) -> Value:
    """``items.get(key, number)`` of numbers."""
    item = lw.builder.call("dict.get", items, key, number)
    assert isinstance(items.kind, Map)
    item.kind = join(items.kind.item, number.kind)
    return item


def _make(lw: Lowering, items: Value, place: Value, factory: Entity, node: Any) -> None:
    store(lw, items, place, apply(lw, factory, [], {}, node), node)


def store(lw: Lowering, items: Value, key: Entity, entity: Entity, node: Any) -> None:
    """``items[key] = entity``."""
    place = key_value(lw, key, node)
    value = _item(lw, entity, node)
    if value in lw.factories:
        lw.inner_factories[items] = lw.factories[value]
    _hold(lw, items, place.kind, value.kind)
    changed(lw, items)
    lw.builder.call("operator.setitem", items, place, value)


def _item(lw: Lowering, entity: Entity, node: Any) -> Value:
    """An entity as an item; a dict in a dict has computed keys too, unless its items differ in kind."""
    if isinstance(entity, Box) and entity.kind == "dict":
        held = [lw.variables[(entity, key)] for key in lw.keys(entity, node)]
        if entity.place is not None and _alike(lw, held):
            compute(lw, entity, node)
        seal(lw, entity, COPIED)
    return as_item(lw, entity, node, "what is stored")


def _alike(lw: Lowering, held: list[Entity]) -> bool:
    """Whether the items of a record are of one kind."""
    if all(isinstance(entity, Box) and entity.kind == "dict" for entity in held):
        return True
    found: Kind = BOTTOM
    for entity in held:
        found = join(found, lw.kind(entity))
    return isinstance(found, Scalar) or (isinstance(found, Array) and found.rank is not None)


def _hold(lw: Lowering, items: Value, key: Kind, item: Kind) -> None:
    """A dict is given an item of this kind under a key of that kind."""
    assert isinstance(items.kind, Map)
    wider = join_keys(items.kind.key, forget_sizes(key))
    if wider != items.kind.key:
        items.kind = Map(items.kind.item, wider)
        lw.note(items)
    hold(lw, items, forget_sizes(item))


def add_number(lw: Lowering, items: Value, key: Entity, op: str, value: Value, node: Any) -> bool:
    """``items[key] += value`` of numbers, where it is a step of its own; False where it is not."""
    assert isinstance(items.kind, Map)
    numbers = isinstance(items.kind.item, Scalar) and isinstance(value.kind, Scalar)
    if op not in STEPS or not numbers or items in lw.factories:
        return False
    place = key_value(lw, key, node)
    _hold(lw, items, place.kind, value.kind)
    changed(lw, items)
    lw.builder.call(STEPS[op], items, place, value)
    return True


def default_number(lw: Lowering, items: Value, node: Any) -> Const | None:
    """The number that a defaultdict or Counter starts from."""
    factory = lw.factories.get(items)
    if factory is None or isinstance(factory, Const):
        return factory
    with control.scratch(lw):
        made = apply(lw, factory, [], {}, node)
    return made if isinstance(made, Const) and isinstance(made.kind, Scalar) else None


def contains(lw: Lowering, items: Value, key: Value) -> Value:
    """``key in items``."""
    return lw.builder.call("operator.contains", items, key)


# --- iterating


def iteration_over(lw: Lowering, items: Value, what: str, node: Any) -> Iteration:
    """The keys, values or items of a dict, as it is when they are asked for."""
    place = lw.places.get(items)
    if place is not None:
        lw.maps.relied.append((place, items.kind))
    check_keys(lw, items, node)
    keys = lw.builder.call("s2sad.runtime.keys_of", items)

    def item(index: Value) -> Entity:
        key = lw.builder.call("operator.getitem", keys, index)
        if what == "keys":
            return key
        value = item_of_map(lw, items, key)
        return value if what == "values" else Aggregate([key, value])

    length = lw.builder.call("builtins.len", keys)
    if not growth.grows(lw, node):
        growth.watch(lw, length, items, node)
        return Iteration(length=length, item=item)

    def checked(index: Value) -> Entity:
        growth.unchanged(lw, items, length)
        return item(index)

    return Iteration(length=length, item=checked)


def check_keys(lw: Lowering, items: Value, node: Any) -> None:
    """Refuse to hand out keys that may depend on the variables."""
    assert isinstance(items.kind, Map)
    if is_differentiable(items.kind.key):
        lw.refuse(
            node,
            "looking at these keys",
            "they may be floats, and a key carries no derivative",
            "integers or strings",
        )

"""Sets that are filled while the program runs: dicts with the members for keys, of which only membership is asked.

    seen = set()                         seen = {}
    for node in path:                    for node in path:
        if node not in seen:     ==>         if node not in seen:
            seen.add(node)                       seen[node] = True

Nothing that is differentiated comes out of a set: whether something is a member is no number, and the order in which a
set gives its members is nobody's business, so that a loop over one is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from s2sad.frontend.entities import Entity, Members, Static, Struct
from s2sad.frontend.lower import control, maps
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.lists import item_at
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.nodes import Const, Value

CHANGES = ("add", "discard", "remove", "update")


def new_set(ctx: Lowering, items: Entity, place: Hashable, node: Any) -> Members:
    """A set of these items that can change."""
    members = Members(maps.new_map(ctx, ("set", place)))
    _update(ctx, members, items, node)
    return members


def changeable(ctx: Lowering, entity: Entity, node: Any) -> Entity:
    """The entity for a name whose set is changed: of a set that is written down, one that can change."""
    if not isinstance(entity, Const) or not isinstance(entity.payload, frozenset):
        return entity
    known = Struct([Const(item) for item in sorted(entity.payload, key=repr)])
    return new_set(ctx, known, id(node), node)


def make(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    """``set(items=())``."""
    return new_set(ctx, args[0] if args else Struct([]), id(node), node)


def set_method(ctx: Lowering, members: Members, name: str, args: list[Entity], node: Any) -> Entity:
    """``members.name(...)``."""
    if name not in CHANGES:
        ctx.refuse(node, f"the set method {name!r}", "only membership is followed", "a list, or a dict")
    if name == "update":
        for items in args:
            _update(ctx, members, items, node)
        return Const(None)
    if name == "add":
        maps.store(ctx, members.items, args[0], Const(True), node)
        return Const(None)
    item = maps.key_value(ctx, args[0], node)
    absent = [] if name == "remove" else [Const(None)]
    ctx.builder.call("dict.pop", members.items, item, *absent)
    return Const(None)


def _update(ctx: Lowering, members: Members, items: Entity, node: Any) -> None:
    def add(item: Entity) -> None:
        maps.store(ctx, members.items, item, Const(True), node)

    if not isinstance(items, Struct):
        items = apply(ctx, Static(list, "builtins.list"), [items], {}, node)
    if isinstance(items, Struct):
        for item in items.items:
            add(item)
        return
    listed = ctx.value(items, node)
    length = ctx.builder.call("builtins.len", listed)

    def one(index: Value) -> None:
        add(item_at(ctx, listed, index))

    control.counted_loop(ctx, length, one, node)


TABLE: dict[Any, Callable[..., Entity]] = {set: make}

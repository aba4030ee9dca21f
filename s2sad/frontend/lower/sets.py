"""Sets that are filled while the program runs: dicts with the members for keys, of which only membership is asked.

    seen = set()                         seen = {}
    for node in path:                    for node in path:
        if node not in seen:     ==>         if node not in seen:
            seen.add(node)                       seen[node] = True

Nothing that is differentiated comes out of such a set: whether something is a member is no number, and the order in which a
set gives its members hangs on their hashes, which for text are others in each process, and on all that was in it before; a loop
over one is refused, unless it is for what no order changes (``sum``, ``sorted``, a set again). A set of objects that the program
makes is a record (``keys.constant``): who is a member is known, and a loop takes the members in the order in which they came,
for nobody can know in which Python takes them, which goes by where they lie in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any

import gast

from s2sad.frontend.entities import Entity, Iteration, Members, Record, Static, Struct
from s2sad.frontend.lower import control, keys, maps, objects
from s2sad.frontend.lower.changed_in_place import changes_sets
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.lists import item_at
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import BOTTOM
from s2sad.ir.nodes import Const, Value

CHANGES = ("add", "discard", "remove", "update")
ASKING = ("union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint")


def new_set(ctx: Lowering, items: Entity, place: Hashable, node: Any) -> Members:
    """A set of these items that can change."""
    given = [item for item in items.items if isinstance(item, Record)] if isinstance(items, Struct) else []
    known = any(isinstance(keys.constant(item), Const) for item in given) or ("set", place) in ctx.program.displayed
    members = Members(Record("set", loops=tuple(ctx.loops)) if known else maps.new_map(ctx, ("set", place)))
    _update(ctx, members, items, node)
    return members


HARMLESS = {"abs", "bool", "float", "int", "isinstance", "len", "math", "np", "numpy", "ord", "range", "str"}  # by usual names
COMPREHENSIONS = (gast.GeneratorExp, gast.ListComp, gast.SetComp)


def in_any_order(ctx: Lowering, *nodes: gast.AST) -> None:
    """Note calls that give the same in whichever order sets give their members, and comprehensions whose items go to such."""
    for node in nodes:
        if not isinstance(node, COMPREHENSIONS):
            ctx.unordered.add(node)
        elif not any(map(_may_change_others, gast.walk(node))):
            ctx.unordered.update(loop.iter for loop in node.generators)


def _may_change_others(node: gast.AST) -> bool:
    """Possibility that one item's expression leaves something that the next one finds: a call of somebody's function, a name."""
    if isinstance(node, gast.Call):
        function = node.func.value if isinstance(node.func, gast.Attribute) else node.func
        return not (isinstance(function, gast.Name) and function.id in HARMLESS)
    return isinstance(node, gast.NamedExpr | gast.Yield | gast.YieldFrom | gast.Await)


def in_some_order(ctx: Lowering, entity: Entity, node: gast.AST) -> Entity:
    """What a generator runs over, in any order, where that is of no account."""
    known = is_known(entity) and node in ctx.unordered
    return Struct(list(_iterated(entity.payload))) if known else entity  # type: ignore[union-attr]


def _iterated(members: frozenset[Any]) -> Iterator[Const]:
    return map(Const, sorted(members, key=repr))


def is_known(entity: Entity) -> bool:
    """Test for a set whose members are known."""
    return isinstance(entity, Const) and isinstance(entity.payload, frozenset)


def as_text(entity: Entity) -> Entity:
    """What a text is filled with: for sets, also those in tuples, what Python says of them, members in some order."""
    if isinstance(entity, Struct) and entity.kind == "tuple":
        return Struct([as_text(item) for item in entity.items])
    return Const(str(set(entity.payload))) if is_known(entity) else entity  # type: ignore[union-attr]


def run_over(ctx: Lowering, members: frozenset[Any], node: gast.AST) -> Iteration:
    """The members of a set that is known, where their order is of no account."""
    if len(members) > 1 and node not in ctx.unordered:
        ctx.refuse(node, "running over a set", "its members come in no known order", "sorted(...) of it, a tuple or a list")
    return Iteration(items=list(_iterated(members)))


def looked_at(ctx: Lowering, *nodes: gast.AST) -> None:
    """Note expressions whose value is used and then gone: nobody changes a set that they make."""
    ctx.looked_at.update(node for node in nodes if isinstance(node, gast.Set | gast.SetComp | gast.Call))


def written(ctx: Lowering, known: frozenset[Any], node: gast.AST) -> Entity:
    """A set that is written down: a constant, unless the function changes sets; then it is one that can change, from its birth
    on, since it may be changed by another name."""
    if node in ctx.looked_at or not changes_sets(ctx.frame.definition or ctx.frame.source.node):
        return Const(known)
    return new_set(ctx, Struct([Const(item) for item in sorted(known, key=repr)]), id(node), node)


def make(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    """``set(items=())``; of known items a constant, where it is only looked at."""
    known = known_members(ctx, args[0]) if args and node in ctx.looked_at else None
    return new_set(ctx, args[0] if args else Struct([]), id(node), node) if known is None else Const(known)


def known_members(ctx: Lowering, entity: Entity) -> frozenset[Any] | None:
    """The items of an entity as a set, where all are known."""
    if isinstance(entity, Const) and isinstance(entity.payload, tuple | str | frozenset):
        return frozenset(entity.payload)
    if isinstance(entity, Record) and entity.kind == "dict":
        return frozenset(ctx.keys(entity, None))
    items = entity.items if isinstance(entity, Struct | Iteration) else None
    known = [item.payload for item in items or [] if isinstance(item, Const)]
    return frozenset(known) if items is not None and len(known) == len(items) else None


def constant_method(ctx: Lowering, members: frozenset[Any], name: str, args: list[Entity]) -> Entity | None:
    """A method of a set that is known which gives a new one, or a truth; None of others, which may change it."""
    others = [known_members(ctx, arg) for arg in args] if name in ASKING else [None]
    return None if None in others else Const(getattr(members, name)(*others))


def set_method(ctx: Lowering, members: Members, name: str, args: list[Entity], node: Any) -> Entity:
    """``members.name(...)``."""
    if name not in CHANGES:
        ctx.refuse(node, f"the set method {name!r}", "only membership is followed", "a list, or a dict")
    if name != "update" and len(args) != 1:
        error = TypeError(f"set.{name}() takes exactly one argument ({len(args)} given)")
        ctx.fail(node, error, "this call", "one member")
    if name == "update":
        for items in args:
            _update(ctx, members, items, node)
        return Const(None)
    if name == "add":
        _add(ctx, members, args[0], node)
        return Const(None)
    if isinstance(members.items, Record):
        key = keys.changing(ctx, members.items, args[0], node)
        there = isinstance(key, Const) and key.payload in ctx.keys(members.items, node)
        if not there and name == "remove":
            ctx.fail(node, KeyError(str(key)), "removing this from a set", "discard")
        if there:
            assert isinstance(key, Const)
            objects.drop(ctx, members.items, key.payload, node)
        return Const(None)
    item = maps.key_value(ctx, args[0], node)
    absent = [] if name == "remove" else [Const(None)]
    ctx.builder.call("dict.pop", members.items, item, *absent)
    return Const(None)


def _add(ctx: Lowering, members: Members, item: Entity, node: gast.AST) -> None:
    items = members.items
    if ctx.kind(item) == BOTTOM:  # of what is empty
        return
    maps.check_hash(ctx, item, node)
    if isinstance(items, Record):
        key = keys.changing(ctx, items, item, node)
        if not isinstance(key, Const):
            ctx.refuse(node, "running over a set that changes", "its members come in no order", "a list, or a dict")
        objects.put(ctx, items, key.payload, Const(True), node)
        return
    if isinstance(item, Record):
        maps.follow_members(ctx, members)
    maps.store(ctx, items, item, Const(True), node)


def _update(ctx: Lowering, members: Members, items: Entity, node: Any) -> None:
    def add(item: Entity) -> None:
        _add(ctx, members, item, node)

    if isinstance(items, Const) and isinstance(items.payload, tuple):
        items = Struct([*map(Const, items.payload)])
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

"""Lists whose items are known one by one (functions, things of different kinds), and which change.

    layers = []                          layers = ()
    layers.append(np.tanh)      ==>      layers = (np.tanh,)
    layers.append(dense)                 layers = (np.tanh, dense)

What such a list holds is known when the program is compiled, so that a change is another list under all names that the old
one had. How long it is must be known: in a loop that is not written out, and on one path of a branch, it is not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from s2sad.frontend.entities import Choice, Closure, Entity, Method, Partial, Record, Struct
from s2sad.frontend.lower.lists import display, replace_list
from s2sad.frontend.lower.state import STAYS, Lowering
from s2sad.ir.again import Again
from s2sad.ir.nodes import Call, Const, Value
from s2sad.ir.walk import reads_of

Change = Callable[[list[Entity], list[Any]], Entity]  # of the items, by the arguments; gives the result of the call


def _append(items: list[Entity], args: list[Any]) -> Entity:
    items.append(*args)
    return Const(None)


def _insert(items: list[Entity], args: list[Any]) -> Entity:
    place, entity = args
    items.insert(place.payload, entity)
    return Const(None)


def _extend(items: list[Entity], args: list[Any]) -> Entity:
    items.extend(args)
    return Const(None)


def _pop(items: list[Entity], args: list[Any]) -> Entity:
    return items.pop(*(place.payload for place in args))


def _set(items: list[Entity], args: list[Any]) -> Entity:
    place, entity = args
    items[place.payload] = entity
    return Const(None)


def _reverse(items: list[Entity], args: list[Any]) -> Entity:
    items.reverse(*args)
    return Const(None)


def _clear(items: list[Entity], args: list[Any]) -> Entity:
    items.clear(*args)
    return Const(None)


SET = "__setitem__"
CHANGES: dict[str, Change] = {
    "append": _append, "insert": _insert, "extend": _extend, "pop": _pop, SET: _set, "reverse": _reverse, "clear": _clear,
}  # fmt: skip
PLACES = {"insert": 1, "pop": 1, SET: 1}  # how many of the arguments are places


def changed(ctx: Lowering, owner: Struct | Choice, name: str, args: list[Entity], node: gast.AST) -> Entity:
    """``owner.name(*args)`` of a list whose items are known one by one, or that is one of several such."""
    if name == "copy" and not args:
        return _copied(ctx, owner)
    if name not in CHANGES or not all(isinstance(a, Const) and isinstance(a.payload, int) for a in args[: PLACES.get(name, 0)]):
        let_be(ctx, owner)
        ctx.refuse(node, f"the method {name!r} of this list", "its items have different kinds", "an array or a plain list")
    if node is not ctx.alone and name != "pop":
        ctx.refuse(node, f"the method {name!r} as a part of an expression", "what else is computed from the list is not known",
                  "a statement of its own")  # fmt: skip
    return _changed(ctx, owner, name, args, node)[1]


def ordered(ctx: Lowering, owner: Struct, items: Entity, node: gast.AST) -> Entity:
    """``owner.sort(...)`` of a list of objects; ``items``: what ``sorted`` gives of it."""
    if node is not ctx.alone or not isinstance(items, Struct):
        ctx.refuse(node, "the method 'sort' of this list here", "what else is computed from the list is not known",
                   "a statement of its own")  # fmt: skip
    other = display(ctx, list(items.items))
    if owner in ctx.gathered:
        ctx.gathered[other] = ctx.gathered[owner]
    replace_list(ctx, owner, other, node)
    return Const(None)


def _copied(ctx: Lowering, owner: Struct | Choice) -> Entity:
    """A new list of the same items."""
    if isinstance(owner, Struct):
        return display(ctx, list(owner.items))
    other = Choice(owner.tag, owner.labels, [_copied(ctx, one) for one in owner.alternatives if isinstance(one, Struct)])
    ctx.displays.add(other)
    return other


def stored(ctx: Lowering, owner: Entity, index: Entity, entity: Entity, node: gast.AST) -> bool:
    """``owner[index] = entity`` of a known place in such a list; False for others."""
    if not isinstance(index, Const) or type(index.payload) is not int:
        return False
    wish(ctx, owner, SET)
    if not is_known(ctx, owner):
        return False
    assert isinstance(owner, Struct | Choice)
    _changed(ctx, owner, SET, [index, entity], node)
    return True


def extended(ctx: Lowering, owner: Struct | Choice, items: list[Entity], node: gast.AST) -> Entity:
    """``owner += items``: what stands in its place."""
    return _changed(ctx, owner, "extend", items, node)[0]


def _changed(ctx: Lowering, owner: Struct | Choice, name: str, args: list[Entity], node: gast.AST) -> tuple[Entity, Entity]:
    """The successor of the list in its place, and the result of the method."""
    lists: list[Entity] = []
    results: list[Entity] = []
    for one in owner.alternatives if isinstance(owner, Choice) else [owner]:
        assert isinstance(one, Struct)
        items = list(one.items)
        try:
            results.append(CHANGES[name](items, args))
        except (IndexError, TypeError) as error:
            ctx.fail(node, error, f"the method {name!r} here", "an item, or a place, that is there")
        lists.append(display(ctx, items))
        if one in ctx.gathered:
            ctx.gathered[lists[-1]] = ctx.gathered[one]
    other = Choice(owner.tag, owner.labels, lists) if isinstance(owner, Choice) else lists[0]
    result = results[0]
    if isinstance(owner, Choice) and isinstance(other, Choice):
        ctx.displays.add(other)
        if name == "pop" and not all(map(holds_functions, results)):
            ctx.refuse(node, "pop of this list", "what it holds depends on a branch", "a list for each case")
        result = Choice(owner.tag, owner.labels, results) if name == "pop" else result
    replace_list(ctx, owner, other, node)
    return other, result


def taken_apart(ctx: Lowering, items: Value, node: gast.AST) -> Struct:
    """A list that was made here and has not been used yet, by its items. Refuses others: how long they are is not known."""
    made = _unused(ctx, items)
    if made is None:
        wish(ctx, items, "append")
        ctx.refuse(
            node, "a function in this list", "how long the list is then is known only at run time",
            "the functions in a list display, or a loop over a literal range that appends them",
        )  # fmt: skip
    whole = display(ctx, list(made.args))
    if items in ctx.literals:
        ctx.gathered[whole] = ctx.literals[items]
    replace_list(ctx, items, whole, node)
    return whole


def wish(ctx: Lowering, items: Entity, change: str) -> None:
    """Follow the items of a list one by one, if that makes this change possible."""
    if change in CHANGES:
        ctx.follow_items(items)


def let_be(ctx: Lowering, items: Entity) -> None:
    """Before something is refused of a list of objects that are followed one by one: lower the program again, with a list
    that exists when it runs, and whose objects can only be read. Which one a loop has made another of, is not known."""
    if isinstance(items, Struct) and items.kind == "list" and any(isinstance(item, Record) for item in items.items):
        for place in (ctx.gathered[items],) if items in ctx.gathered else ctx.gathered.values():
            if ctx.program.displayed.isdisjoint((place, (STAYS, place))):
                raise Again(displayed=frozenset([(STAYS, place)]))


def _unused(ctx: Lowering, items: Value) -> Call | None:
    """The display of a list that was made here and has not been used yet."""
    ops = ctx.builder.block.ops
    made = next((op for op in ops if items in op.results), None)
    used = any(items in reads_of(op) for op in ops)
    return made if isinstance(made, Call) and made.target == "builtins.list" and not used else None


def may_hold_objects(ctx: Lowering, items: Value, args: list[Entity], node: gast.AST) -> bool:
    """Test for an object that can stay what it is when appended, an object whose fields may be assigned."""
    if (STAYS, ctx.literals.get(items)) in ctx.program.displayed:
        return False
    made = _unused(ctx, items) if node is ctx.alone and len(args) == 1 and isinstance(args[0], Record) else None
    return made is not None and not made.args and isinstance(args[0], Record) and args[0].kind == "object" and not args[0].sealed


def is_known(ctx: Lowering, entity: Entity) -> bool:
    """Test for a list made here whose items are known one by one; others outside would not see what becomes of one."""
    return isinstance(entity, Struct | Choice) and entity in ctx.displays


def holds_functions(entity: Entity) -> bool:
    """Test for what is only known when the program is compiled, and no item of a list that exists as it runs."""
    return isinstance(entity, Closure | Partial | Method | Choice) or not isinstance(entity, Value | Struct | Record)

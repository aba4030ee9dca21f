"""The methods of lists, and of deques, which are lists that grow at both ends.

Taking items out and putting them in are operations whose reverse is the other one; methods that are programs of these stand
in the prelude, and sorting is written out as stores, which the reverse sweep can undo::

    items.sort()            ==>     fresh = sorted(items)
                                    for i in range(len(items)):
                                        items[i] = fresh[i]
"""

from __future__ import annotations

import array
import collections
import functools
from collections.abc import Callable
from typing import Any

import gast

from s2sad.frontend.entities import Bounded, Entity, Iteration
from s2sad.frontend.lower import control
from s2sad.frontend.lower.arithmetic import arithmetic
from s2sad.frontend.lower.iteration import for_each, indexed, of_entity
from s2sad.frontend.lower.lists import append, as_item, hold, listed, new_list, taken
from s2sad.frontend.lower.maybe import seen
from s2sad.frontend.lower.ordering import sort
from s2sad.frontend.lower.prelude_calls import program
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.nodes import Const, Value
from s2sad.rules.preludes import method_of

Arguments = list[Entity]
Options = dict[str, Entity]
Move = Callable[[Lowering, Value, Arguments, Options, Any], Entity]


def list_method(
    ctx: Lowering, items: Value, name: str, args: Arguments, kwargs: Options, node: gast.AST
) -> Entity:
    """``items.name(...)`` of a list that exists when the program runs."""
    move, form = MOVES.get(name), method_of(list, "lists", name)
    if form is not None:
        return program(ctx, form, [items, *args], node, kwargs)
    if move is None:
        ctx.refuse(
            node, f"the list method {name!r}", "lists have no such method", "a method of lists or deques"
        )
    if kwargs and name != "sort":
        ctx.refuse(node, f"keyword arguments of {name!r}", "lists take none", "positional arguments")
    return move(ctx, items, args, kwargs, node)


# --- at the ends, and anywhere


def _append(ctx: Lowering, items: Value, args: Arguments, kwargs: Options, node: Any) -> Entity:
    return append(ctx, items, args[0], node)


def _insert(ctx: Lowering, items: Value, args: Arguments, kwargs: Options, node: Any) -> Entity:
    return insert(ctx, items, ctx.value(args[0], node), args[1], node)


def insert(ctx: Lowering, items: Value, place: Value, entity: Entity, node: gast.AST) -> Value:
    """``items.insert(place, entity)``."""
    value = as_item(ctx, entity, node, "what is inserted")
    hold(ctx, items, value.kind)
    return ctx.builder.call("list.insert", items, place, value)


def _pop(ctx: Lowering, items: Value, args: Arguments, kwargs: Options, node: Any) -> Entity:
    place = ctx.value(args[0], node) if args else Const(-1)
    last = isinstance(place, Const) and place.payload == -1
    return taken(ctx, ctx.builder.call("list.pop", items, *([] if last else [place])))


# --- many items


def _extend(ctx: Lowering, items: Value, args: Arguments, kwargs: Options, node: Any) -> Entity:
    def one(entity: Entity) -> None:
        append(ctx, items, entity, node)

    _each(ctx, items, args[0], one, node)
    return Const(None)


def _each(
    ctx: Lowering, items: Value, more: Entity, one: Callable[[Entity], None], node: Any, moving: bool = False
) -> None:
    """``one`` for each of ``more``, as they were before: the list itself may be meant, whose items are ``moving``."""
    it = of_entity(ctx, more, node)
    if it.items is None and (moving or seen(more) is items):
        length, item_at = indexed(ctx, it, node)
        copied = listed(ctx, length, item_at, node)
        it = Iteration(length=length, item=functools.partial(ctx.builder.call, "operator.getitem", copied))
    for_each(ctx, it, one, node)


def _sort(ctx: Lowering, items: Value, args: Arguments, kwargs: Options, node: Any) -> Entity:
    it = of_entity(ctx, items, node)
    ordered = sort(ctx, [it], kwargs, node)
    length, item_at = indexed(ctx, of_entity(ctx, ordered, node), node)

    def put(index: Value) -> None:
        ctx.builder.call("operator.setitem", items, index, as_item(ctx, item_at(index), node, "an item"))

    control.counted_loop(ctx, length, put, node)
    return Const(None)


# --- questions


def _index(ctx: Lowering, items: Value, args: Arguments, kwargs: Options, node: Any) -> Entity:
    return ctx.builder.call("list.index", items, *(ctx.value(a, node) for a in args))


def _count(ctx: Lowering, items: Value, args: Arguments, kwargs: Options, node: Any) -> Entity:
    return ctx.builder.call("list.count", items, ctx.value(args[0], node))


MOVES: dict[str, Move] = {
    "append": _append,
    "insert": _insert,
    "pop": _pop,
    "extend": _extend,
    "sort": _sort,
    "index": _index,
    "count": _count,
}


# --- deques that hold so many items at most


def deque(ctx: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity | None:
    """``collections.deque(items=(), maxlen=None)``: a list of the last ``maxlen`` items."""
    given = args[0] if args else kwargs.get("iterable")
    limit = ctx.value(args[1] if len(args) > 1 else kwargs.get("maxlen", Const(None)), node)
    items = new_list(ctx)
    if given is not None:
        _extend(ctx, items, [given], {}, node)
    if isinstance(limit, Const) and limit.payload is None:
        return items
    bounded = Bounded(items, limit)
    if given is not None:
        excess = arithmetic(ctx, "operator.sub", ctx.builder.call("builtins.len", items), limit)
        control.counted_loop(ctx, excess, lambda _: _drop(ctx, items, Const(0)), node)
    return bounded


def _drop(ctx: Lowering, items: Value, place: Value) -> None:
    ctx.builder.call("list.pop", items, place)


def bounded_method(
    ctx: Lowering, queue: Bounded, name: str, args: Arguments, kwargs: Options, node: Any
) -> Entity:
    """``queue.name(...)`` of a deque with ``maxlen``: what grows at one end shrinks at the other."""
    left = name in ("appendleft", "extendleft")
    if name == "insert":
        ctx.refuse(
            node,
            "insert into a deque with maxlen",
            "it fails where the deque is full",
            "append or appendleft",
        )
    if name == "copy":
        copied = list_method(ctx, queue.items, name, [], {}, node)
        assert isinstance(copied, Value)
        return Bounded(copied, queue.limit)
    if name in ("append", "appendleft"):
        _make_room(ctx, queue, left, node)
    if name not in ("extend", "extendleft"):
        return list_method(ctx, queue.items, name, args, kwargs, node)

    def one(entity: Entity) -> None:
        bounded_method(ctx, queue, "appendleft" if left else "append", [entity], {}, node)

    _each(ctx, queue.items, args[0], one, node, moving=True)
    return Const(None)


def _make_room(ctx: Lowering, queue: Bounded, left: bool, node: Any) -> None:
    """A full deque loses the item at its other end."""
    full = arithmetic(ctx, "operator.ge", ctx.builder.call("builtins.len", queue.items), queue.limit)
    place = Const(-1) if left else Const(0)
    control.branch(ctx, full, lambda: _drop(ctx, queue.items, place), lambda: None, node)


def _typed(ctx: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity | None:
    ctx.refuse(node, "array.array", "what is written into it would not be followed", "a list, or np.array")


TABLE: dict[Any, Callable[..., Entity | None]] = {collections.deque: deque, array.array: _typed}

"""The methods of lists, and of deques, which are lists that grow at both ends.

Taking items out and putting them in are operations whose reverse is the other one; what moves more of them is written
out as stores, which the reverse sweep can undo::

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

from s2sad.frontend.entities import Bounded, Entity
from s2sad.frontend.lower import control
from s2sad.frontend.lower.arithmetic import arithmetic
from s2sad.frontend.lower.iteration import indexed, of_entity
from s2sad.frontend.lower.lists import append, as_item, hold, listed, new_list, taken
from s2sad.frontend.lower.maybe import seen
from s2sad.frontend.lower.ordering import sort
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.nodes import Const, Value

Arguments = list[Entity]
Options = dict[str, Entity]
Move = Callable[[Lowering, Value, Arguments, Options, Any], Entity]


def list_method(
    lw: Lowering, items: Value, name: str, args: Arguments, kwargs: Options, node: gast.AST
) -> Entity:
    """``items.name(...)`` of a list that exists when the program runs."""
    move = MOVES.get(name)
    if move is None:
        lw.refuse(
            node, f"the list method {name!r}", "lists have no such method", "a method of lists or deques"
        )
    if kwargs and name != "sort":
        lw.refuse(node, f"keyword arguments of {name!r}", "lists take none", "positional arguments")
    return move(lw, items, args, kwargs, node)


# --- at the ends, and anywhere


def _append(lw: Lowering, items: Value, args: Arguments, kwargs: Options, node: Any) -> Entity:
    return append(lw, items, args[0], node)


def _append_left(lw: Lowering, items: Value, args: Arguments, kwargs: Options, node: Any) -> Entity:
    return insert(lw, items, Const(0), args[0], node)


def _insert(lw: Lowering, items: Value, args: Arguments, kwargs: Options, node: Any) -> Entity:
    return insert(lw, items, lw.value(args[0], node), args[1], node)


def insert(lw: Lowering, items: Value, place: Value, entity: Entity, node: gast.AST) -> Value:
    """``items.insert(place, entity)``."""
    value = as_item(lw, entity, node, "what is inserted")
    hold(lw, items, value.kind)
    return lw.builder.call("list.insert", items, place, value)


def _pop(lw: Lowering, items: Value, args: Arguments, kwargs: Options, node: Any) -> Entity:
    place = lw.value(args[0], node) if args else Const(-1)
    last = isinstance(place, Const) and place.payload == -1
    return taken(lw, lw.builder.call("list.pop", items, *([] if last else [place])))


def _pop_left(lw: Lowering, items: Value, args: Arguments, kwargs: Options, node: Any) -> Entity:
    return taken(lw, lw.builder.call("list.pop", items, Const(0)))


def _remove(lw: Lowering, items: Value, args: Arguments, kwargs: Options, node: Any) -> Entity:
    place = lw.builder.call("list.index", items, lw.value(args[0], node))
    lw.builder.call("list.pop", items, place)
    return Const(None)


def _clear(lw: Lowering, items: Value, args: Arguments, kwargs: Options, node: Any) -> Entity:
    def take(_: Value) -> None:
        lw.builder.call("list.pop", items)

    control.counted_loop(lw, lw.builder.call("builtins.len", items), take, node)
    return Const(None)


# --- many items


def _extend(lw: Lowering, items: Value, args: Arguments, kwargs: Options, node: Any) -> Entity:
    def one(entity: Entity) -> None:
        append(lw, items, entity, node)

    _each(lw, items, args[0], one, node)
    return Const(None)


def _extend_left(lw: Lowering, items: Value, args: Arguments, kwargs: Options, node: Any) -> Entity:
    def one(entity: Entity) -> None:
        insert(lw, items, Const(0), entity, node)

    _each(lw, items, args[0], one, node, moving=True)
    return Const(None)


def _each(
    lw: Lowering, items: Value, more: Entity, one: Callable[[Entity], None], node: Any, moving: bool = False
) -> None:
    """``one`` for each of ``more``, as they were before: the list itself may be meant, whose items are ``moving``."""
    it = of_entity(lw, more, node)
    if it.items is not None:
        for item in it.items:
            one(item)
        return
    length, item_at = indexed(lw, it, node)
    if moving or seen(more) is items:
        copied = listed(lw, length, item_at, node)
        item_at = functools.partial(lw.builder.call, "operator.getitem", copied)
    control.counted_loop(lw, length, lambda i: one(item_at(i)), node)


def _reverse(lw: Lowering, items: Value, args: Arguments, kwargs: Options, node: Any) -> Entity:
    length = lw.builder.call("builtins.len", items)
    last = arithmetic(lw, "operator.sub", length, Const(1))

    def swap(index: Value) -> None:
        other = arithmetic(lw, "operator.sub", last, index)
        a = lw.builder.call("operator.getitem", items, index)
        b = lw.builder.call("operator.getitem", items, other)
        lw.builder.call("operator.setitem", items, index, b)
        lw.builder.call("operator.setitem", items, other, a)

    control.counted_loop(lw, arithmetic(lw, "operator.floordiv", length, Const(2)), swap, node)
    return Const(None)


def _sort(lw: Lowering, items: Value, args: Arguments, kwargs: Options, node: Any) -> Entity:
    it = of_entity(lw, items, node)
    ordered = sort(lw, [it], kwargs, node)
    length, item_at = indexed(lw, of_entity(lw, ordered, node), node)

    def put(index: Value) -> None:
        lw.builder.call("operator.setitem", items, index, as_item(lw, item_at(index), node, "an item"))

    control.counted_loop(lw, length, put, node)
    return Const(None)


def _rotate(lw: Lowering, items: Value, args: Arguments, kwargs: Options, node: Any) -> Entity:
    """``rotate(n)``: n times the last item becomes the first; nothing of an empty one."""
    steps = lw.value(args[0], node) if args else Const(1)
    length = lw.builder.call("builtins.max", lw.builder.call("builtins.len", items), Const(1))

    def turn(_: Value) -> None:
        insert(lw, items, Const(0), lw.builder.call("list.pop", items), node)

    control.counted_loop(lw, arithmetic(lw, "operator.mod", steps, length), turn, node)
    return Const(None)


# --- questions


def _copy(lw: Lowering, items: Value, args: Arguments, kwargs: Options, node: Any) -> Entity:
    return lw.builder.call("operator.getitem", items, Const(slice(None)))


def _index(lw: Lowering, items: Value, args: Arguments, kwargs: Options, node: Any) -> Entity:
    return lw.builder.call("list.index", items, *(lw.value(a, node) for a in args))


def _count(lw: Lowering, items: Value, args: Arguments, kwargs: Options, node: Any) -> Entity:
    return lw.builder.call("list.count", items, lw.value(args[0], node))


MOVES: dict[str, Move] = {
    "append": _append,
    "appendleft": _append_left,
    "insert": _insert,
    "pop": _pop,
    "popleft": _pop_left,
    "remove": _remove,
    "clear": _clear,
    "extend": _extend,
    "extendleft": _extend_left,
    "reverse": _reverse,
    "sort": _sort,
    "rotate": _rotate,
    "copy": _copy,
    "index": _index,
    "count": _count,
}


# --- deques that hold so many items at most


def deque(lw: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity | None:
    """``collections.deque(items=(), maxlen=None)``: a list of the last ``maxlen`` items."""
    given = args[0] if args else kwargs.get("iterable")
    limit = lw.value(args[1] if len(args) > 1 else kwargs.get("maxlen", Const(None)), node)
    items = new_list(lw)
    if given is not None:
        _extend(lw, items, [given], {}, node)
    if isinstance(limit, Const) and limit.payload is None:
        return items
    bounded = Bounded(items, limit)
    if given is not None:
        excess = arithmetic(lw, "operator.sub", lw.builder.call("builtins.len", items), limit)
        control.counted_loop(lw, excess, lambda _: _drop(lw, items, Const(0)), node)
    return bounded


def _drop(lw: Lowering, items: Value, place: Value) -> None:
    lw.builder.call("list.pop", items, place)


def bounded_method(
    lw: Lowering, queue: Bounded, name: str, args: Arguments, kwargs: Options, node: Any
) -> Entity:
    """``queue.name(...)`` of a deque with ``maxlen``: what grows at one end shrinks at the other."""
    left = name in ("appendleft", "extendleft")
    if name == "insert":
        lw.refuse(
            node,
            "insert into a deque with maxlen",
            "it fails where the deque is full",
            "append or appendleft",
        )
    if name == "copy":
        copied = list_method(lw, queue.items, name, [], {}, node)
        assert isinstance(copied, Value)
        return Bounded(copied, queue.limit)
    if name in ("append", "appendleft"):
        _make_room(lw, queue, left, node)
    if name not in ("extend", "extendleft"):
        return list_method(lw, queue.items, name, args, kwargs, node)

    def one(entity: Entity) -> None:
        bounded_method(lw, queue, "appendleft" if left else "append", [entity], {}, node)

    _each(lw, queue.items, args[0], one, node, moving=True)
    return Const(None)


def _make_room(lw: Lowering, queue: Bounded, left: bool, node: Any) -> None:
    """A full deque loses the item at its other end."""
    full = arithmetic(lw, "operator.ge", lw.builder.call("builtins.len", queue.items), queue.limit)
    place = Const(-1) if left else Const(0)
    control.branch(lw, full, lambda: _drop(lw, queue.items, place), lambda: None, node)


def _typed(lw: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity | None:
    lw.refuse(node, "array.array", "what is written into it would not be followed", "a list, or np.array")


TABLE: dict[Any, Callable[..., Entity | None]] = {collections.deque: deque, array.array: _typed}

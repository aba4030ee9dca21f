"""What a for loop iterates over: ranges, arrays, lists, and ``enumerate``, ``zip``, ``reversed`` of those.

All become loops over a range; items are read by index. Tuples and mixed lists are unrolled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from s2sad.frontend.entities import Aggregate, Box, Entity, Iteration, Known, Members, Method
from s2sad.frontend.lower import control, maps, objects
from s2sad.frontend.lower.arithmetic import arithmetic
from s2sad.frontend.lower.assignment import unpacked
from s2sad.frontend.lower.dispatch import lower
from s2sad.frontend.lower.lists import item_at, listed
from s2sad.frontend.lower.maybe import held, seen
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import BOTTOM, RANGE, STR, UNKNOWN, Array, List, Scalar, Tuple
from s2sad.ir.nodes import Const, Global, Value


def iteration(lw: Lowering, node: gast.expr) -> Iteration:
    """The iteration that an expression stands for in a for loop."""
    if isinstance(node, gast.Call):
        function = lower(lw, node.func)
        wrapper = _wrapper(function.payload) if isinstance(function, Known) else None
        if wrapper is not None:
            return wrapper(lw, node)
        if (
            isinstance(function, Method)
            and isinstance(function.owner, Box)
            and function.name in ("items", "keys", "values")
        ):
            return _box(lw, function.owner, function.name)
    return of_entity(lw, lower(lw, node), node)


def of_entity(lw: Lowering, entity: Entity, node: gast.AST) -> Iteration:
    """The iteration over an entity."""
    if isinstance(entity, Members):
        lw.refuse(node, "running over a set that changes", "its members come in no order", "a list, or a dict")
    entity = seen(held(entity))
    if isinstance(entity, Iteration):
        return _use(lw, entity, node)
    if isinstance(entity, Aggregate):
        values = [item for item in entity.items if isinstance(item, Value)]
        if len(values) == len(entity.items) > 8 and all(isinstance(v.kind, Scalar) for v in values):
            return of_entity(lw, lw.builder.call("builtins.list", *values), node)
        return Iteration(items=entity.items)
    if isinstance(entity, Box) and objects.find(entity.cls, "__iter__") is not None:
        return of_entity(lw, objects.call_method(lw, entity, "__iter__", [], {}, node), node)
    if isinstance(entity, Box) and entity.kind == "dict":
        return _box(lw, entity, "keys")
    if isinstance(entity, Box) and entity.kind == "iterator":
        return _rest(lw, entity, node)
    if isinstance(entity, Known):
        lw.refuse(
            node,
            "a loop over this object",
            f"{entity.path or entity.payload!r} is no sequence",
            "a range, an array or a list",
        )
    value = lw.value(entity, node, "what a loop runs over")
    if maps.is_map(value):
        return maps.iteration_over(lw, value, "keys", node)
    if value.kind == RANGE:
        return Iteration(direct=value)
    if isinstance(value, Const) and isinstance(value.payload, tuple | str):
        return Iteration(items=[Const(item) for item in value.payload])
    if isinstance(value, Const) and isinstance(value.payload, frozenset):
        return Iteration(items=[Const(item) for item in sorted(value.payload, key=repr)])
    if isinstance(value, Global) and value.resolved and isinstance(value.payload, str):
        return Iteration(items=[Const(item) for item in value.payload])
    if isinstance(value.kind, Tuple):
        return Iteration(
            items=[lw.builder.call("operator.getitem", value, Const(k)) for k in range(len(value.kind.items))]
        )
    if not isinstance(value.kind, Array | List) and value.kind not in (UNKNOWN, STR, BOTTOM):
        lw.refuse(
            node, f"a loop over a {value.kind}", "it is no sequence of numbers", "a range, an array or a list"
        )
    length = lw.builder.call("builtins.len", value)
    return Iteration(length=length, item=lambda i: _item(lw, value, i))


def _item(lw: Lowering, value: Value, index: Value) -> Entity:
    item = item_at(lw, value, index)
    if value.kind == STR and isinstance(item, Value):
        item.kind = STR
    return item


def _use(lw: Lowering, it: Iteration, node: gast.AST) -> Iteration:
    """An iteration that is about to be run through; an iterator is empty the second time."""
    if it.once and it.used:
        lw.refuse(node, "a second use of this iterator", "the first has used it up", "a list of its items")
    it.used = True
    return it if it.make is None else of_entity(lw, it.make(), node)


def _rest(lw: Lowering, box: Box, node: gast.AST) -> Iteration:
    """What is left of an iterator made by ``iter``, which is used up by it."""
    source, position = lw.variables[(box, "source")], lw.value(lw.variables[(box, "position")], node)
    assert isinstance(source, Iteration)
    if source.items is not None and isinstance(position, Const):
        lw.variables[(box, "position")] = Const(len(source.items))
        return Iteration(items=source.items[position.payload :])
    length, item = indexed(lw, source, node)
    lw.variables[(box, "position")] = length
    left = arithmetic(lw, "operator.sub", length, position)
    return Iteration(length=left, item=lambda i: item(arithmetic(lw, "operator.add", position, i)))


def indexed(lw: Lowering, it: Iteration, node: gast.AST) -> tuple[Value, Callable[[Value], Entity]]:
    """Length and item function of any iteration but a static one."""
    if it.endless:
        lw.refuse(node, "this endless iterator here", "it never ends", "zip it with something that ends")
    if it.direct is not None:
        span = it.direct
        return lw.builder.call("builtins.len", span), lambda i: lw.builder.call("operator.getitem", span, i)
    if it.length is None or it.item is None:
        items = it.items or []
        values = [lw.value(item, node) for item in items]
        sequence = lw.builder.call("builtins.list", *values)
        return Const(len(values)), lambda i: lw.builder.call("operator.getitem", sequence, i)
    return it.length, it.item


def _wrapper(function: Any) -> Callable[[Lowering, gast.Call], Iteration] | None:
    try:
        return WRAPPERS.get(function)
    except TypeError:
        return None


def _range(lw: Lowering, node: gast.Call) -> Iteration:
    return of_entity(lw, lower(lw, node), node)


def _enumerate(lw: Lowering, node: gast.Call) -> Iteration:
    inner = iteration(lw, node.args[0])
    given = [*node.args[1:], *(k.value for k in node.keywords)]
    start = lw.value(lower(lw, given[0]), node) if given else Const(0)

    def shift(index: Value) -> Value:
        return (
            index
            if isinstance(start, Const) and start.payload == 0
            else arithmetic(lw, "operator.add", index, start)
        )

    if inner.items is not None:
        pairs: list[Entity] = [Aggregate([shift(Const(k)), item]) for k, item in enumerate(inner.items)]
        return Iteration(items=pairs, once=True)
    length, item = indexed(lw, inner, node)
    return Iteration(length=length, item=lambda i: Aggregate([shift(i), item(i)]), once=True)


def _zip(lw: Lowering, node: gast.Call) -> Iteration:
    if len(node.args) == 1 and isinstance(node.args[0], gast.Starred):
        columns = _columns(lw, lower(lw, node.args[0].value), node)
        if columns is not None:
            return columns
    strict = any(k.arg == "strict" and getattr(k.value, "value", True) is not False for k in node.keywords)
    inner: list[Iteration] = []
    for arg in node.args:
        if isinstance(arg, gast.Starred):
            inner += [of_entity(lw, item, arg) for item in unpacked(lw, lower(lw, arg.value), None, arg)]
        else:
            inner.append(iteration(lw, arg))
    return zipped(lw, inner, node, strict)


def _columns(lw: Lowering, rows: Entity, node: gast.AST) -> Iteration | None:
    """``zip(*rows)`` of a matrix or a list of lists: its columns; the rows are as long as the first."""
    nested = (
        isinstance(rows, Value) and isinstance(rows.kind, List) and isinstance(rows.kind.item, List | Array | Tuple)
    )
    matrix = isinstance(rows, Value) and isinstance(rows.kind, Array) and rows.kind.rank == 2
    if not isinstance(rows, Value) or not (nested or matrix):
        return None
    if isinstance(rows.kind, List) and isinstance(rows.kind.item, Tuple):
        return _fields(lw, rows, len(rows.kind.item.items))
    count = lw.builder.call("builtins.len", rows)

    def width() -> Entity:
        return lw.builder.call("builtins.len", lw.builder.call("operator.getitem", rows, Const(0)))

    some = arithmetic(lw, "operator.gt", count, Const(0))
    length = width() if matrix else lw.value(control.choose(lw, some, width, lambda: Const(0), node), node)

    def column(j: Value) -> Entity:
        def item(i: Value) -> Entity:
            return lw.builder.call("operator.getitem", lw.builder.call("operator.getitem", rows, i), j)

        return Iteration(length=count, item=item)

    return Iteration(length=lw.value(length, node), item=column, once=True)


def _fields(lw: Lowering, rows: Value, count: int) -> Iteration:
    """``zip(*rows)`` of a list of tuples: a list of what stands in each place."""
    length = lw.builder.call("builtins.len", rows)

    def column(k: int) -> Value:
        return listed(
            lw,
            length,
            lambda i: lw.builder.call("operator.getitem", lw.builder.call("operator.getitem", rows, i), Const(k)),
            None,
        )

    return Iteration(items=[column(k) for k in range(count)], once=True)


def zipped(lw: Lowering, inner: list[Iteration], node: gast.AST, strict: bool = False) -> Iteration:
    """Several iterations side by side, as long as the shortest; with ``strict``, of equal length."""
    if all(it.items is not None for it in inner):
        rows = [it.items or [] for it in inner]
        if strict and len({len(row) for row in rows}) > 1:
            lw.refuse(node, "this zip", "its arguments differ in length", "arguments of one length")
        return Iteration(items=[Aggregate(list(row)) for row in zip(*rows, strict=False)], once=True)
    ending = [indexed(lw, it, node) for it in inner if not it.endless]
    if not ending:
        return Iteration(
            item=lambda i: Aggregate([it.item(i) for it in inner if it.item]), endless=True, once=True
        )
    length = ending[0][0]
    for other, _ in ending[1:]:
        if strict:
            _same_length(lw, length, other, node)
        length = shorter(lw, length, other)
    pairs = iter(ending)
    items = [it.item if it.endless and it.item is not None else next(pairs)[1] for it in inner]
    return Iteration(length=length, item=lambda i: Aggregate([item(i) for item in items]), once=True)


def _same_length(lw: Lowering, a: Value, b: Value, node: gast.AST) -> None:
    if (
        isinstance(a.kind, Scalar)
        and isinstance(b.kind, Scalar)
        and a.kind.size is not None
        and a.kind.size == b.kind.size
    ):
        return

    def fail() -> None:
        error = lw.builder.call("builtins.ValueError", Const("zip() arguments differ in length"))
        lw.builder.call("s2sad.raise", error)

    control.branch(lw, arithmetic(lw, "operator.ne", a, b), fail, lambda: None, node)


def shorter(lw: Lowering, a: Value, b: Value) -> Value:
    """The smaller of two lengths, without an operation where they are known to be equal."""
    known = isinstance(a.kind, Scalar) and isinstance(b.kind, Scalar) and a.kind.size is not None
    if known and a.kind.size == b.kind.size:  # type: ignore[attr-defined]
        return a
    return lw.builder.call("builtins.min", a, b)


def _reversed(lw: Lowering, node: gast.Call) -> Iteration:
    inner = iteration(lw, node.args[0])
    if inner.items is not None:
        return Iteration(items=inner.items[::-1], once=True)
    if inner.direct is not None:
        return Iteration(direct=lw.builder.call("builtins.reversed", inner.direct))
    length, item = indexed(lw, inner, node)
    last = arithmetic(lw, "operator.sub", length, Const(1))
    return Iteration(length=length, item=lambda i: item(arithmetic(lw, "operator.sub", last, i)), once=True)


def _wrapped_list(lw: Lowering, node: gast.Call) -> Iteration:
    return iteration(lw, node.args[0])


def _box(lw: Lowering, box: Box, what: str) -> Iteration:
    def item(key: Any) -> Entity:
        value = lw.variables[(box, key)]
        return {"keys": Const(key), "values": value}.get(what) or Aggregate([Const(key), value])

    return Iteration(items=[item(key) for key in lw.keys(box, None)])


WRAPPERS: dict[Any, Callable[[Lowering, gast.Call], Iteration]] = {
    range: _range,
    enumerate: _enumerate,
    zip: _zip,
    reversed: _reversed,
    list: _wrapped_list,
    tuple: _wrapped_list,
}

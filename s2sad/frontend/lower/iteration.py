"""What a for loop iterates over: ranges, arrays, lists, and ``enumerate``, ``zip``, ``reversed`` of those.

All become loops over a range; items are read by index. Tuples and mixed lists are unrolled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from s2sad.frontend.entities import Aggregate, Box, Entity, Iteration, Known, Method
from s2sad.frontend.lower.arithmetic import arithmetic
from s2sad.frontend.lower.dispatch import lower
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import RANGE, UNKNOWN, Array, List, Scalar, Tuple
from s2sad.ir.nodes import Const, Value


def iteration(lw: Lowering, node: gast.expr) -> Iteration:
    """The iteration that an expression stands for in a for loop."""
    if isinstance(node, gast.Call) and not node.keywords:
        function = lower(lw, node.func)
        if isinstance(function, Known) and function.payload in WRAPPERS:
            return WRAPPERS[function.payload](lw, node)
        if (
            isinstance(function, Method)
            and isinstance(function.owner, Box)
            and function.name in ("items", "keys", "values")
        ):
            return _box(lw, function.owner, function.name)
    if (
        isinstance(node, gast.Call)
        and isinstance(node.func, gast.Name)
        and node.func.id == "enumerate"
        and node.keywords
    ):
        function = lower(lw, node.func)
        if isinstance(function, Known) and function.payload is enumerate:
            return _enumerate(lw, gast.Call(node.func, [node.args[0], node.keywords[0].value], []))
    return of_entity(lw, lower(lw, node), node)


def of_entity(lw: Lowering, entity: Entity, node: gast.AST) -> Iteration:
    """The iteration over an entity."""
    if isinstance(entity, Iteration):
        return entity
    if isinstance(entity, Aggregate):
        values = [item for item in entity.items if isinstance(item, Value)]
        if len(values) == len(entity.items) > 8 and all(isinstance(v.kind, Scalar) for v in values):
            return of_entity(lw, lw.builder.call("builtins.list", *values), node)
        return Iteration(items=entity.items)
    if isinstance(entity, Box) and entity.kind == "dict":
        return _box(lw, entity, "keys")
    if isinstance(entity, Known):
        lw.refuse(
            node,
            "a loop over this object",
            f"{entity.path or entity.payload!r} is no sequence",
            "a range, an array or a list",
        )
    value = lw.value(entity, node, "what a loop runs over")
    if value.kind == RANGE:
        return Iteration(direct=value)
    if isinstance(value, Const) and isinstance(value.payload, tuple):
        return Iteration(items=[Const(item) for item in value.payload])
    if isinstance(value.kind, Tuple):
        return Iteration(
            items=[lw.builder.call("operator.getitem", value, Const(k)) for k in range(len(value.kind.items))]
        )
    if not isinstance(value.kind, Array | List) and value.kind != UNKNOWN:
        lw.refuse(
            node, f"a loop over a {value.kind}", "it is no sequence of numbers", "a range, an array or a list"
        )
    length = lw.builder.call("builtins.len", value)
    return Iteration(length=length, item=lambda i: lw.builder.call("operator.getitem", value, i))


def indexed(lw: Lowering, it: Iteration, node: gast.AST) -> tuple[Value, Callable[[Value], Entity]]:
    """Length and item function of any iteration but a static one."""
    if it.direct is not None:
        span = it.direct
        return lw.builder.call("builtins.len", span), lambda i: lw.builder.call("operator.getitem", span, i)
    if it.length is None or it.item is None:
        items = it.items or []
        values = [lw.value(item, node) for item in items]
        sequence = lw.builder.call("builtins.list", *values)
        return Const(len(values)), lambda i: lw.builder.call("operator.getitem", sequence, i)
    return it.length, it.item


def _range(lw: Lowering, node: gast.Call) -> Iteration:
    return of_entity(lw, lower(lw, node), node)


def _enumerate(lw: Lowering, node: gast.Call) -> Iteration:
    inner = iteration(lw, node.args[0])
    start = lw.value(lower(lw, node.args[1]), node) if len(node.args) > 1 else Const(0)

    def shift(index: Value) -> Value:
        return (
            index
            if isinstance(start, Const) and start.payload == 0
            else arithmetic(lw, "operator.add", index, start)
        )

    if inner.items is not None:
        return Iteration(items=[Aggregate([shift(Const(k)), item]) for k, item in enumerate(inner.items)])
    length, item = indexed(lw, inner, node)
    return Iteration(length=length, item=lambda i: Aggregate([shift(i), item(i)]))


def _zip(lw: Lowering, node: gast.Call) -> Iteration:
    inner = [iteration(lw, arg) for arg in node.args]
    if inner and all(it.items is not None for it in inner):
        return Iteration(
            items=[Aggregate(list(row)) for row in zip(*(it.items or [] for it in inner), strict=False)]
        )
    pairs = [indexed(lw, it, node) for it in inner]
    length = pairs[0][0]
    for other, _ in pairs[1:]:
        length = shorter(lw, length, other)
    return Iteration(length=length, item=lambda i: Aggregate([item(i) for _, item in pairs]))


def shorter(lw: Lowering, a: Value, b: Value) -> Value:
    """The smaller of two lengths, without an operation where they are known to be equal."""
    known = isinstance(a.kind, Scalar) and isinstance(b.kind, Scalar) and a.kind.size is not None
    if known and a.kind.size == b.kind.size:  # type: ignore[attr-defined]
        return a
    return lw.builder.call("builtins.min", a, b)


def _reversed(lw: Lowering, node: gast.Call) -> Iteration:
    inner = iteration(lw, node.args[0])
    if inner.items is not None:
        return Iteration(items=inner.items[::-1])
    if inner.direct is not None:
        return Iteration(direct=lw.builder.call("builtins.reversed", inner.direct))
    length, item = indexed(lw, inner, node)
    last = arithmetic(lw, "operator.sub", length, Const(1))
    return Iteration(length=length, item=lambda i: item(arithmetic(lw, "operator.sub", last, i)))


def _wrapped_list(lw: Lowering, node: gast.Call) -> Iteration:
    return iteration(lw, node.args[0])


def _box(lw: Lowering, box: Box, what: str) -> Iteration:
    def item(key: Any) -> Entity:
        value = lw.variables[(box, key)]
        return {"keys": Const(key), "values": value}.get(what) or Aggregate([Const(key), value])

    return Iteration(items=[item(key) for key in box.keys])


WRAPPERS: dict[Any, Callable[[Lowering, gast.Call], Iteration]] = {
    range: _range,
    enumerate: _enumerate,
    zip: _zip,
    reversed: _reversed,
    list: _wrapped_list,
    tuple: _wrapped_list,
}

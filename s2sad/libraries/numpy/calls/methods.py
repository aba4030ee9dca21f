"""NumPy's functions and methods that store, and the methods that are spelled in more than one way."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.frontend.entities import (
    Entity,
    Struct,
)
from s2sad.frontend.lower import subscripts
from s2sad.frontend.lower.attributes import check_of_number
from s2sad.frontend.lower.library_calls import Handler
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import UNKNOWN, Array, List, Scalar, Tuple, dtype_of, rank_of
from s2sad.ir.nodes import Const, Value
from s2sad.libraries.numpy.calls import draws, other_forms, placing, sharing
from s2sad.rules.kind_arrays import array_kind
from s2sad.rules.kind_rules import shape_of


def _add_at(target: str) -> Handler:
    def handler(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
        if kwargs:
            ctx.fail(node, TypeError("at() takes no keyword arguments"), f"{target} with keywords", "arguments by position")
        ctx.builder.call(target, *(ctx.value(a, node) for a in args))
        return Const(None)

    return handler


def _copyto(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    given = [ctx.value(a, node) for a in args]
    named = {**dict(zip(("dst", "src"), given, strict=False)), **{k: ctx.value(v, node) for k, v in kwargs.items()}}
    where, target, source = named.pop("where", None), named.pop("dst", None), named.pop("src", None)
    if target is None or source is None or len(args) > 2 or set(named) - {"casting"}:
        ctx.refuse(node, "this call of np.copyto", "its options are not known", "an assignment to target[...]")
    if target is source:
        return Const(None)  # NumPy sees that both are one memory, and does not look at ``where``
    _check_cast(ctx, source, target, named.get("casting", Const("same_kind")), node)
    if where is not None:
        source = ctx.builder.call("numpy.where", where, source, target)
    subscripts.store(ctx, target, Const(...), source, node)
    return Const(None)


def _check_cast(ctx: Lowering, source: Value, target: Value, casting: Value, node: Any) -> None:
    """NumPy's exception for numbers that the target cannot hold, as far as types are known."""
    own, held = dtype_of(array_kind(source.kind)), dtype_of(target.kind)
    if own is None or held is None or not isinstance(casting, Const):
        return
    weak = isinstance(source.kind, Scalar) and source.kind.weak
    if not np.can_cast(own, held, "same_kind" if weak and casting.payload != "unsafe" else casting.payload):
        text = f"Cannot cast array data from dtype({own!r}) to dtype({held!r}) according to the rule {casting.payload!r}"
        ctx.fail(node, TypeError(text), "this call of np.copyto", "casting='unsafe', or astype")


STORES: dict[str, Handler] = {
    "numpy.add.at": _add_at("numpy.add.at"),
    "numpy.subtract.at": _add_at("numpy.subtract.at"),
    "numpy.copyto": _copyto,
}


def _fill(ctx: Lowering, value: Value, args: list[Value], kwargs: dict[str, Entity], node: Any) -> Entity:
    _no_options(ctx, kwargs, "fill", node)
    if len(args) != 1:
        error = TypeError(f"fill() takes exactly 1 argument ({len(args)} given)")
        ctx.fail(node, error, "this call of fill", "one number")
    if isinstance(args[0].kind, List | Tuple) or rank_of(args[0].kind):
        ctx.refuse(node, "fill with an array", "NumPy takes a number", "a[...] = values")
    placing.refuse_number(ctx, value, "fill", node)
    if rank_of(args[0].kind) is None:
        ctx.builder.call("s2sad.runtime.assert_single", args[0])
    subscripts.store(ctx, value, Const(...), args[0], node)
    return Const(None)


def _reshape(ctx: Lowering, value: Value, args: list[Value], kwargs: dict[str, Entity], node: Any) -> Entity:
    if "shape" in kwargs:
        args = [ctx.value(kwargs.pop("shape"), node)]
    shape = args[0] if len(args) == 1 else ctx.value(Struct(list(args)), node)
    return ctx.builder.call("numpy.reshape", value, shape, **{k: ctx.value(v, node) for k, v in kwargs.items()})


def _no_options(ctx: Lowering, kwargs: dict[str, Entity], name: str, node: Any) -> None:
    if kwargs:
        ctx.refuse(node, f"{name} with {', '.join(kwargs)}=", "the method has no such option here", "its arguments by position")


def _transpose(ctx: Lowering, value: Value, args: list[Value], kwargs: dict[str, Entity], node: Any) -> Entity:
    _no_options(ctx, kwargs, "transpose", node)
    if not args:
        return ctx.builder.call("numpy.transpose", value)
    one = len(args) == 1 and not isinstance(args[0].kind, Scalar)
    return ctx.builder.call("numpy.transpose", value, args[0] if one else ctx.value(Struct(list(args)), node))


def _item(ctx: Lowering, value: Value, args: list[Value], kwargs: dict[str, Entity], node: Any) -> Entity:
    _no_options(ctx, kwargs, "item", node)
    shape = shape_of(value.kind)
    if not args and isinstance(value.kind, Scalar):
        item = value
    elif not args and shape is not None and all(size == 1 for size in shape):
        item = ctx.builder.call("operator.getitem", value, Const((0,) * len(shape)))
    elif not args and (value.kind == UNKNOWN or isinstance(value.kind, Array)):
        item = ctx.builder.call("numpy.sum", ctx.builder.call("numpy.reshape", value, Const(())))  # fails as it does
    else:
        if len(args) == 1 and isinstance(args[0].kind, Scalar) and rank_of(value.kind) != 1:  # a place among all items
            if isinstance(args[0], Const) and type(args[0].payload) is int and args[0].payload >= 0:
                args = [ctx.builder.call("numpy.unravel_index", args[0], ctx.builder.call("ndarray.shape", value))]
            else:
                value = ctx.builder.call("numpy.ravel", value)  # which counts from the end, too
        item = ctx.builder.call("operator.getitem", value, args[0] if len(args) == 1 else ctx.value(Struct(list(args)), node))
    return other_forms.python_number(ctx, item)


METHODS: dict[str, Any] = {
    "fill": _fill,
    "reshape": _reshape,
    "transpose": _transpose,
    "item": _item,
    **placing.METHODS,
    **sharing.METHODS,
    **other_forms.METHODS,
}


def of_value(
    ctx: Lowering, value: Value, name: str, args: list[Entity], kwargs: dict[str, Entity], node: Any
) -> Entity | None:
    """A method of an array, or of a generator of random numbers; None of one that is a primitive, or not known."""
    draw = draws.draw(ctx, value, name, args, kwargs, node)
    if draw is not None or name not in METHODS:
        return draw
    check_of_number(ctx, value, name, node)
    found: Entity = METHODS[name](ctx, value, [ctx.value(a, node) for a in args], kwargs, node)
    return found

"""NumPy functions that are written out in terms of others: their table, and what they share.

    @written_out(np.append)
    def append(ctx, node, arr, values, axis=ABSENT):
        ...

The parameters after ``node`` are the function's own, so that a call is matched as Python matches it. A function that
returns None leaves the call to the rule that bears its name.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from s2sad.frontend.entities import Entity, Struct
from s2sad.frontend.lower import object_arrays
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import Array, Scalar, Tuple, rank_of
from s2sad.ir.nodes import Const, Value
from s2sad.rules.kind_arrays import array_kind

ABSENT = Const(None)  # an option that is not given
ZERO, ONE, NO, YES = Const(0), Const(1), Const(False), Const(True)  # what else options are by default
Handler = Callable[[Lowering, list[Entity], dict[str, Entity], Any], Entity | None]
Writer = Callable[..., Entity | None]


def handler_of(name: str, write: Writer) -> Handler:
    """A handler that matches the arguments of a call with the parameters of ``write``."""
    signature = inspect.signature(write)

    def handler(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
        try:
            bound = signature.bind(ctx, node, *args, **kwargs)
        except TypeError as error:
            ctx.refuse(node, f"this call of {name}", str(error), "the arguments that NumPy documents")
        return write(*bound.args, **bound.kwargs)

    return handler


W = TypeVar("W", bound=Writer)
TABLE: dict[Any, Handler] = {}  # NumPy's functions that are written out, of all modules


def present(*names: str) -> list[Any]:
    """Those of NumPy's functions that this NumPy has."""
    return [getattr(np, name) for name in names if hasattr(np, name)]


def written_out(*functions: Any) -> Callable[[W], W]:
    """A decorator: ``write`` writes out calls of each of these NumPy functions."""

    def enter(write: W) -> W:
        for function in functions:
            TABLE[function] = handler_of(f"np.{function.__name__}", write)
        return write

    return enter


def literal(ctx: Lowering, node: Any, entity: Entity, what: str) -> Any:
    """The value of an argument that must be a literal; lists of literals are tuples."""
    if isinstance(entity, Struct):
        return tuple(literal(ctx, node, item, what) for item in entity.items)
    if not isinstance(entity, Const):
        ctx.refuse(node, f"a computed {what}", "what the call gives would depend on it", f"a literal {what}")
    return entity.payload


def operand(ctx: Lowering, node: Any, entity: Entity) -> Value:
    """An argument as a value."""
    return ctx.value(entity, node, "an argument")


def array(ctx: Lowering, node: Any, entity: Entity) -> Value:
    """An argument as an array: sequences of numbers become one, numbers stay."""
    object_arrays.refuse_among(ctx, "an array", [entity], node)
    value = operand(ctx, node, entity)
    return value if isinstance(value.kind, Array | Scalar) else ctx.builder.call("numpy.asarray", value)


def rank(ctx: Lowering, node: Any, value: Value, function: str) -> int:
    """The number of axes of an argument, which must be known."""
    found = rank_of(array_kind(value.kind))
    if found is None:
        ctx.ask_for_kind(
            node,
            f"how many axes the argument of {function} has is not known",
            "the call is written out by axes",
        )
    return found


def items_of(ctx: Lowering, entity: Entity) -> list[Entity] | None:
    """The items of a sequence that is known item by item; None for others (an array, a list of unknown length)."""
    if isinstance(entity, Struct):
        return list(entity.items)
    if isinstance(entity, Const) and isinstance(entity.payload, tuple | list):
        return [Const(item) for item in entity.payload]
    if isinstance(entity, Value) and isinstance(entity.kind, Tuple):
        return list(ctx.builder.unpack(entity, list(entity.kind.items)))
    return None


def item(ctx: Lowering, value: Value, index: Any) -> Value:
    """``value[index]``."""
    return ctx.builder.call("operator.getitem", value, index)


def along(ctx: Lowering, value: Value, axis: int, part: Value) -> Value:
    """``value[:, ..., part]``, a window, with ``part`` in the place of an axis counted from the front."""
    if isinstance(part, Const):
        return item(ctx, value, Const((*(slice(None),) * axis, part.payload) if axis else part.payload))
    index = ctx.builder.call("builtins.tuple", *(Const(slice(None)),) * axis, part) if axis else part
    return item(ctx, value, index)

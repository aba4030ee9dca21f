"""The common part of SciPy's functions of functions: their arguments, and their results.

quad(lambda x: np.exp(-k * x), 0.0, end)[0]

==>    def integrand(x, k): ...
       scipy.integrate.quad(integrand, 0.0, end, k)[0]       # emitted as quad(integrand, 0.0, end, args=(k,))[0]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from s2sad.frontend.entities import Entity, Record, Struct
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.handed_over import Handed, function_name, name_after
from s2sad.frontend.lower.library_calls import Handler
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import NONE, Array, Scalar, dtype_of
from s2sad.ir.nodes import Const, Value
from s2sad.rules.kind_arrays import array_kind

Finish = Callable[[Lowering, Entity, Any], Value]


def named(
    ctx: Lowering, target: str, names: str, args: list[Entity], kwargs: dict[str, Entity], node: Any
) -> dict[str, Entity]:
    """The arguments by the names of SciPy's parameters."""
    order = names.split()
    bound = dict(zip(order, args, strict=False))
    wrong = [name for name in kwargs if name in bound or name not in order]
    if len(args) > len(order) or wrong:
        words = (
            f"no rule knows its argument {', '.join(wrong)!r}"
            if wrong
            else f"it takes {len(order)} arguments"
        )
        ctx.refuse(node, f"this call of {target}", words, "the parameters of SciPy's documentation")
    return bound | kwargs


def options(
    ctx: Lowering, target: str, bound: dict[str, Entity], known: str, node: Any, ignored: str = ""
) -> dict[str, Value]:
    """The options that are given; those that have no rule must be None or False."""
    found = {}
    for name, entity in bound.items():
        if name in known.split():
            found[name] = ctx.value(entity, node, f"the option {name}")
        elif name not in ignored.split() and not (isinstance(entity, Const) and not entity.payload):
            ctx.refuse(
                node, f"the option {name} of {target}", "no rule is written for it", "a call without it"
            )
    return found


def further(entity: Entity) -> list[Entity]:
    """The items of ``args=``, which may be None; one alone need not be in a tuple."""
    if isinstance(entity, Struct) and entity.kind == "tuple":
        return list(entity.items)
    return [] if is_none(entity) else [entity]


def is_none(entity: Entity) -> bool:
    """Test for an argument that is None."""
    return isinstance(entity, Value) and entity.kind == NONE


def handed(
    ctx: Lowering,
    function: Entity,
    own: Sequence[Value],
    args: Sequence[Entity],
    finish: Finish,
    node: Any,
    name: str,
    order: Sequence[Value] = (),
) -> Handed:
    """A function of ``own`` and further arguments; ``finish`` makes one value of what it returns.

    ``order``: the order in which the lifted function takes its own arguments, where that is another.
    """
    name_after(own, function)

    def body() -> Value:
        return finish(ctx, apply(ctx, function, [*own, *args], {}, node), node)

    return Handed(function_name(function, name), order or own, body)


def as_number(ctx: Lowering, entity: Entity, node: Any) -> Value:
    """A number, as it is."""
    value = ctx.value(entity, node, "what a function of a function is given")
    if (dtype_of(array_kind(value.kind)) or "").startswith("complex"):
        ctx.refuse(
            node,
            "a function of complex numbers here",
            "derivatives are known for real ones",
            "real and imaginary parts",
        )
    return value


def as_array(ctx: Lowering, entity: Entity, node: Any) -> Value:
    """A number as it is, and a sequence as an array."""
    value = as_number(ctx, entity, node)
    return value if isinstance(value.kind, Scalar | Array) else ctx.builder.call("numpy.array", value)


def as_vector(ctx: Lowering, entity: Entity, node: Any) -> Value:
    """A number or a sequence of numbers, as an array."""
    return vector(ctx, as_array(ctx, entity, node))


def as_state(ctx: Lowering, entity: Entity, node: Any) -> Value:
    """The same, also of complex numbers."""
    value = ctx.value(entity, node, "a state")
    return vector(ctx, value if isinstance(value.kind, Scalar | Array) else ctx.builder.call("numpy.array", value))


def vector(ctx: Lowering, value: Value) -> Value:
    """An array, of a number one with one item."""
    if isinstance(value.kind, Scalar):
        return ctx.builder.call("numpy.array", ctx.builder.call("s2sad.items", value))
    return value


def outcome(ctx: Lowering, **fields: Entity) -> Entity:
    """The result of SciPy's that is an object with fields."""
    box = Record("result", "object", keys=list(fields), sealed="it is a result of SciPy")
    ctx.variables.update({(box, key): entity for key, entity in fields.items()})
    return box


def items_of(ctx: Lowering, found: Value, *names: str | None) -> list[Value]:
    """The items of a tuple, by these names where they have none."""
    return [ctx.builder.call("operator.getitem", found, Const(k), name=name) for k, name in enumerate(names)]


def again(name: str) -> Handler:
    """Refuse what only generated programs call: what it was made of cannot be found in them any more."""

    def handler(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
        ctx.refuse(
            node,
            f"{name} of a generated program",
            "its derivative is made from the call of SciPy",
            "the original program",
        )

    return handler

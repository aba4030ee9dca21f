"""Random draws as calls of one family of rules, whoever makes them: a generator, or ``np.random`` itself.

rng.normal(mu, sigma)                 generator.normal(rng, mu, sigma)
np.random.normal(mu, sigma)           generator.normal(np.random, mu, sigma)
rng.choice(x, 3)                      x[rng.choice(len(x), 3)]
rng.permutation(x)                    x[rng.permutation(len(x))]
rng.shuffle(x)                        x[...] = x[rng.permutation(len(x))]

NumPy draws the same numbers in the last three, so that a program and its derivatives see the same sample.
"""

from __future__ import annotations

import sys
from typing import Any

from s2sad.frontend.entities import Entity, Static
from s2sad.frontend.lower import subscripts
from s2sad.frontend.lower.state import Lowering, global_of
from s2sad.ir.kinds import NONE, OBJECT, UNKNOWN, Array, Scalar
from s2sad.ir.nodes import Const, Value
from s2sad.libraries.numpy.calls.handlers import (
    ABSENT,
    YES,
    ZERO,
    array,
    handler_of,
    item,
    literal,
    operand,
    rank,
)
from s2sad.rules import registry

NUMPY_RANDOM = "numpy.random"


def drawn(
    ctx: Lowering, function: Static, args: list[Entity], kwargs: dict[str, Entity], node: Any
) -> Entity | None:
    """A draw by a function of ``np.random``, or by a generator outside; None of other functions."""
    module = sys.modules.get(NUMPY_RANDOM)
    owner = getattr(function.payload, "__self__", None)
    if module is None or not isinstance(owner, module.Generator | module.RandomState):
        return None
    path, _, spelled = function.path.rpartition(".")
    name = getattr(function.payload, "__name__", "")
    of_module = getattr(module, name, None) == function.payload
    if not of_module and spelled != name:
        return None  # the generator has no name here
    source = global_of(Static(module, NUMPY_RANDOM) if of_module else Static(owner, path))
    return draw(ctx, source, name, args, kwargs, node)


def draw(
    ctx: Lowering, source: Value, name: str, args: list[Entity], kwargs: dict[str, Entity], node: Any
) -> Entity | None:
    """``source.name(...)``; None if that is no draw."""
    if source.kind not in (OBJECT, UNKNOWN):
        return None
    if name in SELECTIONS:
        return SELECTIONS[name](ctx, [source, *args], kwargs, node)
    if registry.lookup(f"generator.{name}") is None:
        return None
    named = {k: operand(ctx, node, v) for k, v in kwargs.items()}
    out = named.pop("out", ABSENT)
    if not (isinstance(out, Value) and out.kind == NONE):
        ctx.refuse(
            node,
            f"{name}(out=...)",
            "which array it fills is seen by others",
            f"x[...] = rng.{name}(x.shape)",
        )
    return ctx.builder.call(f"generator.{name}", source, *(operand(ctx, node, a) for a in args), **named)


def _along(ctx: Lowering, node: Any, value: Value, axis: Entity, places: Value) -> Value:
    return ctx.builder.call("numpy.take", value, places, axis=Const(literal(ctx, node, axis, "axis")))


def _length(ctx: Lowering, node: Any, value: Value, axis: Entity) -> Value:
    at = literal(ctx, node, axis, "axis")
    if at == 0:
        return ctx.builder.call("builtins.len", value)
    return item(ctx, ctx.builder.call("numpy.shape", value), Const(at))


def _choice(
    ctx: Lowering,
    node: Any,
    source: Value,
    a: Entity,
    size: Entity = ABSENT,
    replace: Entity = YES,
    p: Entity = ABSENT,
    axis: Entity = ZERO,
    shuffle: Entity = YES,
) -> Entity:
    value = array(ctx, node, a)
    given = {"size": size, "replace": replace, "p": p, "shuffle": shuffle}
    options = {k: operand(ctx, node, v) for k, v in given.items() if not _is_default(k, v)}
    if isinstance(value.kind, Scalar):
        return ctx.builder.call("generator.choice", source, value, **options)
    count = _length(ctx, node, value, axis)
    return _along(ctx, node, value, axis, ctx.builder.call("generator.choice", source, count, **options))


def _is_default(name: str, value: Entity) -> bool:
    return isinstance(value, Const) and value.payload is (None if name in ("size", "p") else True)


def _permutation(ctx: Lowering, node: Any, source: Value, x: Entity, axis: Entity = ZERO) -> Entity:
    value = array(ctx, node, x)
    if isinstance(value.kind, Scalar):
        return ctx.builder.call("generator.permutation", source, value)
    places = ctx.builder.call("generator.permutation", source, _length(ctx, node, value, axis))
    return _along(ctx, node, value, axis, places)


def _shuffle(ctx: Lowering, node: Any, source: Value, x: Entity, axis: Entity = ZERO) -> Entity:
    target = subscripts.writable(ctx, x, node)
    if not isinstance(target.kind, Array) or not rank(ctx, node, target, "shuffle"):
        ctx.refuse(node, "shuffling this", "it is no array", "an array, or rng.permutation(len(x))")
    subscripts.store(ctx, target, Const(...), _permutation(ctx, node, source, target, axis), node)
    return Const(None)


SELECTIONS = {
    name: handler_of(name, write)
    for name, write in (("choice", _choice), ("permutation", _permutation), ("shuffle", _shuffle))
}

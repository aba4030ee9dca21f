"""Calls of Python's library that are more than a primitive: methods of loggers, which tell people something once, and draws.

random.gauss(mu, sigma)         mu + random.gauss(0.0, 1.0) * sigma: a program of ``prelude.random``, over what has rules
rng.choice(items)               items[rng.randrange(len(items))]
"""

from __future__ import annotations

import random
import sys
import types
from typing import Any

from s2sad.frontend.entities import Entity, Iteration, Method, Static
from s2sad.frontend.lower.calls import primitive
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.library_calls import Calls
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import OBJECT, RANDOM, RANGE, is_differentiable
from s2sad.ir.nodes import Const, Global, Value
from s2sad.rules import registry
from s2sad.rules.failures import LOGGER, TELL
from s2sad.rules.preludes import method_of

TOLD = {f"logging.Logger.{name}" for name in TELL}


def _method_outside(
    ctx: Lowering, function: Static, args: list[Entity], kwargs: dict[str, Entity], node: Any
) -> Entity | None:
    """``log.debug(...)`` of a logger that has a name outside, ``rng.random()`` and ``random.random()``."""
    payload, path = function.payload, function.path
    if type(getattr(payload, "__self__", None)) is random.Random:
        return _drawn(ctx, function, args, kwargs, node)
    target = registry.name_of(payload.__func__) if isinstance(payload, types.MethodType) else None
    if target not in TOLD or not path:
        return None
    logger = Global(path.rpartition(".")[0], OBJECT, payload.__self__, resolved=True)
    return primitive(ctx, target, [logger, *args], kwargs, node)


def _method(ctx: Lowering, bound: Method, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """``logging.getLogger(name).debug(...)``: of a logger, or source of random numbers, that the program asks for."""
    owner = bound.owner
    if isinstance(owner, Value) and owner.kind == RANDOM:
        return _draw(ctx, owner, bound.name, args, kwargs, node)
    if not isinstance(owner, Value) or owner.kind != LOGGER or bound.name not in TELL:
        return None
    return primitive(ctx, f"logging.Logger.{bound.name}", [owner, *args], kwargs, node)


def _drawn(
    ctx: Lowering, function: Static, args: list[Entity], kwargs: dict[str, Entity], node: Any
) -> Entity | None:
    """A draw by a source outside, or by the functions of the module; None of one that has no name here."""
    payload, (path, _, spelled) = function.payload, function.path.rpartition(".")
    if getattr(random, payload.__name__, None) == payload:
        return _draw(ctx, Global("random", RANDOM, sys.modules["random"], resolved=True), payload.__name__, args, kwargs, node)
    if not path or spelled != payload.__name__:
        return None
    return _draw(ctx, Global(path, RANDOM, payload.__self__, resolved=True), spelled, args, kwargs, node)


def _draw(
    ctx: Lowering, source: Value, name: str, args: list[Entity], kwargs: dict[str, Entity], node: Any
) -> Entity:
    """``source.name(...)``: a draw with a rule where no argument may vary, else a program of such draws."""
    target, program = f"source.{name}", method_of(random.Random, "random", name)
    given = [*args, *kwargs.values()]
    is_plain = not any(isinstance(one, Value) and not isinstance(one, Const) and is_differentiable(one.kind) for one in given)
    of_numbers = name not in OF_ITEMS or bool(args) and _is_range(args[0])
    if registry.lookup(target) is not None and (program is None or is_plain and of_numbers):
        return primitive(ctx, target, [source, *args], kwargs, node)
    if program is None:
        ctx.refuse(node, f"the method {name!r} of random.Random", "it is no draw that is known", "a draw by another method")
    return apply(ctx, Static(program, name), [source, *args], kwargs, node)


def _is_range(entity: Entity) -> bool:
    return entity.direct is not None if isinstance(entity, Iteration) else isinstance(entity, Value) and entity.kind == RANGE


OF_ITEMS = ("choices", "sample")  # the rules are those of ranges

CALLS = Calls({}, _method_outside, _method)

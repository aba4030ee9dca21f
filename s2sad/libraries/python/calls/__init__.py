"""Calls of Python's library that are more than a primitive: methods of loggers, which tell people something once."""

from __future__ import annotations

import types
from typing import Any

from s2sad.frontend.entities import Entity, Method, Static
from s2sad.frontend.lower.calls import primitive
from s2sad.frontend.lower.library_calls import Calls
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import OBJECT
from s2sad.ir.nodes import Global, Value
from s2sad.rules import registry
from s2sad.rules.failures import LOGGER, TELL

TOLD = {f"logging.Logger.{name}" for name in TELL}


def _method_outside(
    ctx: Lowering, function: Static, args: list[Entity], kwargs: dict[str, Entity], node: Any
) -> Entity | None:
    """``log.debug(...)`` of a logger that has a name outside."""
    payload, path = function.payload, function.path
    target = registry.name_of(payload.__func__) if isinstance(payload, types.MethodType) else None
    if target not in TOLD or not path:
        return None
    logger = Global(path.rpartition(".")[0], OBJECT, payload.__self__, resolved=True)
    return primitive(ctx, target, [logger, *args], kwargs, node)


def _method(ctx: Lowering, bound: Method, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """``logging.getLogger(name).debug(...)``: of a logger that the program asks for."""
    owner = bound.owner
    if not isinstance(owner, Value) or owner.kind != LOGGER or bound.name not in TELL:
        return None
    return primitive(ctx, f"logging.Logger.{bound.name}", [owner, *args], kwargs, node)


CALLS = Calls({}, _method_outside, _method)

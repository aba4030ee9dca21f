"""Calls that are lowered at the place of the call, in a frame of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gast

from s2sad.errors import S2sadError
from s2sad.frontend.entities import (
    Closure,
    Entity,
    Iteration,
    Method,
    Partial,
    flatten,
)
from s2sad.frontend.lower.dispatch import block
from s2sad.frontend.lower.signatures import bind_arguments, body_of, frame_for
from s2sad.frontend.lower.state import Lowering

MAX_INLINE_DEPTH = 40


MAX_INLINED = 1000  # calls in one function


def inline(
    lw: Lowering,
    definition: gast.FunctionDef,
    outer: Any,
    place: tuple[Any, Any, Any] | None,
    args: list[Entity],
    kwargs: dict[str, Entity],
    node: gast.AST,
    defaults: Mapping[str, Entity] = {},
) -> Entity:
    """Lower the callee's body at the place of the call, in a frame of its own."""
    lw.inlined += 1
    if lw.depth >= MAX_INLINE_DEPTH or lw.inlined > MAX_INLINED:
        lw.refuse(
            node, f"the recursive call of {definition.name}",
            "a recursive function that writes into its arguments, or takes functions, cannot be unrolled",
            "return new values from the recursion",
        )  # fmt: skip
    bound = bind_arguments(lw, definition, args, kwargs, node, place[2] if place else None, outer, defaults)
    frame = frame_for(definition, lw.frame if outer is None else outer, place)
    saved, loc = lw.frame, lw.builder.loc
    lw.frame = frame
    lw.depth += 1
    try:
        for name, entity in bound.items():
            lw.variables[(frame, name)] = entity
        block(lw, body_of(definition, frame.source))
    except S2sadError as error:
        if error.location is None:
            error.locate(frame.source.location(definition))
        raise
    finally:
        lw.frame, lw.builder.loc = saved, loc
        lw.depth -= 1
    assert frame.result is not None
    if not any(isinstance(leaf, Closure | Partial | Method | Iteration) for leaf in flatten(frame.result)):
        for key in [k for k in lw.variables if k[0] is frame]:
            del lw.variables[key]
    return frame.result

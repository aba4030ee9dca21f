"""Calls that are lowered at the place of the call, in a frame of their own; recursive ones as functions of their own."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
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
from s2sad.frontend.lower import generators
from s2sad.frontend.lower.callees import place_of
from s2sad.frontend.lower.choices import owners_behind
from s2sad.frontend.lower.dispatch import block
from s2sad.frontend.lower.lifting import call_lifted, signature
from s2sad.frontend.lower.lists import bound_writable
from s2sad.frontend.lower.progress import Following, returned
from s2sad.frontend.lower.signatures import bind_arguments, body_of, frame_for
from s2sad.frontend.lower.state import Frame, Lowering, Place, Repeats
from s2sad.frontend.normal.generators import is_generator
from s2sad.ir.nodes import Undef

MAX_INLINE_DEPTH = 40


MAX_INLINED = 1000  # calls in one function


def inline(
    ctx: Lowering,
    definition: gast.FunctionDef,
    outer: Any,
    place: tuple[Any, Any, Any] | None,
    args: list[Entity],
    kwargs: dict[str, Entity],
    node: gast.AST,
    defaults: Mapping[str, Entity] = {},
) -> Entity:
    """Lower the callee's body at the place of the call, in a frame of its own."""
    home = place[:2] if place is not None else None
    bound = bind_arguments(ctx, definition, args, kwargs, node, place[2] if place else None, outer, defaults, home)
    if is_generator(definition):
        around = ctx.frame if outer is None else outer
        form = generators.form_of(definition, around.source if place is None else place[0], False)
        return generators.made(ctx, definition, frame_for(form, around, place), bound, node)
    frame = frame_for(definition, ctx.frame if outer is None else outer, place)
    at = place_of(definition, frame.source)
    if at in ctx.program.repeating:
        result = call_lifted(ctx, definition, outer, place, bound, node)
        if result is not None:
            return result
    entry = (at, signature(bound, outer))
    _look_for_repeats(ctx, entry, definition, node)
    ctx.inlined += 1
    saved, loc = ctx.frame, ctx.builder.loc
    ctx.frame = frame
    ctx.depth += 1
    ctx.stack.append(entry)
    try:
        for name, entity in bound_writable(ctx, bound, frame.written).items():
            ctx.variables[(frame, name)] = entity
        body = body_of(definition, frame.source)
        if isinstance(ctx.progress, Following):
            return ctx.progress.call(ctx, lambda: _followed(ctx, frame, body))
        block(ctx, body)
    except S2sadError as error:
        if error.location is None:
            error.locate(frame.source.location(definition))
        raise
    finally:
        ctx.frame, ctx.builder.loc = saved, loc
        ctx.depth -= 1
        ctx.stack.pop()
    return _leave(ctx, frame, frame.result or Undef())


def _leave(ctx: Lowering, frame: Frame, result: Entity) -> Entity:
    """The result of a call, whose names are gone where nothing in it sees them."""
    if not _is_seen(ctx, frame) and not any(isinstance(e, Closure | Partial | Method | Iteration) for e in flatten(result)):
        for key in [k for k in ctx.variables if k[0] is frame]:
            del ctx.variables[key]
    return result


def _is_seen(ctx: Lowering, frame: Frame) -> bool:
    """Presence of a function that was defined in a frame: in a field of an object, in a list of handlers."""
    others = [entity for key, entity in ctx.variables.items() if key[0] is not frame] if frame.defines else []
    return any(frame in owners_behind(entity, ctx.variables) for entity in others)


def _followed(ctx: Lowering, frame: Frame, body: list[gast.stmt]) -> Entity:
    frame.followed = True
    block(ctx, body)
    return _leave(ctx, frame, returned(ctx, frame))


def _look_for_repeats(ctx: Lowering, entry: tuple[Place, Hashable], definition: gast.FunctionDef, node: gast.AST) -> None:
    """Stop at a call within itself that would go on like this; one that follows a structure comes to its end."""
    if entry in ctx.stack and entry[0] not in ctx.program.repeating:
        raise Repeats(entry[0])
    if ctx.depth < MAX_INLINE_DEPTH and ctx.inlined <= MAX_INLINED:
        return
    places = [place for place, _ in ctx.stack] + [entry[0]]
    for place in places:
        if places.count(place) > 1 and place not in ctx.program.repeating:
            raise Repeats(place)
    ctx.refuse(
        node, f"the recursive call of {definition.name}",
        "it can neither be unrolled nor made a function of its own", "return new values from the recursion",
    )  # fmt: skip

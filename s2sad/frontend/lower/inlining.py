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
from s2sad.frontend.lower.lists import writable
from s2sad.frontend.lower.progress import Following, returned
from s2sad.frontend.lower.signatures import bind_arguments, body_of, frame_for
from s2sad.frontend.lower.state import Frame, Lowering, Place, Repeats
from s2sad.frontend.normal.generators import is_generator

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
    home = place[:2] if place is not None else None
    bound = bind_arguments(lw, definition, args, kwargs, node, place[2] if place else None, outer, defaults, home)
    if is_generator(definition):
        around = lw.frame if outer is None else outer
        form = generators.form_of(definition, around.source if place is None else place[0], False)
        return generators.made(lw, definition, frame_for(form, around, place), bound, node)
    frame = frame_for(definition, lw.frame if outer is None else outer, place)
    at = place_of(definition, frame.source)
    if at in lw.program.repeating:
        result = call_lifted(lw, definition, outer, place, bound, node)
        if result is not None:
            return result
    entry = (at, signature(bound, outer))
    _look_for_repeats(lw, entry, definition, node)
    lw.inlined += 1
    saved, loc = lw.frame, lw.builder.loc
    lw.frame = frame
    lw.depth += 1
    lw.stack.append(entry)
    try:
        for name, entity in bound.items():
            lw.variables[(frame, name)] = writable(lw, entity) if name in frame.written else entity
        body = body_of(definition, frame.source)
        if isinstance(lw.progress, Following):
            return lw.progress.call(lw, lambda: _followed(lw, frame, body))
        block(lw, body)
    except S2sadError as error:
        if error.location is None:
            error.locate(frame.source.location(definition))
        raise
    finally:
        lw.frame, lw.builder.loc = saved, loc
        lw.depth -= 1
        lw.stack.pop()
    assert frame.result is not None
    return _leave(lw, frame, frame.result)


def _leave(lw: Lowering, frame: Frame, result: Entity) -> Entity:
    """The result of a call, whose names are gone where nothing in it sees them."""
    if not _is_seen(lw, frame) and not any(isinstance(e, Closure | Partial | Method | Iteration) for e in flatten(result)):
        for key in [k for k in lw.variables if k[0] is frame]:
            del lw.variables[key]
    return result


def _is_seen(lw: Lowering, frame: Frame) -> bool:
    """Whether a function that was defined in a frame is still there: in a field of an object, in a list of handlers."""
    others = [entity for key, entity in lw.variables.items() if key[0] is not frame] if frame.defines else []
    return any(frame in owners_behind(entity, lw.variables) for entity in others)


def _followed(lw: Lowering, frame: Frame, body: list[gast.stmt]) -> Entity:
    block(lw, body)
    return _leave(lw, frame, returned(lw, frame))


def _look_for_repeats(lw: Lowering, entry: tuple[Place, Hashable], definition: gast.FunctionDef, node: gast.AST) -> None:
    """Stop at a call within itself that would go on like this; one that follows a structure comes to its end."""
    if entry in lw.stack and entry[0] not in lw.program.repeating:
        raise Repeats(entry[0])
    if lw.depth < MAX_INLINE_DEPTH and lw.inlined <= MAX_INLINED:
        return
    places = [place for place, _ in lw.stack] + [entry[0]]
    for place in places:
        if places.count(place) > 1 and place not in lw.program.repeating:
            raise Repeats(place)
    lw.refuse(
        node, f"the recursive call of {definition.name}",
        "it can neither be unrolled nor made a function of its own", "return new values from the recursion",
    )  # fmt: skip

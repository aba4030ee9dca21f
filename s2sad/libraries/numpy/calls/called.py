"""NumPy's objects that are called: generators' draws, functions for items that were made outside, methods of ufuncs."""

from __future__ import annotations

from typing import Any

from s2sad.frontend.entities import Entity, Static
from s2sad.frontend.lower.calls import primitive
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.state import Lowering
from s2sad.libraries.numpy.calls import draws, functional, ufuncs


def called_object(
    ctx: Lowering, function: Static, args: list[Entity], kwargs: dict[str, Entity], node: Any
) -> Entity | None:
    """The call of such an object; None of others."""
    payload = function.payload
    draw = draws.drawn(ctx, function, args, kwargs, node)
    if draw is not None:
        return draw
    of_items = functional.vectorized(payload)
    if of_items is not None:
        return apply(ctx, of_items, args, kwargs, node)
    outer = ufuncs.outer_of(payload)
    if outer is not None:
        return primitive(ctx, outer, ufuncs.outer_arguments(ctx, args, node), kwargs, node)
    in_turn = ufuncs.in_turn_of(payload)
    if in_turn is not None:
        return ufuncs.in_turn(ctx, in_turn, args, node)
    return ufuncs.one_by_one(ctx, function, args, kwargs, node)

"""Calls of libraries that are more than a primitive: what rooms say of them, in ``CALLS`` of their ``calls``.

solve_ivp(f, (0, 1), y0)        the function f becomes one of the generated program
stats.norm(mu).logpdf(x)        an object of the library, whose methods have rules
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from s2sad.frontend.entities import Entity, Method, Static
from s2sad.frontend.lower.state import Lowering
from s2sad.rules.rooms import Room, room_of, rooms

Handler = Callable[[Lowering, list[Entity], dict[str, Entity], Any], Entity]


@dataclass(frozen=True)
class Calls:
    """The lowering of a library's calls: by canonical names, and of its objects and their methods (None: some other call)."""

    table: Mapping[str, Handler]
    of_object: Callable[[Lowering, Static, list[Entity], dict[str, Entity], Any], Entity | None] = lambda *_: None
    method: Callable[[Lowering, Method, list[Entity], dict[str, Entity], Any], Entity | None] = lambda *_: None


def calls_of(room: Room) -> Calls:
    """The part of a room about calls."""
    corner = room.corner("calls")
    found: Calls = NONE if corner is None else corner.CALLS
    return found


NONE = Calls({})


def handler_of(target: str | None) -> Handler | None:
    """The function that lowers calls of a primitive, where its library has one."""
    room = None if target is None else room_of(target)
    return None if room is None or target is None else calls_of(room).table.get(target)


def call_of_object(
    ctx: Lowering, function: Static, args: list[Entity], kwargs: dict[str, Entity], node: Any
) -> Entity | None:
    """The call of an object that a library knows; None for others."""
    found = (calls.of_object(ctx, function, args, kwargs, node) for calls in _used())
    return next((entity for entity in found if entity is not None), None)


def call_of_method(ctx: Lowering, bound: Method, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """The call of a method of such an object; None for others."""
    found = (calls.method(ctx, bound, args, kwargs, node) for calls in _used())
    return next((entity for entity in found if entity is not None), None)


def _used() -> Iterator[Calls]:
    return (calls_of(room) for room in rooms() if room.is_used)

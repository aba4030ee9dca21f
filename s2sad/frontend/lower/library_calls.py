"""Calls of libraries that are more than a primitive: what rooms say of them, in ``CALLS`` of their ``calls``.

solve_ivp(f, (0, 1), y0)        the function f becomes one of the generated program
np.append(x, y)                 a function that is written out in terms of others
stats.norm(mu).logpdf(x)        an object of the library, whose methods have rules
np.r_[x, y], a.flat = v         an object that is subscripted, an attribute that is stored into
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from s2sad.frontend.entities import Entity, Method, Static
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.nodes import Value
from s2sad.rules.rooms import Room, room_of, rooms

Handler = Callable[[Lowering, list[Entity], dict[str, Entity], Any], Entity]
Writer = Callable[[Lowering, list[Entity], dict[str, Entity], Any], Entity | None]


@dataclass(frozen=True)
class Calls:
    """The lowering of a library's calls: by canonical names; of its objects and their methods; of methods of values; of objects
    that are subscripted; of attributes that are stored into; by functions, of what is ``written_out`` in terms of others.

    None, and False of ``set_attribute``: it is some other one.
    """

    table: Mapping[str, Handler]
    of_object: Callable[[Lowering, Static, list[Entity], dict[str, Entity], Any], Entity | None] = lambda *_: None
    method: Callable[[Lowering, Method, list[Entity], dict[str, Entity], Any], Entity | None] = lambda *_: None
    of_value: Callable[[Lowering, Value, str, list[Entity], dict[str, Entity], Any], Entity | None] = lambda *_: None
    subscripted: Callable[[Lowering, Any, Entity, Any], Entity | None] = lambda *_: None
    set_attribute: Callable[[Lowering, Entity, str, Entity, Any], bool] = lambda *_: False
    written_out: Mapping[Any, Writer] = field(default_factory=dict)


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


def writers_of(function: Any) -> Iterator[Writer]:
    """The functions that write out calls of one of a library's."""
    return (calls.written_out[function] for calls in _used() if function in calls.written_out)


def call_of_object(
    ctx: Lowering, function: Static, args: list[Entity], kwargs: dict[str, Entity], node: Any
) -> Entity | None:
    """The call of an object that a library knows; None for others."""
    return _first(calls.of_object(ctx, function, args, kwargs, node) for calls in _used())


def call_of_method(ctx: Lowering, bound: Method, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    """The call of a method of such an object; None for others."""
    return _first(calls.method(ctx, bound, args, kwargs, node) for calls in _used())


def call_of_value(
    ctx: Lowering, value: Value, name: str, args: list[Entity], kwargs: dict[str, Entity], node: Any
) -> Entity | None:
    """The call of a method of a value that a library knows; None of primitives and others."""
    return _first(calls.of_value(ctx, value, name, args, kwargs, node) for calls in _used())


def subscripted(ctx: Lowering, payload: Any, index: Entity, node: Any) -> Entity | None:
    """A subscript of a library's object, such as ``np.r_[x, y]``; None of other objects."""
    return _first(calls.subscripted(ctx, payload, index, node) for calls in _used())


def set_attribute(ctx: Lowering, owner: Entity, name: str, entity: Entity, node: Any) -> bool:
    """Store into an attribute of a library's value, ``a.flat = v``. Whether this is one."""
    return any(calls.set_attribute(ctx, owner, name, entity, node) for calls in _used())


def _first(found: Iterator[Entity | None]) -> Entity | None:
    return next((entity for entity in found if entity is not None), None)


def _used() -> Iterator[Calls]:
    return (calls_of(room) for room in rooms() if room.is_used)

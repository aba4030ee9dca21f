"""What an expression can be while a function is lowered: a run-time value, or something known at compile time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import gast

from s2sad.frontend.source import Source
from s2sad.ir.nodes import LEAF, Structure, Value


@dataclass(frozen=True)
class Known:
    """A compile-time object: a function, a module, a class. ``path`` is how generated code may spell it."""

    payload: Any
    path: str = ""


@dataclass(frozen=True)
class Static:
    """A function or module that was found in source without executing it; ``scope`` resolves its names."""

    source: Source
    scope: Any


@dataclass(eq=False)
class Aggregate:
    """A tuple (or a list that is never written) whose items are known one by one."""

    items: list[Entity]
    kind: str = "tuple"
    keys: tuple[Any, ...] = ()  # of a dict that is returned


@dataclass(eq=False)
class Box:
    """A mutable record: a dict with constant keys, or an object. Its fields are variables of the lowering."""

    label: str
    kind: str = "dict"
    cls: type | None = None
    keys: list[Any] = field(default_factory=list)


@dataclass(eq=False)
class Closure:
    """A nested function or lambda, with the frame in which it was defined."""

    node: gast.FunctionDef
    frame: Any


@dataclass(eq=False)
class Method:
    """``owner.name`` before it is called."""

    owner: Entity
    name: str


@dataclass(eq=False)
class Partial:
    """``functools.partial(function, *args, **kwargs)``."""

    function: Entity
    args: list[Entity]
    kwargs: dict[str, Entity]


@dataclass(eq=False)
class Iteration:
    """Something to loop over: ``length`` items, each made by ``item(index)``; or static ``items``."""

    length: Value | None = None
    item: Callable[[Value], Entity] | None = None
    items: list[Entity] | None = None
    direct: Value | None = None  # a range: its items are the loop variable itself


@dataclass(eq=False)
class Poison:
    """A name that cannot be used any more, and why (it was bound to different things on two paths)."""

    why: str


Entity = Value | Known | Static | Aggregate | Box | Closure | Method | Partial | Iteration | Poison


def flatten(entity: Entity) -> Iterator[Entity]:
    """The leaves of nested aggregates."""
    if isinstance(entity, Aggregate):
        for item in entity.items:
            yield from flatten(item)
    else:
        yield entity


def rebuild(entity: Entity, leaves: Iterator[Any]) -> Entity:
    """An entity of the same structure with other leaves."""
    if isinstance(entity, Aggregate):
        return Aggregate([rebuild(item, leaves) for item in entity.items], entity.kind, entity.keys)
    leaf: Entity = next(leaves)
    return leaf


def structure_of(entity: Entity) -> Structure:
    """The structure of a returned entity."""
    if isinstance(entity, Aggregate):
        return Structure(entity.kind, tuple(map(structure_of, entity.items)), entity.keys)
    return LEAF


def same_structure(a: Entity, b: Entity) -> bool:
    """Whether two entities have the same nesting of aggregates."""
    return structure_of(a) == structure_of(b)

"""Names that are None on some paths and hold a tuple, an object or a function on others: a flag, and what they hold.

    best = None                                  found, value, place = False, <unbound>, <unbound>
    for k, x in enumerate(xs):                   for k, x in enumerate(xs):
        if best is None or x < best[0]:   ==>        if not found or x < value:
            best = (x, k)                                found, value, place = True, x, k

(Numbers and arrays need none of this: None is a value that they can have when the program runs.)
"""

from __future__ import annotations

from s2sad.frontend.entities import (
    Bounded,
    Choice,
    Entity,
    Members,
    SourceFunction,
    Static,
    Struct,
    with_values,
)
from s2sad.ir.kinds import Array, List, Scalar, StructKind
from s2sad.ir.nodes import Const, Undef, Value

MAYBE = "maybe"
TAPED = (Array, Scalar, List)


def is_maybe(entity: object) -> bool:
    """Test for a flag with what is held where the flag is true."""
    return isinstance(entity, Struct) and entity.kind == MAYBE


def is_none(entity: object) -> bool:
    """Test for None, literally."""
    return isinstance(entity, Const) and entity.payload is None


def held(entity: Entity) -> Entity:
    """The held entity, where it is known not to be None (or the program would fail by itself)."""
    return entity.items[1] if isinstance(entity, Struct) and entity.kind == MAYBE else entity


def seen(entity: Entity) -> Entity:
    """The entity that is read from: the items of a deque that may hold so many and no more, or of a set."""
    return entity.items if isinstance(entity, Bounded | Members) else entity


def flag(entity: Entity) -> Entity:
    """The stand-in of an entity in a test: the flag of one that may be None."""
    entity = seen(entity)
    return entity.items[0] if isinstance(entity, Struct) and entity.kind == MAYBE else entity


def alike(a: Entity, b: Entity) -> tuple[Entity, Entity]:
    """Two entities that meet behind a branch or loop, in one form if one may be None and the other is a structure."""
    optional = [is_none(e) or is_maybe(e) for e in (a, b)]
    structures = [_is_structure(e) for e in (a, b)]
    if not any(optional) or not any(structures) or (is_maybe(a) and is_maybe(b)):
        return a, b
    if not all(o or s for o, s in zip(optional, structures, strict=True)):
        return a, b
    return _lifted(a, b), _lifted(b, a)


def _is_structure(entity: Entity) -> bool:
    """Test for an entity that is no number or array: of a list or dict the adjoint is one, too, and None has none."""
    if isinstance(entity, Value):
        return isinstance(entity.kind, List | StructKind)
    return isinstance(entity, Struct | Choice | Static | SourceFunction)


def meets_none(a: Entity, b: Entity) -> bool:
    """Test for two values of which one is None, and the other a list or dict."""
    return is_none(a) and _is_structure(b) or is_none(b) and _is_structure(a)


def holds_value(entity: object) -> bool:
    """Test for an entity that may be None, and is a value that is None itself where the flag is false: an item of what a
    recursive function tapes, whose kind says what else it is."""
    return is_maybe(entity) and type(entity.items[1]) is Value and isinstance(entity.items[1].kind, TAPED)  # type: ignore[attr-defined]


def are_values(a: Entity, b: Entity, tapes: bool) -> bool:
    """Test for two entities that meet and are such ones, or are to become one. ``tapes``: in a function that tapes."""
    if not all(is_none(e) or holds_value(e) or isinstance(e, Value) and isinstance(e.kind, TAPED) for e in (a, b)):
        return False
    return holds_value(a) or holds_value(b) or tapes and is_none(a) != is_none(b)


def value_or_none(entity: Entity) -> Entity:
    """A value, or None, with a flag."""
    return entity if is_maybe(entity) else Struct([Const(not is_none(entity)), entity], MAYBE)


def absent(entity: Entity) -> Entity:
    """An entity on a path where it is not bound: nothing at run time, and at compile time what it will be."""
    return with_values(entity, iter(Undef, None))


def _lifted(entity: Entity, other: Entity) -> Entity:
    if is_maybe(entity):
        return entity
    if is_none(entity):
        return Struct([Const(False), absent(held(other))], MAYBE)
    return Struct([Const(True), entity], MAYBE)

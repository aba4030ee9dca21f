"""Deques and sets outside, found where a program reads or changes them: from then on they are followed (``gathered``).

A deque is followed wherever it is read; a set once it is changed, for one that is not may be known.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from s2sad.frontend.entities import Entity, Static
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.again import Again
from s2sad.ir.nodes import Value

CHANGES = {"add", "clear", "difference_update", "discard", "intersection_update", "pop", "remove", "symmetric_difference_update",
           "update"}  # fmt: skip


def read(ctx: Lowering, entity: Entity) -> Entity:
    """An entity that is read: a deque outside is to be followed from now on."""
    root, payload = _found(ctx, entity)
    if type(payload) is deque and root is not None:
        _follow(ctx, root)
    return entity


def changed(ctx: Lowering, entity: Entity, name: str) -> None:
    """Follow a set outside from now on, if this is one, and the method called ``name`` changes sets."""
    root, payload = _found(ctx, entity)
    if type(payload) is set and root is not None and name in CHANGES:
        _follow(ctx, root)


def _found(ctx: Lowering, entity: Entity) -> tuple[Static | None, Any]:
    """The deque or set outside that an entity is, and by what it is reached."""
    if isinstance(entity, Static):
        return entity, entity.payload
    return ctx.containers.get(entity, (None, None)) if isinstance(entity, Value) else (None, None)


def _follow(ctx: Lowering, root: Static) -> None:
    """Lower the program again, with what is outside as a call of the function finds it; nothing where no call comes first."""
    ctx.program.after_a_call()
    if ctx.program.replayed and not any(root.payload is known.payload for known in ctx.program.outside):
        raise Again(outside=(root,))

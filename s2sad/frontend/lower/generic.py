"""``functools.singledispatch``, also of methods: which implementation is called follows from the class of the first argument.

    area(Circle(r))          ==>          the function that was registered for Circle
"""

from __future__ import annotations

import types
from typing import Any

from s2sad.frontend import observe
from s2sad.frontend.entities import Entity, Record, Static, Struct
from s2sad.frontend.lower import objects
from s2sad.frontend.lower.builtin_calls import example
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.maybe import held
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import UNSURE
from s2sad.ir.nodes import Const, Value


def is_generic(payload: Any) -> bool:
    """Test for a function made by ``singledispatch``."""
    return isinstance(payload, types.FunctionType) and hasattr(payload, "registry") and hasattr(payload, "dispatch")


def implementation(ctx: Lowering, payload: Any, args: list[Entity], node: Any) -> Entity:
    """The function that is called with these arguments."""
    cls = _class_of(held(args[0])) if args else None
    if cls is None:
        ctx.refuse(node, f"calling {payload.__name__} here", "the class of its first argument is not known", "the function meant")
    found = observe.dispatched(payload, cls)
    return Static(found, getattr(found, "__name__", ""))


def _of_method(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    owner, cls, dispatcher, *given = args
    assert isinstance(cls, Static) and isinstance(dispatcher, Static)
    chosen = implementation(ctx, dispatcher.payload, given, node)
    assert isinstance(chosen, Static)
    bound = objects.bind(chosen.payload, owner, cls.payload)
    if bound is None:
        ctx.refuse(node, f"calling {chosen.path} here", "its source cannot be found", "a method written in Python")
    return apply(ctx, bound, given, kwargs, node)


TABLE = {objects.by_class: _of_method}


def _class_of(entity: Entity) -> type | None:
    if isinstance(entity, Record):
        sort = entity.sort
        return entity.cls or (None if entity.kind != "dict" or sort == UNSURE else dict if sort is None else sort.cls)
    if isinstance(entity, Struct):
        return entity.cls or {"tuple": tuple, "list": list}.get(entity.kind)
    if isinstance(entity, Const | Static):
        return type(entity.payload)
    like = example(entity.kind) if isinstance(entity, Value) else None
    return None if like is None else type(like)

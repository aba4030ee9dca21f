"""Objects of classes on top of ``list``, ``dict`` and ``OrderedDict``: what they hold as such is a field of its own.

    class Sequential(list):                     box.CONTENTS = [f, g]
        def __call__(self, x):          ==>     for layer in box.CONTENTS:
            for layer in self:                      x = layer(x)
                x = layer(x)                    y = x
            return x
    y = Sequential([f, g])(x)

What the class itself has no method for, its contents are asked.
"""

from __future__ import annotations

import collections
import types
from typing import Any

import gast

from s2sad.frontend import observe
from s2sad.frontend.entities import CONTENTS, Entity, Record, Static
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.state import Lowering

BASES = (list, collections.OrderedDict, dict)
READ = {
    list: ("__iter__", "__len__", "__getitem__"),
    dict: ("__iter__", "__len__", "__getitem__", "__missing__", "__contains__", "keys", "values", "items", "get"),
}


def base_of(cls: type | None) -> type | None:
    """The built-in class that an object is on top of; None of others, and of what has a way of its own to be made."""
    base = None if cls is None else next((base for base in BASES if observe.subclass(cls, base)), None)
    if cls is None or base is None or issubclass(cls, collections.Counter | collections.defaultdict):
        return None
    return base if observe.member(cls, "__new__") is observe.member(base, "__new__") else None


def is_based(entity: Entity) -> bool:
    """Test for an object that is a list or dict, too."""
    return isinstance(entity, Record) and entity.kind == "object" and base_of(entity.cls) is not None


def contents(ctx: Lowering, entity: Entity, *methods: str) -> Entity:
    """The entity for an object where it is used as the list or dict that it is, unless its class has one of these methods.

    Without ``methods``: where it is read as a whole.
    """
    if not isinstance(entity, Record) or not is_based(entity):
        return entity
    kind = list if observe.subclass(entity.cls, list) else dict  # type: ignore[arg-type]
    if any(is_written(entity.cls, name) for name in methods or READ[kind]):
        return entity
    return ctx.variables[(entity, CONTENTS)]


def is_written(cls: type | None, name: str) -> bool:
    """Test for a class that has something of its own under a name, in place of what the built-in class has."""
    found, base = observe.member(cls, name), base_of(cls)  # type: ignore[arg-type]
    return found is not observe.ABSENT and found is not observe.member(base, name)  # type: ignore[arg-type]


def of_base(found: Any) -> bool:
    """Test for a method that a list or dict has by itself."""
    return isinstance(found, types.MethodDescriptorType | types.WrapperDescriptorType) and found.__objclass__ in BASES


def made(ctx: Lowering, cls: type | None, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Entity:
    """The first contents of an object of the class: ``list(items)``, ``dict(items, name=value)``."""
    base = base_of(cls)
    assert base is not None
    return apply(ctx, Static(base, base.__name__), args, kwargs, node)

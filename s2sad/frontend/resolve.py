"""The meaning of a global name: one interface, for live functions and for files that are never executed."""

from __future__ import annotations

import builtins
import enum
import re
import sys
import types
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from s2sad.frontend import observe
from s2sad.frontend.entities import Entity, Static, Struct
from s2sad.ir.kinds import Array, Dim, Kind, check_type, kind_of
from s2sad.ir.nodes import Const, Global

LITERAL_TYPES = (bool, int, float, complex, str, type(None))


class Scope(Protocol):
    """Resolves the names that a function does not bind itself."""

    def resolve(self, name: str) -> Entity | None:
        """The entity behind a name; None if it is not defined."""

    def member(self, owner: Any, name: str) -> Any:
        """An attribute of an object that is known at compile time. Raises AttributeError where it may not be looked at."""


def entity_of(value: Any, path: str) -> Entity:
    """A live object as an entity: numbers and arrays become values, everything else is known at compile time."""
    if value is sys.modules:
        return Static(value, path)
    check_type(value)
    if type(value) in LITERAL_TYPES or value is ...:
        return Const(value) if not path else Global(path, kind_of(value), value, resolved=True)
    if is_tree(value):
        return Struct([entity_of(item, "") for item in value])
    if isinstance(value, np.ndarray):
        return Global(path, sized(value), value, resolved=True)
    if isinstance(value, np.generic | list | tuple | dict) and not isinstance(value, enum.Enum):
        return Global(path, kind_of(value), value, resolved=True)
    return Static(value, path)


def sized(array: np.ndarray[Any, Any]) -> Kind:
    """The kind of an array outside: each of its sizes has a name, by which what is computed from it is known to fit."""
    kind = kind_of(array)
    assert isinstance(kind, Array)
    known = observe.shape_relied_on(array)
    if known is not None:
        return Array(kind.dtype, known)
    return Array(kind.dtype, tuple(Dim(("outside", id(array), k)) for k in range(array.ndim)))


def default_name(function: types.FunctionType, parameter: str) -> str:
    """The name by which generated modules refer to a default that is no literal."""
    return re.sub(r"\W", "", f"{function.__name__}_{parameter}_default")


def is_tree(value: Any) -> bool:
    """Test for a tuple of literals and tuples of those, with text in it: what it says decides what is done."""
    leaves = list(_leaves(value)) if type(value) is tuple else []
    return any(isinstance(v, str) for v in leaves) and all(isinstance(v, LITERAL_TYPES) for v in leaves)


def _leaves(value: Any) -> Iterator[Any]:
    if type(value) is tuple:
        for item in value:
            yield from _leaves(item)
    else:
        yield value


class LiveScope:
    """The closure, globals and builtins of a live function."""

    def __init__(self, function: types.FunctionType) -> None:
        self.function = function

    def resolve(self, name: str) -> Entity | None:
        value, builtin = observe.name_of(self.function, name)
        if value is observe.ABSENT:
            return None
        if builtin and value is getattr(builtins, name, None):
            return Static(value, f"builtins.{name}")
        path = getattr(value, "__name__", name) if issubclass(type(value), types.ModuleType) else name
        return entity_of(value, path)

    def member(self, owner: Any, name: str) -> Any:
        """The attribute of a live object, as the function would find it."""
        found = observe.attribute(owner, name)
        if found is observe.ABSENT:
            raise AttributeError(f"{getattr(owner, '__name__', None) or type(owner).__name__} has no {name}")
        return found

"""Library modules that may be imported to find out what a name means, and what counts as public in them.

A program that is transformed decides by its text what is looked up. Hence the fixed table, which the rooms of libraries make
up (``rules/rooms.py``; whoever installs another one trusts it): importing these modules does nothing but define things, and
nothing is reached through them that is not a public member of one of them. Modules that others happen to have imported
(``s2sad.cache.os``), submodules that act when they are imported (``numpy.f2py.__main__``) and members that lead out
(``__call__``, ``__globals__``) are not there.
"""

from __future__ import annotations

import importlib
import types
from functools import cache
from typing import Any

from s2sad.rules.rooms import LANGUAGE, room_of, rooms

OURS = ("s2sad", "s2sad.runtime")  # the second one is what generated modules import


def is_listed(name: str) -> bool:
    """Test for a module of the table: its library's room lists it."""
    room = room_of(name)
    return name in OURS or (room is not None and name in room.modules)


@cache
def roots() -> frozenset[str]:
    """The packages of the table."""
    known = (room.modules if room.root == LANGUAGE else (room.root,) for room in rooms())
    return frozenset(("s2sad", *(name.partition(".")[0] for names in known for name in names)))


def module(name: str) -> types.ModuleType | None:
    """The module of the table with this name; None for any other. Raises ImportError where it is not installed."""
    return importlib.import_module(name) if is_listed(name) else None


def member(owner: Any, name: str) -> Any:
    """The public ``owner.name`` of a module of the table, or of what such a module has; else raises AttributeError."""
    if name.startswith("_"):
        raise AttributeError(f"{name} is not public")
    found = _of_module(owner, name) if isinstance(owner, types.ModuleType) else getattr(owner, name)
    if isinstance(owner, types.ModuleType) and _has_settings(owner) and not callable(found) and not name.isupper():
        raise AttributeError(f"what {owner.__name__}.{name} is, is known only as the program runs")
    if isinstance(found, types.ModuleType) and not _is_listed(found):
        raise AttributeError(f"the module {found.__name__} is not one of those that may be looked into")
    return found


def _has_settings(module: types.ModuleType) -> bool:
    room = room_of(module.__name__)
    return room is not None and module.__name__ in room.settings


def _of_module(owner: types.ModuleType, name: str) -> Any:
    """A member of a module, without asking a ``__getattr__`` of its own, which may import anything."""
    listed = module(f"{owner.__name__}.{name}")
    if listed is not None:
        return listed
    public = vars(owner).get("__all__")
    if not _is_listed(owner) or name not in vars(owner) or public is not None and name not in public:
        raise AttributeError(f"{owner.__name__} has no public {name}")
    return vars(owner)[name]


def _is_listed(found: types.ModuleType) -> bool:
    return is_listed(found.__name__) or found.__name__ in CALLED_OTHERWISE


# Modules of the table by the names that they give themselves.
CALLED_OTHERWISE = {"numpy.lib._scimath_impl"}

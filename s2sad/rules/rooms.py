"""Rooms: what is known of a library stands in one package, which is found by its place and never named.

    scipy/
        rules/      tables of rules, with the lines of effects: all of its modules are imported where SciPy is used
        prelude/    functions of SciPy as programs in the accepted language
        runtime/    what generated programs may call

A room is a folder of ``s2sad.libraries``, or a package of another distribution that an entry point names::

    [project.entry-points."s2sad.libraries"]
    mylib = "mylib_for_s2sad"               # entered by programs that import mylib

A corner that a library has no use for may be absent. Nothing here is imported before it is used.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec

OURS = "s2sad.libraries"
GROUP = "s2sad.libraries"
LANGUAGE = "python"  # the room of what needs no import
SHARED = "s2sad.runtime"  # the helpers of all libraries


@dataclass(frozen=True)
class Room:
    """The room of a library: ``root`` is the module that a program imports which uses it."""

    root: str
    package: str

    @property
    def is_used(self) -> bool:
        """Whether a program may use the library: it has been imported."""
        return self.root == LANGUAGE or self.root in sys.modules

    @property
    def runtime(self) -> str:
        """The package of what generated programs may call."""
        return f"{self.package}.runtime"

    @property
    def tables(self) -> list[str]:
        """The modules of rules."""
        name = f"{self.package}.rules"
        if find_spec(name) is None:
            return []
        return sorted(f"{name}.{found.name}" for found in pkgutil.iter_modules(importlib.import_module(name).__path__))


@cache
def rooms() -> tuple[Room, ...]:
    """All rooms: our own first."""
    folders = pkgutil.iter_modules(importlib.import_module(OURS).__path__)
    own = sorted(found.name for found in folders)
    given = sorted((point.name, point.value) for point in entry_points(group=GROUP))
    return (*(Room(name, f"{OURS}.{name}") for name in own), *(Room(*pair) for pair in given))


def room_of_helper(name: str) -> Room | None:
    """The room that has a helper of generated programs; None for what is no library's helper."""
    return next((room for room in rooms() if name.startswith(f"{room.runtime}.")), None)


@cache
def helper_packages() -> tuple[str, ...]:
    """The packages that generated programs may import helpers from."""
    return (SHARED, "s2sad.loop_runtime", *(room.runtime for room in rooms()))

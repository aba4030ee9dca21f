"""Rooms: what is known of a library stands in one package, which is found by its place and never named.

    scipy/
        __init__.py     MODULES: which of its modules may be imported to find out what a name means;
                        SETTINGS: those of them whose data are settings
        rules/          tables of rules, with the lines of effects: all of its modules are imported where SciPy is used
        prelude/        PRELUDE (a Prelude): functions of SciPy as programs in the accepted language
        calls/          CALLS (frontend/lower/library_calls.py): calls that are more than a primitive
        runtime/        what generated programs may call
        not_written.py  reason(name) -> (why, instead) or None: names without a rule; CONSTANT_ARGUMENTS, which need none

A room is a folder of ``s2sad.libraries``, or a package of another distribution that an entry point names::

    [project.entry-points."s2sad.libraries"]
    mylib = "mylib_for_s2sad"               # entered by programs that import mylib

A corner that a library has no use for may be absent. Nothing here is imported before it is used.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec
from typing import Any

from s2sad.errors import S2sadError

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
        """Permission for a program to use the library: it has been imported."""
        return self.root == LANGUAGE or self.root in sys.modules

    @property
    def modules(self) -> tuple[str, ...]:
        """The library's modules that may be imported to find out what a name means."""
        found: tuple[str, ...] = importlib.import_module(self.package).MODULES
        return found

    @property
    def settings(self) -> tuple[str, ...]:
        """The modules among them whose data, apart from constants in capitals, change or differ from machine to machine."""
        found: tuple[str, ...] = getattr(importlib.import_module(self.package), "SETTINGS", ())
        return found

    @property
    def is_ours(self) -> bool:
        """Test for a library that comes with s2sad."""
        return self.package.startswith(f"{OURS}.")

    @property
    def runtime(self) -> str:
        """The package of what generated programs may call."""
        return f"{self.package}.runtime"

    @property
    def tables(self) -> list[str]:
        """The modules of rules."""
        rules = self.corner("rules")
        return [] if rules is None else sorted(f"{rules.__name__}.{found.name}" for found in pkgutil.iter_modules(rules.__path__))

    @cache  # noqa: B019  there are few rooms, and they stay
    def corner(self, name: str) -> Any:
        """A module of the room, imported now; None where there is none of this name."""
        path = f"{self.package}.{name}"
        try:
            return None if find_spec(path) is None else importlib.import_module(path)
        except ImportError as error:
            if self.is_ours:
                raise
            raise S2sadError(
                f"what {self.package} knows of {self.root} cannot be imported",
                why=f"{error}; an entry point of {GROUP} names it", instead="an installation of it that is whole, or none",
            ) from error  # fmt: skip


@dataclass(frozen=True)
class Prelude:
    """The programs that stand for functions and classes of a library, by the names of these (``rules/preludes.py``)."""

    topics: Mapping[str, tuple[str, ...]]  # the modules of programs, with the modules of the library of which they have functions
    double: frozenset[str] = frozenset()  # what computes in double precision, whatever it is given
    same: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # the arguments whose single precision the results have
    complex: frozenset[str] = frozenset()  # what gives complex numbers for real ones
    real: frozenset[str] = frozenset()  # programs that hold for real numbers alone
    no_half: frozenset[str] = frozenset()  # topics where the library takes half precision and the programs do not
    axes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # how many arguments may have at most


@cache
def rooms() -> tuple[Room, ...]:
    """All rooms: our own first."""
    folders = pkgutil.iter_modules(importlib.import_module(OURS).__path__)
    own = sorted(found.name for found in folders)
    return (*(Room(name, f"{OURS}.{name}") for name in own), *(Room(*pair) for pair in _named_by_others()))


def _named_by_others() -> list[tuple[str, str]]:
    """The libraries that entry points name, each with its package."""
    if not _may_be_named():
        return []
    from importlib.metadata import entry_points

    return sorted((point.name, point.value) for point in entry_points(group=GROUP))


def _may_be_named() -> bool:
    """Test for a distribution that may have an entry point of ours: False where all lie in folders, and no file mentions it.

    To import what reads entry points takes as long as a fifth of the rest of s2sad.
    """
    if any(hasattr(finder, "find_distributions") and finder is not PathFinder for finder in sys.meta_path):
        return True
    return any(_mentions_ours(folder) for folder in sys.path)


def _mentions_ours(folder: Any) -> bool:
    """Test for a folder of the path where a distribution may have an entry point of ours."""
    if not isinstance(folder, str):
        return True
    try:
        inside = os.listdir(folder or ".")
    except OSError:
        return os.path.isfile(folder)  # an archive
    for name in inside:
        if name.lower().endswith(("dist-info", "egg-info")):
            try:
                with open(os.path.join(folder, name, "entry_points.txt"), "rb") as file:
                    if GROUP.encode() in file.read():
                        return True
            except OSError:
                continue
    return False


def room_of_helper(name: str) -> Room | None:
    """The room that has a helper of generated programs; None for what is no library's helper."""
    return next((room for room in rooms() if name.startswith(f"{room.runtime}.")), None)


def room_of(name: str) -> Room | None:
    """The room of the library that has what bears a canonical name, or of whose helpers it is one."""
    root = name.partition(".")[0]
    owner = {"ndarray": "numpy"}.get(root, LANGUAGE if root in sys.stdlib_module_names else root)
    return next((room for room in rooms() if room.root == owner or name.startswith(f"{room.package}.")), None)


@cache
def helper_packages() -> tuple[str, ...]:
    """The packages that generated programs may import helpers from."""
    return (SHARED, "s2sad.loop_runtime", *(room.runtime for room in rooms()))


@cache
def prelude_packages() -> tuple[str, ...]:
    """The beginnings of the names of modules with programs that stand for functions of libraries."""
    return tuple(f"{room.package}.prelude." for room in rooms())

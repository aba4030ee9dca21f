"""Room for programs that are nested deeply, and for long ones.

A sum of a thousand terms is a tree of a thousand levels. The front end and the passes follow the nesting of a program by
recursion, about four frames a level. Python allows a thousand frames; these are plain Python frames, which take no room on the
C stack, so that a few thousand are safe.

A program is a large graph of small objects, almost all of which live until its text stands. Python looks for garbage after each
700 objects more, through graphs like this one again and again: meanwhile it does so more seldom.
"""

from __future__ import annotations

import functools
import gc
import sys
import threading
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

from s2sad.errors import Location, UnsupportedSyntaxError

P = ParamSpec("P")
R = TypeVar("R")
FRAMES = 6000
LEVELS = 99  # of indentation, which Python allows
YOUNG = 200_000  # objects that are made before Python looks for garbage among them


class _Setting(Generic[R]):
    """A setting of the process that may be changed for a while; whoever changes it meanwhile has the last word."""

    def __init__(self, get: Callable[[], R], put: Callable[[R], None], roomy: Callable[[R], R]) -> None:
        self.get, self.put, self.roomy = get, put, roomy
        self.before = self.lent = get()

    def lend(self) -> None:
        """Change it."""
        self.before = self.get()
        self.lent = self.roomy(self.before)
        self.put(self.lent)

    def give_back(self) -> None:
        """Restore it."""
        if self.get() == self.lent:
            self.put(self.before)


def _seldom(thresholds: tuple[int, ...]) -> tuple[int, ...]:
    first, *others = thresholds
    return (max(first, YOUNG), *others) if first else thresholds  # 0: never


SETTINGS: tuple[_Setting[Any], ...] = (
    _Setting(sys.getrecursionlimit, sys.setrecursionlimit, lambda limit: max(limit, FRAMES)),
    _Setting(gc.get_threshold, lambda thresholds: gc.set_threshold(*thresholds), _seldom),
)
_lock = threading.Lock()
_users = 0


def with_room(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function recurse more deeply, and make more before garbage is looked for.

    Where that is not deep enough, raise UnsupportedSyntaxError.
    """

    @functools.wraps(function)
    def roomy(*args: P.args, **kwargs: P.kwargs) -> R:
        _enter()
        try:
            return function(*args, **kwargs)
        except RecursionError as error:
            raise too_deep("its expressions or branches are nested too deeply to be followed") from error
        finally:
            _leave()

    return roomy


def check_levels(text: str) -> None:
    """Raise UnsupportedSyntaxError for a program that Python would not read."""
    if any(line.startswith(" " * 4 * LEVELS) for line in text.splitlines()):
        raise too_deep(f"the branches of its derivative are nested more than {LEVELS} levels deep, which Python does not read")


def too_deep(why: str, location: Location | None = None) -> UnsupportedSyntaxError:
    """The refusal of a program."""
    return UnsupportedSyntaxError(
        "this program is nested too deeply to be differentiated", location=location, why=why,
        instead="functions of its parts, a loop, or a list",
    )  # fmt: skip


def _enter() -> None:
    global _users  # noqa: PLW0603  (the settings are the process's)
    with _lock:
        if _users == 0:
            for setting in SETTINGS:
                setting.lend()
        _users += 1


def _leave() -> None:
    global _users  # noqa: PLW0603
    with _lock:
        _users -= 1
        if _users == 0:
            for setting in SETTINGS:
                setting.give_back()

"""Room for programs that are nested deeply: a sum of a thousand terms is a tree of a thousand levels.

The front end and the passes follow the nesting of a program by recursion, about four frames a level. Python allows a thousand
frames; these are plain Python frames, which take no room on the C stack, so that a few thousand are safe.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from s2sad.errors import UnsupportedSyntaxError

P = ParamSpec("P")
R = TypeVar("R")
FRAMES = 6000
LEVELS = 99  # of indentation, which Python allows
_lock = threading.Lock()
_users = 0
_before = 0


def with_room(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function recurse more deeply; where that is not enough, raise UnsupportedSyntaxError."""

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


def too_deep(why: str) -> UnsupportedSyntaxError:
    """The refusal of a program."""
    return UnsupportedSyntaxError(
        "this program is nested too deeply to be differentiated", why=why, instead="functions of its parts, a loop, or a list"
    )


def _enter() -> None:
    global _users, _before  # noqa: PLW0603  (the limit is the process's)
    with _lock:
        if _users == 0:
            _before = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_before, FRAMES))
        _users += 1


def _leave() -> None:
    global _users  # noqa: PLW0603
    with _lock:
        _users -= 1
        if _users == 0 and sys.getrecursionlimit() == max(_before, FRAMES):
            sys.setrecursionlimit(_before)

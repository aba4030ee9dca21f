"""The checked mode (``S2SAD_VERIFY=1``): generated programs run under watch, and what is taken of memory is compared with it.

Wherever a line of a generated function is reached,

- arrays that share memory are of one alias class, if one of them is of a class that is written;
- arrays of classes that nobody writes, which is what tapes rely upon, hold what they held when they came into sight;
- what is certainly a window shares memory with what it is a window of, where it gets its name;

and in the end the arrays of the caller hold what they held. Raises CompilerError, which names function, line and variables.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from types import FrameType
from typing import Any

import numpy as np

from s2sad.errors import CompilerError

ITEM = "*"  # the key of any item of a container
KEPT = 4096  # modules
LARGE = 4096  # items; of larger arrays contents are not compared
LOOKS = 50_000  # at arrays and what holds them, in one call of a program; then the watch ends
DEEP, MANY = 3, 64  # of what containers hold, as many items, the last ones


@dataclass(frozen=True)
class Claims:
    """The classes that each variable of a function may refer to, those of what a class holds by key, and which are written.

    Of what a class holds under a key that is not there, nothing is claimed, nor of what stands in ``folded`` ones. ``windows``:
    variables that are always windows of one of some others. ``given``: the class of an argument whose name other values have,
    too, of other classes.
    """

    classes: Mapping[str, frozenset[int]]
    held: Mapping[int, Mapping[object, int]]
    written: frozenset[int]
    windows: Mapping[str, frozenset[str]] = field(default_factory=dict)
    given: Mapping[str, int] = field(default_factory=dict)
    _under: dict[tuple[frozenset[int], object], frozenset[int]] = field(default_factory=dict)

    @cached_property
    def folded(self) -> frozenset[int]:
        """The classes that stand for a tape of a recursion and for all that it holds, of which a part is written."""
        return frozenset(k for k in self.written if self.held.get(k, {}).get(ITEM) == k)

    def numbered(self, variables: Sequence[str]) -> Claims:
        """The same of a function whose variables are called by their places among ``variables``."""
        return self._renamed({name: str(k) for k, name in enumerate(variables)})

    def named(self, variables: Sequence[str]) -> Claims:
        """The same of a function whose variables are ``variables``, where they have numbers for names."""
        return self._renamed({str(k): name for k, name in enumerate(variables)})

    def _renamed(self, names: Mapping[str, str]) -> Claims:
        windows = {v: found for v, found in self.windows.items() if found | {v} <= names.keys()}
        return replace(
            self,
            classes={names[v]: found for v, found in self.classes.items() if v in names},
            windows={names[v]: frozenset(names[base] for base in found) for v, found in windows.items()},
            given={names[v]: found for v, found in self.given.items() if v in names},
        )

    def under(self, classes: frozenset[int], key: object) -> frozenset[int]:
        """The classes of what such containers hold under a key; none where nothing is claimed."""
        found = self._under.get((classes, key))
        if found is None:
            inner = [self.held.get(k, {}) for k in classes]
            claimed = all(key in held or ITEM in held for held in inner)
            found = frozenset(held[key] if key in held else held[ITEM] for held in inner) if claimed else frozenset()
            self._under[classes, key] = found = found if found.isdisjoint(self.folded) else frozenset()
        return found


Table = Mapping[str, tuple[Claims, ...]]  # by function; of one that stands for several, the claims of each
_of: dict[str, Table] = {}  # by the text of the module


def wanted() -> bool:
    """Choice of the checked mode for generated programs."""
    return os.environ.get("S2SAD_VERIFY") == "1"


def note(text: str, claims: Table) -> None:
    """Keep the claims of a module."""
    _of[text] = claims
    while len(_of) > KEPT:
        _of.pop(next(iter(_of)))


def of_text(text: str) -> Table:
    """The claims of a module by function; none where it was made in another process."""
    return _of.get(text, {})


def run(function: Callable[..., Any], claims: Table, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """Call a generated function under watch. Raises CompilerError where memory is not what it was taken to be."""
    watch = _Watch(claims, getattr(function, "__globals__", {}))
    given = {f"argument {k}": x for k, x in [*enumerate(args), *keywords.items()]}
    before = {name: [(x, x.tobytes()) for x in _arrays(value)] for name, value in given.items()}
    outer = sys.gettrace()
    sys.settrace(watch.called)
    try:
        result = function(*args, **keywords)
    finally:
        sys.settrace(outer)
    for name, held in before.items():
        if any(x.tobytes() != contents for x, contents in held):
            watch.found.append(f"{name} of the caller has been written")
    if watch.found:
        raise CompilerError(
            f"memory is not what it was taken to be: {watch.found[0]}",
            why="a mistake of s2sad, or of the line of effects of a rule, which the checked mode has seen",
            instead="please report it, with the function",
        )
    return result


def _arrays(value: Any, depth: int = 0) -> Iterator[np.ndarray]:
    """The arrays in a value."""
    if isinstance(value, np.ndarray):
        if value.size and value.dtype != object:
            yield value
    elif isinstance(value, list | tuple | dict) and depth < DEEP:
        for item in [*value.values()][-MANY:] if isinstance(value, dict) else value[-MANY:]:
            yield from _arrays(item, depth + 1)


class _Watch:
    """The watch over one call of a program."""

    def __init__(self, claims: Table, module: Mapping[str, Any]) -> None:
        self.claims = claims
        self.module = module
        self.found: list[str] = []
        self.left = LOOKS

    def called(self, frame: FrameType, event: str, arg: Any) -> Any:
        """The trace function of a call: functions of the module are watched, others are not."""
        if frame.f_globals is not self.module or frame.f_code.co_name not in self.claims or self.found or self.left < 0:
            return None
        return _Call(self, [_Frame(self, claims) for claims in self.claims[frame.f_code.co_name]]).line


@dataclass
class _Seen:
    """An array, the classes that it may be of, and what it held when it came into sight, if nobody writes it."""

    array: np.ndarray
    classes: set[int]
    name: str
    contents: bytes | None


@dataclass
class _Call:
    """One call of a function; of several that are written alike, nobody knows which it is: the claims of one hold."""

    watch: _Watch
    frames: list[_Frame]

    def line(self, frame: FrameType, event: str, arg: Any) -> Any:
        """The trace function of a line."""
        if event in ("line", "return") and not self.watch.found and self.watch.left >= 0:
            problems = [each.look(frame.f_locals) for each in self.frames]
            self.frames = [each for each, problem in zip(self.frames, problems, strict=True) if problem is None]
            if not self.frames:
                self.watch.found.append(f"{frame.f_code.co_name}, before line {frame.f_lineno}: {problems[0]}")
        return self.line


class _Frame:
    """The arrays that one call of a function has had in sight."""

    def __init__(self, watch: _Watch, claims: Claims) -> None:
        self.watch = watch
        self.claims = claims
        self.seen: dict[int, _Seen] = {}
        self.named: dict[str, Any] = {}  # windows, as they were when their names were looked at last
        self.entry: dict[str, Any] = {}  # arguments, as they were at entry

    def look(self, variables: Mapping[str, Any]) -> str | None:
        """The fault of the memory in sight; None if there is none."""
        self.entry = self.entry or {name: variables.get(name) for name in self.claims.given}
        return self._parted(variables) or self._look(variables)

    def _classes(self, name: str, value: Any) -> frozenset[int]:
        """The classes that a variable may be of: not that of the argument of its name, once it is another value."""
        found = self.claims.classes.get(name, frozenset())
        return found - {self.claims.given[name]} if name in self.entry and value is not self.entry[name] else found

    def _parted(self, variables: Mapping[str, Any]) -> str | None:
        """The fault of a window that has got its name, and has memory of its own."""
        for name, bases in self.claims.windows.items():
            array = variables.get(name)
            if array is self.named.get(name):
                continue
            self.named[name] = array
            given = [variables[base] for base in bases if isinstance(variables.get(base), np.ndarray)]
            if not isinstance(array, np.ndarray) or not array.size or len(given) < len(bases):
                continue
            if not any(np.may_share_memory(array, base) for base in given):
                return f"{name} has memory of its own, and is taken for a window of {' or '.join(sorted(bases))}"
        return None

    def _look(self, variables: Mapping[str, Any]) -> str | None:
        present: dict[int, tuple[np.ndarray, set[int], str]] = {}
        for name, value in variables.items():
            for array, classes in self._claimed(value, self._classes(name, value)):
                _, known, other = present.setdefault(id(array), (array, set(classes), name))
                if not known.isdisjoint(classes):
                    known &= classes  # what a name may be on other paths says less
                elif self._surely_written(known, classes):
                    return f"{name} and {other} are one array, and are taken to share no memory"
                else:
                    known |= classes
        self.watch.left -= len(present)
        for key, (array, known, name) in present.items():
            old = self.seen.get(key)
            if old is not None and old.array is array and known <= old.classes:
                found = self._changed(old)
            else:
                found = self._shared(key, array, known, name, present)
                fixed = self.claims.written.isdisjoint(known) and array.size <= LARGE
                self.seen[key] = _Seen(array, known, name, array.tobytes() if fixed else None)
                self.watch.left -= len(present)
            if found:
                return found
        self.seen = {key: entry for key, entry in self.seen.items() if key in present}
        return None

    def _claimed(self, value: Any, classes: frozenset[int], depth: int = 0) -> Iterator[tuple[np.ndarray, frozenset[int]]]:
        """The arrays in a value, with their classes, where any are claimed."""
        self.watch.left -= 1
        if isinstance(value, np.ndarray) and classes:
            yield from ((array, classes) for array in _arrays(value))
        elif isinstance(value, list | tuple | dict) and classes and depth < DEEP:
            first = max(len(value) - MANY, 0)
            items = islice(value.items(), first, None) if isinstance(value, dict) else enumerate(value[first:], first)
            for key, item in items:
                if isinstance(item, np.ndarray | list | tuple | dict):
                    yield from self._claimed(item, self.claims.under(classes, key), depth + 1)

    def _surely_written(self, *arrays: set[int] | frozenset[int]) -> bool:
        """Test for an array of classes that are all written: a name may have stood for what is only read, too."""
        return any(classes <= self.claims.written for classes in arrays)

    def _changed(self, old: _Seen) -> str | None:
        """The fault of an array that nobody writes, if it has changed since it came into sight."""
        if old.contents is None or old.array.tobytes() == old.contents:
            return None
        return f"{old.name} has changed, which nobody is taken to write"

    def _shared(
        self, key: int, array: np.ndarray, classes: set[int], name: str, present: Mapping[int, tuple[np.ndarray, set[int], str]]
    ) -> str | None:
        """The fault of an array that shares memory with one of another class, where either is written."""
        for other_key, (other, others, other_name) in present.items():
            if other_key == key or not classes.isdisjoint(others):
                continue
            if not self._surely_written(classes, others) or not np.may_share_memory(array, other):
                continue
            if np.shares_memory(array, other):
                return f"{name} and {other_name} share memory, and are taken to share none"
        return None

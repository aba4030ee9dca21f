"""Moments: what a program finds outside of its arguments, as it was. A value and its derivative belong to one evaluation.

    value, pullback = vjp(f, x)     # W, m.scale and the state of rng are remembered as they are now
    W *= 2.0; m.scale = 3.0         # f reads them
    pullback(1.0)                   # runs with what f saw; then all is as it was before this call

Constants are written out in the program, which is kept. What it reads when it runs (arrays, objects, containers) and where its
random numbers come from is put back while it runs: only what differs is written, so that a world at rest is not touched.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import os
import random
import sys
import threading
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad.errors import ActivityError
from s2sad.ir.kinds import BOUND, PARTIAL
from s2sad.trees import IDENTIFIED, copied, identify, parts

SEEDED = ("default_rng", "RandomState", "Random", "seed", "SeedSequence", "MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")
DRAWING = {"random", "rvs"}  # names by which modules draw


in_place = threading.RLock()  # the world is one for all threads
if hasattr(os, "register_at_fork"):  # a child is of one thread, which finds no other one's moment in place
    os.register_at_fork(before=in_place.acquire, after_in_parent=in_place.release, after_in_child=in_place.release)


@functools.cache
def _numpys() -> tuple[type, ...]:
    """NumPy's sources of random numbers: its generators, and what these draw from."""
    return np.random.Generator, np.random.RandomState, np.random.BitGenerator


def sources() -> tuple[type, ...]:
    """The classes of sources of random numbers. NumPy imports its own for who asks: until somebody does, nothing is of them."""
    return (random.Random, *_numpys()) if "numpy.random" in sys.modules else (random.Random,)


def _shared() -> tuple[Any, ...]:
    """The sources behind the functions of NumPy's and of Python's module."""
    return np.random.mtrand._rand, random._inst


def within(roots: Iterable[Any]) -> Iterator[Any]:
    """All that is in these objects, themselves included, each once."""
    seen: dict[int, Any] = {}
    rest = [*roots][::-1]
    while rest:
        thing = rest.pop()
        if id(thing) in seen:
            continue
        seen[id(thing)] = thing
        yield thing
        rest += (_inner(thing) or [])[::-1]


def _inner(thing: Any) -> list[Any] | None:
    """The things directly in a thing; None for one without parts."""
    if isinstance(thing, types.CellType):
        return [thing.cell_contents]
    if isinstance(thing, ClassAttribute):
        return [thing.get()]
    if isinstance(thing, set | deque):
        return [*thing]
    if isinstance(thing, functools.partial | types.MethodType):
        return [getattr(thing, part) for part in (PARTIAL if isinstance(thing, functools.partial) else BOUND)]
    if isinstance(thing, np.ndarray | type):
        return None
    if type(thing).__module__.partition(".")[0] in ("numpy", "scipy"):  # such as matrices with few entries
        return [vars(thing)] if hasattr(thing, "__dict__") else None
    items = parts(thing)
    return None if items is None else [*items.values()]


def sources_in(values: Iterable[Any]) -> list[Any]:
    """The sources of random numbers in these objects."""
    classes = sources()
    return [thing for thing in within(values) if isinstance(thing, classes)]


def not_copied(values: Iterable[Any]) -> list[Any]:
    """The things that ``trees.copied`` hands on as they are and that can be changed."""
    kinds, classes = (np.ndarray, types.CellType), sources()
    return [
        thing for thing in within(values)
        if isinstance(thing, classes)
        or type(thing) in IDENTIFIED
        or (parts(thing) is None and _inner(thing) is not None and not isinstance(thing, kinds))
    ]


def note_identified(text: str, values: Iterable[Any]) -> None:
    """Note the classes of the objects in these values, where a program asks which object something is: a copy is another one."""
    if " is " not in text:
        return
    asked = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Compare) and isinstance(n.ops[0], ast.Is | ast.IsNot)]
    if not all(isinstance(side, ast.Constant) for n in asked for side in n.comparators):
        identify(within(values))


def on_copies(function: Callable[..., Any], args: Iterable[Any], named: Mapping[str, Any]) -> Any:
    """The value of a function, of copies of its arguments. Objects that are not copied, as somebody asks which they are, are
    again as they were afterwards."""
    scratch, further = copied((list(args), dict(named)))
    kept = [thing for thing in within((scratch, further)) if type(thing) in IDENTIFIED] if IDENTIFIED else []
    if not kept:
        return function(*scratch, **further)
    moment = Moment(kept)
    try:
        return copied(function(*scratch, **further))
    finally:
        moment.put()


def draws_anew(text: str) -> bool:
    """Test for a program that may make a source of random numbers, or seed one, by what the operating system gives."""
    if not any(f"{name}(" in text for name in SEEDED):
        return False
    nodes = [*ast.walk(ast.parse(text))]
    loose = any(_is_none(v) for n in nodes if isinstance(n, ast.Assign | ast.IfExp) for v in ast.iter_child_nodes(n))
    calls = [n for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in SEEDED]
    given = [[*call.args, *(k.value for k in call.keywords)] for call in calls]
    return any(all(_is_none(v) or (loose and not isinstance(v, ast.Constant)) for v in values) for values in given)


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def read_by(text: str, slots: Iterable[Any]) -> tuple[Any, ...]:
    """The things that a program reads when it runs and that can be changed meanwhile."""
    classes = (np.ndarray, *sources())
    found = [thing for thing in slots if isinstance(thing, classes) or _inner(thing) is not None]
    return (*found, *_shared()) if "random" in text or "rvs" in text else tuple(found)  # also those of scipy.stats


def behind(functions: Iterable[types.FunctionType], is_known: Callable[[str], bool]) -> list[Any]:
    """The things that the functions of users which these call may read or change outside of their arguments: in their cells,
    modules and objects, and by what they call in turn. ``is_known``: of a module that belongs to no user."""
    roots = [thing for function in functions for thing in _named(function, is_known)]
    done: set[int] = set()
    while new := [thing for thing in within(roots) if id(thing) not in done]:
        for thing in new:
            done.add(id(thing))
            roots += [other for function in _codes(thing, is_known) for other in _named(function, is_known)]
    return roots


def _codes(thing: Any, is_known: Callable[[str], bool]) -> list[types.FunctionType]:
    """The functions of users' that a call of a thing, or of a method of it, may run."""
    inner = thing.__wrapped__ if isinstance(thing, functools._lru_cache_wrapper) else thing
    if isinstance(inner, types.FunctionType):
        return [] if is_known(inner.__module__ or "") else [inner]
    classes = (thing if isinstance(thing, type) else type(thing)).__mro__
    members = [found for cls in classes if not is_known(cls.__module__) for found in vars(cls).values()]
    return [found for found in members if isinstance(found, types.FunctionType)]


def _named(function: types.FunctionType, is_known: Callable[[str], bool]) -> list[Any]:
    """The things outside that the code of a function names, as they are now; what is no function, with its name."""
    names = _names(function.__code__)
    space, home = function.__globals__, sys.modules.get(str(function.__module__))
    found: list[Any] = [cell for cell in function.__closure__ or () if _is_filled(cell)]
    for name in names & space.keys():
        value = space[name]
        if isinstance(value, types.ModuleType | type):
            if isinstance(value, types.ModuleType) and names & DRAWING:
                found += _shared()
            users = not is_known(value.__name__ if isinstance(value, types.ModuleType) else value.__module__)
            inner = [(each, vars(value)[each]) for each in names & vars(value).keys()]
            found += [_under(value if users else None, *pair) for pair in inner]
            found.append(value)
        else:
            found.append(_under(home if home is not None and space is vars(home) else None, name, value))
    objects = [thing for thing in found if not isinstance(thing, types.ModuleType)]
    return [thing for thing in objects if not (_is_object(thing) and is_known(type(thing).__module__))]


def _under(owner: Any, name: str, value: Any) -> Any:
    """A thing with its name in a module or class, which may be given to another one; a function without."""
    return value if owner is None or callable(value) or isinstance(value, types.ModuleType) else ClassAttribute(owner, name)


@functools.cache
def _names(code: types.CodeType) -> frozenset[str]:
    """The names that a code, and those in it, look up outside."""
    return frozenset(code.co_names).union(*(_names(const) for const in code.co_consts if isinstance(const, types.CodeType)))


def _is_object(thing: Any) -> bool:
    return not isinstance(thing, tuple | list | dict | ClassAttribute) and parts(thing) is not None


def _is_filled(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


@dataclass(frozen=True)
class ClassAttribute:
    """An attribute of a class, or of a function, that a program writes; or a name of a module, or in a cell."""

    cls: Any
    name: str

    def get(self) -> Any:
        """Its value."""
        return self.cls.cell_contents if isinstance(self.cls, types.CellType) else vars(self.cls)[self.name]

    def put(self, value: Any) -> None:
        """Give it a value."""
        setattr(self.cls, "cell_contents" if isinstance(self.cls, types.CellType) else self.name, value)


_replays = threading.local()


def is_replayed() -> bool:
    """Test for a run in this thread of what was run before, as a call that told what it has to tell."""
    return getattr(_replays, "depth", 0) > 0


@contextlib.contextmanager
def replay(moment: contextlib.AbstractContextManager[Any]) -> Iterator[None]:
    """The state that a call found, for its derivatives: with what it left behind untouched, and told once."""
    _replays.depth = getattr(_replays, "depth", 0) + 1
    try:
        with moment:
            yield
    finally:
        _replays.depth -= 1


class Moment:
    """The contents of objects at one moment, put in place within ``with``; afterwards they are again as before it.

    Raises ActivityError for an array that has been given another shape, or can no longer be written.
    """

    def __init__(self, roots: Iterable[Any]) -> None:
        self.things = [thing for thing in within(roots) if _state(thing) is not None]
        self.held = [*map(_state, self.things)]
        self.left: list[list[Any]] = []  # what is outside each ``with``, innermost last

    def with_more(self, other: Moment) -> Moment:
        """This moment, with what another one of the same time holds besides."""
        known = {*map(id, self.things)}
        for thing, held in zip(other.things, other.held, strict=True):
            if id(thing) not in known:
                self.things.append(thing)
                self.held.append(held)
        return self

    def __enter__(self) -> None:
        in_place.acquire()
        self.left.append([*map(_state, self.things)])
        try:
            self.put()
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        try:
            self._put(self.left.pop())
        finally:
            in_place.release()

    def put(self) -> None:
        """Put everything back for good."""
        self._put(self.held)

    def _put(self, held: list[Any]) -> None:
        for thing, state in zip(self.things, held, strict=True):
            if not _same(_state(thing), state):
                _set(thing, state)


def _state(thing: Any) -> Any:
    """The part of a thing itself that can be changed, in a new container; None for what cannot be changed."""
    if isinstance(thing, np.ndarray):
        return thing.copy(order="K")
    if isinstance(thing, sources()):
        return _drawn_so_far(thing)
    if isinstance(thing, types.CellType):
        return [thing.cell_contents]
    if isinstance(thing, ClassAttribute):
        return [thing.get()]
    if isinstance(thing, list | set | deque):
        return list(thing)
    return None if isinstance(thing, tuple) else parts(thing)


def _drawn_so_far(source: Any) -> Any:
    """The state of a source of random numbers."""
    if isinstance(source, random.Random):
        return [*source.getstate()]
    if isinstance(source, np.random.RandomState):
        return source.get_state(legacy=False)
    return source.bit_generator.state if isinstance(source, np.random.Generator) else source.state


def _set_source(source: Any, state: Any) -> None:
    """Have a source of NumPy's draw on from a state."""
    if isinstance(source, np.random.RandomState):
        source.set_state(state)
    elif isinstance(source, np.random.Generator):
        source.bit_generator.state = state
    else:
        source.state = state


def _same(now: Any, then: Any) -> bool:
    if isinstance(now, np.ndarray):
        return bool(now.shape == then.shape and now.dtype == then.dtype and now.tobytes() == then.tobytes())
    if isinstance(now, dict):
        return list(now) == list(then) and all(now[key] is then[key] for key in now)
    return len(now) == len(then) and all(a is b for a, b in zip(now, then, strict=True))


def _set(thing: Any, state: Any) -> None:
    if isinstance(thing, np.ndarray):
        if thing.shape != state.shape or thing.dtype != state.dtype or not thing.flags.writeable:
            raise ActivityError(
                f"an array of shape {state.shape} that the function reads has been changed since its value was computed",
                why="it cannot be put back while the derivative is computed", instead="the array as an argument",
            )  # fmt: skip
        thing[...] = state
    elif isinstance(thing, random.Random):
        thing.setstate((*state,))
    elif isinstance(thing, sources()):
        _set_source(thing, state)
    elif isinstance(thing, types.CellType):
        (thing.cell_contents,) = state
    elif isinstance(thing, ClassAttribute):
        thing.put(*state)
    elif isinstance(thing, list):
        thing[:] = state
    elif isinstance(thing, dict | set | deque):
        thing.clear()
        (thing.extend if isinstance(thing, deque) else thing.update)(state)
    else:
        for key in (parts(thing) or {}).keys() - state.keys():
            object.__delattr__(thing, key)
        for key, item in state.items():
            object.__setattr__(thing, key, item)


def print_of(text: str, roots: Iterable[Any]) -> str:
    """A mark of a program and of what it reads: equal in two processes whose worlds are alike for it."""
    found, classes = hashlib.sha256(text.encode()), sources()
    for thing in within(roots):
        if isinstance(thing, np.ndarray):
            found.update(f"{thing.dtype} {thing.shape}".encode() + thing.tobytes())
        elif isinstance(thing, classes):
            found.update(repr(_state(thing)).encode())
        elif parts(thing) is not None:
            found.update(f"{type(thing).__qualname__} {[*(parts(thing) or {})]}".encode())
        else:
            found.update(f"{type(thing).__qualname__} {thing if isinstance(thing, PLAIN) else ''}".encode())
    return found.hexdigest()


PLAIN = (bool, int, float, complex, str, type(None), np.generic)

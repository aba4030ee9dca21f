"""Programs that change what is outside of them: second derivatives against differences, and what is left as a call leaves it."""

from __future__ import annotations

import copy
import random
import sys
import types
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from programs.libraries import library_programs
from thinning import thinned

from s2sad import grad, hvp, jvp
from s2sad.moments import Moment

TOPICS = (
    "accumulators", "draws", "exceptions_that_count", "fixed_objects", "objects_as_keys", "texts_of_objects", "values_outside",
    "windows_outside", "flags", "exceptions_that_tell", "optimisers", "linked", "previous",
    "sentinels", "budgets", "methods_by_class",
)  # fmt: skip
PROGRAMS = {name: f for name, f in library_programs().items() if name.partition(".")[0] in TOPICS}
SHARED = (random._inst,)  # type: ignore[attr-defined]


def roots(function: Any) -> list[Any]:
    """What a module and the functions around a program hold."""
    held = [v for v in vars(sys.modules[function.__module__]).values() if not isinstance(v, type | types.ModuleType)]
    others = [v for v in held if not isinstance(v, types.FunctionType)]
    return [*others, *(c for v in held for c in getattr(v, "__closure__", None) or ()), *SHARED]


def told(thing: Any) -> Any:
    """A thing as text, in which equal contents are equal."""
    if isinstance(thing, random.Random):
        return hash(thing.getstate())
    if isinstance(thing, set | frozenset):
        return sorted(map(repr, thing))
    if isinstance(thing, types.CellType):
        return told(thing.cell_contents)
    if isinstance(thing, list | tuple | deque):
        return [type(thing).__name__, getattr(thing, "maxlen", None), *map(told, thing)]
    if isinstance(thing, dict):
        return [[repr(k), told(v)] for k, v in thing.items()]
    return told(vars(thing)) if hasattr(thing, "__dict__") and not isinstance(thing, types.FunctionType) else repr(thing)


@pytest.fixture(params=thinned(PROGRAMS, 6))
def program(request: pytest.FixtureRequest) -> Iterator[tuple[Callable[..., Any], Any, Moment]]:
    """A program, where it is tried (nobody else leaves such numbers, at which a maximum would have a kink), and the world that it
    finds, which stays."""
    function = PROGRAMS[request.param]
    at = 1.37 if function.__code__.co_varnames[0] == "s" else np.array([0.7, 1.3, 2.1])
    random.seed(7)
    moment = Moment(roots(function))
    yield function, at, moment
    moment.put()


def test_second_derivatives(program: Any) -> None:
    function, at, moment = program
    along = np.ones_like(at)

    def slope(y: Any) -> Any:
        moment.put()
        return np.vdot(grad(function)(y), along)

    wanted = (slope(at + 1e-5 * along) - slope(at - 1e-5 * along)) / 2e-5
    for way in (lambda: hvp(function, (at,), (along,))[1], lambda: grad(lambda y: np.vdot(grad(function)(y), along))(at),
                lambda: jvp(grad(function), (at,), (along,))[1]):  # fmt: skip
        moment.put()
        assert np.isclose(np.vdot(way(), along), wanted, rtol=2e-4, atol=1e-6)


def test_what_is_left(program: Any) -> None:
    function, at, moment = program
    function(copy.copy(at))
    left = told(roots(function))
    ways: list[Callable[[], Any]] = [
        lambda: grad(function)(at), lambda: jvp(function, (at,), (at,)), lambda: hvp(function, (at,), (at,)),
        lambda: grad(lambda y: np.sum(grad(function)(y)))(at), lambda: jvp(grad(function), (at,), (at,)),
    ]  # fmt: skip
    for way in ways:
        moment.put()
        way()
        assert told(roots(function)) == left

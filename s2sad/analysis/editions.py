"""Editions: whether a function, and all that it calls, is still what it was when something was found out about it.

Passes change functions in place, so facts about one cannot simply be kept. An *edition* is a function as it was: what its
operations are, in order, on which values, of which kinds. As long as that is the same, and the same of all that it calls,
what was found still holds.

To look at all that is called, for each question, costs the square of a chain of calls. So whoever is done with a function says
so: it is *settled*, for a time. One that *lasts* is settled, with all that it calls, and takes part in no recursion: nobody looks
at it again in that time. With S2SAD_VERIFY=1 it is looked at when the time ends, and must be as it was.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from s2sad.errors import CompilerError
from s2sad.ir.nodes import Call, Function, Loop
from s2sad.ir.walk import ops_of
from s2sad.rules import registry


@dataclass(eq=False, slots=True)
class Edition:
    """A function as it was, what it called directly, and what was found out: ``facts`` hold with what is in ``below``."""

    content: list[object]
    calls: tuple[Function, ...]
    facts: object = None
    below: tuple[object, ...] = ()


@dataclass(eq=False, slots=True)
class Standing:
    """A function that is settled: its edition, whether it lasts (None: nobody has asked), and what was found out meanwhile."""

    time: Settled
    edition: Edition | None = None
    lasts: bool | None = None
    known: dict[object, Any] = field(default_factory=dict)


_times = itertools.count()


class Settled:
    """The functions that change no more, for a time; of two such times the one that begins first ends last."""

    def __init__(self) -> None:
        self.begun = next(_times)
        self._own: list[Function] = []
        self._checks = os.environ.get("S2SAD_VERIFY") == "1"

    def add(self, functions: Iterable[Function], unfinished: Set[Function] = frozenset()) -> None:
        """Settle functions, and all that they call but for those that are not finished."""
        pending = [*functions]
        while pending:
            function = pending.pop()
            if function.settled is None and function not in unfinished:
                self._own.append(function)
                function.settled = self._standing(function)
                pending += called(function)

    def renew(self) -> None:
        """Begin anew: something has changed after all."""
        for function in self._own:
            function.settled = self._standing(function)

    def _standing(self, function: Function) -> Standing:
        return Standing(self, _looked_at(function) if self._checks else None)

    def check(self) -> None:
        """Raise CompilerError where a function has changed, with S2SAD_VERIFY=1."""
        for function in self._own if self._checks else ():
            if present(function).content[1:] != _content(function)[0][1:]:  # but for rules, of which there may be more by now
                raise CompilerError(f"{function.name} has changed, which was settled")

    def end(self) -> None:
        """From now on they may change."""
        for function in self._own:
            function.settled = None
        self._own.clear()


@contextmanager
def settled(functions: Iterable[Function] = ()) -> Iterator[Settled]:
    """A time in which these functions, and all that they call, change no more, nor do those that are added meanwhile."""
    found = Settled()
    try:
        found.add(functions)
        yield found
        found.check()
    finally:
        found.end()


def in_turn(functions: list[Function]) -> Iterator[Function]:
    """The functions of a program, callees first, for a pass that changes one after the other."""
    left = set(functions)
    with settled() as done:
        for function in functions:
            yield function
            left.discard(function)
            done.add([function], left)


def called(function: Function) -> list[Function]:
    """The functions that a function calls directly, each once."""
    return [*dict.fromkeys(op.callee for op in ops_of(function.body) if isinstance(op, Call) and op.callee is not None)]


def lasting(function: Function) -> Standing | None:
    """What is known of a function that changes no more, nor does what it calls, in which it takes no part; None for others."""
    standing = function.settled
    if not isinstance(standing, Standing):
        return None
    if standing.lasts is None:
        standing.lasts = False  # to those that it calls
        standing.lasts = all(_outlasts(callee, standing.time) for callee in present(function).calls)
    return standing if standing.lasts else None


def _outlasts(callee: Function, time: Settled) -> bool:
    standing = lasting(callee)
    return standing is not None and standing.time.begun <= time.begun


def reach(function: Function) -> dict[Function, Edition | Standing]:
    """The function, first, and all that it calls and those call: one that lasts stands for what it calls."""
    found: dict[Function, Edition | Standing] = {}
    pending = [function]
    while pending:
        current = pending.pop()
        if current not in found:
            standing = None if current is function else lasting(current)
            found[current] = standing or present(current)
            pending += () if standing else present(current).calls
    return found


class Search:
    """Presence of a call that passes a test, in functions and in what they call; for a time in which none of them changes."""

    def __init__(self, test: Callable[[Call], bool]) -> None:
        self._test = test
        self._found: dict[Function, bool] = {}

    def __call__(self, function: Function) -> bool:
        """Whether there is one in this function, or in what it calls."""
        standing = lasting(function)
        known: dict[Any, bool] = self._found if standing is None else standing.known
        key = function if standing is None else self._test
        if key not in known:
            known[key] = any(map(self._passes, self._calls(function)))
        return known[key]

    def _passes(self, op: Call) -> bool:
        return self._test(op) or (op.callee is not None and lasting(op.callee) is not None and self(op.callee))

    def _calls(self, function: Function) -> Iterator[Call]:
        """The calls in a function, and in what it calls, apart from functions that last."""
        seen, waiting = {function}, [function]
        while waiting:
            for op in ops_of(waiting.pop().body):
                if isinstance(op, Call):
                    yield op
                    if op.callee is not None and op.callee not in seen and lasting(op.callee) is None:
                        seen.add(op.callee)
                        waiting.append(op.callee)


def present(function: Function) -> Edition:
    """The present edition of a function; the one before, if nothing has changed."""
    standing = function.settled
    if not isinstance(standing, Standing):
        return _looked_at(function)
    if standing.edition is None:
        standing.edition = _looked_at(function)
    return standing.edition


def _looked_at(function: Function) -> Edition:
    content, calls = _content(function)
    found = function.edition if isinstance(function.edition, Edition) else None
    if found is None or found.content != content:
        found = function.edition = Edition(content, calls)
    return found


def _content(function: Function) -> tuple[list[object], tuple[Function, ...]]:
    """All that facts about a function depend on, but for what it calls; and that."""
    found: list[object] = [registry.edition(), function.writes, function.sharing, len(function.params)]
    values = function.values
    calls: dict[Function, None] = {}
    blocks = [function.body]
    for block in blocks:  # which grows
        found += (len(block.params), len(block.ops), len(block.yields))
        values += block.params
        for op in block.ops:
            values += op.operands()
            values += op.results
            inner = op.blocks()
            blocks += inner
            if isinstance(op, Call):
                found += (op.target, op.callee, len(op.args), tuple(op.kwargs), len(op.results), op.check)
                if op.callee is not None:
                    calls[op.callee] = None
            else:
                found += (type(op), len(op.results), isinstance(op, Loop) and op.breaks)
        values += block.yields
    found += values
    found += [value.kind for value in values]
    return found, tuple(calls)

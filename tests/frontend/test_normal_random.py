"""Random programs do the same before and after: same events, same result, same exception."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from normal_support import faults, parse, run, text

from s2sad.errors import UnsupportedSyntaxError
from s2sad.frontend.normal import normalise

Choose = Callable[[int], int]


class OutOfFuel(BaseException):
    """Ends a program that runs for too long."""


class World:
    """What a program acts on: it answers questions from a list of bits, and writes down all that happens."""

    def __init__(self, bits: list[bool]) -> None:
        self.bits = bits
        self.trace: list[object] = []

    def ask(self, what: object) -> bool:
        """Note an event and answer; after the last bit the answers start again, until the fuel is used up."""
        if len(self.trace) > 120:
            raise OutOfFuel
        self.trace.append(what)
        return self.bits[len(self.trace) % len(self.bits)]

    def risk(self, what: object) -> int:
        """Note an event, and fail now and then."""
        if self.ask(what) and self.ask("fail?"):
            raise ValueError(what)
        return len(self.trace)

    def manager(self, what: object) -> Manager:
        """A context manager of this world."""
        return Manager(self, what)


class Manager:
    """A context manager that may fail at its end, and may swallow exceptions."""

    def __init__(self, world: World, what: object) -> None:
        self.world, self.what = world, what

    def __enter__(self) -> None:
        self.world.risk(("enter", self.what))

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> bool:
        self.world.risk(("exit", self.what, kind))
        return self.world.ask("swallow?") and kind is ValueError


class Writer:
    """Writes a random program; every choice is asked for, so that the program can be shrunk."""

    def __init__(self, choose: Choose, *, depth: int, exceptions: bool) -> None:
        self.choose = choose
        self.depth = depth
        self.exceptions = exceptions
        self.count = 0

    def event(self) -> int:
        self.count += 1
        return self.count

    def program(self) -> str:
        head = ["def f(ask, risk, manager):", "    x = stop = 0"]
        return "\n".join([*head, *self.block(self.depth, False, True)])

    def block(self, depth: int, loop: bool, returns: bool) -> list[str]:
        """A few statements; in a loop they may break and continue."""
        statements = [self.statement(depth, loop, returns) for _ in range(1 + self.choose(3))]
        return ["    " + line for lines in statements for line in lines]

    def statement(self, depth: int, loop: bool, returns: bool) -> list[str]:
        kinds = [self.simple, self.simple, self.jump, self.jump]
        if depth:
            kinds += [self.branch] * 4 + [self.for_loop, self.while_loop]
            if self.exceptions:
                kinds += [self.with_block, self.try_block] * 2
        return kinds[self.choose(len(kinds))](depth - 1, loop, returns)

    def simple(self, *_: object) -> list[str]:
        event = self.event()
        ways = [f"x += risk({event})", f"stop = ask({event})", f"ask({event})", "pass"]
        return [ways[self.choose(len(ways))]]

    def jump(self, _: int, loop: bool, returns: bool) -> list[str]:
        ways = ["raise ValueError('raised')"]
        if loop:
            ways += ["break", "continue"] * 2
        if returns:
            ways += ["return x", "return", "return None", f"return risk({self.event()})"]
        return [ways[self.choose(len(ways))]]

    def test(self) -> str:
        return f"ask({self.event()})" if self.choose(5) else "stop"

    def branch(self, depth: int, loop: bool, returns: bool) -> list[str]:
        lines = [f"if {self.test()}:", *self.block(depth, loop, returns)]
        if self.choose(3) == 0:
            lines += [f"elif {self.test()}:", *self.block(depth, loop, returns)]
        if self.choose(2) == 0:
            lines += ["else:", *self.block(depth, loop, returns)]
        return lines

    def for_loop(self, depth: int, loop: bool, returns: bool) -> list[str]:
        lines = [f"for i in range(3 + 0 * risk({self.event()})):", *self.block(depth, True, returns)]
        return self.loop_else(lines, depth, loop, returns)

    def while_loop(self, depth: int, loop: bool, returns: bool) -> list[str]:
        test = self.test() if self.choose(2) else "True"
        lines = [f"while {test}:", f"    ask({self.event()})", *self.block(depth, True, returns)]
        return self.loop_else(lines, depth, loop, returns)

    def loop_else(self, lines: list[str], depth: int, loop: bool, returns: bool) -> list[str]:
        if self.choose(3) == 0:
            lines += ["else:", *self.block(depth, loop, returns)]
        return lines

    def with_block(self, depth: int, loop: bool, returns: bool) -> list[str]:
        items = [f"manager({self.event()})" for _ in range(1 + (self.choose(3) == 0))]
        return [f"with {', '.join(items)}:", *self.block(depth, loop, returns)]

    def try_block(self, depth: int, loop: bool, returns: bool) -> list[str]:
        lines = ["try:", *self.block(depth, loop, returns)]
        handled = self.choose(3) != 0
        if handled:
            lines += ["except ValueError:", *self.block(depth, loop, returns)]
            if self.choose(2) == 0:
                lines += ["else:", *self.block(depth, loop, returns)]
        if not handled or self.choose(2) == 0:
            lines += ["finally:", f"    x += risk({self.event()})", *self.block(depth, False, False)]
        return lines


def observe(source: str, bits: list[bool]) -> tuple[list[object], Any]:
    """All that a program does: its events, and its result or exception."""
    world = World(bits)
    try:
        end: Any = run(source, {})(world.ask, world.risk, world.manager)
    except ValueError as error:
        end = ("raised", *error.args)
    except OutOfFuel:
        end = "still running"
    return world.trace, end


def check(source: str, streams: list[list[bool]]) -> None:
    """Compare a program with its normal form, event by event."""
    try:
        normal = normalise(parse(source))
    except UnsupportedSyntaxError as error:
        assert "finally block never ends normally" in error.message, source
        return
    after = text(normal)
    assert not list(faults(normal)), f"{source}\n\n{after}"
    assert text(normalise(normal)) == after, "a normal program is left as it is"
    for bits in streams:
        assert observe(after, bits) == observe(source, bits), f"{bits}\n{source}\n\n{after}"


@given(
    st.data(),
    st.booleans(),
    st.lists(st.lists(st.booleans(), min_size=3, max_size=30), min_size=3, max_size=3),
)
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_random_programs_do_the_same(
    data: st.DataObject, exceptions: bool, streams: list[list[bool]]
) -> None:
    def choose(count: int) -> int:
        return data.draw(st.integers(0, count - 1))

    check(Writer(choose, depth=3, exceptions=exceptions).program(), streams)


@pytest.mark.parametrize("seed", range(60))
def test_large_random_programs_do_the_same(seed: int) -> None:
    random = Random(seed)
    source = Writer(random.randrange, depth=4, exceptions=seed % 2 == 0).program()
    check(
        source,
        [[random.random() < p for _ in range(random.randrange(3, 40))] for p in (0.2, 0.4, 0.5, 0.6, 0.8)],
    )


HARD = {
    "a return through an exit that may fail, caught outside": """
        try:
            with manager(1):
                return risk(2)
        except ValueError:
            ask(3)
        x += risk(4)
    """,
    "two managers: the outer one may swallow what the inner one raises": """
        with manager(1), manager(2):
            return risk(3)
        return x
    """,
    "jumps of all kinds through an exit inside a catcher": """
        for i in range(3):
            try:
                with manager(1):
                    if ask(2):
                        continue
                    if ask(3):
                        break
                    return i
            except ValueError:
                x += 1
            ask(4)
    """,
    "a return out of a loop, through a finally that may fail": """
        with manager(1):
            for i in range(2):
                try:
                    if ask(2):
                        return x
                finally:
                    x += risk(3)
        return x
    """,
    "a break in a with, whose exit comes before the next test": """
        while ask(1):
            with manager(2):
                if ask(3):
                    break
            x += 1
        else:
            return None
        return x
    """,
    "the name that is returned changes on the way out": """
        if ask(1):
            try:
                if ask(2):
                    return x
                ask(3)
            finally:
                x += 1
        return x
    """,
    "the loop around a finally is followed by the same return": """
        for i in range(2):
            try:
                if ask(1):
                    return x
            finally:
                x += 1
        return x
    """,
    "a handler that goes on, after a loop in the try was left": """
        try:
            for i in range(2):
                with manager(1):
                    if ask(2):
                        return i
                ask(3)
        except ValueError:
            x += 1
        else:
            x += 10
        return x + 1
    """,
}


@pytest.mark.parametrize("name", HARD)
def test_hard_cases_with_all_answers(name: str) -> None:
    body = textwrap.indent(textwrap.dedent(HARD[name]), "    ")
    source = f"def f(ask, risk, manager):\n    x = stop = 0\n{body}"
    check(source, [list(bits) for bits in itertools.product([False, True], repeat=9)])

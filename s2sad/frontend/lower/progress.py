"""How far a try statement came before it failed: its body counts its steps, and is lowered again up to that step.

The attempt, which runs for its failures alone, counts the statements that it begins. Where something reads what the body
bound before it failed, the handler's path begins with the body once more, each statement under the condition that it was
completed::

    try:                            with attempt:                    (the handler's path)
        b = x * x                       step(attempt); x * x         steps = steps_of(attempt)
        a = math.sqrt(-x)               step(attempt); sqrt(-x)      if 1 != steps:
    except ValueError:                                                   b = x * x
        a = b                                                            if 2 != steps:
                                                                             a = math.sqrt(-x)
                                                                     a = b

Branches, loops, calls and ``finally`` in the body are followed in the same way: nothing goes on where the count has reached
what the attempt had counted. What cannot be followed inside is one step; what it may have bound when it failed is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import gast

from s2sad.frontend.entities import Box, Entity, Poison
from s2sad.frontend.lower import control
from s2sad.frontend.lower.arithmetic import arithmetic
from s2sad.frontend.lower.dispatch import STATEMENTS
from s2sad.frontend.lower.state import Key, Lowering, Place, Progress, Repeats
from s2sad.ir.nodes import Const, Undef, Value

LOST = "the try statement may have failed before or after it was bound"
RESULT = "what is returned"
OVER = "the attempt is over"


@dataclass(eq=False)
class Counting(Progress):
    """Lowering what runs for its failures alone: each statement is counted when it begins, and each block when it ends."""

    attempt: Value

    def block(self, lw: Lowering, statements: list[gast.stmt]) -> None:
        """Statements in order, counted."""
        for node in statements:
            if _cannot_fail(node):
                run(lw, node)
                continue
            self._step(lw)
            if is_one_step(lw, node):
                with suspended(lw):
                    run(lw, node)
            else:
                run(lw, node)
        self._step(lw)

    def _step(self, lw: Lowering) -> None:
        lw.builder.call("s2sad.runtime.step", self.attempt)


class Paused(Exception):
    """A call in a statement may have failed: the rest of the statement comes under a condition."""


@dataclass(eq=False)
class Following(Progress):
    """Lowering again what an attempt did before it failed; ``reached`` is the number of steps that it had begun."""

    reached: Value
    box: Box = field(default_factory=lambda: Box("progress"))
    node: gast.stmt | None = None  # the innermost statement
    where: object = None  # the block of operations in which it is lowered
    done: list[tuple[Entity, dict[Key, Entity]]] = field(default_factory=list)  # its calls: the result, the variables after it
    position: int = 0  # among those

    def start(self, lw: Lowering) -> None:
        """Nothing has been counted."""
        lw.variables[(self.box, "steps")] = Const(0)
        self._alive(lw)

    def _alive(self, lw: Lowering) -> None:
        lw.variables[(self.box, "alive")] = Const(True)

    def _step(self, lw: Lowering) -> None:
        steps = lw.variables[(self.box, "steps")]
        assert isinstance(steps, Value)
        following = Const(steps.payload + 1) if isinstance(steps, Const) else arithmetic(lw, "operator.add", steps, Const(1))
        lw.variables[(self.box, "steps")] = following
        lw.variables[(self.box, "alive")] = arithmetic(lw, "operator.ne", following, self.reached)

    def while_alive(self, lw: Lowering, then: Callable[[], None], node: gast.AST) -> None:
        """Go on only where the attempt did."""

        def goes_on() -> None:
            self._alive(lw)
            then()

        control.branch(lw, lw.variables[(self.box, "alive")], goes_on, lambda: None, node)

    def block(self, lw: Lowering, statements: list[gast.stmt]) -> None:
        """Statements in order, as far as the attempt came."""
        if not statements:
            self._step(lw)
            return
        node, rest = statements[0], statements[1:]
        if _cannot_fail(node):
            run(lw, node)
            self.block(lw, rest)
            return
        if isinstance(node, gast.Raise) and not _calls(node):
            lw.variables[(self.box, "alive")] = Const(False)
            return
        self._step(lw)
        if is_one_step(lw, node):
            self._whole(lw, node, rest)
            return

        def goes_on() -> None:
            self._statement(lw, node)
            self.while_alive(lw, lambda: self.block(lw, rest), node)

        self.while_alive(lw, goes_on, node)

    def _whole(self, lw: Lowering, node: gast.stmt, rest: list[gast.stmt]) -> None:
        """A statement that was completed, or not; what it has bound then is unknown."""

        def completed() -> None:
            self._alive(lw)
            with suspended(lw):
                run(lw, node)
            self.block(lw, rest)

        def failed() -> None:
            before, touched = dict(lw.variables), set(lw.touched)
            with control.scratch(lw), suspended(lw):
                lw.touched = set()
                run(lw, node)
                changed = {key for key, entity in lw.variables.items() if before.get(key) is not entity} | lw.touched
            lw.touched |= touched
            for key in changed:
                lw.variables[key] = Poison(LOST)
            lw.variables[(self.box, "alive")] = Const(False)

        control.branch(lw, lw.variables[(self.box, "alive")], completed, failed, node)

    def _statement(self, lw: Lowering, node: gast.stmt) -> None:
        """One statement; behind a call in it that may have failed, the rest of it under a condition."""
        outer = self.node, self.where, self.done, self.position
        start, self.done = dict(lw.variables), []

        def goes_on() -> None:
            self.node, self.where, self.position = node, lw.builder.block, 0
            lw.variables = dict(start)
            self._alive(lw)
            try:
                run(lw, node)
            except Paused:
                self.while_alive(lw, goes_on, node)

        try:
            goes_on()
        finally:
            self.node, self.where, self.done, self.position = outer

    def call(self, lw: Lowering, lowered: Callable[[], Entity]) -> Entity:
        """A call that is lowered where it stands: the second time it is known what it gave, and did."""
        if self.where is not lw.builder.block:
            self.give_up(lw)
        if self.position < len(self.done):
            result, variables = self.done[self.position]
            self.position += 1
            lw.variables = dict(variables)
            self._alive(lw)
            return result
        result = lowered()
        self.done.append((result, dict(lw.variables)))
        self.position += 1
        if control.truth(lw, lw.variables[(self.box, "alive")]) is not True:
            raise Paused
        return result

    def give_up(self, lw: Lowering) -> None:
        """The innermost statement cannot be followed inside."""
        assert self.node is not None
        raise Repeats(place_of(lw, self.node, "whole"))

    def loop(self, lw: Lowering, body: Callable[[], None], flag: str | None, node: gast.stmt) -> tuple[Callable[[], None], str]:
        """The body of a loop, and the name of the flag by which it ends: as before, or where the attempt failed."""
        lw.variables[(lw.frame, OVER)] = Const(False)

        def whole() -> None:
            self._alive(lw)
            body()
            alive = lw.variables[(self.box, "alive")]
            lw.variables[(lw.frame, OVER)] = control.choose(
                lw, alive, lambda: Const(False) if flag is None else lw.lookup(flag, node), lambda: Const(True), node
            )

        return whole, OVER

    def finish(self, lw: Lowering, statements: list[gast.stmt], block: Callable[[Lowering, list[gast.stmt]], None]) -> None:
        """A ``finally`` block, which runs also where the attempt has failed already."""

        def passing() -> None:
            with suspended(lw):
                block(lw, statements)

        control.branch(
            lw, lw.variables[(self.box, "alive")], lambda: block(lw, statements), passing, statements[0]
        )


def run(lw: Lowering, node: gast.stmt) -> None:
    """One statement."""
    handler = STATEMENTS.get(type(node).__name__)
    if handler is None:
        lw.refuse(node)
    lw.at(node)
    handler(lw, node)


@contextmanager
def suspended(lw: Lowering) -> Iterator[None]:
    """For a while, neither count nor follow."""
    progress, lw.progress = lw.progress, None
    try:
        yield
    finally:
        lw.progress = progress


@contextmanager
def following(lw: Lowering, reached: Value) -> Iterator[None]:
    """For a while, follow an attempt that came so far."""
    outer, lw.progress = lw.progress, Following(reached)
    lw.progress.start(lw)
    try:
        yield
    finally:
        lw.progress = outer


def place_of(lw: Lowering, node: gast.stmt, word: str) -> Place:
    """A statement, as what is known of it is remembered; no definition has a keyword as its name."""
    return (lw.frame.source.file, node.lineno, node.col_offset, word)


def is_one_step(lw: Lowering, node: gast.stmt) -> bool:
    """Whether a statement is not followed inside."""
    if isinstance(node, gast.With) or isinstance(node, gast.Try) and node.handlers:
        return True
    if any(isinstance(n, gast.NamedExpr) for head in _heads(node) for n in gast.walk(head)):
        return True
    return place_of(lw, node, "whole") in lw.program.repeating


def _heads(node: gast.stmt) -> list[gast.AST]:
    """The expressions of a statement, without the statements in it."""
    return [child for child in gast.iter_child_nodes(node) if not isinstance(child, gast.stmt)]


def _calls(node: gast.AST) -> bool:
    exc = getattr(node, "exc", None)
    made = exc.args if isinstance(exc, gast.Call) else []
    return any(not isinstance(arg, gast.Constant | gast.Name) for arg in made) or getattr(node, "cause", None) is not None


def _cannot_fail(node: gast.stmt) -> bool:
    if isinstance(node, gast.Assign) and isinstance(node.value, gast.Constant):
        return all(isinstance(target, gast.Name) for target in node.targets)
    return isinstance(node, gast.Pass | gast.Nonlocal | gast.Global)


def returned(lw: Lowering, frame: object) -> Entity:
    """What a call gives that is being followed."""
    return lw.variables.get((frame, RESULT), Undef())

"""The progress of a try statement before it failed: its body counts its steps, and is lowered again up to that step.

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

from s2sad.frontend.entities import Entity, Record, Top
from s2sad.frontend.lower import control
from s2sad.frontend.lower.arithmetic import arithmetic
from s2sad.frontend.lower.dispatch import STATEMENTS
from s2sad.frontend.lower.parts import layouts
from s2sad.frontend.lower.raised import tell
from s2sad.frontend.lower.state import Key, Lowering, Progress, Repeats
from s2sad.ir.nodes import Const, Undef, Value

LOST = "the try statement may have failed before or after it was bound"
RESULT = "what is returned"
OVER = "the attempt is over"


@dataclass(eq=False)
class Counting(Progress):
    """Lowering what runs for its failures alone: each statement is counted when it begins, and each block when it ends."""

    attempt: Value
    deep: bool = False

    def block(self, ctx: Lowering, statements: list[gast.stmt]) -> None:
        """Statements in order, counted, up to one that always raises."""
        for node in statements:
            if _cannot_fail(node):
                run(ctx, node)
                continue
            self.step(ctx)
            if is_one_step(ctx, node):
                with suspended(ctx):
                    ends = run(ctx, node)
            else:
                ends = run(ctx, node)
            if ends:
                return
        self.step(ctx)

    def step(self, ctx: Lowering) -> None:
        """Count one more."""
        ctx.builder.call("s2sad.runtime.step", self.attempt)


class Paused(Exception):
    """A call in a statement may have failed: the rest of the statement comes under a condition."""


@dataclass(eq=False)
class Following(Progress):
    """Lowering again what an attempt did before it failed; ``reached`` is the number of steps that it had begun."""

    reached: Value
    error: Value  # the exception with which it ended
    deep: bool = False
    box: Record = field(default_factory=lambda: Record("progress"))
    node: gast.stmt | None = None  # the innermost statement
    where: object = None  # the block of operations in which it is lowered
    done: list[tuple[Entity, dict[Key, Entity]]] = field(default_factory=list)  # its calls: the result, the variables after it
    made: list[Record] = field(default_factory=list)  # the objects that it makes
    position: int = 0  # among its calls
    count: int = 0  # of its objects
    partial: set[Record] = field(default_factory=set)  # the objects of which only some fields were set where it failed

    def start(self, ctx: Lowering) -> None:
        """Nothing has been counted."""
        ctx.variables[(self.box, "steps")] = Const(0)
        self._alive(ctx)

    def _alive(self, ctx: Lowering) -> None:
        ctx.variables[(self.box, "alive")] = Const(True)

    def _step(self, ctx: Lowering) -> None:
        steps = ctx.variables[(self.box, "steps")]
        assert isinstance(steps, Value)
        following = Const(steps.payload + 1) if isinstance(steps, Const) else arithmetic(ctx, "operator.add", steps, Const(1))
        ctx.variables[(self.box, "steps")] = following
        ctx.variables[(self.box, "alive")] = arithmetic(ctx, "operator.ne", following, self.reached)

    def end(self, ctx: Lowering) -> None:
        """Here the attempt has certainly failed."""
        ctx.variables[(self.box, "alive")] = Const(False)

    def while_alive(self, ctx: Lowering, then: Callable[[], None], node: gast.AST) -> None:
        """Go on only where the attempt did: there is known of objects what the statements before have set."""
        known = {box: box.unsure for box in (*layouts(ctx), *self.partial)}

        def goes_on() -> None:
            self._alive(ctx)
            for box in self.partial:
                box.unsure = ""
            then()

        control.branch(ctx, ctx.variables[(self.box, "alive")], goes_on, lambda: None, node)
        self.partial |= {box for box, unsure in known.items() if box.unsure and not unsure}
        for box, unsure in known.items():
            box.unsure = box.unsure or unsure

    def block(self, ctx: Lowering, statements: list[gast.stmt]) -> None:
        """Statements in order, as far as the attempt came."""
        if not statements:
            self._step(ctx)
            return
        node, rest = statements[0], statements[1:]
        if _cannot_fail(node):
            run(ctx, node)
            self.block(ctx, rest)
            return
        if isinstance(node, gast.Raise) and not _calls(node):
            tell(ctx, self.box, self.error, node)
            self.end(ctx)
            return
        self._step(ctx)
        if isinstance(node, gast.Raise):
            alive = ctx.variables[(self.box, "alive")]
            control.branch(ctx, alive, lambda: None, lambda: tell(ctx, self.box, self.error, node), node)
        if is_one_step(ctx, node):
            self._whole(ctx, node, rest)
            return

        def following() -> None:
            self.while_alive(ctx, lambda: self.block(ctx, rest), node)

        self.while_alive(ctx, lambda: self._statement(ctx, node, following), node)

    def _whole(self, ctx: Lowering, node: gast.stmt, rest: list[gast.stmt]) -> None:
        """A statement that was completed, or not; what it has bound then is unknown."""

        def completed() -> None:
            self._alive(ctx)
            with suspended(ctx):
                ends = run(ctx, node)
            if not ends:
                self.block(ctx, rest)

        def failed() -> None:
            before, touched = dict(ctx.variables), set(ctx.touched)
            with control.scratch(ctx), suspended(ctx):
                ctx.touched = set()
                run(ctx, node)
                changed = {key for key, entity in ctx.variables.items() if before.get(key) is not entity} | ctx.touched
            ctx.touched |= touched
            for key in changed:
                ctx.variables[key] = Top(LOST)
            self.end(ctx)

        control.branch(ctx, ctx.variables[(self.box, "alive")], completed, failed, node)

    def _statement(self, ctx: Lowering, node: gast.stmt, following: Callable[[], None]) -> None:
        """One statement, and what follows it; behind a call in it that may have failed, the rest of both under a condition."""
        outer = self.node, self.where, self.done, self.made, self.position, self.count
        start, done, made = dict(ctx.variables), list[tuple[Entity, dict[Key, Entity]]](), list[Record]()

        def goes_on() -> None:
            self.node, self.where = node, ctx.builder.block
            self.done, self.made, self.position, self.count = done, made, 0, 0
            ctx.variables = dict(start)
            self._alive(ctx)
            ends = paused = False
            try:
                ends = run(ctx, node)
            except Paused:
                paused = True
            finally:
                self.node, self.where, self.done, self.made, self.position, self.count = outer
            if paused:
                self.while_alive(ctx, goes_on, node)
            elif not ends:
                following()

        goes_on()

    def call(self, ctx: Lowering, lowered: Callable[[], Entity]) -> Entity:
        """A call that is lowered where it stands: the second time it is known what it gave, and did."""
        if self.where is not ctx.builder.block:
            self.give_up(ctx)
        if self.position < len(self.done):
            result, variables = self.done[self.position]
            self.position += 1
            ctx.variables = dict(variables)
            self._alive(ctx)
            return result
        result = lowered()
        if isinstance(result, Undef):  # it raises on all paths
            self.end(ctx)
        self.done.append((result, dict(ctx.variables)))
        self.position += 1
        if control.truth(ctx, ctx.variables[(self.box, "alive")]) is not True:
            raise Paused
        return result

    def once(self, made: Record) -> Record:
        """The fields of an object stand among the variables that are known after a call: it is the same one the second time."""
        if self.count == len(self.made):
            self.made.append(made)
        self.count += 1
        return self.made[self.count - 1]

    def give_up(self, ctx: Lowering) -> None:
        """The innermost statement cannot be followed inside."""
        assert self.node is not None
        raise Repeats(ctx.place(self.node, "whole"))

    def loop(self, ctx: Lowering, body: Callable[[], None], flag: str | None, node: gast.stmt) -> tuple[Callable[[], None], str]:
        """The body of a loop, and the name of the flag by which it ends: as before, or where the attempt failed."""
        ctx.variables[(ctx.frame, OVER)] = Const(False)

        def whole() -> None:
            self._alive(ctx)
            body()
            alive = ctx.variables[(self.box, "alive")]
            ctx.variables[(ctx.frame, OVER)] = control.choose(
                ctx, alive, lambda: Const(False) if flag is None else ctx.lookup(flag, node), lambda: Const(True), node
            )

        return whole, OVER

    def finish(self, ctx: Lowering, statements: list[gast.stmt], block: Callable[[Lowering, list[gast.stmt]], None]) -> None:
        """A ``finally`` block, which runs also where the attempt has failed already."""

        def passing() -> None:
            with suspended(ctx):
                block(ctx, statements)

        control.branch(
            ctx, ctx.variables[(self.box, "alive")], lambda: block(ctx, statements), passing, statements[0]
        )


def run(ctx: Lowering, node: gast.stmt) -> bool:
    """One statement; whether it always raises, so that nothing comes to what stands behind it."""
    handler = STATEMENTS.get(type(node).__name__)
    if handler is None:
        ctx.refuse(node)
    ctx.at(node)
    start = len(ctx.builder.block.ops)
    handler(ctx, node)
    return ctx.ends_at_raise(start)


@contextmanager
def suspended(ctx: Lowering) -> Iterator[None]:
    """For a while, neither count nor follow."""
    progress, ctx.progress = ctx.progress, None
    try:
        yield
    finally:
        ctx.progress = progress


@contextmanager
def following(ctx: Lowering, reached: Value, error: Value, deep: bool) -> Iterator[Record]:
    """For a while, follow an attempt that came so far; gives the record of what is found."""
    outer, ctx.progress = ctx.progress, Following(reached, error, deep)
    ctx.progress.start(ctx)
    try:
        yield ctx.progress.box
    finally:
        ctx.progress = outer


def is_one_step(ctx: Lowering, node: gast.stmt) -> bool:
    """Test for a statement that is not followed inside."""
    if any(isinstance(n, gast.NamedExpr) for head in _heads(node) for n in gast.walk(head)):
        return True
    return ctx.place(node, "whole") in ctx.program.repeating


def as_one_step(ctx: Lowering, node: gast.stmt) -> None:
    """Have a statement that is counted, or followed, be one step."""
    if ctx.progress is not None:
        raise Repeats(ctx.place(node, "whole"))


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


def returned(ctx: Lowering, frame: object) -> Entity:
    """The result of a call that is being followed."""
    return ctx.variables.get((frame, RESULT), Undef())

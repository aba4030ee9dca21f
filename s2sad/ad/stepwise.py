"""Loops that keep a few of their states, and are run again from these in the reverse sweep.

    for i in checkpointed(range(n), snapshots=20):
        u[1:-1] += c * (u[2:] - u[:-2])

becomes, with the body as a function of its own::

    marks = stops(0, n + 1, 20)                              # forward sweep
    for j in range(len(marks) - 1):
        kept.append(marks[j])
        u_tape.append(np.copy(u))
        for i in range(n)[marks[j]:marks[j + 1]]:
            f_step(i, u, c)

    for k in reversed(range(n)):                             # reverse sweep
        u[...] = u_tape[-1]
        marks = stops(kept[-1], k + 1, 20 - len(kept) + 1)
        for j in range(len(marks) - 1):                      # run from the last state that is kept to step k
            if j > 0:
                kept.append(marks[j])
                u_tape.append(np.copy(u))
            for i in range(n)[marks[j]:marks[j + 1]]:
                f_step(i, u, c)
        c_bar += f_step_adjoint(range(n)[k], u, c, u_bar)    # both sweeps of step k
        if kept[-1] == k:
            kept.pop()
            u[...] = u_tape.pop()

A state is what a step finds: the carried variables, and the contents of the arrays that some step writes into. Which states are
kept is the business of ``runtime.schedules``, or of a schedule of the user's (``plan = planned(schedule, n)``); where nobody
knows how often a loop will run, the forward sweep takes a snapshot when ``is_due`` says so, and drops those that are ``stale``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from s2sad.analysis.references import unsaved
from s2sad.analysis.repeatable import check_repeatable
from s2sad.analysis.views import holds_references
from s2sad.errors import AliasError, UnsupportedSyntaxError
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import INT, RANGE, UNKNOWN, Array, List, Scalar
from s2sad.ir.nodes import (
    LEAF,
    LITERALS,
    Block,
    Call,
    Const,
    For,
    Function,
    If,
    Loop,
    Op,
    Param,
    Structure,
    Value,
)
from s2sad.ir.walk import blocks_of, clone_block, ops_of, reads_of, substitute_all, values_read
from s2sad.rules import registry
from s2sad.rules.traits import spelled

if TYPE_CHECKING:
    from s2sad.ad.adjoint import Adjoint
    from s2sad.ad.forward import Scope

LAST = Const(-1)


def outline_steps(function: Function) -> dict[Call, Function]:
    """Make the bodies of such loops functions of their own; the calls that take their places, with these."""
    found: dict[Call, Function] = {}
    for op in list(ops_of(function.body)):
        if isinstance(op, Loop) and op.snapshots is not None and not _is_within(op, found):
            step = _outlined(function, op)
            found[step] = step.callee  # type: ignore[assignment]
    return found


def _is_within(op: Op, steps: dict[Call, Function]) -> bool:
    """Test for a loop that has become a part of a step: that has its own turn when the step is differentiated."""
    return any(op in ops_of(function.body) for function in steps.values())


def _outlined(function: Function, op: Loop) -> Call:
    body = op.body
    inside = {
        v for block in blocks_of(body) for v in [*block.params, *(r for o in block.ops for r in o.results)]
    }
    made = {r for o in body.ops for r in o.results}
    read = [v for o in body.ops for v in reads_of(o)]
    outside = list(dict.fromkeys(v for v in read if v not in inside and not isinstance(v, LITERALS)))
    given = [*body.params, *outside]
    results = list(dict.fromkeys(v for v in body.yields if v in made))
    table = dict(zip(given, _parameters(given), strict=True))
    step = Function(
        f"{function.name}_step",
        [Param(table[v]) for v in given],
        Block([], body.ops, results or [Const(None)]),
    )
    step.returns = LEAF if len(results) < 2 else Structure("tuple", (LEAF,) * len(results))
    step.file, step.checkpointed, step.called = function.file, True, "the body of a checkpointed loop"
    substitute_all(step.body, dict(table))
    check_repeatable(step, "a checkpointed loop")
    why = unsaved(step)
    if why is not None:
        raise AliasError(
            "the body of this checkpointed loop is not supported", location=op.loc, why=why,
            instead="write into arrays, or set variables; or a loop without checkpointed",
        )  # fmt: skip
    call = Call(target=step.name, args=given, callee=step, loc=op.loc)
    call.results = [Value(v.kind, v.name) for v in results] or [Value(step.body.yields[0].kind)]
    body.ops = [call]
    handed_on = dict(zip(results, call.results, strict=False))
    body.yields = [handed_on.get(v, v) for v in body.yields]
    return call


def _parameters(given: list[Value]) -> list[Value]:
    """Parameters for values, each with a name of its own."""
    taken: set[str] = set()
    made: list[Value] = []
    for value in given:
        name, count = value.name or "i", 0
        while name in taken:
            count += 1
            name = f"{value.name or 'i'}_{count}"
        taken.add(name)
        made.append(Value(value.kind, name))
    return made


class Stepwise:
    """One such loop, in both sweeps."""

    def __init__(self, sweep: Adjoint, op: Loop) -> None:
        self.sweep = sweep
        self.op = op
        assert op.snapshots is not None
        self.snapshots = op.snapshots
        (self.step,) = (o for o in op.body.ops if isinstance(o, Call) and o.callee is not None)
        self.slots = op.carried
        self.memory = self._memory()
        self._check_references()
        forward = sweep.forward
        self.home = next(block for block in forward.blocks if op in block.ops)
        self.clone = forward.clones[op]
        before = Builder(Block(), registry.infer)
        before.loc = op.loc
        self.planned = not isinstance(self.snapshots.kind, Scalar) and self.snapshots.kind != UNKNOWN
        self.kept = before.call("builtins.list", name="kept")
        self.kept.kind = List(INT)
        self.tapes = [self._tape(before, v) for v in (*self.slots, *self.memory)]
        turned = forward.definer.get(op.iterable) if isinstance(op, For) else None
        self.turned = isinstance(turned, Call) and turned.target == "builtins.reversed"
        self.over = turned.args[0] if self.turned else op.iterable if isinstance(op, For) else None  # type: ignore[union-attr]
        self.counts = self.over is None or op.breaks
        place = forward.blocks[self.home]
        if self.counts and self.planned:
            raise UnsupportedSyntaxError(
                "a schedule is not supported for this loop", location=op.loc,
                why="how many steps it takes is not known before it ends", instead="snapshots=20, or a for loop without break",
            )  # fmt: skip
        if self.counts:
            self.trips = forward.trips(op)
            self._keep_what_is_due()
            place.ops[place.ops.index(self.clone) : place.ops.index(self.clone)] = before.block.ops
        else:
            assert self.over is not None
            loop = self._forward_by_parts(before, self._span(before, forward.table.get(self.over, self.over)))
            at = place.ops.index(self.clone)
            place.ops[at : at + 1] = [*before.block.ops, loop]

    def _span(self, builder: Builder, over: Value) -> Value:
        """The range in the order in which it is run over; of an iterator no part can be taken."""
        if not self.turned:
            return over
        span = builder.call("operator.getitem", over, Const(slice(None, None, -1)))
        span.kind = RANGE
        return span

    def _memory(self) -> list[Value]:
        """The arrays that the steps write into, by the names that one step has for them."""
        aliases, step = self.sweep.aliases, self.step
        written = aliases.own_writes(step)
        found = [
            a
            for a in step.args
            if holds_references(a) and not isinstance(a, LITERALS) and aliases.node(a) in written
        ]
        return [v for v in dict.fromkeys([*found, *self.slots]) if self._is_written(v)]

    def _is_written(self, value: Value) -> bool:
        written = self.sweep.aliases.own_writes(self.step)
        return (
            isinstance(value.kind, Array)
            and holds_references(value)
            and self.sweep.aliases.node(value) in written
        )

    def _check_references(self) -> None:
        """Refuse arrays that each step makes, and others write into: which of them an adjoint belongs to, is not kept."""
        aliases = self.sweep.aliases
        for value in self.step.results:
            if holds_references(value) and aliases.reach(aliases.node(value)) & aliases.written:
                raise AliasError(
                    f"{value.name or 'this'} is a new array in each step of a checkpointed loop, and written elsewhere",
                    location=self.op.loc, why="which array its adjoint belongs to is not kept",
                    instead="copies before the loop, and after it before they are written; or one array in all steps",
                )  # fmt: skip

    def _tape(self, builder: Builder, value: Value) -> Value:
        tape = builder.call("builtins.list", name=f"{value.name or 'v'}_tape")
        tape.kind = List(value.kind)
        return tape

    def _push(
        self, builder: Builder, step: Value, kept: Value, tapes: list[Value], state: list[Value],
        plan: tuple[Value, Value] | None = None,
    ) -> None:  # fmt: skip
        """Keep a state: references as they are, contents as copies; by a plan, and the end of the run, perhaps in files."""
        builder.call("list.append", kept, step)
        for k, (tape, value) in enumerate(zip(tapes, state, strict=True)):
            held = value
            if k >= len(self.slots):
                held = builder.call(spelled("copies"), value)
                held.kind = value.kind
            if plan is not None and not isinstance(value.kind, Scalar):
                held = builder.call("s2sad.runtime.placed", held, *plan, step)
                held.kind = value.kind
            builder.call("list.append", tape, held)

    # --- the forward sweep

    def _forward_state(self, slots: list[Value]) -> list[Value]:
        table = {**self.sweep.forward.table, **dict(zip(self.slots, slots, strict=True))}
        return [*slots, *(table.get(v, v) for v in self.memory)]

    def _forward_by_parts(self, before: Builder, span: Value) -> For:
        clone = self.clone
        assert isinstance(clone, For)
        length = before.call("builtins.len", span)
        snapshots = self.sweep.forward.table.get(self.snapshots, self.snapshots)
        plan = None
        end = before.call("operator.add", length, 1)
        if self.planned:
            self.plan = snapshots = before.call("s2sad.runtime.planned", snapshots, length, name="plan")
            plan = snapshots, end
        marks = before.call("s2sad.runtime.stops", 0, end, snapshots, name="marks")
        params = [Value(v.kind, v.name) for v in self.slots]

        def keep(builder: Builder, j: Value, begin: Value, state: list[Value]) -> None:
            self._push(builder, begin, self.kept, self.tapes, self._forward_state(state), plan)

        return self._parts(before, marks, span, clone, clone.init, params, clone.results, keep)

    def _keep_what_is_due(self) -> None:
        clone = self.clone
        assert isinstance(clone, Loop)
        forward = self.sweep.forward
        snapshots = forward.table.get(self.snapshots, self.snapshots)
        count = clone.body.params[-1]  # of the trips so far
        top = Builder(Block(), registry.infer)
        top.loc = self.op.loc
        due = If(cond=top.call("s2sad.runtime.is_due", count, snapshots), loc=self.op.loc)
        with top.inside(due.then):
            stale = top.call("s2sad.runtime.stale", count, snapshots, self.kept, name="stale")
            drop = For(
                iterable=top.call("builtins.range", top.call("builtins.len", stale)),
                body=Block([Value(INT, "j")]),
            )
            with top.inside(drop.body):
                place = top.call("operator.getitem", stale, drop.body.params[0])
                for items in (self.kept, *self.tapes):
                    top.call("list.pop", items, place)
            top.append(drop)
            slots = [forward.table[v] for v in self.slots]
            self._push(top, count, self.kept, self.tapes, self._forward_state(slots))
        top.append(due)
        clone.body.ops[:0] = top.block.ops
        clone.snapshots = None

    # --- parts of the loop

    def _parts(
        self, builder: Builder, marks: Value, span: Value | None, loop: For, init: list[Value], params: list[Value],
        results: list[Value], keep: Callable[[Builder, Value, Value, list[Value]], None],
    ) -> For:  # fmt: skip
        """Run from each mark to the next; ``loop`` is what runs over a part of ``span``, and ``keep`` what is done before."""
        j = Value(INT, "j")
        count = builder.call("operator.sub", builder.call("builtins.len", marks), 1)
        whole = For(
            iterable=builder.call("builtins.range", count),
            init=list(init),
            body=Block([j, *params]),
            loc=self.op.loc,
        )
        whole.results = list(results)
        with builder.inside(whole.body):
            begin = builder.call("operator.getitem", marks, j)
            end = builder.call("operator.getitem", marks, builder.call("operator.add", j, 1))
            keep(builder, j, begin, params)
            if span is None:
                part = builder.call("builtins.range", begin, end)
            else:
                part = builder.call(
                    "operator.getitem", span, builder.call("builtins.slice", begin, end, Const(None))
                )
                part.kind = RANGE
            loop.iterable, loop.init = part, list(params)
            loop.results = [Value(v.kind, v.name) for v in params]
            loop.snapshots = None
            builder.block.ops.append(loop)
            whole.body.yields = list(loop.results)
        return whole

    # --- the reverse sweep

    def backwards(self) -> Value:
        """The numbers of the steps, last one first."""
        sweep = self.sweep
        if self.counts:
            count = sweep.primal(self.trips)
        else:
            assert self.over is not None
            count = sweep.builder.call("builtins.len", sweep.primal(self.over))
        return sweep.builder.call("builtins.reversed", sweep.builder.call("builtins.range", count))

    def _seen(self, value: Value) -> Value:
        """Something of the forward sweep as a value that the reverse sweep can ask for."""
        stand_in = Value(value.kind, value.name)
        self.sweep.forward.table[stand_in] = value
        self.sweep.forward.owner[stand_in] = self.home
        return self.sweep.primal(stand_in)

    def before(self, scope: Scope, block: Block) -> None:
        """Come to the state that step ``k`` finds, from the last one that is kept."""
        sweep, op, builder = self.sweep, self.op, self.sweep.builder
        self.k = Value(INT, "k")
        block.params.insert(0, self.k)
        with builder.inside(Block()) as start:
            self.seen_kept, *self.seen_tapes = map(self._seen, (self.kept, *self.tapes))
            span = None if self.over is None else self._span(builder, sweep.primal(self.over))
            left = self._seen(self.plan) if self.planned else sweep.primal(self.snapshots)
            outer = {v: sweep.primal(v) for v in self._outside()}
            slots, contents = self._last("operator.getitem", LAST)
            self._put(slots, outer, contents)
            if not self.planned:
                used = builder.call("operator.sub", builder.call("builtins.len", self.seen_kept), 1)
                left = builder.call("operator.sub", left, used)
            last = builder.call("operator.getitem", self.seen_kept, LAST)
            end = builder.call("operator.add", self.k, 1)
            plan = (left, end) if self.planned else None
            marks = builder.call("s2sad.runtime.stops", last, end, left, name="marks")
            table: dict[Value, Value] = dict(outer)
            body = clone_block(op.body, table)
            body.yields = body.yields[int(op.breaks) :]
            if not op.GIVEN:
                body.params.insert(0, Value(INT))
            params = [Value(v.kind, v.name) for v in self.slots]

            def keep(builder: Builder, j: Value, begin: Value, state: list[Value]) -> None:
                further = If(cond=builder.call("operator.gt", j, 0), loc=op.loc)
                named = {**outer, **dict(zip(self.slots, state, strict=True))}
                with builder.inside(further.then):
                    self._push(
                        builder,
                        begin,
                        self.seen_kept,
                        self.seen_tapes,
                        [*state, *(named.get(v, v) for v in self.memory)],
                        plan,
                    )
                builder.append(further)

            results = [Value(v.kind, v.name) for v in self.slots]
            run = self._parts(builder, marks, span, For(body=body, loc=op.loc), slots, params, results, keep)
            builder.append(run)
            scope.entry.update(zip(self.slots, results, strict=True))
            if isinstance(op, For):
                scope.entry[op.body.params[0]] = item = builder.call("operator.getitem", span, self.k)
                item.kind, item.name = op.body.params[0].kind, op.body.params[0].name
        scope.pops[:0] = start.ops
        self.outer = outer

    def after(self) -> None:
        """Drop the state of step ``k``, where that is kept; memory is as it was before the step."""
        builder = self.sweep.builder
        last = builder.call("operator.getitem", self.seen_kept, LAST)
        here = If(cond=builder.call("operator.eq", last, self.k), loc=self.op.loc)
        with builder.inside(here.then):
            builder.call("list.pop", self.seen_kept)
            slots, contents = self._last("list.pop")
            self._put(slots, self.outer, contents)
        builder.append(here)

    def _last(self, how: str, *index: Value) -> tuple[list[Value], list[Value]]:
        """The last that was kept: the variables, and the contents of memory."""
        found: list[Value] = []
        for tape, value in zip(self.seen_tapes, (*self.slots, *self.memory), strict=True):
            taken = self.sweep.builder.call(how, tape, *index, name=value.name)
            taken.kind = value.kind
            found.append(taken)
        return found[: len(self.slots)], found[len(self.slots) :]

    def _put(self, slots: list[Value], outer: dict[Value, Value], contents: list[Value]) -> None:
        """Put contents back into the arrays that they were copied from."""
        table = {**outer, **dict(zip(self.slots, slots, strict=True))}
        for value, held in zip(self.memory, contents, strict=True):
            held.name = None
            self.sweep.builder.call("operator.setitem", table.get(value, value), ..., held)

    def _outside(self) -> list[Value]:
        """The values from outside that the body reads."""
        body = self.op.body
        inside = {*body.params, *(r for op in body.ops for r in op.results)}
        read = [*values_read(body), *self.memory]
        return [v for v in dict.fromkeys(read) if v not in inside and not isinstance(v, LITERALS)]

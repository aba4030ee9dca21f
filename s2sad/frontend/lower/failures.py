"""``try``: what it protects runs once for its failures alone; then a branch takes the path that was found.

Before::

    try:
        L = np.linalg.cholesky(A)
    except np.linalg.LinAlgError:
        L = fallback

After (nothing of the attempt is differentiated; the branch is, as any other)::

    attempt = s2sad.runtime.Attempt(numpy.linalg.LinAlgError)
    with attempt:
        numpy.linalg.cholesky(A)
    handler = s2sad.runtime.handler_of(attempt)
    if handler == 0:
        L = numpy.linalg.cholesky(A)
    else:
        L = fallback

The reverse sweep thus never meets a block that was left half-way. Running the body twice has to be as good as running it
once: where it writes into arrays or lists, the attempt works on copies of all that it is given, and what it prints or leaves
in objects outside it leaves out. Where something may fail after what has been written, the statements that were completed are
followed (``progress``), as far as each of them writes last: one that fails after it has written is refused as it runs. Names
that the body may or may not have bound when it failed cannot be read in a handler or after it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import gast

from s2sad.frontend.entities import Entity, Static, Struct, Top, Tried
from s2sad.frontend.fence import KnownFailure
from s2sad.frontend.lower import control
from s2sad.frontend.lower.arithmetic import arithmetic
from s2sad.frontend.lower.dispatch import block, lower
from s2sad.frontend.lower.parts import layouts, restore_layouts
from s2sad.frontend.lower.progress import LOST, Counting, Following, following, suspended
from s2sad.frontend.lower.raised import TOLD, Failure, expect, hand_on
from s2sad.frontend.lower.state import Key, Lowering, Repeats, global_of
from s2sad.frontend.normal.outcomes import outcomes
from s2sad.ir.kinds import Other, Scalar, has_length, may_refer
from s2sad.ir.nodes import LOOKS, Block, Call, Const, Global, If, Op, Undef, Value, With
from s2sad.ir.walk import blocks_of, calls_within, functions_of, ops_of, reads_of, substitute_all
from s2sad.rules.buffers import PUT
from s2sad.rules.effects import effects
from s2sad.rules.traits import having

COPY = "s2sad.runtime.attempt_copy"
CLOCKS = {f"time.{name}" for name in ("time", "perf_counter", "monotonic", "process_time", "thread_time")}
DELETED = "the name of an exception is deleted after its handler"


def try_statement(ctx: Lowering, node: gast.Try) -> None:
    """``try`` with handlers, ``else`` and ``finally``."""
    if ctx.program.keeping is not None:
        ctx.program.keeping.syntax(node)
    here = ctx.builder.block
    start = len(here.ops)
    try:
        if node.handlers:
            _guarded(ctx, node)
        else:
            _unguarded(ctx, node)
    except KnownFailure as failure:
        if failure.block is here:  # a finally block comes also after what is certainly raised
            block(ctx, node.finalbody)
        raise
    if node.finalbody:
        first = len(ctx.builder.block.ops)
        if isinstance(ctx.progress, Following):
            ctx.progress.finish(ctx, node.finalbody, block)
        else:
            block(ctx, node.finalbody)
        last = here.ops[first:]
        if any(map(_may_raise, here.ops[start:first])):
            others = [op for op in ops_of(Block(ops=last)) if not (isinstance(op, Call) and op.target in CLOCKS)]
            _check_effects(ctx, others, node.finalbody[0], "a finally block")
            ctx.program.late.update(filter(_may_raise, last))
            ctx.program.final.update(ops_of(Block(ops=last)))


def _unguarded(ctx: Lowering, node: gast.Try) -> None:
    """The statements that a ``finally`` comes after."""
    block(ctx, node.body)
    if isinstance(ctx.progress, Following):
        ctx.progress.while_alive(ctx, lambda: block(ctx, node.orelse), node)
    else:
        block(ctx, node.orelse)


CERTAIN = {f"operator.{name}" for name in ("add", "sub", "mul", "neg", "pos", "lt", "le", "gt", "ge", "eq", "ne", "not_")}
OF_ATTEMPTS = {f"s2sad.runtime.{name}" for name in ("Attempt", "step", "unfollowed", "handler_of", "steps_of", "error_of")}
OF_ATTEMPTS |= {COPY}


def is_missed(ctx: Lowering, body: list[Op], last: list[Op]) -> bool:
    """Test for statements that follow others and would be missed by somebody, if one of those failed."""
    done = [op for op in ops_of(Block(ops=last)) if isinstance(op, Call)]
    seen = any(_is_told(op) or _has_effect(op) or op.callee is not None and ctx.program.writes(op.callee) for op in done)
    return seen and any(map(_may_raise, body))


def _may_raise(op: Op) -> bool:
    """Possibility that an operation fails: all but sums, products and comparisons of numbers, and questions for known axes."""
    if isinstance(op, If):
        return any(_may_raise(inner) for arm in op.blocks() for inner in arm.ops)
    if isinstance(op, Call) and (op.target in {PUT, *OF_ATTEMPTS} or _asks(op) and has_length(op.args[0].kind)):
        return False
    numbers = isinstance(op, Call) and all(isinstance(v.kind, Scalar | Other) for v in op.args)
    return not (numbers and isinstance(op, Call) and op.target in CERTAIN)


def _asks(op: Call) -> bool:
    return op.target in having("asks for sizes")


def _is_certain(op: Op) -> bool:
    """Certainty that an operation cannot fail, even where NumPy is told to raise (``np.errstate``)."""
    if isinstance(op, If):
        return all(_is_certain(inner) for arm in op.blocks() for inner in arm.ops)
    asks = isinstance(op, Call) and (_asks(op) or op.target in OF_ATTEMPTS)
    of_python = isinstance(op, Call) and all(not isinstance(v.kind, Scalar) or v.kind.weak for v in op.args)
    return not _may_raise(op) and (asks or of_python)


def _check_late(ctx: Lowering, probe: Block, node: gast.AST) -> None:
    """Refuse a finally block that may fail while an exception is on its way: which of them is caught would not be known."""
    pending, seen = [probe], {probe}
    found = False
    while pending:
        for op in ops_of(pending.pop()):
            found = found or op in ctx.program.late
            new = [function.body for function in functions_of(op) if function.body not in seen]
            seen.update(new)
            pending += new
    if found:
        ctx.refuse(
            node, "a finally block inside try that may fail itself",
            "which exception leaves it would not be known", "nothing but sums and products of numbers in it",
        )  # fmt: skip


def _guarded(ctx: Lowering, node: gast.Try) -> None:
    classes = [_classes(ctx, handler) for handler in node.handlers]
    before, touched, changed_lists = dict(ctx.variables), ctx.touched, ctx.changed_lists
    ctx.touched, ctx.changed_lists = set(), set()
    known_keys = layouts(ctx)
    probe = Block()
    failure = None
    place = ctx.place(node, "try")
    around = ctx.progress is not None and ctx.progress.deep
    deep = around or ctx.place(node, TOLD) in ctx.program.repeating
    if around and place not in ctx.program.repeating:
        raise Repeats(place)
    outer, lists = ctx.progress, (list(ctx.stack), list(ctx.loops), list(ctx.caught))
    attempt = Value(Other("attempt"), "attempt")
    ctx.progress = Counting(attempt, deep) if place in ctx.program.repeating else None
    ctx.trying += 1
    try:
        with ctx.builder.inside(probe):
            block(ctx, node.body)
    except KnownFailure as known:
        failure = known
    finally:
        ctx.progress = outer
        ctx.trying -= 1
        new, ctx.touched = ctx.touched, ctx.touched | touched
        longer, ctx.changed_lists = ctx.changed_lists & before.keys(), ctx.changed_lists | changed_lists
    after, (ctx.stack, ctx.loops, ctx.caught) = ctx.variables, lists
    changed = {key for key, entity in ctx.variables.items() if before.get(key) is not entity} | new
    ctx.variables = dict(before)
    if failure is not None:
        _known_failure(ctx, node, failure, probe, after)
        return
    if _gives_up(node, probe):
        block(ctx, node.handlers[0].body)
        return
    grown = restore_layouts(known_keys) != known_keys or bool(longer)
    _check_effects(ctx, probe.ops, node.body[0], "the body of a try statement", told=True)
    _check_late(ctx, probe, node.body[0])
    order = _check_order(ctx, node, probe, grown, attempt)
    onward = _passes_on(ctx, node, order.tells and place in ctx.program.repeating)
    if all(map(_is_certain, probe.ops)):
        _passed(ctx, node)
        return
    _leave_out(probe)
    _mark(ctx, probe, order.late, attempt)
    args = [*classes, _all()] if onward else classes
    ctx.builder.append(Call(target="s2sad.runtime.Attempt", args=args, results=[attempt]))
    if order.writes:
        _work_on_copies(ctx, probe, attempt)
    ctx.builder.append(With(context=attempt, body=probe))
    handler = ctx.builder.call("s2sad.runtime.handler_of", attempt, name="handler")

    def failed() -> None:
        box = None
        if place in ctx.program.repeating:
            start = len(ctx.builder.block.ops)
            steps = ctx.builder.call("s2sad.runtime.steps_of", attempt, name="steps")
            error = ctx.builder.call("s2sad.runtime.error_of", attempt)
            with following(ctx, steps, error, deep) as box:
                expect(ctx, box, node.handlers, probe)
                block(ctx, node.body)
            ctx.program.passed.update(ops_of(Block(ops=ctx.builder.block.ops[start:])))
        else:
            for key in changed:
                if not _keeps(ctx, key, node.body):
                    ctx.variables[key] = Top(LOST, (Tried(place),))
        _handlers(ctx, node, attempt, handler, 1, onward, Failure(place, probe, box))

    due = arithmetic(ctx, "operator.eq", handler, Const(0))
    control.branch(ctx, due, lambda: _passed(ctx, node), failed, node)


def _gives_up(node: gast.Try, probe: Block) -> bool:
    """Test for a generated program that looks whether shapes are equal: of the two the general one is differentiated."""
    return len(node.handlers) == 1 and any(op.target in LOOKS for op in calls_within(probe))


def _passed(ctx: Lowering, node: gast.Try) -> None:
    """The body, of which an attempt has shown that it does not fail, and what comes after it."""
    start = len(ctx.builder.block.ops)
    with suspended(ctx):
        block(ctx, node.body)
    ctx.program.passed.update(ops_of(Block(ops=ctx.builder.block.ops[start:])))
    block(ctx, node.orelse)


def _passes_on(ctx: Lowering, node: gast.Try, tells: bool) -> bool:
    """Need for a handler of all that the others leave: a try statement around this one is followed, which may see what was
    done before; or somebody outside has to be told (``tells``) what was, before the exception goes there."""
    return (tells or ctx.progress is not None) and node.handlers[-1].type is not None


def attempted_again(ctx: Lowering, attempt: Value, inside: Callable[[], None], node: gast.AST) -> None:
    """``with attempt:`` of a generated program, which is differentiated once more: it works on copies already."""
    here, probe, before = ctx.builder.block, Block(), dict(ctx.variables)
    ctx.trying += 1
    try:
        with ctx.builder.inside(probe):
            inside()
    finally:
        ctx.trying -= 1
    _check_effects(ctx, list(ops_of(probe)), node, "an attempt")
    order = _Order(ctx, ctx.program.final, attempt)
    order.block(probe.ops)
    copies = {op.result for op in here.ops if isinstance(op, Call) and op.target == COPY and op.args[0] is attempt}
    if order.writes and _given(probe, attempt).keys() - copies:
        ctx.refuse(node, "an attempt that writes into what is seen after it", instead="try and except")
    for key in [k for k, v in ctx.variables.items() if before.get(k) is not v]:
        own = key[0] is ctx.frame and isinstance(key[1], str)  # the text takes such a name again where it is bound anew
        ctx.variables[key] = Undef() if own else Top(LOST)
    ctx.builder.append(With(context=attempt, body=probe))


def _known_failure(
    ctx: Lowering, node: gast.Try, failure: KnownFailure, probe: Block, after: dict[Key, Entity]
) -> None:
    """The handler of an exception that is certainly raised, if nothing else can happen before it."""
    handler = next((h for h in node.handlers if isinstance(failure.error, _caught(ctx, h))), None)
    if handler is None and not probe.ops:
        raise failure
    if handler is None or any(map(_may_raise, probe.ops)) or failure.block is not probe:
        raise failure.refused()  # it may be caught here, or comes behind what may, or behind what is done here
    ctx.variables = after
    for inner in blocks_of(probe):  # there is no attempt that counts
        inner.ops = [op for op in inner.ops if not (isinstance(op, Call) and op.target == "s2sad.runtime.step")]
    ctx.builder.block.ops.extend(probe.ops)
    name = handler.name.id if isinstance(handler.name, gast.Name) else handler.name
    made = control.exception(ctx, type(failure.error), failure.error.args)
    if name is not None:
        ctx.bind(name, made)
    ctx.caught.append(made)
    block(ctx, handler.body)
    ctx.caught.pop()
    if name is not None:
        ctx.variables[(ctx.frame, name)] = Top(DELETED)


def _caught(ctx: Lowering, handler: gast.ExceptHandler) -> tuple[type[BaseException], ...]:
    """The classes that a handler catches."""
    entity = Static(BaseException) if handler.type is None else lower(ctx, handler.type)
    options = entity.items if isinstance(entity, Struct) else [entity]
    return tuple(o.payload for o in options if isinstance(o, Static) and _is_exception(o.payload))


def _handlers(
    ctx: Lowering, node: gast.Try, attempt: Value, number: Value, position: int, onward: bool, failure: Failure,
) -> None:  # fmt: skip
    """The handler that is due, as branches; ``onward``: there may be none."""
    handler = node.handlers[position - 1]
    if position == len(node.handlers) and not onward:
        _handler(ctx, handler, attempt, failure)
        return

    def others() -> None:
        if position == len(node.handlers):
            _pass_on(ctx, attempt, failure)
        else:
            _handlers(ctx, node, attempt, number, position + 1, onward, failure)

    due = arithmetic(ctx, "operator.eq", number, Const(position))
    control.branch(ctx, due, lambda: _handler(ctx, handler, attempt, failure), others, handler)


def _pass_on(ctx: Lowering, attempt: Value, failure: Failure) -> None:
    """An exception that no handler is for goes to the try statement around this one, or out of the function."""
    if isinstance(ctx.progress, Following):
        error = ctx.builder.call("s2sad.runtime.error_of", attempt)
        ctx.failures[error] = failure
        hand_on(ctx, ctx.progress.box, error)
        ctx.progress.end(ctx)
    else:
        if isinstance(ctx.progress, Counting):
            ctx.progress.step(ctx)
        ctx.builder.call("s2sad.raise", ctx.builder.call("s2sad.runtime.error_of", attempt))


def _handler(ctx: Lowering, handler: gast.ExceptHandler, attempt: Value, failure: Failure) -> None:
    error = ctx.builder.call("s2sad.runtime.error_of", attempt)
    ctx.failures[error] = failure
    ctx.caught.append(error)
    name = handler.name
    bound = name.id if isinstance(name, gast.Name) else name
    if bound is not None:
        ctx.bind(bound, error)
    block(ctx, handler.body)
    if bound is not None:
        ctx.variables[(ctx.frame, bound)] = Top(DELETED)
    ctx.caught.pop()


def _classes(ctx: Lowering, handler: gast.ExceptHandler) -> Value:
    """The classes that a handler catches, as generated code spells them."""
    if handler.type is None:
        return _all()
    entity = lower(ctx, handler.type)
    options = entity.items if isinstance(entity, Struct) else [entity]
    known = [o for o in options if isinstance(o, Static) and _is_exception(o.payload)]
    if len(known) != len(options):
        ctx.refuse(
            handler, "this except clause", "which exceptions it catches is not known", "name their classes"
        )
    values = [global_of(option) for option in known]
    return values[0] if len(values) == 1 else ctx.builder.call("builtins.tuple", *values)


def _all() -> Value:
    """The class of all exceptions."""
    return global_of(Static(BaseException, "builtins.BaseException"))


def _is_exception(payload: object) -> bool:
    return isinstance(payload, type) and issubclass(payload, BaseException)


# --- what a body may do


def _keeps(ctx: Lowering, key: Key, body: list[gast.stmt]) -> bool:
    """Certainty that a name has its old value when the body has failed: only what cannot fail comes after its binding.

    So it is with the flags that the normal form sets where a jump leaves the body, by names that the user has not given.
    """
    definition = ctx.frame.source.node
    own = key[0] is ctx.frame and key[1] not in _shared(definition)
    return own and (key[1] not in _users(definition) or key[1] not in _lost(body))


@functools.cache
def _shared(definition: gast.FunctionDef) -> frozenset[str]:
    """The names that functions in a definition bind in one around them: any call may do so."""
    return frozenset(name for n in gast.walk(definition) if isinstance(n, gast.Nonlocal) for name in n.names)


@functools.cache
def _users(definition: gast.FunctionDef) -> frozenset[str]:
    """The names in a definition as the user wrote it."""
    return frozenset(n.id for n in gast.walk(definition) if isinstance(n, gast.Name))


def _lost(body: list[gast.stmt]) -> list[str]:
    """The names that statements may have bound when one of them fails."""
    last = max((k for k, s in enumerate(body) if _may_fail(s)), default=-1)
    lost = [name for s in body[: max(last, 0)] for name in _bound(s)]
    if last < 0 or _binds_at_its_end(body[last]):
        return lost
    final = body[last]
    if isinstance(final, gast.If) and not any(isinstance(n, gast.NamedExpr) for n in gast.walk(final.test)):
        return [*lost, *_lost(final.body), *_lost(final.orelse)]
    if isinstance(final, gast.With) and not any(item.optional_vars for item in final.items):
        return lost + _lost(final.body)
    return lost + _bound(final)


def _may_fail(statement: gast.stmt) -> bool:
    value = statement.value if isinstance(statement, gast.Assign) else None
    simple = isinstance(value, gast.Name | gast.Constant) and isinstance(statement.targets[0], gast.Name)
    return not simple and not isinstance(statement, gast.Pass)


def _binds_at_its_end(statement: gast.stmt) -> bool:
    if any(isinstance(n, gast.NamedExpr) for n in gast.walk(statement)):
        return False
    if isinstance(statement, gast.AugAssign):  # of a number: a store into an array is refused
        return isinstance(statement.target, gast.Name)
    return isinstance(statement, gast.Assign) and all(isinstance(t, gast.Name) for t in statement.targets)


def _bound(statement: gast.stmt) -> list[str]:
    return [
        n.id for n in gast.walk(statement) if isinstance(n, gast.Name) and not isinstance(n.ctx, gast.Load)
    ]


def _check_effects(ctx: Lowering, ops: list[Op], node: gast.AST, where: str, told: bool = False) -> None:
    """Refuse what cannot be run twice, or would have to be run where an exception passes; not what is only ``told``."""
    for op in ops_of(Block(ops=list(ops))):
        if not isinstance(op, Call) or told and _is_told(op):
            continue
        loud = [op] if op.callee is None else [o for o in ops_of(op.callee.body) if isinstance(o, Call)]
        for effect in filter(_has_effect, loud):
            if effect.target in LEFT:
                ctx.program.after_a_call()
            what = effect.target.removeprefix("builtins.")
            ctx.refuse(
                node, f"calling {what} in {where}", "it would be called twice, or left out", "call it outside"
            )


def _check_order(ctx: Lowering, node: gast.Try, probe: Block, grown: bool, attempt: Value) -> _Order:
    """The writes of a body into what is seen after it; if it may fail after one, its statements are to be followed.

    Each of them then should write last: of ``late`` are the operations that may fail in a statement that has written.
    """
    place = ctx.place(node, "try")
    counted = place in ctx.program.repeating
    order = _Order(ctx, set() if counted else ctx.program.final, attempt)
    order.block(probe.ops)
    if order.late or grown:
        if _leaves(node) and not ctx.trying and ctx.progress is None and not order.tells:
            order.late.clear()  # whoever sees what was written is left by the exception, too
            return order
        if not counted:
            raise Repeats(place)
    return order


def _mark(ctx: Lowering, probe: Block, late: set[Op], attempt: Value) -> None:
    """Have the attempt say where it may fail in a statement that has written: nobody knows then what was written."""
    for inner in blocks_of(probe):
        marked = Block()
        for op in inner.ops:
            if op in late:
                with ctx.builder.inside(marked):
                    place = f"line {op.loc.line}" if op.loc else "a statement"
                    ctx.builder.call("s2sad.runtime.unfollowed", attempt, Const(place))
            marked.ops.append(op)
        inner.ops = marked.ops


def _leaves(node: gast.Try) -> bool:
    """Test for a try statement whose handlers all raise."""
    return not any(outcomes(handler.body) for handler in node.handlers)


class _Order:
    """The writes in each step of a body, and the operations that may fail after them (``late``)."""

    def __init__(self, ctx: Lowering, final: set[Op], attempt: Value) -> None:
        self.ctx = ctx
        self.attempt = attempt  # whose steps they are
        self.final = final  # comes after a failure, too
        self.writes = False  # into what others may see
        self.tells = False  # somebody outside
        self.late: set[Op] = set()
        self._written = False  # in this step
        self._new: set[Value] = set()  # made in this step
        self._catch_all: set[Value] = set()  # attempts that nothing leaves but by what follows them

    def block(self, ops: list[Op]) -> None:
        """Look at operations in order."""
        for op in ops:
            if isinstance(op, Call):
                self._call(op)
            elif isinstance(op, If):
                before = self._written
                self.block(op.then.ops)
                after, self._written = self._written, before
                self.block(op.orelse.ops)
                self._written = self._written or after
            elif not (isinstance(op, With) and op.context in self._catch_all):  # that writes into copies only
                for _ in range(2):  # what an iteration writes may come before what the next one fails at
                    for block in op.blocks():
                        self.block(block.ops)

    def _call(self, op: Call) -> None:
        if op.target == "s2sad.runtime.step":
            if op.args[0] is self.attempt:
                self._written, self._new = False, set()
            return
        if self._written and _may_raise(op) and not _is_told(op) and op not in self.ctx.program.passed:
            self.late.add(op)
        writes = self._is_seen(op)
        if writes and (op.callee is not None or op in self.final):  # a callee may fail half-way
            self.late.add(op)
        self._written = self._written or writes
        self.writes = self.writes or writes and not _is_told(op)
        self.tells = self.tells or _is_told(op)
        if is_new(op):
            self._new.update(op.results)
        if op.target == "s2sad.runtime.Attempt" and isinstance(last := op.args[-1], Global) and last.payload is BaseException:
            self._catch_all.update(op.results)

    def _is_seen(self, op: Call) -> bool:
        """Test for a call that writes into what was there before this step, or tells somebody."""
        if op in self.ctx.program.leaving:
            return True
        if op.callee is not None:
            return self.ctx.program.writes(op.callee)
        does = effects(op)
        return _is_told(op) or any(value not in self._new for value in (*does.writes, *does.changes))


def _is_told(op: Op) -> bool:
    """Test for an operation that only tells somebody outside, and cannot fail."""
    if not isinstance(op, Call) or op.callee is not None:
        return False
    does = effects(op)
    return op.target in LEFT or does.tells and not does.acts


LEFT = ("s2sad.leave", "s2sad.leave_item")  # in objects outside


def _leave_out(probe: Block) -> None:
    """The attempt tells nobody anything."""
    for inner in blocks_of(probe):
        inner.ops = [op for op in inner.ops if not _is_told(op)]


def _work_on_copies(ctx: Lowering, probe: Block, attempt: Value) -> None:
    """Copies for the attempt in place of what it is given, which share memory among themselves as what they are copies of."""
    given = _given(probe, attempt)
    substitute_all(probe, {value: ctx.builder.call(COPY, attempt, value, name=value.name) for value in given})


def _given(probe: Block, attempt: Value) -> dict[Value, None]:
    """The memory that an attempt is given."""
    own = {value for b in blocks_of(probe) for value in (*b.params, *(r for op in b.ops for r in op.results))}
    used = [value for op in probe.ops for value in reads_of(op)]  # names that branches and loops bind to others, too
    outside = (v for v in used if v not in own and v is not attempt and not isinstance(v, Const | Global))
    return dict.fromkeys(filter(_is_memory, outside))


def _is_memory(value: Value) -> bool:
    return may_refer(value.kind)


def _has_effect(op: Call) -> bool:
    """Test for a call that does more than to compute, or draws random numbers."""
    return op.callee is None and effects(op).once


def is_new(op: Op) -> bool:
    """Test for a call that makes a new array or list, and is no window of another."""
    if not isinstance(op, Call) or op.callee is not None:
        return False
    does = effects(op)
    own = all(share.how in ("holds", "part") for share in does.shares)
    return own and not (does.unknown or does.writes or does.changes)

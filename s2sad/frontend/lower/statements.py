"""Lowering statements of the normal form."""

from __future__ import annotations

import functools
from collections.abc import Callable

import gast

from s2sad.errors import CompilerError, S2sadError
from s2sad.frontend import observe
from s2sad.frontend.entities import Closure, Entity, Static, Top
from s2sad.frontend.lower import calls, control, recomputed
from s2sad.frontend.lower.assignment import loop_over
from s2sad.frontend.lower.dispatch import apply, block, lower
from s2sad.frontend.lower.iteration import iteration
from s2sad.frontend.lower.operators import tested
from s2sad.frontend.lower.outside import name_for_writing
from s2sad.frontend.lower.progress import RESULT, Following
from s2sad.frontend.lower.signatures import defaults_of
from s2sad.frontend.lower.state import Lowering, ReturnsFunctions
from s2sad.frontend.resolve import LiveScope
from s2sad.ir.kinds import Other
from s2sad.ir.nodes import Const, Value

ENDED = Top("it is bound by a loop that has ended")


def if_statement(ctx: Lowering, node: gast.If) -> None:
    test = tested(ctx, node.test)
    control.branch(ctx, test, lambda: block(ctx, node.body), lambda: block(ctx, node.orelse), node)


def split_break(statements: list[gast.stmt]) -> tuple[list[gast.stmt], str | None]:
    """The body of a loop without its trailing ``if flag: break``, and the flag's name."""
    last = statements[-1] if statements else None
    if isinstance(last, gast.If) and len(last.body) == 1 and isinstance(last.body[0], gast.Break):
        assert isinstance(last.test, gast.Name)
        return statements[:-1], last.test.id
    return statements, None


def for_statement(ctx: Lowering, node: gast.For) -> None:
    body, flag = split_break(node.body)
    over, snapshots = recomputed.snapshots_of(ctx, node.iter)
    it = iteration(ctx, over, statement=True)
    run: Callable[[], None] = functools.partial(block, ctx, body)
    if isinstance(ctx.progress, Following):
        run, flag = ctx.progress.loop(ctx, run, flag, node)
    if it.run is not None or it.items is not None:
        run = _forgetting(ctx, node, run)
    loop_over(ctx, it, node.target, run, node, flag, snapshots)


def _forgetting(ctx: Lowering, loop: gast.For, run: Callable[[], None]) -> Callable[[], None]:
    """The body of a loop that is written out, after which what nobody reads is bound to nothing: paths that end the loop at
    different objects would have to be merged."""
    stored = {n.id for n in gast.walk(loop) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Store)}
    keys = [(ctx.owner(name), name) for name in sorted(ctx.frame.loop_names & stored)]

    def forget() -> None:
        ctx.variables.update(dict.fromkeys(keys, ENDED))

    def forgetting() -> None:
        run()
        forget()

    forget()
    return forgetting


def while_statement(ctx: Lowering, node: gast.While) -> None:
    body, flag = split_break(node.body)
    run: Callable[[], None] = functools.partial(block, ctx, body)
    if isinstance(ctx.progress, Following):
        run, flag = ctx.progress.loop(ctx, run, flag, node)
    condition, snapshots = recomputed.snapshots_of(ctx, node.test)

    def broken() -> Value | None:
        return None if flag is None else ctx.value(ctx.lookup(flag, node), node)

    def test() -> Value:
        entity = control.asked(ctx, tested(ctx, condition), node)
        known = control.truth(ctx, entity) if not isinstance(entity, Value) else None
        return Const(known) if known is not None else ctx.value(entity, node)

    control.while_loop(ctx, test, run, node, broken, snapshots)


def expression_statement(ctx: Lowering, node: gast.Expr) -> None:
    if isinstance(node.value, gast.Constant):
        return
    ctx.alone = node.value
    lower(ctx, node.value)


def return_statement(ctx: Lowering, node: gast.Return) -> None:
    ctx.frame.result = lower(ctx, node.value) if node.value is not None else Const(None)
    if ctx.frame.followed or isinstance(ctx.progress, Following):  # also within a statement that is one step
        ctx.variables[(ctx.frame, RESULT)] = ctx.frame.result


def function_statement(ctx: Lowering, node: gast.FunctionDef) -> None:
    """A nested function, with what its decorators make of it."""
    ctx.frame.defines = True
    entity: Entity = Closure(node, ctx.frame, defaults_of(ctx, node))
    for decorator in reversed(node.decorator_list):
        if _only_compiles(ctx, decorator):
            continue
        entity = apply(ctx, lower(ctx, decorator), [entity], {}, decorator)
    ctx.bind(node.name, entity)


def nonlocal_statement(ctx: Lowering, node: gast.Nonlocal) -> None:
    """Assignments to these names bind the variables of the function around."""
    assigned = [name for name in node.names if name in ctx.frame.locals]
    ctx.frame.shared |= frozenset(node.names)
    ctx.frame.locals -= ctx.frame.shared
    for name in assigned:
        frame = ctx.frame
        while frame.outer is not None and name not in frame.locals:
            frame = frame.outer
        if name not in frame.locals:
            name_for_writing(ctx, frame, name, node)


def _only_compiles(ctx: Lowering, decorator: gast.expr) -> bool:
    """Test for a decorator that only compiles what it decorates: ``@njit``, ``@njit(cache=True)``."""
    maker = lower(ctx, decorator.func if isinstance(decorator, gast.Call) else decorator)
    home = observe.home_of(maker.payload) if isinstance(maker, Static) else None
    return str(home).partition(".")[0] == "numba"


def global_statement(ctx: Lowering, node: gast.Global) -> None:
    """``global name``: assignments bind the names of the module."""
    assigned = [name for name in node.names if name in ctx.frame.locals]
    ctx.frame.locals -= frozenset(node.names)
    for name in assigned:
        frame = ctx.frame
        while frame.outer is not None and name not in frame.locals:
            frame = frame.outer
        if name in frame.locals or isinstance(frame.scope, LiveScope) and observe.captures(frame.scope.function, name):
            ctx.refuse(node, f"global {name} here", "a function around has a variable of that name", "another name")
        ctx.frame.shared |= {name}
        name_for_writing(ctx, frame, name, node)


def assert_statement(ctx: Lowering, node: gast.Assert) -> None:
    test = tested(ctx, node.test)
    if control.truth(ctx, test):
        return
    if node.msg is None or isinstance(node.msg, gast.Constant):
        message = [] if node.msg is None else [Const(node.msg.value)]
        ctx.builder.call("s2sad.assert", ctx.value(test, node), *message)
        return

    def fail() -> None:
        name = gast.copy_location(gast.Name("AssertionError", gast.Load(), None, None), node)
        ctx.builder.call("s2sad.raise", calls.exception(ctx, name, [node.msg]))

    control.branch(ctx, test, lambda: None, fail, node)


def raise_statement(ctx: Lowering, node: gast.Raise) -> None:
    """``raise``: a new exception, a caught one again, or one from another."""
    cause = [] if node.cause is None else [_exception(ctx, node.cause)]
    if node.exc is not None:
        ctx.builder.call("s2sad.raise", _exception(ctx, node.exc), *cause)
    elif ctx.caught:
        ctx.builder.call("s2sad.raise", ctx.caught[-1])
    else:
        ctx.refuse(node, "a bare raise here", "there is no exception to raise again", "raise a new one")


def _exception(ctx: Lowering, node: gast.expr) -> Value:
    """The exception that an expression makes or names."""
    if isinstance(node, gast.Constant) and node.value is None:
        return Const(None)
    if isinstance(node, gast.Call) and isinstance(function := lower(ctx, node.func), Static):
        if not _is_class(function) and (made := _followed(ctx, node)) is not None:
            return made
        if any(keyword.arg is None for keyword in node.keywords):
            ctx.refuse(node, "** in an exception", "which arguments it gives is not followed", "write them out")
        return calls.exception(ctx, node.func, node.args, node.keywords)
    entity = lower(ctx, node)
    if _is_class(entity):
        return calls.exception(ctx, node, [])
    if isinstance(entity, Value) and entity.kind == Other("object"):
        return entity
    ctx.refuse(node, "raising this", "it is no call of an exception's class", "raise ValueError('...')")


def _followed(ctx: Lowering, node: gast.Call) -> Value | None:
    """The exception that a function makes, as any call's result; None where that is not known to be one, or is refused."""
    here = ctx.mark()
    try:
        made: Entity = lower(ctx, node)
    except (ReturnsFunctions, CompilerError):
        raise
    except S2sadError:
        made = Const(None)
    if isinstance(made, Value) and made.kind == Other("object"):
        return made
    ctx.reset(here)
    return None


def _is_class(entity: Entity) -> bool:
    return isinstance(entity, Static) and isinstance(entity.payload, type)


def pass_statement(ctx: Lowering, node: gast.Pass) -> None:
    """Nothing."""

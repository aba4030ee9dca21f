"""``with``: the body is lowered into a region of its own, which runs inside the context in the forward sweep.

Before::

    with np.errstate(divide="ignore"):
        y = np.log(x)

After (the reverse sweep enters a new ``np.errstate``; it does not enter other contexts again)::

    context = numpy.errstate(divide="ignore")
    y = with context:
        y1 = numpy.log(x)
        yield y1

A context that may swallow exceptions would decide which statements ran; only contexts known not to are accepted, and the
attempts of generated programs, which ran for their failures alone (``failures``). The methods ``__enter__`` and ``__exit__``
of a user's class are lowered where they are called.
"""

from __future__ import annotations

import contextlib
import decimal
import io
import threading
import types
import warnings
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from s2sad.frontend import observe
from s2sad.frontend.entities import Entity, Iteration, Method, Partial, Record, Static, Top, flatten, rebuild
from s2sad.frontend.fence import KnownFailure
from s2sad.frontend.lower import adjoint_hooks, objects
from s2sad.frontend.lower.assignment import assign
from s2sad.frontend.lower.dispatch import block, lower
from s2sad.frontend.lower.failures import attempted_again
from s2sad.frontend.lower.state import Lowering, global_of
from s2sad.ir.kinds import Other
from s2sad.ir.nodes import Call, Const, Value, With
from s2sad.ir.walk import blocks_of
from s2sad.rules.adjoint_hooks import adjoint_of

# What makes a context that never swallows an exception, and the path by which generated code calls it.
MAKERS: dict[Any, str] = {
    np.errstate: "numpy.errstate",
    np.printoptions: "numpy.printoptions",
    warnings.catch_warnings: "warnings.catch_warnings",
    open: "builtins.open",
    decimal.localcontext: "decimal.localcontext",
    contextlib.redirect_stdout: "contextlib.redirect_stdout",
    contextlib.redirect_stderr: "contextlib.redirect_stderr",
}
BY_GENERATOR = contextlib._GeneratorContextManager  # what contextmanager makes: it has no public name
ITSELF = {open}  # those whose __enter__ returns the context itself
# Live objects that are contexts.
OBJECTS = (
    type(threading.Lock()),
    type(threading.RLock()),
    threading.Condition,
    threading.Semaphore,
    io.IOBase,
)


def with_statement(ctx: Lowering, node: gast.With) -> None:
    """``with a, b as c: body``: one region inside the other."""
    _enter(ctx, node, list(node.items))


def _enter(ctx: Lowering, node: gast.With, items: list[gast.withitem]) -> None:
    if not items:
        block(ctx, node.body)
        return
    item, rest = items[0], items[1:]

    def inside() -> None:
        _enter(ctx, node, rest)

    function = lower(ctx, item.context_expr.func) if isinstance(item.context_expr, gast.Call) else None
    payload = function.payload if isinstance(function, Static) else None
    if payload is contextlib.nullcontext:
        _null(ctx, item, inside)
    elif payload is contextlib.suppress and item.optional_vars is None and not item.context_expr.keywords:
        block(ctx, [_tried(node, item.context_expr.args, rest)])
    elif payload is adjoint_of:
        adjoint_hooks.enter(ctx, item, inside)
    elif isinstance(payload, type | types.FunctionType | types.BuiltinFunctionType) and payload in MAKERS:
        context = _made(ctx, payload, item.context_expr, item.optional_vars)
        _region(ctx, context, inside, item, context if payload in ITSELF else Const(None))
    else:
        _object(ctx, lower(ctx, item.context_expr), item, inside)


def _tried(node: gast.With, caught: list[gast.expr], rest: list[gast.withitem]) -> gast.stmt:
    """``with suppress(A, B): body`` as ``try: body`` with ``except (A, B): pass``."""
    body = [gast.copy_location(gast.With(rest, node.body, None), node)] if rest else node.body
    handler = gast.ExceptHandler(gast.Tuple(caught, gast.Load()), None, [gast.Pass()])
    return gast.fix_missing_locations(gast.copy_location(gast.Try(body, [handler], [], []), node))


def _null(ctx: Lowering, item: gast.withitem, inside: Callable[[], None]) -> None:
    """``contextlib.nullcontext(x)``: nothing but its value."""
    args = item.context_expr.args
    value = lower(ctx, args[0]) if args else Const(None)
    if item.optional_vars is not None:
        assign(ctx, item.optional_vars, value)
    inside()


def _made(ctx: Lowering, maker: Any, node: gast.Call, name: gast.expr | None) -> Value:
    """The call that makes a context, which is given a name or not."""
    op = Call(target=MAKERS[maker], results=[Value(Other("object"))])
    op.args = [ctx.value(lower(ctx, arg), arg) for arg in node.args]
    for keyword in node.keywords:
        if keyword.arg is None:
            ctx.refuse(node, "** in a context", "what it sets is not known", "write the options out")
        if keyword.arg == "record" and name is not None:
            ctx.refuse(node, "recording warnings", "the list changes while the body runs", "catch_warnings()")
        op.kwargs[keyword.arg] = ctx.value(lower(ctx, keyword.value), keyword.value)
    ctx.builder.append(op)
    return op.results[0]


def _object(ctx: Lowering, entity: Entity, item: gast.withitem, inside: Callable[[], None]) -> None:
    """A context that exists already: an object of the program, or one from outside."""
    if isinstance(entity, Record) and entity.cls is BY_GENERATOR:
        _by_generator(ctx, ctx.variables.get((entity, "gen")), item, inside)
        return
    if isinstance(entity, Record) and entity.kind == "object":
        if _may_swallow(objects.find(entity.cls, "__exit__")):
            _refuse(ctx, item)
        entered = objects.call_method(ctx, entity, "__enter__", [], {}, item.context_expr)
        if item.optional_vars is not None:
            assign(ctx, item.optional_vars, entered)
        try:
            inside()
        except KnownFailure as failure:
            failure.block = None  # what __exit__ does then is not followed
            raise
        nothing: list[Entity] = [Const(None)] * 3
        objects.call_method(ctx, entity, "__exit__", nothing, {}, item.context_expr)
        return
    if isinstance(entity, Value) and entity.kind == Other("attempt") and item.optional_vars is None:
        attempted_again(ctx, entity, inside, item.context_expr)
        return
    if isinstance(entity, Static) and isinstance(entity.payload, OBJECTS):
        context = global_of(entity)
        itself = isinstance(entity.payload, io.IOBase)
        _region(ctx, context, inside, item, context if itself else Const(True))
        return
    _refuse(ctx, item)


def _by_generator(ctx: Lowering, made: Entity | None, item: gast.withitem, inside: Callable[[], None]) -> None:
    """A context by ``contextlib.contextmanager``: the body in place of the one ``yield``, within the ``try`` around it."""
    if not isinstance(made, Iteration) or made.run is None or made in ctx.consumed:
        _refuse(ctx, item)
        return
    block, loops = ctx.builder.block, len(ctx.loops)
    ctx.consumed.add(made)
    entered = 0

    def receive(value: Entity) -> Entity:
        nonlocal entered
        entered += 1
        if entered > 1 or ctx.builder.block is not block or len(ctx.loops) != loops:
            _refuse_yield(ctx, item)
        if item.optional_vars is not None:
            assign(ctx, item.optional_vars, value)
        inside()
        return Const(False)

    made.run(receive, False)
    if not entered:
        _refuse_yield(ctx, item)


def _refuse_yield(ctx: Lowering, item: gast.withitem) -> None:
    ctx.refuse(item.context_expr, "this context manager", "how often it yields depends on the path", "one yield, on every path")


def _may_swallow(leave: Any) -> bool:
    """Possibility that an ``__exit__`` returns something true: all that it returns is not written as None or False."""
    if not isinstance(leave, types.FunctionType):
        return True
    returns = [node for node in gast.walk(observe.source(leave).node) if isinstance(node, gast.Return)]
    values = [node.value for node in returns if node.value is not None]
    return any(not isinstance(value, gast.Constant) or bool(value.value) for value in values)


def _refuse(ctx: Lowering, item: gast.withitem) -> None:
    ctx.refuse(
        item.context_expr,
        "this context manager",
        "it may swallow exceptions, and which statements ran could not be told when sweeping back",
        "the body without it, or try and except",
    )


def _region(
    ctx: Lowering, context: Value, inside: Callable[[], None], item: gast.withitem, entered: Value
) -> None:
    """Lower the body into a region; what it binds leaves as results."""
    op = With(context=context, loc=ctx.builder.loc)
    if item.optional_vars is not None:
        assign(ctx, item.optional_vars, entered)
    before = dict(ctx.variables)
    with ctx.builder.inside(op.body):
        inside()
    for key in [k for k, v in ctx.variables.items() if before.get(k) is not v]:
        ctx.variables[key] = _leaving(op, ctx.variables[key])
    ctx.builder.append(op)


def _leaving(op: With, entity: Entity) -> Entity:
    """An entity of the body as it is seen after it."""
    made = {v for b in blocks_of(op.body) for o in b.ops for v in o.results}
    leaves: list[Entity] = []
    for leaf in flatten(entity):
        if isinstance(leaf, Value) and leaf in made:
            result = Value(leaf.kind, leaf.name)
            op.body.yields.append(leaf)
            op.results.append(result)
            leaves.append(result)
        elif isinstance(leaf, Partial | Method | Iteration):
            leaves.append(Top("it was made inside a with statement"))
        else:
            leaves.append(leaf)
    return rebuild(entity, iter(leaves))

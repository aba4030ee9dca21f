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
of a user's class are lowered where they are called; where an exception may leave the body, and somebody outside sees what
``__exit__`` does then, the body becomes that of a ``try`` whose handler calls it and raises again.
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
from s2sad.frontend.lower.dispatch import apply, block, lower
from s2sad.frontend.lower.failures import attempted_again, is_missed
from s2sad.frontend.lower.progress import as_one_step
from s2sad.frontend.lower.state import Lowering, Repeats, global_of
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
        as_one_step(ctx, node)
        adjoint_hooks.enter(ctx, item, inside)
    elif isinstance(payload, type | types.FunctionType | types.BuiltinFunctionType) and payload in MAKERS:
        context = _made(ctx, payload, item.context_expr, item.optional_vars)
        _region(ctx, context, inside, item, context if payload in ITSELF else Const(None))
    else:
        as_one_step(ctx, node)
        _object(ctx, lower(ctx, item.context_expr), item, inside, _block(node, rest))


def _tried(node: gast.With, caught: list[gast.expr], rest: list[gast.withitem]) -> gast.stmt:
    """``with suppress(A, B): body`` as ``try: body`` with ``except (A, B): pass``."""
    handler = gast.ExceptHandler(gast.Tuple(caught, gast.Load()), None, [gast.Pass()])
    return gast.fix_missing_locations(gast.copy_location(gast.Try(_block(node, rest), [handler], [], []), node))


def _block(node: gast.With, rest: list[gast.withitem]) -> list[gast.stmt]:
    """The statements inside a context: the body, within the other contexts."""
    return [gast.copy_location(gast.With(rest, node.body, None), node)] if rest else node.body


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


def _object(
    ctx: Lowering, entity: Entity, item: gast.withitem, inside: Callable[[], None], body: list[gast.stmt]
) -> None:
    """A context that exists already: an object of the program, or one from outside."""
    if isinstance(entity, Record) and entity.cls is BY_GENERATOR:
        _by_generator(ctx, ctx.variables.get((entity, "gen")), item, inside)
        return
    if isinstance(entity, Record) and entity.kind == "object":
        _of_class(ctx, entity, item, inside, body)
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


def _of_class(
    ctx: Lowering, entity: Record, item: gast.withitem, inside: Callable[[], None], body: list[gast.stmt]
) -> None:
    """An object of a user's class, which is left by an exception too, where somebody sees what ``__exit__`` does then."""
    if _may_swallow(objects.find(entity.cls, "__exit__")):
        _refuse(ctx, item)
    entered = objects.call_method(ctx, entity, "__enter__", [], {}, item.context_expr)
    place = ctx.place(item.context_expr, "with")
    if place in ctx.program.repeating:
        block(ctx, [_left_by_exceptions(ctx, entity, entered, item, body)])
    else:
        here, start = ctx.builder.block, len(ctx.builder.block.ops)
        _inside(ctx, entered, item, inside)
        first = len(here.ops)
    nothing: list[Entity] = [Const(None)] * 3
    objects.call_method(ctx, entity, "__exit__", nothing, {}, item.context_expr)
    if place not in ctx.program.repeating and is_missed(ctx, here.ops[start:first], here.ops[first:]):
        raise Repeats(place)


def _inside(ctx: Lowering, entered: Entity, item: gast.withitem, inside: Callable[[], None]) -> None:
    """What an object's ``__enter__`` gives, and the statements inside."""
    try:
        if item.optional_vars is not None:
            assign(ctx, item.optional_vars, entered)
        inside()
    except KnownFailure as failure:
        failure.block = None  # what __exit__ does then is not followed
        raise


def _left_by_exceptions(
    ctx: Lowering, entity: Record, entered: Entity, item: gast.withitem, body: list[gast.stmt]
) -> gast.stmt:
    """``try: body`` with ``except BaseException as error: context.__exit__(type(error), error, ...); raise``."""
    here = f"{item.context_expr.lineno}:{item.context_expr.col_offset}"  # no name of the user's has a space
    names = {word: f"{word} {here}" for word in ("class", "leave", "enter", "error")}
    ctx.bind(names["class"], Static(BaseException, "builtins.BaseException"))
    ctx.bind(names["leave"], Partial(Static(left), [entity], {}))
    ctx.bind(names["enter"], entered)
    read = {word: gast.Name(name, gast.Load(), None, None) for word, name in names.items()}
    if item.optional_vars is not None:
        body = [gast.Assign([item.optional_vars], read["enter"], None), *body]
    leaves = gast.Expr(gast.Call(read["leave"], [read["error"]], []))
    caught = gast.Name(names["error"], gast.Store(), None, None)
    handler = gast.ExceptHandler(read["class"], caught, [leaves, gast.Raise(None, None)])
    return gast.fix_missing_locations(gast.copy_location(gast.Try(body, [handler], [], []), item.context_expr))


def left(context: Any, error: BaseException) -> None:
    """The call of ``__exit__`` when an exception leaves the body: a name for it in statements that are lowered."""
    raise NotImplementedError


def leave(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    """What ``left`` stands for."""
    context, error = args
    assert isinstance(context, Record)
    raised = apply(ctx, Static(type, "builtins.type"), [error], {}, node)
    objects.call_method(ctx, context, "__exit__", [raised, error, Top("its frames are those of a derivative")], {}, node)
    return Const(None)


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

"""Exceptions in their handlers: the fields that a ``raise`` statement of the program gives them, with their derivatives.

    try:                                        (the handler's path: the attempt is followed to the statement that failed)
        x = step(x)
        if x > 9.0:                             x = step(x)
            raise Diverged(k, x)       ==>      e_k, e_x = k, x
    except Diverged as e:
        return e.x                              return e_x

Whole numbers are read of the exception itself as the program runs: they carry no derivative. An exception that no statement
of the program has raised is refused when its fields are read.
"""

from __future__ import annotations

import builtins
import inspect
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

import gast

from s2sad.errors import S2sadError
from s2sad.frontend import observe
from s2sad.frontend.entities import Entity, Record, Static, Struct, Top
from s2sad.frontend.lower import control
from s2sad.frontend.lower.dispatch import lower
from s2sad.frontend.lower.errors import are_plainly_made, assigned
from s2sad.frontend.lower.state import Frame, Lowering, Place, Repeats, global_of
from s2sad.frontend.resolve import LiveScope
from s2sad.ir.kinds import BOOL, INT
from s2sad.ir.nodes import Block, Call, Const, Global, Undef, Value
from s2sad.ir.walk import functions_of, ops_of

T = TypeVar("T")
TOLD = "told"  # whether a statement of the program has raised it
ARGS = "args"
UNKNOWN_FIELD = "what the exception was given there is computed in the raise statement, by a call"


@dataclass(frozen=True)
class Failure:
    """A try statement that failed: where it is, what it attempted, and what was followed of that, if it was."""

    place: Place
    probe: Block
    box: Record | None


def field(ctx: Lowering, error: Value, attr: str, node: gast.AST) -> Entity:
    """``error.attr`` of an exception that was caught."""
    failure = ctx.failures[error]
    plain = attr != ARGS and not _may_carry(failure.probe, attr)
    if not plain:
        _follow(ctx, failure)
    found = None if failure.box is None else ctx.variables.get((failure.box, (TOLD, attr)))
    if plain or failure.box is None or found is None and attr != ARGS:
        if attr == ARGS:
            _refuse(ctx, attr, node)
        return ctx.builder.call("s2sad.runtime.held_by", error, Const(attr))
    if found is None or isinstance(found, Top | Undef):
        _refuse(ctx, attr, node, found if isinstance(found, Top) else None)
    told = ctx.value(ctx.variables[(failure.box, TOLD)], node)
    ctx.builder.call("s2sad.runtime.assert_told", error, Const(attr), told)
    return found


def _follow(ctx: Lowering, failure: Failure) -> None:
    """Lower the program again, with the attempt followed; then into what it calls, where it has not been found who raises."""
    place = (*failure.place[:3], "try" if failure.box is None else TOLD)
    within = {*_errors_in(failure.probe)}.difference(ops_of(failure.probe))
    if place not in ctx.program.repeating and (failure.box is None or within):
        raise Repeats(place)


def _refuse(ctx: Lowering, attr: str, node: gast.AST, found: Top | None = None) -> NoReturn:
    why = "what was raised is known only when the program runs, and may be a number" if found is None else found.why
    ctx.refuse(node, f"the attribute {attr!r} of an exception", why, "what it is to tell bound to a name before it is raised")


def expect(ctx: Lowering, box: Record, handlers: Sequence[gast.ExceptHandler], probe: Block) -> None:
    """Nothing is known yet of what the handlers read; of ``args`` it is known how many there are, where all have so many."""
    ctx.variables[(box, TOLD)] = Const(False)
    for name in [name for _, name in ctx.variables if type(name) is tuple and name[0] == TOLD]:  # of try statements around
        ctx.variables[(box, name)] = Undef()
    for node in (node for handler in handlers for statement in handler.body for node in gast.walk(statement)):
        if isinstance(node, gast.Attribute):
            ctx.variables[(box, (TOLD, node.attr))] = Undef()
    counts = {len(_made(op)[1]) for op in _errors_in(probe)}
    if (box, (TOLD, ARGS)) in ctx.variables and len(counts) == 1:
        ctx.variables[(box, (TOLD, ARGS))] = Struct([Undef() for _ in range(counts.pop())])


def tell(ctx: Lowering, box: Record, error: Value, node: gast.Raise) -> None:
    """Remember what an exception was given by the statement that raised it."""
    if node.exc is None and ctx.caught:
        hand_on(ctx, box, ctx.caught[-1])
        return
    exc = node.exc
    if exc is None or isinstance(exc, gast.Call) and any(keyword.arg is None for keyword in exc.keywords):
        return
    known = lower(ctx, exc.func if isinstance(exc, gast.Call) else exc)
    if not isinstance(known, Static) or not isinstance(known.payload, type) or not are_plainly_made(known.payload):
        return
    own = ctx.builder.call("s2sad.runtime.is_of_class", error, global_of(known))  # and none that an argument has raised
    control.branch(ctx, own, lambda: _tell(ctx, box, _given(ctx, known, exc)), lambda: None, node)


def hand_on(ctx: Lowering, box: Record, error: Value) -> None:
    """What is known of an exception that a handler of an inner try statement has caught, for that around it."""
    failure = ctx.failures.get(error)
    if failure is None or failure.box is None:
        if failure is not None and failure.place not in ctx.program.repeating:
            raise Repeats(failure.place)
        return
    known = {key[1]: entity for key, entity in ctx.variables.items() if key[0] is failure.box and isinstance(key[1], tuple)}
    _tell(ctx, box, {name: entity for (_, name), entity in known.items()})
    ctx.variables[(box, TOLD)] = ctx.variables[(failure.box, TOLD)]


def _tell(ctx: Lowering, box: Record, given: Mapping[str, Entity]) -> None:
    for name, entity in given.items():
        ctx.variables[(box, (TOLD, name))] = entity
    ctx.variables[(box, TOLD)] = Const(True)


def _given(ctx: Lowering, known: Static, exc: gast.expr) -> dict[str, Entity]:
    """The fields of the exception that is raised."""
    args, keywords = (exc.args, exc.keywords) if isinstance(exc, gast.Call) else ([], [])
    named = {str(keyword.arg): _read(ctx, keyword.value) for keyword in keywords}
    top = Top(UNKNOWN_FIELD)

    def computed(init: types.FunctionType, values: Mapping[str, Entity], expr: gast.expr) -> Entity:
        return _text(ctx, init, values, expr) or top

    fields, parts = made_of(known.payload, [_read(ctx, arg) for arg in args], named, Const, computed, top)
    return {**fields, ARGS: Struct(parts)}


def _text(ctx: Lowering, init: types.FunctionType, values: Mapping[str, Entity], expr: gast.expr) -> Entity | None:
    """What an ``__init__`` puts together of its parameters: an f-string, where all are known."""
    names = {node.id for node in gast.walk(expr) if isinstance(node, gast.Name)}
    if not isinstance(expr, gast.JoinedStr) or any(isinstance(values.get(name, Top("")), Top) for name in names):
        return None
    outer, ctx.frame = ctx.frame, Frame(observe.source(init), LiveScope(init), locals=frozenset(values))
    ctx.variables.update({(ctx.frame, name): values[name] for name in names})
    try:
        return lower(ctx, expr)
    finally:
        ctx.frame = outer


def _read(ctx: Lowering, node: gast.expr) -> Entity:
    """An argument as it was when the exception was made; what calls functions of the user's may do more than to compute it."""
    parts = [*gast.walk(node)]
    does_more = any(isinstance(part, gast.NamedExpr | gast.Yield | gast.YieldFrom) for part in parts)
    if does_more or not all(_computes(ctx, part) for part in parts if isinstance(part, gast.Call)):
        return Top(UNKNOWN_FIELD)
    progress, ctx.progress = ctx.progress, None
    try:
        return lower(ctx, node)
    finally:
        ctx.progress = progress


def _computes(ctx: Lowering, call: gast.Call) -> bool:
    """Test for a call of a library's function, by its name."""
    if not all(isinstance(inner, gast.Name | gast.Attribute | gast.expr_context) for inner in gast.walk(call.func)):
        return False
    known = lower(ctx, call.func)
    plain = isinstance(known, Static) and not isinstance(known.payload, types.FunctionType | type)
    return plain or isinstance(known, Static) and observe.is_library(known.payload)


def _errors_in(probe: Block) -> Iterator[Call]:
    """The exceptions that a block makes, and the functions that it calls."""
    pending, seen = [probe], {probe}
    while pending:
        for op in ops_of(pending.pop()):
            if isinstance(op, Call) and (op.target == "s2sad.error" or op.target.startswith("builtins.") and _is_error(op)):
                yield op
            new = [function.body for function in functions_of(op) if function.body not in seen]
            seen.update(new)
            pending += new


def _is_error(op: Call) -> bool:
    found = getattr(builtins, op.target.removeprefix("builtins."), None)
    return isinstance(found, type) and issubclass(found, BaseException)


def _may_carry(probe: Block, attr: str) -> bool:
    """Possibility that an attribute of an exception raised in a block is something else than a whole number."""
    found = [_made(op)[0].get(attr, Const(0)) for op in _errors_in(probe)]
    return not all(isinstance(value, Value) and value.kind in (INT, BOOL) for value in found)


def _made(op: Call) -> tuple[Mapping[str, Value | None], Sequence[Value | None]]:
    """The fields and the ``args`` of an exception that an operation makes; None of what is not known."""
    if op.target != "s2sad.error":
        return {}, op.args
    cls, names, *given = op.args
    assert isinstance(cls, Global) and isinstance(names, Const)
    plain = len(given) - len(names.payload)
    named = dict(zip(names.payload, given[plain:], strict=True))
    return made_of(cls.payload, given[:plain], named, Const, lambda *_: None, None)


def made_of(
    cls: type, args: Sequence[T], named: Mapping[str, T], constant: Callable[[Any], T],
    computed: Callable[[types.FunctionType, Mapping[str, T], gast.expr], T], unknown: T,
) -> tuple[dict[str, T], list[T]]:  # fmt: skip
    """The fields and the ``args`` of an exception that is plainly made of arguments (``errors.are_plainly_made``)."""
    fields: dict[str, T] = {}
    parts = list(args)
    own = [base for base in cls.__mro__ if base.__module__ != "builtins"]

    def make(position: int, args: Sequence[T], named: Mapping[str, T]) -> None:
        nonlocal parts
        bases = own[position:]
        at = next((k for k, base in enumerate(bases) if observe.own(base, "__init__") is not observe.ABSENT), None)
        if at is None:
            parts = list(args)
            return
        init = observe.own(bases[at], "__init__")
        values = _bound(init, args, named, constant, unknown)
        node = observe.source(init).node

        def value(expr: gast.expr) -> T:
            if isinstance(expr, gast.Constant):
                return constant(expr.value)
            return values.get(expr.id, unknown) if isinstance(expr, gast.Name) else computed(init, values, expr)

        for statement in node.body:
            for target, given_to in assigned(statement):
                fields[target.attr] = value(given_to)
            if isinstance(statement, gast.Expr) and isinstance(call := statement.value, gast.Call):
                given = [value(arg) for arg in call.args]
                make(position + at + 1, given, {str(k.arg): value(k.value) for k in call.keywords})
    make(0, args, named)
    return fields, parts


def _bound(
    init: types.FunctionType, args: Sequence[T], named: Mapping[str, T], constant: Callable[[Any], T], unknown: T,
) -> dict[str, T]:  # fmt: skip
    """The parameters of an ``__init__``; what is gathered by * or ** is unknown."""
    signature = inspect.signature(init)
    try:
        bound = signature.bind(None, *args, **named).arguments
    except TypeError as error:
        raise S2sadError(str(error), instead="arguments that fit") from None
    gathered = {p.name for p in signature.parameters.values() if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
    given = {name: unknown if name in gathered else value for name, value in [*bound.items()][1:]}
    defaults = {name: observe.default(init, name) for name in [*signature.parameters][1:] if name not in bound}
    plain = (bool, int, float, complex, str, type(None))
    return given | {name: constant(value) if isinstance(value, plain) else unknown for name, value in defaults.items()}

"""The recursion of lowering: expressions hold expressions, statements, calls; calls hold statements.

Each construct has a function in a module of its own; ``language.py`` enters them here by syntax node or kind of entity, so
that modules call each other through these tables and need not import each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import gast

from s2sad.frontend.entities import (
    Entity,
    Iteration,
)
from s2sad.frontend.lower import following
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import BOTTOM, Scalar
from s2sad.ir.nodes import Const, Value

E = TypeVar("E", bound=Entity)
EXPRESSIONS: dict[str, Callable[[Lowering, Any], Entity]] = {}
STATEMENTS: dict[str, Callable[[Lowering, Any], None]] = {}
CALLABLES: dict[type, Callable[[Lowering, Any, list[Entity], dict[str, Entity], Any], Entity]] = {}


def lower(ctx: Lowering, node: gast.expr) -> Entity:
    """Lower any expression."""
    handler = EXPRESSIONS.get(type(node).__name__)
    if handler is None:
        ctx.refuse(node)
    if ctx.program.keeping is not None:
        ctx.program.keeping.syntax(node)
    outer = ctx.builder.loc
    ctx.at(node)
    result = handler(ctx, node)
    ctx.builder.loc = outer
    return counted(following.read(ctx, result))


def counted(entity: Entity) -> Entity:
    """A number in place of an integer that is known to be this number: an axis of an array has so many items."""
    known = isinstance(entity, Value) and isinstance(entity.kind, Scalar) and type(entity.kind.size) is int
    return Const(entity.kind.size) if known else entity  # type: ignore[union-attr]


def lower_value(ctx: Lowering, node: gast.expr) -> Value:
    """Lower an expression to a run-time value."""
    return ctx.value(lower(ctx, node), node, "this expression")


def block(ctx: Lowering, statements: list[gast.stmt]) -> None:
    """Lower statements in order, up to one that ends by raising: nothing comes to those behind it."""
    if ctx.progress is not None:
        ctx.progress.block(ctx, statements)
        return
    for node in statements:
        handler = STATEMENTS.get(type(node).__name__)
        if handler is None:
            ctx.refuse(node)
        ctx.at(node)
        before = len(ctx.builder.block.ops)
        handler(ctx, node)
        if ctx.ends_at_raise(before):
            return


def apply(
    ctx: Lowering, function: Entity, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity:
    """``function(*args, **kwargs)`` of entities."""
    if isinstance(function, Value) and function.kind == BOTTOM:  # of what is never there
        return function
    handler = CALLABLES.get(type(function))
    if handler is None and isinstance(function, Const):
        kind = type(function.payload).__name__
        ctx.fail(node, TypeError(f"{kind!r} object is not callable"), f"calling a {kind}", "call functions by name")
    if handler is None:
        ctx.refuse(
            node, "calling this", "which function it is, is known only at run time", "call functions by name"
        )
    return lasting(ctx, lambda: handler(ctx, function, args, kwargs, node))


def lasting(ctx: Lowering, make: Callable[[], E]) -> E:
    """The entity that is made; an iterator then knows the lists that were looked at for it, each of whose items is known."""
    around, ctx.lasting = ctx.lasting, []
    try:
        made = make()
    finally:
        own, ctx.lasting = ctx.lasting, around
    return replace(made, lasting=(*made.lasting, *own)) if own and isinstance(made, Iteration) else made

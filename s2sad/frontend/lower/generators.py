"""Generators: their bodies are lowered where their items are consumed, with what the consumer does in place of ``yield``.

    def squares(xs):                                    for x in xs:
        for x in xs:                                        y = x * x           # what was yielded
            yield x * x                     ==>             total += y * k      # the body of the loop
                                                            k += 1
    for y in squares(xs):
        total += y * k
        k += 1

Whatever the generator and its consumer do to each other happens in Python's order. What takes all items at once (``list``,
``sorted``, an unpacking) gets them in a list. One that is suspended, to go on in another place, is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import gast

from s2sad.errors import S2sadError, UnsupportedSyntaxError
from s2sad.frontend.entities import Entity, Iteration, Receive, Run, Struct, flatten
from s2sad.frontend.lower.callees import place_of
from s2sad.frontend.lower.changed_in_place import written_names
from s2sad.frontend.lower.dispatch import block, lower
from s2sad.frontend.lower.lifting import signature
from s2sad.frontend.lower.lists import append, bound_writable, new_list
from s2sad.frontend.lower.progress import Following
from s2sad.frontend.lower.signatures import body_of, local_names, normal_form
from s2sad.frontend.lower.state import Frame, Lowering
from s2sad.frontend.normal.generators import ITEMS, may_not_end, of_expression, run_through
from s2sad.frontend.source import Source
from s2sad.ir.nodes import Const

MOST_NESTED = 40  # generators that run through generators


def made(ctx: Lowering, definition: gast.FunctionDef, frame: Frame, bound: dict[str, Entity], node: gast.AST) -> Iteration:
    """A call of a generator function: nothing of it runs before somebody asks for an item."""
    for name, entity in bound_writable(ctx, bound, frame.written).items():
        ctx.variables[(frame, name)] = entity
    entry = (place_of(definition, frame.source), signature(bound, frame.outer))

    def run(receive: Receive, leaves: bool) -> None:
        if entry in ctx.stack or ctx.depth >= MOST_NESTED:
            ctx.refuse(node, f"the generator {definition.name}, which runs through itself", "how deep it goes is not known",
                      "a function that returns a list")  # fmt: skip
        form = form_of(definition, frame.source, leaves)
        frame.locals |= local_names(normal_form(form, frame.source)) - frame.shared
        with _inside(ctx, frame, receive):
            ctx.stack = [*ctx.stack, entry]
            ctx.depth += 1
            try:
                block(ctx, body_of(form, frame.source))
            except S2sadError as error:
                if error.location is None:
                    error.locate(frame.source.location(definition))
                raise
        for key in [key for key in ctx.variables if key[0] is frame]:
            del ctx.variables[key]

    given = [leaf for entity in bound.values() for leaf in flatten(entity)]
    endless = may_not_end(definition) or any(isinstance(leaf, Iteration) and leaf.endless for leaf in given)
    return lazily(ctx, run, node, endless)


def lazily(ctx: Lowering, run: Run, node: gast.AST, endless: bool) -> Iteration:
    """An iterator that hands over one item after the other; who takes them all gets a list. ``endless``: it may not end."""
    return Iteration(make=lambda: collected(ctx, run, node), run=run, once=True, loops=tuple(ctx.loops), endless=endless)


def expression(ctx: Lowering, node: gast.GeneratorExp, items: Entity) -> Run:
    """The run through a generator expression; ``items``: what its first loop runs over."""
    if any(loop.is_async for loop in node.generators):
        ctx.refuse(node, "an async generator", "the reverse sweep cannot await again what has passed", "a plain for loop")
    outer, definition = ctx.frame, of_expression(node)
    shared = frozenset(n.target.id for n in gast.walk(node) if isinstance(n, gast.NamedExpr)) | outer.shared
    body = normal_form(form_of(definition, outer.source, False), outer.source)
    frame = Frame(
        outer.source, outer.scope, outer, local_names(body) - shared, written=written_names(body), shared=shared
    )
    run = made(ctx, definition, frame, {ITEMS: items}, node).run
    assert run is not None
    return run


def form_of(definition: gast.FunctionDef, source: Source, leaves: bool) -> gast.FunctionDef:
    """The definition of a generator as it is run through."""
    try:
        return run_through(definition, leaves)
    except UnsupportedSyntaxError as error:
        raise error.locate(source.location(error.node or definition)) from None


@contextmanager
def _inside(ctx: Lowering, frame: Frame, receive: Receive) -> Iterator[None]:
    """Lower the body of a generator; its consumer gets the items, in its own frame."""
    consumer = _standing(ctx)
    if isinstance(ctx.progress, Following):
        ctx.progress.give_up(ctx)

    def hand_over(item: Entity) -> Entity:
        here = _standing(ctx)
        _stand(ctx, consumer)
        try:
            return receive(item)
        finally:
            _stand(ctx, here)

    outer = frame.receive, frame.around
    ctx.frame, frame.receive, frame.around = frame, hand_over, ctx.frame
    try:
        yield
    finally:
        frame.receive, frame.around = outer
        _stand(ctx, consumer)


def _standing(ctx: Lowering) -> tuple[Any, ...]:
    """Whose statements are being lowered, called by whom, in whose handlers."""
    return ctx.frame, ctx.depth, ctx.stack, ctx.caught, ctx.progress, ctx.builder.loc


def _stand(ctx: Lowering, where: tuple[Any, ...]) -> None:
    ctx.frame, ctx.depth, ctx.stack, ctx.caught, ctx.progress, ctx.builder.loc = where


def yielded(ctx: Lowering, node: gast.Yield) -> Entity:
    """``yield v``: what the consumer does with the item; gives whether it has left."""
    if ctx.frame.receive is None:
        ctx.refuse(
            node, "a generator function here", "what it returns is an iterator, and no number",
            "a function that takes its items: sum(f(x)), list(f(x)), a for loop",
        )  # fmt: skip
    item = Const(None) if node.value is None else lower(ctx, node.value)
    return ctx.frame.receive(item)


class _Elsewhere(Exception):
    """An item is handed over in a branch or a loop: how many there are is known only at run time."""


def collected(ctx: Lowering, run: Run, node: gast.AST) -> Entity:
    """All items of a generator: one by one where it is known how many there are, else in a list."""
    here, where = ctx.mark(), ctx.builder.block
    items: list[Entity] = []

    def keep(item: Entity) -> Entity:
        if ctx.builder.block is not where:
            raise _Elsewhere
        items.append(item)
        return Const(False)

    try:
        run(keep, False)
    except _Elsewhere:
        ctx.reset(here)
    else:
        return Struct(items)
    fresh = new_list(ctx)

    def put(item: Entity) -> Entity:
        append(ctx, fresh, item, node)
        return Const(False)

    run(put, False)
    return fresh


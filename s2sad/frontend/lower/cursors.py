"""``iter`` and ``next``: an iteration with a position, which is a variable of the lowering like any other.

Before::

    it = iter(xs)
    first = next(it)
    rest = sum(it)

After (``sum`` runs over what is left)::

    if 0 >= len(xs): raise StopIteration
    first = xs[0]
    rest = sum(xs[k + 1] for k in range(len(xs) - 1))
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from s2sad.frontend.entities import Entity, Iteration, Record, Struct, View
from s2sad.frontend.lower import control, objects
from s2sad.frontend.lower import iterator_definitions as definitions
from s2sad.frontend.lower.arithmetic import arithmetic
from s2sad.frontend.lower.iteration import check_unused, defined, indexed, is_lazy, of_entity
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import List
from s2sad.ir.nodes import Const, Value

Arguments = list[Entity]
Options = dict[str, Entity]


def _iter(ctx: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
    if len(args) != 1:
        ctx.refuse(
            node, "iter with a sentinel", "how often the function is called is not known", "a while loop"
        )
    if isinstance(args[0], Iteration) and args[0].over is None:  # a view of a dict is no iterator
        return args[0]
    if isinstance(args[0], Record) and args[0].kind != "dict":
        ctx.refuse(node, "iter of this object", "it is no list or array", "a list")
    return _positioned(ctx, args[0], node)


def _positioned(ctx: Lowering, source: Entity, node: Any) -> Record:
    """An iterator that stands before the first item of what it runs over, which may change on the way."""
    box = Record("iterator", "iterator")
    listed = isinstance(source, Value) and isinstance(source.kind, List)
    kept = listed or isinstance(source, Struct) and not isinstance(source, View)
    ctx.variables[(box, "source")] = source if kept else replace(of_entity(ctx, source, node), once=False)
    ctx.variables[(box, "position")] = Const(0)
    return box


def _next(ctx: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity | None:
    box = args[0]
    if is_lazy(box):
        return defined(ctx, definitions.first_or if len(args) > 1 else definitions.first_of, args, node)
    if isinstance(box, Record) and objects.is_object(box):
        return objects.call_method(ctx, box, "__next__", [], {}, node)
    if isinstance(box, Iteration) and box.stepped is not None and (box.endless or box.make is not None):
        check_unused(ctx, box, node, begun=True)
        source = box if box.make is None else of_entity(ctx, box.make(), node)
        return _step(ctx, box.stepped, source, node) if source.endless else _item(ctx, box.stepped, source, args, node)
    if isinstance(box, Iteration):
        box = _positioned(ctx, box, node)  # a generator whose other items nobody asks for
    if not isinstance(box, Record) or box.kind != "iterator":
        ctx.refuse(node, "next of this", "which item comes next is not known", "an iterator made by iter(...)")
    return _item(ctx, box, of_entity(ctx, ctx.variables[(box, "source")], node), args, node)


def _item(ctx: Lowering, box: Record, it: Iteration, args: Arguments, node: Any) -> Entity:
    """The item at the position of an iterator, which goes on by one."""
    position = ctx.value(ctx.variables[(box, "position")], node)
    after = arithmetic(ctx, "operator.add", position, Const(1))
    if it.items is not None:
        if not isinstance(position, Const):
            ctx.refuse(node, "next in a loop", "which item comes next is not known", "a loop over the items")
        if position.payload >= len(it.items):
            if len(args) > 1:
                return args[1]
            ctx.refuse(node, "next here", "there is no further item", "a default")
        ctx.variables[(box, "position")] = after
        known: Entity = it.items[position.payload] if it.now is None else it.now(position.payload)
        return known
    length, item = indexed(ctx, it, node)
    ends = arithmetic(ctx, "operator.ge", position, length)

    def fail() -> None:
        ctx.builder.call("s2sad.raise", ctx.builder.call("builtins.StopIteration"))

    def taken() -> Entity:
        ctx.variables[(box, "position")] = after
        return item(position)

    if len(args) > 1:
        return control.choose(ctx, ends, lambda: args[1], taken, node)
    control.branch(ctx, ends, fail, lambda: None, node)
    return taken()


def _step(ctx: Lowering, box: Record, it: Iteration, node: Any) -> Entity:
    """The next item of an iterator that does not end."""
    position = ctx.value(ctx.variables[(box, "position")], node)
    ctx.variables[(box, "position")] = arithmetic(ctx, "operator.add", position, Const(1))
    assert it.item is not None
    return it.item(position)


TABLE: dict[Any, Callable[..., Entity | None]] = {iter: _iter, next: _next}

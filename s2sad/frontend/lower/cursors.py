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

from s2sad.frontend.entities import Aggregate, Box, Entity, Iteration
from s2sad.frontend.lower import control, objects
from s2sad.frontend.lower import iterator_definitions as definitions
from s2sad.frontend.lower.arithmetic import arithmetic
from s2sad.frontend.lower.iteration import check_unused, defined, indexed, is_lazy, of_entity
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import List
from s2sad.ir.nodes import Const, Value

Arguments = list[Entity]
Options = dict[str, Entity]


def _iter(lw: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity:
    if len(args) != 1:
        lw.refuse(
            node, "iter with a sentinel", "how often the function is called is not known", "a while loop"
        )
    if isinstance(args[0], Iteration):
        return args[0]
    if isinstance(args[0], Box):
        lw.refuse(node, "iter of this object", "it is no list or array", "a list")
    return _positioned(lw, args[0], node)


def _positioned(lw: Lowering, source: Entity, node: Any) -> Box:
    """An iterator that stands before the first item of what it runs over, which may change on the way."""
    box = Box("iterator", "iterator")
    kept = isinstance(source, Value) and isinstance(source.kind, List) or isinstance(source, Aggregate)
    lw.variables[(box, "source")] = source if kept else replace(of_entity(lw, source, node), once=False, used=False)
    lw.variables[(box, "position")] = Const(0)
    return box


def _next(lw: Lowering, args: Arguments, kwargs: Options, node: Any) -> Entity | None:
    box = args[0]
    if is_lazy(box):
        return defined(lw, definitions.first_or if len(args) > 1 else definitions.first_of, args, node)
    if isinstance(box, Box) and objects.is_object(box):
        return objects.call_method(lw, box, "__next__", [], {}, node)
    if isinstance(box, Iteration) and box.stepped is not None:
        return _step(lw, box, box.stepped, node)
    if isinstance(box, Iteration):
        box = _positioned(lw, box, node)  # a generator whose other items nobody asks for
    if not isinstance(box, Box) or box.kind != "iterator":
        lw.refuse(node, "next of this", "which item comes next is not known", "an iterator made by iter(...)")
    position = lw.value(lw.variables[(box, "position")], node)
    it = of_entity(lw, lw.variables[(box, "source")], node)
    after = arithmetic(lw, "operator.add", position, Const(1))
    if it.items is not None:
        if not isinstance(position, Const):
            lw.refuse(node, "next in a loop", "which item comes next is not known", "a loop over the items")
        if position.payload >= len(it.items):
            if len(args) > 1:
                return args[1]
            lw.refuse(node, "next here", "there is no further item", "a default")
        lw.variables[(box, "position")] = after
        known: Entity = it.items[position.payload]
        return known
    length, item = indexed(lw, it, node)
    ends = arithmetic(lw, "operator.ge", position, length)

    def fail() -> None:
        lw.builder.call("s2sad.raise", lw.builder.call("builtins.StopIteration"))

    def taken() -> Entity:
        lw.variables[(box, "position")] = after
        return item(position)

    if len(args) > 1:
        return control.choose(lw, ends, lambda: args[1], taken, node)
    control.branch(lw, ends, fail, lambda: None, node)
    return taken()


def _step(lw: Lowering, it: Iteration, box: Box, node: Any) -> Entity:
    """The next item of an iterator that does not end."""
    check_unused(lw, it, node, begun=True)
    position = lw.value(lw.variables[(box, "position")], node)
    lw.variables[(box, "position")] = arithmetic(lw, "operator.add", position, Const(1))
    made = it if it.make is None else it.make()
    assert isinstance(made, Iteration) and made.item is not None
    return made.item(position)


TABLE: dict[Any, Callable[..., Entity | None]] = {iter: _iter, next: _next}

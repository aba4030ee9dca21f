"""Comprehensions: loops that append to a new list; those over tuples are unrolled into aggregates."""

from __future__ import annotations

from collections.abc import Callable

import gast

from s2sad.frontend.entities import Box, Entity, Iteration
from s2sad.frontend.lower import control
from s2sad.frontend.lower.assignment import assign, loop_over
from s2sad.frontend.lower.dispatch import lower, lower_value
from s2sad.frontend.lower.iteration import iteration
from s2sad.frontend.lower.lists import list_of
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import BOTTOM, List, join
from s2sad.ir.nodes import Const


def list_comprehension(lw: Lowering, node: gast.ListComp) -> Entity:
    """``[elt for target in iter if cond]``, also consumed generators."""
    static = _static(lw, node)
    if static is not None:
        return static
    result = lw.builder.call("builtins.list")
    result.kind = List(BOTTOM)

    def element() -> None:
        value = lower_value(lw, node.elt, "an item of a comprehension")
        assert isinstance(result.kind, List)
        result.kind = List(join(result.kind.item, value.kind))
        lw.builder.call("list.append", result, value)

    nest(lw, node.generators, element)
    return result


def _static(lw: Lowering, node: gast.ListComp) -> Entity | None:
    """One generator over known items without a condition: an aggregate of the elements."""
    if len(node.generators) != 1 or node.generators[0].ifs:
        return None
    with control.scratch(lw):
        probe = iteration(lw, node.generators[0].iter)
    if probe.items is None:
        return None
    items: list[Entity] = []
    for item in iteration(lw, node.generators[0].iter).items or []:
        assign(lw, node.generators[0].target, item)
        items.append(lower(lw, node.elt))
    return list_of(lw, items)


def nest(lw: Lowering, generators: list[gast.comprehension], innermost: Callable[[], None]) -> None:
    """The nested loops and conditions of a comprehension."""
    if not generators:
        innermost()
        return
    first, rest = generators[0], generators[1:]

    def body() -> None:
        guarded(list(first.ifs))

    def guarded(conditions: list[gast.expr]) -> None:
        if not conditions:
            nest(lw, rest, innermost)
            return

        def then() -> None:
            guarded(conditions[1:])

        control.branch(lw, lower(lw, conditions[0]), then, lambda: None, conditions[0])

    loop_over(lw, iteration(lw, first.iter), first.target, body, first.iter)


def dict_comprehension(lw: Lowering, node: gast.DictComp) -> Entity:
    """``{key: value for ...}`` over known items: the keys must be constants."""
    it: Iteration = iteration(lw, node.generators[0].iter)
    if len(node.generators) != 1 or node.generators[0].ifs or it.items is None:
        lw.refuse(node, "this dict comprehension", "its keys must be known", "a list, or constant keys")
    box = Box("dict")
    for item in it.items:
        assign(lw, node.generators[0].target, item)
        key = lower(lw, node.key)
        if not isinstance(key, Const):
            lw.refuse(
                node, "a dict with computed keys", "its layout must be known", "constant keys, or a list"
            )
        if key.payload not in box.keys:
            box.keys.append(key.payload)
        lw.variables[(box, key.payload)] = lower(lw, node.value)
    return box

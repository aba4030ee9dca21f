"""``any`` and ``all`` of a generator: a loop that ends with the first item that decides, as in Python.

Before::

    any(f(x) > 0 for x in xs if x)

After::

    found = False
    for x in xs:
        if x:
            found = bool(f(x) > 0)
        if found:
            break
"""

from __future__ import annotations

from collections.abc import Callable

import gast

from s2sad.frontend.entities import Entity, Iteration
from s2sad.frontend.lower import control
from s2sad.frontend.lower.assignment import loop_over
from s2sad.frontend.lower.comprehensions import scope
from s2sad.frontend.lower.dispatch import lower
from s2sad.frontend.lower.iteration import iteration
from s2sad.frontend.lower.operators import tested
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import BOOL
from s2sad.ir.nodes import Const


def quantifier(decides: bool) -> Callable[[Lowering, gast.Call], Entity | None]:
    """``any``, which a true item decides, or ``all``, which a false one does."""

    def handler(ctx: Lowering, node: gast.Call) -> Entity | None:
        argument = node.args[0] if len(node.args) == 1 else None
        if not isinstance(argument, gast.GeneratorExp) or len(argument.generators) != 1:
            return None
        loop = argument.generators[0]
        it = iteration(ctx, loop.iter)
        with scope(ctx, argument):
            return _search(ctx, node, argument, it, decides)

    return handler


def _search(
    ctx: Lowering, node: gast.Call, argument: gast.GeneratorExp, it: Iteration, decides: bool
) -> Entity:
    """Run through the items until one decides."""
    loop = argument.generators[0]
    found = "found"
    while found in ctx.frame.locals:
        found += "_"
    ctx.bind(found, Const(False))

    def body() -> None:
        _guarded(ctx, list(loop.ifs), lambda: ctx.bind(found, _decided(ctx, argument.elt, decides)))

    loop_over(ctx, it, loop.target, body, loop.iter, found)
    result = ctx.lookup(found, node)
    return result if decides else _not(ctx, result, node)


def _guarded(ctx: Lowering, conditions: list[gast.expr], then: Callable[[], None]) -> None:
    if not conditions:
        then()
        return
    test = tested(ctx, conditions[0])
    control.branch(ctx, test, lambda: _guarded(ctx, conditions[1:], then), lambda: None, conditions[0])


def _decided(ctx: Lowering, element: gast.expr, decides: bool) -> Entity:
    entity = lower(ctx, element)
    known = control.truth(ctx, entity)
    if known is not None:
        return Const(known == decides)
    value = ctx.value(entity, element)
    if not decides:
        return ctx.builder.call("operator.not_", control.condition(ctx, value))
    return value if value.kind == BOOL else ctx.builder.call("builtins.bool", value)


def _not(ctx: Lowering, result: Entity, node: gast.AST) -> Entity:
    known = control.truth(ctx, result)
    return Const(not known) if known is not None else ctx.builder.call("operator.not_", ctx.value(result, node))


TABLE = {any: quantifier(True), all: quantifier(False)}

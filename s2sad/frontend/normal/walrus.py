"""Assignments in the condition of a while loop move into its body.

Before::

    while (x := step(x)) > tol:
        n += 1
    else:
        n = -n

After (the condition is evaluated once more than the body runs, and so are its assignments)::

    while True:
        if (x := step(x)) > tol:
            n += 1
        else:
            n = -n
            break

A ``continue`` in the body starts the loop again, with the condition; a ``break`` leaves it without the ``else``.
"""

from __future__ import annotations

import gast

from .syntax import Block, constant, expand, located, or_pass


def move_walrus(func: gast.FunctionDef) -> None:
    """Rewrite the while loops of a function whose conditions assign."""

    def step(node: gast.stmt) -> Block:
        if not isinstance(node, gast.While) or not _assigns(node.test):
            return [node]
        leave = [*node.orelse, located(gast.Break(), node.test)]
        inside = located(gast.If(node.test, or_pass(node.body, node), leave), node)
        return [located(gast.While(constant(True), [inside], []), node)]

    func.body = expand(func.body, step)


def _assigns(test: gast.expr) -> bool:
    return any(isinstance(part, gast.NamedExpr) for part in gast.walk(test))

"""Where a flag's first assignment is needed, and loops that need no flag because they have one already."""

from __future__ import annotations

import gast

from .outcomes import FALL, falls, outcomes
from .syntax import Block


def settles(block: Block, flag: str) -> bool:
    """Test for a block that assigns the flag on every way through it, before any test of it.

    Then the flag need not be set to False first. A flag that is assigned inside a ``with``, a ``try`` or a
    loop does not count, for those can be left in the middle.
    """
    for node in block:
        if not _mentions(node, flag):
            continue
        if isinstance(node, gast.If) and not _mentions(node.test, flag):
            return all(settles(arm, flag) or not falls(outcomes(arm)) for arm in (node.body, node.orelse))
        return isinstance(node, gast.Assign)
    return False


def leaves_by_flag(loop: gast.For | gast.While) -> bool:
    """Test for a loop that is normal as it is, with ``if NAME: break`` at its end and NAME assigned before."""
    *before, last = loop.body
    return (
        isinstance(last, gast.If)
        and isinstance(last.test, gast.Name)
        and [type(node) for node in last.body] == [gast.Break]
        and not last.orelse
        and outcomes(before) == FALL
        and any(_assigns(node, last.test.id) for node in before)
    )


def _mentions(tree: gast.AST, name: str) -> bool:
    return any(isinstance(node, gast.Name) and node.id == name for node in gast.walk(tree))


def _assigns(tree: gast.AST, name: str) -> bool:
    return any(
        isinstance(node, gast.Name) and node.id == name and isinstance(node.ctx, gast.Store)
        for node in gast.walk(tree)
    )

"""The ``else`` of a loop: what runs if the loop was not left by ``break``.

Before::

    def f(values):
        for v in values:
            if v > 1:
                break
        else:
            v = 1
        return v

After (the flag is the one that the loop's ``break`` needs anyway)::

    def f(values):
        stop = False
        for v in values:
            stop = v > 1
            if stop:
                break
        if not stop:
            v = 1
        return v

The exits ask for this loop by loop, when they know the flags: a separate pass would need a second flag for
each loop. Statements of the ``else`` become statements after the loop, so a ``break`` in them leaves the loop
outside.
"""

from __future__ import annotations

import gast

from .names import FreshNames
from .outcomes import Outcome, outcomes
from .syntax import Block, branch, load, negate


def detach_else(loop: gast.For | gast.While, names: FreshNames) -> tuple[str | None, Block]:
    """Take the ``else`` off a loop: the flag that breaks must set, if they matter, and what to run after."""
    orelse, loop.orelse = loop.orelse, []
    if not orelse or Outcome.BREAK not in outcomes(loop.body):
        return None, orelse
    flag = names.fresh("stop")
    return flag, [branch(negate(load(flag)), orelse, [], orelse[0])]

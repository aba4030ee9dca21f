"""The ends of statements: what can happen after the last thing they do.

A statement falls through to the next one, or jumps: to the loop's next iteration, out of the loop, out of the
function. A block that can do none of these (it raises, or loops for ever) has no outcome at all. The analysis
errs on one side only: it may name an outcome that never happens, and never misses one that does.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

import gast

from .syntax import LOOPS, TRIES, Block, blocks_of


class Outcome(Enum):
    """A way in which a statement can end; the order is the one in which flags are tested."""

    FALL = "fall through"
    CONTINUE = "continue"
    BREAK = "break"
    RETURN = "return"


Outcomes = frozenset[Outcome]

FALL: Outcomes = frozenset({Outcome.FALL})
JUMPS: Outcomes = frozenset(Outcome) - FALL
JUMP_OF = {gast.Continue: Outcome.CONTINUE, gast.Break: Outcome.BREAK, gast.Return: Outcome.RETURN}


def outcomes(block: Block) -> Outcomes:
    """The possible ends of a list of statements."""
    ends = FALL
    for node in block:
        ends = (ends - FALL) | outcomes_of(node)
        if not falls(ends):
            break
    return ends


def outcomes_of(node: gast.stmt) -> Outcomes:
    """The possible ends of one statement."""
    if type(node) in JUMP_OF:
        return frozenset({JUMP_OF[type(node)]})
    if isinstance(node, gast.Raise):
        return frozenset()
    if isinstance(node, gast.If):
        return outcomes(node.body) | outcomes(node.orelse)
    if isinstance(node, LOOPS):
        return _loop(node)
    if isinstance(node, gast.With):
        # The context manager may swallow an exception, and then the program goes on after the statement.
        return outcomes(node.body) | FALL
    if isinstance(node, TRIES):
        return _try(node)
    return FALL


def jumps(ends: Outcomes) -> list[Outcome]:
    """The jumps among the outcomes, in the order in which flags are tested."""
    return [kind for kind in Outcome if kind in ends & JUMPS]


def falls(ends: Outcomes) -> bool:
    """Possibility of reaching what follows."""
    return Outcome.FALL in ends


def endless(node: gast.stmt) -> bool:
    """Test for a loop that ends by a jump only: ``while True``."""
    return isinstance(node, gast.While) and isinstance(node.test, gast.Constant) and bool(node.test.value)


def find_jump(block: Block, kinds: Outcomes) -> gast.stmt | None:
    """The first statement that leaves a block by one of these jumps."""
    return next(_leaving(block, kinds), None)


def _leaving(block: Block, kinds: Outcomes) -> Iterator[gast.stmt]:
    for node in block:
        if JUMP_OF.get(type(node)) in kinds:
            yield node
        for owner, field in blocks_of(node):
            own = isinstance(node, LOOPS) and field == "body"
            yield from _leaving(getattr(owner, field), kinds & {Outcome.RETURN} if own else kinds)


def _loop(node: gast.For | gast.While) -> Outcomes:
    inside = outcomes(node.body)
    ends = inside & {Outcome.RETURN}
    if Outcome.BREAK in inside:
        ends |= FALL
    if not endless(node):
        ends |= outcomes(node.orelse)
    return ends


def _try(node: gast.Try | gast.TryStar) -> Outcomes:
    ends = outcomes(node.body)
    if falls(ends):
        ends = (ends - FALL) | outcomes(node.orelse)
    for handler in node.handlers:
        ends |= outcomes(handler.body)
    last = outcomes(node.finalbody)
    return ends | (last - FALL) if falls(last) else last

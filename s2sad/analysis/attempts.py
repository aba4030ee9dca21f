"""Operations that run for their failures alone: none of them may be left out, whether its result is used or not.

    attempt = s2sad.runtime.Attempt(ValueError)
    with attempt:
        check(x)            # a function whose square root nobody uses: it may fail all the same
"""

from __future__ import annotations

from collections.abc import Iterable

from s2sad.ir.kinds import Other
from s2sad.ir.nodes import Function, Op, With
from s2sad.ir.walk import functions_of, ops_of


def attempted(function: Function) -> set[Op]:
    """The operations of a function that run to see whether they fail."""
    if function.attempted:
        return set(ops_of(function.body))
    return {inner for op in ops_of(function.body) if is_attempt(op) for block in op.blocks() for inner in ops_of(block)}


def is_attempt(op: Op) -> bool:
    """Test for an operation that protects what is in it."""
    return isinstance(op, With) and op.context.kind == Other("attempt")


def settle_attempts(functions: Iterable[Function]) -> None:
    """Tell the functions that attempts call, and what these call."""
    pending = [op for function in functions for op in attempted(function)]
    while pending:
        for callee in functions_of(pending.pop()):
            if not callee.attempted:
                callee.attempted = True
                pending += ops_of(callee.body)

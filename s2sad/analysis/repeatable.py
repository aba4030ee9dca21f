"""Calls that are computed again in the reverse sweep: they must not do anything besides: print, draw, or what nobody knows."""

from __future__ import annotations

from s2sad.errors import UnsupportedSyntaxError
from s2sad.ir.nodes import Call, Function
from s2sad.ir.walk import ops_of
from s2sad.rules.effects import effects


def check_repeatable(function: Function, what: str) -> None:
    """Raise UnsupportedSyntaxError where a function does something that must not be done twice, or of which nothing is known."""
    seen: set[Function] = set()
    stack = [function]
    while stack:
        current = stack.pop()
        seen.add(current)
        for op in ops_of(current.body):
            if not isinstance(op, Call):
                continue
            if op.callee is not None:
                stack += [op.callee] if op.callee not in seen else []
            elif effects(op).once:
                raise UnsupportedSyntaxError(
                    f"{op.target.removeprefix('builtins.')} in {what} is not supported", location=op.loc,
                    why="the call is computed again in the reverse sweep, and what this does besides is done twice, or not known",
                    instead="it outside of the call, or the call without checkpoint; of a function with a rule, say its effects",
                )  # fmt: skip

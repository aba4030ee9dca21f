"""Calls that are computed again in the reverse sweep: they must not do anything besides: print, draw, or what nobody knows."""

from __future__ import annotations

from s2sad.errors import UnsupportedSyntaxError
from s2sad.ir.nodes import Function
from s2sad.ir.walk import calls_within
from s2sad.rules.effects import effects


def check_repeatable(function: Function, what: str) -> None:
    """Raise UnsupportedSyntaxError where a function does something that must not be done twice, or of which nothing is known."""
    for op in calls_within(function.body):
        if op.callee is None and effects(op).once:
            raise UnsupportedSyntaxError(
                f"{op.target.removeprefix('builtins.')} in {what} is not supported", location=op.loc,
                why="the call is computed again in the reverse sweep, and what this does besides is done twice, or not known",
                instead="it outside of the call, or the call without checkpoint; of a function with a rule, say its effects",
            )  # fmt: skip

"""Editions: whether a function, and all that it calls, is still what it was when something was found out about it.

Passes change functions in place, so facts about one cannot simply be kept. An *edition* is a function as it was: what its
operations are, in order, on which values, of which kinds. As long as that is the same, and the same of all that it calls,
what was found still holds.
"""

from __future__ import annotations

from dataclasses import dataclass

from s2sad.ir.nodes import Call, For, Function, While
from s2sad.rules import registry


@dataclass(eq=False, slots=True)
class Edition:
    """A function as it was, what it called directly, and what was found out: ``facts`` hold with the editions in ``below``."""

    content: list[object]
    calls: tuple[Function, ...]
    facts: object = None
    below: tuple[Edition, ...] = ()


class Editions:
    """The present editions of functions, looked at once: for a time in which none of them changes."""

    def __init__(self) -> None:
        self._now: dict[Function, Edition] = {}

    def of(self, function: Function) -> Edition:
        """The present edition of a function; the one before, if nothing has changed."""
        found = self._now.get(function)
        if found is None:
            content, calls = _content(function)
            found = function.edition if isinstance(function.edition, Edition) else None
            if found is None or found.content != content:
                found = function.edition = Edition(content, calls)
            self._now[function] = found
        return found

    def reach(self, function: Function) -> dict[Function, Edition]:
        """The function, first, and all that it calls and those call."""
        found: dict[Function, Edition] = {}
        pending = [function]
        while pending:
            current = pending.pop()
            if current not in found:
                found[current] = self.of(current)
                pending += found[current].calls
        return found


def _content(function: Function) -> tuple[list[object], tuple[Function, ...]]:
    """All that facts about a function depend on, but for what it calls; and that."""
    found: list[object] = [registry.edition(), function.writes, function.sharing, len(function.params)]
    values = function.values
    calls: dict[Function, None] = {}
    blocks = [function.body]
    for block in blocks:  # which grows
        found += (len(block.params), len(block.ops), len(block.yields))
        values += block.params
        for op in block.ops:
            values += op.operands()
            values += op.results
            inner = op.blocks()
            blocks += inner
            if isinstance(op, Call):
                found += (op.target, op.callee, len(op.args), tuple(op.kwargs), len(op.results))
                if op.callee is not None:
                    calls[op.callee] = None
            else:
                found += (type(op), len(op.results), isinstance(op, For | While) and op.breaks)
        values += block.yields
    found += values
    found += [value.kind for value in values]
    return found, tuple(calls)

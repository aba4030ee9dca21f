"""Returns that do what would happen anyway: a return of what the loop is followed by is a ``break``.

Before::

    def newton(f, df, x, steps):
        if steps == 0:
            return None
        for _ in range(steps):
            fx = f(x)
            if fx == 0:
                return x
            x = x - fx / df(x)
        return x

After (a flag fewer, and no result variable that the loop may leave unset)::

    def newton(f, df, x, steps):
        if steps == 0:
            return None
        for _ in range(steps):
            fx = f(x)
            if fx == 0:
                break
            x = x - fx / df(x)
        return x

Likewise a return at the end of a branch goes away where the branch is followed by the same return. Only names
and constants count as the same, for they can be read later as well as now. Nothing is changed across the end
of a ``with`` or ``try`` statement, where other code runs between.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import gast

from .syntax import LOOPS, Block, blocks_of, located, or_pass


@dataclass(frozen=True, slots=True)
class _Next:
    """The return that comes next, if one does: after the block, and after the loop around it."""

    block: gast.Return | None = None
    loop: gast.Return | None = None


def shorten_returns(block: Block) -> Block:
    """Make breaks of returns, or leave them out, where that leads to the same return."""
    return _shorten(block, _Next())


def same_result(one: gast.Return, other: gast.Return) -> bool:
    """Test for two returns that give the same name or the same constant."""
    a, b = one.value, other.value
    if isinstance(a, gast.Name) and isinstance(b, gast.Name):
        return bool(a.id == b.id)
    if isinstance(a, gast.Constant) and isinstance(b, gast.Constant):
        return type(a.value) is type(b.value) and repr(a.value) == repr(b.value)
    return False


def _shorten(block: Block, after: _Next) -> Block:
    result: Block = []
    for index, node in enumerate(block):
        follower = block[index + 1] if index + 1 < len(block) else after.block
        after_node = replace(after, block=follower if isinstance(follower, gast.Return) else None)
        if isinstance(node, gast.Return):
            result.extend(_shorten_return(node, after_node))
            continue
        for owner, field in blocks_of(node):
            inner = getattr(owner, field)
            new = _shorten(inner, _inside(node, field, after_node))
            setattr(owner, field, or_pass(new, inner[0]) if inner and field == "body" else new)
        result.append(node)
    return result


def _shorten_return(node: gast.Return, after: _Next) -> Block:
    if after.block is not None and same_result(node, after.block):
        return []
    if after.loop is not None and same_result(node, after.loop):
        return [located(gast.Break(), node)]
    return [node]


def _inside(node: gast.stmt, field: str, after: _Next) -> _Next:
    """The next statements for a block inside a statement, given what comes next after the statement."""
    if isinstance(node, gast.If):
        return after
    if isinstance(node, LOOPS):
        return _Next(loop=after.block) if field == "body" else after
    return _Next()

"""Fresh names: what the passes introduce never clashes with what the user wrote."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import gast

from .syntax import walk


class FreshNames:
    """Hands out names that occur nowhere in the function: ``out``, then ``out_1``, ``out_2`` and so on.

    The same function always gets the same names, so that generated text does not change from run to run. It is looked at when
    the first name is asked for, and must not have been changed until then.
    """

    def __init__(self, func: gast.FunctionDef) -> None:
        self._func = func

    @cached_property
    def _taken(self) -> set[str]:
        return {name for node in walk(self._func) for name in _names_of(node)}

    def fresh(self, stem: str) -> str:
        """The stem itself if it is free, else the stem with the first free number."""
        name, number = stem, 0
        while name in self._taken:
            number += 1
            name = f"{stem}_{number}"
        self._taken.add(name)
        return name


def bound_names(func: gast.FunctionDef) -> set[str]:
    """Names that the function or a function inside it binds, other than those declared global or nonlocal."""
    bound: set[str] = set()
    declared: set[str] = set()
    for node in walk(func):
        if isinstance(node, (gast.Global, gast.Nonlocal)):
            declared.update(node.names)
        elif not isinstance(node, gast.Name) or not isinstance(node.ctx, gast.Load):
            bound.update(_names_of(node))
    return bound - declared


def _names_of(node: gast.AST) -> Iterator[str]:
    """The names that a node itself mentions, its children left aside."""
    match node:
        case gast.Name():
            yield node.id
        case gast.FunctionDef() | gast.AsyncFunctionDef() | gast.ClassDef():
            yield node.name
        case gast.Global() | gast.Nonlocal():
            yield from node.names
        case gast.alias():
            yield (node.asname or node.name).split(".")[0]
        case gast.MatchAs() | gast.MatchStar():
            yield from [node.name] if node.name else []
        case gast.MatchMapping():
            yield from [node.rest] if node.rest else []

"""Fresh names: what the passes introduce never clashes with what the user wrote."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache

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


@lru_cache(maxsize=4096)
def loop_names(func: gast.FunctionDef) -> frozenset[str]:
    """Names that only loops bind, and that are read nowhere but in the loop that has bound them: nobody asks for the last one.

        for p in ps: s += p.x                   p
        for p in ps: last = p; fs.append(lambda: p)     neither: last may be read later, and p when the lambda is called
    """
    found: set[str] = set()
    kept: set[str] = set()

    def visit(node: gast.AST, bound: frozenset[str]) -> None:
        if isinstance(node, (gast.FunctionDef, gast.Lambda, gast.ClassDef, gast.AsyncFunctionDef)):
            kept.update(name for inner in walk(node) for name in _names_of(inner))
        elif isinstance(node, gast.For):
            visit(node.iter, bound)
            target = [n for n in gast.walk(node.target) if isinstance(n, gast.Name)]
            names = frozenset(n.id for n in target if isinstance(n.ctx, gast.Store))
            kept.update(names & bound)
            found.update(names)
            visit_all([n for n in target if not isinstance(n.ctx, gast.Store)], bound)
            visit_all(node.body, bound | names)
            visit_all(node.orelse, bound)
        elif isinstance(node, (gast.ListComp, gast.SetComp, gast.DictComp, gast.GeneratorExp)):
            own = {n.id for loop in node.generators for n in gast.walk(loop.target) if isinstance(n, gast.Name)}
            visit(node.generators[0].iter, bound)
            inner = list(gast.walk(node))
            later = isinstance(node, gast.GeneratorExp) or any(isinstance(n, gast.Lambda | gast.NamedExpr) for n in inner)
            mentioned = {name for n in inner for name in _names_of(n)}
            kept.update(mentioned - own if later else mentioned - own - bound)
        elif isinstance(node, gast.Name):
            if node.id not in bound or not isinstance(node.ctx, gast.Load):
                kept.add(node.id)
        else:
            kept.update(_names_of(node))
            visit_all(list(gast.iter_child_nodes(node)), bound)

    def visit_all(nodes: Sequence[gast.AST], bound: frozenset[str]) -> None:
        for node in nodes:
            visit(node, bound)

    visit_all(func.body, frozenset())
    return frozenset(found - kept)


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

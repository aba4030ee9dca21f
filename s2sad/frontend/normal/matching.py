"""``match`` statements as chains of ``if`` and ``else``.

Before::

    def area(shape, scale):
        match shape:
            case Circle(radius=r):
                return scale * r * r
            case [w, h] if w > h:
                return scale * w * h
            case "unit" | 1:
                return scale
            case _:
                return 0.0

After::

    def area(shape, scale):
        if isinstance(shape, Circle) and hasattr(shape, 'radius'):
            r = shape.radius
            return scale * r * r
        else:
            matched = isinstance(shape, (list, tuple)) and len(shape) == 2
            if matched:
                w = shape[0]
                h = shape[1]
                matched = w > h
            if matched:
                return scale * w * h
            elif shape == 'unit' or shape == 1:
                return scale
            else:
                return 0.0

The subject is evaluated once. It needs no temporary where it is a local name that no case rebinds, or a tuple
of such names: a tuple written out in the ``match`` is never built, its items are compared one by one.
"""

from __future__ import annotations

import gast

from s2sad.errors import UnsupportedSyntaxError

from .match_patterns import HELPERS, read_pattern
from .names import FreshNames, bound_names
from .syntax import Block, all_of, assign, branch, expand, load, walk

_TYPED = (gast.MatchSequence, gast.MatchMapping, gast.MatchClass)


def replace_matches(func: gast.FunctionDef, names: FreshNames) -> None:
    """Replace the ``match`` statements of a function, those of nested functions left aside."""
    if not any(isinstance(node, gast.Match) for node in walk(func)):
        return
    matching = _Matching(names, bound_names(func))
    func.body = expand(
        func.body, lambda node: matching.rewrite(node) if isinstance(node, gast.Match) else [node]
    )


class _Matching:
    """The rewriting of one function's ``match`` statements."""

    def __init__(self, names: FreshNames, bound: set[str]) -> None:
        self._names = names
        self._bound = bound

    def rewrite(self, node: gast.Match) -> Block:
        """One ``match`` statement as other statements."""
        shadowed = sorted(HELPERS & self._bound)
        if shadowed and any(
            isinstance(part, _TYPED) for case in node.cases for part in gast.walk(case.pattern)
        ):
            raise UnsupportedSyntaxError(
                f"match by type in a function that has its own {shadowed[0]!r}",
                node=node,
                why=f"the types are tested with the help of Python's {shadowed[0]!r}",
                instead="rename the variable, or write if and elif",
            )
        before, subject = self._hold(node)
        return before + self._chain(node.cases, subject)

    def _hold(self, node: gast.Match) -> tuple[Block, gast.expr]:
        """Evaluate the subject: what to do first, and what to compare the patterns with, repeatedly."""
        subject, rebound = node.subject, _rebound(node)
        items = subject.elts if isinstance(subject, gast.Tuple) else [subject]
        if any(
            isinstance(part, (gast.Starred, gast.NamedExpr)) for item in items for part in gast.walk(item)
        ):
            items = [subject]
        before: Block = []
        held = []
        for item in items:
            if not isinstance(item, gast.Constant) and not self._stays(item, rebound):
                name = self._names.fresh("subject")
                before.append(assign(name, item, node))
                item = load(name)
            held.append(item)
        return before, (held[0] if items == [subject] else gast.Tuple(held, gast.Load()))

    def _stays(self, item: gast.expr, rebound: set[str]) -> bool:
        return isinstance(item, gast.Name) and item.id in self._bound - rebound

    def _chain(self, cases: list[gast.match_case], subject: gast.expr) -> Block:
        """The cases from the first on: ``if`` it matches, its body, ``else`` the chain of the others."""
        if not cases:
            return []
        case, others = cases[0], cases[1:]
        plan = read_pattern(case.pattern, subject)
        if plan is None:
            return self._chain(others, subject)
        origin = case.pattern
        captures: Block = [assign(name, value, origin) for name, value in plan.captures]
        if case.guard is None:
            body: Block = captures + case.body
            return (
                [branch(all_of(plan.tests), body, self._chain(others, subject), origin)]
                if plan.tests
                else body
            )
        if not captures:
            return [
                branch(all_of([*plan.tests, case.guard]), case.body, self._chain(others, subject), origin)
            ]
        if not plan.tests:
            return [*captures, branch(case.guard, case.body, self._chain(others, subject), origin)]
        if not others:
            inner = branch(case.guard, case.body, [], origin)
            return [branch(all_of(plan.tests), [*captures, inner], [], origin)]
        # The guard reads what the pattern captures, and the next case is due if either of them says no.
        matched = self._names.fresh("matched")
        return [
            assign(matched, all_of(plan.tests), origin),
            branch(load(matched), [*captures, assign(matched, case.guard, origin)], [], origin),
            branch(load(matched), case.body, self._chain(others, subject), origin),
        ]


def _rebound(node: gast.Match) -> set[str]:
    """The names that patterns and guards bind, and that the subject must therefore not be read from."""
    bound = set()
    for case in node.cases:
        for part in (*gast.walk(case.pattern), *(gast.walk(case.guard) if case.guard else ())):
            if isinstance(part, (gast.MatchAs, gast.MatchStar)):
                bound.add(part.name)
            elif isinstance(part, gast.MatchMapping):
                bound.add(part.rest)
            elif isinstance(part, gast.Name) and not isinstance(part.ctx, gast.Load):
                bound.add(part.id)
    return bound

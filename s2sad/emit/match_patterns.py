"""The match statement and its patterns, which astunparse does not know.

    MatchOr([MatchValue(Constant(1)),
             MatchAs(MatchClass(Name("C"), ...), "c")])    ->    1 | (C() as c)

Patterns have a precedence of their own: an alternative binds tighter than ``as``.
"""

from __future__ import annotations

import ast
from typing import Any

from astunparse import Unparser

from s2sad.emit.precedence import Level


class MatchPatterns(Unparser):  # type: ignore[misc]  # astunparse has no type information
    """The part of the printer that writes ``match``."""

    def _Match(self, t: ast.Match) -> None:
        self.fill("match ")
        self.dispatch(t.subject, Level.WALRUS)
        self.enter()
        for case in t.cases:
            self.dispatch(case)
        self.leave()

    def _match_case(self, t: ast.match_case) -> None:
        self.fill("case ")
        self.dispatch(t.pattern)
        if t.guard:
            self.write(" if ")
            self.dispatch(t.guard, Level.WALRUS)
        self.enter()
        self.dispatch(t.body)
        self.leave()

    def _MatchValue(self, t: ast.MatchValue) -> None:
        self.dispatch(t.value, Level.SUM)

    def _MatchSingleton(self, t: ast.MatchSingleton) -> None:
        self.write(repr(t.value))

    def _MatchSequence(self, t: ast.MatchSequence) -> None:
        self._parts("[]", [("", pattern) for pattern in t.patterns])

    def _MatchStar(self, t: ast.MatchStar) -> None:
        self.write(f"*{t.name or '_'}")

    def _MatchMapping(self, t: ast.MatchMapping) -> None:
        parts: list[tuple[Any, ast.pattern | None]] = list(zip(t.keys, t.patterns, strict=True))
        self._parts("{}", [*parts, ("**" + t.rest, None)] if t.rest else parts)

    def _MatchClass(self, t: ast.MatchClass) -> None:
        self.dispatch(t.cls)
        names = [*[""] * len(t.patterns), *(f"{name}=" for name in t.kwd_attrs)]
        self._parts("()", list(zip(names, [*t.patterns, *t.kwd_patterns], strict=True)))

    def _MatchAs(self, t: ast.MatchAs) -> None:
        if t.pattern:
            self._nested(t.pattern, ast.MatchAs)
            self.write(" as ")
        self.write(t.name or "_")

    def _MatchOr(self, t: ast.MatchOr) -> None:
        for position, pattern in enumerate(t.patterns):
            if position:
                self.write(" | ")
            self._nested(pattern, ast.MatchAs, ast.MatchOr)

    def _nested(self, pattern: ast.pattern, *looser: type[ast.pattern]) -> None:
        """A pattern, in parentheses if it is of a looser kind; a plain name is a MatchAs, too."""
        named = isinstance(pattern, ast.MatchAs) and pattern.pattern is None
        brackets = "()" if isinstance(pattern, looser) and not named else ""
        self.write(brackets[:1])
        self.dispatch(pattern)
        self.write(brackets[1:])

    def _parts(self, brackets: str, parts: list[tuple[Any, ast.pattern | None]]) -> None:
        """Patterns with what stands before them (a text, or a key of a mapping), with commas between."""
        self.write(brackets[0])
        for position, (before, pattern) in enumerate(parts):
            if position:
                self.write(", ")
            if isinstance(before, ast.expr):
                self.dispatch(before, Level.SUM)
            else:
                self.write(before)
            if pattern:
                self.write(": " if isinstance(before, ast.expr) else "")
                self.dispatch(pattern)
        self.write(brackets[1])

"""Comments and their places: the user's in the forward sweep, the primal statements in the reverse sweep.

    # forward sweep
    # the step width
    h = (b - a) / n
    total = h * np.sum(f)
    # reverse sweep
    h_bar = total_bar * np.sum(f)  # total = h * np.sum(f)

A comment whose statement is gone stands at the next one; a primal statement is named once for all that comes
from it in one go.
"""

from __future__ import annotations

import io
import tokenize

import gast

from s2sad.emit.text import leading, trailing
from s2sad.errors import Location
from s2sad.ir.nodes import OTHERWISE, Call, Function, Op
from s2sad.rules.traits import having

WIDTH = 60  # of a quoted primal statement


class Remarks:
    """Attaches comments to the statements of one function, in the order in which these are made."""

    def __init__(self, function: Function, statements: list[Op]) -> None:
        self.function = function
        self.turn = function.reverse_at
        # of adjoints before anything has contributed
        self.fills = {*having("makes zeros"), *having("makes room"), "s2sad.runtime.zeros"}
        first: dict[int, Op] = {}
        for op in filter(self._is_own, statements):
            first.setdefault(op.loc.line if op.loc else 0, op)
        self.above = self._above(first)
        last = max(first, default=0)
        self.left = [
            bare(t) for line, texts in sorted(function.comments.items()) if line > last for t in texts
        ]
        beside = {op: function.comments.get(-line) for line, op in first.items()}
        self.beside = {op: bare(texts[0]) for op, texts in beside.items() if texts}
        self.headings = [] if self.turn is None else [(self.turn, "reverse sweep")]
        if self.turn is not None and self.turn > 0:
            guards = (k for k, op in enumerate(function.body.ops, 1) if isinstance(op, Call) and op.target == OTHERWISE)
            self.headings.insert(0, (next(guards, 0), "forward sweep"))
        self.primal: tuple[str, int] | None = None

    # --- the user's comments

    def _is_own(self, op: Op) -> bool:
        """Test for an operation of a line of the function itself, and not of one that was inlined."""
        if op.loc is None or op.primal is not None or op.loc.file != self.function.file:
            return False
        own = op.loc.function
        return not own or self.function.name == own or self.function.name.startswith(f"{own}_")

    def _above(self, first: dict[int, Op]) -> dict[Op, list[str]]:
        """The comments above statements: those of their lines, and those whose statement is gone."""
        found: dict[Op, list[str]] = {}
        for line, texts in sorted(self.function.comments.items()):
            after = [candidate for candidate in first if candidate >= line]
            if line > 0 and after:
                found.setdefault(first[min(after)], []).extend(map(bare, texts))
        return found

    # --- statements

    def before(self, op: Op, at: int | None) -> list[str]:
        """The lines above an operation's first statement; ``at`` is its place in the function's body."""
        lines = self.heading(at) if at is not None else []
        return lines + self.above.pop(op, [])

    def at_return(self, at: int) -> list[str]:
        """The lines above the return: also the comments behind all other statements of a forward program."""
        return self.heading(at) + (self.left if self.turn is None else [])

    def heading(self, at: int) -> list[str]:
        """The name of the sweep that begins here."""
        due = [text for start, text in self.headings if start <= at]
        self.headings = self.headings[len(due) :]
        return due[-1:]

    def attach(self, statements: list[gast.stmt], lines: list[str], op: Op, parts: list[Op]) -> None:
        """Put comments at the statements that an operation has become; ``parts`` are the first parts of the sum that it is."""
        if not statements:
            return
        leading(statements[0], *lines)
        if op in self.beside:
            trailing(statements[0], self.beside.pop(op))
        if op.primal is not None and isinstance(op, Call) and op.target not in self.fills:
            origins = [part.primal for part in (*parts, op) if part.primal is not None]
            quotes = [quoted(origin) for origin in origins if (origin.file, origin.line) != self.primal and is_statement(origin)]
            if quotes:
                trailing(statements[-1], "; ".join(dict.fromkeys(quotes)))
            self.primal = (op.primal.file, op.primal.line)

    def new_block(self) -> None:
        """A region begins or ends: the primal statement is named again."""
        self.primal = None


def bare(comment: str) -> str:
    """A comment without its mark."""
    return comment.removeprefix("#").strip()


def is_statement(location: Location) -> bool:
    """Test for a place that is a statement of a body: what belongs to no other stands at the definition."""
    return not location.source_line().lstrip().startswith(("def ", "@"))


def quoted(location: Location) -> str:
    """The text of a primal statement, without its comment, shortened."""
    text = _without_comment(location.source_line().strip())
    return text if len(text) <= WIDTH else text[: WIDTH - 4].rstrip() + " ..."


def _without_comment(line: str) -> str:
    if "#" not in line:
        return line
    try:
        for token in tokenize.generate_tokens(io.StringIO(line).readline):
            if token.type == tokenize.COMMENT:
                return line[: token.start[1]].rstrip()
    except (tokenize.TokenError, IndentationError):
        pass  # a line of a longer statement: what was read so far had no comment
    return line

"""Lines of code and their comments set on the page: long ones wrapped, trailing comments in a column.

    x_bar = a_bar * y  # x * y                         x_bar = a_bar * y           # x * y
    shifted_bar = x_bar + 1.0                    ->    shifted_bar = x_bar + 1.0
    y_bar = shifted_bar  # y + 1                       y_bar = shifted_bar         # y + 1

A line is a list of pieces, not a string: brackets, separators and operators are pieces of their own, and a
string literal is one piece, so that a line is never broken inside one. ``SOFT_OPEN`` and ``SOFT_CLOSE`` stand
around what may be put into parentheses; they are invisible unless the line is broken there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

WIDTH = 120
COLUMN = 64
INDENT = "    "

SOFT_OPEN, SOFT_CLOSE = "\0(", "\0)"
_OPENING = ("(", "[", "{", SOFT_OPEN)
_CLOSING = (")", "]", "}", SOFT_CLOSE)

# Where to break inside brackets: behind commas, else before the operators that bind least.
_COMMA = ", "
_OPERATORS = (
    (" for ", " async for "),
    (" if ", " else "),
    (" or ",),
    (" and ",),
    (" == ", " != ", " < ", " <= ", " > ", " >= ", " is ", " is not ", " in ", " not in "),
    (" | ",),
    (" ^ ",),
    (" & ",),
    (" << ", " >> "),
    (" + ", " - "),
    (" * ", " @ ", " / ", " // ", " % "),
)


@dataclass(slots=True)
class Line:
    """A logical line: a simple statement, the header of a compound one, or (``comment`` alone) a comment.

    A line without pieces and comment is blank. One with line breaks in a piece (a docstring) is left alone.
    """

    depth: int = 0
    pieces: list[str] = field(default_factory=list)
    comment: str = ""
    simple: bool = True

    @property
    def blank(self) -> bool:
        return not self.pieces and not self.comment


@dataclass(slots=True)
class _Row:
    """A line of the page."""

    code: str
    comment: str = ""
    simple: bool = False

    def text(self, column: int = 0) -> str:
        if not self.comment:
            return self.code
        if not self.code.strip():
            return f"{self.code}# {self.comment}"
        return f"{self.code.ljust(column - 2)}  # {self.comment}"


def page(lines: list[Line]) -> str:
    """The text of all lines, without a line break at the end."""
    rows = [row for line in lines for row in _rows(line)]
    return "\n".join(text for run in _runs(rows) for text in _align(run))


def flat(pieces: list[str]) -> str:
    """The text of pieces on one line."""
    return "".join(pieces).replace(SOFT_OPEN, "").replace(SOFT_CLOSE, "")


def _rows(line: Line) -> list[_Row]:
    """The rows of one line; a comment that finds no room behind it goes above."""
    pad = INDENT * line.depth
    if line.blank:
        return [_Row("")]
    if not line.pieces:
        return [_Row(pad, line.comment)]
    code = pad + flat(line.pieces)
    verbatim = "\n" in code
    rows = [_Row(row) for row in ([code] if verbatim or len(code) <= WIDTH else wrap(pad, line.pieces))]
    whole = _Row(rows[0].code, line.comment, line.simple)
    if len(rows) == 1 and not verbatim and len(whole.text()) <= WIDTH:
        return [whole]
    return [_Row(pad, line.comment), *rows] if line.comment else rows


def _runs(rows: list[_Row]) -> Iterator[list[_Row]]:
    """Neighbouring simple statements of one block, everything else alone."""
    run: list[_Row] = []
    for row in rows:
        if run and not (row.simple and run[-1].simple and _indent(row.code) == _indent(run[-1].code)):
            yield run
            run = []
        run.append(row)
    if run:
        yield run


def _align(run: list[_Row]) -> list[str]:
    """The rows with their comments in one column, as far as they have code short enough."""
    ends = [len(row.code) + 2 for row in run if row.comment]
    column = max((end for end in ends if end <= COLUMN), default=0)
    aligned = [row.text(column) for row in run]
    return [text if len(text) <= WIDTH else row.text() for row, text in zip(run, aligned, strict=True)]


def _indent(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]


def wrap(lead: str, pieces: list[str]) -> list[str]:
    """``lead`` and the pieces on one line, or on several if that is too long and brackets allow it.

    The bracket with the most text is opened, its content goes on lines of its own, one step further in.
    """
    whole = lead + flat(pieces)
    group = _widest_group(pieces)
    if len(whole) <= WIDTH or group is None:
        return [whole]
    start, end = group
    pad = _indent(lead)
    broken = [
        lead + flat(pieces[:start]) + _hard(pieces[start]),
        *_fill(pad + INDENT, _items(pieces[start + 1 : end])),
        *wrap(pad + _hard(pieces[end]), pieces[end + 1 :]),
    ]
    return broken if max(map(len, broken)) < len(whole) else [whole]


def _hard(bracket: str) -> str:
    return bracket.removeprefix("\0")


def _widest_group(pieces: list[str]) -> tuple[int, int] | None:
    """Where the outermost bracket with the most text in it opens and closes."""
    best, size = None, 0
    for start, end in _groups(pieces):
        width = len(flat(pieces[start + 1 : end]))
        if width > size:
            best, size = (start, end), width
    return best


def _groups(pieces: list[str]) -> Iterator[tuple[int, int]]:
    depth = start = 0
    for position, piece in enumerate(pieces):
        if piece in _OPENING:
            start = position if depth == 0 else start
            depth += 1
        elif piece in _CLOSING:
            depth -= 1
            if depth == 0:
                yield start, position


def _items(pieces: list[str]) -> list[list[str]]:
    """The content of a bracket, cut at its commas, else before its least binding operators."""
    depths = list(_depths(pieces))
    top = {piece for piece, depth in zip(pieces, depths, strict=True) if depth == 0}
    operators = next((group for group in _OPERATORS if top.intersection(group)), ())
    items: list[list[str]] = [[]]
    for piece, depth in zip(pieces, depths, strict=True):
        if depth == 0 and _COMMA not in top and piece in operators:
            items.append([])
        items[-1].append(piece)
        if depth == 0 and piece == _COMMA:
            items.append([])
    return items


def _depths(pieces: list[str]) -> Iterator[int]:
    depth = 0
    for piece in pieces:
        depth += piece in _OPENING
        yield depth
        depth -= piece in _CLOSING


def _fill(pad: str, items: list[list[str]]) -> list[str]:
    """As many items on each line as there is room for."""
    lines: list[str] = []
    current: list[str] = []
    for item in items:
        if current and len(pad) + len(flat(current + item).strip()) > WIDTH:
            lines += _inside(pad, _stripped(current))
            current = []
        current = current + item
    return lines + _inside(pad, _stripped(current))


def _inside(pad: str, pieces: list[str]) -> list[str]:
    """Like ``wrap`` for what stands inside brackets already: a break before an operator is allowed here."""
    items = _items(pieces)
    if len(pad + flat(pieces)) > WIDTH and len(items) > 1:
        return _fill(pad, items)
    return wrap(pad, pieces)


def _stripped(pieces: list[str]) -> list[str]:
    """Without the space of an operator at the beginning and of a comma at the end."""
    first, *rest = pieces
    *body, last = [first.lstrip(), *rest]
    return [*body, last.rstrip()]

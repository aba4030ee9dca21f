"""The errors that users meet.

Every error that concerns a program carries the place in the user's source: file, line, column, the source line
with a caret, what is wrong, why, and what to write instead. Nothing that cannot be differentiated exactly passes.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterable
from dataclasses import dataclass


def meant(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """A text in place of a name that is not there: the one that was probably meant."""
    import difflib

    close = difflib.get_close_matches(name, list(known), 1)
    return f"did you mean {close[0]!r}?" if close else otherwise


@dataclass(frozen=True, slots=True)
class Location:
    """A place in the user's source; lines count from 1, columns from 0, as in Python's syntax trees."""

    file: str
    line: int
    column: int = 0
    text: str = ""
    function: str = ""

    def source_line(self) -> str:
        """The source line, from the location itself or from the file as linecache knows it."""
        return self.text or linecache.getline(self.file, self.line).rstrip("\n")


class S2sadError(Exception):
    """Base class of all errors raised by s2sad.

    ``node`` may be given while the location is not known yet (deep inside a pass); whoever knows the file
    fills it in by ``locate``.
    """

    def __init__(
        self,
        message: str,
        *,
        location: Location | None = None,
        node: object | None = None,
        why: str = "",
        instead: str = "",
    ) -> None:
        self.message = message
        self.location = location
        self.node = node
        self.why = why
        self.instead = instead
        super().__init__(message)

    def locate(self, location: Location) -> S2sadError:
        """Set the location unless a more exact one is known already."""
        if self.location is None:
            self.location = location
        return self

    def __str__(self) -> str:
        lines = [self.message]
        if self.location is not None:
            at = self.location
            lines.append(f'  File "{at.file}", line {at.line}, column {at.column + 1}')
            text = at.source_line()
            if text.strip():
                stripped = text.lstrip()
                lines.append("    " + stripped)
                lines.append("    " + " " * max(0, at.column - (len(text) - len(stripped))) + "^")
        if self.why:
            lines.append(f"  why: {self.why}")
        if self.instead:
            lines.append(f"  instead: {self.instead}")
        return "\n".join(lines)


class UnsupportedSyntaxError(S2sadError, SyntaxError):
    """A construct that the compiler does not differentiate."""

    __str__ = S2sadError.__str__


class SourceError(S2sadError):
    """A function whose source cannot be found or read."""


class NoRuleError(S2sadError):
    """Nobody has written the derivative of this function yet."""


class NonDifferentiableError(S2sadError):
    """The derivative does not exist."""


class AliasError(S2sadError):
    """Two names may share memory, and the derivative would depend on whether they do."""


class ActivityError(S2sadError):
    """The request makes no sense for these arguments: an integer in ``wrt``, a result that does not depend on it."""


class KindError(S2sadError):
    """A kind (scalar, array, rank) must be known here and is not; an annotation helps."""


class ArgumentError(S2sadError, TypeError):
    """A function is called with arguments, or a transformation with settings, that it does not have."""

    __str__ = S2sadError.__str__


class MissingError(S2sadError, AttributeError):
    """An attribute that is not there."""

    __str__ = S2sadError.__str__


class SettingError(S2sadError, ValueError):
    """A setting has a value that is not known."""

    __str__ = S2sadError.__str__


class CompilerError(S2sadError):
    """An invariant of the compiler itself is broken: a bug in s2sad, never the user's."""

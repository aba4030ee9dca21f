"""The fence: refusing constructs, each with its place, the reason, and what to write instead."""

from __future__ import annotations

from typing import NoReturn

from s2sad.errors import UnsupportedSyntaxError
from s2sad.frontend.grammar import refusal
from s2sad.frontend.source import Source


class KnownFailure(UnsupportedSyntaxError):
    """An operation that would certainly raise ``error`` if it ran: refused, unless a ``try`` around it catches it."""

    error: Exception
    block: object = None

    __str__ = UnsupportedSyntaxError.__str__

    def refused(self) -> UnsupportedSyntaxError:
        """The refusal of what may be caught, or comes behind what may: it is not certain that the program ends with it."""
        return UnsupportedSyntaxError(self.message, location=self.location, node=self.node, why=self.why, instead=self.instead)


def refuse(source: Source, node: object, what: str = "", why: str = "", instead: str = "") -> NoReturn:
    """Raise ``UnsupportedSyntaxError`` at a node, with the grammar's text where none is given."""
    known = refusal(type(node).__name__)
    raise UnsupportedSyntaxError(
        f"{what or known.what} is not supported in a differentiated function",
        location=source.location(node),
        node=node,
        why=why or known.why,
        instead=instead or known.instead,
    )


def fail(source: Source, node: object, error: Exception, block: object, what: str, instead: str) -> NoReturn:
    """Raise ``KnownFailure`` at a node; ``block`` is where the operations around it are being put."""
    failure = KnownFailure(
        f"{what} is not supported in a differentiated function", location=source.location(node), node=node,
        why=f"{type(error).__name__}: {error}", instead=instead,
    )  # fmt: skip
    failure.error, failure.block = error, block
    raise failure

"""Why a program is not compiled."""

from __future__ import annotations

from typing import NoReturn

from s2sad.errors import Location, S2sadError
from s2sad.ir.nodes import Op


class NotCompiled(S2sadError):
    """Something for which there is no compiled form that surely means the same."""


def refuse(what: str, op: Op | None = None, why: str = "") -> NoReturn:
    """Raise NotCompiled at the user's statement that an operation stems from."""
    place: Location | None = None if op is None else op.loc or op.primal
    raise NotCompiled(what, location=place, why=why)


MARK = "# runs as NumPy: "


def not_compiled(error: NotCompiled) -> str:
    """The first line of a module that is not compiled: what it is about, where, and why."""
    at = f" ({error.location.file}, line {error.location.line})" if error.location is not None else ""
    text = f"{error.message}{': ' * bool(error.why)}{error.why}{at}"
    return f"{MARK}{' '.join(text.split())}\n"


def reason(text: str) -> str | None:
    """Why the module of a text is not compiled; None if it is."""
    line = text.partition("\n")[0]
    return line.removeprefix(MARK) if line.startswith(MARK) else None

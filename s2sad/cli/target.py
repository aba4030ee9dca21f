"""What a command works on: a function of a file, found without executing the file."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console

from s2sad import pipeline
from s2sad.ad.request import Wanted
from s2sad.cli.annotations import kinds_of
from s2sad.errors import ActivityError, S2sadError
from s2sad.frontend.resolve import StaticScope
from s2sad.frontend.source import Source
from s2sad.ir.kinds import UNKNOWN, Array, Kind, is_differentiable
from s2sad.ir.nodes import Function

F = TypeVar("F", bound=Callable[..., Any])


@contextmanager
def reported() -> Iterator[None]:
    """Print errors of the user's program with their place, and exit with 1."""
    try:
        yield
    except S2sadError as error:
        Console(stderr=True, highlight=False, soft_wrap=True).print(str(error), markup=False, style="red")
        sys.exit(1)


class Target:
    """One function of a file."""

    def __init__(self, scope: StaticScope, node: ast.FunctionDef) -> None:
        self.scope = scope
        self.source: Source = scope.source(node)
        self.kinds: dict[str, Kind] = kinds_of(self.source.node)

    def homes(self) -> dict[str, str]:
        """The names that the file binds, and the module that it is: that is where a derivative module finds them."""
        path = Path(self.scope.file).resolve()
        parts = [path.stem]
        while (path.parent / "__init__.py").is_file():
            path = path.parent
            parts.insert(0, path.name)
        return dict.fromkeys(self.scope.names, ".".join(parts))

    def lower(self, of: str | None = None) -> Function:
        """The function as SSA; ``of``, whose final contents are asked for, is an array if nothing else is said."""
        kinds = dict(self.kinds)
        if of is not None and kinds.get(of) == UNKNOWN:
            kinds[of] = Array()
        function, _ = pipeline.lower(self.source, self.scope, kinds)
        return function

    def inputs(self, wrt: str | None) -> tuple[str, ...]:
        """The parameters that ``--wrt`` names, by name or position; the first one without it."""
        names = list(self.kinds)
        if not names:
            raise ActivityError(f"{self.source.name} has no parameters")
        chosen: list[str] = []
        for item in (wrt or "0").split(","):
            item = item.strip()
            name = names[int(item)] if item.isdigit() and int(item) < len(names) else item
            if name not in names:
                raise ActivityError(
                    f"{self.source.name} has no parameter {item!r}", instead=f"one of {', '.join(names)}"
                )
            if not is_differentiable(self.kinds[name]):
                raise ActivityError(f"the parameter {name!r} is an {self.kinds[name]} and has no derivative")
            chosen.append(name)
        return tuple(chosen)

    def wanted(self, function: Function, wrt: str | None, of: str | None) -> Wanted:
        """What is differentiated with respect to what."""
        leaves = function.body.yields
        outputs = tuple(k for k, v in enumerate(leaves) if is_differentiable(v.kind) or v.kind == UNKNOWN)
        return Wanted(self.inputs(wrt), outputs, of)


def open_scope(file: str) -> StaticScope:
    """The names of a file."""
    try:
        return StaticScope(file)
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"{file} cannot be read: {error}") from error


def find(file: str, function: str) -> Target:
    """The function of that name in a file."""
    scope = open_scope(file)
    for node in scope.functions():
        if node.name == function:
            return Target(scope, node)
    raise click.UsageError(f"{file} defines no function {function!r} at its top level")

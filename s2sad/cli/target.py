"""The target of a command: a function of a file, found without executing the file."""

from __future__ import annotations

import contextlib
import difflib
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import gast
from rich.console import Console

from s2sad import pipeline
from s2sad.ad.request import Request
from s2sad.cli.annotations import counts_of, kinds_of, with_items
from s2sad.errors import ActivityError, CompilerError, S2sadError, SourceError
from s2sad.frontend.entities import SourceFunction, Static
from s2sad.frontend.files import Program, StaticScope
from s2sad.frontend.lower.signatures import default_nodes, outside_functions, parameters_of
from s2sad.frontend.source import Source
from s2sad.ir.kinds import FUNCTION, UNKNOWN, Array, Kind, is_differentiable
from s2sad.ir.nodes import Function


def shown(text: str) -> str:
    """A text for the terminal: what controls it, or cannot be printed, is escaped."""
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


def meant(name: str, names: list[str]) -> str:
    """The name that was probably meant by one that is none of these, as an advice."""
    near = difflib.get_close_matches(name, names, 1)
    return f"did you mean {near[0]}?" if near else f"one of {', '.join(names)}" if names else "an existing name"


def say(error: S2sadError) -> bool:
    """Print an error of the user's program with its place. Always true."""
    Console(stderr=True, highlight=False, soft_wrap=True, emoji=False).print(shown(str(error)), markup=False, style="red")
    return True


@contextmanager
def reported() -> Iterator[None]:
    """Print an error of the user's program with its place, and exit with 1."""
    try:
        yield
    except S2sadError as error:
        say(error)
        sys.exit(1)


@contextmanager
def compiled(scope: StaticScope, name: str) -> Iterator[Target]:
    """A function of a file, to be transformed; whatever else than an error of ours goes wrong becomes one."""
    try:
        yield Target(scope, name)
    except S2sadError:
        raise
    except (RecursionError, MemoryError) as error:
        raise S2sadError(
            f"{name} in {scope.file} cannot be transformed",
            why="it is nested too deeply, or too large", instead="several functions",
        ) from error  # fmt: skip
    except Exception as error:
        raise CompilerError(
            f"{name} in {scope.file} cannot be transformed, by a mistake of s2sad",
            why=f"{type(error).__name__}: {error}", instead="please report it, with the function",
        ) from error  # fmt: skip


class Target:
    """One function of a file. Raises SourceError where it is not certain which function its name stands for."""

    def __init__(self, scope: StaticScope, name: str) -> None:
        self.scope = scope
        found = scope.resolve(name)
        if not isinstance(found, SourceFunction):
            raise click.UsageError(f"{scope.file} defines no function {name!r} at its top level")
        self.source = found.source
        self.kept = found.kept
        self.kinds: dict[str, Kind] = kinds_of(self.source.node)
        defaults = defaults_of(self.source, scope)
        self.types = {name for name, default in defaults.items() if is_type(default)}
        self.lost: list[str] = []  # parameters whose defaults only the running file would show
        self.held = {name: default for name, default in defaults.items() if not is_type(default)}  # functions
        self.kinds.update(dict.fromkeys(self.held, FUNCTION))

    def lower(self, wrt: str | None, of: str | None, guess: Mapping[str, Kind] = {}) -> Function:
        """The function as SSA; ``of``, whose final contents are asked for, is an array if nothing else is said; a tuple by which
        it is to be differentiated has the items of its default. ``guess``: likely kinds."""
        for name in self._named(wrt):
            if self.kinds.get(name) == UNKNOWN:
                self.kinds[name] = with_items(self.source.node, name)
        kinds: dict[str, Any] = self.kinds | self.held
        if of is not None and of not in kinds:
            raise self.missing(of)
        if of is not None and kinds.get(of) == UNKNOWN:
            kinds[of] = Array()
        kinds |= guess
        function, _ = pipeline.lower(self.source, self.scope, kinds, kept=self.kept)
        known = {p.name for p in function.params if p.default is not None}
        self.lost = [p for p in default_nodes(self.source.node) if p not in known | set(self.held) and p in self.kinds]
        return function

    def remarks(self) -> list[str]:
        """Lines for the head of a derivative module: the parameters that it lacks, functions with a default, and defaults that
        it lacks."""
        shown = {p: d.path.removeprefix("builtins.") if isinstance(d, Static) else d.source.name for p, d in self.held.items()}
        kept = [f"The parameter {parameter} is left at its default, {default}." for parameter, default in shown.items()]
        return kept + [
            f"The default of {p} is computed when the file runs: give it, or name it there ({p.upper()} = ...)."
            for p in self.lost
        ]

    def missing(self, name: str) -> ActivityError:
        """The error for a parameter that the function does not have."""
        return ActivityError(f"{self.source.name} has no parameter {name!r}", instead=meant(name, list(self.kinds)))

    def inputs(self, wrt: str | None) -> tuple[str, ...]:
        """The parameters that ``--wrt`` names, by name or position; without it, all that can carry a derivative."""
        counts = counts_of(self.source.node)
        able = tuple(name for name, kind in self.kinds.items() if is_differentiable(kind) and name not in counts | self.types)
        if wrt is None and not able:
            raise ActivityError(f"{self.source.name} has no parameter that can carry a derivative")
        if wrt is None:
            return able
        chosen = self._named(wrt)
        for name in chosen:
            if name not in self.kinds:
                raise self.missing(name)
            if not is_differentiable(self.kinds[name]):
                raise ActivityError(f"the parameter {name!r} is an {self.kinds[name]} and has no derivative")
        return chosen

    def _named(self, wrt: str | None) -> tuple[str, ...]:
        """The names in ``--wrt``, where positions may stand."""
        names, items = list(self.kinds), [item.strip() for item in (wrt or "").split(",")]
        return tuple(names[int(item)] if item.isdecimal() and int(item) < len(names) else item for item in items)

    def wanted(self, function: Function, wrt: str | None, of: str | None) -> Request:
        """The request to derivatives: which inputs, which outputs, by which name."""
        leaves = function.body.yields
        outputs = tuple(k for k, v in enumerate(leaves) if is_differentiable(v.kind) or v.kind == UNKNOWN)
        return Request(self.inputs(wrt), outputs, of)


def defaults_of(source: Source, scope: StaticScope) -> dict[str, Static | SourceFunction]:
    """The functions and types that are defaults of parameters without an annotation, by these parameters."""
    found: dict[str, Static | SourceFunction] = {}
    annotated = {p.id for p in parameters_of(source.node) if p.annotation is not None}
    for name, node in default_nodes(source.node).items():
        with contextlib.suppress(SourceError):
            default = outside_functions(scope, gast.gast_to_ast(node))
            known = isinstance(default, SourceFunction) or (isinstance(default, Static) and callable(default.payload))
            if isinstance(default, SourceFunction | Static) and known and name not in annotated:
                found[name] = default
    return found


def is_type(default: Static | SourceFunction) -> bool:
    """Test for a default that is a type, as ``dtype=float``."""
    return isinstance(default, Static) and isinstance(default.payload, type)


def open_scope(file: str) -> StaticScope:
    """The names of a file. Raises SourceError where it cannot be read."""
    return Program().scope(Path(file))


@contextmanager
def find(file: str, function: str) -> Iterator[Target]:
    """The function of that name in a file."""
    scope = open_scope(file)
    if scope.resolve(function) is None:
        raise click.UsageError(f"{file} defines no function {function!r} at its top level")
    with compiled(scope, function) as target:
        yield target

"""Commands that evaluate a derivative program at a point: the evaluation trace, and the graph with values on its edges.

The user's file is not executed here either: what runs is the generated program, on the numbers of ``--at``.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import click
import numpy as np

from s2sad import pipeline
from s2sad.cli.annotations import counts_of
from s2sad.cli.output import PICTURE, write
from s2sad.cli.target import Target, find, reported
from s2sad.emit.module import Unbound
from s2sad.errors import ActivityError, S2sadError
from s2sad.graph import graph_of
from s2sad.ir.kinds import UNKNOWN, Kind, Scalar
from s2sad.ir.nodes import Global, Made
from s2sad.specialise import kind_for
from s2sad.trace import Trace, check_seeded, run_traced, shown
from s2sad.trees import filled

MODES = click.Choice(["primal", "tangent", "adjoint"])


class Point(click.ParamType):  # type: ignore[type-arg]  # generic in newer versions only
    """``x1=2,x2=[1.0, 2.0]``: Python literals by name; lists of numbers are arrays."""

    name = "NAME=VALUE,..."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, Any]:
        """The values by name."""
        try:
            call = ast.parse(f"f({value})", mode="eval").body
            if not isinstance(call, ast.Call) or call.args or any(k.arg is None for k in call.keywords):
                raise ValueError("only name=value")
            names = [k.arg for k in call.keywords]
            if twice := next((name for name in names if names.count(name) > 1), None):
                self.fail(f"{value!r} has {twice!r} twice", param, ctx)
            found = {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}
            return {name: np.asarray(v, dtype=float) if isinstance(v, list) else v for name, v in found.items()}
        except (SyntaxError, TypeError, ValueError):
            self.fail(f"{value!r} is no list of values like x1=2,x2=[1.0,2.0]", param, ctx)


def _evaluated(target: Target, mode: str, wrt: str | None, of: str | None, at: dict[str, Any]) -> tuple[pipeline.Result, Trace]:
    """The program in which everything has a name, and what it computes at a point."""
    counts = counts_of(target.source.node)
    for name, value in at.items():
        if name not in target.kinds:
            raise ActivityError(f"{target.source.name} has no parameter {name!r}", instead=f"one of {', '.join(target.kinds)}")
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if number and not isinstance(target.kinds[name], Scalar):
            target.kinds[name] = Scalar("int64" if isinstance(value, int) and name in counts else "float64")
        elif isinstance(value, tuple | dict) and target.kinds[name] == UNKNOWN:
            kind = kind_for(value, name)
            target.kinds[name] = kind if isinstance(kind, Kind) else UNKNOWN
    function = target.lower(wrt, of)
    values: list[Any] = []
    for parameter in function.params:
        if parameter.name in at:
            value = at[parameter.name]
            whole = isinstance(parameter.value.kind, Scalar) and parameter.value.kind.is_of("i")
            values.append(float(value) if isinstance(value, int) and not isinstance(value, bool) and not whole else value)
        elif parameter.default is None or (isinstance(parameter.default, Global) and not parameter.default.resolved):
            raise ActivityError(f"--at has no value for {parameter.name!r}", instead=f"--at {parameter.name}=1.0,...")
        else:
            payload = getattr(parameter.default, "payload", None)
            values.append(payload.value() if isinstance(payload, Made) else payload)
    wanted = target.wanted(function, wrt, of)
    try:
        result = pipeline.traced(function, mode, wanted, homes={})
    except Unbound as error:
        raise S2sadError(
            f"the value of {error.name}, which {target.source.name} reads, is not known", why="the file is not executed",
            instead=f"{error.name} as a parameter, or f.trace(...) in Python",
        ) from error  # fmt: skip
    seeds = []
    if mode == "tangent":
        inputs = [values[[p.name for p in function.params].index(name)] for name in wanted.inputs]
        seeds = [filled(v, float(k == 0)) for k, v in enumerate(inputs)]
    shown_at = ", ".join(f"{p.name} = {shown(v)}" for p, v in zip(function.params, values, strict=True))
    both = list(zip(function.params, values, strict=True))
    given, named = [v for p, v in both if not p.keyword_only], {p.name: v for p, v in both if p.keyword_only}
    check_seeded(result.functions[-1], len(given) + len(seeds), function.name)
    try:
        return result, run_traced(result.text, result.name, mode, [*given, *seeds], named, {}, f"{function.name} at {shown_at}")
    except S2sadError:
        raise
    except Exception as error:
        raise S2sadError(
            f"{function.name} raises {type(error).__name__}: {error}", why=f"it is evaluated at {shown_at}",
            instead="other values, or annotations: n: int, x: np.ndarray (a number that is not annotated is a float)",
        ) from error  # fmt: skip


@click.command()
@click.argument("place", metavar="FILE.py:FUNCTION")
@click.option("--at", type=Point(), required=True, help="The values of the parameters: x1=2,x2=5.")
@click.option("--mode", type=MODES, default="adjoint", show_default=True)
@click.option("--wrt", default=None, help="Parameters to differentiate by (default: all; a tangent is along the first).")
@click.option("--of", "of_", default=None, help="A parameter that the function writes into.")
@click.option("--format", "form", type=click.Choice(["text", "markdown", "html"]), default="text", show_default=True)
def trace(place: str, at: dict[str, Any], mode: str, wrt: str | None, of_: str | None, form: str) -> None:
    """Print the evaluation trace of a function: its derivative program is EVALUATED at a point; its file is not executed."""
    with reported(), find(*_parted(place)) as target:
        _, table = _evaluated(target, mode, wrt, of_, at)
    click.echo((table.html() if form == "html" else table.markdown() if form == "markdown" else str(table)).rstrip("\n"))


@click.command()
@click.argument("place", metavar="FILE.py:FUNCTION")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), default=None, help="The SVG file.")
@click.option("--force", is_flag=True, help="Also over a file that s2sad did not write.")
@click.option("--at", type=Point(), default=None, help="Values for the edges: the program is then EVALUATED there.")
@click.option("--mode", type=MODES, default="primal", show_default=True, help="The adjoint's graph extends the primal's.")
@click.option("--wrt", default=None, help="Parameters to differentiate by (default: all that can carry a derivative).")
@click.option("--of", "of_", default=None, help="A parameter that the function writes into.")
def graph(
    place: str, output: Path | None, force: bool, at: dict[str, Any] | None, mode: str, wrt: str | None, of_: str | None
) -> None:
    """Draw the computational graph of a function as SVG; loops and branches are frames."""
    if output is not None and output.suffix.lower() not in ("", ".svg"):
        raise click.UsageError(f"pictures are SVG: {output.with_suffix('.svg').name} in place of {output.name}")
    with reported(), find(*_parted(place)) as target:
        if at is not None:
            result, rows = _evaluated(target, mode, wrt, of_, at)
            picture = graph_of(result.functions[-1], rows.title, rows)
        else:
            function = target.lower(wrt, of_)
            result = pipeline.traced(function, mode, target.wanted(function, wrt, of_), target.scope.program.homes)
            picture = graph_of(result.functions[-1], function.name)
        if output is None:
            click.echo(picture.svg(), nl=False)
        else:
            write(output.parent, output.name, PICTURE + picture.svg(), force, mark=PICTURE)


def _parted(place: str) -> tuple[str, str]:
    file, _, name = place.rpartition(":")
    if not file:
        raise click.UsageError("name the function: FILE.py:FUNCTION")
    return file, name

"""Commands that show: the stages of a transformation, the cache, the rules."""

from __future__ import annotations

import ast
import contextlib
import importlib
from collections.abc import Callable

import click
import gast
from rich.console import Console
from rich.table import Table

from s2sad import pipeline
from s2sad.ad.pairs import derive_adjoint
from s2sad.ad.request import CalleeDerivatives, Request, outputs_of, parameter
from s2sad.ad.tangent import derive_tangent
from s2sad.analysis.activity import Activity
from s2sad.analysis.alias import Aliases
from s2sad.analysis.memory_signatures import signature
from s2sad.analysis.recorded import Recording
from s2sad.analysis.shifts import shifts
from s2sad.cache import Cache
from s2sad.cli.target import Target, find, reported, shown
from s2sad.errors import S2sadError, meant
from s2sad.frontend.lower.signatures import normal_form
from s2sad.ir.builder import Builder
from s2sad.ir.kinds import FLOAT, Array
from s2sad.ir.nodes import Block, Call, Function, Op, Value
from s2sad.ir.printer import print_function
from s2sad.ir.walk import program_of
from s2sad.options import Machine
from s2sad.rules import registry
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import Written
from s2sad.rules.language import Elementwise, Formula, General, Linear, Nothing, Primitive, Spec

STAGES = ("ast", "normal", "ssa", "memory", "activity", "tbr", "tangent", "adjoint", "optimized", "loops", "source")


@click.command()
@click.argument("place", metavar="FILE.py:FUNCTION")
@click.option("--stage", type=click.Choice(STAGES), default="source", show_default=True)
@click.option("--wrt", default=None, help="Parameters to differentiate by (default: all that can carry a derivative).")
@click.option("--of", "of_", default=None, help="A parameter that the function writes into.")
def show(place: str, stage: str, wrt: str | None, of_: str | None) -> None:
    """Print a stage of the transformation of a function; its file is not executed."""
    file, _, name = place.rpartition(":")
    if not file:
        raise click.UsageError("name the function: FILE.py:FUNCTION")
    with reported(), find(file, name) as target:
        if stage == "ast":
            text = (
                gast.dump(target.source.node, indent=2)
                if hasattr(gast, "dump")
                else ast.dump(target.source.node)
            )
        elif stage == "normal":
            text = ast.unparse(
                ast.fix_missing_locations(gast.gast_to_ast(normal_form(target.source.node, target.source)))
            )
        else:
            text = _program(target, stage, wrt, of_)
    click.echo(shown(text.rstrip("\n")))


def _program(target: Target, stage: str, wrt: str | None, of_: str | None) -> str:
    function = target.lower(wrt, of_)
    if stage == "ssa":
        return print_function(function)
    if stage == "memory":
        return "\n".join(map(signature, program_of(function)))
    wanted = target.wanted(function, wrt, of_)
    if stage in ("activity", "tbr"):
        return print_function(function, _notes(function, wanted, stage))
    if stage == "source":
        return pipeline.differentiate(function, "adjoint", wanted).text
    if stage == "loops":
        return pipeline.differentiate(function, "adjoint", wanted, machine=Machine()).text
    family = CalleeDerivatives(
        pipeline._callee_tangent if stage == "tangent" else pipeline._callee_pair, names={function.name}
    )
    derive = derive_tangent if stage == "tangent" else derive_adjoint
    derived = derive(function, wanted, family, f"{function.name}_{stage}")
    if stage == "optimized":
        pipeline.refine(derived)
    return print_function(derived)


def _notes(function: Function, wanted: Request, stage: str) -> Callable[[Op], str]:
    """Notes for the printer's margin: what is active, or what has to be recorded."""
    aliases = Aliases(function)
    inputs = [parameter(function, name) for name in wanted.inputs]
    activity = Activity(function, aliases, inputs, outputs_of(function, wanted, {}), inert=shifts(function, aliases))
    if stage == "activity":
        return lambda op: "active" if any(map(activity.active, [*op.results, *op.operands()])) else ""
    recording = Recording(function, aliases, activity)
    return lambda op: "recorded and restored" if isinstance(op, Call) and recording.restores(op) else ""


@click.command()
@click.option("--dir", "directory", default=None, help="The cache's folder (default: as the API chooses it).")
@click.option("--clear", is_flag=True, help="Remove all generated modules of the cache.")
def cache(directory: str | None, clear: bool) -> None:
    """List the generated modules, or remove them."""
    store = Cache(directory)
    if clear:
        click.echo(f"{store.clear()} modules removed")
        return
    table = Table("module", "bytes", "valid")
    for entry in store.entries():
        table.add_row(str(entry.name), str(entry.size), "yes" if entry.valid else "no")
    Console().print(table)


@click.command()
@click.argument("pattern", default="")
def rules(pattern: str) -> None:
    """List the derivative rules whose names contain PATTERN, with their formulas; those of SciPy, too, if it is there."""
    with contextlib.suppress(ImportError):
        importlib.import_module("scipy")
    known = registry.all_primitives()
    found = [name for name in sorted(known) if pattern in name]
    if not found:
        raise click.UsageError(f"no rule has a name with {pattern!r} in it; {meant(pattern, known, 'all are listed without it')}")
    for name in found:
        click.echo(f"{name}({known[name].signature}): {_described(known[name])}")


def _described(primitive: Primitive) -> str:
    derivative = primitive.derivative
    if isinstance(derivative, Nothing):
        return "zero" if derivative.zero else "none"
    tables = {
        Elementwise: lambda d: d.partials,
        Linear: lambda d: d.adjoints,
        General: lambda d: d.pulls,
    }
    for kind, table in tables.items():
        if isinstance(derivative, kind):
            formulas = table(derivative).items()  # type: ignore[no-untyped-call]
            return "; ".join(f"{param}: {_text(spec, primitive)}" for param, spec in formulas)
    if derivative is None:
        return "a move in memory"
    return (type(derivative).__doc__ or "a rule of its own").splitlines()[0].rstrip(".")


def _text(spec: Spec, primitive: Primitive) -> str:
    """A formula; of one that is written for each call, that of an array, a matrix or a number."""
    if isinstance(spec, Formula):
        return spec.text
    if not isinstance(spec, Written):
        return spec.otherwise
    for kind in (Array("float64", (None,)), Array("float64", (None, None)), FLOAT):
        args = [Value(kind, name) for name, optional, _ in primitive.parameters if not optional]
        call = Call(target=primitive.name, args=args, results=[Value(kind)])
        with contextlib.suppress(S2sadError, TypeError, ValueError, AttributeError, KeyError, IndexError):
            return spec.formula(Application(call, primitive, Builder(Block(), registry.infer), lambda value: value)).text
    return "written for each call"

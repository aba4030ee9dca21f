"""``s2sad transform FILE.py``: derivative modules of the functions of files."""

from __future__ import annotations

import ast
import glob
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from s2sad.cli import output, two_programs
from s2sad.cli.target import compiled, meant, open_scope, say, shown
from s2sad.errors import S2sadError, SourceError
from s2sad.frontend.files import StaticScope
from s2sad.options import Machine


@click.command()
@click.argument("places", metavar="FILE.py|FOLDER|GLOB...", nargs=-1, required=True)
@click.option(
    "--function",
    "functions",
    multiple=True,
    help="A function to transform (default: those decorated with differentiate, else all).",
)
@click.option(
    "--mode", type=click.Choice(["adjoint", "tangent", "both"]), default="adjoint", show_default=True
)
@click.option(
    "--wrt",
    default=None,
    help="Parameters to differentiate by: names or positions, comma-separated (default: all that can carry a derivative).",
)
@click.option(
    "--of", "of_", default=None, help="A written parameter whose final contents are differentiated."
)
@click.option(
    "-o",
    "--output",
    "target",
    default=None,
    help="A folder, or - for standard output (default: generated/ of the project).",
)
@click.option(
    "--standalone", is_flag=True, help="Write the helpers into the module, which then needs NumPy alone."
)
@click.option("--style", type=click.Choice(["compact", "ssa"]), default="compact", show_default=True)
@click.option("--backend", type=click.Choice(["numpy", "numba"]), default="numpy", show_default=True,
              help="numba: loops that Numba compiles, where that is possible; a comment says where it is not.")
@click.option("--parallel", is_flag=True, help="numba: loops of independent iterations on several threads.")
@click.option("--fastmath", is_flag=True, help="numba: sums in any order, and approximations of processors.")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a written module is stale.")
@click.option("--force", is_flag=True, help="Overwrite files that s2sad did not write.")
def transform(
    places: tuple[str, ...],
    functions: tuple[str, ...],
    mode: str,
    wrt: str | None,
    of_: str | None,
    target: str | None,
    standalone: bool,
    style: str,
    backend: str,
    parallel: bool,
    fastmath: bool,
    check: bool,
    force: bool,
) -> None:
    """Write derivative modules of the functions of files, which are not executed.

    A function that cannot be transformed is reported, and the others are written. The exit code is 1 if there was one.
    """
    if standalone and backend == "numba":
        raise click.UsageError("--backend numba calls helpers of s2sad.loop_runtime; leave out --standalone")
    if backend != "numba" and (parallel or fastmath):
        told = "--parallel" if parallel else "--fastmath"
        raise click.UsageError(f"{told} is about compiled programs; it needs --backend numba")
    machine = Machine(parallel, fastmath) if backend == "numba" else None
    if check and target == "-":
        raise click.UsageError("--check compares files; it needs a folder")
    modes = ("adjoint", "tangent") if mode == "both" else (mode,)
    files = dict(_files(places))
    written: dict[Path, str] = {}
    failed, named = False, set()
    known: set[str] = set()
    for file, parts in files.items():
        folder = None if target == "-" else Path(target) if target else _default_folder(file)
        for function in _functions(file, functions, known):
            if isinstance(function, S2sadError):
                failed |= say(function)
                continue
            named.add(function[1])
            try:
                for one in modes:
                    text = _module(*function, one, wrt, of_, standalone, style, machine)
                    failed |= _deliver(folder, output.module_name([*parts, function[1], one]), text, written, check, force)
            except S2sadError as error:
                failed |= say(error)
    missing = [name for name in functions if name not in named]
    if missing and not failed:
        hints = ", ".join(f"{name!r} ({meant(name, sorted(known))})" for name in missing)
        who = f"{places[0]} defines no" if len(files) == 1 else "no file defines a"
        raise click.UsageError(f"{who} function {hints} at its top level")
    if not named and not failed:
        raise click.UsageError("there are no functions")
    sys.exit(1 if failed else 0)


def _files(places: tuple[str, ...]) -> Iterator[tuple[Path, list[str]]]:
    """The files that are meant, each with the parts of its module's name: those below the folder that was named."""
    for place in places:
        if not place:
            raise click.UsageError("a place is empty: name a file, or . for the present folder")
        path = Path(place)
        if path.is_dir():
            for folder, inner, names in os.walk(path):
                inner[:] = sorted(name for name in inner if not name.startswith(".") and name != "__pycache__")
                for name in sorted(names):
                    one = Path(folder, name)
                    if name.endswith(".py") and not one.is_symlink() and one.is_file() and not output.was_written(one):
                        yield one, list(one.relative_to(path).with_suffix("").parts)
        elif path.is_file():
            yield path, [path.stem]
        else:
            matches = sorted(map(Path, glob.glob(place, recursive=True))) if glob.has_magic(place) else []
            if not matches:
                raise click.UsageError(f"there is no file {shown(place)}")
            yield from ((one, [one.stem]) for one in matches if one.is_file() and not output.was_written(one))


def _functions(
    file: Path, wanted: tuple[str, ...], known: set[str]
) -> Iterator[tuple[StaticScope, str] | S2sadError]:
    """The functions of a file that are asked for: named, or decorated with differentiate, or else all. ``known`` gets all."""
    try:
        scope = open_scope(str(file))
        scope.check()
    except S2sadError as error:
        yield error
        return
    nodes = {node.name: node for node in scope.functions()}
    known |= set(nodes)
    decorated = [name for name, node in nodes.items() if _is_decorated(scope, node.decorator_list)]
    for name in (n for n in nodes if n in wanted) if wanted else decorated or nodes:
        yield scope, name


def _is_decorated(scope: StaticScope, decorators: list[ast.expr]) -> bool:
    makers = [d.func if isinstance(d, ast.Call) else d for d in decorators]
    try:
        return any(scope.imported_path(maker) == "s2sad.differentiate" for maker in makers)
    except SourceError:
        return False


def _module(
    scope: StaticScope, name: str, mode: str, wrt: str | None, of: str | None, standalone: bool, style: str,
    machine: Machine | None,
) -> str:  # fmt: skip
    """The text of a derivative module."""
    with compiled(scope, name) as target:
        text, remarks = two_programs.module(target, mode, wrt, of, style, standalone, machine), target.remarks()
    return output.header(name, scope.path, target.source.node.lineno, remarks) + text


def _deliver(folder: Path | None, name: str, text: str, written: dict[Path, str], check: bool, force: bool) -> bool:
    """Write a module, print it, or compare it; whether it is stale."""
    if folder is None:
        click.echo(("\n\n" if written else "") + text, nl=False)
        written[Path(name)] = text
        return False
    place = folder / name
    if written.setdefault(Path(str(place).casefold()), text) != text:
        why = "two functions would have modules of one name"
        raise S2sadError(f"{place} would be written twice", why=why, instead="a folder for each with -o")
    if not check:
        output.write(folder, name, text, force)
        click.echo(shown(str(place)))
    elif not output.is_current(folder, name, text):
        click.echo(f"stale: {shown(str(place))}", err=True)
        return True
    return False


def _default_folder(file: Path) -> Path:
    for folder in file.resolve().parents:
        if (folder / "pyproject.toml").is_file():
            return folder / "generated"
    return file.parent

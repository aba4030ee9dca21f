"""``s2sad transform FILE.py``: derivative modules of the functions of a file."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import click

from s2sad import pipeline
from s2sad.cli.target import Target, open_scope, reported


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--function",
    "functions",
    multiple=True,
    help="A function to transform (default: all, or those decorated).",
)
@click.option(
    "--mode", type=click.Choice(["adjoint", "tangent", "both"]), default="adjoint", show_default=True
)
@click.option(
    "--wrt",
    default=None,
    help="Parameters to differentiate by: names or positions, comma-separated (the first).",
)
@click.option(
    "--of", "of_", default=None, help="A written parameter whose final contents are differentiated."
)
@click.option(
    "-o",
    "--output",
    default=None,
    help="A folder, or - for standard output (default: generated/ of the project).",
)
@click.option(
    "--standalone", is_flag=True, help="Write the helpers into the module, which then needs NumPy alone."
)
@click.option("--style", type=click.Choice(["compact", "ssa"]), default="compact", show_default=True)
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a written module is stale.")
def transform(
    file: str,
    functions: tuple[str, ...],
    mode: str,
    wrt: str | None,
    of_: str | None,
    output: str | None,
    standalone: bool,
    style: str,
    check: bool,
) -> None:
    """Write derivative modules of the functions of FILE, which is not executed."""
    if check and output == "-":
        raise click.UsageError("--check compares files; it needs a folder")
    with reported():
        modules: dict[str, str] = {}
        for target in _targets(file, functions):
            for one in ("adjoint", "tangent") if mode == "both" else (mode,):
                function = target.lower(of_)
                wanted = target.wanted(function, wrt, of_)
                text = pipeline.differentiate(function, one, wanted, style, standalone, target.homes()).text
                modules[f"{Path(file).stem}.{function.name}.{one}.py"] = _header(file, function.name) + text
    if output == "-":
        click.echo("\n\n".join(modules.values()), nl=False)
        return
    folder = Path(output) if output else _default_folder(Path(file))
    if check:
        stale = [name for name, text in modules.items() if not _is_current(folder / name, text)]
        for name in stale:
            click.echo(f"stale: {folder / name}", err=True)
        sys.exit(1 if stale else 0)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in modules.items():
        (folder / name).write_text(text, encoding="utf-8")
        click.echo(str(folder / name))


def _targets(file: str, functions: tuple[str, ...]) -> list[Target]:
    """The functions that are asked for; without names those decorated with differentiate, else all."""
    scope = open_scope(file)
    nodes = scope.functions()
    missing = set(functions) - {node.name for node in nodes}
    if missing:
        raise click.UsageError(f"{file} defines no function {', '.join(sorted(missing))} at its top level")
    decorated = [
        node for node in nodes if any("differentiate" in ast.unparse(d) for d in node.decorator_list)
    ]
    chosen = [node for node in nodes if node.name in functions] if functions else decorated or nodes
    if not chosen:
        raise click.UsageError(f"{file} defines no functions")
    return [Target(scope, node) for node in chosen]


def _header(file: str, name: str) -> str:
    return (
        f"# Derivative of {name} in {Path(file).name}, written by s2sad transform. Changes here are lost.\n"
    )


def _default_folder(file: Path) -> Path:
    for folder in file.resolve().parents:
        if (folder / "pyproject.toml").is_file():
            return folder / "generated"
    return file.parent


def _is_current(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text

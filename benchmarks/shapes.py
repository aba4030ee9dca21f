"""What derivative programs still do for the sake of shapes: calls that only mend a shape, counted in their texts.

Run: ``python benchmarks/shapes.py [golden] [corpora] [modules]`` or ``... run``.
``modules`` are those of ``s2sad transform`` for the corpora,
which say nothing of what arrays are passed; ``corpora`` the same programs for the arguments that they are tried with.
``?`` counts the parameters of which a docstring knows nothing. ``run`` runs the adjoints of the corpora, and counts the places of
``unbroadcast`` that were come to, and those where shapes were equal at each turn.
"""

from __future__ import annotations

import ast
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

COUNTED = ("unbroadcast", "full_like", "stand_in", "broadcast_like")
NOTHING_KNOWN = re.compile(r"\w+: \?(?=;|$)", re.MULTILINE)


def count(text: str) -> Counter[str]:
    """The calls that only mend shapes in a module, and its statements."""
    found: Counter[str] = Counter(modules=1)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            found[name] += name in COUNTED
        elif isinstance(node, ast.FunctionDef):
            found["?"] += len(NOTHING_KNOWN.findall(ast.get_docstring(node) or ""))
        found["statements"] += isinstance(node, ast.stmt)
    return found


def golden() -> Iterator[str]:
    """The golden texts."""
    for path in sorted((ROOT / "tests" / "golden" / "texts").glob("*.txt")):
        yield path.read_text()


def corpora() -> Iterator[str]:
    """The adjoints of the corpora, as they are made for arguments."""
    from programs.case import all_cases
    from programs.language import language_cases

    from s2sad import S2sadError, differentiate

    for case in [*all_cases(), *language_cases()]:
        args = case.make(np.random.default_rng(20240301))
        try:
            yield differentiate(case.function, wrt=case.wrt, of=case.of).source("adjoint", *args)
        except S2sadError:
            continue


def modules() -> Iterator[str]:
    """The adjoints of the corpora, as the command line makes them."""
    from click.testing import CliRunner

    from s2sad.cli import main

    for folder in ("inplace", "language"):
        with tempfile.TemporaryDirectory() as made:
            CliRunner().invoke(main, ["transform", str(ROOT / "tests" / "programs" / folder), "-o", made])
            for path in sorted(Path(made).glob("*.py")):
                yield path.read_text()


def run() -> None:
    """Run the adjoints of the corpora, and print at how many places nothing had to be summed."""
    from programs.case import all_cases
    from programs.language import language_cases

    from s2sad import S2sadError, check_grads, runtime

    found: dict[tuple[str, int], bool] = {}
    plain = runtime.unbroadcast

    def watched(bar: Any, like: Any) -> Any:
        frame = sys._getframe(1)
        place = frame.f_code.co_filename, frame.f_lasti
        found[place] = found.get(place, True) and np.shape(bar) == np.shape(like)
        return plain(bar, like)

    runtime.unbroadcast = watched
    for case in [*all_cases(), *language_cases()]:
        try:
            args = case.make(np.random.default_rng(20240301))
            check_grads(case.function, args, wrt=case.wrt, of=case.of, modes=("adjoint",), jointly=True)
        except (S2sadError, AssertionError):
            continue
    Console().print(f"places of unbroadcast come to: {len(found)}; with equal shapes at each turn: {sum(found.values())}")


SOURCES: dict[str, Callable[[], Iterator[str]]] = {"golden": golden, "corpora": corpora, "modules": modules}


def main(names: list[str]) -> None:
    """Count and print."""
    if names == ["run"]:
        run()
        return
    columns = ("modules", *COUNTED, "?", "statements")
    table = Table("texts", *columns, title="what is done for shapes")
    for name in names or SOURCES:
        found = sum(map(count, SOURCES[name]()), Counter())
        table.add_row(name, *(str(found[column]) for column in columns))
    Console(width=140).print(table)


if __name__ == "__main__":
    main(sys.argv[1:])

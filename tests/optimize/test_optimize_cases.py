"""Each pass on small programs: what it makes of them, as data in ``cases/``.

A file is named after a pass (``all`` is the whole optimiser). ``UPDATE_CASES=1`` rewrites the expectations; read the
difference as carefully as code.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from ir_text import parse_function, plain_text

from s2sad.ir.verifier import verify
from s2sad.optimize import FINISHING, FIRST, PASSES, optimise

CASES = Path(__file__).parent / "cases"


def cases_of(path: Path) -> Iterator[tuple[str, str, str]]:
    """Name, program, expected program of each case of a file."""
    for part in path.read_text(encoding="utf-8").split("\n== ")[1:]:
        name, _, text = part.partition("\n")
        before, _, after = text.partition("=>\n")
        yield name, before.strip("\n"), after.strip("\n")


def run_pass(path: Path, before: str) -> str:
    """The text of a program after the pass that a file is about."""
    function = parse_function(before)
    verify(function, "parsing")
    if path.stem == "all":
        optimise(function)
        changed = True
    else:
        original = plain_text(function)
        changed = import_module(f"s2sad.optimize.{path.stem}").run(function)
        assert changed == (plain_text(function) != original)
    verify(function, path.stem)
    return plain_text(function).strip("\n")


def update(path: Path) -> None:
    """Rewrite the expectations of a file."""
    head = path.read_text(encoding="utf-8").split("\n== ")[0].rstrip("\n")
    parts = [f"== {name}\n{before}\n=>\n{run_pass(path, before)}\n" for name, before, _ in cases_of(path)]
    path.write_text("\n".join([head + "\n", *parts]), encoding="utf-8")


ALL = [pytest.param(path, *case, id=f"{path.stem}: {case[0]}") for path in sorted(CASES.glob("*.txt")) for case in cases_of(path)]

if os.environ.get("UPDATE_CASES"):
    for file in CASES.glob("*.txt"):
        update(file)


@pytest.mark.parametrize(("path", "name", "before", "after"), ALL)
def test_case(path: Path, name: str, before: str, after: str) -> None:
    assert run_pass(path, before) == after, name


def test_every_pass_has_cases() -> None:
    modules = {run.__module__.rpartition(".")[2] for run in (*FIRST, *PASSES, *FINISHING)}
    assert modules <= {path.stem for path in CASES.glob("*.txt")}

"""Mutants of the corpora's programs: right, refused by name, or raised as Python raises. A few by default, many with ``-m deep``.

``python tests/mutants.py FIRST COUNT`` examines more.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mutants import MODES, Mutant, Program, Subject, corpora, examine, many, outcomes, shown
from thinning import thinned

STILL = """import numpy as np
from s2sad import nondifferentiable


@nondifferentiable
def still(x):
    return x * x


def f(x):
    x *= 2.0
    return np.sum({})
"""


def subject(text: str, folder: Path) -> Subject:
    program = Program("a program", text, "f", lambda module: (np.array([0.7, 1.3]),))
    return Subject(Mutant(0, program, (), ()), folder, program)


@pytest.mark.parametrize("number", thinned(range(24), 8))
def test_right_or_refused(number: int) -> None:
    wrong = [(what, found) for what, found in outcomes(number) if found.startswith("WRONG")]
    assert not wrong, shown(number)


@pytest.mark.deep
@pytest.mark.parametrize("first", range(1000, 2000, 100))
def test_many(first: int) -> None:
    found = [(number, what, outcome) for number, them in many(iter(range(first, first + 100)), 1) for what, outcome in them]
    assert [one for one in found if one[2].startswith(("WRONG", "FAILED"))] == []
    assert sum(outcome == "right" for _, _, outcome in found) > len(found) / 3


@pytest.mark.parametrize("mode", MODES)
def test_what_is_wrong_is_found(mode: str, tmp_path: Path) -> None:
    assert examine(subject(STILL.format("x * x"), tmp_path), mode) == "right"
    assert examine(subject(STILL.format("still(x) * x"), tmp_path), mode).startswith(f"WRONG: {mode}")
    assert examine(subject(STILL.format("np.dot(x, x[:1])"), tmp_path), mode) == "raised"
    assert examine(subject(STILL.format("eval('x')"), tmp_path), mode) == "refused"


def test_the_programs_run(tmp_path: Path) -> None:
    programs = [make() for corpus in corpora() for make in corpus[::60]]
    failing = [p.title for p in programs if not Subject(Mutant(0, p, (), ()), tmp_path, p).runs()]
    assert failing == []

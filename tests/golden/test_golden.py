"""Derivative programs as texts, compared to the byte, and executed against finite differences.

After a change that is meant: ``python tests/golden/test_golden.py`` writes the texts anew; read the difference.
"""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from golden.programs import CASES, Golden
from s2sad import check_grads, differentiate

TEXTS = Path(__file__).parent / "texts"
IDS = [case.name for case in CASES]


def fresh(case: Golden) -> tuple:
    """The arguments, which programs may write into."""
    return tuple(a.copy() if isinstance(a, np.ndarray) else a for a in case.args)


def text(case: Golden) -> str:
    """The derivative program."""
    return differentiate(case.function, wrt=case.wrt).source(case.mode, *fresh(case))


def statements(source: str) -> int:
    """The statements of all functions, docstrings aside."""
    found = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.stmt)]
    plain = [n for n in found if not isinstance(n, ast.FunctionDef | ast.Import | ast.ImportFrom)]
    return sum(not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)) for n in plain)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_text(case: Golden) -> None:
    assert text(case) == (TEXTS / f"{case.name}.txt").read_text()


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_length(case: Golden) -> None:
    assert statements(text(case)) <= case.statements


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_derivative(case: Golden) -> None:
    check_grads(case.function, fresh(case), wrt=case.wrt, modes=(case.mode,))


def test_every_text_belongs_to_a_case() -> None:
    assert {path.stem for path in TEXTS.glob("*.txt")} == set(IDS)


if __name__ == "__main__":
    for one in CASES:
        (TEXTS / f"{one.name}.txt").write_text(text(one))

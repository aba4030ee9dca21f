"""Derivative programs as texts, compared to the byte, and executed against finite differences.

After a change that is meant: ``python tests/golden/test_golden.py`` writes the texts anew; read the difference.
"""

from __future__ import annotations

import ast
import copy
from pathlib import Path

import gast
import numpy as np
import pytest

from golden.language import CONSTRUCTS, Construct, detached
from golden.programs import CASES, Golden
from s2sad import check_grads, differentiate, grad
from s2sad.emit.text import render
from s2sad.frontend.normal import normalise
from s2sad.frontend.source import source_of

TEXTS = Path(__file__).parent / "texts"
STAGES = Path(__file__).parent / "stages"
IDS = [case.name for case in CASES]
NAMES = [construct.name for construct in CONSTRUCTS]


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


def stages(construct: Construct) -> str:
    """The normal form of a construct's program, and its tangent and adjoint program."""
    normal = render(gast.Module([normalise(source_of(construct.function).node)], []))
    derived = differentiate(construct.function, wrt=construct.wrt)
    parts = {"normal form": normal}
    for mode in ("tangent", "adjoint"):
        parts[mode] = derived.source(mode, *copy.deepcopy(construct.args))
    return "\n\n".join(f"# --- {name}\n\n{part.strip()}" for name, part in parts.items()) + "\n"


@pytest.mark.parametrize("construct", CONSTRUCTS, ids=NAMES)
def test_stages(construct: Construct) -> None:
    assert stages(construct) == (STAGES / f"{construct.name}.txt").read_text()


@pytest.mark.parametrize("construct", [c for c in CONSTRUCTS if c.exact], ids=[c.name for c in CONSTRUCTS if c.exact])
def test_construct(construct: Construct) -> None:
    check_grads(construct.function, copy.deepcopy(construct.args), wrt=construct.wrt)


def test_what_is_detached_counts_as_constant() -> None:
    args = next(c.args for c in CONSTRUCTS if not c.exact)
    np.testing.assert_allclose(grad(detached)(*args), 2 * args[0] * np.max(np.abs(args[0])))


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
    assert {path.stem for path in STAGES.glob("*.txt")} == set(NAMES)


if __name__ == "__main__":
    for one in CASES:
        (TEXTS / f"{one.name}.txt").write_text(text(one))
    for construct in CONSTRUCTS:
        (STAGES / f"{construct.name}.txt").write_text(stages(construct))

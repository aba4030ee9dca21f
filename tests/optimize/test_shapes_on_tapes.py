"""No array stands on a tape for its shape alone: something stands in for it, over the corpora, with and without kinds.

Looked at before tapes are put together: of what comes off one of tuples, the parts are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from programs.case import Case, all_cases
from programs.language import language_cases

from s2sad import S2sadError, differentiate, optimize
from s2sad.analysis.tapes import tapes_of
from s2sad.cli import main
from s2sad.ir.kinds import Scalar
from s2sad.ir.nodes import Call, Function
from s2sad.ir.walk import ops_of
from s2sad.optimize import donors
from s2sad.optimize.donors import STAND_IN, Looks
from s2sad.optimize.memory_effects import Memory
from s2sad.optimize.rewriting import uses_of
from s2sad.storage import together

EACH = 24  # programs: all of them take minutes; ``benchmarks/shapes.py run`` counts them
CASES = [*all_cases(), *language_cases()][::EACH]
STENCIL = """
def smooth(u, w):
    for i in range(3):
        v = u * w
        u = v + w[i]
    return u
"""


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The functions of the programs made meanwhile that record an array for its shape alone."""
    names: list[str] = []
    plain = together.run

    def looked_at(function: Function) -> bool:
        names.extend([function.name] * for_shapes(function))
        return plain(function)

    monkeypatch.setattr(together, "run", looked_at)
    yield names


def for_shapes(function: Function) -> int:
    """The number of tapes of arrays, or of what may be one, of which nothing but the shape is read."""
    uses, count = uses_of(function), 0
    looks = Looks(Memory(function), uses)
    makers = {op.result: op.target for op in ops_of(function.body) if isinstance(op, Call) and len(op.results) == 1}
    for tape in tapes_of(function):
        pushed, popped = tape.pushes[0][0].args[1], tape.pops[0][0].result
        if makers.get(pushed) == STAND_IN or isinstance(pushed.kind, Scalar) or not uses.get(popped):
            continue
        count += looks.only(popped, uses[popped])
    return count


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_programs_of_the_corpora(case: Case, found: list[str], tmp_path: Path) -> None:
    args = case.make(np.random.default_rng(0))
    try:
        differentiate(case.function, wrt=case.wrt, of=case.of, cache_dir=tmp_path).source("adjoint", *args)
    except S2sadError:
        pytest.skip("refused")
    file = Path(case.function.__code__.co_filename)
    CliRunner().invoke(main, ["transform", str(file), "--function", case.function.__name__, "-o", "-"])
    assert not found


def test_the_count_sees_what_is_recorded(found: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimize, "FINISHING", [run for run in optimize.FINISHING if run is not donors.run])
    file = tmp_path / "stencil.py"
    file.write_text(STENCIL)
    result = CliRunner().invoke(main, ["transform", str(file), "-o", "-"])
    assert result.exit_code == 0, result.output
    assert found

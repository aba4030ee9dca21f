"""Every program of the corpora through the public API: both modes against differences of the program itself."""

from __future__ import annotations

import numpy as np
import pytest
from programs.case import Case, all_cases
from programs.language import language_cases

from s2sad import S2sadError, errors
from s2sad.testing import check_grads

SEED = 20240301
CASES = {case.name: case for case in [*all_cases(), *language_cases()]}
# What is refused today, by the error that says so. A program that passes must be taken out; a wrong gradient never gets in.
REFUSED: dict[str, str] = {}


def check(case: Case, mode: str) -> None:
    """Compare one mode with differences, one argument at a time; the caller's arguments must stay as they are."""
    args = case.make(np.random.default_rng(SEED))
    check_grads(case.function, args, wrt=case.wrt, of=case.of, modes=(mode,), rtol=2e-4, atol=2e-7)


def test_the_corpora_are_whole() -> None:
    assert len(CASES) == len(all_cases()) + len(language_cases()) > 200
    assert set(REFUSED) <= set(CASES)


@pytest.mark.parametrize("mode", ["tangent", "adjoint"])
@pytest.mark.parametrize("name", CASES)
def test_gradient(name: str, mode: str) -> None:
    if name not in REFUSED:
        check(CASES[name], mode)
        return
    expected: type[S2sadError] = getattr(errors, REFUSED[name])
    with pytest.raises(expected):
        check(CASES[name], mode)

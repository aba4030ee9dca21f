"""Every program of the corpora through the public API: both modes against differences of the program itself.

By default every other program runs in one of them, with ``-m deep`` all of them in the others.
"""

from __future__ import annotations

from zlib import crc32

import numpy as np
import pytest
from programs.case import Case, all_cases
from programs.language import language_cases

from s2sad import S2sadError, errors
from s2sad.testing import check_grads

SEED = 20240301
CASES = {f"{case.function.__module__.rpartition('.')[2]}.{case.name}": case for case in [*all_cases(), *language_cases()]}
# What is refused today, by the error that says so. A program that passes must be taken out; a wrong gradient never gets in.
REFUSED: dict[str, str] = {}
# The same where one mode alone is refused, or each by another error.
REFUSED_IN_MODE: dict[tuple[str, str], str] = {}


def check(case: Case, mode: str) -> None:
    """Compare one mode with differences along a random direction; the caller's arguments must stay as they are."""
    args = case.make(np.random.default_rng(SEED))
    check_grads(case.function, args, wrt=case.wrt, of=case.of, modes=(mode,), rtol=2e-4, atol=2e-7, jointly=True)


def test_the_corpora_are_whole() -> None:
    assert len(CASES) == len(all_cases()) + len(language_cases()) > 200
    assert set(REFUSED) | {name for name, _ in REFUSED_IN_MODE} <= set(CASES)


MODES = [  # every other program in one mode, which its name decides; .ci/run tries all in one at the lowest versions
    pytest.param(name, mode, id=f"{name}-{mode}", marks=[pytest.mark.deep] if (crc32(name.encode()) + turn) % 4 else [])
    for name in CASES
    for turn, mode in enumerate(("tangent", "adjoint"))
]


@pytest.mark.parametrize(("name", "mode"), MODES)
def test_gradient(name: str, mode: str) -> None:
    refused = REFUSED.get(name) or REFUSED_IN_MODE.get((name, mode))
    if refused is None:
        check(CASES[name], mode)
        return
    with pytest.raises(S2sadError) as caught:
        check(CASES[name], mode)
    assert type(caught.value) is getattr(errors, refused)

"""Programs in the style of libraries: the derivative is that of differences of the program itself, or it is refused by name."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from programs.libraries import library_programs

from s2sad import CompilerError, S2sadError
from s2sad.testing import check_grads

PROGRAMS = library_programs()
MODES = ("tangent", "adjoint")
# What is refused today, and why. A program that passes must be taken out.
REFUSED: dict[str, str] = {}


def argument(name: str) -> object:
    """Where a program is tried: what it gets by its first parameter."""
    function = PROGRAMS[name]
    first = getattr(function, "__wrapped__", function).__code__.co_varnames[0]
    return 1.3 if first == "s" else np.array([0.7, 1.3, 2.1])


def check(name: str, mode: str) -> None:
    """Compare one mode with differences, or see the refusal."""
    if name not in REFUSED:
        with np.errstate(invalid="ignore"):  # zeros times infinite slopes, where an infinity stands for what is not there
            check_grads(PROGRAMS[name], (argument(name),), wrt=0, modes=(mode,), rtol=2e-4, atol=2e-7)
        return
    with pytest.raises(S2sadError) as caught:
        check_grads(PROGRAMS[name], (argument(name),), wrt=0, modes=(mode,), rtol=2e-4, atol=2e-7)
    assert not isinstance(caught.value, CompilerError)


def test_the_corpus_is_large() -> None:
    assert len(PROGRAMS) >= 300
    assert set(REFUSED) <= set(PROGRAMS)


SAMPLED = {"robots": 3, "simulations": 4, "shared_fields": 3}  # of a topic one in so many runs by default, of others one in two


def by_default(name: str) -> bool:
    """Whether a program is tried in each run of the suite; all are in deep ones."""
    return zlib.crc32(name.encode()) // 2 % SAMPLED.get(name.partition(".")[0], 2) == 0


@pytest.mark.parametrize("name", [name for name in PROGRAMS if by_default(name)])
def test_one_mode(name: str) -> None:
    check(name, MODES[zlib.crc32(name.encode()) % 2])


@pytest.mark.deep
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_both_modes(name: str, mode: str) -> None:
    check(name, mode)

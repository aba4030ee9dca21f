"""Recursive programs: both modes and four mode pairs, alone, in a helper, in a helper in a loop, as modules of the command line.

By default each program is examined in one of these, in one mode and one pair; ``-m deep`` does it with all. Those of ``REFUSED``
may be refused, by words; none may be wrong.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from memory_programs import written
from mode_pairs import MODES, check, check_pair, directions, distance, load, slopes
from recursion_programs import PROGRAMS, REFUSED
from test_memory_programs import on_the_command_line

from s2sad import S2sadError, grad, hvp, jacfwd, jacrev, jvp
from s2sad.runtime import SharedMemoryError

X = np.array([0.31, 0.52, 0.83, 0.24, 1.15, 0.76])
PAIRS = list(itertools.product(MODES, MODES))
SURROUNDINGS = ("", "helper", "loop", "cli")
NAMES = [(family, name) for family, table in PROGRAMS.items() for name in table]
PLACES = [
    (family, name, around)
    for family, name in NAMES
    for around in SURROUNDINGS
    if around != "cli" or "class " not in PROGRAMS[family][name]
]
QUICK = [(*NAMES[k], ("", "helper", "", "loop")[k % 4], PAIRS[k // 4 % 4]) for k in range(0, len(NAMES), 3)]
LIVE = {
    "hvp fwd": lambda f, x, d: hvp(f, (x,), (d,), mode="fwd")[1],
    "hvp rev": lambda f, x, d: hvp(f, (x,), (d,), mode="rev")[1],
    "jacfwd of grad": lambda f, x, d: jacfwd(grad(f))(x) @ d,
    "jacrev of grad": lambda f, x, d: d @ jacrev(grad(f))(x),
    "grad of jvp": lambda f, x, d: grad(lambda v: jvp(f, (v,), (d,))[1])(x),
    "grad of grad": lambda f, x, d: grad(lambda v: np.sum(grad(f)(v) * d))(x),
}


def examine(family: str, name: str, around: str, modes: tuple[str, ...], pairs: list[tuple[str, str]], folder: Path) -> None:
    body = PROGRAMS[family][name]
    try:
        if around == "cli":
            on_the_command_line(body, folder)
            return
        function = load(written(body, around))
        for mode in modes:
            check(function, (X,), mode)
        for outer, inner in pairs:
            check_pair(function, (X,), outer, inner)
    except (S2sadError, SharedMemoryError):
        if name not in REFUSED:
            raise


def examine_live(family: str, name: str, how: str) -> None:
    function = load(written(PROGRAMS[family][name]))
    (along,) = directions((X,))
    try:
        found = LIVE[how](function, X.copy(), along)
        expected = slopes(lambda v: grad(function)(v), (X,), (along,))
    except (S2sadError, SharedMemoryError):
        return
    assert distance(found, expected) < 2e-4, f"{how}: {found}, differences: {expected[0]}"


@pytest.mark.parametrize(("family", "name", "around", "pair"), QUICK)
def test_right_in_one_surrounding(family: str, name: str, around: str, pair: tuple[str, str], tmp_path: Path) -> None:
    examine(family, name, around, pair[:1], [pair], tmp_path)


@pytest.mark.parametrize("name", ["fibonacci", "by turns", "fft"])
def test_right_in_all_pairs(name: str, tmp_path: Path) -> None:
    assert name not in REFUSED
    examine("values", name, "", MODES, PAIRS, tmp_path)


@pytest.mark.parametrize(("family", "name"), [("values", "horner by slices"), ("memory", "lu in place")])
def test_right_on_the_command_line(family: str, name: str, tmp_path: Path) -> None:
    examine(family, name, "cli", (), [], tmp_path)


@pytest.mark.parametrize(
    ("family", "name", "how"),
    [pytest.param(*NAMES[k], [*LIVE][k % 6], marks=[] if k % 8 == 1 else pytest.mark.deep) for k in range(len(NAMES))],
)
def test_never_wrong_where_derivatives_are_nested(family: str, name: str, how: str) -> None:
    examine_live(family, name, how)


@pytest.mark.deep
@pytest.mark.parametrize(("family", "name", "around"), PLACES)
def test_right_in_all(family: str, name: str, around: str, tmp_path: Path) -> None:
    examine(family, name, around, MODES, PAIRS, tmp_path)


def test_there_are_sixty_programs_and_more() -> None:
    assert len(NAMES) >= 60 and set(REFUSED) <= {name for _, name in NAMES}


NONE_IN_A_TUPLE = """
def chain(u, w, n):
    if n == 0:
        return u, (None, None, u)
    v, rest = chain(np.sin(u), w, n - 1)
    return u * v, (rest, w if n % 2 else None, v)


def total(rest, n):
    above, w, v = rest
    s = v * v
    if w is not None:
        s = s + w[0] * v
    if above is not None:
        s = s + 0.5 * total(above, n - 1)
    return s
===
v, rest = chain(x[0], x[1:], int(x[2] * 5))
return v * total(rest, int(x[2] * 5))"""


@pytest.mark.parametrize(("outer", "inner"), PAIRS)
def test_what_may_be_none_in_such_tuples_is_tested_as_the_program_runs(outer: str, inner: str) -> None:
    function = load(written(NONE_IN_A_TUPLE.strip()))
    try:
        for mode in MODES:
            check(function, (X,), mode)
        check_pair(function, (X,), outer, inner)
    except S2sadError:
        pass  # never wrong

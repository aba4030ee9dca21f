"""Random programs that share memory in every way we know, in both modes and all four mode pairs: right, or refused.

A few run by default; ``-m deep`` runs more. Run as a program, ``python tests/test_random_memory.py FIRST COUNT [FILE]`` examines
seeds and writes what it found.
"""

from __future__ import annotations

import collections
import itertools
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from memory_generator import FIRST_PASSED, FIRST_RENAMED, FIRST_WIDER, laid_out, program_of, share
from mode_pairs import MODES, check, copied, derivative, directions, flat, load, moved

from s2sad import S2sadError
from s2sad.errors import CompilerError

PAIRS = list(itertools.product(MODES, MODES))
STEPS = (1e-5, 3e-6)


def fair(function: Any, args: Any, tolerance: float = 1e-5) -> bool:
    """Whether differences can judge: the program runs, stays small, and has no kink or jump nearby."""
    along = directions(args)
    with (
        np.errstate(over="raise", divide="raise", invalid="raise", under="ignore"),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        try:
            value = flat(function(*copied(args)))
            near, far = (
                (flat(function(*moved(args, along, h))) - flat(function(*moved(args, along, -h)))) / (2 * h)
                for h in STEPS
            )
        except (ValueError, IndexError, ArithmeticError, TypeError, NameError, S2sadError):
            return False
    if not all(np.all(np.isfinite(v)) and np.max(np.abs(v), initial=0.0) < 1e4 for v in (value, near, far)):
        return False
    return bool(np.max(np.abs(near - far), initial=0.0) < tolerance * (1 + np.max(np.abs(near), initial=0.0)))


def given(function: Any, seed: int) -> tuple[Any, ...]:
    """Arguments; those that the program writes into are not read-only."""
    args = laid_out(seed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(*copied(args))
    except ValueError as error:
        if "read-only" in str(error):
            for a in sorted(args[:3], key=lambda a: a.base is not None):  # a window after what it is a window of
                a.flags.writeable = True
    except Exception:
        pass  # no fair judge, as is found soon
    return args


def outcomes(seed: int, length: int = 6, pairs: Any = PAIRS) -> Iterator[tuple[str, str]]:
    """For each mode and pair, ``ok``, ``unfair``, or ``refused: why``. Raises AssertionError where one is wrong.

    Arguments that share memory and are written are refused at the call (``shared``); the program is examined without sharing.
    """
    text = program_of(seed, length)
    function = load(text)
    args = given(function, seed)
    if share(args):
        runs = list(examined(text, function, args, seed, pairs))
        if not any("AliasError" in what and "share memory" in what for _, what in runs):
            yield from runs
            return
        yield "call", "shared"
        args = moved(args, directions(args), 0.0)
    yield from examined(text, function, args, seed, pairs)


def examined(text: str, function: Any, args: Any, seed: int, pairs: Any) -> Iterator[tuple[str, str]]:
    if not fair(function, args):
        yield from ((mode, "unfair") for mode in MODES)
        return
    refused = set()
    for mode in MODES:
        found = judged(lambda mode=mode: check(function, args, mode), text, seed, mode)  # type: ignore[misc]
        if found != "ok":
            refused.add(mode)
        yield mode, found
    for outer, inner in pairs:
        if inner not in refused:
            yield (
                f"{outer} of {inner}",
                judged(
                    lambda o=outer, i=inner: second(function, args, o, i), text, seed, f"{outer} of {inner}"
                ),
            )  # type: ignore[misc]


def second(function: Any, args: Any, outer: str, inner: str) -> str:
    program, arguments = derivative(function, args, inner)
    if not fair(program, arguments, 5e-5):
        return "unfair"
    check(program, arguments, outer, 2e-4)
    return "ok"


def judged(examine: Any, text: str, seed: int, what: str) -> str:
    try:
        return examine() or "ok"
    except Exception as error:
        if isinstance(error, S2sadError) and not isinstance(error, CompilerError):
            return f"refused: {type(error).__name__}: {error.message}"
        start = max(text.find("def h0("), 0) or text.rindex("\n\n\ndef ")
        raise AssertionError(f"seed {seed}, {what}: {error!r}\n{text[start:]}") from error


SEEDS = [first + k for first in (0, FIRST_WIDER, FIRST_PASSED, FIRST_RENAMED) for k in range(2)]


@pytest.mark.parametrize("seed", SEEDS)
def test_right_or_refused(seed: int) -> None:
    found = dict(outcomes(seed, 5, [PAIRS[seed % 4]]))
    assert set(MODES) <= set(found)


@pytest.mark.deep
@pytest.mark.parametrize(
    "first", [first + k for first in (0, FIRST_WIDER, FIRST_PASSED, FIRST_RENAMED) for k in range(1000, 1400, 100)]
)
def test_many(first: int) -> None:
    found = [what for seed in range(first, first + 100) for _, what in outcomes(seed)]
    assert sum(what == "ok" for what in found) > len(found) / 2


NAMES = {"ok": "agree", "unfair": "no fair judge", "shared": "shared, so refused"}


def statistics(first: int, count: int, file: Any) -> None:
    """Examine programs, each in both modes and in one pair, and print how many runs agree, are not judged, are refused, or
    are wrong."""
    table: collections.Counter[str] = collections.Counter()
    for seed in range(first, first + count):
        try:
            for _, what in outcomes(seed, 1 + seed % 4, [PAIRS[seed // 4 % 4]]):
                table[NAMES.get(what, "refused")] += 1
                if what.startswith("refused"):
                    print(f"{seed} {what}", file=file, flush=True)
        except AssertionError as error:
            table["wrong"] += 1
            print(f"WRONG {error}", file=file, flush=True)
        if (seed + 1 - first) % 50 == 0 or seed == first + count - 1:
            print(f"programs {first} to {seed}: {dict(table)}", file=file, flush=True)


if __name__ == "__main__":
    statistics(
        int(sys.argv[1]), int(sys.argv[2]), sys.stdout if len(sys.argv) < 4 else open(sys.argv[3], "a")
    )

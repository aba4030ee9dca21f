"""Random programs, differentiated in both modes: either the derivative agrees with differences, or the program is refused.

The quick profile draws some sixty programs; ``-m deep`` draws 2,000 that exercise the language and 5,000 that write into
memory in every second statement, and prints the share of refusals. A failure shows the program.
"""

from __future__ import annotations

import collections
import itertools
import linecache
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from program_generator import Generator, arguments

from s2sad import S2sadError, jvp, vjp

STEPS = (1e-6, 1e-5, 1e-4)
LARGE = 1e4
NAMES = ("a", "b", "m", "x", "y")
_numbers = itertools.count()


def load(text: str, name: str = "f") -> Callable[..., Any]:
    """A function of a program whose source can be found as if it came from a file."""
    file = f"<random program {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    namespace: dict[str, Any] = {"__name__": "random_program"}
    exec(compile(text, file, "exec"), namespace)
    function: Callable[..., Any] = namespace[name]
    return function


def flat(value: Any) -> Any:
    """All numbers of a result as one vector."""
    items = value if isinstance(value, tuple) else (value,)
    return np.concatenate([np.ravel(np.asarray(item, dtype=float)) for item in items])


def moved(args: tuple[Any, ...], directions: tuple[Any, ...], step: float) -> tuple[Any, ...]:
    """Fresh arguments, moved along their directions."""
    return tuple(a + step * d for a, d in zip(args, directions, strict=True))


def value_at(function: Callable[..., Any], of: str | None, args: tuple[Any, ...]) -> Any:
    """What is differentiated, as one vector."""
    result = function(*args)
    return flat(args[NAMES.index(of)] if of else result)


def differences(function: Callable[..., Any], of: str | None, args: Any, directions: Any) -> list[Any] | None:
    """Central differences at three steps; None where the program is no fair judge: it fails, is huge, or has a kink.

    It also fails where an item overflows that does not reach the result: its adjoint is 0 * inf.
    """
    with np.errstate(over="raise", divide="raise", invalid="raise", under="ignore"):
        try:
            value = value_at(function, of, moved(args, directions, 0.0))
            slopes = [
                (value_at(function, of, moved(args, directions, h)) - value_at(function, of, moved(args, directions, -h)))
                / (2 * h)
                for h in STEPS
            ]
        except (ValueError, IndexError, ArithmeticError):
            return None
    if not all(np.all(np.isfinite(v)) and np.max(np.abs(v)) < LARGE for v in [value, *slopes]):
        return None
    return slopes if distance(slopes[0], slopes[1:2]) < 1 else None


def distance(found: Any, slopes: list[Any]) -> float:
    """How far a derivative is from the nearest difference quotient, in units of what is allowed."""
    if any(found.shape != s.shape for s in slopes) or not np.all(np.isfinite(found)):
        return np.inf
    return min(float(np.max(np.abs(found - s), initial=0.0) / (2e-5 * (1 + np.max(np.abs(s), initial=0.0)))) for s in slopes)


def examine(text: str, of: str | None, seed: int) -> str:
    """``ok``, ``unfair``, or the names of the errors that refuse the program. Raises AssertionError where it is wrong."""
    function = load(text)
    args = arguments(seed)
    rng = np.random.default_rng(seed + 1)
    directions = tuple(rng.normal(size=np.shape(a)) if np.shape(a) else float(rng.normal()) for a in args)
    slopes = differences(function, of, args, directions)
    if slopes is None:
        return "unfair"
    weights = rng.normal(size=slopes[0].shape)
    refused = []
    try:
        tangent = flat(jvp(function, moved(args, directions, 0.0), directions, of=of)[1])
        assert distance(tangent, slopes) < 1, f"tangent: {tangent}, differences: {slopes[0]}"
    except S2sadError as error:
        refused.append(f"tangent {type(error).__name__}: {error.message}")
    try:
        kept = moved(args, directions, 0.0)
        value, pullback = vjp(function, *kept, of=of)
        bars = pullback(shaped(weights, value))
        along = sum(float(np.sum(b * d)) for b, d in zip(bars, directions, strict=True))
        expected = [np.array([np.dot(weights, s)]) for s in slopes]
        assert distance(np.array([along]), expected) < 1, f"adjoint: {along}, differences: {expected[0]}"
        assert all(np.array_equal(a, b) for a, b in zip(kept, args, strict=True)), "the arguments have changed"
        assert all(np.shape(a) == np.shape(b) for a, b in zip(args, bars, strict=True)), "shapes of gradients"
        if not refused:
            gap = abs(along - float(np.dot(weights, tangent)))
            assert gap < 1e-8 * (1 + float(np.abs(weights) @ np.abs(tangent))), f"<Jv, w> - <v, JTw> = {gap}"
    except S2sadError as error:
        refused.append(f"adjoint {type(error).__name__}: {error.message}")
    return " | ".join(refused) or "ok"


def shaped(weights: Any, like: Any) -> Any:
    """A vector of numbers with the structure of a result."""
    items = like if isinstance(like, tuple) else (like,)
    ends = np.cumsum([np.size(item) for item in items])
    parts = [np.reshape(p, np.shape(item)) for p, item in zip(np.split(weights, ends[:-1]), items, strict=True)]
    parts = [p if np.shape(item) else float(p) for p, item in zip(parts, items, strict=True)]
    return tuple(parts) if isinstance(like, tuple) else parts[0]


@settings(
    max_examples=25, deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)  # fmt: skip
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.3, 0.8]))
def test_derivative_is_right_or_refused(seed: int, memory: float) -> None:
    text, of = Generator(random.Random(seed), memory).program(length=5)
    note(text)
    examine(text, of, seed % 1000)


@pytest.mark.deep
@pytest.mark.parametrize(("count", "memory"), [(2000, 0.3), (5000, 0.85)], ids=["language", "memory"])
def test_many(count: int, memory: float, capsys: pytest.CaptureFixture[str]) -> None:
    outcomes: collections.Counter[str] = collections.Counter()
    for seed in range(count):
        text, of = Generator(random.Random(seed), memory).program()
        try:
            outcome = examine(text, of, seed)
        except Exception as error:
            raise AssertionError(f"seed {seed}, of={of}: {error!r}\n{text}") from error
        outcomes["refused" if " " in outcome else outcome] += 1
    with capsys.disabled():
        print(f"\n{dict(outcomes)}: {outcomes['refused'] / count:.1%} refused")
    assert outcomes["ok"] > count / 2


def test_the_generator_is_fair() -> None:
    fair = 0
    for seed in range(100):
        text, of = Generator(random.Random(seed)).program()
        args = arguments(seed)
        fair += differences(load(text), of, args, args) is not None
    assert fair > 80


def test_a_wrong_derivative_is_seen() -> None:
    slopes = [np.array([1.0, 2.0])] * 3
    assert distance(np.array([1.0, 2.0]), slopes) < 1
    assert distance(np.array([1.0, 2.001]), slopes) > 1
    assert distance(np.array([1.0]), slopes) == np.inf

"""Random programs mean the same before and after optimisation: results, what the caller's arrays hold, and who shares memory."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from ir_interpreter import run as interpret
from ir_text import plain_text
from random_programs import SIZE, Generator

import s2sad.runtime  # noqa: F401  (the interpreter finds functions in imported modules)
from s2sad.ir.nodes import Call, Function
from s2sad.ir.verifier import verify
from s2sad.ir.walk import clone_function
from s2sad.optimize import FINISHING, FIRST, PASSES, optimise

SETTINGS = {"deadline": None, "suppress_health_check": list(HealthCheck)}


def arguments() -> list[Any]:
    """Arguments for random programs."""
    rng = np.random.default_rng(1)
    return [rng.normal(size=SIZE), rng.normal(size=SIZE), rng.normal(size=(SIZE, SIZE)), 0.7, -1.3, 1]


def random_function(random: Random) -> Function:
    """A random program that verifies."""
    try:
        function = Generator(random.choice).function()
    except IndexError:  # no operand of the kind that was drawn
        assume(False)
    verify(function, "generation")
    return function


def assert_same_meaning(before: Function, after: Function) -> None:
    """Run both programs on equal arguments and compare all that a caller can see."""
    first, second = arguments(), arguments()
    with np.errstate(all="ignore"):
        try:
            expected = interpret(before, *first)
        except (IndexError, OverflowError):
            assume(False)
        assume(all(np.all(np.abs(v) < 1e9) for v in (*expected, *first)))
        found = interpret(after, *second)
    texts = f"{plain_text(before)}\n{plain_text(after)}"
    seen, now = [*expected, *first], [*found, *second]
    for a, b in zip(seen, now, strict=True):
        assert np.shape(a) == np.shape(b), texts
        assert np.allclose(a, b, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(a).max(initial=0.0))), texts
    for j, k in combinations(range(len(seen)), 2):
        if j < len(expected):
            assert shares(seen[j], seen[k]) or not shares(now[j], now[k]), texts


def shares(a: Any, b: Any) -> bool:
    """Whether two results share memory."""
    return isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and np.shares_memory(a, b)


@settings(max_examples=150, **SETTINGS)
@given(st.randoms(use_true_random=False))
def test_optimised_programs_mean_the_same(random: Random) -> None:
    before = random_function(random)
    after, _, _ = clone_function(before)
    optimise(after)
    verify(after, "optimisation")
    assert_same_meaning(before, after)


@pytest.mark.parametrize("run", [*FIRST, *PASSES[:-1], *FINISHING], ids=lambda run: run.__module__.rpartition(".")[2])
@settings(max_examples=30, **SETTINGS)
@given(random=st.randoms(use_true_random=False))
def test_each_pass_keeps_the_meaning(run: Callable[[Function], bool], random: Random) -> None:
    before = random_function(random)
    after, _, _ = clone_function(before)
    text = plain_text(after)
    changed = run(after)
    verify(after, run.__module__)
    assert changed or plain_text(after) == text, "the program changed, and the pass says that it did not"
    assert_same_meaning(before, after)


@settings(max_examples=50, **SETTINGS)
@given(st.randoms(use_true_random=False))
def test_nothing_is_left_to_do(random: Random) -> None:
    assert_nothing_is_left(random_function(random))


@pytest.mark.parametrize("seed", [91, 229, 1669, 1841, 2382])
def test_nothing_is_left_that_only_new_facts_of_memory_show(seed: int) -> None:
    assert_nothing_is_left(Generator(Random(seed).choice).function())


def assert_nothing_is_left(function: Function) -> None:
    """Optimise, and see that no pass finds more."""
    optimise(function)
    text = plain_text(function)
    for run in PASSES:
        assert not run(function), f"{run.__module__} changes\n{text}\n{plain_text(function)}"


@settings(max_examples=50, **SETTINGS)
@given(st.randoms(use_true_random=False))
def test_the_border_between_the_sweeps_is_kept(random: Random) -> None:
    function = random_function(random)
    function.reverse_at = len(function.body.ops) // 2
    forward = set(function.body.ops[: function.reverse_at])
    reverse = set(function.body.ops[function.reverse_at :])
    optimise(function)
    border = function.reverse_at
    assert not reverse & set(function.body.ops[:border])
    sunk = forward & set(function.body.ops[border:])
    assert {op.target for op in sunk if isinstance(op, Call)} <= {"operator.getitem", "numpy.zeros_like"}
    assert all(isinstance(op, Call) for op in sunk)

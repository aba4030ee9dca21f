"""The adjoints by hand with which benchmarks compare ours: they are right, by differences; and what of theirs ours reach."""

from __future__ import annotations

import copy
import inspect
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from by_hand import held, statements
from hand_written import PROGRAMS, Pair

from s2sad import differentiate

STEP = 1e-6


def differences(pair: Pair, args: tuple, k: int) -> np.ndarray:
    """The gradient with respect to one argument."""
    x = np.asarray(args[k], float)
    found = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        values = []
        for h in (STEP, -STEP):
            moved = [*copy.deepcopy(args)]
            other = x.copy()
            other[place] += h
            moved[k] = other if x.shape else float(other)
            values.append(pair.function(*moved))
        found[place] = (values[0] - values[1]) / (2 * STEP)
    return found


@pytest.mark.parametrize("pair", PROGRAMS.values(), ids=PROGRAMS)
def test_by_hand(pair: Pair) -> None:
    args = pair.arguments(np.random.default_rng(3), small=True)
    given = copy.deepcopy(args)
    value, gradients = pair.by_hand(*given)
    np.testing.assert_allclose(value, pair.function(*copy.deepcopy(args)), rtol=1e-12)
    names = pair.function.__code__.co_varnames
    for name, gradient in zip(pair.wrt, gradients, strict=True):
        found = differences(pair, args, names.index(name))
        np.testing.assert_allclose(gradient, found, rtol=1e-5, atol=1e-6 * np.max(np.abs(found)))
    for before, after in zip(args, given, strict=True):
        np.testing.assert_array_equal(before, after)


@pytest.mark.parametrize("name", PROGRAMS)
def test_ours(name: str) -> None:
    pair = PROGRAMS[name]
    args = pair.arguments(np.random.default_rng(3), small=False)
    source = differentiate(pair.function, wrt=pair.wrt).source("adjoint", *args)
    space: dict[str, Any] = {}
    exec(source, space)  # the text itself, which nothing watches
    ours = space[f"{pair.function.__name__}_adjoint"]
    value, gradients = ours(*args)
    expected, by_hand = pair.by_hand(*args)
    np.testing.assert_allclose(value, expected, rtol=1e-9)
    for one, other in zip(gradients, by_hand, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9 * np.max(np.abs(other)))
    lengths = [statements(inspect.getsource(f)) for f in (pair.by_hand, *pair.used)]
    assert statements(source) <= 1.3 * sum(lengths)
    assert held(lambda: ours(*args)) <= 1.2 * held(lambda: pair.by_hand(*args)) + 1000


def test_a_reader_is_told_what_is_not_plain() -> None:
    pair = PROGRAMS["LSTM"]
    args = pair.arguments(np.random.default_rng(3), small=False)
    source = differentiate(pair.function, wrt=pair.wrt).source("adjoint", *args)
    assert "i, i_tape = sigmoid_forward(z[:n])" in source and "o_tape" in source  # not sigmoid_2_tape_1
    assert "target: float64[n]\n" in source  # not that 2 * n is not below zero

"""The adjoints by hand with which benchmarks compare ours: they are right, by differences."""

from __future__ import annotations

import copy
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from hand_written import PROGRAMS, Pair

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

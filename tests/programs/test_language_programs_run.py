"""The language corpus itself: every program runs, is finite, deterministic, leaves its arguments alone, and is smooth.

Smooth means: along a random direction in the differentiated arguments, central differences at two step sizes agree, and
the gap between the two one-sided differences shrinks with the step (central differences alone look fine on top of a
kink, where that gap stays as it is). float32 arguments are widened first: smoothness belongs to the function, not to the
precision.
"""

import copy
import functools
import math

import numpy as np
import pytest

from .case import Case, case
from .language import CLASS_TOPICS, TOPICS, language_cases

CASES = language_cases()
SEED = 20240229


def _arguments(case: Case) -> tuple:
    return case.make(np.random.default_rng(SEED))


def _moved(value, step, rng):
    """`value` with its real numbers moved by `step` along a direction drawn from `rng`; all else untouched."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value.astype(np.float64) + step * rng.normal(size=value.shape)
    if isinstance(value, (float, np.floating)):
        return float(value) + step * rng.normal()
    if isinstance(value, dict):
        return {key: _moved(item, step, rng) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)([_moved(item, step, rng) for item in value])
    return value


def _along(case: Case, step: float) -> np.ndarray:
    rng = np.random.default_rng(SEED + 1)
    args = list(_arguments(case))
    for position in case.wrt:
        args[position] = _moved(args[position], step, rng)
    return np.asarray(case.function(*args), dtype=np.float64)


def _differences(case: Case, h: float) -> tuple[np.ndarray, float]:
    """The central difference, and by how much the two one-sided ones disagree."""
    low, mid, high = _along(case, -h), _along(case, 0.0), _along(case, h)
    return (high - low) / (2 * h), float(np.max(np.abs(high - 2 * mid + low))) / h


def _same(a, b) -> bool:
    """Equal through nested containers and plain records."""
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and np.array_equal(a, b)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, functools.partial):
        return a.func is b.func and _same(a.args, b.args) and _same(a.keywords, b.keywords)
    if type(a).__module__.startswith("programs."):
        return type(a) is type(b) and _same(vars(a), vars(b))
    return a == b


def test_the_corpus_is_large_and_its_names_are_unique():
    names = [case.function.__name__ for case in CASES]
    assert len(CASES) >= 110
    assert len(names) == len(set(names))
    assert set(CLASS_TOPICS) < set(TOPICS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.function.__name__)
def test_runs_finite_and_deterministic_without_touching_its_arguments(case):
    args = _arguments(case)
    before = copy.deepcopy(args)
    first, second = case.function(*args), case.function(*args)
    assert _same(args, before)
    assert _same(first, second)
    assert isinstance(first, (float, np.floating, np.ndarray))
    assert np.asarray(first).dtype.kind == "f"
    assert np.all(np.isfinite(first))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.function.__name__)
def test_is_smooth_at_its_test_point(case):
    narrow, narrow_gap = _differences(case, 1e-5)
    wide, wide_gap = _differences(case, 4e-5)
    size = np.max(np.abs(narrow))
    assert math.isfinite(size)
    assert size > 1e-3, "the result hardly depends on the differentiated arguments"
    assert np.max(np.abs(wide - narrow)) < 1e-4 * size
    assert narrow_gap < 0.5 * wide_gap + 1e-4 * size, "there is a kink at the test point"


def test_the_smoothness_check_sees_a_kink_and_a_jump():
    kink = case(lambda x: abs(x), lambda rng: (0.0,), wrt=(0,))
    jump = case(lambda x: 3.0 * x + (1e-6 if x > 0.0 else 0.0), lambda rng: (0.0,), wrt=(0,))
    for broken in (kink, jump):
        with pytest.raises(AssertionError):
            test_is_smooth_at_its_test_point(broken)

"""The in-place corpus itself: programs run, are finite, deterministic, write, and are smooth where tested.

Smooth means, for each differentiated argument on its own: along a random direction central differences at two
step sizes agree, and the gap between the two one-sided differences shrinks with the step (central differences
alone look fine on top of a kink, where that gap stays as it is).
"""

import ast
import inspect
import re
from pathlib import Path

import numpy as np
import pytest

from .case import Case, all_cases, case

CASES = all_cases()
SEED = 20240301
SOURCES = {path.stem: path.read_text() for path in (Path(__file__).parent / "inplace").glob("[!_]*.py")}
WRITERS = {"at", "copyto", "fill", "fill_diagonal", "sort"}
# What the corpus as a whole must contain, however it is reshuffled.
FEATURES = {
    "negative stride": r"\w\[[^\]\n]*::-\d[^\]\n]*\] *[-+*]?= ",
    "step": r"\w\[[^\]\n]*::\d[^\]\n]*\] *[-+*]?= ",
    "ellipsis": r"\w\[\.\.\.[^\]\n]*\] *[-+*]?= ",
    "newaxis": r"np\.newaxis[^\n]*\] -= ",
    "mask": r"\w\[~?\w+ [<>] [^\]\n]*\] *[-+*]?= ",
    "integer lists": r"\w\[\[\w[^\n]*\]\] \+= ",
    "row exchange": r"(\w+)\[\[(\w), (\w)\]\] = \1\[\[\3, \2\]\]",
    "element exchange": r"(\w+)\[(\w)\], \1\[(\w)\] = \1\[\3\], \1\[\2\]",
    "buffer exchange": r"(\w+), (\w+) = \2, \1\n",
    "scatter-add": r"np\.add\.at\(",
    "copyto": r"np\.copyto\(",
    "fill": r"\.fill\(",
    "fill_diagonal": r"np\.fill_diagonal\(",
    "flat": r"\.flat\[[^\n]*\] \+= ",
    "out=": r"out=(\w+)\)",
    "out= of a window": r"out=\w+\[",
    "where=": r"out=\w+, where=",
    "flip of the target": r"(\w+)\[:k\] \+= [^\n]*np\.flip\(\1\[:k\]\)",
    "rows of a matrix": r"for row in \w+:\n +row [-*/+]= ",
    "columns of a matrix": r"for \w+ in \w+\.T:\n",
    "write through a transpose": r"\.T\n +\w+\[\d\] -?= ",
    "list of arrays": r"\.append\(\w+\.copy\(\)\)",
    "dictionary of arrays": r"\w+\[\"\w+\"\]\[[^\]]*\] *[-+*]?= ",
    "chained targets": r"\] = \w+\[[^\]]+\] = ",
    "while loop": r"while [^\n]* > ",
}


def _result(case: Case, args: tuple) -> np.ndarray:
    returned = case.function(*args)
    if case.of is None:
        return np.asarray(returned)
    return np.asarray(args[list(inspect.signature(case.function).parameters).index(case.of)])


def _arguments(case: Case) -> tuple:
    return case.make(np.random.default_rng(SEED))


def _moved(value, step, rng):
    """`value` with its numbers moved by `step` along a direction drawn from `rng`."""
    if isinstance(value, np.ndarray):
        return value + step * rng.normal(size=value.shape)
    if isinstance(value, dict):
        return {key: _moved(item, step, rng) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_moved(item, step, rng) for item in value)
    return float(value) + step * rng.choice((-1.0, 1.0))


def _along(case: Case, position: int, step: float) -> np.ndarray:
    args = list(_arguments(case))
    args[position] = _moved(args[position], step, np.random.default_rng((1 + position, SEED)))
    return _result(case, tuple(args))


def _differences(case: Case, position: int, h: float) -> tuple[np.ndarray, float]:
    """The central difference, and by how much the two one-sided ones disagree."""
    low, mid, high = (_along(case, position, step) for step in (-h, 0.0, h))
    return (high - low) / (2 * h), float(np.max(np.abs(high - 2 * mid + low))) / h


def _check_smooth(case: Case) -> None:
    strongest = 0.0
    for position in case.wrt:
        narrow, narrow_gap = _differences(case, position, 1e-5)
        wide, wide_gap = _differences(case, position, 4e-5)
        size = float(np.max(np.abs(narrow)))
        strongest = max(strongest, size)
        assert size < 1e4, "ill-conditioned"
        tolerance = 1e-4 * size + 1e-8
        assert np.max(np.abs(wide - narrow)) < tolerance, f"differences of argument {position} disagree"
        assert narrow_gap < 0.5 * wide_gap + tolerance, f"there is a kink along argument {position}"
    assert strongest > 1e-3, "the result hardly depends on the differentiated arguments"


def _writes(function, seen=()) -> bool:
    """Whether the function, or a function of its module that it names, stores into or augments something."""
    functions = {name: f for name, f in vars(inspect.getmodule(function)).items() if inspect.isfunction(f)}
    for node in ast.walk(ast.parse(inspect.getsource(function))):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            return True
        if isinstance(node, ast.keyword) and node.arg == "out":
            return True
        if isinstance(node, ast.Attribute) and node.attr in WRITERS:
            return True
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            return True
        callee = functions.get(node.id) if isinstance(node, ast.Name) and node.id not in seen else None
        if callee is not None and _writes(callee, (*seen, function.__name__)):
            return True
    return False


def test_the_corpus_is_large_its_names_are_unique_and_it_knows_no_compiler():
    names = [case.name for case in CASES]
    assert len(names) >= 200
    assert names == sorted(set(names))
    assert not any("s2sad" in source for source in SOURCES.values())


@pytest.mark.parametrize("feature", FEATURES)
def test_the_corpus_covers(feature):
    assert any(re.search(FEATURES[feature], source) for source in SOURCES.values())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_runs_finite_and_deterministic(case):
    first, second = _result(case, _arguments(case)), _result(case, _arguments(case))
    assert first.dtype == np.float64
    assert first.size > 0
    assert np.all(np.isfinite(first))
    assert np.array_equal(first, second)
    assert case.wrt


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_writes_in_place(case):
    assert _writes(case.function)
    if case.of is not None:
        untouched = case.make(np.random.default_rng(SEED))
        position = list(inspect.signature(case.function).parameters).index(case.of)
        assert not np.array_equal(_result(case, _arguments(case)), untouched[position])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_is_smooth_at_its_test_point(case):
    _check_smooth(case)


def test_the_smoothness_check_sees_a_kink_a_jump_and_indifference():
    kink = case(lambda x: abs(x), lambda rng: (0.0,))
    jump = case(lambda x: 3.0 * x + (1e-6 if x > 0.0 else 0.0), lambda rng: (0.0,))
    constant = case(lambda x: 1.0, lambda rng: (0.0,))
    for broken in (kink, jump, constant):
        with pytest.raises(AssertionError):
            _check_smooth(broken)


def test_the_differentiated_arguments_are_those_that_hold_floats():
    held = (1.0, np.ones(2), [np.ones(1), 3.0], {"a": 0.5})
    not_held = (2, np.arange(2), [1, 2.0], True, np.ones(1) > 0, ())
    assert case(max, lambda rng: held + not_held).wrt == (0, 1, 2, 3)


def test_a_pure_program_is_not_taken_for_one_that_writes():
    assert not _writes(_result)

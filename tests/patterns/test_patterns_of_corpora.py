"""Every program of the corpora: what its differences show is in the pattern. One in twelve by default, all with ``-m deep``."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from programs.case import Case, all_cases
from programs.language import language_cases
from thinning import thinned

from s2sad import S2sadError, jacobian_sparsity
from s2sad.errors import CompilerError

CASES = {f"{case.function.__module__.rpartition('.')[2]}.{case.name}": case for case in [*all_cases(), *language_cases()]}
SAMPLE = thinned(sorted(CASES), 12)
SEED = 20240301


def applicable(case: Case) -> bool:
    """Whether the program gives an array, or a number, of the first of its differentiated arguments."""
    args = case.make(np.random.default_rng(SEED))
    if case.of is not None or not isinstance(args[case.wrt[0]], float | np.ndarray):
        return False
    value: Any = case.function(*copy.deepcopy(args))
    return isinstance(value, float | np.ndarray | np.floating)


def differences(case: Case, args: tuple[Any, ...], wrt: int) -> Any:
    """The sizes of the entries of the Jacobian."""
    x = np.asarray(args[wrt])
    h = 1e-6 if x.dtype.itemsize >= 8 and x.dtype != np.complex64 else 1e-3
    columns = []
    for j in range(x.size):
        values = []
        for step in (h, -h):
            moved = np.ravel(x).copy()
            moved[j] += step
            given = copy.deepcopy(list(args))
            given[wrt] = moved.reshape(x.shape) if isinstance(args[wrt], np.ndarray) else type(args[wrt])(moved[0])
            values.append(np.ravel(np.asarray(case.function(*given), complex)))
        columns.append(np.abs(values[0] - values[1]) / (2 * h))
    return np.stack(columns, axis=1)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", SAMPLE)
def test_nothing_is_missing(name: str) -> None:
    case = CASES[name]
    if not applicable(case):
        return
    args, wrt = case.make(np.random.default_rng(SEED)), case.wrt[0]
    sizes = differences(case, args, wrt)
    for scope in ("local", "global"):
        try:
            found = jacobian_sparsity(case.function, *copy.deepcopy(args), wrt=wrt, scope=scope).toarray()
        except S2sadError as error:
            assert not isinstance(error, CompilerError)
            continue
        assert found.shape == sizes.shape
        assert not (~found & (sizes > 1e-6 * max(1.0, float(np.nanmax(sizes, initial=0.0))))).any()

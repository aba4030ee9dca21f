"""The in-place corpus again, with the loss taken elsewhere: from every written argument, and in a calling function.

For a program ``heat(u, alpha)`` that writes into ``u``, the calling function is::

    def caller(u, alpha):
        result = program(u, alpha)
        return 0.3 * np.sum(result) + 0.4 * np.sum(u)

One in three by default, all with ``-m deep`` besides.
"""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from programs.case import Case, all_cases
from test_corpus import REFUSED, REFUSED_IN_MODE, SEED
from thinning import thinned

from s2sad.testing import check_grads

REFUSED_NAMES = set(REFUSED) | {name for name, _ in REFUSED_IN_MODE}
_numbers = itertools.count()


def is_float(value: Any) -> bool:
    """Whether this is a number or an array of floats."""
    return np.issubdtype(np.asarray(value).dtype, np.floating) if not isinstance(value, tuple | list | dict) else False


def leaves(value: Any, name: str) -> Iterator[str]:
    """The expressions that reach the numbers and float arrays in a value."""
    if isinstance(value, tuple | list):
        for k, item in enumerate(value):
            yield from leaves(item, f"{name}[{k}]")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{name}[{key!r}]")
    elif value is not None and is_float(value):
        yield name


def written(case: Case) -> list[str]:
    """The array parameters whose contents the program changes, but for the one that the corpus asks about itself."""
    before, after = (case.make(np.random.default_rng(SEED)) for _ in range(2))
    case.function(*after)
    names = names_of(case)
    return [
        name for name, a, b in zip(names, before, after, strict=False)
        if isinstance(a, np.ndarray) and is_float(a) and name != case.of and not np.array_equal(a, b, equal_nan=True)
    ]  # fmt: skip


def names_of(case: Case) -> list[str]:
    """The names of the parameters that the case gives."""
    code = case.function.__code__
    return list(code.co_varnames[: len(case.make(np.random.default_rng(SEED)))])


def caller_of(case: Case) -> Callable[..., Any] | None:
    """A function that calls the program and makes a number of what it returns and what it leaves in its arguments."""
    args = case.make(np.random.default_rng(SEED))
    names = names_of(case)
    result = case.function(*args)
    terms = [*leaves(result, "result"), *(t for n, a in zip(names, args, strict=True) for t in leaves(a, n))]
    if not terms:
        return None
    loss = " + ".join(f"{0.3 + 0.1 * k:.1f} * np.sum({term})" for k, term in enumerate(terms))
    given = ", ".join(names)
    text = f"def caller({given}):\n    result = program({given})\n    return {loss}\n"
    file = f"<caller of {case.name} {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope: dict[str, Any] = {"np": np, "program": case.function, "__name__": f"caller_of_{case.name}"}
    exec(compile(text, file, "exec"), scope)
    function: Callable[..., Any] = scope["caller"]
    return function


CASES = {f"{case.function.__module__.rpartition('.')[2]}.{case.name}": case for case in all_cases()}
PASSING = {name: case for name, case in CASES.items() if name not in REFUSED_NAMES}
MODES = ("tangent", "adjoint")
ASKED = [(name, of) for name, case in PASSING.items() for of in written(case)]


@pytest.mark.parametrize(("name", "mode"), thinned([(name, mode) for name in PASSING for mode in MODES], 16, "-".join))
def test_loss_in_a_calling_function(name: str, mode: str) -> None:
    case = PASSING[name]
    caller = caller_of(case)
    assert caller is not None
    args = case.make(np.random.default_rng(SEED))
    check_grads(caller, args, wrt=case.wrt, modes=(mode,), rtol=2e-4, atol=2e-6, jointly=True)


@pytest.mark.parametrize(
    ("name", "of", "mode"), thinned([(name, of, mode) for name, of in ASKED for mode in MODES], 16, "-".join)
)
def test_loss_from_a_written_argument(name: str, of: str, mode: str) -> None:
    case = PASSING[name]
    args = case.make(np.random.default_rng(SEED))
    check_grads(case.function, args, wrt=case.wrt, of=of, modes=(mode,), rtol=2e-4, atol=2e-6, jointly=True)

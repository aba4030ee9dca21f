"""Writes into memory outside, wherever a derivative is taken: of the program, in it, or of a derivative.

They are what one call of the program leaves there, or refused, and then nothing is left."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from verdicts import FIRST, TAKEN, assert_as_called

from s2sad import S2sadError, hvp

X = np.array([0.7, 1.3])


def _assigned() -> Any:
    outside = np.zeros(2)

    def write(x: Any) -> None:
        outside[:] = x

    return write, outside


def _a_view() -> Any:
    outside = np.zeros(4)
    view = outside[::2]

    def write(x: Any) -> None:
        view[:] = x

    return write, outside


def _by_out() -> Any:
    outside = np.zeros(2)

    def write(x: Any) -> None:
        np.add(x, 1.0, out=outside)

    return write, outside


def _filled() -> Any:
    outside = np.zeros(2)

    def write(x: Any) -> None:
        outside.fill(3.0)

    return write, outside


def _an_item() -> Any:
    outside = [1.0, 2.0]

    def write(x: Any) -> None:
        outside[0] = x[0]

    return write, outside


def _inserted() -> Any:
    outside = [1.0]

    def write(x: Any) -> None:
        for v in x:
            outside.insert(0, v)

    return write, outside


def _in_lists() -> Any:
    outside: Any = [[], []]

    def write(x: Any) -> None:
        outside[0].append(np.sum(x))

    return write, outside


def _a_deque() -> Any:
    outside = deque([1.0])

    def write(x: Any) -> None:
        outside.append(x[0])

    return write, outside


MAKERS = [_assigned, _a_view, _by_out, _filled, _an_item, _inserted, _in_lists, _a_deque]
REFUSED_ALWAYS = (_a_deque,)


def _of(write: Callable[[Any], None], outside: Any, reads: bool) -> tuple[Callable[[Any], Any], Any]:
    def program(x: Any) -> Any:
        write(x)
        return np.sum(x**2) + (np.sum(x * outside[0]) if reads else 0.0)

    return program, outside


@pytest.mark.parametrize("reads", [False, True], ids=["only_writes", "reads"])
@pytest.mark.parametrize("name", TAKEN)
@pytest.mark.parametrize("maker", MAKERS, ids=lambda m: m.__name__.strip("_"))
def test_no_write_is_lost(maker: Callable[[], Any], name: str, reads: bool) -> None:
    apart = maker is not _a_view or not reads  # else it reads one name of what it writes by another one
    refused = True if maker in REFUSED_ALWAYS else False if name in FIRST and apart else None
    assert_as_called(lambda: _of(*maker(), reads=reads and maker is not _in_lists), X, name, refused)


def _default_list(x: Any, seen: Any = [1.0]) -> Any:
    seen.append(2.0)
    return np.sum(x**2) * len(seen)


def _default_list_in_a_helper(x: Any, seen: Any = [1.0]) -> Any:
    _grow(seen)
    return np.sum(x**2) * len(seen)


def _default_array(x: Any, seen: Any = np.ones(2)) -> Any:
    seen[0] += 1.0
    return np.sum(x**2) * seen[0]


def _default_dict(x: Any, seen: Any = {}) -> Any:
    seen["n"] = 2.0
    return np.sum(x**2)


def _default_by_keyword(x: Any, *, seen: Any = [1.0]) -> Any:
    seen[0] += 1.0
    return np.sum(x**2) * seen[0]


def _grow(seen: Any) -> None:
    seen.append(2.0)


DEFAULTS = [_default_list, _default_list_in_a_helper, _default_array, _default_dict, _default_by_keyword]
SOME = ["grad", "hvp", "jvp of grad", "hessian"]


@pytest.mark.parametrize("call", [TAKEN[k][0] for k in SOME], ids=SOME)
@pytest.mark.parametrize("function", DEFAULTS, ids=lambda f: f.__name__.strip("_"))
def test_nor_one_into_a_default(function: Any, call: Callable[[Any], Any]) -> None:
    before = repr((function.__defaults__, function.__kwdefaults__))
    with pytest.raises(S2sadError):
        call(function, X)
    assert repr((function.__defaults__, function.__kwdefaults__)) == before


def test_arguments_are_copied_as_ever() -> None:
    def first(x: Any, seen: Any) -> Any:
        seen[0] += 1.0
        return np.sum(x**2) * seen[0]

    seen = [1.0]
    assert hvp(first, (X, seen), (X,), wrt=0)[1].tolist() == (4 * X).tolist()
    assert seen == [1.0]


@pytest.mark.parametrize("name", TAKEN)
def test_what_is_appended_is_appended_once_for_each_run(name: str) -> None:
    def make() -> tuple[Any, Any]:
        log = [0.0]

        def program(x: Any) -> Any:
            log.append(1.0)
            return np.sum(x**2)

        return program, log

    assert_as_called(make, X, name, False if name in FIRST else None)

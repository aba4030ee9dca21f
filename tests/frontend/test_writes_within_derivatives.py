"""Writes into memory outside are refused wherever a derivative is taken: of the program, in it, or of a derivative."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import S2sadError, grad, hessian, hvp, jacobian, jvp, linearize, vjp, vmap

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
CALLS: dict[str, Callable[[Any], Any]] = {
    "grad": lambda f: grad(f)(X),
    "jvp": lambda f: jvp(f, (X,), (X,)),
    "vjp": lambda f: vjp(f, X)[1](1.0),
    "linearize": lambda f: linearize(f, X)[1](X),
    "hessian": lambda f: hessian(f)(X),
    "hvp": lambda f: hvp(f, (X,), (X,)),
    "jvp of jvp": lambda f: jvp(lambda a: jvp(f, (a,), (X,))[1], (X,), (X,)),
    "jvp of grad": lambda f: jvp(grad(f), (X,), (X,)),
    "grad in it": lambda f: grad(lambda a: grad(f)(a) @ a)(X),
    "vjp in it": lambda f: grad(lambda a: vjp(f, a)[1](1.0)[0] @ a)(X),
    "jacobian in it": lambda f: grad(lambda a: jacobian(f)(a) @ a)(X),
    "linearize in it": lambda f: grad(lambda a: linearize(f, a)[1](a))(X),
    "vmap in it": lambda f: grad(lambda a: np.sum(vmap(f)(np.array([a, a]))))(X),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("maker", MAKERS, ids=lambda m: m.__name__.strip("_"))
def test_no_write_is_lost(maker: Callable[[], Any], call: Callable[[Any], Any]) -> None:
    write, outside = maker()

    def program(x: Any) -> Any:
        write(x)
        return np.sum(x**2)

    before = repr(outside)
    with pytest.raises(S2sadError):
        call(program)
    assert repr(outside) == before


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


@pytest.mark.parametrize("call", [CALLS[k] for k in SOME], ids=SOME)
@pytest.mark.parametrize("function", DEFAULTS, ids=lambda f: f.__name__.strip("_"))
def test_nor_one_into_a_default(function: Any, call: Callable[[Any], Any]) -> None:
    before = repr((function.__defaults__, function.__kwdefaults__))
    with pytest.raises(S2sadError):
        call(function)
    assert repr((function.__defaults__, function.__kwdefaults__)) == before


def test_arguments_are_copied_as_ever() -> None:
    def first(x: Any, seen: Any) -> Any:
        seen[0] += 1.0
        return np.sum(x**2) * seen[0]

    seen = [1.0]
    assert hvp(first, (X, seen), (X,), wrt=0)[1].tolist() == (4 * X).tolist()
    assert seen == [1.0]


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_what_is_appended_is_appended_once_for_each_run(call: Callable[[Any], Any]) -> None:
    log = [0.0]

    def program(x: Any) -> Any:
        log.append(1.0)
        return np.sum(x**2)

    try:
        call(program)
    except S2sadError:
        assert log == [0.0]
        return
    assert log == [0.0, 1.0] + [1.0] * (call is CALLS["vmap in it"])

"""Names of modules, and of functions around that are no part of the program, which it assigns (``global``, ``nonlocal``): a call
of a derivative leaves them as one call of the function does."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from verdicts import ONCE, TAKEN, assert_as_called

from s2sad import S2sadError, check_grads, grad, vjp
from s2sad.derivatives import Ask, Derivatives
from s2sad.options import make_options

X = np.array([0.7, 1.3])
COUNT, SCALE = 0, 1.0
HERE = sys.modules[__name__]


class Seen:
    """What is outside, as it is now."""

    def __init__(self, look: Callable[[], Any]) -> None:
        self.look = look

    def __repr__(self) -> str:
        return repr(self.look())


def _count() -> Any:
    n = 0

    def program(x: Any) -> Any:
        nonlocal n
        n += 1
        return np.sum(x**3) * n

    return program, Seen(lambda: n)


def _a_value() -> Any:
    last = 0.0

    def program(x: Any) -> Any:
        nonlocal last
        last = np.sum(x**3)
        return last * x[0]

    return program, Seen(lambda: last)


def _an_array() -> Any:
    last = other = np.ones(2)

    def program(x: Any) -> Any:
        nonlocal last
        other[0] = x[0]
        total = np.sum(last * x)
        last = last + x * x
        last[0] += x[1]
        return np.sum(last * x) + total

    return program, Seen(lambda: (last, other))


def _none_at_first() -> Any:
    best = None

    def program(x: Any) -> Any:
        nonlocal best
        value = np.sum(x**3)
        if best is None or value < best:
            best = value
        return value * best

    return program, Seen(lambda: best)


def _of_several_functions() -> Any:
    n, m = 0, 1.0

    def bump(v: Any) -> None:
        nonlocal n, m
        n += 1
        m = m * v

    def product() -> Any:
        return m * n

    def program(x: Any) -> Any:
        for v in x:
            bump(v)
        return np.sum(x**3) * product()

    return program, Seen(lambda: (n, m))


def _by_a_nested_function() -> Any:
    n = 0

    def program(x: Any) -> Any:
        def count() -> None:
            nonlocal n
            n += 1

        count()
        count()
        return np.sum(x**3) * n

    return program, Seen(lambda: n)


def _in_branches_and_loops() -> Any:
    n, w = 0, 2.0

    def program(x: Any) -> Any:
        nonlocal n, w
        if x[0] > 0.1:
            n += 1
            w = x[1]
        else:
            n += 10
        while n < 5:
            n += 1
            w = w * x[0]
        return np.sum(x**3) * w * n

    return program, Seen(lambda: (n, w))


def _before_it_raises() -> Any:
    n = 0

    def inner(x: Any) -> Any:
        nonlocal n
        n += 1
        if n > 1:
            raise ValueError
        return np.sum(x**3)

    def program(x: Any) -> Any:
        total = inner(x)
        try:
            total = total + inner(x)
        except ValueError:
            total = total * n
        return total

    return program, Seen(lambda: n)


def _given_back() -> Any:
    depth = 0

    def program(x: Any) -> Any:
        nonlocal depth
        depth += 1
        try:
            y = np.sum(x**3) * depth
        finally:
            depth -= 1
        return y

    return program, Seen(lambda: depth)


def _by_recursion() -> Any:
    calls = 0

    def fib(n: int, x: Any) -> Any:
        nonlocal calls
        calls += 1
        return x if n < 2 else fib(n - 1, x) * 0.5 + fib(n - 2, x * x)

    def program(x: Any) -> Any:
        return fib(4, x[0]) * x[1]

    return program, Seen(lambda: calls)


def _in_an_inner_gradient() -> Any:
    n, w = 0, 1.0

    def inner(x: Any) -> Any:
        nonlocal n, w
        n += 1
        w = w * x[0]
        return np.sum(x**3) * w

    def program(x: Any) -> Any:
        for _ in range(2):
            x = x - 0.1 * grad(inner)(x)
        return np.sum(x**2) * w * n

    return program, Seen(lambda: (n, w))


def _reset() -> None:
    HERE.COUNT, HERE.SCALE = 0, 1.0  # type: ignore[attr-defined]


def _global_count() -> Any:
    _reset()

    def program(x: Any) -> Any:
        global COUNT  # noqa: PLW0603
        COUNT += 1
        return np.sum(x**3) * COUNT

    return program, Seen(lambda: COUNT)


def scaled(x: Any) -> Any:
    return x * SCALE


def _global_value() -> Any:
    _reset()

    def program(x: Any) -> Any:
        global SCALE  # noqa: PLW0603
        SCALE = SCALE + x[0]
        return np.sum(scaled(x) ** 2) * HERE.SCALE * getattr(HERE, "SCALE")

    return program, Seen(lambda: SCALE)


def _global_of_a_nested_function() -> Any:
    _reset()

    def program(x: Any) -> Any:
        def grow() -> None:
            global SCALE  # noqa: PLW0603
            SCALE = SCALE * x[0]

        grow()
        grow()
        return np.sum(x**2) * SCALE

    return program, Seen(lambda: SCALE)


def _bound_by_a_loop() -> Any:
    _reset()

    def program(x: Any) -> Any:
        global SCALE
        for SCALE in x:
            pass
        return np.sum(x**2) * SCALE

    return program, Seen(lambda: SCALE)


MAKERS = [
    _count, _a_value, _an_array, _none_at_first, _of_several_functions, _by_a_nested_function, _in_branches_and_loops,
    _before_it_raises, _given_back, _by_recursion, _in_an_inner_gradient, _global_count, _global_value,
    _global_of_a_nested_function, _bound_by_a_loop,
]  # fmt: skip


@pytest.mark.parametrize("name", [*ONCE, "vjp in it"])
@pytest.mark.parametrize("make", MAKERS, ids=lambda m: m.__name__.strip("_"))
def test_names_are_left_as_by_a_call(make: Callable[[], Any], name: str) -> None:
    assert_as_called(make, X, name, False if name in ONCE else None)


def _a_list() -> Any:
    found = [1.0]

    def program(x: Any) -> Any:
        nonlocal found
        found = [*found, x[0]]
        return np.sum(x**3) * found[-1]

    return program, Seen(lambda: found)


def _a_dict() -> Any:
    found: dict[str, Any] = {}

    def program(x: Any) -> Any:
        nonlocal found
        found = {"a": x[0]}
        found["b"] = x[1]
        return np.sum(x**3) * found["a"]

    return program, Seen(lambda: found)


@pytest.mark.parametrize("name", ["grad", "jvp", "vjp", "hvp"])
@pytest.mark.parametrize("make", [_a_list, _a_dict])
def test_containers(make: Callable[[], Any], name: str) -> None:
    assert_as_called(make, X, name, None if name == "hvp" else False)


def _cached() -> Any:
    n = 1.0

    @functools.cache
    def times(k: int) -> float:
        return k * n

    def program(x: Any) -> Any:
        nonlocal n
        n += 1.0
        return np.sum(x**3) * times(3)

    return program, Seen(lambda: n)


def _deleted() -> Any:
    n = 1.0

    def program(x: Any) -> Any:
        nonlocal n
        n += 1.0
        del n
        return np.sum(x**3)

    return program, Seen(lambda: program.__closure__[0].cell_contents)  # type: ignore[index]


def _bound_by_nobody() -> Any:
    def program(x: Any) -> Any:
        global NEW  # noqa: PLW0603
        NEW = 1.0
        return np.sum(x**3)

    return program, Seen(lambda: HERE.__dict__.get("NEW"))


@pytest.mark.parametrize("make", [_cached, _deleted, _bound_by_nobody])
def test_refusals(make: Callable[[], Any]) -> None:
    program, seen = make()
    before = repr(seen)
    for name in ("grad", "jvp", "hvp"):
        with pytest.raises(S2sadError):
            TAKEN[name][0](program, X)
    assert repr(seen) == before


def test_one_program_serves_whatever_is_counted() -> None:
    program, seen = _count()
    derivatives = Derivatives(program, make_options({}))
    first = derivatives.compiled(Ask("adjoint", ("x",)), [X])
    program(X)
    assert derivatives.compiled(Ask("adjoint", ("x",)), [X]) is first
    assert repr(seen) == "1"


def test_a_pullback_is_of_its_moment() -> None:
    program, seen = _count()
    value, pullback = vjp(program, X)
    program(X)
    assert value == np.sum(X**3)
    assert pullback(1.0)[0].tolist() == (3 * X**2).tolist()
    assert repr(seen) == "2"
    check_grads(program, (X,))
    assert repr(seen) == "3"

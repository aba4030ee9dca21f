"""Pullbacks, and maps of ``linearize``, in programs that change what their functions see outside: value and derivative are of one
moment."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from thinning import thinned
from verdicts import assert_as_called

from s2sad import grad, jvp, linearize, vjp

X = np.array([0.7, 1.3])


class Model:
    """An object with state."""

    def __init__(self) -> None:
        self.w, self.rate, self.name, self.b = 1.0, 2.0, "a", np.ones(2)

    def __repr__(self) -> str:
        return repr(vars(self))

    def loss(self, x: Any) -> Any:
        return np.sum(x**3 * self.w * self.b) * self.rate * (2 if self.name == "a" else 3)


def _an_array() -> Any:
    o = np.ones(2)

    def inner(x: Any) -> Any:
        return np.sum(x**3 * o)

    def program(x: Any) -> Any:
        value, pullback = vjp(inner, x)
        o[:] = 5.0 * x
        return np.sum(pullback(1.0)[0] * x) * value

    return program, o


def _a_list() -> Any:
    o = [1.0]

    def inner(x: Any) -> Any:
        return np.sum(x**3 * o[-1])

    def program(x: Any) -> Any:
        value, pullback = vjp(inner, x)
        o.append(5.0)
        return np.sum(pullback(1.0)[0] * x) * value

    return program, o


def _fields() -> Any:
    model = Model()

    def program(x: Any) -> Any:
        model.rate, model.name = 3.0, "b"
        value, pullback = vjp(model.loss, x)
        model.w, model.rate, model.name = x[0], 5.0, "a"
        model.b[0] = 7.0
        return np.sum(pullback(1.0)[0] * x) * value + np.sum(pullback(2.0)[0]) * model.rate + model.loss(x)

    return program, model


def _a_nonlocal_name() -> Any:
    w = 1.0

    def inner(x: Any) -> Any:
        return np.sum(x**3 * w)

    def program(x: Any) -> Any:
        nonlocal w
        value, pullback = vjp(inner, x)
        w = x[1]
        return np.sum(pullback(1.0)[0] * x) * value

    return program, []


def _a_linear_map() -> Any:
    model = Model()

    def program(x: Any) -> Any:
        value, push = linearize(lambda y: y**3 * model.w * model.b, x)
        model.w = x[0]
        model.b[:] = x
        return np.sum(push(x) * push.T(value)[0])

    return program, model


def _before_a_loop() -> Any:
    model = Model()

    def program(x: Any) -> Any:
        total = 0.0
        value, pullback = vjp(model.loss, x)
        for _ in range(3):
            model.w = model.w * x[0]
            model.b[:] = model.b * x
            total = total + np.sum(pullback(value)[0])
        return total

    return program, model


def _in_a_loop() -> Any:
    model = Model()

    def program(x: Any) -> Any:
        total = 0.0
        for _ in range(3):
            value, pullback = vjp(model.loss, x)
            model.w = model.w * x[0]
            model.b[:] = model.b * x
            total = total + np.sum(pullback(value)[0])
        return total

    return program, model


def _two_moments() -> Any:
    model = Model()

    def program(x: Any) -> Any:
        first, one = vjp(model.loss, x)
        model.w = x[0]
        second, other = vjp(model.loss, x)
        model.w = x[1]
        return np.sum(one(second)[0] * other(first)[0]) * model.w

    return program, model


MAKERS = [_an_array, _a_list, _fields, _a_nonlocal_name, _a_linear_map, _before_a_loop, _in_a_loop, _two_moments]


@pytest.mark.parametrize(
    ("make", "name"),
    thinned(itertools.product(MAKERS, ["grad", "jvp", "hvp"]), 3, lambda case: f"{case[0].__name__.strip('_')}-{case[1]}"),
)
def test_what_was_seen_then(make: Callable[[], Any], name: str) -> None:
    assert_as_called(make, X, name)


# --- what else a function sees, or a pullback is


def _an_object_of_the_program() -> Any:
    def program(x: Any) -> Any:
        model = Model()
        value, pullback = vjp(model.loss, x)
        model.w, model.name = x[0], "b"
        model.b[:] = x
        return np.sum(pullback(1.0)[0] * x) * value

    return program, []


def _a_function_among_others() -> Any:
    def program(x: Any) -> Any:
        w = np.ones(2)
        known = {"cube": lambda y: np.sum(y**3 * w)}
        value, pullback = vjp(lambda y: known["cube"](y), x)
        w[:] = x
        return np.sum(pullback(1.0)[0] * x) * value

    return program, []


def _one_of_two_functions() -> Any:
    def program(x: Any) -> Any:
        w = np.ones(2)

        def cube(y: Any) -> Any:
            return np.sum(y**3 * w)

        def square(y: Any) -> Any:
            return np.sum(y**2 * w)

        inner = cube if x[0] > 0.5 else square
        value, pullback = vjp(inner, x)
        w[:] = x
        inner = square
        return np.sum(pullback(1.0)[0] * x) * value

    return program, []


def _a_default() -> Any:
    def program(x: Any) -> Any:
        w = np.ones(2)

        def inner(y: Any, w: Any = w) -> Any:
            return np.sum(y**3 * w)

        value, pullback = vjp(inner, x)
        w[:] = x
        return np.sum(pullback(1.0)[0] * x) * value * len(pullback(1.0))

    return program, []


def _a_list_of_text() -> Any:
    def program(x: Any) -> Any:
        names = ["a" for _ in range(x.size)]
        value, pullback = vjp(lambda y: np.sum(y**3) * (2.0 if names[-1] == "a" else 5.0), x)
        names.append("b")
        return np.sum(pullback(1.0)[0] * x) * value

    return program, []


def _a_list_of_arrays() -> Any:
    def program(x: Any) -> Any:
        parts = [np.ones(2) for _ in range(x.size)]
        value, pullback = vjp(lambda y: np.sum(y**3 * parts[0] * parts[-1]), x)
        parts[0][:] = x
        parts.append(5.0 * x)
        return np.sum(pullback(1.0)[0] * x) * value

    return program, []


def _a_dict_with_computed_keys() -> Any:
    def program(x: Any) -> Any:
        table = {k: 1.0 + k for k in range(x.size)}
        value, pullback = vjp(lambda y: np.sum(y**3) * table[y.size - 1], x)
        table[x.size - 1] = x[0]
        return np.sum(pullback(1.0)[0] * x) * value

    return program, []


def _a_function_outside() -> Any:
    model = Model()
    model.act = np.sin  # type: ignore[attr-defined]

    def program(x: Any) -> Any:
        value, push = linearize(lambda y: model.act(y) * model.w, x)  # type: ignore[attr-defined]
        model.w = x[0]
        return np.sum(push(x) * value)

    return program, model


def _of_the_step_before() -> Any:
    o = np.ones(2)

    def inner(y: Any) -> Any:
        return np.sum(y**3 * o)

    def program(x: Any) -> Any:
        total = 0.0
        value, pullback = vjp(inner, x)
        for k in range(3 * x.size):
            total = total + np.sum(pullback(1.0)[0]) * value
            o[:] = x * (k + 1)
            value, pullback = vjp(inner, 0.5 * x)
            o[0] = 2.0
        return total + np.sum(pullback(2.0)[0])

    return program, o


def _in_one_of_two_branches() -> Any:
    o = np.ones(2)

    def program(x: Any) -> Any:
        if x[0] > 0.5:
            value, pullback = vjp(lambda y: np.sum(y**3 * o), x)
        else:
            value, pullback = vjp(lambda y: np.sum(y**2 * o), 2.0 * x)
        o[:] = x
        return np.sum(pullback(1.0)[0] * x) * value

    return program, o


def _of_a_helper() -> Any:
    o = np.ones(2)

    def pulled(power: int, x: Any) -> Any:
        return vjp(lambda y: np.sum(y**power * o), x)

    def program(x: Any) -> Any:
        value, pullback = pulled(3, x)
        o[:] = x
        other, further = pulled(2, x)
        o[0] = 9.0
        return np.sum(pullback(value)[0] * further(other)[0])

    return program, o


def _pullbacks_in_a_list() -> Any:
    o = np.ones(2)

    def program(x: Any) -> Any:
        pulls = [vjp(lambda y: np.sum(y**3 * o * (k + 1)), x)[1] for k in range(2)]
        o[:] = x
        return np.sum(pulls[0](1.0)[0] * pulls[1](2.0)[0])

    return program, o


def _a_partial() -> Any:
    o = np.ones(2)

    def inner(w: Any, y: Any) -> Any:
        return np.sum(y**3 * w * o)

    def program(x: Any) -> Any:
        w = x.copy()
        value, pullback = vjp(functools.partial(inner, w), x)
        w[:] = 3.0
        o[:] = x
        return np.sum(pullback(value)[0])

    return program, o


def _tuples_that_hold_arrays() -> Any:
    def program(x: Any) -> Any:
        counts = np.array([1, 2])
        pair, pairs = (counts, x * 1.0), [(counts, x * k) for k in range(x.size)]
        value, pullback = vjp(lambda y: np.sum(y**3 * pair[0] * pair[1] * pairs[-1][0] * pairs[1][1]), x)
        counts[0] = 5
        pair[1][:] = 2.0
        return np.sum(pullback(value)[0])

    return program, []


def _an_argument_that_is_an_object() -> Any:
    def program(x: Any) -> Any:
        model = Model()
        value, pullback = vjp(lambda m, y: m.loss(y), model, x)
        model.b[:] = 5.0 * x
        model.w = x[0]
        return np.sum(pullback(value)[1] * x)

    return program, []


def _beside_something_else() -> Any:
    o = np.ones(2)

    def program(x: Any) -> Any:
        value, pullback, aux = vjp(lambda y: (np.sum(y**3 * o), o * y), x, has_aux=True)
        o[:] = x
        return np.sum(pullback(value)[0] * aux)

    return program, o


def _of_contents() -> Any:
    o = np.ones(2)

    def scale(u: Any, y: Any) -> None:
        u[:] = u * y**2 * o

    def program(x: Any) -> Any:
        u = np.ones(2)
        value, pullback = vjp(scale, u, x, of="u")
        o[:] = x
        u[:] = 7.0
        return np.sum(pullback(value)[1])

    return program, o


def _maps_of_two_arguments() -> Any:
    o = np.ones(2)

    def inner(y: Any, z: Any) -> Any:
        return np.sum(y**2 * z * o)

    def program(x: Any) -> Any:
        value, along = linearize(inner, x, x * 2.0, wrt=(1,))
        _, push = linearize(inner, x, x * 2.0)
        o[:] = x
        return along(x) * push(x, 2.0 * x) * push(x, None) * along.T(value)[0][0]

    return program, o


def _one_more_by_a_branch() -> Any:
    o = np.ones(2)

    def program(x: Any) -> Any:
        value, pullback = vjp(lambda y: np.sum(y**3 * o), x)
        if x[0] > 0.5:
            o[:] = x
            value, pullback = vjp(lambda y: np.sum(y**3 * o), x)
            o[:] = 3.0
        return np.sum(pullback(value)[0] * o)

    return program, o


OTHERS = [
    _an_object_of_the_program, _a_function_among_others, _one_of_two_functions, _a_default, _a_list_of_text, _a_list_of_arrays,
    _a_dict_with_computed_keys, _a_function_outside, _of_the_step_before, _in_one_of_two_branches, _of_a_helper,
    _pullbacks_in_a_list, _a_partial, _tuples_that_hold_arrays, _an_argument_that_is_an_object, _beside_something_else,
    _of_contents, _maps_of_two_arguments, _one_more_by_a_branch,
]  # fmt: skip


@pytest.mark.parametrize(
    ("make", "name"),
    thinned(itertools.product(OTHERS, ["grad", "jvp", "hvp"]), 3, lambda case: f"{case[0].__name__.strip('_')}-{case[1]}"),
)
def test_what_else_was_seen_then(make: Callable[[], Any], name: str) -> None:
    assert_as_called(make, X, name)


def test_a_pullback_of_a_pullback() -> None:
    def program(x: Any) -> Any:
        o = np.ones(2)
        value, pullback = vjp(lambda y: y**3 * o, x)
        o[:] = x
        return np.sum(vjp(lambda bar: pullback(bar)[0] * o, value)[1](x)[0])  # 3 x**4

    np.testing.assert_allclose(grad(program)(X), 12 * X**3)
    np.testing.assert_allclose(jvp(program, (X,), (X,))[1], 12 * np.sum(X**4))


def test_two_ways_to_give_the_same_function() -> None:
    def one(f: Any, y: Any) -> Any:
        return f(y)

    def program(x: Any) -> Any:
        _, first = vjp(one, lambda y: np.sum(y**3), x)
        _, second = vjp(lambda y: np.sum(y**3), x)
        return np.sum(first(1.0)[1] * x) + np.sum(second(1.0)[0]) * len(first(1.0)) * len(second(1.0))

    np.testing.assert_allclose(grad(program)(X), 9 * X**2 + 12 * X)

"""Loops over a few known items, whose iterations are lowered one by one where no program with the loop can be had.

What they collect is then known item by item: dicts under the keys of a dict, lists of tuples whose arrays are written,
functions in lists of known length.
"""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import pytest

from s2sad import CompilerError, S2sadError, check_grads, differentiate, grad, hvp
from s2sad.derivatives import Derivatives
from s2sad.frontend.observe import Detail

X = np.array([1.2, 2.3, 0.7])
Body = namedtuple("Body", "place speed")


class Adam:
    def __init__(self):
        self.cache = {}

    def update(self, name, parameter, gradient):
        if name not in self.cache:
            self.cache[name] = {"m": np.zeros_like(gradient), "v": np.zeros_like(gradient), "t": 0}
        state = self.cache[name]
        state["t"] += 1
        state["m"] = 0.9 * state["m"] + 0.1 * gradient
        state["v"] = 0.99 * state["v"] + 0.01 * gradient**2
        mean, variance = state["m"] / (1 - 0.9 ** state["t"]), state["v"] / (1 - 0.99 ** state["t"])
        return parameter - 0.1 * mean / (np.sqrt(variance) + 0.1)


def an_optimizer(x):
    optimizer, parameters = Adam(), {"a": x * 1.0, "b": x * x}
    for _ in range(3):
        for name in parameters:  # noqa: PLC0206 - as people write it
            parameters[name] = optimizer.update(name, parameters[name], 2 * parameters[name] + 1)
    return np.sum(parameters["a"] * parameters["b"])


def a_dict_in_a_dict(x):
    cache = {}
    for _ in range(3):
        if "a" not in cache:
            cache["a"] = {"m": x * 0.0, "t": 0}
        cache["a"]["t"] += 1
        cache["a"]["m"] = cache["a"]["m"] * 0.5 + x**2
    return np.sum(cache["a"]["m"]) * cache["a"]["t"]


def tuples_whose_arrays_are_written(x):
    bodies = [Body(x[:2] * 1.0, x[1:] * 1.0) for _ in range(2)]
    for body in bodies:
        body.place[0] += body.speed[1]
        body.speed[:] *= 0.5 * body.place
    return sum(np.sum(body.place * body.speed) for body in bodies)


def arrays_and_lists(x):
    parts = []
    for k in range(2):
        parts.append(x[k : k + 1])
    return np.sum(np.concatenate([*parts, [x.sum()]]) ** 2)


def lists_that_are_added(x):
    parts = []
    for k in range(2):
        parts.append(x[k : k + 1] * 2)
    return np.sum(np.concatenate(parts + [[x.sum()]]) ** 2)


def functions_of_counted_lists(x):
    weights = [x, x * 2, x + 1]
    functions = [np.tanh] * (len(weights) - 1) + [lambda z: z]
    for w, f in zip(weights, functions, strict=True):
        x = f(w * x)
    return x.sum()


def moved_key(x):
    d = OrderedDict((k, x**2) for k in range(3))
    d.move_to_end(2, last=False)
    return np.sum(sum(k * v for k, v in zip(d, d.values(), strict=True)))


class Named:
    def __init__(self, x):
        self.x = x


def other_objects(x):
    bodies = []
    for k in range(3):
        bodies.append(Named(x[k]))
    return sum(p.x * q.x**2 for p in bodies for q in bodies if p is not q)


class Kept:
    def __init__(self, v):
        self.v = v

    @cached_property
    def square(self):
        return np.sum(self.v**2)


def kept_while_written(x):
    p, s = Kept(x), 0.0
    for _ in range(3):
        s += p.square
        p.v = p.v * 2
    return s + np.sum(p.v)


def keywords_that_come(x):
    keywords, s = {}, 0.0

    def scaled(v, scale=1.0):
        return v * v * scale

    for v in x:
        s += scaled(v, **keywords)
        keywords["scale"] = 2.0
    return s


RIGHT = [
    an_optimizer, a_dict_in_a_dict, tuples_whose_arrays_are_written, arrays_and_lists, lists_that_are_added,
    functions_of_counted_lists, moved_key, other_objects, kept_while_written, keywords_that_come,
]  # fmt: skip


@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_is_right(function: Callable[..., Any]) -> None:
    check_grads(function, (X,), order=2, rtol=2e-4, atol=2e-6)


def test_inside_a_helper_and_again() -> None:
    def twice(x):
        return tuples_whose_arrays_are_written(x * 2) + a_dict_in_a_dict(x)

    check_grads(twice, (X,), order=2, rtol=2e-4, atol=2e-6)
    gradient, product = hvp(twice, (X,), (np.ones(3),), mode="rev")
    np.testing.assert_allclose(gradient, grad(twice)(X))
    np.testing.assert_allclose(product, hvp(twice, (X,), (np.ones(3),))[1])


def test_loops_stay_where_they_can() -> None:
    def looped(x):
        items = []
        for k in range(3):
            items.append(x * k)
        return np.sum(np.stack(items))

    assert "for k in range(3):" in differentiate(looped).source("adjoint", X)


def many(x):
    cache = {}
    for _ in range(101):
        if "a" not in cache:
            cache["a"] = {"m": x * 0.0, "t": 0}
        cache["a"]["t"] += 1
        cache["a"]["m"] = cache["a"]["m"] * 0.5 + x
    return np.sum(cache["a"]["m"])


def counted_by_numbers(x):
    cache = {}
    for _ in range(int(np.max(x))):
        if "a" not in cache:
            cache["a"] = {"m": x * 0.0, "t": 0}
        cache["a"]["t"] += 1
        cache["a"]["m"] = cache["a"]["m"] * 0.5 + x
    return np.sum(cache["a"]["m"])


@pytest.mark.parametrize(("function", "args"), [(many, (X,)), (counted_by_numbers, (X,))])
def test_long_loops_are_refused_as_before(function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    with pytest.raises(S2sadError, match="assigning 't' of this object"):
        grad(function)(*args)


def test_what_goes_wrong_on_a_further_attempt_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    make = Derivatives._make

    def made(self: Any, ask: Any, values: Any, key: Any, detail: Any) -> Any:
        if detail > Detail.SIZES:
            raise CompilerError("a mistake")
        return make(self, ask, values, key, detail)

    def again(x):
        return a_dict_in_a_dict(x) * 1.5

    monkeypatch.setattr(Derivatives, "_make", made)
    with pytest.raises(S2sadError, match="assigning 't' of this object") as caught:
        grad(again)(X)
    assert not isinstance(caught.value, CompilerError)

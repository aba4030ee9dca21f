"""Objects that are iterators, or whose ``__iter__`` is a generator, under ``enumerate``, ``zip``, ``map`` and the like: their
items are asked for one by one, as Python does it, since the loop may change them. Generators that would have to run out
before another one begins are refused where that is to be seen."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import S2sadError, check_grads, value_and_grad

X = np.array([0.7, 1.3, -0.4, 0.9, 1.1, 0.5])


class Steps:
    def __init__(self, x):
        self.x = x
        self.i = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.i >= len(self.x):
            raise StopIteration
        self.i += 1
        return self.x[self.i - 1] * self.i


class Rates:
    def __init__(self, x):
        self.x = x
        self.rate = 1.0

    def __iter__(self):
        for v in self.x:
            yield v * self.rate


class Anew:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        return Steps(self.x)


def enumerated(x):
    it, s = Steps(x), 0.0
    for i, a in enumerate(it):
        s += a * i
        it.x = it.x * 1.5
        if i == 3:
            break
    return s + it.i * x[0]


def beside_an_array(x):
    it, s = Steps(x), 0.0
    for a, b in zip(x, it, strict=False):
        s += a * b
        it.i = min(it.i + 1, 6)
    return s


def mapped(x):
    it, s = Steps(x), 0.0
    for a in map(lambda v: v * it.i, it):  # noqa: C417
        s += a
    return s


def changed_on_the_way(x):
    rates, s = Rates(x), 0.0
    for a, b in zip(x, rates, strict=False):
        s += a * b
        rates.rate += b
    for i, b in enumerate(rates):
        s += b * i
        rates.rate *= 0.5
    return s


def made_anew(x):
    made, s = Anew(x), 0.0
    for i, a in enumerate(made):
        s += a * i
        made.x = x * 2
    return s


def asked_until_one_is_true(x):
    it = Steps(x)
    found = any(v > 1 for v in it)
    it_2 = Steps(x)
    return found * x[0] + it.i * x[1] + any(it_2) * it_2.i


def first_two(x):
    it = Steps(x)
    return sum(itertools.islice(it, 2)) + it.i * x[1] + next(it)


def chained(x):
    it, s = Steps(x), 0.0
    for v in itertools.chain(it, x):
        s += v * it.i
    it = Steps(x)
    for a, b in itertools.pairwise(it):
        s += a * b * it.i
    return s


def reduced(x):
    it, it_2 = Steps(x), Steps(x)
    return functools.reduce(lambda a, b: a + b * it.i, it) + functools.reduce(lambda a, b: a * b + it_2.i, it_2, x[0])


def elements_that_read(x):
    a = x.copy()

    def scaled():
        for i in range(3):
            a[i] *= 1.5
            yield a[i]

    t = list(v * a[2] for v in scaled())  # noqa: C400
    d = dict((i, v * a[1]) for i, v in enumerate(scaled()))  # noqa: C402
    return t[0] + t[1] * 2 + d[0] * d[1]


@pytest.mark.parametrize(
    "function",
    [
        enumerated, beside_an_array, mapped, changed_on_the_way, made_anew, asked_until_one_is_true, first_two, chained,
        reduced, elements_that_read,
    ],
)  # fmt: skip
def test_items_are_asked_for_one_by_one(function: Callable[..., Any]) -> None:
    check_grads(function, (X,))


def itself_twice(x):
    it, s = Steps(x), 0.0
    for a, b in zip(it, it, strict=False):
        s += a * b
    return s


def generators_that_read_a_name(x):
    k, s = 1.0, 0.0

    def scaled():
        for v in x:
            yield v * k

    for a, b in zip(scaled(), scaled(), strict=False):
        k += a
        s += a * b
    return s


def expressions_that_read_a_name(x):
    k, s = 1.0, 0.0
    for a, b in zip((v * k for v in x), (v * v * k for v in x), strict=False):
        k += a
        s += a * b
    return s


def generators_that_count(x):
    n, s = 0.0, 0.0

    def counted():
        nonlocal n
        for v in x:
            n += 1
            yield v * n

    for a, b in zip((v for v in x), counted(), strict=False):
        s += a * b * n
    return s


def generators_of_an_object(x):
    rates, s = Rates(x), 0.0
    for a, b in zip((v for v in x), (v * rates.rate for v in x), strict=False):
        s += a * b
        rates.rate += a
    return s


def ranked_by_what_it_changes(x):
    a = x.copy()

    def scaled():
        for _ in range(3):
            a[0] *= 1.5
            yield a[0]

    return max(scaled(), key=lambda v: v / a[0]) * a[1]


@pytest.mark.parametrize(
    "function",
    [
        itself_twice, generators_that_read_a_name, expressions_that_read_a_name, generators_that_count, generators_of_an_object,
        ranked_by_what_it_changes,
    ],
)  # fmt: skip
def test_generators_side_by_side_are_refused_where_one_would_have_to_wait(function: Callable[..., Any]) -> None:
    with pytest.raises(S2sadError, match="two generators side by side"):
        value_and_grad(function)(X)


def independent(x):
    def doubled(y):
        for v in y:
            yield v * 2

    def summed(y, k):
        total = 0.0
        for v in y:
            total += v * k
            yield total

    seen = np.zeros(6)
    for i, (a, b) in enumerate(zip(doubled(x), summed(x, 3.0), strict=False)):
        seen[i] = a * b
    return seen @ seen + max(((v, v * v) for v in doubled(x)), key=lambda pair: pair[1])[1]


def test_others_are_not() -> None:
    check_grads(independent, (X,))


class Doubled:
    """A function that can be iterated over, too."""

    def __call__(self, *xs):
        return sum(xs) * 2

    def __iter__(self):
        return iter([1.0])


DOUBLED = Doubled()


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x[0] ** 3 + sum(map(DOUBLED, x)),
        lambda x: x[0] ** 3 + sum(map(DOUBLED, x, x[::-1])),
        lambda x: x[0] ** 3 + functools.reduce(DOUBLED, [x[0], x[1], x[2]]),
        lambda x: x[0] ** 3 + sum(itertools.starmap(DOUBLED, [(x[0], x[1]), (x[2], x[3])])),
        lambda x: x[0] ** 3 + sum(v for v in x if DOUBLED(v) > 0) + sum(filter(DOUBLED, x)),
        lambda x: x[0] ** 3 + max([x[0], x[1]], key=DOUBLED) * sum(DOUBLED),
    ],
    ids=["map", "map of two", "reduce", "starmap", "filter", "key"],
)
def test_functions_that_can_be_iterated_over(function: Callable[..., Any]) -> None:
    assert value_and_grad(function)(X)[0] == pytest.approx(function(X))
    check_grads(function, (X,), order=2)

"""Functions and objects that are chosen while the program runs: what they raise, what is refused, what they are keyed by."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import CompilerError, S2sadError, check_grads, differentiate, grad


def by_name(x, name):
    table = {"sin": np.sin, "cos": np.cos}
    return table[name](x)


def by_place(x, k):
    return [np.sin, np.cos, lambda v: v * x][k](x)


def unbound(x, k):
    if k:
        f = np.sin
    return f(x)


class Disk:
    def __init__(self, r):
        self.r = r

    def area(self):
        return 3.0 * self.r**2


class Square:
    def __init__(self, a):
        self.a = a

    def area(self):
        return self.a**2


def wrong_field(x, k):
    shape = Disk(x) if k else Square(x)
    return shape.r * shape.area()


def number_or_object(x, k):
    shape = 0
    if k:
        shape = Disk(x)
    return shape.area()


@pytest.mark.parametrize(
    ("program", "good", "bad", "error"),
    [
        (by_name, "cos", "tan", KeyError),
        (by_place, -1, 3, IndexError),
        (unbound, 1, 0, UnboundLocalError),
        (wrong_field, 1, 0, AttributeError),
        (number_or_object, 1, 0, AttributeError),
    ],
)
def test_errors_are_those_of_python(
    program: Callable[..., Any], good: object, bad: object, error: type[Exception]
) -> None:
    check_grads(program, (0.7, good), wrt=(0,))
    with pytest.raises(error):
        program(0.7, bad)
    with pytest.raises(error):
        grad(program)(0.7, bad)


def or_else(x, k):
    f = (k and np.sin) or np.cos
    return f(x)


def asked(x, k):
    f = np.sin if k else 0
    g = None if k else np.cos
    return (f(x) if f else x**2) * (x if not g else g(x))


def late_binding(x, k):
    w = x
    f = (lambda v: v * w) if k else (lambda v: v + w)
    w = 2 * x
    return f(x)


def made_in_an_arm(x, k):
    def scaled(c):
        shift = c * x
        return lambda v: c * v + shift

    f = scaled(2.0) if k else functools.partial(operator.mul, scaled(3.0)(x))
    return f(x)


def swapped(x, k):
    f, g = np.sin, np.cos
    for _ in range(k + 2):
        x = f(x) + 0.1
        f, g = g, f
    return x * g(x)


def pairs_by_place(x, k):
    f, scale = [(np.sin, 2.0), (np.cos, x)][k]
    return scale * f(x)


def recursive(f, x, n):
    return x if n == 0 else recursive(f, 0.5 * f(x), n - 1)


def handed_on(x, k):
    return recursive(np.sin if k else np.exp, x, 2)


@pytest.mark.parametrize("k", [0, 1])
@pytest.mark.parametrize(
    "program", [or_else, asked, late_binding, made_in_an_arm, swapped, pairs_by_place, handed_on]
)
def test_chosen_on_paths(program: Callable[..., Any], k: int) -> None:
    check_grads(program, (0.7, k), wrt=(0,))


def test_derivatives_of_derivatives() -> None:
    slope = differentiate(by_place).grad
    h = 1e-6
    for k in range(3):
        differences = (slope(0.7 + h, k) - slope(0.7 - h, k)) / (2 * h)
        assert np.isclose(grad(grad(by_place))(0.7, k), differences, rtol=1e-6)


def test_tags_are_names() -> None:
    text = differentiate(unbound).source("tangent", 0.7, 1)
    assert '"sin"' in text


class Counter:
    def __init__(self, start):
        self.total = start

    def add(self, x):
        self.total = self.total + x
        return self.total


class Doubling(Counter):
    def add(self, x):
        self.total = 2 * self.total + x
        return self.total


def changed_after(x, k):
    counter = Counter(x) if k else Doubling(x)
    same = counter
    for _ in range(2):
        x = counter.add(x) * same.total
    return x


def assigned_after(x, k):
    shape = Disk(x) if k else Square(x)
    shape.r = 2.0
    return shape.area()


@pytest.mark.parametrize("k", [0, 1, np.int64(2)])
@pytest.mark.parametrize("program", [changed_after, assigned_after])
def test_objects_that_nobody_else_refers_to_may_change(program: Callable[..., Any], k: int) -> None:
    check_grads(program, (0.7, k), wrt=(0,))


# --- callbacks as arguments


def difference(f, g, x):
    return f(x) - 3.0 * g(x)


def times(c):
    return lambda x: c * x


def total(c):
    return lambda x: np.sum(c) * x


def test_functions_that_see_different_things_under_one_name_are_told_apart() -> None:
    slope = grad(difference, 2)
    two, five = times(2.0), times(5.0)
    assert slope(two, five, 1.0) == 2.0 - 15.0
    assert slope(five, two, 1.0) == 5.0 - 6.0
    assert slope(total(np.ones(2)), total(np.ones(3)), 1.0) == 2.0 - 9.0


def test_lambdas_on_one_line_are_told_apart() -> None:
    slope = grad(difference, 2)
    two, five = (lambda x: 2 * x), (lambda x: 5 * x)
    assert slope(two, five, 1.0) == 2.0 - 15.0
    assert slope(five, two, 1.0) == 5.0 - 6.0


RATE = 2.0


def with_rate(x):
    return RATE * x


def use(f, x):
    return f(x)


def test_what_a_callback_sees_may_change(monkeypatch: pytest.MonkeyPatch) -> None:
    slope = grad(use, 1)
    assert slope(with_rate, 1.0) == 2.0
    monkeypatch.setitem(globals(), "RATE", 9.0)
    assert slope(with_rate, 1.0) == 9.0


def test_partials_and_methods_as_arguments_are_read_when_the_program_runs() -> None:
    slope = grad(use, 1)
    for c in (2.0, 3.0):
        assert slope(functools.partial(operator.mul, c), 1.0) == c
        assert np.isclose(slope(Scaled(c).apply, 1.0), c * np.cos(1.0))


class Scaled:
    def __init__(self, c):
        self.c = c

    def apply(self, x):
        return self.c * np.sin(x)


def in_structures(config, x):
    for f in config["steps"]:
        x = f(x)
    return config["model"].apply(x)


def test_functions_in_structures_are_part_of_the_key() -> None:
    slope = grad(in_structures, 1)
    x, h = 0.4, 1e-6
    for steps in ([np.sin, np.exp], [np.exp, np.sin], (np.tanh,)):
        config = {"steps": steps, "model": Scaled(2.0)}
        differences = (in_structures(config, x + h) - in_structures(config, x - h)) / (2 * h)
        assert np.isclose(slope(config, x), differences, rtol=1e-6)


# --- dispatch, getters


@functools.singledispatch
def size(shape):
    return 1.0


@size.register
def _(shape: Disk):
    return shape.r**2


@size.register
def _(shape: float):
    return 3.0 * shape


def dispatched(x, k):
    shape = Disk(x) if k > 1 else (Square(x) if k else x)
    return size(shape) * x


@pytest.mark.parametrize("k", [0, 1, 2])
def test_singledispatch(k: int) -> None:
    check_grads(dispatched, (0.7, k), wrt=(0,))


BY_WEIGHT = operator.itemgetter(1)


def getters(x, y):
    shapes = [Disk(x), Disk(y), Disk(x * y)]
    pairs = [(x, y), (y, x * x)]
    radii = sum(map(operator.attrgetter("r"), shapes))
    return (
        radii * sum(map(operator.methodcaller("area"), shapes))
        + BY_WEIGHT(pairs[1]) * max(pairs, key=BY_WEIGHT)[0]
    )


def test_getters() -> None:
    check_grads(getters, (0.7, 1.3), wrt=(0, 1))


# --- refused


def as_a_result(x, k):
    f = np.sin if k else np.cos
    return x, f


def growing(x, k):
    f = np.sin
    for _ in range(k):
        f = functools.partial(lambda g, v: g(v) * x, f)
    return f(x)


def with_another_name(x, k):
    first = Counter(x)
    chosen = first if k else Counter(2 * x)
    chosen.add(x)
    return first.total * chosen.total


def with_its_method(x, k):
    def made(start):
        counter = Counter(start)
        return counter, counter.add

    counter, add = made(x) if k else made(2 * x)
    add(x)
    return counter.total


HANGS_ON_A_FLAG = [with_another_name, with_its_method, as_a_result, growing]


@pytest.mark.parametrize("program", HANGS_ON_A_FLAG)
def test_each_value_of_a_flag_has_its_program_and_what_computes_it_is_refused(program: Callable[..., Any]) -> None:
    for k in (0, 2):
        check_grads(program, (0.7, k))
    with pytest.raises(S2sadError) as caught:
        grad(program)(0.7, np.int64(2))
    assert not isinstance(caught.value, CompilerError)

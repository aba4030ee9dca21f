"""Attributes of classes that a program writes: counters of all objects, switches, the last result."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
from verdicts import arguments, assert_refused

from s2sad import grad, jacobian, jvp, vjp
from s2sad.derivatives import Derivatives
from s2sad.testing import check_grads


class Shape:
    made = 0
    last: Any = None
    scale = 2.0
    verbose = False
    total = np.zeros(3)

    def __init__(self, w):
        self.w = w
        type(self).made += 1

    def area(self, s):
        Shape.scale += 1.0
        self.__class__.last = "area"
        return self.w * s * s * self.scale

    @classmethod
    def known(cls):
        cls.made += 1
        return cls.made

    @staticmethod
    def keep(x):
        Shape.total = Shape.total * 0.5 + x
        return np.sum(Shape.total**2)


class Square(Shape):
    made, last = 10, None


class Bare(Shape):
    pass


@pytest.fixture(autouse=True)
def fresh():
    reset()


def reset():
    Shape.made, Shape.last, Shape.scale, Shape.verbose, Square.made, Square.last = 0, None, 2.0, False, 10, None
    Shape.total = np.zeros(3)


def counts_objects(s):
    return Shape(s).area(s) + Square(2.0).area(s) * Shape.made * Square.made


def counts_in_a_loop(x):
    total = 0.0
    for v in x:
        if v > 1.0:
            Shape.made += 1
        total += v * v * Shape(v).made
    return total


def carries_a_derivative(s):
    Shape.scale = s * s
    return Shape(3.0).area(s) * Shape.scale


def keeps_an_array(x):
    return Shape.keep(x) * Shape.keep(x * x)


def by_class_method(s):
    return s * Shape.known() + Square.known() * s * s


def written_on_one_path(s):
    if s > 1.0:
        Shape.verbose = True
    return s * s * (2.0 if Shape.verbose else 1.0)


def the_best_so_far(s):
    if Shape.last is None or s < Shape.last:
        Shape.last = s
    return s * Shape.last


FUNCTIONS = [
    counts_objects, counts_in_a_loop, carries_a_derivative, keeps_an_array, by_class_method, written_on_one_path, the_best_so_far
]  # fmt: skip


def state() -> str:
    return repr([Shape.made, Square.made, Square.last, Shape.last, Shape.scale, Shape.verbose, Shape.total])


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_is_right_and_leaves_what_the_original_leaves(function: Any) -> None:
    args = arguments(function)
    check_grads(lambda v: (reset(), function(v))[1], args)
    reset()
    function(*args)
    function(*args)
    wanted = state()
    for derivative in (lambda: grad(function)(*args), lambda: jvp(function, args, args)):
        reset()
        derivative()
        derivative()
        assert state() == wanted


def test_a_pullback_runs_with_what_was_there() -> None:
    value, pullback = vjp(by_class_method, 1.5)
    assert value == 1.5 + 11 * 1.5**2
    left = state()
    assert pullback(1.0)[0] == 1.0 + 2 * 11 * 1.5
    assert state() == left


def test_a_program_serves_while_the_kinds_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    generate = Derivatives.generate
    monkeypatch.setattr(Derivatives, "generate", lambda *a, **k: made.append(1) or generate(*a, **k))
    g = grad(lambda s: by_class_method(s))
    assert [g(1.0), g(1.0)] == [1.0 + 22.0, 2.0 + 24.0]
    assert len(made) == 1
    Shape.made = 0.5
    assert g(1.0) == 1.5 + 2 * 13
    assert len(made) == 2


def inherited(s):
    return Bare(s).area(s)


def absent(s):
    Shape.unknown = s
    return s


def a_method(s):
    Shape.area = s
    return s


@functools.lru_cache
def kept(k):
    return k * Shape.made


def read_behind_a_cache(s):
    Shape.made += 1
    return kept(2) * s


@pytest.mark.parametrize("mode", ["adjoint", "tangent"])
@pytest.mark.parametrize("function", [inherited, absent, a_method, read_behind_a_cache], ids=lambda f: f.__name__)
def test_refused(function: Any, mode: str) -> None:
    before = state()
    assert_refused(function, mode)
    assert state() == before and "made" not in vars(Bare)


def test_several_directions_leave_what_one_call_does() -> None:
    def program(x: Any) -> Any:
        return x * Shape.keep(x)

    before = state()
    program(np.ones(3))
    left = state()
    reset()
    jacobian(program)(np.ones(3))
    assert state() == left != before

"""Arguments that say which way a function goes: where no program serves all of their values, each value gets its own."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import s2sad
from s2sad import ActivityError, S2sadError, UnsupportedSyntaxError, grad, jvp, vjp


def by_flag(s, full=False):
    return (s, s * s) if full else s * 3.0


def by_number(s, order=2):
    return tuple(s**k for k in range(1, order + 1)) if order > 1 else s


def by_name(s, kind="sum"):
    if kind == "sum":
        return s, 2.0 * s
    return s * s


def by_item(s, options=(1, "b")):
    return (s, s * s, s**3)[options[0]] if options[1] == "b" else [s]


def steps(s, n=3):
    total = 0.0
    for _ in range(n):
        total += s * s
    return total


class Model:
    def __init__(self, kind, power):
        self.kind, self.power, self.seen = kind, power, 0
        self.weights = np.array([1.0, 2.0])

    def loss(self, s):
        self.seen += 1
        if self.kind == "pair":
            return self.weights[0] * s, s**self.power
        return self.weights[1] * s


def test_each_value_gets_its_own_program() -> None:
    assert jvp(by_flag, (2.0,), (1.0,)) == (6.0, 3.0)
    assert jvp(by_flag, (2.0, True), (1.0,), wrt=0) == ((2.0, 4.0), (1.0, 4.0))
    assert jvp(by_flag, (2.0, False), (1.0,), wrt=0) == (6.0, 3.0)
    for order in (1, 3, 2, 3):
        found = jvp(by_number, (2.0, order), (1.0,), wrt=0)[1]
        assert np.allclose(found, [k * 2.0 ** (k - 1) for k in range(1, order + 1)])


def test_one_and_true_are_different_flags() -> None:
    def item(s, k):
        return (s, s * s) if k is True else s * k

    assert jvp(item, (2.0, 1), (1.0,), wrt=0)[1] == 1.0
    assert jvp(item, (2.0, True), (1.0,), wrt=0)[1] == (1.0, 4.0)
    assert jvp(item, (2.0, 3), (1.0,), wrt=0)[1] == 3.0


def test_names_and_items_of_tuples() -> None:
    assert vjp(by_name, 2.0)[1]((1.0, 1.0))[0] == 3.0
    assert grad(by_name)(2.0, "square") == 4.0
    assert grad(by_item)(2.0, (2, "b")) == 12.0
    assert grad(by_item)(2.0) == 4.0


def test_flags_in_objects() -> None:
    pair, one = Model("pair", 2), Model("one", 2)
    assert jvp(pair.loss, (3.0,), (1.0,))[1] == (1.0, 6.0)
    assert jvp(one.loss, (3.0,), (1.0,))[1] == 2.0
    pair.power = 3  # a number in an object is no flag: the program serves all
    assert jvp(pair.loss, (3.0,), (1.0,))[1] == (1.0, 27.0)
    pair.kind = "one"
    assert jvp(pair.loss, (3.0,), (1.0,))[1] == 2.0


def test_programs_that_serve_all_values_stay() -> None:
    f = s2sad.differentiate(steps)
    assert [f.grad(1.0, n) for n in (3, 4, 5)] == [6.0, 8.0, 10.0]
    assert f.source("adjoint", 1.0, 3) == f.source("adjoint", 1.0, 7)


def test_what_is_refused_for_each_value_is_refused_in_its_words() -> None:
    def both(s, full=True):
        if full:
            return s, eval("s")
        return s

    with pytest.raises(S2sadError, match="eval"):
        jvp(both, (2.0,), (1.0,))
    with pytest.raises(ActivityError):
        grad(by_flag, "full")(2.0, True)


class Lazy:
    def __init__(self, w):
        self.w = w

    def total(self):
        if not hasattr(self, "_total"):
            self._total = self.w * self.w
        return self._total

    def tried(self):
        try:
            return self._total
        except AttributeError:
            self._total = self.w * self.w
        return self._total


@pytest.mark.parametrize("ask", [Lazy.total, Lazy.tried])
def test_an_attribute_that_may_be_there_is_asked_for_as_the_program_runs(ask) -> None:
    def f(s):
        lazy = Lazy(s)
        if s > 1.0:
            lazy._total = s
        return ask(lazy)

    def always(s):
        lazy = Lazy(s)
        return ask(lazy) + ask(lazy)

    assert grad(f)(0.5) == 1.0
    assert grad(f)(1.5) == 1.0
    assert jvp(grad(f), (0.5,), (1.0,)) == (1.0, 2.0)
    assert grad(always)(0.5) == 2.0


PHASE = SimpleNamespace(mode="sin", scale=np.array([1.0, 2.0]), count=0)


def alternating(x):
    found = getattr(np, PHASE.mode)(x * PHASE.scale)
    PHASE.mode = "exp" if PHASE.mode == "sin" else "sin"
    PHASE.count += 1
    return np.sum(found)


def test_a_flag_outside_that_the_program_itself_writes_is_computed() -> None:
    PHASE.mode, PHASE.count = "sin", 0
    with pytest.raises(UnsupportedSyntaxError, match="computed name"):
        grad(alternating)(np.array([0.5, 1.5]))
    assert (PHASE.mode, PHASE.count) == ("sin", 0)


def masked(x, mask):
    found = [a if known else a * a for a, known in zip(x, mask, strict=True)]
    return {True: np.sum, False: np.prod}[mask[0]](np.array(found)) * x.shape[0]


def test_flags_in_a_list_that_is_an_argument() -> None:
    x = np.array([0.5, 1.5])
    assert np.allclose(grad(masked)(x, [True, False]), [2.0, 6.0])
    assert np.allclose(grad(masked)(x, [False, True]), [4.0 * 0.5 * 1.5, 2.0 * 0.5**2])


def chosen(x, options):
    return getattr(np, options[0])(x * options[1])


def test_text_in_a_list_beside_an_array() -> None:
    x, w = np.array([0.5, 1.5]), np.array([1.0, 2.0])
    assert np.allclose(grad(chosen)(x, ["sum", w]), w)
    assert np.allclose(grad(chosen)(x, ["prod", w]), [3.0, 1.0])

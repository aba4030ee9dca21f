"""Which objects are one: what is made in the program is known, what comes in may come twice; ``==`` may ask the same."""

import numpy as np
import pytest

from s2sad import UnsupportedSyntaxError, grad, jvp
from s2sad.testing import check_grads


class Body:
    def __init__(self, x, m=1.0):
        self.x, self.m = x, m

    def same(self, other):
        return self is other

    def pull(self, other, x):
        return x * x if self.same(other) else x * other.m


class Node:
    def __init__(self, w, left=None, right=None):
        self.w, self.left, self.right = w, left, right


class Heavier(Body):
    __hash__ = None

    def __eq__(self, other):
        return self.m > other.m


ONE, TWO = Body(2.0), Body(3.0, 2.0)
ALL, CHOSEN, LEAF = [ONE, TWO, ONE], ONE, Node(1.0)


def is_of_two(a, b, x):
    return x * x * a.m if a is b else x * b.m


def is_not_of_two(a, b, x):
    return x if a is not b else x * x


def equal_of_two(a, b, x):
    return x * x * a.m if a == b else x * b.m


def through_a_call(a, b, x):
    return is_of_two(a, b, x) + a.pull(b, x)


def nested(a, b, x):
    def one():
        return a != b

    return x if one() else x * x


@pytest.mark.parametrize("f", [is_of_two, is_not_of_two, equal_of_two, through_a_call, nested])
@pytest.mark.parametrize("pair", [(ONE, ONE), (ONE, TWO), (Body(1.0), Body(1.0))], ids=["same", "others", "alike"])
def test_two_arguments(f, pair):
    h = 1e-6
    slope = (f(*pair, 1.5 + h) - f(*pair, 1.5 - h)) / (2 * h)
    assert grad(f, 2)(*pair, 1.5) == pytest.approx(slope)
    assert jvp(f, (*pair, 1.5), (None, None, 1.0))[1] == pytest.approx(slope)


def in_a_list(bodies, x):
    total = 0.0
    for p in bodies:
        for q in bodies:
            total += x * x * p.x * q.x if p is not q else x * p.x
    return total


def of_a_tree(t, x):
    return x * x if t.left is t.right else x


def with_one_outside(a, x):
    return x * x if a is CHOSEN else x * a.m


@pytest.mark.parametrize(("f", "given"), [
    (in_a_list, ALL), (in_a_list, tuple(ALL)), (in_a_list, [ONE, TWO]), (of_a_tree, Node(1.0, LEAF, LEAF)),
    (of_a_tree, Node(1.0, LEAF, Node(1.0))), (of_a_tree, LEAF), (with_one_outside, ONE), (with_one_outside, TWO),
    (is_of_two.__get__(ONE), ONE), (is_of_two.__get__(ONE), TWO), (ONE.pull, ONE), (ONE.pull, TWO),
])  # fmt: skip
def test_parts_and_what_is_outside(f, given):
    h = 1e-6
    slope = (f(given, 1.5 + h) - f(given, 1.5 - h)) / (2 * h)
    assert grad(f, 1)(given, 1.5) == pytest.approx(slope)
    assert jvp(f, (given, 1.5), (None, 1.0))[1] == pytest.approx(slope)


def made_inside(x):
    a, b = Body(x), Body(2.0 * x)
    c, total = a, 0.0
    for test in (a == c, a != b, a is not b, a != None, None is not a, a != 3):  # noqa: E711
        total += x * x if test else 100.0 * x
    return total + (x**3 if Heavier(x, 2.0) == a else 50.0 * x)


def pairs_of_bodies(x):
    bodies, total = [Body(x), Body(2.0 * x, 3.0), Body(x * x)], 0.0
    for p in bodies:
        for q in bodies:
            if p != q:
                total += p.m * q.m * p.x / (1.0 + (p.x - q.x) ** 2)
    return total


def outside(x):
    return sum(x * x if p is CHOSEN else x * p.m for p in ALL) + sum(x for p in ALL if p != TWO)


def chosen(x):
    a, b = Body(x), Body(3.0 * x)
    c = a
    for k in range(3):
        c = b if c is a else a
    return c.x * x if c == b else x


@pytest.mark.parametrize("f", [made_inside, pairs_of_bodies, outside, chosen])
def test_of_one_number(f):
    check_grads(f, (1.5,), order=2)


def tuples(a, b, x):
    return x * x if a is b else x


def items_of_growing_lists(n, x):
    bodies = []
    for k in range(n):
        bodies.append(Body(x * k))
    return sum(p.x * q.x for p in bodies for q in bodies if p is not q)


@pytest.mark.parametrize(("f", "args"), [
    (tuples, ((1.0, 2.0), (1.0, 2.0), 1.5)), (items_of_growing_lists, (100, 1.5)),
])  # fmt: skip
def test_what_is_not_followed_is_refused(f, args):
    with pytest.raises(UnsupportedSyntaxError, match="one"):
        grad(f, len(args) - 1)(*args)


def test_arrays_and_lists_are_asked_where_the_program_runs():
    for thing in (np.ones(2), [1.0, 2.0]):
        assert grad(tuples, 2)(thing, thing, 1.5) == 3.0
        assert grad(tuples, 2)(thing, type(thing)(thing) if isinstance(thing, list) else thing.copy(), 1.5) == 1.0

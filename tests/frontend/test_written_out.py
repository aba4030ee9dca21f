"""Loops that follow a structure, or build one: they are written out where what changes is no run-time value."""

import numpy as np
import pytest

from s2sad import CompilerError, S2sadError, grad, vjp
from s2sad.testing import check_grads


class Node:
    def __init__(self, value, following):
        self.value, self.following = value, following


CHAIN = Node(1.0, Node(2.0, None))


def linked_list(s):
    node = Node(s, Node(s * s, Node(2 * s, None)))
    total = 0.0
    while node is not None:
        total += node.value**2
        node = node.following
    return total


def linked_tuples(s):
    rest = (s, (s * s, (2 * s, None)))
    total = 0.0
    while rest is not None:
        total += rest[0] * s
        rest = rest[1]
    return total


def linked_list_outside(s):
    node = CHAIN
    total = 0.0
    while node is not None:
        total += node.value * s
        node = node.following
    return total


def built_from_the_end(s):
    head = None
    for i in range(4):
        head = Node(s * i, head)
    total = 0.0
    while head is not None:
        total += head.value**2
        head = head.following
    return total


def asks_what_only_the_program_knows(s):
    node = Node(s, Node(s * s, Node(3 * s, None)))
    while node.following is not None and node.value < 2.5:
        node = node.following
    return node.value


def leaves_the_loop(s):
    node = Node(s, Node(s * s, None))
    total = 0.0
    while True:
        total += node.value
        if node.following is None:
            break
        node = node.following
    return total


def tuples_that_grow(s):
    x = s
    for i in range(3):
        x = (x, s * i)
    (((a, b), c), d) = x
    return a * b + c * d + a


def lists_that_grow(s):
    x = s
    for _ in range(3):
        x = [x]
    return x[0][0][0] ** 2


def fields_by_number(s):
    node = Node(s, None)
    for i in range(3):
        setattr(node, f"w{i}", s**i)
    total = 0.0
    for i in range(3):
        total += getattr(node, f"w{i}") * node.w1
    return total


def slices_of_tuples(s):
    c = (1.0, s, s * s)
    total = 0.0
    for i in range(1, 3):
        for v in c[:i] + c[i:]:
            total += v * c[i]
    return total


class Settings:
    """Finds everything: what is there, and what is not."""

    def __init__(self, v):
        self.v = v

    def __getattr__(self, name):
        return self.v * len(name)


SETTINGS = Settings(2.0)


def permissive(s):
    return SETTINGS.v * s + SETTINGS.four * s**2 + Settings(s).three


def asks_a_permissive_object(s):
    return s if hasattr(SETTINGS, "five") else 2 * s


RIGHT = [linked_list, linked_tuples, linked_list_outside, built_from_the_end, asks_what_only_the_program_knows,
         leaves_the_loop, tuples_that_grow, lists_that_grow, fields_by_number, slices_of_tuples, permissive,
         asks_a_permissive_object]  # fmt: skip


@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_is_right(function):
    check_grads(function, (1.3,), modes=("tangent", "adjoint"))


def never_ends(s):
    x = (s,)
    while True:
        x = (x, s)
        if s > 100.0:
            break
    return x[1]


def of_unknown_length(s, n):
    x = (s,)
    for _ in range(n):
        x = (x, s)
    return x[1]


def test_what_cannot_be_written_out_is_refused_with_the_loop_s_reason():
    with pytest.raises(S2sadError, match="is not supported") as caught:
        grad(never_ends)(1.3)
    assert not isinstance(caught.value, CompilerError)


def test_lists_of_one_item_are_results():
    def pieces(x):
        return np.split(x * x, 1)

    def pair(x):
        return ([x * x], 2.0)

    x = np.array([1.0, 2.0])
    for function in (pieces, pair):
        value, pullback = vjp(function, x)
        seed = [np.ones(2)] if isinstance(value, list) else ([np.ones(2)], 0.0)
        assert np.array_equal(pullback(seed)[0], 2 * x)


@pytest.mark.parametrize("function", [lambda s: abs((s - 3) ** 1.5), lambda s: ((s - 3) ** 1.5).real, lambda s: (s - 3) ** 1.5])
def test_a_number_that_becomes_complex_is_no_real_derivative(function):
    with pytest.raises(S2sadError, match="complex in Python"):
        grad(function)(1.7)
    assert grad(function)(4.0) == pytest.approx(1.5)


def list_beside_comparison(s):
    done, left = [s, 2 * s], 3
    total = s
    while left and (total > 50.0 or done):
        left -= 1
        if not (total > 4.0 and done) and done:
            total = total * done.pop()
    return total + sum(v for v in [s, total] if done or v > 1.0)


def decided_by_a_list(s):
    kept = s > 1.0 and [s, s * s]
    return kept[0] * kept[1] if kept else s


def list_that_becomes_a_flag(s):
    kept, total = [s, s * s], 0.0
    for k in range(3):
        total += s * kept[0] if kept else s
        kept = False
    return total


@pytest.mark.parametrize("function", [list_beside_comparison, decided_by_a_list, list_that_becomes_a_flag])
@pytest.mark.parametrize("s", [0.7, 1.8, 7.5])
def test_lists_decide_beside_comparisons(function, s):
    check_grads(function, (s,))


def test_what_is_as_long_as_an_argument_says():
    for n in (1, 2, 3):
        check_grads(of_unknown_length, (1.3, n))

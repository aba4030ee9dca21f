"""Assignments to ``nonlocal`` names bind the variable of the nearest function around that has it, however far out that is."""

from __future__ import annotations

import pytest

from s2sad import check_grads, value_and_grad


def two_functions_out(x):
    def a():
        def b():
            nonlocal x
            x = x * 2.0

        b()

    a()
    return x


def a_sum_two_functions_out(x):
    tot = 0.0

    def outer(v):
        def inner():
            nonlocal tot
            tot = tot + v

        inner()

    outer(x)
    outer(x**2)
    return tot


def a_returned_function(x):
    t = x

    def outer():
        def inner(k):
            nonlocal t
            t *= k
            return t

        return inner

    q = outer()
    for i in range(3):
        q(x + i)
    return t


def the_nearest_of_two(x):
    t = 1.0

    def a():
        t = 2.0

        def b():
            def c():
                nonlocal t
                t = t * x

            c()

        b()
        return t

    return a() * t


def in_a_comprehension(x):
    s = x

    def a():
        def b(v):
            nonlocal s
            return [(s := s * v) for _ in range(2)]

        return sum(b(x))

    return a() + s


def handed_to_a_helper(x):
    tot = 0.0

    def a(f):
        for j in range(2):
            f(j)

    def outer():
        def add(j):
            nonlocal tot
            if x > j:
                tot = tot + x**2 * j
            else:
                tot -= x

        a(add)

    outer()
    return tot


def in_a_generator(x):
    tot = 0.0

    def outer(y):
        def gen():
            nonlocal tot
            for i in range(3):
                tot += y * i
                yield tot

        return sum(gen())

    return outer(x) * tot


def bound_later(x):
    def outer():
        def inner():
            nonlocal z
            z = x * 3

        inner()

    z = 0.0
    outer()
    return z * x


PROGRAMS = [
    two_functions_out, a_sum_two_functions_out, a_returned_function, the_nearest_of_two, in_a_comprehension, handed_to_a_helper,
    in_a_generator, bound_later,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_assignments_reach_their_variable(program) -> None:
    assert value_and_grad(program)(1.3)[0] == pytest.approx(program(1.3), rel=1e-14)
    check_grads(program, (1.3,), order=2)

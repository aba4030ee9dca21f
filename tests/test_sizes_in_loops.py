"""Sizes that are others in the next iteration of a loop, or in another call of a function, against differences."""

import numpy as np
import pytest

from s2sad import differentiate, grad, jvp

G = np.arange(1.0, 6.0)


def scaled_tail(k, x):
    return G[k:] * x


def tail_of(k, y, x):
    for _ in range(2):
        x = x * 1.01
    return y[k:] * x


def zeros_and(k, x):
    return np.zeros(k) + x


def slice_from(k):
    return slice(k, None)


def two_calls(x, n):
    a = scaled_tail(n - 4, x)
    b = scaled_tail(n - 1, x * x)  # one item, stretched
    return np.sum(np.sin(a * b))


def two_calls_with_an_array(x, n):
    a = tail_of(n - 4, G, x)
    b = tail_of(n - 1, G, x * x)
    return np.sum(np.sin(a * b))


def two_calls_that_make(x, n):
    a = zeros_and(n - 1, x)
    b = zeros_and(n - 4, x * x)
    return np.sum(np.sin(a * b))


def two_slices_of_calls(x, n):
    y = G * x
    return np.sum(np.sin(y[slice_from(n - 4)] * y[slice_from(n - 1)]))


def the_first_and_the_present(x, n):
    s = 0.0
    for i in range(n):
        present = G[i:] * x
        if i == 0:
            first = present
        s += np.sum(np.sin(first * present * x)) if i in (0, n - 1) else 0.0
    return s


def the_first_and_the_last(x, n):
    last = G[0:1] * x
    for i in range(n):
        present = G[i:] * x
        if i == 0:
            first = present
        last = present
    return np.sum(np.sin(first * last))


def the_one_before(x, n):
    y = G * x
    before = y
    s = 0.0
    for i in range(n):
        part = slice(i, None)
        if i == n - 1:
            s += np.sum(np.sin(before * y[part]))
        before = y[part] if i == 0 else before
    return s


def items_of_a_list(x, n):
    parts = []
    for i in range(n):
        parts.append(G[i:] * x)
    return np.sum(np.sin(parts[0] * parts[n - 1]))


def larger_in_the_end(x, n):
    last = np.full(1, x)
    s = 0.0
    for i in range(n):
        present = np.full(1 + 4 * (i // (n - 1)), x * x)
        s += np.sum(present**2)
        last = present
    return s + np.sum(last)


def larger_in_the_end_of_a_while(x, n):
    last = np.zeros(1)
    s = 0.0
    i = 0
    while i < n:
        present = np.ones(1 if i < n - 1 else 4) * np.sin(x * i)
        s = s + np.sum(np.exp(present))
        last = present
        i += 1
    return s * np.prod(last)


def smaller_in_the_end(x, n):
    y = G * x
    last = y
    s = 0.0
    for i in range(n):
        present = y * y if i < 3 else y[1:] * y[:-1]
        s += np.sum(np.exp(present))
        last = present
    return s * np.prod(last)


PROGRAMS = (
    two_calls, two_calls_with_an_array, two_calls_that_make, two_slices_of_calls, the_first_and_the_present,
    the_first_and_the_last, the_one_before, items_of_a_list, larger_in_the_end, larger_in_the_end_of_a_while, smaller_in_the_end,
)  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_sizes_of_one_iteration_or_call_say_nothing_of_another(program):
    x, n, h = 0.3, len(G), 1e-6
    slope = (program(x + h, n) - program(x - h, n)) / (2.0 * h)
    assert grad(program)(x, n) == pytest.approx(slope, rel=1e-7)
    assert jvp(program, (x, n), (1.0, None))[1] == pytest.approx(slope, rel=1e-7)


def descending(x, n):
    v = np.maximum(x - 0.2 * x ** (2.0 * np.arange(n + 1) - n), 0.0)
    for _ in range(n - 1):
        v = v[1:] + 0.5 * v[:-1] ** 2
    return np.sum(v)


def test_what_a_loop_began_with_has_its_size_again():
    for n in (5, 2, 1, 0):
        slope = (descending(0.3 + 1e-6, n) - descending(0.3 - 1e-6, n)) / 2e-6
        assert grad(descending)(0.3, n) == pytest.approx(slope, rel=1e-6)
    behind = differentiate(descending).source("adjoint", 0.3, 5).rpartition("v_bar[1:] += ")[2]
    assert "x_bar" in behind and "unbroadcast" not in behind

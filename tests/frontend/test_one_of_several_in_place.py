"""``z += more`` where a branch or a failure decides what z is: lists and arrays change in place, tuples and numbers do not."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import UnsupportedSyntaxError, check_grads, jvp, value_and_grad

X = np.array([0.9, 0.43])


def a_list_under_two_names(x):
    items = [x[0], x[1]]
    for _ in range(3):
        try:
            z = items
            z += [x[0] * 2.0]
        except ValueError:
            pass
    return sum(v for v in items)


def a_list_repeated_under_two_names(x):
    items = [x[0], x[1]]
    for _ in range(2):
        try:
            z = items
            z *= 2
        except ValueError:
            pass
    return sum(v for v in items)


def one_of_two_lists(x):
    a, b = [x[0], np.sin], [x[1], x[0], np.cos]
    z = a if x[0] > 0.5 else b
    z += [x[0]]
    return a[0] * len(a) + len(b)


@pytest.mark.parametrize("f", [a_list_under_two_names, a_list_repeated_under_two_names])
def test_lists_that_change_under_another_name_in_an_attempt(f):
    check_grads(f, (X,), order=2)


def test_a_list_whose_other_names_would_not_see_it_is_refused():
    with pytest.raises(UnsupportedSyntaxError):
        jvp(one_of_two_lists, (X,), (X,))
    with pytest.raises(UnsupportedSyntaxError):
        value_and_grad(one_of_two_lists)(X)


def one_of_two_tuples(x):
    a, b = (x[0], 1.0), (x[1], x[0], 2.0)
    z = a if x[0] > 0.5 else b
    z += (x[0],)
    return sum(z) * len(a) + len(b)


def an_array_or_a_tuple(x):
    a, b = x * 1.0, (x[1], x[0])
    z = a if x[0] > 0.5 else b
    z += (x[0], 1.0)
    return sum(z) * sum(a)


@pytest.mark.parametrize("f", [one_of_two_tuples, an_array_or_a_tuple])
def test_others_are_what_they_are_in_python(f):
    x_dot, step = np.array([0.3, -1.0]), 1e-6
    slope = (f(X + step * x_dot) - f(X - step * x_dot)) / (2 * step)
    value, gradient = value_and_grad(f)(X)
    assert value == f(X)
    assert np.allclose([gradient @ x_dot, jvp(f, (X,), (x_dot,))[1]], slope)

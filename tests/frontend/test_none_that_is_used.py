"""Names that are None on the path that is taken, and are used as what they are on others: Python raises, as derivatives do."""

import types

import numpy as np
import pytest

from s2sad import CompilerError, S2sadError, grad, hvp, jvp

V = np.array([0.7, 1.3, 2.1])


def made_in_a_loop(n):
    def inner(v):
        return np.sin(v)

    for _ in range(n):
        return inner
    return None


def bound_by_a_branch(a):
    use = None
    if len(a) > 3:
        use = np.sin
    return use(a)[0]


def by_a_helper(a):
    return made_in_a_loop(len(a) - 3)(a)[0]


def by_a_helper_and_not_read(a):
    made_in_a_loop(len(a) - 3)(a)
    return a[0] ** 2


def the_best(a, low, high):
    if low >= high:
        return None
    middle = (low + high) // 2
    left, found = the_best(a, low, middle), (a[middle] ** 2, middle)
    return left if left is not None and left[0] < found[0] else found


def unpacked(a):
    value, place = the_best(a, 5, len(a))
    return np.sum(value * a)


def unpacked_and_not_read(a):
    value, place = the_best(a, 5, len(a))
    return a[0] ** 2


def subscripted(a):
    pair = (a[0], a[1])
    if len(a) > 2:
        pair = None
    return pair[0] * pair[1]


def an_attribute(a):
    def step(p):
        types.SimpleNamespace(x=p.x * 2.0, v=p.v + p.x)

    p = types.SimpleNamespace(x=a[0], v=1.0)
    for _ in range(2):
        p = step(p)
    return p.x * p.v


FAIL = (
    bound_by_a_branch, by_a_helper, by_a_helper_and_not_read, unpacked, unpacked_and_not_read, subscripted, an_attribute,
)  # fmt: skip


def asked_first(a):
    use = None
    for _ in range(len(a) - 2):
        use = np.sin
    return use(a)[0] if use is not None else a[0]


def asked_for_its_truth(a):
    use = None
    for _ in range(len(a) - 3):
        use = np.sin
    if use and use(a)[0] > 0:
        return a[1]
    return a[2] * a[0]


def bound_on_the_path(a):
    use = None
    if a[0] > 0.5:
        use = np.sin
    return use(a)[0]


def found_in_a_loop(a):
    best = None
    for k in range(len(a)):
        if best is None or a[k] < best[0]:
            best = (a[k] * a[1], k)
    value, place = best
    return value * (place + 1.0)


def a_linked_list(a):
    node, total = None, 0.0
    for k in range(3):
        node = types.SimpleNamespace(x=a[k], rest=node)
    while node is not None:
        total, node = total + node.x**2, node.rest
    return total


HOLD = (found_in_a_loop, a_linked_list, asked_first, asked_for_its_truth, bound_on_the_path)
DERIVATIVES = (lambda f: jvp(f, (V,), (np.ones(3),)), lambda f: grad(f)(V), lambda f: hvp(f, (V,), (np.ones(3),)))


@pytest.mark.parametrize("function", FAIL)
def test_none_is_used_as_something_else(function):
    with pytest.raises((TypeError, AttributeError)) as plain:
        function(V)
    for derive in DERIVATIVES:
        with pytest.raises((S2sadError, type(plain.value))) as ours:
            derive(function)
        assert not isinstance(ours.value, CompilerError)


@pytest.mark.parametrize("function", HOLD)
def test_what_is_not_none_is_used(function):
    d, h = np.array([0.3, -0.4, 0.9]), 1e-5
    first = (function(V + h * d) - function(V - h * d)) / (2 * h)
    second = (grad(function)(V + h * d) - grad(function)(V - h * d)) / (2 * h)
    assert jvp(function, (V,), (d,)) == (pytest.approx(function(V)), pytest.approx(first))
    assert grad(function)(V) @ d == pytest.approx(first)
    np.testing.assert_allclose(hvp(function, (V,), (d,))[1], second, rtol=1e-6, atol=1e-8)

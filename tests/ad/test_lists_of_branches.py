"""Lists that a branch of a function makes, in second derivatives: there a function of its own makes the list of their adjoints,
and another one takes it apart, so that the list is as long as the primal's only in between."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import check_grads, grad, hvp, jvp
from s2sad.errors import S2sadError, UnsupportedSyntaxError

X = [0.3, 0.7, 1.2]
ALONG = [1.0, 0.5, -0.3]


def squares(xs, k):
    if k == 0:
        found = [x * x for x in xs]
        return found[0] * found[1]
    return xs[0] * xs[1] ** 2


def appended(xs, k):
    out = xs[2]
    if k == 0:
        found = []
        for x in xs:
            found.append(x * x)
        found.append(found[0] * xs[1])
        for v in found:
            out = out * v + np.sin(v)
    return out


def inserted(xs, k):
    if k == 0:
        found = []
        for x in xs:
            found.insert(0, x * x)
        return found[0] * found[1] + found[2] ** 2
    return xs[0]


def arrays(xs, k):
    if k == 0:
        rows = []
        for x in xs:
            rows.append(x * np.array([0.5, 1.5]))
        return np.sum(rows[0] * rows[1]) * np.sum(rows[2] ** 3)
    return xs[0] * xs[1]


def stored(xs, k):
    if k == 0:
        found = [x * x for x in xs]
        found[0] = found[1] * xs[1]
        return found[0] * found[2]
    return 1.0


def in_an_iteration(xs, k):
    total = 0.0
    for j in range(k + 2):
        if j > 0:
            found = [x * x for x in xs]
            total = total * 0.5 + found[0] * found[j]
    return total


def stacked(xs, k):
    if k == 0:
        waiting, found = [xs[0]], []
        while waiting:
            x = waiting.pop()
            found.append(x * x)
            if len(found) < 3:
                waiting.append(x * xs[1])
    else:
        found = [xs[0] * 1.0]
    return found


def of_another_function(xs, k):
    found = stacked(xs, k)
    if k != 0:
        return found[0]
    return found[0] * found[2]


def as_a_list(xs):
    return list(xs)


def returned_and_grown(xs, k):
    found = as_a_list(xs)
    found.append(xs[0] * xs[1])
    found[0] = found[1] * found[3]
    return sum([x * x for x in found])


def in_turn(function):
    def loss(xs, n):
        s = 1.0
        for i in range(n):
            s = s * 0.5 + function(xs, i % 2) * s
        return s

    return loss


def at_once(function):
    def loss(xs, n):
        return function(xs, n - 3) * 2.0

    return loss


def differences(loss):
    step = 1e-6
    ends = [grad(loss)([x + side * step * v for x, v in zip(X, ALONG, strict=True)], 3) for side in (1, -1)]
    return [(a - b) / (2 * step) for a, b in zip(*ends, strict=True)]


@pytest.mark.parametrize(
    "loss",
    [
        at_once(squares), in_turn(squares), in_turn(appended), at_once(inserted), at_once(arrays), in_turn(stored),
        at_once(in_an_iteration), in_turn(of_another_function),
        at_once(returned_and_grown),
    ],
)
def test_second_derivatives(loss) -> None:

    def along(xs):
        g = grad(loss)(xs, 3)
        return g[0] * ALONG[0] + g[1] * ALONG[1] + g[2] * ALONG[2]

    expected = differences(loss)
    np.testing.assert_allclose(grad(along)(X), expected, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(hvp(loss, (X, 3), (ALONG, None))[1][0], expected, rtol=1e-5, atol=1e-8)


def dict_or_list(xs, k):
    if k == 0:
        found = {i: xs[i] * xs[i] for i in range(len(xs))}
    else:
        found = [xs[0] * xs[1], xs[1]]
    return found


def dict_or_array(xs, k):
    if k == 0:
        found = {}
        for i in range(2):
            found[i] = xs[i] * xs[2]
    else:
        found = np.array([xs[0] * xs[1], xs[1]])
    return found


def list_or_dict(xs, k):
    return dict_or_list(xs, 1 - k)


@pytest.mark.parametrize("function", [dict_or_list, list_or_dict, dict_or_array])
@pytest.mark.parametrize("k", [0, 1])
def test_a_dict_on_one_path_and_something_else_on_another(function, k) -> None:
    def loss(xs, k):
        found = function(xs, k)
        return found[0] * found[1] * 2

    try:
        check_grads(loss, (X, k), wrt=0)
    except UnsupportedSyntaxError as error:
        assert "dict on one path" in str(error)
        assert function is dict_or_array


def handed_through(pair, k):
    return pair if k <= 0 else handed_through(pair, k - 1)


def written_where_it_stands(pair, k):
    _, items = handed_through(pair, k)
    pair[1][0] = pair[0] * 2
    return sum([x * x for x in items])


def written_where_it_comes_from(pair, k):
    _, items = handed_through(pair, k)
    items[0] = pair[0] * 2
    return sum([x * x for x in pair[1]])


@pytest.mark.parametrize("function", [written_where_it_stands, written_where_it_comes_from])
def test_a_list_in_a_tuple_that_a_recursion_hands_through_is_one(function) -> None:
    with pytest.raises(S2sadError, match="its argument itself, or a part of it"):
        grad(function)((0.7, [0.5, 1.2, 0.3]), 2)


def given_twice(xs, k):
    if k == 0:
        return xs, xs
    a, b = given_twice(xs, k - 1)
    return b, a


def returned_twice(xs, k):
    a, b = given_twice(xs, k - 1)
    return a[0] * b[1] * a[2]


def product(xs, k):
    if k == 3:
        return xs[0] * xs[0] * xs[1]
    return xs[0]


def test_a_list_that_is_returned_twice_has_both_adjoints() -> None:
    check_grads(returned_twice, (X, 3), wrt=0, order=2)


def test_third_derivatives_through_a_branch() -> None:
    def loss(xs):
        return product(xs, 3) * product(xs, 3)

    def first(xs):
        g = grad(loss)(xs)
        return g[0] + g[1]

    def second(xs):
        g = grad(first)(xs)
        return g[0] + g[1]

    x, y, _ = X
    # of x^4 y^2: (d/dx + d/dy)^2, differentiated by each
    expected = [24 * x * y**2 + 48 * x**2 * y + 8 * x**3, 24 * x**2 * y + 16 * x**3, 0.0]
    np.testing.assert_allclose(grad(second)(X), expected, rtol=1e-10)


ROWS = [np.array([1.0, 0.5]), np.array([0.2, -1.0])]


def replaced(rows):
    rows[0] = rows[0] * rows[1]
    return np.sum(rows[0] * rows[0]) + np.sum(rows[1])


def test_a_part_of_a_list_outside_has_no_adjoint() -> None:
    def along(rows):
        return jvp(lambda w: replaced(w[:]), (rows,), (ROWS,))[1]

    given = [np.array([0.7, 1.2]), np.array([0.3, 0.9])]
    check_grads(along, (given,))

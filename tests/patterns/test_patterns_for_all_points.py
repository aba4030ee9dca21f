"""Patterns for all points of programs in which values decide: whatever is a pattern at some point is in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from s2sad import ActivityError, differentiate, jacobian, jacobian_sparsity, sparse_jacobian

RNG = np.random.default_rng(0)
X = np.array([0.5, -0.3, 1.2, 0.7])


def branch(x):
    if x[0] > 0:
        v = x[1] * 2.0
    else:
        v = x[2] ** 2
    return np.array([v, x[3]])


def stores(x):
    y = np.zeros(4)
    if x[0] > 0:
        y[1:3] = x[:2]
    else:
        y[0] = x[3]
    y[3] = x[3]
    return y


def noelse(x):
    y = x * 2.0
    if np.sum(x) > 0:
        y[0] += x[3]
    return y


def where(x):
    return np.where(x > 0, x, x[::-1] ** 2)


def clipped(x):
    return np.where(x > 0.6, 1.0, x)


def picked(x):
    k = np.argmax(x)
    return np.array([x[k], x[0]])


def put(x):
    y = np.zeros(4)
    y[np.argmin(x)] = x[1]
    return y


def sorted_(x):
    return np.sort(x) * x


def perm(x):
    return x[np.argsort(x)]


def limiter(x):
    y = np.zeros(4)
    for i in range(1, 3):
        a, b = x[i] - x[i - 1], x[i + 1] - x[i]
        if a * b <= 0:
            y[i] = 0.0
        elif abs(a) < abs(b):
            y[i] = a
        else:
            y[i] = b
    return y


def helper(a, b):
    if a > b:
        return a * 2
    return b**2


def calls(x):
    return np.array([helper(x[0], x[1]), helper(x[2], x[3])])


def raising(x):
    if x[0] < -100:
        raise ValueError("no")
    return x**2


def nested(x):
    y = np.copy(x)
    if x[0] > 0:
        for i in range(3):
            if x[i] > 1:
                y[i] = y[i + 1] * x[0]
    else:
        y[:] = 0.0
    return y


def indexstore(x):
    idx = np.array([0, 1])
    if x[0] > 0:
        idx[0] = 3
    return x[idx] * 2


def flag(x):
    k = 0
    if x[0] > 0:
        k = 2
    return np.array([x[k], x[1]])


def shapes(x):
    if x[0] > 0:
        y = x[:2]
    else:
        y = x[:3]
    return np.array([np.sum(y)])


def sized(x):
    return x[x > 0]


def noshape(x):
    if x[0] > 0:
        y = x[:2]
    else:
        y = x[1:4]
    return y


def lists(x):
    out = []
    if x[0] > 0:
        out.append(x[1])
    else:
        out.append(x[2])
    return np.array([out[0], x[3]])


def scal(x):
    t = x[1] if x[0] > 0 else 0.0
    return np.array([t, x[2]])


def maxi(x):
    return np.array([max(x[0], x[1]), min(x[2], 0.0), abs(x[3])])


def seen(x):
    y, z = np.zeros(4), np.zeros(4)
    if x[0] > 0:
        z[0] = x[1]
        y[0] = z[0] * x[2]
    else:
        y[0] = z[0]
    y[1] = z[0]
    return y


def swapped(x):
    y, z = np.copy(x), np.zeros(4)
    if x[0] > 0:
        y, z = z, y
    y[0] = x[3]
    return z


def early(x):
    y = np.zeros(4)
    for i in range(4):
        if x[i] > 1.0:
            break
        y[i] = x[i]
    return y


def positive_ones(x):
    parts = [x * 2]
    parts.append(x[x > 0])
    return parts.pop()


def positive_ones_elsewhere(x):
    parts = [x * 2]
    both = (parts, x)
    both[0].append(x[x > 0])
    last = parts.pop()
    return last * x[0]


def put_into(parts, x):
    parts.append(x[x > 0])


def positive_ones_of_a_helper(x):
    parts = [x * 2]
    put_into(parts, x)
    return parts.pop()


def of_a_list(x):
    parts = [x * 2]
    parts.append(x * x[0])
    return parts.pop() + parts[0]


# programs, and how many entries their patterns have for all points
DECIDED = {
    branch: 3,
    lists: 3,
    early: 4,
    stores: 4,
    noelse: 5,
    where: 8,
    clipped: 4,
    picked: 5,
    put: 4,
    sorted_: 16,
    perm: 16,
    limiter: 6,
    calls: 4,
    raising: 4,
    nested: 9,
    indexstore: 8,
    flag: 5,
    scal: 2,
    maxi: 4,
    seen: 3,
    of_a_list: 7,
}
REFUSED = {
    shapes: "shape of an array",
    noshape: "shape of an array",
    sized: "another point",
    swapped: "another point",
    positive_ones: "another point",
    positive_ones_elsewhere: "another point",
    positive_ones_of_a_helper: "another point",
}


@pytest.mark.parametrize("f", DECIDED, ids=lambda f: f.__name__)
def test_every_pattern_at_a_point_is_in_it(f: Any) -> None:
    everywhere = jacobian_sparsity(f, X).toarray()
    assert everywhere.sum() == DECIDED[f]
    for _ in range(8):
        x = RNG.normal(size=4) * RNG.choice([0.3, 1.0, 3.0])
        assert not (jacobian_sparsity(f, x, scope="local").toarray() & ~everywhere).any()
        assert not ((np.atleast_2d(jacobian(f)(x)) != 0) & ~everywhere).any()
    np.testing.assert_allclose(
        sparse_jacobian(f, jacobian_sparsity(f, X), check=True)(-X).toarray(), np.atleast_2d(jacobian(f)(-X))
    )


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_there_is_none(f: Any) -> None:
    with pytest.raises(ActivityError, match=REFUSED[f]):
        jacobian_sparsity(f, X)


def test_both_arms_are_in_the_program() -> None:
    text = differentiate(limiter).source("pattern", X)
    assert "if " not in text.partition("unions):")[2]
    assert text.count("y_set[i] = union(unions, y_set[i], ") == 2


def left_early(x, c):
    if c > 2:
        x = x * 3.0
    elif x[0] > 0:
        if x[1] > 0:
            return x * 0.3
        x = x * 2.0
    return x * 4.0


@pytest.mark.parametrize("c", [1.0, 3.0])
def test_what_a_branch_binds_that_is_not_taken(c: float) -> None:
    np.testing.assert_array_equal(jacobian_sparsity(left_early, X, c).toarray(), np.eye(4, dtype=bool))

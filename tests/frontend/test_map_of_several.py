"""``map`` of several iterables calls its function on each row, whatever is known of how many items which of them has."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from s2sad import jvp, vjp

X = np.array([1.3, 0.7])
X_DOT = np.array([0.5, -2.0])
ITEMS = {
    "an array": lambda x: x,
    "a constant array": lambda x: np.array([2.0, 3.0]),
    "a range": lambda x: range(2),
    "a longer range": lambda x: range(1, 4),
    "a list": lambda x: [x[0], x[1]],
    "a tuple": lambda x: (x[1], x[0]),
    "a dict's values": lambda x: {"a": x[1], "b": 2.0}.values(),
    "a generator": lambda x: (2 * v for v in x),
    "a map": lambda x: map(abs, x),
    "a pair of others": lambda x: (p + q for p, q in zip(x, (1.0, 2.0), strict=True)),
    "something endless": lambda x: itertools.repeat(x[0]),
}
GENERATORS = {"a generator", "a pair of others"}  # two of them side by side may be refused
PAIRS = [(p, q) for p, q in itertools.product(ITEMS, ITEMS) if not {p, q} <= GENERATORS and {p, q} != {"something endless"}]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_the_function_is_applied_to_each_row(first, second):
    one, other = ITEMS[first], ITEMS[second]

    def f(x):
        return x[1] + sum(map(lambda p, q: p * q + q, one(x), other(x)))

    primal, tangent = jvp(f, (X,), (X_DOT,))
    step = 1e-6
    slope = (f(X + step * X_DOT) - f(X - step * X_DOT)) / (2 * step)
    assert np.allclose(primal, f(X), rtol=1e-14)
    assert np.allclose(tangent, slope, rtol=1e-7)
    assert np.allclose(vjp(f, X)[1](1.0)[0] @ X_DOT, slope, rtol=1e-7)


def test_known_rows_beside_others_are_each_called():
    def f(x):
        a, b = map(lambda p, q, r: (p * q, r), range(2), x, ["u", "v"])
        return a[0] + b[0] * len(b[1])

    assert vjp(f, X)[0] == f(X)
    assert np.allclose(vjp(f, X)[1](1.0)[0], [0.0, 1.0])

"""``itertools.zip_longest`` of iterators that ``iter`` made: each of their items is taken once."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from s2sad import UnsupportedSyntaxError, value_and_grad

X = np.array([1.3, 0.7, 0.2])


def with_a_list_that_is_computed(x):
    return sum(p * q * (k + 1) for k, (p, q) in enumerate(itertools.zip_longest(iter([x[0], x[1]]), sorted(x), fillvalue=3.0)))


def two_iterators(x):
    a, b = iter([x[0], x[1]]), iter([x[2]])
    return sum(p * q * (k + 1) for k, (p, q) in enumerate(itertools.zip_longest(a, b, fillvalue=2.0)))


@pytest.mark.parametrize("f", [with_a_list_that_is_computed, two_iterators])
def test_no_item_is_lost(f):
    value, gradient = value_and_grad(f)(X)
    assert np.isclose(value, f(X), rtol=1e-14)
    step = 1e-6
    assert np.allclose(gradient, [(f(X + step * e) - f(X - step * e)) / (2 * step) for e in np.eye(3)])


def test_one_iterator_twice_is_refused():
    def in_pairs(x):
        items = iter([x[0], x[1], x[2]])
        return sum(p * q for p, q in itertools.zip_longest(items, items, fillvalue=2.0))

    with pytest.raises(UnsupportedSyntaxError):
        value_and_grad(in_pairs)(X)

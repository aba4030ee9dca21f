"""``any`` and ``all`` are True or False, whatever decides them, and however what they run over is made."""

from __future__ import annotations

import operator

import numpy as np
import pytest

from s2sad import jvp, value_and_grad

X = np.array([1.3, 0.7])
ASKED = {
    "numbers": lambda x: any(v * v for v in x),
    "none of the numbers": lambda x: any(0 * v for v in x),
    "all numbers": lambda x: all(v * v for v in x),
    "numbers of a list": lambda x: any(v for v in [0.0, x[1]]),
    "numbers under a condition": lambda x: any(v for v in x if v > 1.0),
    "lists": lambda x: any([v] for v in x),
    "NumPy's booleans, added up": lambda x: any(v > 1.0 for v in x) + any(v < 1.0 for v in x),
    "within a sum": lambda x: sum(any(v * k for v in x) for k in range(3)),
    "a map": lambda x: any(map(operator.neg, x)),
    "a map of two": lambda x: all(map(operator.mul, x, [1.0, 0.0])),
    "reversed": lambda x: any(reversed(x)),
    "enumerated": lambda x: all(enumerate(x)),
    "zipped": lambda x: any(zip(x, x, strict=True)),
    "a generator under a name": lambda x: any(operator.itemgetter(0)([(v for v in x)])),
}


@pytest.mark.parametrize("asked", ASKED.values(), ids=list(ASKED))
def test_what_decides_is_not_what_comes_out(asked):
    def alone(x):
        return asked(x)

    def weighed(x):
        return x[0] * asked(x)

    assert type(jvp(alone, (X,), (X,))[0]) is type(alone(X))
    assert jvp(alone, (X,), (X,))[0] == alone(X)
    value, slope = value_and_grad(weighed)(X)
    assert value == weighed(X)
    assert np.array_equal(slope, [asked(X), 0.0])

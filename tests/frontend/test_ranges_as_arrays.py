"""Ranges, empty lists and booleans among the arguments of NumPy's functions, and beside arrays: NumPy makes arrays of them."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import jvp, vjp

X = np.array([1.3, 0.7])
X_DOT = np.array([0.5, -2.0])


def in_place(x):
    r = x * 1.0
    r += range(2)
    r *= range(1, 3)
    r[:] -= range(2)
    r[:] = range(2) * r
    return r * x


PROGRAMS = {
    "maximum": lambda x: np.maximum(x, range(2)),
    "minimum": lambda x: np.minimum(range(2), x[0]),
    "an empty list": lambda x: np.maximum(x[0], []),
    "an empty tuple": lambda x: np.add((), x[0]),
    "booleans": lambda x: np.maximum(x, [True, False]) * [True, False],
    "clip": lambda x: np.clip(x, 0.9, range(1, 3)),
    "power": lambda x: np.power(x, range(2)),
    "append": lambda x: np.append(range(2), x),
    "append to a number": lambda x: np.append(x[0], range(2)),
    "concatenate": lambda x: np.concatenate([range(2), x]),
    "stack": lambda x: np.stack([x, range(2)]),
    "hstack": lambda x: np.hstack((range(2), x)),
    "array": lambda x: np.array([range(2), x]),
    "where": lambda x: np.where(x > 1.0, range(2), x),
    "dot": lambda x: np.dot(range(2), x) + np.inner(x, range(2)),
    "convolve": lambda x: np.convolve(range(3), x),
    "interp": lambda x: np.interp(x, range(3), [1.0, 3.0, 2.0]),
    "matmul": lambda x: range(2) @ np.outer(x, x),
    "array * range": lambda x: x * range(1, 3),
    "range - array": lambda x: range(2) - x,
    "float64 - range": lambda x: x[0] - range(2),
    "array ** range": lambda x: x ** range(2),
    "in place": in_place,
    "places and axes": lambda x: np.transpose(np.outer(x[range(2)], np.take(x, range(2))), range(2)),
}


@pytest.mark.parametrize("f", PROGRAMS.values(), ids=list(PROGRAMS))
def test_ranges_are_arrays(f):
    primal, tangent = jvp(f, (X,), (X_DOT,))
    assert np.array_equal(primal, f(X))
    assert np.shape(tangent) == np.shape(primal)
    step = 1e-6
    slope = (f(X + step * X_DOT) - f(X - step * X_DOT)) / (2 * step)
    assert np.allclose(tangent, slope, atol=1e-8)
    seed = np.cos(np.arange(np.size(primal))).reshape(np.shape(primal))
    assert np.allclose(vjp(f, X)[1](seed)[0] @ X_DOT, np.sum(seed * slope), atol=1e-8)

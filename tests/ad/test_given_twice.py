"""Functions that are given one array twice, as data and for its shape alone: what looks at the shape must not hide the data."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad, hessian

X = np.array([0.4, -0.7, 1.1, 0.25])
PROGRAMS = {
    "permuted": lambda x: np.sum(np.random.default_rng(3).permutation(x) * x),
    "taken": lambda x: np.sum(np.take(x, [0, 0, 2, 1]) * x**2),
    "convolved": lambda x: np.sum(np.convolve(x, x, "valid")),
    "convolved_alike": lambda x: np.sum(np.convolve(x, x, "same") * x),
    "kron": lambda x: np.sum(np.kron(x, x)[3:7] * x),
    "running_maximum": lambda x: np.sum(np.maximum.accumulate(x) * x),
    "tensordot": lambda x: np.sum(np.tensordot(x.reshape(2, 2), x.reshape(2, 2), 1) * x.reshape(2, 2)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_second_order_of_what_meets_itself(name):
    f, step = PROGRAMS[name], 1e-5
    expected = [(grad(f)(X + h) - grad(f)(X - h)) / (2 * step) for h in step * np.eye(X.size)]
    for mode in ("fwd", "rev"):
        assert np.allclose(hessian(f, mode=mode)(X), expected, rtol=1e-6, atol=1e-8)

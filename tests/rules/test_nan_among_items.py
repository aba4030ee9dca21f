"""Python's ``max``, ``min`` and ``sorted`` with NaN among the items: what does not compare stays where it is."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from sampling import loaded

import s2sad

PROGRAMS = """
max(x) * 2
min(x) * 2
max(x[0], x[1], x[2]) * 2
min(x[0], x[1], x[2]) * 2
max(x.tolist())
min(x.tolist())
max([2 * v for v in x])
min(2 * v for v in x)
max(x, default=3.0)
max(list(x), key=lambda v: -v)
max(map(float, x))
min(*x)
max(x[1], x[0]) * x[2] if x[2] == x[2] else min(x[1], x[0])
max(x[0], 0.0) + min(0.0, x[0])
max(0.5, x[0]) * min(x[0], 1.5)
sorted(x)[0] * 3.0
sorted(x.tolist(), reverse=True)[1]
max(x.reshape(3, 1)[:, 0])
max((x[0], 1), (x[1], 2))[0]
""".strip().splitlines()
PLACES = [np.array(p) for p in itertools.permutations((0.7, 2.3, math.nan))] + [np.array([0.7, 2.3, 1.1])]


def differences(f: Any, x: np.ndarray) -> np.ndarray:
    """The gradient, where the value is a number."""
    steps = 1e-6 * np.eye(3)
    return np.array([(f(x + step) - f(x - step)) / 2e-6 for step in steps])


@pytest.mark.filterwarnings("ignore::s2sad.native.NotCompiledWarning", "ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("options", [{}, {"backend": "numba"}], ids=["numpy", "numba"])
@pytest.mark.parametrize("text", PROGRAMS)
def test_the_order_of_comparing_is_pythons(text: str, options: Any) -> None:
    f = loaded(f"<nan in {text}>", f"def f(x):\n    return {text}\n", np=np)["f"]
    derive = s2sad.value_and_grad(f, **options)
    direction = np.array([0.3, -1.1, 0.8])
    for x in PLACES:
        value, gradient = derive(x)
        same, tangent = s2sad.jvp(f, (x,), (direction,), **options)
        np.testing.assert_equal(float(value), float(f(x)))
        np.testing.assert_equal(float(same), float(f(x)))
        if f(x) == f(x):
            expected = differences(f, x)
            np.testing.assert_allclose(gradient, expected, rtol=1e-6)
            assert tangent == pytest.approx(expected @ direction, rel=1e-6)


@pytest.mark.parametrize("name", ["max", "min"])
def test_ties_share_and_no_items_raise_as_before(name: str) -> None:
    f = loaded(f"<ties of {name}>", f"def f(x):\n    return {name}(x)\n")["f"]
    assert s2sad.grad(f)(np.array([2.0, 2.0])).tolist() == [0.5, 0.5]
    with pytest.raises(ValueError, match="empty"):
        s2sad.grad(f)(np.zeros(0))
    assert s2sad.hessian(lambda x: f(x * x) ** 2)(np.array([3.0, 3.0])).shape == (2, 2)

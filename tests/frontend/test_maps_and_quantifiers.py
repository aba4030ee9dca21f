"""``map`` over several things side by side, and the truth that ``any`` and ``all`` find, which is True or False of Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, value_and_grad

X = np.array([0.7, 1.3])

PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "a range beside a list": lambda x: sum(map(lambda p, q: (p + 1) * q * q, range(2), [x[0], x[1]])),
    "a list beside a range": lambda x: sum(map(lambda q, p: (p + 1) * q * q, [x[0], x[1]], range(5))),
    "an array beside a tuple": lambda x: np.sum(list(map(lambda p, q: p * q * q, np.array([1.0, 2.0]), (x[0], x[1])))),
    "an array beside an array": lambda x: sum(map(lambda p, q: p * q, x, x * x)),
    "a builtin": lambda x: sum(v * v for v in map(max, range(2), (x[0], x[1]))),
    "three": lambda x: sum(map(lambda i, p, q: i * p * q, range(9), x, [x[1], x[0]])),
    "any of numbers": lambda x: x[0] * any(v * v for v in x),
    "all of numbers": lambda x: x[0] * all(v * v for v in x),
    "a sum of truths": lambda x: x[0] * (any(v > 0 for v in x) + any(v > 1 for v in x) + all(v < 5 for v in x)),
    "a sum in a generator": lambda x: x[0] * sum(any(v * k for v in x) for k in range(3)),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_right(program: Callable[[Any], Any]) -> None:
    assert value_and_grad(program)(X)[0] == pytest.approx(program(X))
    check_grads(program, (X,), order=2)

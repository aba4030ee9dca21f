"""Numbers that ``tolist`` and ``item`` give are Python's: they divide, overflow and tell their class as in the plain call."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from sampling import loaded

import s2sad

X = np.array([0.0, 2.0])
PROGRAMS = """
1 / x.tolist()[0]
1 / x.reshape(1, 2).tolist()[0][0]
sum([1 / v for v in x.tolist()])
1 / sum(x.tolist()[:1])
x.tolist()[1] * (2.0 if isinstance(x.tolist()[1], np.float64) else 3.0)
x[1] * (2.0 if isinstance(x[1].item(), np.float64) else 3.0)
x.tolist()[0] ** -1
x.tolist()[1] ** 4000.0
max(x.tolist()) / min(x.tolist())
1 / sorted(x.tolist())[0]
1 / np.float64(x.tolist()[0] + 1.0)
x[1] * (1 // k.tolist()[0])
x[1] * (1 % k.tolist()[0])
x[1] * k.tolist()[1] ** 4
x[1] * k[1].item() ** 4
x[1] * k.reshape(1, 2).tolist()[0][1] ** 4
x[1] * (2.0 if (x > 1.0).tolist()[1] is True else 3.0)
x[1] * (2.0 if isinstance(x.astype(np.float32).tolist()[1], float) else 3.0)
(x * 1j).tolist()[1].imag * (2.0 if isinstance((x * 1j).tolist()[1], np.complex128) else 3.0)
x[1] * k.astype(np.uint8).tolist()[0] - 300 * x[1] * k.astype(np.uint8).tolist()[1]
1 / x.reshape(2, 1).tolist()[0][0]
math.sqrt(x.tolist()[1]) * x.tolist()[1]
np.sum(np.array(x.tolist()) ** 2)
-x.tolist()[0] + abs(x.tolist()[1]) + x.tolist()[1] * 2
1 / np.asarray(x[0]).tolist()
""".strip().splitlines()


def outcome(run: Any) -> Any:
    """The class of the value or exception."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = run()
        except ArithmeticError as error:
            return type(error).__name__, str(error)
    return type(found).__name__, found


@pytest.mark.parametrize("text", PROGRAMS)
def test_the_value_and_the_exception_are_those_of_the_plain_call(text: str) -> None:
    source = f"def f(x, k):\n    return {text}\n"
    f = loaded(f"<numbers of {text}>", source, np=np, math=math)["f"]
    k = np.array([0, 9**9])
    expected = outcome(lambda: f(X, k))
    assert outcome(lambda: s2sad.value_and_grad(f)(X, k)[0]) == expected
    assert outcome(lambda: s2sad.jvp(f, (X, k), (X, None))[0]) == expected
    if not isinstance(expected[1], str):
        h, direction = 1e-6, np.array([0.3, -0.7])
        change = (f(X + h * direction, k) - f(X - h * direction, k)) / (2 * h)
        assert s2sad.grad(f)(X, k) @ direction == pytest.approx(change, rel=1e-6)
        assert s2sad.jvp(f, (X, k), (direction, None))[1] == pytest.approx(change, rel=1e-6)
        assert s2sad.grad(s2sad.grad(f, 0), 0) is not None


def test_what_is_not_annotated_gives_pythons_numbers_too() -> None:
    from s2sad.runtime import python_number

    assert type(python_number(np.float32(0.5))) is float
    assert type(python_number(np.int8(3))) is int
    assert python_number("text") == "text"

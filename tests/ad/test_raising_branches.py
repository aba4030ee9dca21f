"""Branches of which one arm raises: the reverse sweep knows which one was taken, and asks nothing again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, differentiate


def activated(x, w, kind):
    z = w * x
    if kind == "tanh":
        return np.sum(np.tanh(z))
    elif kind == "softplus":
        return np.sum(np.log1p(np.exp(z)))
    else:
        raise ValueError(kind)


def positive(x):
    if x > 0:
        s = np.log(x)
        t = s * x
    else:
        raise ValueError("negative")
    return s * t


def called(x):
    return positive(x) * positive(x + 1.0)


def recovered(x):
    try:
        y = positive(x) + x * x
    except ValueError:
        y = x * x * x
    return y


def each_positive(x):
    total = 0.0
    for v in x:
        if v > 0:
            s = np.log(v)
            t = np.sin(s) * v
        else:
            raise ValueError("negative")
        total += s * t
    return total


def stored(x, n):
    y = np.copy(x)
    for k in range(n):
        if k < 5:
            w = y[1:]
            y[k] = np.sin(y[k]) * y[k + 1]
            w *= y[:-1]
        else:
            raise IndexError(k)
        y[0] += w[0] * w[1]
    return np.sum(y**2)


def nested(x, kind):
    if kind > 1:
        if kind > 2:
            raise ValueError(kind)
        y = np.exp(x)
        z = y * x
    else:
        y = x
        z = np.cos(y) * y
    return np.sum(y * z)


X = np.array([0.7, 1.3, 2.1])
CALLS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (activated, (X, X + 1.0, "tanh")), (activated, (X, X + 1.0, "softplus")), (positive, (2.0,)), (called, (2.0,)),
    (recovered, (2.0,)), (recovered, (-2.0,)), (each_positive, (X,)), (stored, (X, 2)), (nested, (X, 2)), (nested, (X, 0)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), CALLS)
def test_derivatives(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check_grads(f, args, order=2)


def test_they_still_raise() -> None:
    for f, args in [(positive, (-1.0,)), (each_positive, (-X,))]:
        with pytest.raises(ValueError, match="negative"):
            differentiate(f).grad(*args)
    with pytest.raises(ValueError, match="none"):
        differentiate(activated).grad(X, X, "none")


def reverse_of(f: Callable[..., Any], *args: Any) -> str:
    """The reverse sweep."""
    return differentiate(f).source("adjoint", *args).partition("# reverse sweep")[2]


def test_nothing_is_asked_again() -> None:
    assert "if" not in reverse_of(positive, 2.0).replace("differ", "")
    assert reverse_of(activated, X, X, "tanh").count("elif") == 0
    assert "zeros" not in reverse_of(activated, X, X, "tanh")


def test_what_the_other_arm_gives_is_recorded_once() -> None:
    text = differentiate(each_positive).source("adjoint", X)
    assert "append((s, t))" in text and "s_tape" not in text
    assert "_1" not in differentiate(positive).source("adjoint", 2.0)


def test_nothing_follows_a_raise() -> None:
    lines = differentiate(activated).source("adjoint", X, X, "tanh").splitlines()
    raising = next(k for k, line in enumerate(lines) if "raise" in line)
    assert "reverse sweep" in lines[raising + 1]


def rates(z, p):
    a, b = p
    x, y = z
    return np.array([a * x - x * y, x * y - b * y])


def stepped(z, p):
    for _ in range(3):
        z = z + 0.1 * rates(z, p)
    return np.sum(z * z)


def test_a_call_that_is_computed_again_asks_nothing_again() -> None:
    args = (np.array([1.0, 0.5]), np.array([0.7, 0.4]))
    text = differentiate(stepped, wrt=("z", "p")).source("adjoint", *args)
    forward, again = text.split("def rates_adjoint")
    assert "raise" in forward and "raise" not in again and "np.zeros_like(z)" not in again
    check_grads(stepped, args, wrt=("z", "p"), order=2)
    with pytest.raises(ValueError, match="too many values to unpack"):
        differentiate(stepped, wrt=("z", "p"))(args[0], np.ones(3))

"""Memory that programs share in ways that are easily overlooked: arrays without axes, hidden windows, gathers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import errors, vjp
from s2sad.testing import check_grads


def box(x: Any) -> Any:
    total = np.zeros(())
    other = total
    for v in x:
        total += v * v
    other *= 2.0
    return total * x[0]


def window_without_axes(x: Any) -> Any:
    y = x * 1.0
    z = y[..., 0]
    z *= 3.0
    return y


def result_without_axes(x: Any) -> Any:
    s = np.empty(())
    np.multiply(x[0], x[1], out=s)
    s[()] = np.sin(s)
    return s + x[2]


def gathered(x: Any) -> Any:
    y = x[np.array([2, 0, 2])]
    y *= x[0]
    x[np.array([1, 2, 0])] = y
    return x


def turned(x: Any) -> Any:
    A = np.outer(x, x)
    B = np.einsum("ij->ji", A)
    B[0] *= 2.0
    return A


def not_copied(x: Any) -> Any:
    y = np.array(x, copy=None)
    y *= 2.0
    z = x.astype(float, copy=False)
    z += 1.0
    return x


def mended(x: Any) -> Any:
    y = np.nan_to_num(x, copy=False)
    y *= x[0]
    return x


def diagonal_set(x: Any) -> Any:
    A = np.outer(x, x)
    np.einsum("ii->i", A)[...] = x**2
    return A


def diagonal_that_cannot_be_set(x: Any) -> Any:
    A = np.outer(x, x)
    np.diagonal(A)[...] = 1.0
    return A


PROGRAMS = (box, window_without_axes, result_without_axes, gathered, turned, not_copied, mended, diagonal_set)


@pytest.mark.parametrize("program", PROGRAMS)
def test_both_modes_see_it(program: Callable[..., Any]) -> None:
    x = np.array([0.7, -1.2, 0.4])
    check_grads(program, (x,))
    assert np.allclose(vjp(program, x.copy())[0], program(x.copy()))


def test_an_argument_without_axes_stays_as_it_is() -> None:
    def scaled(s: Any, x: Any) -> Any:
        s *= x[0]
        s += x[1]
        return s * s

    check_grads(scaled, (np.array(1.3), np.array([0.7, -1.2])))


def test_a_diagonal_is_not_written() -> None:
    with pytest.raises(errors.AliasError, match="a diagonal"):
        check_grads(diagonal_that_cannot_be_set, (np.ones(3),))


def test_gradients_keep_the_precision_of_their_arguments() -> None:
    def joined(x: Any, c: Any) -> Any:
        s = 0.0
        for v in np.hstack([x, np.eye(2)[0]]):
            s = s + c * v * v
        for v in x:
            s = s + c * v
        return s

    x = np.array([0.5, 1.5], dtype=np.float32)
    _, pullback = vjp(joined, x, 2.0)
    x_bar, c_bar = pullback(1.0)
    assert x_bar.dtype == np.float32
    assert type(c_bar) is float

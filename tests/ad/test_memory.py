"""Second derivatives of programs that write into memory at places that an index list names, some of them twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, grad, jacfwd, jacrev

A = np.linspace(0.1, 1.0, 5)
M = np.linspace(0.1, 1.2, 6).reshape(3, 2)


def added_twice(a, x):
    np.add.at(a, [0, 3, 0], x)
    return np.sum(np.sin(a)) ** 2


def read_twice(a, x):
    return np.sum(a[[0, 3, 0]] * x) ** 3


def written_twice(a, x):
    a[[1, 2, 1]] = np.array([1.0, 2.0, 3.0]) * x * a[0]
    return np.sum(np.sin(a)) ** 2


def exchanged(m, x):
    m[[0, 2]] = m[[2, 0]] * x
    m[m > 0.5] *= x
    return np.sum(np.cos(m)) ** 2


def columns_from_a_row(m):
    for i in range(2):
        m[:, i] = m[1, 1:].copy()
    return np.sum(np.sin(m) * [[1.0], [2.0], [3.0]])


def test_a_copy_that_a_store_reads_last_is_a_copy_still() -> None:
    check_grads(columns_from_a_row, (np.linspace(0.1, 1.2, 12).reshape(3, 4),))


CASES: list[tuple[Callable[..., Any], Any]] = [(added_twice, A), (read_twice, A), (written_twice, A), (exchanged, M)]


@pytest.mark.parametrize(("function", "array"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_second_derivative(function: Callable[..., Any], array: Any) -> None:
    for k in range(2):
        check_grads(grad(function, k), (array, 0.7))


def all_stored(a, x):
    a[:] = (a * x)[None]
    return np.sum(a**3)


def row_stored(m, x):
    m[1] = m[2:3] * x
    m[[0, 1]] = m[None, :1]
    return np.sum(m**3)


def stretched_and_stored(m, x):
    m[:] = (m[0] * x)[None, None]
    np.copyto(m[1], (m[2] ** 2).reshape(1, 2))
    return np.sum(m**3)


WITH_AXES_IN_FRONT = [(all_stored, A), (row_stored, M), (stretched_and_stored, M)]


@pytest.mark.parametrize(("function", "array"), WITH_AXES_IN_FRONT, ids=lambda v: getattr(v, "__name__", ""))
def test_derivatives_of_stores_that_leave_out_axes_in_front(function: Callable[..., Any], array: Any) -> None:
    for k in range(2):
        check_grads(grad(function, k), (array, 0.7))
        check_grads(lambda a, x, k=k: np.sum(grad(grad_of_sum(function, k), k)(a, x)), (array, 0.7))
    columns, rows = (made(grad(function))(array, 0.7) for made in (jacfwd, jacrev))
    np.testing.assert_allclose(columns, rows, rtol=1e-12)


def grad_of_sum(function: Callable[..., Any], k: int) -> Callable[..., Any]:
    def summed(a, x):
        return np.sum(grad(function, k)(a, x))

    return summed


def copied_by_name(x, y):
    z = x.copy()
    np.copyto(dst=z, src=y)
    np.copyto(z[1:], src=x[1:], where=y[1:] > 1)
    np.copyto(z, z, where=np.ones(7, bool))
    return z * x


def test_the_arguments_of_copyto_by_name() -> None:
    check_grads(copied_by_name, (np.array([0.3, 1.2, 0.7]), np.array([1.5, 0.4, 2.0])))

"""Second derivatives of programs that write into memory at places that an index list names, some of them twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, grad

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


def copied_by_name(x, y):
    z = x.copy()
    np.copyto(dst=z, src=y)
    np.copyto(z[1:], src=x[1:], where=y[1:] > 1)
    np.copyto(z, z, where=np.ones(7, bool))
    return z * x


def test_the_arguments_of_copyto_by_name() -> None:
    check_grads(copied_by_name, (np.array([0.3, 1.2, 0.7]), np.array([1.5, 0.4, 2.0])))

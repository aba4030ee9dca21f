"""Arrays that each iteration makes again of what does not change: the reverse sweep reads the last one, where there is one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, differentiate, grad

U = np.array([0.3, 0.5, 0.2])
A = np.array([[0.1, 0.2, 0.3], [0.4, 0.1, 0.2], [0.3, 0.3, 0.1]])


def solves(u, a, M, n, m):
    size = u.shape[0]
    for _ in range(n):
        B = np.eye(size) + a * M
        u = np.linalg.solve(B, u)
    return np.sum(u**2)


def nested(u, a, M, n, m):
    s = 0.0
    for k in range(m):
        for _ in range(n + k - 1):
            B = a * M
            u = np.sin(B @ u)
        s = s + np.sum(u)
    return s


def until(u, a, M, n, m):
    k = 0
    while k < n:
        B = np.exp(a * M)
        u = np.sin(B @ u) * (k + m)
        k += 1
        if np.sum(u) > 2.5:
            break
    return np.sum(u)


def calls_itself(u, a, M, n, m):
    for _ in range(m):
        B = np.exp(a * M)
        u = np.sin(B @ u)
    if n > 0:
        return calls_itself(1.5 * u, a, M, n - 1, m)
    return np.sum(u)


def written_into(u, a, M, n, m):
    M = M.copy()
    for _ in range(n):
        B = np.exp(a * M)
        u = np.sin(B @ u)
        M[0, 1] += u[0]
    return np.sum(u)


def written_itself(u, a, M, n, m):
    for k in range(n):
        B = np.exp(a * M)
        u = np.sin(B @ u)
        B[0, 0] = k
        u = u + B @ u
    return np.sum(u)


def of_the_index(u, a, M, n, m):
    for k in range(n):
        B = np.exp(a * M * k)
        u = np.sin(B @ u)
    return np.sum(u)


def in_a_branch(u, a, M, n, m):
    for k in range(n):
        if k % 2:
            B = np.exp(a * M)
            u = np.sin(B @ u)
        else:
            u = u * m
    return np.sum(u)


ONCE = [solves, nested, until, calls_itself]
PROGRAMS = [*ONCE, written_into, written_itself, of_the_index, in_a_branch]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(("n", "m"), [(0, 0), (0, 1), (1, 0), (1, 2), (3, 2)])
def test_derivatives(program: Callable[..., Any], n: int, m: int) -> None:
    check_grads(program, (U, 0.3, A, n, m), wrt=(0, 1, 2))


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(("n", "m"), [(0, 0), (2, 2)])
def test_second_derivatives(program: Callable[..., Any], n: int, m: int) -> None:
    check_grads(lambda u, a, M: np.sum(grad(program)(u, a, M, n, m) * np.cos(u)), (U, 0.3, A), wrt=(0, 1, 2))


def test_it_is_recorded_once() -> None:
    for program in PROGRAMS:
        source = differentiate(program, wrt=(0, 1, 2)).source("adjoint", U, 0.3, A, 2, 2)
        recorded = [line for line in source.splitlines() if "append" in line and "B" in line.split("append")[-1]]
        assert (not recorded) == (program in ONCE or program is of_the_index), source  # that is made again of the index

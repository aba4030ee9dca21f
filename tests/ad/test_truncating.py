"""Arrays that may hold integers: what is stored into them has a derivative only where they keep its fraction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.signal
import scipy.special

from s2sad import differentiate, grad, hvp, jvp
from s2sad.errors import KindError
from s2sad.testing import check_grads

A, B = np.array([[2, 1], [1, 3]]), np.array([1, 2])


def full(x, coarse):
    m = 1 if coarse else 2.5
    z = np.full(3, m)
    z[0] = x
    return z.sum() * x


def like(x, coarse):
    z = np.zeros_like(np.arange(3) * (2 if coarse else 0.5))
    z[0] = x
    return z.sum() * x


def items(x, coarse):
    values = [1, 2]
    if not coarse:
        values.append(2.5)
    z = np.array(values)
    z[0] = x
    return z.sum() * x


def largest(x, coarse):
    m = max(1, 0.5 if coarse else 1.5)
    z = np.array([0, m])
    z[0] = x
    return z.sum() * x


def powers(x, coarse):
    z = np.array([0, 2 ** (2 if coarse else -1)])
    z[0] = x
    return z.sum() * x


def quotients(x, coarse):
    z = np.sum([1 if coarse else 0.5, 2]) * np.arange(3)
    z[0] = x
    return z.sum() * x


@pytest.mark.parametrize("program", [full, like, items, largest, powers, quotients])
def test_what_may_be_integers_is_looked_at(program: Callable[..., Any]) -> None:
    check_grads(program, (0.7, False), wrt=(0,))
    with pytest.raises(KindError, match="keeps no fractions"):
        grad(program)(0.7, True)
    with pytest.raises(KindError, match="keeps no fractions"):
        jvp(program, (0.7, True), (1.0,), wrt="x")


def of_a_list(t, p, start=0):
    t, p, start = list(map(np.asanyarray, (t, p, start)))
    whole = np.asanyarray(p + start)
    return t * t * whole


def of_a_display(t, p, start=0):
    t, p, start = [np.asanyarray(t), np.asanyarray(p), np.asanyarray(start)]
    return t * t * np.asanyarray(p + start)


def of_a_list_that_a_helper_takes_apart(t, p, start=0):
    t, p, start = [np.asanyarray(v) for v in (t, p, start)]
    return of_a_list(t, p + start) + of_a_list(t, p)


@pytest.mark.parametrize("program", [of_a_list, of_a_display, of_a_list_that_a_helper_takes_apart])
def test_integers_beside_what_varies_are_no_part_of_it(program: Callable[..., Any]) -> None:
    """In one list, whose items share an adjoint: those that carry no derivative have none there."""
    check_grads(program, (1.5, 3), wrt=(0,))
    assert grad(program)(1.5, 3) == pytest.approx(grad(program)(1.5, 3.0))
    assert grad(grad(program))(1.5, 3) == pytest.approx(2 * program(1.5, 3) / 1.5**2)
    assert hvp(program, (1.5, 3), (1.0, None))[1][0] == pytest.approx(2 * program(1.5, 3) / 1.5**2)


def test_known_types_are_not_guarded() -> None:
    def known(x, n):
        z = np.full(3, 0.5 * n)
        z[0] = x
        return z.sum() * x

    assert "assert_" not in differentiate(known).source("adjoint", 0.7, 2)


def of_solution(x):
    z = np.zeros_like(np.linalg.solve(A, B))
    z[:] = x * x
    return np.sum(z)


def of_another_solution(x):
    z = np.zeros_like(scipy.linalg.solve(A, B))
    z[:] = x * x
    return np.sum(z)


def of_determinant(x):
    z = np.full(2, np.linalg.det(A))
    z[:] = x * x
    return np.sum(z * x)


def of_convolution(x):
    z = np.zeros_like(scipy.signal.fftconvolve(B, B))
    z[:2] = x * x
    return np.sum(z)


def of_zeta(x):
    z = np.zeros_like(scipy.special.zeta(2, B))
    z[:2] = x * x
    return np.sum(z)


def of_bessel(x):
    z = np.full(2, np.i0(2))
    z[:2] = x * x
    return np.sum(z)


@pytest.mark.parametrize(
    "program", [of_solution, of_another_solution, of_determinant, of_convolution, of_zeta, of_bessel]
)
def test_floats_that_are_made_of_integers_hold_what_is_stored(program: Callable[..., Any]) -> None:
    check_grads(program, (np.array([0.7, 1.3]),))


def flipped(x):
    y = np.flip(x)
    z = y
    y += x
    return z * x


def copied(x):
    y = x.copy()
    z = y
    y += x
    return z * x


def repeated(x):
    y = np.repeat(x, 2, axis=-1)
    return np.sum(y * y * x)


def test_numbers_in_the_place_of_arrays() -> None:
    for program in (flipped, copied):
        try:
            check_grads(program, (np.float64(0.7),))
        except Exception as error:
            assert "in place is not known" in str(error)
    check_grads(repeated, (0.7,))

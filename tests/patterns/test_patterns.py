"""Patterns: exactly the entries of the Jacobian that differ from zero, where the program tells them; never fewer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks.bratu import bratu_in_line
from s2sad import (
    ActivityError,
    differentiate,
    grad,
    hessian,
    hessian_sparsity,
    jacobian,
    jacobian_sparsity,
    sparse_hessian,
    sparse_jacobian,
)

RNG = np.random.default_rng(5)
SPARSE = sp.random_array((7, 8), density=0.2, rng=np.random.default_rng(3), format="csr")


def heat(x):
    u = np.copy(x)
    for _ in range(3):
        u[1:-1] += 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return u


def swapped(x):
    a, b = np.copy(x), np.ones_like(x)
    for _ in range(3):
        b[1:] = a[:-1] * a[1:]
        a, b = b, a
    return a


def arrow(x):
    return np.concatenate([[np.sum(x * x)], x[1:] * x[0]])


def elements(x):
    y = np.zeros(x.size)
    for i in range(1, x.size):
        y[i] = np.sin(x[i]) * x[i - 1]
    return y


def gathered(x):
    return x[np.array([0, 3, 3, 1])] * x[2:6]


def scattered(x):
    y = np.zeros(4)
    np.add.at(y, np.array([0, 1, 1, 3, 0, 2, 2, 2]), x * x)
    return y


def planes(x):
    u = x.reshape(2, 4)
    return np.concatenate([u.sum(axis=0), u.T[1] * 2.0, np.roll(u, 1, axis=1).ravel(), np.diff(u, axis=1).ravel()])


def rows_times(x):
    return (x.reshape(4, 2) @ np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])).ravel()


def contracted(x):
    return np.einsum("ij,kj->ik", x.reshape(4, 2), np.ones((3, 2))).ravel()


def through_sparse(x):
    return SPARSE @ (x * x)


def running(x):
    return np.cumsum(x) * x


def outer(x):
    return np.outer(x[:3], x[3:6]).ravel()


def padded(x):
    return np.pad(x, 2, mode="edge") * 2.0


def square(v):
    return v * v


def by_calls(x):
    return np.stack([square(x[i]) + square(x[-1 - i]) for i in range(4)])


def of_number(x):
    return x[2] ** 3


def lorenz(x):
    a, b, c = x[0], x[1], x[2]
    for _ in range(50):
        a, b, c = a + 0.01 * (b - a), b + 0.01 * (a * (28.0 - c) - b), c + 0.01 * (a * b - c)
    return np.array([a, b, c, x[4]])


def no_dependence(x):
    return np.floor(x) * 0.5


def sines(x, k):
    return x * x if k == 0 else sines(np.sin(x), k - 1)


def sized_by_calls(x):
    v = sines(x, 2)
    y = np.zeros(len(v))
    y[1:] = v[:-1]
    return y


EXACT = (
    bratu_in_line, heat, swapped, arrow, elements, gathered, scattered, planes, rows_times, contracted, through_sparse, running,
    outer, padded, by_calls, of_number, lorenz, no_dependence, sized_by_calls,
)  # fmt: skip


def differs(f: Callable[..., Any], x: Any, h: float = 1e-5) -> Any:
    """Where differences of the program differ from zero."""
    columns = [np.ravel(f(x + step)) - np.ravel(f(x - step)) for step in h * np.eye(x.size)]
    return np.abs(np.stack(columns, axis=1)) > 1e-14


@pytest.mark.parametrize("f", EXACT, ids=lambda f: f.__name__)
def test_exactly_what_differs_from_zero(f: Any) -> None:
    x = RNG.uniform(0.5, 1.5, 9 if f is bratu_in_line else 8)
    found = jacobian_sparsity(f, x)
    assert isinstance(found, sp.csr_array)
    assert found.dtype == bool
    np.testing.assert_array_equal(found.toarray(), differs(f, x))
    np.testing.assert_allclose(sparse_jacobian(f)(x).toarray(), np.atleast_2d(jacobian(f)(x)), rtol=1e-12, atol=1e-12)


def solved(x):
    return np.linalg.solve(np.diag(np.arange(1.0, 9.0)), x)[:4]


def test_of_what_nothing_is_known_everything_depends() -> None:
    assert jacobian_sparsity(solved, np.ones(8)).nnz == 32


# --- at a point, and everywhere


def branches(x):
    y = np.zeros(x.size)
    for i in range(x.size):
        if x[i] > 0:
            y[i] = x[i] ** 2
        else:
            y[i] = x[i - 1]
    return y


def positive(x, k):
    return x if k == 0 else positive(x[x > 0], k - 1)


def resized_by_calls(x):
    v = positive(x, 2)
    y = np.zeros(len(v))
    y[:] = v
    return y


def masked(x):
    z = x[x > 0]
    y = np.zeros(4)
    for i in range(min(4, len(z))):
        y[i] = z[i]
    return y


def indexed(x):
    return x * x[np.argmax(x)]


def stops(x):
    y = np.zeros_like(x)
    for i in range(x.size):
        if x[i] < 0:
            break
        y[i] = x[i]
    return y


def halved(x):
    y = np.copy(x)
    while np.sum(y * y) > 1.0:
        y = 0.5 * y * x[::-1]
    return y


def hidden(x):
    k = [0]
    if x[0] > 0:
        k[0] = 1
    return x[k[0] : k[0] + 3] * 2.0


def attempted(x):
    try:
        if x[0] > 0:
            raise ValueError
        y = x * 1.0
    except ValueError:
        y = x[::-1] * 1.0
    return y


def counted(x):
    items = []
    for i in range(x.size):
        if x[i] > 0:
            items.append(x[i])
    y = np.zeros(4)
    for i in range(min(len(items), 4)):
        y[i] = items[i]
    return y


POINTS = [branches, masked, resized_by_calls, indexed, stops, halved, hidden, attempted, counted]


@pytest.mark.parametrize("f", POINTS, ids=lambda f: f.__name__)
def test_at_a_point(f: Any) -> None:
    for x in (np.linspace(1.0, -1.2, 8), np.linspace(-0.9, 1.3, 8)):
        np.testing.assert_array_equal(jacobian_sparsity(f, x, scope="local").toarray(), differs(f, x))
    made = sparse_jacobian(f, check=True)
    for x in (np.linspace(1.0, -1.2, 8), np.linspace(-0.9, 1.3, 8), np.linspace(1.0, -1.2, 8)):
        np.testing.assert_allclose(made(x).toarray(), jacobian(f)(x))


@pytest.mark.parametrize("f", POINTS, ids=lambda f: f.__name__)
def test_everywhere_is_never_less_than_at_a_point(f: Any) -> None:
    try:
        everywhere = jacobian_sparsity(f, np.linspace(1.0, -1.2, 8)).toarray()
    except ActivityError as error:
        assert "another point" in str(error) or "for all points" in str(error)
        return
    for x in (np.linspace(1.0, -1.2, 8), np.linspace(-0.9, 1.3, 8), np.linspace(1.0, 2.0, 8), -np.linspace(1.0, 2.0, 8)):
        assert not (differs(f, x) & ~everywhere).any()


# --- second derivatives


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def chain(x):
    total = 0.0
    for i in range(x.size - 1):
        total += x[i] * x[i + 1] ** 2
    return total


def linear(x):
    return np.sum(3.0 * x)


def diffused(u):
    v = u.copy()
    v[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1]
    return v


def energy_of_what_is_called(u):
    return np.sum(diffused(u) ** 2)


def powers(u, n):
    found = [u * u]
    for i in range(n):
        found.append(found[-1] * u[i])
    return found


def through_lists_of_what_is_called(u):
    return np.sum(powers(u, 2)[-1])


HESSIANS = [rosenbrock, chain, linear, energy_of_what_is_called, through_lists_of_what_is_called]


@pytest.mark.parametrize("f", HESSIANS, ids=lambda f: f.__name__)
def test_patterns_of_hessians(f: Any) -> None:
    x = RNG.uniform(0.5, 1.5, 10)
    found = hessian_sparsity(f, x)
    np.testing.assert_array_equal(found.toarray(), np.abs(hessian(f)(x)) > 0)
    np.testing.assert_array_equal(found.toarray() | np.eye(10, dtype=bool), differs(grad(f), x) | np.eye(10, dtype=bool))
    np.testing.assert_allclose(sparse_hessian(f, check=True)(x).toarray(), hessian(f)(x), rtol=1e-11, atol=1e-10)


def through_a_window(u):
    v = np.exp(u).T
    w = v.reshape(-1)
    w[1:] += w[:-1] ** 2
    return np.sum(v)


def through_a_window_of_a_copy(u):
    v = u.T.copy()
    w = v.ravel()
    w[2:] *= np.sin(w[:-2])
    return np.sum(v)


def through_a_window_of_a_product(u):
    v = 2.0 * u
    w = v.reshape(-1)
    w[1:] += w[:-1] ** 2
    return np.sum(v)


WINDOWS = [through_a_window, through_a_window_of_a_copy, through_a_window_of_a_product]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("f", WINDOWS, ids=lambda f: f.__name__)
def test_hessians_through_windows_that_strides_decide(f: Any, order: Any) -> None:
    x = np.array(RNG.uniform(0.5, 1.5, (3, 3)), order=order)
    whole = hessian(f)(x).reshape(9, 9)
    steps = [np.array(step.reshape(3, 3), order=order) for step in 1e-5 * np.eye(9)]
    slopes = [np.ravel(grad(f)(x + step) - grad(f)(x - step)) / 2e-5 for step in steps]
    np.testing.assert_allclose(whole, slopes, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(sparse_hessian(f, check=True)(x).toarray(), whole, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(sparse_hessian(f, hessian_sparsity(f, x))(x).toarray(), whole, rtol=1e-12, atol=1e-12)


# --- the text, sizes, refusals


def test_the_program_can_be_read() -> None:
    text = differentiate(bratu_in_line).source("pattern", np.ones(9))
    wanted = """\
    n = int(np.sqrt(u.size))
    v_set = np.reshape(u_set, (n, n))
    p = np.zeros((n + 2, n + 2))
    p_set = np.zeros_like(p, "int64")
    p_set[1:-1, 1:-1] = v_set
    v1 = p_set[2:, 1:-1]
    r_set = union(unions, v1, p_set[:-2, 1:-1], p_set[1:-1, 2:], p_set[1:-1, :-2], v_set)
    return r_set.ravel()
"""
    assert wanted in text


def test_entries_grow_with_the_size_alone() -> None:
    n = 40_000
    assert jacobian_sparsity(bratu_in_line, np.ones(n)).nnz == 5 * n - 4 * 200
    assert jacobian_sparsity(arrow, np.ones(n)).nnz == 3 * n - 2


def two(x, y):
    return x * y[0]


def test_of_numbers_and_by_name() -> None:
    assert jacobian_sparsity(two, 2.0, np.ones(3)).toarray().tolist() == [[True]]
    assert jacobian_sparsity(two, 2.0, np.ones(3), wrt="y").toarray().tolist() == [[True, False, False]]
    wide = jacobian_sparsity(two, np.ones((2, 2)), np.ones(3), wrt=1)
    assert wide.shape == (4, 3)


def test_what_is_refused() -> None:
    for wrong in (lambda: jacobian_sparsity(two, 2.0, np.ones(3), wrt=(0, 1)), lambda: jacobian_sparsity(two, 2, np.ones(3)),
                  lambda: jacobian_sparsity(two, 2.0, np.ones(3), scope="both"), lambda: jacobian_sparsity(pair, np.ones(3)),
                  lambda: jacobian_sparsity(total_of, [1.0, 2.0])):  # fmt: skip
        with pytest.raises(ActivityError):
            wrong()


def pair(x):
    return x, x


def total_of(xs):
    return xs[0] * xs[1]

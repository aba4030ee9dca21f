"""Sparse Jacobians and Hessians: the dense ones, entry by entry, from as many directions as there are colours."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks.bratu import bratu, five_point
from s2sad import ActivityError, color, hessian, jacobian, sparse_hessian, sparse_jacobian

RNG = np.random.default_rng(8)


def wide(x):
    return np.array([np.sum(x * x), x[0] * x[-1]])


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def number(x):
    return x**3


WIDE = np.ones((2, 9), bool)
WIDE[1, 1:-1] = False


@pytest.mark.parametrize("chunk_size", [None, 1, 3])
@pytest.mark.parametrize("structure", ["columns", "rows"])
def test_the_jacobian_of_a_stencil(structure: str, chunk_size: int | None) -> None:
    u = RNG.standard_normal((6, 6))
    found = sparse_jacobian(bratu, color(five_point(6), structure), check=True, chunk_size=chunk_size)(u, 0.7)
    assert isinstance(found, sp.csr_array)
    np.testing.assert_allclose(found.toarray(), jacobian(bratu)(u, 0.7).reshape(36, 36), rtol=1e-12, atol=1e-13)


def test_a_pattern_is_coloured_by_what_needs_fewer_colours() -> None:
    x = RNG.standard_normal(9)
    made = sparse_jacobian(wide, WIDE)
    assert made.coloring.structure == "rows"
    assert made.coloring.count == 2
    np.testing.assert_allclose(made(x).toarray(), jacobian(wide)(x))
    assert sparse_jacobian(wide, np.eye(2, 9)).coloring.structure == "columns"


@pytest.mark.parametrize("structure", ["symmetric", "columns", None])
def test_the_hessian_of_rosenbrock(structure: str | None) -> None:
    pattern = sp.diags_array([1.0, 1.0, 1.0], offsets=[-1, 0, 1], shape=(12, 12))
    x = RNG.standard_normal(12)
    found = sparse_hessian(rosenbrock, color(pattern, structure) if structure else pattern, check=True)(x)
    np.testing.assert_allclose(found.toarray(), hessian(rosenbrock)(x), rtol=1e-12, atol=1e-11)


def test_by_another_argument_and_by_name() -> None:
    u = RNG.standard_normal((3, 3))
    found = sparse_jacobian(bratu, np.ones((9, 1)), wrt="lam")(u, lam=0.7)
    np.testing.assert_allclose(found.toarray()[:, 0], np.exp(u).ravel())


def test_of_a_number_by_a_number() -> None:
    assert sparse_jacobian(number, np.ones((1, 1)))(2.0).toarray() == pytest.approx(12.0)


def test_an_empty_pattern() -> None:
    assert sparse_jacobian(np_zero, sp.csr_array((3, 3)))(np.ones(3)).nnz == 0


def np_zero(x):
    return 0.0 * np.floor(x)


def test_a_pattern_that_misses_entries_is_found_out() -> None:
    u = RNG.standard_normal((6, 6))
    for structure in ("columns", "rows"):
        with pytest.raises(ActivityError, match="misses"):
            sparse_jacobian(bratu, color(sp.eye_array(36), structure), check=True)(u, 0.7)
    with pytest.raises(ActivityError, match="misses"):
        sparse_hessian(rosenbrock, sp.eye_array(12), check=True)(RNG.standard_normal(12))


def test_what_does_not_fit_is_refused() -> None:
    u = np.ones((6, 6))
    for structure in ("columns", "rows"):
        for pattern in (five_point(5), np.ones((35, 36)), np.ones((36, 35))):
            with pytest.raises(ActivityError):
                sparse_jacobian(bratu, color(pattern, structure))(u, 0.7)
    with pytest.raises(ActivityError):
        sparse_jacobian(bratu, five_point(6), wrt=(0, 1))
    with pytest.raises(ActivityError):
        sparse_jacobian(bratu, color(five_point(6), "symmetric"))
    with pytest.raises(ActivityError):
        sparse_hessian(rosenbrock, color(np.eye(3), "rows"))
    with pytest.raises(ActivityError):
        sparse_jacobian(bratu, five_point(6), chunk_size=0)


def test_it_can_be_pickled() -> None:
    x = RNG.standard_normal(12)
    pattern = sp.diags_array([1.0, 1.0, 1.0], offsets=[-1, 0, 1], shape=(12, 12))
    made = sparse_hessian(rosenbrock, pattern)
    again = pickle.loads(pickle.dumps(made))
    assert (again(x) != made(x)).nnz == 0


def test_no_rows_and_no_columns() -> None:
    assert sparse_jacobian(lambda x: x[:0])(np.ones(2)).shape == (0, 2)
    assert sparse_jacobian(lambda x: x * 2)(np.zeros(0)).shape == (0, 0)

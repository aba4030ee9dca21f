"""Colourings: what products with the seeds give back must be the matrix, entry by entry."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from s2sad import ActivityError, color


def five_point(n: int) -> Any:
    line = sp.diags_array([1.0, 1.0, 1.0], offsets=[-1, 0, 1], shape=(n, n))
    return sp.csr_array(sp.kron(line, sp.eye_array(n)) + sp.kron(sp.eye_array(n), line))


def arrow(n: int) -> Any:
    made = sp.lil_array((n, n))
    made[0, :] = made[:, 0] = 1
    made.setdiag(1)
    return sp.csr_array(made)


def scattered(n: int, m: int, seed: int, density: float = 0.05) -> Any:
    return sp.csr_array(sp.random_array((n, m), density=density, rng=np.random.default_rng(seed)))


def both_ways(matrix: Any) -> Any:
    return sp.csr_array(matrix + matrix.T)


TRIDIAGONAL = sp.csr_array(sp.diags_array([1.0, 1.0, 1.0], offsets=[-1, 0, 1], shape=(300, 300)))
PATTERNS: dict[str, Callable[[], Any]] = {
    "tridiagonal": lambda: TRIDIAGONAL,
    "five points": lambda: five_point(20),
    "arrow": lambda: arrow(60),
    "diagonal": lambda: sp.csr_array(sp.eye_array(50)),
    "dense": lambda: np.ones((9, 9)),
    "empty": lambda: sp.csr_array((7, 7)),
    "without rows": lambda: sp.csr_array((0, 0)),
    "one": lambda: np.ones((1, 1)),
    "only off the diagonal": lambda: both_ways(sp.diags_array([1.0], offsets=[1], shape=(30, 30))),
    **{f"symmetric {k}": lambda k=k: both_ways(scattered(60, 60, k, 0.02 + 0.01 * k)) for k in range(12)},
}
OBLONG = {
    **{f"wide {k}": lambda k=k: scattered(20, 50, k) for k in range(4)},
    **{f"tall {k}": lambda k=k: scattered(50, 20, k) for k in range(4)},
    "no columns": lambda: sp.csr_array((4, 0)),
}


def filled(pattern: Any, symmetric: bool, seed: int = 1) -> Any:
    rng = np.random.default_rng(seed)
    made = sp.coo_array(pattern)
    full = sp.csr_array((rng.standard_normal(made.data.size) + 3.0, (made.row, made.col)), shape=made.shape)
    return sp.csr_array(full + full.T) if symmetric else full


@pytest.mark.parametrize("structure", ["columns", "rows", "symmetric"])
@pytest.mark.parametrize("name", [*PATTERNS, *OBLONG])
def test_what_was_compressed_comes_back(name: str, structure: str) -> None:
    pattern = {**PATTERNS, **OBLONG}[name]()
    if structure == "symmetric" and name in OBLONG:
        return
    coloring = color(pattern, structure)
    matrix = filled(pattern, structure == "symmetric")
    found = coloring.decompress(coloring.compress(matrix))
    assert found.shape == matrix.shape
    assert found.nnz == matrix.nnz
    assert abs(found - matrix).max() < 1e-13 if matrix.nnz else True


@pytest.mark.parametrize(
    ("name", "structure", "most"),
    [("tridiagonal", "columns", 3), ("tridiagonal", "symmetric", 3), ("five points", "columns", 7), ("five points", "rows", 7),
     ("five points", "symmetric", 6), ("arrow", "columns", 60), ("arrow", "symmetric", 2), ("diagonal", "rows", 1),
     ("dense", "columns", 9), ("empty", "columns", 1), ("without rows", "columns", 0)],
)  # fmt: skip
def test_few_colours_do(name: str, structure: str, most: int) -> None:
    assert color(PATTERNS[name](), structure).count <= most


def test_a_colouring_can_be_kept() -> None:
    coloring = color(five_point(5), "symmetric")
    again = pickle.loads(pickle.dumps(coloring))
    matrix = filled(five_point(5), symmetric=True)
    assert abs(again.decompress(again.compress(matrix)) - matrix).max() == 0.0


def test_only_entries_that_are_not_false_count() -> None:
    matrix = sp.csr_array((np.array([1.0, 0.0, 2.0]), (np.array([0, 0, 1]), np.array([0, 1, 1]))), shape=(2, 2))
    assert color(matrix).count == 1
    doubled = sp.coo_array((np.array([1.0, -1.0]), (np.array([0, 0]), np.array([1, 1]))), shape=(1, 2))
    assert color(doubled).pattern.nnz == 1  # entries that cancel are entries


def test_a_vertex_with_many_neighbours_costs_what_its_entries_do() -> None:
    """In time that is quadratic in the size this would take minutes."""
    assert color(arrow(20_000), "symmetric").count == 2


@pytest.mark.parametrize(
    ("pattern", "structure"),
    [(np.ones((2, 2)), "acyclic"), (np.ones((2, 3)), "symmetric"), (np.triu(np.ones((3, 3))), "symmetric"), (np.ones(3), "rows")],
)
def test_what_cannot_be_coloured_is_refused(pattern: Any, structure: str) -> None:
    with pytest.raises(ActivityError):
        color(pattern, structure)


def test_products_of_another_shape_are_refused() -> None:
    coloring = color(np.eye(4))
    with pytest.raises(ActivityError):
        coloring.decompress(np.ones((2, 4)))
    with pytest.raises(ActivityError):
        coloring.compress(np.eye(3))

"""Samples of scipy.linalg and scipy.sparse.linalg."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse.linalg
from samples_linalg import BATCH, COMPLEX, SPD, SQUARE
from sampling import Sample, arr, call

SINGLE = SQUARE.astype("float32")
ROWS, COLUMNS = np.array([0, 1, 2, 2, 2]), np.array([0, 1, 2, 0, 0])
ROWS_OF, COLUMNS_OF = map(np.ravel, np.indices((3, 3)))
SPARSE = scipy.sparse.csc_array(SQUARE * (np.abs(SQUARE) > 0.4))


class Factors:
    """Factors as SciPy makes them, which cannot be copied: nor need they be."""

    def __init__(self, matrix: Any) -> None:
        self.solve = scipy.sparse.linalg.splu(matrix).solve

    def __deepcopy__(self, _: Any) -> Factors:
        return self


TALL = arr(4, 3) + np.eye(4, 3)
CHOLESKY, UPPER = np.linalg.cholesky(SPD), np.linalg.cholesky(SPD).T
LU, PIVOTS = scipy.linalg.lu_factor(SQUARE[::-1])
BANDS = np.array([[0.0, 0.3, -0.4, 0.2], [2.0, 2.5, 3.0, 2.2], [0.5, -0.3, 0.7, 0.0]])
WIDE_BANDS = np.vstack([BANDS, [0.2, -0.1, 0.0, 0.0]])
ROTATION = np.array([[0.3, -1.2, 0.1], [0.9, 0.4, 0.2], [0.3, 0.1, 1.7]])
SYMMETRIC = [call(SPD), call(SPD, lower=True), call(SPD.astype("float32"))]

LINALG: dict[str, list[Sample]] = {
    "scipy.linalg.inv": [call(SQUARE), call(SINGLE), call(SQUARE + 0.3j * SPD)],
    "scipy.linalg.solve": [
        call(SQUARE, arr(3)),
        call(SQUARE, arr(3, 2)),
        call(SQUARE, arr(3), assume_a="gen"),
        call(SINGLE, arr(3, dtype="float32")),
    ],
    "scipy.linalg.det": [call(SQUARE)],
    "scipy.linalg.norm": [
        call(arr(4)),
        call(arr(2, 3)),
        call(arr(2, 3), 1),
        call(arr(2, 3), axis=1),
        call(arr(2, 3), "fro"),
        call(arr(2, 3), "nuc"),
        call(arr(4), 3),
        call(arr(2, 3), None, 0, True),
    ],
    "scipy.linalg.cholesky": SYMMETRIC,
    "scipy.linalg.cho_factor": SYMMETRIC,
    "scipy.linalg.cho_solve": [
        call((CHOLESKY, True), arr(3)),
        call((UPPER, False), arr(3)),
        call((CHOLESKY + np.triu(SQUARE, 1), True), arr(3, 2)),
        call((UPPER, False), arr(3, 2)),
    ],
    "scipy.linalg.pinv": [call(TALL), call(TALL.T), call(SQUARE)],
    "scipy.linalg.svd": [call(TALL, full_matrices=False), call(TALL, False, False), call(SQUARE)],
    "scipy.linalg.svdvals": [call(TALL)],
    "scipy.linalg.eigh": [call(SPD, driver="evd"), call(SPD, lower=False, driver="evd")],
    "scipy.linalg.eigvalsh": [call(SPD), call(SPD, lower=False)],
    "scipy.linalg.solve_triangular": [
        call(SQUARE, b, trans, lower=lower, unit_diagonal=unit)
        for b in (arr(3), arr(3, 2))
        for trans in (0, 1, "T")
        for lower in (True, False)
        for unit in (True, False)
    ]
    + [call(SINGLE, arr(3, dtype="float32"))],
    "scipy.linalg.lu_factor": [*map(call, (SQUARE, SQUARE[::-1], SINGLE, TALL, TALL.T, BATCH, COMPLEX))],
    "scipy.linalg.lu_solve": [call((LU, PIVOTS), b, trans) for b in (arr(3), arr(3, 2)) for trans in (0, 1)],
    "scipy.linalg.lu": [
        *map(call, (SQUARE, SQUARE[::-1], TALL, TALL.T, BATCH, arr(2, 4, 3), COMPLEX)),
        *(call(a, p_indices=True) for a in (SQUARE[::-1], TALL, BATCH)),
    ],
    **{
        f"scipy.linalg.{n}": [call(0.5 * SQUARE), call(0.5 * SQUARE + 0.2j * SPD)]
        for n in ("expm", "cosm", "sinm", "coshm", "sinhm")
    },
    "scipy.linalg.expm_frechet": [call(0.5 * SQUARE, arr(3, 3), compute_expm=False)],
    "scipy.linalg.logm": [call(SPD), call(SPD + 0.2j * SQUARE)],
    "scipy.linalg.sqrtm": [call(SPD), call(SPD + 0.2j * SQUARE)],
    "scipy.linalg.solve_sylvester": [
        call(SQUARE, arr(2, 2) + 2 * np.eye(2), arr(3, 2)),
        call(SQUARE + 0.1j * SPD, arr(2, 2) + 2 * np.eye(2), arr(3, 2, dtype="complex128")),
    ],
    "scipy.linalg.solve_continuous_lyapunov": [call(SQUARE, arr(3, 3))],
    "scipy.linalg.solve_discrete_lyapunov": [call(0.3 * SQUARE, arr(3, 3))],
    "scipy.linalg.toeplitz": [call(arr(3)), call(arr(3, dtype="complex128")), call(arr(3), arr(4))],
    "scipy.linalg.hankel": [call(arr(3)), call(arr(3), arr(4)), call(arr(4), arr(2))],
    "scipy.linalg.circulant": [call(arr(4))],
    "scipy.linalg.block_diag": [call(arr(2, 3)), call(arr(2, 3), arr(1, 2), arr(3, 1))],
    "scipy.linalg.khatri_rao": [call(arr(2, 3), arr(4, 3))],
    "scipy.linalg.solve_banded": [
        call((1, 1), BANDS, arr(4)),
        call((1, 1), BANDS, arr(4, 2)),
        call((2, 1), WIDE_BANDS, arr(4)),
        call((1, 2), WIDE_BANDS[::-1] + np.array([[0.0], [0.0], [3.0], [0.0]]), arr(4)),
    ],
    "scipy.linalg.signm": [call(np.diag([1.0, -2.0, 3.0]) + 0.1 * SQUARE)],
    "scipy.linalg.eig": [call(SPD + 0.3 * SQUARE), call(ROTATION)],
    "scipy.linalg.eigvals": [call(SPD + 0.3 * SQUARE), call(ROTATION)],
    "scipy.linalg.polar": [call(SQUARE), call(TALL)],
    "scipy.linalg.eigvalsh_tridiagonal": [call(np.array([2.0, 3.5, 1.0, 0.4]), arr(3))],
    "scipy.linalg.eigh_tridiagonal": [
        call(np.array([2.0, 3.5, 1.0, 0.4]), arr(3)),
        call(np.array([2.0, 3.5, 1.0, 0.4]), arr(3), True),
    ],
    **{  # which checks that q and r are symmetric
        f"scipy.linalg.{name}": [call(0.4 * SQUARE, arr(3, 2), SPD, SPD[:2, :2], fixed="q r")]
        for name in ("solve_continuous_are", "solve_discrete_are")
    },
    "s2sad.libraries.scipy.runtime.toeplitz_solution": [
        call(arr(4) + 3 * np.eye(4)[0], arr(4, seed=1), b, turned)
        for b in (arr(4), arr(4, 2))
        for turned in (False, True)
    ],
    "scipy.sparse.linalg.spsolve": [call(SPARSE, arr(3)), call(SPARSE, arr(3, 2))],
    **{
        f"scipy.sparse.linalg.{n}": [
            call(SPD, arr(3), rtol=1e-13, fixed="rtol"),
            call(SPARSE, arr(3), rtol=1e-13),
        ]
        for n in ("gmres", "bicgstab", "bicg", "cgs", "lgmres")
    },
    **{
        f"scipy.sparse.linalg.{n}": [call(scipy.sparse.csr_array(SPD), arr(3), rtol=1e-13, fixed="rtol")]
        for n in ("cg", "minres")
    },
    "scipy.sparse.linalg.expm_multiply": [call(SPARSE, arr(3)), call(SPARSE, arr(3, 2))],
    "s2sad.libraries.scipy.runtime.factored_solution": [
        call(Factors(SPARSE), b, turned) for b in (arr(3), arr(3, 2)) for turned in (False, True)
    ],
    "s2sad.libraries.scipy.runtime.sparse_product": [call(arr(5), ROWS, COLUMNS, 4, x) for x in (arr(3), arr(3, 2))],
    "s2sad.libraries.scipy.runtime.paired_sums": [
        call(arr(4), ROWS, arr(3), COLUMNS),
        call(arr(4, 2), ROWS, arr(3, 2, seed=1), COLUMNS),
    ],
    "s2sad.libraries.scipy.runtime.sparse_solution": [
        call(arr(5) + np.array([3.0, 3.0, 3.0, 0.0, 0.0]), ROWS, COLUMNS, b) for b in (arr(3), arr(3, 2))
    ],
    "s2sad.libraries.scipy.runtime.unit_lower": [call(SQUARE), call(TALL), call(TALL.T), call(BATCH)],
    "s2sad.libraries.scipy.runtime.iterated": [
        call(name, SPD[ROWS_OF, COLUMNS_OF], ROWS_OF, COLUMNS_OF, arr(3), None, 1e-13, 0.0, fixed="rtol atol")
        for name in ("cg", "bicg", "bicgstab", "gmres")
    ],
    "s2sad.libraries.scipy.runtime.diagonal_sums": [call(arr(3, 3)), call(arr(2, 4)), call(arr(4, 2))],
    "s2sad.libraries.scipy.runtime.banded_transpose": [call((2, 1), WIDE_BANDS)],
    "s2sad.libraries.scipy.runtime.banded_product": [call((2, 1), WIDE_BANDS, arr(4)), call((1, 1), BANDS, arr(4, 2))],
    "s2sad.libraries.scipy.runtime.banded_outer": [
        call((2, 1), arr(4), arr(4, seed=1)),
        call((1, 1), arr(4, 2), arr(4, 2, seed=1)),
    ],
}
LINALG_STEPS: dict[str, list[Sample]] = {
    "s2sad.libraries.scipy.runtime.pivoted": [call(PIVOTS, 3), call(PIVOTS, 5), call(np.stack([PIVOTS, PIVOTS]), 3)],
    "s2sad.libraries.scipy.runtime.row_order": [call(np.eye(3), SQUARE), call(np.arange(3), SQUARE), call(np.eye(0), arr(3, 0))],
    "s2sad.libraries.scipy.runtime.column_pivots": [call(SPD)],
    "s2sad.libraries.scipy.runtime.factors": [call(SPARSE)],
    "s2sad.libraries.scipy.runtime.entries": [call(SPARSE)],
    "s2sad.libraries.scipy.runtime.unrolled": [call(np.array([0, 2, 2, 5]))],
    "s2sad.libraries.scipy.runtime.slots": [call(COLUMNS, ROWS)],
    "s2sad.libraries.scipy.runtime.matches": [call(COLUMNS, ROWS)],
}

"""Samples of linear algebra: single matrices, stacks, single precision, complex matrices.

Eigenvectors of complex Hermitian matrices and complex singular vectors are not among them: LAPACK chooses their phases
as it likes, so that differences of them say nothing. ``test_linalg_programs.py`` uses what does not depend on phases.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from sampling import Literal, Sample, arr, call

SPD = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.2], [0.5, -0.2, 2.0]])
SQUARE = np.array([[2.0, -1.0, 0.3], [0.5, 1.5, -0.7], [0.1, 0.9, 1.2]])
BATCH = np.stack([SQUARE, SQUARE.T + 0.1])
COMPLEX = SQUARE + 0.3j * SPD
TALL, WIDE = arr(4, 3), arr(2, 4)
TURNING = np.array([[0.5, -2.0, 0.1], [1.5, 0.7, 0.2], [-0.3, 0.4, 1.1]])  # has a pair of complex eigenvalues
HERMITIAN = SPD + 0.4j * np.array([[0, 1, -0.5], [-1, 0, 0.7], [0.5, -0.7, 0]])
SINGULAR = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.5, -1.0, 2.0]])


def single(x: Any) -> Any:
    """In single precision."""
    return x.astype("float32")


def complex_arr(*shape: int, seed: int = 0) -> Any:
    return arr(*shape, seed=seed, dtype="complex128")


INF = Literal(math.inf)
MINUS_INF = Literal(-math.inf)
VECTOR_NORMS = [
    call(x, order, axis)
    for order in (None, 1, 2, 3, Literal(2.5), -1, -2, Literal(0.5), INF, MINUS_INF, 0)
    for x, axis in ((arr(4), None), (arr(2, 3), 1), (complex_arr(2, 3), 0))
]
MATRIX_NORMS = [
    call(x, order, axis)
    for order in (None, "fro", "nuc", 1, -1, 2, -2, INF, MINUS_INF)
    for x, axis in ((TALL, None), (arr(2, 3, 4), (1, 2)), (arr(2, 3, 4), (2, 0)), (complex_arr(3, 2), (0, 1)))
]

LINALG: dict[str, list[Sample]] = {
    "numpy.linalg.inv": [call(SQUARE), call(BATCH), call(single(SQUARE)), call(COMPLEX)],
    "numpy.linalg.pinv": [
        call(SQUARE),
        call(TALL),
        call(WIDE),
        call(arr(2, 4, 3)),
        call(complex_arr(4, 2)),
        call(complex_arr(2, 2, 3)),
        call(SPD, hermitian=True),
        call(HERMITIAN, hermitian=True),
    ],
    "numpy.linalg.tensorinv": [
        call(arr(2, 3, 6), 2),
        call(arr(4, 2, 2), ind=1),
        call(complex_arr(6, 2, 3), 1),
    ],
    "numpy.linalg.solve": [
        call(SQUARE, arr(3)),
        call(SQUARE, arr(3, 2)),
        call(BATCH, arr(2, 3, 2)),
        call(BATCH, arr(3, 2)),
        call(BATCH, arr(3)),
        call(SQUARE, arr(2, 3, 1)),
        call(COMPLEX, arr(3, dtype="complex128")),
        call(np.stack([COMPLEX, 2 * SQUARE]), arr(3, 2)),
    ],
    "numpy.linalg.tensorsolve": [
        call(arr(2, 3, 6), arr(2, 3)),
        call(arr(4, 2, 2), arr(4)),
        call(complex_arr(4, 4), complex_arr(4)),
    ],
    "numpy.linalg.lstsq": [
        call(TALL, arr(4)),
        call(TALL, arr(4, 2)),
        call(WIDE, arr(2), rcond=None),
        call(SQUARE, arr(3, 2)),
        call(complex_arr(4, 2), complex_arr(4)),
        call(complex_arr(4, 2), complex_arr(4, 2)),
        call(complex_arr(4, 3), arr(4)),
    ],
    "numpy.linalg.det": [
        call(SQUARE),
        call(BATCH),
        call(COMPLEX),
        call(SINGULAR),
        call(single(SQUARE)),
        call(arr(1, 1)),
    ],
    "numpy.linalg.slogdet": [
        call(SQUARE),
        call(BATCH),
        call(-SQUARE),
        call(COMPLEX),
        call(np.stack([COMPLEX, HERMITIAN])),
    ],
    "numpy.linalg.cholesky": [
        call(SPD),
        call(np.stack([SPD, 2 * SPD])),
        call(HERMITIAN),
        call(np.stack([HERMITIAN, SPD])),
        call(SPD, upper=True),
        call(np.stack([HERMITIAN, 2 * SPD]), upper=True),
        call(single(SPD)),
    ],
    "numpy.linalg.matrix_power": [
        *(call(SQUARE, n) for n in (0, 1, 2, 3, 5, -1, -2)),
        call(BATCH, 3),
        call(COMPLEX, 4),
        call(COMPLEX, -3),
    ],
    "numpy.linalg.multi_dot": [
        call((arr(2, 3), arr(3, 4))),
        call((arr(2, 3), arr(3, 4), arr(4, 2))),
        call((arr(3), arr(3, 4), arr(4, 2))),
        call((arr(2, 3), arr(3, 4), arr(4))),
        call((arr(3), arr(3, 4), arr(4))),
        call((arr(3), arr(3, seed=1))),
        call((arr(2, 3), arr(3, 4), arr(4, 3), arr(3, 2))),
        call((complex_arr(3), arr(3, 4), complex_arr(4))),
    ],
    "numpy.linalg.norm": [
        call(arr(4)),
        call(arr(2, 3)),
        call(arr(2, 3), axis=1),
        call(arr(2, 3), 2, -1),
        call(arr(2, 3), "fro"),
        call(arr(2, 3), axis=0, keepdims=True),
        call(arr(2, 3, 4), axis=(1, 2)),
        call(arr(3, dtype="complex128")),
        call(arr(3, dtype="float32")),
        call(arr(4), 2),
        call(arr(2, 3), None, None, True),
        call(arr(2, 3), 3, 0, True),
        call(arr(2, 3, 4), "nuc", (2, 0), True),
        call(arr(2, 3, 4), 1, (0, 1), keepdims=True),
        call(arr(2, 3, 4)),
        call(arr(4), 2.5, fixed="ord"),
        call(arr(2, 3), -math.inf, 1, fixed="ord"),
        *VECTOR_NORMS,
        *MATRIX_NORMS,
    ],
    "numpy.linalg.vector_norm": [
        call(arr(4)),
        call(arr(2, 3)),
        call(arr(2, 3), ord=3),
        call(arr(2, 3, 4), axis=(0, 2), ord=1),
        call(arr(2, 3, 4), axis=(0, 2), ord=INF, keepdims=True),
        call(arr(2, 3), axis=1, ord=MINUS_INF),
        call(complex_arr(2, 3), axis=0, ord=Literal(2.5)),
        call(complex_arr(3)),
        call(arr(3), ord=0),
    ],
    "numpy.linalg.matrix_norm": [
        call(arr(2, 3)),
        call(arr(2, 3, 4)),
        *(call(arr(2, 3, 4), ord=order) for order in ("nuc", 1, -1, 2, -2, INF, MINUS_INF)),
        call(complex_arr(2, 3), ord="nuc"),
        call(arr(2, 3, 4), ord=2, keepdims=True),
        call(complex_arr(2, 2, 3), keepdims=True),
    ],
    "numpy.linalg.cond": [
        call(SQUARE),
        call(TALL),
        *(call(x, p) for p in (2, -2, "fro", 1, INF, -1, MINUS_INF, "nuc") for x in (SQUARE, BATCH, COMPLEX)),
    ],
    "numpy.linalg.eigh": [
        call(SPD),
        call(SPD, "U"),
        call(np.stack([SPD, SPD + np.diag([0.3, 0.9, -0.4])])),
        call(single(SPD)),
        call(SQUARE),
    ],
    "numpy.linalg.eigvalsh": [
        call(SPD),
        call(HERMITIAN, UPLO="U"),
        call(np.stack([HERMITIAN, SPD])),
        call(single(SPD)),
    ],
    "numpy.linalg.eig": [
        call(SQUARE),
        call(TURNING),
        call(BATCH),
        call(np.diag([1.0, 2.0, 4.0]) + 0.1 * SQUARE),
        call(COMPLEX),
        call(np.stack([COMPLEX, 2 * COMPLEX.T])),
        call(single(np.diag([1.0, 2.0, 4.0]) + 0.1 * SQUARE)),
    ],
    "numpy.linalg.eigvals": [
        call(SQUARE),
        call(TURNING),
        call(BATCH),
        call(COMPLEX),
        call(np.stack([COMPLEX, 2 * COMPLEX.T])),
    ],
    "numpy.linalg.svd": [
        call(SQUARE),
        call(TALL, False),
        call(WIDE, full_matrices=False),
        call(BATCH, False),
        call(arr(2, 4, 3), False),
        call(single(TALL), False),
        call(TALL, compute_uv=False),
        call(complex_arr(2, 2, 3), compute_uv=False),
    ],
    "numpy.linalg.svdvals": [call(TALL), call(complex_arr(2, 2, 3))],
    "numpy.linalg.qr": [
        call(SQUARE),
        call(TALL),
        call(WIDE),
        call(arr(2, 4, 3)),
        call(COMPLEX),
        call(complex_arr(4, 2)),
        call(complex_arr(2, 2, 4)),
        call(TALL, "r"),
        call(complex_arr(2, 4), mode="r"),
        call(single(TALL)),
    ],
    "numpy.vecdot": [
        call(arr(3), arr(3, seed=1)),
        call(arr(2, 3), arr(3)),
        call(arr(3, 4), arr(3, 4, seed=2), axis=0),
        call(complex_arr(2, 3), complex_arr(3)),
        call(arr(3), complex_arr(2, 3)),
    ],
    "numpy.linalg.vecdot": [
        call(arr(2, 3), arr(3)),
        call(complex_arr(2, 3), complex_arr(2, 3, seed=1), axis=0),
    ],
    "numpy.matvec": [
        call(arr(2, 3), arr(3)),
        call(arr(4, 2, 3), arr(3)),
        call(arr(2, 3), arr(4, 3)),
        call(complex_arr(2, 3), complex_arr(3)),
    ],
    "numpy.vecmat": [
        call(arr(3), arr(3, 2)),
        call(arr(3), arr(4, 3, 2)),
        call(arr(4, 3), arr(3, 2)),
        call(complex_arr(3), complex_arr(3, 2)),
        call(complex_arr(3), arr(3, 2)),
    ],
    "numpy.linalg.cross": [
        call(arr(3), arr(3, seed=1)),
        call(arr(4, 3), arr(3)),
        call(arr(3, 4), arr(3, 4, seed=1), axis=0),
    ],
    "numpy.linalg.diagonal": [call(arr(3, 3)), call(arr(2, 3, 4), offset=1), call(arr(3, 2), offset=-1)],
    "numpy.linalg.trace": [call(arr(3, 3)), call(arr(2, 3, 4), offset=1), call(arr(3, 3, dtype="float32"))],
    "numpy.matrix_transpose": [call(arr(2, 3)), call(arr(4, 2, 3))],
    "numpy.linalg.matrix_transpose": [call(complex_arr(2, 3))],
}

W, V = np.array([0.5, 1.3, 2.9]), np.linalg.eigh(SPD)[1]
LINALG_HELPERS: dict[str, list[Sample]] = {
    f"s2sad.runtime.{name}": samples
    for name, samples in {
        **{
            name: [call(arr(3, 3)), call(arr(2, 3, 3)), call(complex_arr(3, 3))]
            for name in (
                "half_tril",
                "mirror_lower",
                "mirror_upper",
                "fold_upper",
                "fold_lower",
                "with_dagger",
            )
        },
        "imaginary": [call(arr(3, 3)), call(complex_arr(2, 3))],
        "quotient": [call(arr(2, 3), arr(3)), call(complex_arr(3), arr(3))],
        "gaps": [call(W), call(arr(2, 3)), call(complex_arr(3))],
        "divide_chosen_gaps": [
            call(arr(3, 2), W, W[:2]),
            call(arr(2, 3, 1), np.stack([W, 2 * W]), np.stack([W[1:2], 2 * W[1:2]])),
            call(complex_arr(3, 2), W, W[1:]),
        ],
        "divide_gaps": [
            call(arr(3, 3), W),
            call(arr(2, 3, 3), np.stack([W, -W])),
            call(complex_arr(3, 3), W + 0.3j * W[::-1]),
            call(complex_arr(3, 3), W),
        ],
        "phase_slope": [
            call(complex_arr(3, 3), W),
            call(arr(2, 3, 3), np.stack([W, W])),
            call(complex_arr(2, 3, 3), np.stack([W, 2 * W])),
        ],
        "in_gauge": [
            call(arr(3, 3), V),
            call(complex_arr(3, 3), complex_arr(3, 3, seed=1)),
            call(arr(2, 3, 3), np.stack([V, V.T])),
        ],
        "in_gauge_adjoint": [
            call(arr(3, 3), V),
            call(complex_arr(3, 3), complex_arr(3, 3, seed=1)),
            call(arr(2, 3, 3), np.stack([V, V.T])),
        ],
        "eigenvectors": [
            call(TURNING, np.linalg.eigvals(TURNING), fixed="w"),
            call(SQUARE, np.linalg.eigvals(SQUARE)[::-1], fixed="w"),
        ],
        "leading": [call(arr(2, 3), 3), call(arr(2, 3), 2, -2)],
        "unless_square": [call(arr(3, 3)), call(arr(2, 3, 2))],
        "without_rest": [call(arr(3, 3), arr(3, 3, seed=1), fixed="like")],
        "bordered": [
            call(arr(2, 2), arr(2, 2, seed=1)),
            call(arr(2, 2), arr(3, 2, 2)),
            call(complex_arr(2, 2), complex_arr(2, 2, seed=2)),
        ],
        "cofactor": [call(SQUARE), call(BATCH), call(COMPLEX), call(SINGULAR)],
        "cofactor_slope": [
            call(SQUARE, arr(3, 3, seed=8)),
            call(BATCH, arr(*BATCH.shape, seed=8)),
            call(COMPLEX, complex_arr(*COMPLEX.shape, seed=8)),
        ],
        "nonsingular": [call(SQUARE, 1.0, fixed="sign"), call(BATCH, np.ones(len(BATCH)), fixed="sign")],
        "inverse_of_rank": [call(TALL, 3), call(complex_arr(2, 4), 2)],
        "of_whole_rank": [
            call(TALL, np.linalg.pinv(TALL), fixed="inverse"),
            call(BATCH, np.linalg.pinv(BATCH), fixed="inverse"),
        ],
        "top_square": [call(arr(4, 3)), call(arr(2, 4, 3)), call(arr(4, 3, dtype="complex128"))],
        "regular": [call(SQUARE), call(BATCH), call(np.triu(SQUARE), True), call(COMPLEX)],
    }.items()
}

"""``scipy.linalg``: systems of equations of a structure, functions of matrices, subspaces, matrices of a given form."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy import linalg

from s2sad.libraries.scipy.runtime import banded_transpose, column_pivots, toeplitz_solution

__all__ = [
    "cho_solve_banded",
    "companion",
    "convolution_matrix",
    "diagsvd",
    "fiedler",
    "fractional_matrix_power",
    "leslie",
    "lstsq",
    "lu",
    "matmul_toeplitz",
    "orthogonal_procrustes",
    "pinvh",
    "polar",
    "qr",
    "solve_circulant",
    "solve_toeplitz",
    "solveh_banded",
    "subspace_angles",
    "tanhm",
    "tanm",
]

EPSILON = float(np.finfo(np.float64).eps)

# --- least squares, and inverses of symmetric matrices


def lstsq(
    a: Any, b: Any, cond: Any = None, overwrite_a: Any = False, overwrite_b: Any = False, check_finite: Any = True,
    lapack_driver: Literal["gelsd", "gelsy", "gelss", None] = None,
) -> Any:  # fmt: skip
    """The solution of least squares of a matrix of full rank, what is left over, the rank, and the singular values."""
    x, _, rank, values = np.linalg.lstsq(a, b, rcond=EPSILON if cond is None else cond)
    if np.shape(a)[0] > np.shape(a)[1]:
        return x, np.sum((b - a @ x) ** 2, axis=0), rank, values
    return x, np.zeros(0), rank, values


def pinvh(
    a: Any,
    atol: Any = None,
    rtol: Any = None,
    lower: Any = True,
    return_rank: Literal[False] = False,
    check_finite: Any = True,
) -> Any:
    """The pseudo-inverse of a symmetric matrix, of which one triangle is read."""
    whole = np.tril(a) + np.tril(a, -1).T if lower else np.triu(a) + np.triu(a, 1).T
    return linalg.pinv(whole, atol=atol, rtol=rtol)


# --- orthogonal and unitary factors


def polar(a: Any, side: Literal["left"]) -> Any:
    """The factors with the Hermitian one on the left, from those with it on the right."""
    if np.shape(a)[0] <= np.shape(a)[1]:
        u, p = linalg.polar(np.conj(a).T)
        return np.conj(u).T, p
    u, p = linalg.polar(a)
    return u, u @ p @ np.conj(u).T


def lu(a: Any, permute_l: Literal[True], overwrite_a: Any = False, check_finite: Any = True) -> Any:
    """The factors, with the order of the rows in the lower one."""
    p, lower, upper = linalg.lu(a)
    return p @ lower, upper


def qr(
    a: Any, overwrite_a: Any = False, lwork: Any = None, mode: Literal["full", "r", "economic"] = "full",
    pivoting: Literal[False, True] = False, check_finite: Any = True,
) -> Any:  # fmt: skip
    """The factors, the triangular one alone, and the order of the columns where they are exchanged."""
    kind: Any = "reduced" if mode == "economic" else "complete"
    if pivoting:
        order = column_pivots(a)
        q, r = np.linalg.qr(np.asarray(a)[:, order], kind)
        return (r, order) if mode == "r" else (q, r, order)
    q, r = np.linalg.qr(a, kind)
    return (r,) if mode == "r" else (q, r)


# --- banded, circulant and Toeplitz systems


def solveh_banded(
    ab: Any,
    b: Any,
    overwrite_ab: Any = False,
    overwrite_b: Any = False,
    lower: Any = False,
    check_finite: Any = True,
) -> Any:
    """The solution of a symmetric banded system: both halves of the band are one matrix's."""
    count = np.shape(ab)[0] - 1
    if lower:
        band = np.concatenate((banded_transpose((count, 0), ab)[:count], ab))
    else:
        band = np.concatenate((ab, banded_transpose((0, count), ab)[1:]))
    return linalg.solve_banded((count, count), band, b)


def cho_solve_banded(cb_and_lower: Any, b: Any, overwrite_b: Any = False, check_finite: Any = True) -> Any:
    """The solution of a banded system from its Cholesky factor."""
    factor, lower = cb_and_lower
    count = np.shape(factor)[0] - 1
    if lower:
        half = linalg.solve_banded((count, 0), factor, b)
        return linalg.solve_banded((0, count), banded_transpose((count, 0), factor), half)
    half = linalg.solve_banded((count, 0), banded_transpose((0, count), factor), b)
    return linalg.solve_banded((0, count), factor, half)


def solve_toeplitz(c_or_cr: Any, b: Any, check_finite: Any = True) -> Any:
    """The solution of a system with constant diagonals, given by its first column, and first row where it has another."""
    if isinstance(c_or_cr, tuple):
        return toeplitz_solution(c_or_cr[0], c_or_cr[1], b)
    return toeplitz_solution(c_or_cr, c_or_cr, b)


def matmul_toeplitz(c_or_cr: Any, x: Any, check_finite: Any = False, workers: Any = None) -> Any:
    """The product with such a matrix, by Fourier transforms of a circulant one that it is a part of."""
    if isinstance(c_or_cr, tuple):
        c, r = c_or_cr
    else:
        c, r = c_or_cr, c_or_cr
    whole = np.concatenate((c, r[:0:-1]))
    kernel = np.fft.rfft(whole)
    if np.ndim(x) == 2:
        kernel = kernel[:, None]
    return np.fft.irfft(kernel * np.fft.rfft(x, len(whole), axis=0), len(whole), axis=0)[: len(c)]


def solve_circulant(c: Any, b: Any) -> Any:
    """The solution of a circulant system: a quotient of Fourier transforms."""
    values = np.fft.fft(c)
    return np.real(
        np.fft.ifft(np.fft.fft(b, axis=0) / (values[:, None] if np.ndim(b) == 2 else values), axis=0)
    )


# --- functions of matrices


def tanm(A: Any) -> Any:
    """The tangent."""
    return np.linalg.solve(linalg.cosm(A), linalg.sinm(A))


def tanhm(A: Any) -> Any:
    """The hyperbolic tangent."""
    return np.linalg.solve(linalg.coshm(A), linalg.sinhm(A))


def fractional_matrix_power(A: Any, t: Any) -> Any:
    """The power of a matrix without eigenvalues that are 0 or negative."""
    return linalg.expm(t * linalg.logm(A))


# --- subspaces


def subspace_angles(A: Any, B: Any) -> Any:
    """The angles between the columns of two matrices of full rank (Knyazev & Argentati, SIAM J. Sci. Comput. 23, 2002)."""
    a, b = np.linalg.qr(A)[0], np.linalg.qr(B)[0]
    inner = a.T @ b
    cosines = np.linalg.svd(inner, compute_uv=False)
    outside = b - a @ inner if np.shape(a)[1] >= np.shape(b)[1] else a - b @ inner.T
    sines = np.linalg.svd(outside, compute_uv=False)
    small = cosines[::-1] ** 2 >= 0.5
    by_sine = np.arcsin(np.where(small, np.minimum(sines, 1.0), 0.0))
    return np.where(small, by_sine, np.arccos(np.where(small, 0.0, np.minimum(cosines[::-1], 1.0))))


def orthogonal_procrustes(A: Any, B: Any, check_finite: Any = True) -> Any:
    """The orthogonal matrix that takes one set of points closest to another, and the sum of the singular values."""
    turn, stretch = linalg.polar(A.T @ B)
    return turn, np.trace(stretch)


# --- matrices of a given form


def companion(a: Any) -> Any:
    """The matrix whose eigenvalues are the roots of a polynomial."""
    first = -np.asarray(a)[1:] / a[0]
    return np.concatenate((first[None, :], np.eye(len(a) - 2, len(a) - 1)))


def convolution_matrix(a: Any, n: Any, mode: Literal["full"] = "full") -> Any:
    """The matrix of the convolution with a vector."""
    zeros = np.zeros(n - 1)
    return linalg.toeplitz(np.concatenate((a, zeros)), np.concatenate((a[:1], zeros)))


def fiedler(a: Any) -> Any:
    """The absolute differences of all pairs."""
    return np.abs(np.asarray(a)[:, None] - a)


def leslie(f: Any, s: Any) -> Any:
    """The matrix of births and survivals of generations."""
    below = np.concatenate((np.diag(s), np.zeros((len(s), 1))), axis=1)
    return np.concatenate((np.asarray(f)[None, :], below))


def diagsvd(s: Any, M: Any, N: Any) -> Any:
    """The matrix of singular values."""
    square = np.diag(s)
    if len(s) == M:
        return np.concatenate((square, np.zeros((M, N - M))), axis=1)
    return np.concatenate((square, np.zeros((M - N, N))))

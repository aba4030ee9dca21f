"""Dense factorisations, most of them over their own input: LU, Cholesky, LDL', QR in four ways, inverses."""

import math

import numpy as np

from ..case import case


def lu_loops(A):
    n = A.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                A[i, j] -= A[i, k] * A[k, j]
            A[i, j] /= A[j, j]
        for j in range(i, n):
            for k in range(i):
                A[i, j] -= A[i, k] * A[k, j]


def lu_right_looking(A):
    n = len(A)
    for k in range(n - 1):
        A[k + 1 :, k] /= A[k, k]
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :])
    return A


def lu_pivoted_log_det(M):
    """Row swaps through fancy indexing; the sign of the permutation is tracked beside them."""
    A = np.array(M)
    n = A.shape[0]
    sign = 1.0
    for k in range(n):
        p = k + int(np.argmax(np.abs(A[k:, k])))
        if p != k:
            A[[k, p]] = A[[p, k]]
            sign = -sign
        for i in range(k + 1, n):
            A[i, k] = A[i, k] / A[k, k]
            A[i, k + 1 :] -= A[i, k] * A[k, k + 1 :]
    d = np.diag(A)
    return np.sum(np.log(np.abs(d))) + 0.1 * sign * A[n - 1, 0]


def doolittle(A):
    n = A.shape[0]
    L = np.eye(n)
    U = np.zeros((n, n))
    for i in range(n):
        for j in range(i, n):
            U[i, j] = A[i, j] - L[i, :i] @ U[:i, j]
        for j in range(i + 1, n):
            L[j, i] = (A[j, i] - L[j, :i] @ U[:i, i]) / U[i, i]
    return L, U


def doolittle_mixed(A, weight):
    L, U = doolittle(A)
    return weight * L @ np.tanh(U)


def crout(a):
    n = a.shape[0]
    low, up = np.zeros_like(a), np.eye(n)
    for j in range(n):
        low[j:, j] = a[j:, j] - low[j:, :j] @ up[:j, j]
        up[j, j + 1 :] = (a[j, j + 1 :] - low[j, :j] @ up[:j, j + 1 :]) / low[j, j]
    return low.sum() + (up * up).sum()


def cholesky_rows(A):
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= np.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(A[i, i])


def cholesky_columns(A):
    """Left-looking, into a fresh lower triangle, with scalars."""
    n = A.shape[0]
    L = np.zeros((n, n))
    for j in range(n):
        s = A[j, j]
        for k in range(j):
            s -= L[j, k] ** 2
        L[j, j] = math.sqrt(s)
        for i in range(j + 1, n):
            s = A[i, j]
            for k in range(j):
                s -= L[i, k] * L[j, k]
            L[i, j] = s / L[j, j]
    return L


def cholesky_outer(S):
    W = S.copy()
    n = W.shape[0]
    for k in range(n):
        pivot = np.sqrt(W[k, k])
        col = W[k:, k]
        col /= pivot
        tail = col[1:]
        W[k + 1 :, k + 1 :] -= tail[:, np.newaxis] * tail[np.newaxis, :]
        W[k, k + 1 :] = 0.0
    return W


def cholesky_update(L, x, beta):
    """Rank-one update of a factor in place; x is consumed."""
    n = x.shape[0]
    x *= math.sqrt(beta)
    for k in range(n):
        r = math.hypot(L[k, k], x[k])
        c, s = r / L[k, k], x[k] / L[k, k]
        L[k, k] = r
        if k + 1 < n:
            L[k + 1 :, k] += s * x[k + 1 :]
            L[k + 1 :, k] /= c
            x[k + 1 :] = c * x[k + 1 :] - s * L[k + 1 :, k]


def ldlt(A):
    n = A.shape[0]
    v = np.zeros(n)
    for j in range(n):
        for k in range(j):
            v[k] = A[j, k] * A[k, k]
        v[j] = A[j, j] - A[j, :j] @ v[:j]
        A[j, j] = v[j]
        A[j + 1 :, j] = (A[j + 1 :, j] - A[j + 1 :, :j] @ v[:j]) / v[j]
    return np.tril(A)


def classical_gram_schmidt(A):
    Q, R = np.zeros_like(A), np.zeros((A.shape[1], A.shape[1]))
    for k in range(A.shape[1]):
        R[k, k] = np.sqrt(np.dot(A[:, k], A[:, k]))
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, A.shape[1]):
            R[k, j] = np.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]
    return np.sum(Q[0] * R[:, -1]) + np.trace(R)


def modified_gram_schmidt(V):
    n = V.shape[1]
    for i in range(n):
        vi = V[:, i]
        vi /= np.linalg.norm(vi)
        for j in range(i + 1, n):
            V[:, j] -= vi.dot(V[:, j]) * vi


def householder_qr(A, b):
    """R over A, Q'b over b."""
    m, n = A.shape
    for k in range(n):
        v = A[k:, k].copy()
        v[0] += np.copysign(np.linalg.norm(v), v[0])
        v /= np.linalg.norm(v)
        A[k:, k:] -= 2.0 * np.outer(v, v @ A[k:, k:])
        b[k:] -= 2.0 * v * (v @ b[k:])


def least_squares_by_householder(A, b):
    householder_qr(A, b)
    n = A.shape[1]
    x = b[:n].copy()
    for i in reversed(range(n)):
        x[i] -= A[i, i + 1 :] @ x[i + 1 :]
        x[i] /= A[i, i]
    return x


def givens_triangularise(R):
    rows, cols = R.shape
    for j in range(cols):
        for i in range(rows - 1, j, -1):
            a, b = R[i - 1, j], R[i, j]
            r = np.hypot(a, b)
            c, s = a / r, b / r
            upper, below = R[i - 1, j:].copy(), R[i, j:].copy()
            R[i - 1, j:] = c * upper + s * below
            R[i, j:] = c * below - s * upper


def hessenberg(A):
    n = A.shape[0]
    for k in range(n - 2):
        x = A[k + 1 :, k]
        alpha = -np.sign(x[0]) * np.sqrt(np.sum(x**2))
        v = x.copy()
        v[0] -= alpha
        beta = 2.0 / (v @ v)
        A[k + 1 :, k:] -= beta * np.outer(v, v @ A[k + 1 :, k:])
        A[:, k + 1 :] -= beta * np.outer(A[:, k + 1 :] @ v, v)
    return A[-1, -1] + A[1, 0] ** 2 + A[0, -1]


def gauss_jordan_inverse(A):
    n = A.shape[0]
    W = np.hstack([A, np.eye(n)])
    for i in range(n):
        W[i] /= W[i, i]
        for r in range(n):
            if r != i:
                W[r] -= W[r, i] * W[i]
    return W[:, n:]


def invert_in_place(a):
    """Exchange steps: no second matrix at all."""
    n = a.shape[0]
    for p in range(n):
        pivot = a[p, p]
        a[p, p] = 1.0
        a[p, :] /= pivot
        for i in range(n):
            if i == p:
                continue
            factor = a[i, p]
            a[i, p] = 0.0
            a[i, :] -= factor * a[p, :]


def lower_inverse(L):
    n = L.shape[0]
    for j in range(n):
        L[j, j] = 1.0 / L[j, j]
        for i in range(j + 1, n):
            L[i, j] = -(L[i, j:i] @ L[j:i, j]) / L[i, i]


def jacobi_eigen_sweep(A, V):
    """One cyclic sweep of plane rotations on a symmetric matrix."""
    n = A.shape[0]
    for p in range(n - 1):
        for q in range(p + 1, n):
            theta = 0.5 * np.arctan2(2 * A[p, q], A[q, q] - A[p, p])
            c, s = np.cos(theta), np.sin(theta)
            for M in (A, V):
                left = M[:, p].copy()
                M[:, p] = c * left - s * M[:, q]
                M[:, q] = s * left + c * M[:, q]
            top = A[p].copy()
            A[p] = c * top - s * A[q]
            A[q] = s * top + c * A[q]
    return A.diagonal() @ V[0]


def spd(rng, n):
    B = rng.normal(size=(n, n))
    return B @ B.T + n * np.eye(n)


def dominant(rng, n):
    return rng.normal(size=(n, n)) + n * np.eye(n)


CASES = (
    case(lu_loops, lambda rng: (dominant(rng, 4),), of="A"),
    case(lu_right_looking, lambda rng: (dominant(rng, 5),)),
    case(lu_pivoted_log_det, lambda rng: (rng.normal(size=(4, 4)) + 3 * np.eye(4)[[2, 0, 3, 1]],)),
    case(doolittle_mixed, lambda rng: (dominant(rng, 4), 0.7)),
    case(crout, lambda rng: (dominant(rng, 4),)),
    case(cholesky_rows, lambda rng: (spd(rng, 4),), of="A"),
    case(cholesky_columns, lambda rng: (spd(rng, 4),)),
    case(cholesky_outer, lambda rng: (spd(rng, 4),)),
    case(cholesky_update, lambda rng: (np.tril(dominant(rng, 4)), rng.normal(size=4), 0.6), of="L"),
    case(ldlt, lambda rng: (spd(rng, 4),)),
    case(classical_gram_schmidt, lambda rng: (rng.normal(size=(5, 4)),)),
    case(modified_gram_schmidt, lambda rng: (rng.normal(size=(5, 3)),), of="V"),
    case(householder_qr, lambda rng: (rng.normal(size=(5, 3)), rng.normal(size=5)), of="b"),
    case(least_squares_by_householder, lambda rng: (rng.normal(size=(5, 3)), rng.normal(size=5))),
    case(givens_triangularise, lambda rng: (rng.normal(size=(4, 3)),), of="R"),
    case(hessenberg, lambda rng: (rng.normal(size=(5, 5)),)),
    case(gauss_jordan_inverse, lambda rng: (dominant(rng, 4),)),
    case(invert_in_place, lambda rng: (dominant(rng, 4),), of="a"),
    case(lower_inverse, lambda rng: (np.tril(dominant(rng, 4)),), of="L"),
    case(jacobi_eigen_sweep, lambda rng: (spd(rng, 4), np.eye(4))),
)

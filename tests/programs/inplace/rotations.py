"""Eigenvalues and orthogonal bases: Arnoldi, implicit shifts, Jacobi and Givens rotations."""

import numpy as np

from ..case import case


def arnoldi(A, b, k):
    n = A.shape[0]
    h = np.zeros((k + 1, k))
    Q = np.zeros((n, k + 1))
    q = b / np.linalg.norm(b)
    Q[:, 0] = q
    for j in range(k):
        v = A @ Q[:, j]
        for i in range(j + 1):
            h[i, j] = Q[:, i].conj() @ v
            v -= h[i, j] * Q[:, i]
        h[j + 1, j] = np.linalg.norm(v, 2)
        eps = 1e-12
        if h[j + 1, j] > eps:
            q = v / h[j + 1, j]
            Q[:, j + 1] = q
        else:
            return Q @ h
    return Q @ h


def tqli(d, e, z):
    """Tridiagonal QL with implicit shifts (Numerical Recipes)."""
    n = len(d)
    for i in range(1, n):
        e[i - 1] = e[i]
    e[n - 1] = 0.0
    for l in range(n):
        it = 0
        while True:
            m = l
            while m < n - 1:
                dd = abs(d[m]) + abs(d[m + 1])
                if abs(e[m]) <= 1e-15 * dd:
                    break
                m += 1
            if m == l:
                break
            it += 1
            if it > 40:
                raise RuntimeError("too many iterations")
            g = (d[l + 1] - d[l]) / (2.0 * e[l])
            r = np.sqrt(g * g + 1.0)
            g = d[m] - d[l] + e[l] / (g + (abs(r) if g >= 0 else -abs(r)))
            s = c = 1.0
            p = 0.0
            for i in range(m - 1, l - 1, -1):
                f = s * e[i]
                b = c * e[i]
                r = np.sqrt(f * f + g * g)
                e[i + 1] = r
                if r == 0.0:
                    d[i + 1] -= p
                    e[m] = 0.0
                    break
                s = f / r
                c = g / r
                g = d[i + 1] - p
                r = (d[i] - g) * s + 2.0 * c * b
                p = s * r
                d[i + 1] = g + p
                g = c * r - b
                for k in range(n):
                    f = z[k, i + 1]
                    z[k, i + 1] = s * z[k, i] + c * f
                    z[k, i] = c * z[k, i] - s * f
            else:
                d[l] -= p
                e[l] = g
                e[m] = 0.0
    return d


def householder_tridiag(A):
    n = A.shape[0]
    for k in range(n - 2):
        x = A[k + 1 :, k]
        alpha = -np.copysign(np.linalg.norm(x), x[0])
        v = x.copy()
        v[0] -= alpha
        v /= np.linalg.norm(v)
        A[k + 1 :, k:] -= 2 * np.outer(v, v @ A[k + 1 :, k:])
        A[:, k + 1 :] -= 2 * np.outer(A[:, k + 1 :] @ v, v)
    return np.append(np.diagonal(A), np.diagonal(A, offset=1))


def givens_qr(A):
    m, n = A.shape
    Q = np.eye(m)
    R = A.copy()
    rows, cols = np.tril_indices(m, -1, n)
    for row, col in zip(rows, cols):
        if R[row, col] != 0:
            r = np.hypot(R[col, col], R[row, col])
            c = R[col, col] / r
            s = -R[row, col] / r
            G = np.eye(m)
            G[[col, row], [col, row]] = c
            G[row, col] = s
            G[col, row] = -s
            R = G @ R
            Q = Q @ G.T
    return Q @ R**2


def jacobi_eigenvalue(A, sweeps):
    n = A.shape[0]
    V = np.eye(n)
    for _ in range(sweeps):
        for p in range(n - 1):
            for q in range(p + 1, n):
                if abs(A[p, q]) < 1e-14:
                    continue
                theta = (A[q, q] - A[p, p]) / (2 * A[p, q])
                t = 1 / (abs(theta) + np.sqrt(theta**2 + 1))
                if theta < 0:
                    t = -t
                c = 1 / np.sqrt(t * t + 1)
                s = t * c
                ap, aq = A[:, p].copy(), A[:, q].copy()
                A[:, p], A[:, q] = c * ap - s * aq, s * ap + c * aq
                ap, aq = A[p].copy(), A[q].copy()
                A[p], A[q] = c * ap - s * aq, s * ap + c * aq
                V[:, [p, q]] = np.column_stack((c * V[:, p] - s * V[:, q], s * V[:, p] + c * V[:, q]))
    return np.diag(A) * V


def golub_kahan(A, steps):
    m, n = A.shape
    alphas, betas = [], []
    v = np.zeros(n)
    v[0] = 1.0
    u = np.zeros(m)
    beta = 0.0
    for _ in range(steps):
        u = A @ v - beta * u
        alpha = np.sqrt(np.sum(u**2))
        u /= alpha
        v = A.T @ u - alpha * v
        beta = np.sqrt(np.sum(v**2))
        v /= beta
        alphas.append(alpha)
        betas.append(beta)
    return np.array(alphas), np.array(betas)


def spd(rng, n):
    a = rng.normal(size=(n, n))
    return a @ a.T + n * np.eye(n)


CASES = (
    case(arnoldi, lambda rng: (rng.normal(size=(4, 4)), rng.normal(size=4), 3)),
    case(tqli, lambda rng: (rng.normal(size=4) + np.arange(4.0), rng.normal(size=4), np.eye(4))),
    case(jacobi_eigenvalue, lambda rng: (spd(rng, 3), 3)),
    case(givens_qr, lambda rng: (rng.normal(size=(4, 3)),)),
    case(golub_kahan, lambda rng: (rng.normal(size=(5, 4)), 3)),
    case(householder_tridiag, lambda rng: (spd(rng, 4),)),
)

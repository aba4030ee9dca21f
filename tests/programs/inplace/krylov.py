"""Linear systems, part two: pivots in index arrays, bands, blocks, Krylov methods."""

import numpy as np

from ..case import case


def lup_decompose(A, P, tol):
    n = A.shape[0]
    for i in range(n):
        P[i] = i
    for i in range(n):
        max_a = 0.0
        imax = i
        for k in range(i, n):
            abs_a = abs(A[k, i])
            if abs_a > max_a:
                max_a = abs_a
                imax = k
        if max_a < tol:
            return 0
        if imax != i:
            P[i], P[imax] = P[imax], P[i]
            A[[i, imax]] = A[[imax, i]]
        for j in range(i + 1, n):
            A[j, i] /= A[i, i]
            for k in range(i + 1, n):
                A[j, k] -= A[j, i] * A[i, k]
    return 1


def lup_solve(A, b):
    n = len(b)
    A = A.copy()
    P = np.zeros(n, dtype=int)
    if lup_decompose(A, P, 1e-12) == 0:
        raise ValueError("singular")
    x = np.zeros(n)
    for i in range(n):
        x[i] = b[P[i]]
        for k in range(i):
            x[i] -= A[i, k] * x[k]
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            x[i] -= A[i, k] * x[k]
        x[i] /= A[i, i]
    return x


def lu_index_array(A, b):
    n = len(A)
    idx = np.arange(n)
    for k in range(n - 1):
        p = k + np.argmax(np.abs(A[idx[k:], k]))
        if p != k:
            idx[[k, p]] = idx[[p, k]]
        for i in idx[k + 1 :]:
            A[i, k] /= A[idx[k], k]
            A[i, k + 1 :] -= A[i, k] * A[idx[k], k + 1 :]
    y = np.zeros(n)
    for i in range(n):
        y[i] = b[idx[i]] - A[idx[i], :i] @ y[:i]
    x = y
    for i in reversed(range(n)):
        x[i] = (y[i] - A[idx[i], i + 1 :] @ x[i + 1 :]) / A[idx[i], i]
    return x


def banded_cholesky(ab, b):
    """ab[k, i] = A[i + k, i], lower band."""
    w, n = ab.shape
    for j in range(n):
        ab[0, j] = np.sqrt(ab[0, j])
        m = min(w - 1, n - 1 - j)
        ab[1 : m + 1, j] /= ab[0, j]
        for k in range(1, m + 1):
            ab[: m + 1 - k, j + k] -= ab[k, j] * ab[k : m + 1, j]
    x = b.copy()
    for j in range(n):
        x[j] /= ab[0, j]
        m = min(w - 1, n - 1 - j)
        x[j + 1 : j + m + 1] -= x[j] * ab[1 : m + 1, j]
    for j in range(n - 1, -1, -1):
        m = min(w - 1, n - 1 - j)
        x[j] = (x[j] - ab[1 : m + 1, j] @ x[j + 1 : j + m + 1]) / ab[0, j]
    return x


def gmres_givens(A, b, x, m):
    r = b - A.dot(x)
    b_norm = np.linalg.norm(b)
    r_norm = np.linalg.norm(r)
    sn = np.zeros(m)
    cs = np.zeros(m)
    Q = np.zeros((len(b), m + 1))
    H = np.zeros((m + 1, m))
    Q[:, 0] = r / r_norm
    beta = np.zeros(m + 1)
    beta[0] = r_norm
    errors = [r_norm / b_norm]
    for k in range(m):
        q = A @ Q[:, k]
        for i in range(k + 1):
            H[i, k] = q @ Q[:, i]
            q = q - H[i, k] * Q[:, i]
        H[k + 1, k] = np.linalg.norm(q)
        Q[:, k + 1] = q / H[k + 1, k]
        for i in range(k):
            temp = cs[i] * H[i, k] + sn[i] * H[i + 1, k]
            H[i + 1, k] = -sn[i] * H[i, k] + cs[i] * H[i + 1, k]
            H[i, k] = temp
        t = np.hypot(H[k, k], H[k + 1, k])
        cs[k], sn[k] = H[k, k] / t, H[k + 1, k] / t
        H[k, k] = cs[k] * H[k, k] + sn[k] * H[k + 1, k]
        H[k + 1, k] = 0.0
        beta[k + 1] = -sn[k] * beta[k]
        beta[k] = cs[k] * beta[k]
        error = abs(beta[k + 1]) / b_norm
        errors.append(error)
        if error <= 1e-10:
            break
    y = np.linalg.solve(H[: k + 1, : k + 1], beta[: k + 1])
    x += Q[:, : k + 1] @ y
    return x * errors[-1]


def bicgstab(A, b, maxit):
    x = np.zeros_like(b)
    r = b - A @ x
    rhat = r.copy()
    rho = alpha = omega = 1.0
    v = p = np.zeros_like(b)
    for it in range(maxit):
        rho1 = rhat @ r
        beta = (rho1 / rho) * (alpha / omega)
        p = r + beta * (p - omega * v)
        v = A @ p
        alpha = rho1 / (rhat @ v)
        s = r - alpha * v
        if np.linalg.norm(s) < 1e-12:
            x += alpha * p
            break
        t = A @ s
        omega = (t @ s) / (t @ t)
        x += alpha * p + omega * s
        r = s - omega * t
        rho = rho1
    return x


def minres(A, b, iters):
    n = b.size
    x = np.zeros(n)
    r = b - A @ x
    p0 = r.copy()
    s0 = A @ p0
    p1, s1 = p0[:], s0[:]
    for k in range(iters):
        p2, p1 = p1, p0
        s2, s1 = s1, s0
        alpha = (r @ s1) / (s1 @ s1)
        x += alpha * p1
        r -= alpha * s1
        p0 = s1.copy()
        s0 = A @ s1
        beta1 = (s0 @ s1) / (s1 @ s1)
        p0 -= beta1 * p1
        s0 -= beta1 * s1
        if k > 0:
            beta2 = (s0 @ s2) / (s2 @ s2)
            p0 -= beta2 * p2
            s0 -= beta2 * s2
    return x


def block_lu(A, nb):
    n = A.shape[0]
    for k in range(0, n, nb):
        end = min(k + nb, n)
        D = A[k:end, k:end]
        for j in range(D.shape[0]):
            D[j + 1 :, j] /= D[j, j]
            D[j + 1 :, j + 1 :] -= np.outer(D[j + 1 :, j], D[j, j + 1 :])
        if end < n:
            R = A[k:end, end:]
            for i in range(1, end - k):
                R[i] -= D[i, :i] @ R[:i]
            C = A[end:, k:end]
            for j in range(end - k):
                C[:, j] -= C[:, :j] @ D[:j, j]
                C[:, j] /= D[j, j]
            A[end:, end:] -= C @ R
    return np.log(np.abs(np.diag(A))).sum()


def cyclic_reduction(a, b, c, d):
    n = len(b)
    s = 1
    while s < n:
        na, nb, nc, nd = a.copy(), b.copy(), c.copy(), d.copy()
        for i in range(n):
            al = -a[i] / b[i - s] if i - s >= 0 else 0.0
            ga = -c[i] / b[i + s] if i + s < n else 0.0
            na[i] = al * a[i - s] if i - s >= 0 else 0.0
            nc[i] = ga * c[i + s] if i + s < n else 0.0
            nb[i] = b[i] + (al * c[i - s] if i >= s else 0.0) + (ga * a[i + s] if i + s < n else 0.0)
            nd[i] = d[i] + (al * d[i - s] if i >= s else 0.0) + (ga * d[i + s] if i + s < n else 0.0)
        a, b, c, d = na, nb, nc, nd
        s *= 2
    return d / b


def pentadiagonal(e, a, d, c, f, b):
    n = d.size
    for i in range(1, n - 1):
        w = a[i - 1] / d[i - 1]
        d[i] -= w * c[i - 1]
        c[i] -= w * f[i - 1] if i < n - 1 else 0.0
        b[i] -= w * b[i - 1]
        w = e[i - 1] / d[i - 1]
        a[i] -= w * c[i - 1]
        d[i + 1] -= w * f[i - 1]
        b[i + 1] -= w * b[i - 1]
    w = a[n - 2] / d[n - 2]
    d[n - 1] -= w * c[n - 2]
    x = b
    x[-1] = (b[-1] - w * b[-2]) / d[-1]
    x[-2] = (b[-2] - c[-1] * x[-1]) / d[-2]
    for i in range(n - 3, -1, -1):
        x[i] = (b[i] - f[i] * x[i + 2] - c[i] * x[i + 1]) / d[i]
    return x


def spd(rng, n):
    a = rng.normal(size=(n, n))
    return a @ a.T + n * np.eye(n)


CASES = (
    case(lup_solve, lambda rng: (rng.normal(size=(4, 4)), rng.normal(size=4))),
    case(lu_index_array, lambda rng: (rng.normal(size=(4, 4)), rng.normal(size=4))),
    case(
        banded_cholesky,
        lambda rng: (np.array([5 + rng.random(6), rng.random(6), rng.random(6)]), rng.normal(size=6)),
    ),
    case(
        gmres_givens,
        lambda rng: (rng.normal(size=(5, 5)) + 4 * np.eye(5), rng.normal(size=5), rng.normal(size=5), 3),
    ),
    case(bicgstab, lambda rng: (rng.normal(size=(4, 4)) + 5 * np.eye(4), rng.normal(size=4), 3)),
    case(minres, lambda rng: (spd(rng, 4), rng.normal(size=4), 3)),
    case(block_lu, lambda rng: (spd(rng, 5), 2)),
    case(
        cyclic_reduction,
        lambda rng: (rng.normal(size=5), 4 + rng.random(5), rng.normal(size=5), rng.normal(size=5)),
    ),
    case(
        pentadiagonal,
        lambda rng: (
            rng.random(5) * 0.3,
            rng.random(5) * 0.3,
            4 + rng.random(5),
            rng.random(5) * 0.3,
            rng.random(5) * 0.3,
            rng.normal(size=5),
        ),
    ),
)

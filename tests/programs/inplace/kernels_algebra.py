"""Linear algebra and transforms by hand: rows of a work array as vectors, pivots, blocks, butterflies."""

import numpy as np

from ..case import case


def thomas(a, b, c, d):
    n = len(d)
    cp, dp = c.copy(), d.copy()
    cp[0] /= b[0]
    dp[0] /= b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        if i < n - 1:
            cp[i] /= m
        dp[i] = (dp[i] - a[i] * dp[i - 1]) / m
    for i in range(n - 2, -1, -1):
        dp[i] -= cp[i] * dp[i + 1]
    return dp


def spd(r, n):
    M = r.normal(size=(n, n))
    return M @ M.T + n * np.eye(n)


def householder_inplace(A):
    m, n = A.shape
    taus = np.zeros(n)
    for j in range(n):
        x = A[j:, j]
        normx = np.linalg.norm(x)
        s = -np.sign(x[0])
        u1 = x[0] - s * normx
        w = x / u1
        w[0] = 1
        taus[j] = -s * u1 / normx
        A[j + 1 :, j] = w[1:]
        A[j, j] = s * normx
        A[j:, j + 1 :] -= (taus[j] * w)[:, None] * (w @ A[j:, j + 1 :])[None, :]
    return taus


def jacobi_rotate(A, tol):
    n = A.shape[0]
    V = np.eye(n)
    for _ in range(4):
        off = np.abs(np.triu(A, 1))
        k, l = divmod(int(np.argmax(off)), n)
        if off[k, l] < tol:
            break
        d = A[l, l] - A[k, k]
        phi = d / (2.0 * A[k, l])
        t = 1.0 / (abs(phi) + np.sqrt(phi**2 + 1.0))
        if phi < 0:
            t = -t
        c = 1 / np.sqrt(t**2 + 1)
        s = t * c
        R = np.array([[c, s], [-s, c]])
        A[:, [k, l]] = A[:, [k, l]] @ R
        A[[k, l], :] = R.T @ A[[k, l], :]
        V[:, [k, l]] = V[:, [k, l]] @ R
    return np.diag(A) * np.arange(1, n + 1) + V.sum(axis=0)


def cg_views(A, b, maxit=4):
    work = np.zeros((4, b.size))
    x, r, p, Ap = work
    r[:] = b
    p[:] = r
    rs = r @ r
    for _ in range(maxit):
        np.dot(A, p, out=Ap)
        alpha = rs / p.dot(Ap)
        x += alpha * p
        r -= alpha * Ap
        rs_new = np.inner(r, r)
        if np.sqrt(rs_new) < 1e-10:
            break
        p *= rs_new / rs
        p += r
        rs = rs_new
    return x


def strassen_once(A, B):
    n = A.shape[0] // 2
    a, b, c, d = A[:n, :n], A[:n, n:], A[n:, :n], A[n:, n:]
    e, f, g, h = B[:n, :n], B[:n, n:], B[n:, :n], B[n:, n:]
    p1 = a @ (f - h)
    p2 = (a + b) @ h
    p3 = (c + d) @ e
    p4 = d @ (g - e)
    p5 = (a + d) @ (e + h)
    p6 = (b - d) @ (g + h)
    p7 = (a - c) @ (e + f)
    C = np.zeros((2 * n, 2 * n))
    C[:n, :n] = p5 + p4 - p2 + p6
    C[:n, n:] = p1 + p2
    C[n:, :n] = p3 + p4
    C[n:, n:] = p1 + p5 - p3 - p7
    return C


def block_tridiag(D, U, L, f):
    """Block Thomas with blocks in a 3-d array, overwritten."""
    n = len(f)
    for i in range(1, n):
        W = np.linalg.solve(D[i - 1].T, L[i - 1].T).T
        D[i] -= W @ U[i - 1]
        f[i] -= W @ f[i - 1]
    f[-1] = np.linalg.solve(D[-1], f[-1])
    for i in range(n - 2, -1, -1):
        f[i] = np.linalg.solve(D[i], f[i] - U[i] @ f[i + 1])
    return f


def qr_iteration(A, n):
    for _ in range(n):
        Q = np.zeros_like(A)
        R = np.zeros_like(A)
        for j in range(A.shape[1]):
            q = A[:, j].copy()
            for i in range(j):
                R[i, j] = Q[:, i] @ A[:, j]
                q -= R[i, j] * Q[:, i]
            R[j, j] = np.sqrt(q @ q)
            Q[:, j] = q / R[j, j]
        A = R @ Q
    return np.diag(A)


def inverse_gauss_jordan(M):
    n = len(M)
    aug = np.hstack([M, np.eye(n)])
    for i in range(n):
        piv = i + int(np.abs(aug[i:, i]).argmax())
        aug[[i, piv], :] = aug[[piv, i], :]
        aug[i] /= aug[i, i]
        for j in range(n):
            if j == i:
                continue
            aug[j] -= aug[i] * aug[j, i]
    return aug[:, n:]


def crank_nicolson_call(V, sigma, r, dt, n):
    j = np.arange(len(V), dtype=float)
    a = 0.25 * dt * (sigma**2 * j**2 - r * j)
    b = -0.5 * dt * (sigma**2 * j**2 + r)
    c = 0.25 * dt * (sigma**2 * j**2 + r * j)
    for t in range(n):
        rhs = (1 + b) * V
        rhs[1:] += a[1:] * V[:-1]
        rhs[:-1] += c[:-1] * V[1:]
        V[:] = thomas(-a, 1 - b, -c, rhs)
    return V


def stockham(x):
    N = x.shape[0]
    y = x.astype(complex)
    n, s = N, 1
    while n > 1:
        m = n // 2
        z = np.empty_like(y)
        for p in range(m):
            w = np.exp(-2j * np.pi * p / n)
            a = y[s * p : s * p + s]
            b = y[s * (p + m) : s * (p + m) + s]
            z[s * 2 * p : s * 2 * p + s] = a + b
            z[s * (2 * p + 1) : s * (2 * p + 1) + s] = (a - b) * w
        y = z
        n, s = m, 2 * s
    return np.abs(y) ** 2


def fft_iter_bits(re):
    n = len(re)
    a = np.zeros(n, dtype=np.complex128)
    j = 0
    for i in range(n):
        a[i] = re[j]
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j |= bit
    L = 2
    while L <= n:
        ang = -2 * np.pi / L
        wl = complex(np.cos(ang), np.sin(ang))
        for i in range(0, n, L):
            w = 1 + 0j
            for k in range(L // 2):
                u = a[i + k]
                v = a[i + k + L // 2] * w
                a[i + k] = u + v
                a[i + k + L // 2] = u - v
                w *= wl
        L <<= 1
    return a.real**2 + a.imag


CASES = (
    case(householder_inplace, lambda rng: (rng.normal(size=(4, 3)),), of="A"),
    case(jacobi_rotate, lambda rng: (spd(rng, 3) + np.diag([1.0, 2, 3]), 1e-9)),
    case(cg_views, lambda rng: (spd(rng, 5), rng.normal(size=5))),
    case(strassen_once, lambda rng: (rng.normal(size=(4, 4)), rng.normal(size=(4, 4)))),
    case(
        block_tridiag,
        lambda rng: (
            rng.normal(size=(3, 2, 2)) + 4 * np.eye(2),
            rng.normal(size=(2, 2, 2)),
            rng.normal(size=(2, 2, 2)),
            rng.normal(size=(3, 2)),
        ),
    ),
    case(qr_iteration, lambda rng: (spd(rng, 3), 2)),
    case(inverse_gauss_jordan, lambda rng: (rng.normal(size=(3, 3)) + 2 * np.eye(3)[::-1],)),
    case(
        crank_nicolson_call,
        lambda rng: (np.maximum(np.arange(6.0) - 2.5, 0) + rng.random(6), 0.3, 0.05, 0.1, 3),
    ),
    case(stockham, lambda rng: (rng.normal(size=8),)),
    case(fft_iter_bits, lambda rng: (rng.normal(size=8),)),
)

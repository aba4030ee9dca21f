"""Linear solves and iterations: substitution, elimination, Levinson-Durbin, Krylov, descent with buffers."""

import numpy as np

from ..case import case


def forward_substitution(L, b):
    x = np.zeros_like(b)
    for i in range(b.shape[0]):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return x


def back_substitution(U, b):
    # column oriented, over the right-hand side
    for j in range(len(b) - 1, -1, -1):
        b[j] /= U[j, j]
        b[:j] -= b[j] * U[:j, j]


def ludcmp(A, b):
    n = A.shape[0]
    x = np.zeros_like(b)
    y = np.zeros_like(b)
    for i in range(n):
        for j in range(i):
            A[i, j] = (A[i, j] - A[i, :j] @ A[:j, j]) / A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]
    for i in range(n):
        y[i] = b[i] - A[i, :i] @ y[:i]
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
    return x, y


def ludcmp_energy(A, b):
    x, y = ludcmp(A, b)
    return x @ b + 0.5 * y @ y


def gaussian_elimination(A, b):
    """Augmented matrix, partial pivoting, rows swapped as tuples of views (hence the copies)."""
    n = len(b)
    M = np.concatenate((A, b[:, None]), axis=1)
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(M[i, k]) > abs(M[best, k]):
                best = i
        if best != k:
            M[k], M[best] = M[best].copy(), M[k].copy()
        for i in range(k + 1, n):
            M[i, k:] -= M[i, k] / M[k, k] * M[k, k:]
    x = np.empty(n)
    for i in range(n - 1, -1, -1):
        x[i] = (M[i, n] - np.sum(M[i, i + 1 : n] * x[i + 1 :])) / M[i, i]
    return x


def tridiagonal(a, b, c, d):
    """Thomas with separate c', d' arrays: the inputs survive."""
    n = d.size
    cp, dp = np.zeros(n), np.zeros(n)
    cp[0], dp[0] = c[0] / b[0], d[0] / b[0]
    for i in range(1, n):
        denom = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / denom
        dp[i] = (d[i] - a[i] * dp[i - 1]) / denom
    x = dp
    for i in range(n - 2, -1, -1):
        x[i] -= cp[i] * x[i + 1]
    return x


def durbin(r):
    y = np.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


def levinson_loops(r, rhs):
    """Toeplitz solve with the bordering method, element by element."""
    n = len(rhs)
    x, f, old = np.zeros(n), np.zeros(n), np.zeros(n)
    f[0] = 1.0 / r[0]
    x[0] = rhs[0] / r[0]
    for k in range(1, n):
        ef = ex = 0.0
        for i in range(k):
            ef += r[k - i] * f[i]
            ex += r[k - i] * x[i]
        old[:] = f
        for i in range(k + 1):
            f[i] = (old[i] - ef * old[k - i]) / (1.0 - ef * ef)
        for i in range(k + 1):
            x[i] += (rhs[k] - ex) * f[k - i]
    return x


def conjugate_gradient(A, b, iterations):
    x = np.zeros_like(b)
    r = b.copy()
    p = r.copy()
    rs = r @ r
    for _ in range(iterations):
        Ap = A @ p
        alpha = rs / (p @ Ap)
        x += alpha * p
        r -= alpha * Ap
        rs_new = r @ r
        p *= rs_new / rs
        p += r
        rs = rs_new
    return x


def conjugate_gradient_field(u, f, kappa, n):
    """Matrix-free on a 2-D grid, operator applied into a preallocated array."""
    def apply(p, out):
        out[:] = (1 + 4 * kappa) * p
        out[:-1, :] -= kappa * p[1:, :]
        out[1:, :] -= kappa * p[:-1, :]
        out[:, :-1] -= kappa * p[:, 1:]
        out[:, 1:] -= kappa * p[:, :-1]

    q = np.empty_like(u)
    apply(u, q)
    r = f - q
    p = r.copy()
    gamma = np.sum(r * r)
    for _ in range(n):
        apply(p, q)
        step = gamma / np.sum(p * q)
        u += step * p
        r -= step * q
        gamma, before = np.sum(r * r), gamma
        p[...] = r + (gamma / before) * p
    return np.sqrt(gamma) + u[1, 1]


def richardson_until(A, b, omega):
    x = b.copy()
    res = b - A @ x
    while np.linalg.norm(res) > 1e-2:
        x += omega * res
        np.subtract(b, A @ x, out=res)
    return x


def sor_rows(A, b, x, omega, sweeps):
    n = len(b)
    for _ in range(sweeps):
        for i in range(n):
            sigma = 0.0
            for j in range(n):
                if j != i:
                    sigma += A[i, j] * x[j]
            x[i] = (1 - omega) * x[i] + omega / A[i, i] * (b[i] - sigma)


def power_iteration(A, v, steps):
    w = np.empty_like(v)
    for _ in range(steps):
        np.dot(A, v, out=w)
        w /= np.sqrt(w @ w)
        v, w = w, v
    return v @ A @ v


def subspace_iteration(A, X, steps):
    """Block power method, orthonormalised column by column in place."""
    for _ in range(steps):
        X[:] = A @ X
        for j in range(X.shape[1]):
            for i in range(j):
                X[:, j] -= (X[:, i] @ X[:, j]) * X[:, i]
            X[:, j] /= np.linalg.norm(X[:, j])
    return X


def lanczos(A, q, m):
    n = len(q)
    Q = np.zeros((m + 1, n))
    alpha, beta = np.zeros(m), np.zeros(m + 1)
    Q[0] = q / np.linalg.norm(q)
    for k in range(m):
        z = A @ Q[k]
        if k > 0:
            z -= beta[k] * Q[k - 1]
        alpha[k] = Q[k] @ z
        z -= alpha[k] * Q[k]
        beta[k + 1] = np.linalg.norm(z)
        Q[k + 1] = z / beta[k + 1]
    return np.concatenate([alpha, beta[1:]])


def momentum_descent(w, X, y, lr, mu, epochs):
    velocity = np.zeros_like(w)
    for _ in range(epochs):
        gradient = X.T @ (np.tanh(X @ w) - y) / len(y)
        velocity *= mu
        velocity -= lr * gradient
        w += velocity


def adam(params, target, lr, steps):
    """A list of parameter arrays, each with its two moment buffers, all updated in place."""
    m = [np.zeros_like(p) for p in params]
    v = [np.zeros_like(p) for p in params]
    for t in range(1, steps + 1):
        for p, m_, v_ in zip(params, m, v):
            g = 2 * (p - target) + np.cos(p)
            m_ *= 0.9
            m_ += 0.1 * g
            v_ *= 0.99
            v_ += 0.01 * g**2
            p -= lr * (m_ / (1 - 0.9**t)) / (np.sqrt(v_ / (1 - 0.99**t)) + 1e-3)
    return sum(np.sum(p**2) for p in params)


def coordinate_descent(X, y, w, ridge, rounds):
    residual = y - X @ w
    for _ in range(rounds):
        for j in range(X.shape[1]):
            column = X[:, j]
            residual += w[j] * column
            w[j] = column @ residual / (column @ column + ridge)
            residual -= w[j] * column
    return residual @ residual + ridge * (w @ w)


def symmetric(rng, n):
    B = rng.normal(size=(n, n))
    return 0.2 * (B + B.T) + n * np.eye(n)


CASES = (
    case(forward_substitution, lambda rng: (np.tril(symmetric(rng, 5)), rng.normal(size=5))),
    case(back_substitution, lambda rng: (np.triu(symmetric(rng, 5)), rng.normal(size=5)), of="b"),
    case(ludcmp_energy, lambda rng: (symmetric(rng, 4), rng.normal(size=4))),
    case(
        gaussian_elimination,
        lambda rng: (rng.normal(size=(4, 4)) + 3 * np.eye(4)[[1, 3, 0, 2]], rng.normal(size=4)),
    ),
    case(
        tridiagonal,
        lambda rng: (rng.normal(size=5), rng.uniform(4, 5, 5), rng.normal(size=5), rng.normal(size=5)),
    ),
    case(durbin, lambda rng: (rng.uniform(-0.3, 0.3, 6),)),
    case(levinson_loops, lambda rng: (np.array([1.0, 0.4, 0.2, 0.1, -0.05]), rng.normal(size=5))),
    case(conjugate_gradient, lambda rng: (symmetric(rng, 5), rng.normal(size=5), 3)),
    case(conjugate_gradient_field, lambda rng: (np.zeros((4, 4)), rng.normal(size=(4, 4)), 0.3, 3)),
    case(richardson_until, lambda rng: (symmetric(rng, 4), rng.normal(size=4), 0.2)),
    case(sor_rows, lambda rng: (symmetric(rng, 4), rng.normal(size=4), rng.normal(size=4), 1.1, 2), of="x"),
    case(power_iteration, lambda rng: (symmetric(rng, 4), rng.normal(size=4), 4)),
    case(subspace_iteration, lambda rng: (rng.normal(size=(4, 4)), rng.normal(size=(4, 2)), 2)),
    case(lanczos, lambda rng: (symmetric(rng, 5) + np.diag(np.arange(5.0)), rng.normal(size=5), 3)),
    case(
        momentum_descent,
        lambda rng: (rng.normal(size=3), rng.normal(size=(5, 3)), rng.normal(size=5), 0.3, 0.8, 4),
        of="w",
    ),
    case(adam, lambda rng: ([rng.normal(size=(2, 3)), rng.normal(size=3)], 0.4, 0.05, 3)),
    case(
        coordinate_descent,
        lambda rng: (rng.normal(size=(5, 3)), rng.normal(size=5), rng.normal(size=3), 0.3, 2),
    ),
)

"""Matrix kernels: products and rank updates accumulated in loops, moments of columns, closures of graphs."""

import numpy as np

from ..case import case


def gemm(alpha, beta, C, A, B):
    C *= beta
    for i in range(A.shape[0]):
        for k in range(A.shape[1]):
            C[i, :] += alpha * A[i, k] * B[k, :]


def two_products(alpha, beta, A, B, C, D):
    tmp = np.empty((A.shape[0], B.shape[1]))
    np.matmul(A, B, out=tmp)
    tmp *= alpha
    D *= beta
    D += tmp @ C


def three_loops(A, B, C, D):
    """(A B)(C D) with zeroed accumulators, one element at a time."""
    def multiply(P, Q, R):
        n, m, k = P.shape[0], Q.shape[1], P.shape[1]
        for i in range(n):
            for j in range(m):
                R[i, j] = 0.0
                for t in range(k):
                    R[i, j] += P[i, t] * Q[t, j]

    E = np.zeros((A.shape[0], B.shape[1]))
    F = np.zeros((C.shape[0], D.shape[1]))
    G = np.zeros((A.shape[0], D.shape[1]))
    multiply(A, B, E)
    multiply(C, D, F)
    multiply(E, F, G)
    return G


def gemver(alpha, beta, A, u1, v1, u2, v2, w, x, y, z):
    A += np.outer(u1, v1) + np.outer(u2, v2)
    x += beta * y @ A + z
    w += alpha * A @ x


def gesummv(alpha, beta, A, B, x):
    n = x.size
    y = np.zeros(n)
    tmp = np.zeros(n)
    for i in range(n):
        for j in range(n):
            tmp[i] += A[i, j] * x[j]
            y[i] += B[i, j] * x[j]
        y[i] = alpha * tmp[i] + beta * y[i]
    return y


def mvt(x1, x2, y1, y2, A):
    x1 += A @ y1
    x2 += y2 @ A
    return x1 @ x2


def atax(A, x):
    y = np.zeros(A.shape[1])
    for row in A:
        y += row * (row @ x)
    return y


def bicg(A, p, r):
    s = np.zeros(A.shape[1])
    q = np.zeros(A.shape[0])
    for i in range(A.shape[0]):
        s += r[i] * A[i]
        for j in range(A.shape[1]):
            q[i] += A[i, j] * p[j]
    return np.append(s, q)


def symm(alpha, beta, C, A, B):
    """Only the lower triangle of A is read."""
    M, N = C.shape
    temp = np.empty(N)
    C *= beta
    for i in range(M):
        for j in range(N):
            C[:i, j] += alpha * B[i, j] * A[i, :i]
            temp[j] = B[:i, j] @ A[i, :i]
        C[i, :] += alpha * B[i, :] * A[i, i] + alpha * temp


def syrk(alpha, beta, C, A):
    for i in range(A.shape[0]):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += alpha * A[i, k] * A[: i + 1, k]


def syr2k(alpha, beta, C, A, B):
    n, m = A.shape
    for i in range(n):
        for j in range(i + 1):
            C[i, j] *= beta
            for k in range(m):
                C[i, j] += A[j, k] * alpha * B[i, k] + B[j, k] * alpha * A[i, k]
    for i in range(n):
        C[i, i + 1 :] = C[i + 1 :, i]  # mirror


def trmm(alpha, A, B):
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] += np.dot(A[i + 1 :, i], B[i + 1 :, j])
    B *= alpha


def doitgen(A, C4):
    nr, nq, _ = A.shape
    for r in range(nr):
        for q in range(nq):
            A[r, q, :] = A[r, q, :] @ C4


def triangular_fill(v, n):
    """Packed lower triangle to a full symmetric matrix, then its quadratic form."""
    M = np.zeros((n, n))
    k = 0
    for i in range(n):
        for j in range(i + 1):
            M[i, j] = v[k]
            M[j, i] = v[k]
            k += 1
    z = np.linspace(-1, 1, n)
    return z @ M @ M @ z


def exp_series(A, terms):
    E = np.eye(len(A))
    term = np.eye(len(A))
    for k in range(1, terms):
        term = term @ A
        term /= k
        E += term
    return E


def covariance(data):
    n, m = data.shape
    mean = np.mean(data, axis=0)
    data -= mean
    cov = np.zeros((m, m))
    for i in range(m):
        cov[i:, i] = cov[i, i:] = data[:, i] @ data[:, i:] / (n - 1.0)
    return cov


def correlation(data):
    N, M = data.shape
    mean = np.zeros(M)
    stddev = np.zeros(M)
    for j in range(M):
        for i in range(N):
            mean[j] += data[i, j]
        mean[j] /= N
    for j in range(M):
        for i in range(N):
            stddev[j] += (data[i, j] - mean[j]) ** 2
        stddev[j] = np.sqrt(stddev[j] / N)
        if stddev[j] <= 0.1:
            stddev[j] = 1.0
    for i in range(N):
        data[i] -= mean
        data[i] /= np.sqrt(float(N)) * stddev
    corr = np.eye(M)
    for i in range(M - 1):
        for j in range(i + 1, M):
            corr[i, j] = data[:, i] @ data[:, j]
            corr[j, i] = corr[i, j]
    return corr


def standardise_columns(X):
    for column in X.T:
        column -= column.mean()
        column /= column.std()


def whiten_rows(X, eps):
    X -= X.mean(axis=1, keepdims=True)
    X /= np.sqrt(np.square(X).sum(axis=1, keepdims=True) + eps)
    return X @ X.T


def sinkhorn(K, a, b, rounds):
    """Alternating row and column scaling until both marginals fit."""
    np.exp(K, out=K)
    for _ in range(rounds):
        K *= (a / K.sum(axis=1))[:, None]
        K *= b / K.sum(axis=0)
    return K


def floyd_warshall(path):
    for k in range(path.shape[0]):
        path[:] = np.minimum(path, path[:, k, np.newaxis] + path[np.newaxis, k, :])


def floyd_warshall_loops(dist):
    n = len(dist)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if dist[i, k] + dist[k, j] < dist[i, j]:
                    dist[i, j] = dist[i, k] + dist[k, j]
    return np.sum(dist * dist)


def normals(rng, *shapes):
    return tuple(rng.normal(size=shape) for shape in shapes)


CASES = (
    case(gemm, lambda rng: (0.7, 1.3, *normals(rng, (3, 4), (3, 2), (2, 4))), of="C"),
    case(two_products, lambda rng: (0.7, 1.3, *normals(rng, (3, 2), (2, 4), (4, 3), (3, 3))), of="D"),
    case(three_loops, lambda rng: normals(rng, (2, 3), (3, 2), (2, 3), (3, 4))),
    case(gemver, lambda rng: (0.7, 1.3, *normals(rng, (4, 4), *[4] * 8)), of="w"),
    case(gesummv, lambda rng: (0.7, 1.3, *normals(rng, (4, 4), (4, 4), 4))),
    case(mvt, lambda rng: normals(rng, 4, 4, 4, 4, (4, 4))),
    case(atax, lambda rng: normals(rng, (4, 5), 5)),
    case(bicg, lambda rng: normals(rng, (4, 5), 5, 4)),
    case(symm, lambda rng: (0.7, 1.3, *normals(rng, (4, 3), (4, 4), (4, 3))), of="C"),
    case(syrk, lambda rng: (0.7, 1.3, *normals(rng, (4, 4), (4, 3))), of="C"),
    case(syr2k, lambda rng: (0.7, 1.3, *normals(rng, (4, 4), (4, 3), (4, 3))), of="C"),
    case(trmm, lambda rng: (0.7, *normals(rng, (4, 4), (4, 3))), of="B"),
    case(doitgen, lambda rng: normals(rng, (2, 3, 4), (4, 4)), of="A"),
    case(triangular_fill, lambda rng: (rng.normal(size=10), 4)),
    case(exp_series, lambda rng: (rng.normal(size=(4, 4)) / 2, 6)),
    case(covariance, lambda rng: normals(rng, (5, 4))),
    case(correlation, lambda rng: normals(rng, (5, 4))),
    case(standardise_columns, lambda rng: normals(rng, (5, 3)), of="X"),
    case(whiten_rows, lambda rng: (rng.normal(size=(3, 5)), 0.01)),
    case(sinkhorn, lambda rng: (rng.normal(size=(4, 3)), rng.uniform(0.5, 1, 4), rng.uniform(0.5, 1, 3), 3)),
    case(floyd_warshall, lambda rng: (rng.uniform(1, 9, (5, 5)),), of="path"),
    case(floyd_warshall_loops, lambda rng: (rng.uniform(1, 9, (5, 5)),)),
)

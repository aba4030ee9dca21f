"""Curves, fits and small learners: splines, least squares, clustering, expectation-maximisation, optimisation runs."""
# ruff: noqa: RUF007  (`zip(xs, xs[1:])` is what people post)

import math
from itertools import combinations, pairwise, product

import numpy as np

from ..case import case

CATMULL_ROM = np.array([[0, 2, 0, 0], [-1, 0, 1, 0], [2, -5, 4, -1], [-1, 3, -3, 1]]) / 2


def catmull_rom(points, t):
    n = len(points)
    i = min(max(int(t), 1), n - 3)
    u = t - i
    return np.array([1.0, u, u**2, u**3]) @ CATMULL_ROM @ points[i - 1:i + 3]


def de_casteljau(control, t):
    pts = [p for p in control]
    while len(pts) > 1:
        pts = [(1 - t) * a + t * b for a, b in zip(pts, pts[1:])]
    return pts.pop()


def basis(i, p, u, knots):
    if p == 0:
        return 1.0 if knots[i] <= u < knots[i + 1] else 0.0
    left_span, right_span = knots[i + p] - knots[i], knots[i + p + 1] - knots[i + 1]
    out = 0.0
    if left_span > 0:
        out += (u - knots[i]) / left_span * basis(i, p - 1, u, knots)
    if right_span > 0:
        out += (knots[i + p + 1] - u) / right_span * basis(i + 1, p - 1, u, knots)
    return out


def b_spline(coefficients, u, degree=3):
    inner = len(coefficients) - degree
    knots = [0.0] * degree + [float(k) for k in range(inner + 1)] + [float(inner)] * degree
    return sum(c * basis(i, degree, u, knots) for i, c in enumerate(coefficients))


def natural_cubic(xs, ys, q):
    """Thomas algorithm for the second derivatives, then evaluation at q."""
    n = len(xs)
    h = [b - a for a, b in zip(xs, xs[1:])]
    diag, rhs = [], []
    for i in range(1, n - 1):
        d = 2 * (h[i - 1] + h[i])
        r = 6 * ((ys[i + 1] - ys[i]) / h[i] - (ys[i] - ys[i - 1]) / h[i - 1])
        if diag:
            w = h[i - 1] / diag[-1]
            d, r = d - w * h[i - 1], r - w * rhs[-1]
        diag.append(d)
        rhs.append(r)
    M = [0.0]
    for i in reversed(range(n - 2)):
        M.append((rhs[i] - (h[i + 1] * M[-1] if i < n - 3 else 0.0)) / diag[i])
    M.append(0.0)
    M.reverse()
    k = max(i for i in range(n - 1) if xs[i] <= q)
    a, b = xs[k + 1] - q, q - xs[k]
    return ((M[k] * a**3 + M[k + 1] * b**3) / (6 * h[k]) + (ys[k] / h[k] - M[k] * h[k] / 6) * a
            + (ys[k + 1] / h[k] - M[k + 1] * h[k] / 6) * b)


def lagrange(xs, ys, q):
    total = 0.0
    for i, yi in enumerate(ys):
        weight = 1.0
        for j, xj in enumerate(xs):
            if j == i:
                continue
            weight *= (q - xj) / (xs[i] - xj)
        total += yi * weight
    return total


def arc_length(a, b, n=16):
    length, prev = 0.0, None
    for k in range(n + 1):
        t = 2 * math.pi * k / n
        point = (a * math.cos(t), b * math.sin(2 * t))
        if prev is not None:
            length += math.hypot(point[0] - prev[0], point[1] - prev[1])
        prev = point
    return length


def polynomial_fit(x, y, degree=2):
    V = np.stack([x**d for d in range(degree + 1)], axis=1)
    coef = np.linalg.solve(V.T @ V, V.T @ y)
    residual = y - V @ coef
    return coef[-1] + residual @ residual


def ridge_elimination(X, y, lam):
    # normal equations in plain lists, Gaussian elimination without pivoting
    n = X.shape[1]
    A = [[sum(X[k, i] * X[k, j] for k in range(len(X))) + (lam if i == j else 0.0) for j in range(n)]
         for i in range(n)]
    b = [sum(X[k, i] * y[k] for k in range(len(X))) for i in range(n)]
    for p in range(n):
        for r in range(p + 1, n):
            f = A[r][p] / A[p][p]
            A[r] = [arc - f * apc for arc, apc in zip(A[r], A[p])]
            b[r] -= f * b[p]
    w = []
    for i in range(n - 1, -1, -1):
        known = sum(A[i][n - 1 - k] * wk for k, wk in enumerate(w))
        w.append((b[i] - known) / A[i][i])
    return sum(wi**2 for wi in w)


def theil_like(xs, ys):
    slopes = sorted((y2 - y1) / (x2 - x1) for (x1, y1), (x2, y2) in combinations(zip(xs, ys), 2))
    m = len(slopes)
    return slopes[m // 2] if m % 2 else 0.5 * (slopes[m // 2 - 1] + slopes[m // 2])


def em_step(data, means, sigma, mix):
    """One EM step of a one-dimensional mixture; returns the new means' spread."""
    num, den = [0.0] * len(means), [0.0] * len(means)
    for x in data:
        like = [p * math.exp(-0.5 * ((x - m) / sigma) ** 2) for p, m in zip(mix, means)]
        z = sum(like)
        for k, lk in enumerate(like):
            num[k] += lk / z * x
            den[k] += lk / z
    new = [a / b for a, b in zip(num, den)]
    return max(new) - min(new)


def soft_kmeans(X, centers, beta=1.5, rounds=3):
    for _ in range(rounds):
        d2 = ((X[:, None, :] - centers[None, :, :]) ** 2).sum(-1)
        r = np.exp(-beta * d2)
        r /= r.sum(axis=1, keepdims=True)
        centers = r.T @ X / r.sum(axis=0)[:, None]
    return centers


def momentum_descent(w, lr, momentum, X, y):
    velocity = np.zeros_like(w)
    for epoch in range(5):
        gradient = 2 * X.T @ (X @ w - y) / len(y)
        velocity = momentum * velocity - lr * gradient
        w = w + velocity
    return np.mean((X @ w - y) ** 2)


def adam_quadratic(x, lr, b1=0.9, b2=0.99):
    m = v = 0.0
    for t in range(1, 9):
        g = 2 * (x - 3) + math.cos(x)
        m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
        x -= lr * (m / (1 - b1**t)) / (math.sqrt(v / (1 - b2**t)) + 1e-8)
    return x


def gaussian_process(xs, ys, log_scale, noise):
    def kernel(a, b):
        return math.exp(-0.5 * ((a - b) / math.exp(log_scale)) ** 2)

    K = np.array([[kernel(a, b) for b in xs] for a in xs]) + noise**2 * np.eye(len(xs))
    L = np.linalg.cholesky(K)
    z = np.linalg.solve(L, np.asarray(ys))
    return 0.5 * z @ z + np.log(np.diag(L)).sum()


def grid_quadrature(a, b, n=4):
    """A product rule on a square, with the nodes as a comprehension over product."""
    nodes = [(i + 0.5) / n for i in range(n)]
    return sum(math.exp(-a * x * y) * math.cos(b * (x - y)) for x, y in product(nodes, repeat=2) if x + y < 1.6) / n**2


def mlp_from_sizes(flat, sizes, x, labels):
    layers, start = [], 0
    for n_in, n_out in pairwise(sizes):
        stop = start + n_in * n_out
        layers.append((flat[start:stop].reshape(n_in, n_out), flat[stop:stop + n_out]))
        start = stop + n_out
    for depth, (W, b) in enumerate(layers):
        x = x @ W + b
        if depth < len(layers) - 1:
            x = np.tanh(x)
    return np.mean((x[:, 0] - labels) ** 2)


CASES = (
    case(catmull_rom, lambda rng: (rng.normal(size=(6, 2)), 2.3), wrt=(0, 1)),
    case(de_casteljau, lambda rng: (rng.normal(size=(5, 3)), 0.62), wrt=(0, 1)),
    case(b_spline, lambda rng: (rng.normal(size=6), 1.4), wrt=(0, 1)),
    case(natural_cubic, lambda rng: ([0.0, 1.0, 1.8, 3.1, 4.0], rng.normal(size=5), 2.2), wrt=(0, 1, 2)),
    case(lagrange, lambda rng: (np.array([0.0, 0.7, 1.9, 2.5]), rng.normal(size=4), 1.3), wrt=(0, 1, 2)),
    case(arc_length, lambda rng: (1.3, 0.7), wrt=(0, 1)),
    case(polynomial_fit, lambda rng: (np.linspace(-1, 1, 6), rng.normal(size=6)), wrt=(0, 1)),
    case(ridge_elimination, lambda rng: (rng.normal(size=(5, 3)), rng.normal(size=5), 0.4), wrt=(0, 1, 2)),
    case(theil_like, lambda rng: ([0.0, 1.1, 2.0, 3.3], [0.1, 1.5, 1.7, 4.0]), wrt=(0, 1)),
    case(em_step, lambda rng: (rng.normal(size=6), [-0.8, 0.9], 0.7, (0.4, 0.6)), wrt=(0, 1, 2, 3)),
    case(soft_kmeans, lambda rng: (rng.normal(size=(6, 2)), rng.normal(size=(3, 2))), wrt=(0, 1)),
    case(momentum_descent,
         lambda rng: (rng.normal(size=2), 0.05, 0.8, rng.normal(size=(5, 2)), rng.normal(size=5)), wrt=(0, 1, 2, 3, 4)),
    case(adam_quadratic, lambda rng: (0.4, 0.3), wrt=(0, 1)),
    case(gaussian_process, lambda rng: ([0.0, 0.8, 1.5, 2.9], [0.1, 0.7, 1.0, -0.2], 0.1, 0.4), wrt=(0, 1, 2, 3)),
    case(grid_quadrature, lambda rng: (0.8, 1.7), wrt=(0, 1)),
    case(mlp_from_sizes,
         lambda rng: (rng.normal(size=3 * 4 + 4 + 4 * 1 + 1), (3, 4, 1), rng.normal(size=(4, 3)), rng.normal(size=4)),
         wrt=(0, 2, 3)),
)

"""Programs with loops and of arrays, for machine code: ``compiled.py`` measures them, ``tests/loops`` tests them when small.

``PROGRAMS``: what they are called in tables, the function and its arguments.
"""

from __future__ import annotations

import math

import numpy as np


def rosenbrock(x):
    s = 0.0
    for i in range(len(x) - 1):
        s += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return s


def logistic_map(x, r, n):
    for _ in range(n):
        x = r * x * (1.0 - x)
    return x


def pendulum(y, v, h, n):
    for _ in range(n):
        k1, l1 = v, -math.sin(y)
        k2, l2 = v + 0.5 * h * l1, -math.sin(y + 0.5 * h * k1)
        k3, l3 = v + 0.5 * h * l2, -math.sin(y + 0.5 * h * k2)
        k4, l4 = v + h * l3, -math.sin(y + h * k3)
        y, v = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4), v + h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4)
    return y


def bodies(q, m):
    e = 0.0
    for i in range(q.shape[0]):
        for j in range(i + 1, q.shape[0]):
            dx, dy, dz = q[i, 0] - q[j, 0], q[i, 1] - q[j, 1], q[i, 2] - q[j, 2]
            e -= m[i] * m[j] / np.sqrt(dx * dx + dy * dy + dz * dz + 1e-3)
    return e


def gather(x, index):
    s = 0.0
    for k in range(len(index)):
        s += x[index[k]] ** 2
    return s


def scatter(x, index):
    y = np.zeros_like(x)
    for k in range(len(index)):
        y[index[k]] += x[k] ** 2
    return np.sum(y**2)


def thomas(a, b, c, d):
    n = len(d)
    for i in range(1, n):
        w = a[i - 1] / b[i - 1]
        b[i] -= w * c[i - 1]
        d[i] -= w * d[i - 1]
    d[n - 1] = d[n - 1] / b[n - 1]
    for i in range(n - 2, -1, -1):
        d[i] = (d[i] - c[i] * d[i + 1]) / b[i]
    return d.sum()


def heat_by_elements(u, steps):
    for _ in range(steps):
        v = u.copy()
        for i in range(1, len(u) - 1):
            u[i] = v[i] + 0.1 * (v[i + 1] - 2.0 * v[i] + v[i - 1]) * v[i]
    return (u * u).sum()


def cholesky(a):
    n = a.shape[0]
    low = np.zeros((n, n))
    s = 0.0
    for j in range(n):
        for i in range(j, n):
            t = a[i, j]
            for k in range(j):
                t -= low[i, k] * low[j, k]
            low[i, j] = np.sqrt(t) if i == j else t / low[j, j]
        s += np.log(low[j, j])
    return s


def shortest_paths(w):
    n = w.shape[0]
    d = w.copy()
    for k in range(n):
        for i in range(n):
            for j in range(n):
                d[i, j] = -np.log(np.exp(-d[i, j]) + np.exp(-d[i, k] - d[k, j]))
    return np.sum(d) / n**2


def heat_by_slices(u, steps):
    for _ in range(steps):
        u[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]) * u[1:-1, 1:-1]
    return np.sum(u**2)


def chain(x):
    return np.sum(np.tanh(x) * np.exp(-x * x) + np.sin(x) ** 2)


def recurrent(x, w, v):
    h = np.zeros(w.shape[0])
    for t in range(x.shape[0]):
        h = np.tanh(w @ h + v @ x[t])
    return h @ h


def linear_recurrence(x, a):
    s, t = 0.0, 1.0
    for k in range(len(x)):
        s, t = a * s + x[k] * t, 0.5 * t + s * 0.1
    return s + t


def lorenz(x, y, z, h, n):
    for _ in range(n):
        x, y, z = x + h * 10.0 * (y - x), y + h * (x * (28.0 - z) - y), z + h * (x * y - 8.0 / 3.0 * z)
    return x + y + z


def dot_by_elements(x, y):
    s = 0.0
    for k in range(len(x)):
        s += x[k] * y[k]
    return s


def horner(c, x):
    s = 0.0
    for k in range(len(c)):
        s = s * x + c[k]
    return s


def wave_by_slices(u, v, steps):
    for _ in range(steps):
        v[1:-1] += 0.2 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u += 0.5 * v
    return np.sum(u * u)


def heat_in_space(u, steps):
    for _ in range(steps):
        v = u.copy()
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                for k in range(1, u.shape[2] - 1):
                    near = v[i - 1, j, k] + v[i + 1, j, k] + v[i, j - 1, k] + v[i, j + 1, k] + v[i, j, k - 1] + v[i, j, k + 1]
                    u[i, j, k] = v[i, j, k] + 0.1 * (near - 6.0 * v[i, j, k])
    return np.sum(u * u)


def alternating_directions(u, steps):
    n = u.shape[0]
    for _ in range(steps):
        for i in range(n):
            for j in range(1, n):
                u[i, j] += 0.3 * u[i, j - 1]
        for j in range(n):
            for i in range(n - 2, -1, -1):
                u[i, j] = 0.7 * u[i, j] + 0.2 * u[i + 1, j] * u[i, j]
    return np.sum(u)


def lu_in_place(a):
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= a[i, k] * a[k, j]
    s = 0.0
    for k in range(n):
        s += np.log(a[k, k])
    return s


def triangular_solve(low, b):
    n = len(b)
    x = np.zeros(n)
    for i in range(n):
        t = b[i]
        for j in range(i):
            t -= low[i, j] * x[j]
        x[i] = t / low[i, i]
    return np.sum(x * x)


def bodies_by_arrays(q, m):
    d = q[:, None, :] - q[None, :, :]
    r = np.sqrt(np.sum(d * d, axis=2) + 1e-3)
    return np.sum(m[:, None] * m[None, :] / r)


def stress(p, d):
    s = 0.0
    for i in range(p.shape[0]):
        for j in range(i):
            r = 0.0
            for k in range(p.shape[1]):
                r += (p[i, k] - p[j, k]) ** 2
            s += (np.sqrt(r + 1e-9) - d[i, j]) ** 2
    return s


def softmax_rows(a, y):
    e = np.exp(a - np.max(a))
    p = e / np.sum(e, axis=1, keepdims=True)
    return -np.sum(y * np.log(p))


def soft_histogram(x, bins):
    h = np.zeros(bins)
    for k in range(len(x)):
        t = x[k] * (bins - 2)
        i = int(t)
        h[i] += 1.0 - (t - i)
        h[i + 1] += t - i
    return np.sum(h * h)


def sparse_product(data, indices, starts, x):
    s = 0.0
    for i in range(len(starts) - 1):
        t = 0.0
        for k in range(starts[i], starts[i + 1]):
            t += data[k] * x[indices[k]]
        s += t * t
    return s


def recursive_filter(x, a, b):
    y = np.zeros(len(x))
    for k in range(2, len(x)):
        y[k] = b * x[k] - a * y[k - 1] - 0.1 * y[k - 2] * y[k - 1]
    return np.sum(y * y)


def filtered(x, h):
    s = 0.0
    for k in range(len(x) - len(h)):
        t = 0.0
        for j in range(len(h)):
            t += h[j] * x[k + j]
        s += t * t
    return s


def hidden_states(start, moves, seen):
    a = np.log(start)
    for t in range(seen.shape[0]):
        m = np.max(a)
        a = np.log(np.exp(a - m) @ moves) + m + seen[t]
    m = np.max(a)
    return m + np.log(np.sum(np.exp(a - m)))


def time_warping(x, y):
    n, m = len(x), len(y)
    d = np.full((n + 1, m + 1), 1e3)
    d[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            near = np.exp(-d[i - 1, j]) + np.exp(-d[i, j - 1]) + np.exp(-d[i - 1, j - 1])
            d[i, j] = (x[i - 1] - y[j - 1]) ** 2 - np.log(near + 1e-30)
    return d[n, m]


def option_tree(price, volatility, steps):
    u = math.exp(volatility * math.sqrt(1.0 / steps))
    p = (1.0 - 1.0 / u) / (u - 1.0 / u)
    v = np.zeros(steps + 1)
    for k in range(steps + 1):
        v[k] = max(price * u ** (2 * k - steps) - 100.0, 0.0)
    for n in range(steps, 0, -1):
        for k in range(n):
            v[k] = p * v[k + 1] + (1.0 - p) * v[k]
    return v[0]


def newton_roots(a):
    s = 0.0
    for k in range(len(a)):
        x = a[k]
        while abs(x * x - a[k]) > 1e-12:
            x = 0.5 * (x + a[k] / x)
        s += x
    return s


rng = np.random.default_rng(0)
PROGRAMS = {
    "Rosenbrock by elements, 1,000": (rosenbrock, (rng.random(1000),)),
    "logistic map, 100 steps": (logistic_map, (0.3, 3.5, 100)),
    "pendulum, RK4, 1,000 steps": (pendulum, (0.5, 0.0, 0.01, 1000)),
    "N-body by elements, 40": (bodies, (rng.random((40, 3)), rng.random(40))),
    "gather in a loop, 10,000": (gather, (rng.random(10000), rng.integers(0, 10000, 10000))),
    "scatter in a loop, 10,000": (scatter, (rng.random(10000), rng.integers(0, 10000, 10000))),
    "Thomas, 1,000": (thomas, (rng.random(999), 4 + rng.random(1000), rng.random(999), rng.random(1000))),
    "heat by elements, 20 x 200": (heat_by_elements, (rng.random(200), 20)),
    "Cholesky by elements, 24": (cholesky, (0.1 * np.ones((24, 24)) + 24 * np.eye(24),)),
    "Floyd-Warshall, soft, 16": (shortest_paths, (rng.random((16, 16)) + 5,)),
    "heat by slices, 10 x 64 x 64": (heat_by_slices, (rng.random((64, 64)), 10)),
    "elementwise chain, 10": (chain, (rng.random(10),)),
    "elementwise chain, 100,000": (chain, (rng.random(100_000),)),
    "recurrent network, 50 x 32": (recurrent, (rng.random((50, 8)), rng.random((32, 32)) / 16, rng.random((32, 8)))),
    "linear recurrence, 1,000": (linear_recurrence, (rng.random(1000), 0.9)),
    "Lorenz, 1,000 steps": (lorenz, (1.0, 1.1, 0.9, 0.001, 1000)),
    "dot product by elements, 10,000": (dot_by_elements, (rng.random(10000), rng.random(10000))),
    "Horner, 1,000": (horner, (rng.random(1000), 0.7)),
    "wave by slices, 100 x 1,000": (wave_by_slices, (rng.random(1000), np.zeros(1000), 100)),
    "heat in space by elements, 2 x 12^3": (heat_in_space, (rng.random((12, 12, 12)), 2)),
    "alternating directions, 4 x 32^2": (alternating_directions, (rng.random((32, 32)), 4)),
    "LU in place, 24": (lu_in_place, (rng.random((24, 24)) + 24 * np.eye(24),)),
    "triangular solve, 80": (triangular_solve, (np.tril(rng.random((80, 80))) + 80 * np.eye(80), rng.random(80))),
    "N-body by arrays, 60": (bodies_by_arrays, (rng.random((60, 3)), rng.random(60))),
    "MDS stress, 30": (stress, (rng.random((30, 3)), rng.random((30, 30)))),
    "softmax, 100 x 20": (softmax_rows, (rng.normal(size=(100, 20)), rng.random((100, 20)))),
    "soft histogram, 5,000": (soft_histogram, (rng.random(5000), 32)),
    "sparse product, 5,000": (
        sparse_product, (rng.random(5000), rng.integers(0, 500, 5000), np.arange(0, 5001, 10), rng.random(500)),
    ),
    "recursive filter, 2,000": (recursive_filter, (rng.random(2000), 0.3, 0.5)),
    "FIR filter, 1,000 x 16": (filtered, (rng.random(1000), rng.random(16))),
    "hidden Markov, 50 x 16": (
        hidden_states, (np.full(16, 1.0 / 16), rng.random((16, 16)) / 8, rng.normal(size=(50, 16))),
    ),
    "time warping, 40 x 40": (time_warping, (rng.random(40), rng.random(40))),
    "option tree, 100": (option_tree, (105.0, 0.2, 100)),
    "Newton's roots, 300": (newton_roots, (rng.random(300) + 0.5,)),
    "elementwise chain, 1,000": (chain, (rng.random(1000),)),
    "elementwise chain, 1,000,000": (chain, (rng.random(1_000_000),)),
}

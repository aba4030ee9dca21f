"""Value and gradient by machine code (``backend="numba"``) beside NumPy's program, on programs with loops and of arrays.

Both back ends' gradients are compared first. Reported are ratios of medians, taken in turns: NumPy's program over the compiled
one, and the compiled gradient over the compiled function; and the seconds until the first gradient, with an empty cache.
``python benchmarks/compiled.py [PROGRAM ...]``
"""

from __future__ import annotations

import contextlib
import math
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from timing import medians

from s2sad import differentiate, value_and_grad
from s2sad.native import NotCompiledWarning


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
}


def row(name: str, function: Callable[..., Any], args: tuple[Any, ...], folder: str) -> float:
    """Print one row of the table; the first ratio of it."""
    plain, fast = value_and_grad(function), value_and_grad(function, backend="numba", cache_dir=folder)
    start = time.perf_counter()
    value, gradient = fast(*args)
    first = time.perf_counter() - start
    expected = plain(*args)
    np.testing.assert_allclose(gradient, expected[1], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(value, expected[0], rtol=1e-9)
    candidates = {"plain": lambda: plain(*args), "fast": lambda: fast(*args)}
    with contextlib.suppress(NotCompiledWarning):  # of what writes into its arguments
        primal = differentiate(function, cache_dir=folder).compiled
        primal(*args)
        candidates["primal"] = lambda: primal(*args)
    found = medians(candidates, rounds=9)
    own = f"{found['fast'] / found['primal']:.2f}" if "primal" in found else ""
    print(f"| {name} | {found['plain'] / found['fast']:.1f} | {own} | {first:.1f} |", flush=True)  # noqa: T201
    return found["plain"] / found["fast"]


def main() -> None:
    """Print the table."""
    warnings.simplefilter("error", NotCompiledWarning)  # a program that runs as NumPy is no row of this table
    print("| program | NumPy / Numba | gradient / function, compiled | first gradient, s |\n|---|---|---|---|")  # noqa: T201
    with tempfile.TemporaryDirectory() as folder:
        chosen = {n: p for n, p in PROGRAMS.items() if p[0].__name__ in sys.argv[1:] or not sys.argv[1:]}
        ratios = [row(name, function, args, folder) for name, (function, args) in chosen.items()]
    print(f"\ngeometric mean, NumPy / Numba: {math.exp(np.mean(np.log(ratios))):.1f}")  # noqa: T201


if __name__ == "__main__":
    main()

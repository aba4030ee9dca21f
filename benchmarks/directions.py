"""Several directions at once: tangents beside the loop over them, a dense Hessian, a sparse Jacobian by colours.

    python benchmarks/directions.py
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from bratu import bratu, five_point
from timing import least

from s2sad import color, hessian, hvp, jvp, sparse_jacobian


def best(*runs: Callable[[], Any], rounds: int = 30) -> list[float]:
    """The least processor times in milliseconds, taken in turns, after a first call of each."""
    for run in runs:
        run()
    found = least({str(k): run for k, run in enumerate(runs)}, rounds, calls=1, clock=time.process_time)
    return [1e3 * seconds for seconds in found.values()]


def heat(u):
    v = u.copy()
    v[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1] ** 2
    return np.exp(-v) * u


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def tangents(n: int, k: int) -> str:
    """k directions of a stencil on n points: the loop, and all at once."""
    u, rows = np.linspace(0.0, 1.0, n), np.random.default_rng(0).standard_normal((k, n))
    loop, together = best(
        lambda: [jvp(heat, (u,), (row,)) for row in rows], lambda: jvp(heat, (u,), (rows,), batched=True)
    )
    return f"stencil, n = {n}, {k} directions: loop {loop:.3f} ms, at once {together:.3f} ms, {loop / together:.1f} times"


def dense(n: int) -> str:
    """A dense Hessian."""
    x, made = np.linspace(-1.0, 1.0, n), hessian(rosenbrock)
    units = np.eye(n)
    loop, together = best(lambda: [hvp(rosenbrock, (x,), (v,)) for v in units], lambda: made(x))
    return f"Hessian, n = {n}: loop of hvp {loop:.3f} ms, hessian {together:.3f} ms, {loop / together:.1f} times"


def sparse(n: int) -> str:
    """The Jacobian of the Bratu problem on n times n points."""
    start = time.perf_counter()
    coloring = color(five_point(n))
    took = 1e3 * (time.perf_counter() - start)
    u, made, unit = np.random.default_rng(0).standard_normal((n, n)), sparse_jacobian(bratu, coloring), np.zeros((n, n))
    unit[0, 0] = 1.0
    column, whole = best(lambda: jvp(bratu, (u, 1.0), (unit, None)), lambda: made(u, 1.0), rounds=5)
    return (
        f"Bratu, n = {n * n}: {coloring.count} colours in {took:.0f} ms, sparse Jacobian {whole:.2f} ms, "
        f"one column {column:.3f} ms, by columns {column * n * n / whole:.0f} times as long"
    )


def main() -> None:
    lines = [tangents(100, 100), tangents(1_000, 64), tangents(10_000, 16), dense(100), *map(sparse, (100, 300, 1_000))]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

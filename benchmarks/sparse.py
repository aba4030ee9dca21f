"""Sparse Jacobians as they grow, and many samples at once: pattern, colouring and evaluation of the five-point Bratu problem
beside its Jacobian by columns; gradients of each sample beside the loop.

Run: ``python benchmarks/sparse.py``. Times of the processor, the least of several, in one process.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from bratu import bratu_in_line
from rich.console import Console
from rich.table import Table

from s2sad import color, grad, jacobian_sparsity, jvp, sparse_jacobian, vmap


def loss(w: Any, x: Any, y: Any) -> Any:
    return (np.tanh(np.dot(w, x)) - y) ** 2


def least(call: Callable[[], Any], times: int = 5) -> float:
    """Seconds of the processor for one call, after one that is not counted."""
    call()
    found = []
    for _ in range(times):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return min(found)


def main() -> None:
    """Measure and print."""
    table = Table("n", "pattern", "colours", "colouring", "evaluation", "by columns / evaluation", title="Bratu, five points")
    for side in (100, 317, 1000):
        u, unit = np.ones(side * side), np.zeros(side * side)
        unit[5] = 1.0
        pattern = jacobian_sparsity(bratu_in_line, u)
        coloring = color(pattern)
        evaluated = least(lambda: sparse_jacobian(bratu_in_line, coloring)(u))  # noqa: B023  (called at once)
        times = (least(lambda: jacobian_sparsity(bratu_in_line, u)), least(lambda: color(pattern), 2), evaluated)  # noqa: B023
        column = least(lambda: jvp(bratu_in_line, (u,), (unit,)))  # noqa: B023
        found, colored, evaluated = (f"{t * 1e3:.2f} ms" for t in times)
        table.add_row(f"{u.size:,}", found, str(coloring.count), colored, evaluated, f"{column * u.size / times[2]:,.0f}")
    Console().print(table)
    rng = np.random.default_rng(0)
    w, xs, ys = rng.normal(size=20), rng.normal(size=(2000, 20)), rng.normal(size=2000)
    each, at_once = grad(loss), vmap(grad(loss), (None, 0, 0))
    loop = least(lambda: [each(w, x, float(y)) for x, y in zip(xs, ys, strict=True)])
    together = least(lambda: at_once(w, xs, ys))
    faster = f"loop {loop * 1e3:.1f} ms, at once {together * 1e3:.2f} ms: {loop / together:.0f} x"
    Console().print(f"gradients of 2,000 samples: {faster}")


if __name__ == "__main__":
    main()

"""What a product with a Hessian costs: forward over reverse, and reverse over reverse, in gradients.

Run: ``python benchmarks/second_order.py``. Ratios of medians, interleaved in one process; at most 2.2 gradients is the aim.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from timing import medians

from s2sad import grad, hvp


def rosenbrock(x: Any) -> Any:
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def energy(u: Any) -> Any:
    d = u[1:] - u[:-1]
    return np.sum(np.sqrt(1.0 + d * d)) + np.sum(np.exp(-u) * u**2)


def network(w: Any) -> Any:
    h = np.tanh(INPUTS @ w)
    return np.sum(np.log1p(np.exp(h @ w.T)))


def rod(u: Any) -> Any:
    u = u.copy()
    for _ in range(20):
        u[1:-1] += 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) - 0.01 * u[1:-1] ** 3
    return np.sum(u**2)


RNG = np.random.default_rng(0)
INPUTS = RNG.normal(size=(50, 40))
PROGRAMS: list[tuple[Callable[[Any], Any], Any]] = [
    (rosenbrock, RNG.normal(size=100_000)),
    (energy, RNG.uniform(0.5, 1.5, 100_000)),
    (network, 0.1 * RNG.normal(size=(40, 40))),
    (rod, RNG.normal(size=20_000)),
]


def main() -> None:
    """Measure and print."""
    names = ("program", "gradient", "forward over reverse", "reverse over reverse")
    table = Table(*names, title="Hessian times vector, in gradients")
    for function, x in PROGRAMS:
        v = RNG.normal(size=x.shape)
        found = medians(
            {
                "gradient": functools.partial(grad(function), x),
                "fwd": functools.partial(hvp, function, (x,), (v,)),
                "rev": functools.partial(hvp, function, (x,), (v,), mode="rev"),
            }
        )
        base = found["gradient"]
        table.add_row(function.__name__, f"{base * 1e3:.2f} ms", f"{found['fwd'] / base:.2f}", f"{found['rev'] / base:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()

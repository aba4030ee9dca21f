"""What a product with a Hessian costs: forward over reverse, and reverse over reverse, in gradients.

Run: ``python benchmarks/second_order.py``. Ratios of the least processor times, interleaved in one process; at most
2.2 gradients is the aim. What the chain rule gives by hand stands beside it: its gradient and its product, in our
gradients.

Of the product of two matrices that both depend on x, ``(a b)' = a' b + a b'``: three products where the value takes
one, and fewer are not possible (multiplication of dual numbers has rank 3). ``network`` has three such products and two
with constants in its gradient: at least 13 products against 5.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from timing import least

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


def energy_by_hand(u: Any) -> Any:
    d = u[1:] - u[:-1]
    e = np.exp(-u)
    g = 2 * e * u
    g -= u**2 * e
    s = d / np.sqrt(1.0 + d * d)
    g[:-1] -= s
    g[1:] += s
    return g


def energy_product_by_hand(u: Any, u_dot: Any) -> Any:
    d, d_dot = u[1:] - u[:-1], u_dot[1:] - u_dot[:-1]
    r = np.sqrt(1.0 + d * d)
    r_dot = d * d_dot / r
    e = np.exp(-u)
    e_dot = -u_dot * e
    g = 2 * e * u
    g_dot = 2 * (e_dot * u + e * u_dot)
    q = u**2
    g -= q * e
    g_dot -= 2 * u * u_dot * e + q * e_dot
    s = d / r
    s_dot = (d_dot - s * r_dot) / r
    g[:-1] -= s
    g[1:] += s
    g_dot[:-1] -= s_dot
    g_dot[1:] += s_dot
    return g, g_dot


def network_by_hand(w: Any) -> Any:
    h = np.tanh(INPUTS @ w)
    z = np.exp(h @ w.T)
    p = z / (1 + z)
    return p.T @ h + INPUTS.T @ (p @ w * (1 - h * h))


def network_product_by_hand(w: Any, w_dot: Any) -> Any:
    h = np.tanh(INPUTS @ w)
    s = 1 - h * h
    h_dot = INPUTS @ w_dot * s
    z = np.exp(h @ w.T)
    p = z / (1 + z)
    p_dot = (h_dot @ w.T + h @ w_dot.T) * p * (1 - p)
    h_bar = p @ w
    h_bar_dot = p_dot @ w + p @ w_dot
    first = p.T @ h + INPUTS.T @ (h_bar * s)
    return first, p_dot.T @ h + p.T @ h_dot + INPUTS.T @ (h_bar_dot * s - 2 * h * h_dot * h_bar)


RNG = np.random.default_rng(0)
INPUTS = RNG.normal(size=(50, 40))
PROGRAMS: list[tuple[Callable[[Any], Any], Any]] = [
    (rosenbrock, RNG.normal(size=100_000)),
    (energy, RNG.uniform(0.5, 1.5, 100_000)),
    (network, 0.1 * RNG.normal(size=(40, 40))),
    (rod, RNG.normal(size=20_000)),
]


BY_HAND: dict[Any, tuple[Callable[[Any], Any], Callable[[Any, Any], Any]]] = {
    energy: (energy_by_hand, energy_product_by_hand),
    network: (network_by_hand, network_product_by_hand),
}


def main() -> None:
    """Measure and print."""
    names = ("program", "gradient", "forward over reverse", "reverse over reverse", "gradient by hand", "product by hand")
    table = Table(*names, title="Hessian times vector, in gradients")
    for function, x in PROGRAMS:
        v = RNG.normal(size=x.shape)
        candidates: dict[str, Callable[[], object]] = {
            "gradient": functools.partial(grad(function), x),
            "fwd": functools.partial(hvp, function, (x,), (v,)),
            "rev": functools.partial(hvp, function, (x,), (v,), mode="rev"),
        }
        if function in BY_HAND:
            first, second = BY_HAND[function]
            np.testing.assert_allclose(second(x, v), hvp(function, (x,), (v,)), rtol=1e-9, atol=1e-9)
            candidates |= {"gradient by hand": functools.partial(first, x), "product by hand": functools.partial(second, x, v)}
        for call in candidates.values():
            call()
        found = least(candidates, rounds=40, calls=1 if x.size > 10_000 else 100, clock=time.process_time)
        base = found["gradient"]
        ratios = [f"{found[name] / base:.2f}" if name in found else "" for name in [*candidates][1:]]
        table.add_row(function.__name__, f"{base * 1e3:.2f} ms", *ratios)
    Console().print(table)


if __name__ == "__main__":
    main()

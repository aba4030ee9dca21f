"""Pushforward and pullback: the two ways to walk a chain of primitives, and a primitive of one's own with both.

A function is a chain of primitives; jvp carries a tangent along it, vjp an adjoint back. Where a value is read twice (fan-out)
the adjoints add up, where two values meet (fan-in) the tangents do. Both are one linear map: <J v, w> = <v, J' w>. Run it::

    python examples/pushforward_pullback.py
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad import jvp, rule, vjp


def _solve_jvp(out: np.ndarray, args: tuple[Any, ...], dots: tuple[Any, ...]) -> np.ndarray:
    """The tangent of ``solve``: from a x = b follows a dx = db - da x."""
    a, _ = args
    a_dot, b_dot = dots
    return np.linalg.solve(a, b_dot - a_dot @ out)


def _solve_vjp(out_bar: np.ndarray, out: np.ndarray, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The adjoints of ``solve``."""
    b_bar = np.linalg.solve(a.T, out_bar)
    return -np.outer(b_bar, out), b_bar


@rule(jvp=_solve_jvp, vjp=_solve_vjp, like="b")
def solve(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """A primitive of one's own: x with a x = b, by Cramer's rule. Nothing looks inside it."""
    det = np.linalg.det(a)
    return np.array([np.linalg.det(np.where(np.arange(b.size) == k, b[:, None], a)) / det for k in range(b.size)])


def chain(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """A chain with fan-out (``x`` is read twice) and fan-in."""
    x = solve(a, np.sin(b))
    return x * np.exp(-x) + a @ b


def data() -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray], np.ndarray]:
    """A point, a direction and an adjoint."""
    rng = np.random.default_rng(0)
    point = np.eye(3) * 2 + rng.normal(size=(3, 3)) / 4, rng.normal(size=3)
    return point, (rng.normal(size=(3, 3)), rng.normal(size=3)), rng.normal(size=3)


def both() -> tuple[float, float]:
    """<J v, w> and <v, J' w>."""
    point, v, w = data()
    _, pushed = jvp(chain, point, v)
    _, pullback = vjp(chain, *point)
    pulled = pullback(w)
    return float(pushed @ w), float(sum(np.sum(p * t) for p, t in zip(pulled, v, strict=True)))


def main() -> None:
    """Print both products."""
    forward, reverse = both()
    print("pushforward along v and pullback of w through a chain with a primitive of one's own")
    print(f"<J v, w>  = {forward:.15f}")
    print(f"<v, J' w> = {reverse:.15f}")


if __name__ == "__main__":
    main()

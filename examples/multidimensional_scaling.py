"""Multidimensional scaling: points of the plane from the squared distances between them, by gradient descent.

L(W) = sum over i, j of (|W_i - W_j|^2 - D_ij)^2. The points come back up to rotation, reflection and shift. The two-point
estimator, which sees no gradient, is far away after the same number of steps. Run it::

    python examples/multidimensional_scaling.py
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pictures

from s2sad import differentiate


@differentiate
def stress(points: np.ndarray, squared: np.ndarray) -> float:
    """How far the squared distances of the points are from those asked for."""
    total = 0.0
    for i in range(points.shape[0]):
        apart = points - points[i]
        total += np.sum((np.sum(apart**2, axis=1) - squared[i]) ** 2)
    return total


def data(count: int = 12) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points, the squares of their distances, and where the search begins."""
    rng = np.random.default_rng(1)
    points = rng.uniform(-1.0, 1.0, size=(count, 2))
    return points, np.sum((points[:, None] - points) ** 2, axis=2), points + 0.3 * rng.normal(size=(count, 2))


def descend(
    gradient: Callable[[np.ndarray], np.ndarray], start: np.ndarray, squared: np.ndarray, steps: int, rate: float
) -> tuple[np.ndarray, list[float]]:
    """Plain gradient descent; the points and the losses on the way."""
    points, losses = start, []
    for _ in range(steps):
        losses.append(stress(points, squared))
        points = points - rate * gradient(points)
    return points, losses


def runs(steps: int = 400) -> tuple[np.ndarray, list[float], list[float]]:
    """The points that are found with gradients, and the losses with and without."""
    _, squared, start = data()
    rng = np.random.default_rng(0)

    def estimate(points: np.ndarray) -> np.ndarray:
        v = rng.normal(size=points.shape)
        v /= np.linalg.norm(v)
        return points.size * (stress(points + 1e-5 * v, squared) - stress(points - 1e-5 * v, squared)) / 2e-5 * v

    found, first = descend(lambda p: stress.grad(p, squared), start, squared, steps, 4e-3)
    _, zero = descend(estimate, start, squared, steps, 4e-3 / start.size)
    return found, first, zero


def misfit(found: np.ndarray, points: np.ndarray) -> float:
    """The largest distance that is left after the best rotation or reflection and shift (orthogonal Procrustes)."""
    a, b = found - found.mean(axis=0), points - points.mean(axis=0)
    u, _, vt = np.linalg.svd(a.T @ b)
    return float(np.max(np.linalg.norm(a @ (u @ vt) - b, axis=1)))


def picture() -> Path:
    """The loss over the steps."""
    _, first, zero = runs()
    plot = pictures.axes("twelve points from their distances", "step", "loss", y="log")
    plot.plot(first, label="gradients in reverse mode")
    plot.plot(zero, label="two-point estimates")
    return pictures.save(plot, "multidimensional_scaling")


def main() -> None:
    """Print what is left of the loss, and how far the points are off."""
    points, _, _ = data()
    found, first, zero = runs()
    print(f"{len(points)} points of the plane, from the squares of their distances")
    print(f"loss: {first[0]:.3f} at the beginning, {first[-1]:.1e} with gradients, {zero[-1]:.1e} with two-point estimates")
    print(f"after the best rotation and shift the points are off by at most {misfit(found, points):.1e}")


if __name__ == "__main__":
    main()

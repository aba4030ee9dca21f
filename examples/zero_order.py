"""Descent with and without gradients: the two-point estimator needs the more steps, the more variables there are.

Zero-order methods know only values. G = d (L(w + e v) - L(w - e v)) / (2 e) v with v uniform on the unit sphere has the
gradient as its mean, and a variance that grows with the dimension d; so its steps have to be d times shorter. A gradient by
finite differences takes 2 d evaluations, one in reverse mode a small number of them, whatever d is. Run it::

    python examples/zero_order.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pictures

from s2sad import differentiate

DIMENSIONS = (2, 4, 8, 16, 32, 64)


@differentiate
def loss(w: np.ndarray) -> float:
    """A bowl with slopes between 1 and 2."""
    return np.sum(np.linspace(1.0, 2.0, w.size) * w**2) / 2


def two_point(w: np.ndarray, rng: np.random.Generator, step: float = 1e-5) -> np.ndarray:
    """The estimate of the gradient from two values along a random direction."""
    v = rng.normal(size=w.size)
    v /= np.linalg.norm(v)
    return w.size * (loss(w + step * v) - loss(w - step * v)) / (2 * step) * v


def differences(w: np.ndarray, step: float = 1e-5) -> np.ndarray:
    """The gradient by central differences: two evaluations for every variable."""
    return np.array([(loss(w + step * e) - loss(w - step * e)) / (2 * step) for e in np.eye(w.size)])


def iterations(estimate: Callable[[np.ndarray], np.ndarray], d: int, rate: float, goal: float = 1e-3) -> int:
    """Steps of descent until the loss has fallen to ``goal`` of what it was."""
    w = np.ones(d)
    start, count = loss(w), 0
    while loss(w) > goal * start:
        w = w - rate * estimate(w)
        count += 1
    return count


def table() -> list[tuple[int, int, int]]:
    """The dimension, the steps with gradients, and those without."""
    rows = []
    for d in DIMENSIONS:
        rng = np.random.default_rng(0)
        rows.append((d, iterations(loss.grad, d, 0.5), iterations(lambda w: two_point(w, rng), d, 0.5 / d)))  # noqa: B023
    return rows


def times() -> list[tuple[int, float, float, float]]:
    """The dimension, and the milliseconds of the descents by gradients, two-point estimates, and differences: the least of 3."""
    rows = []
    for d in DIMENSIONS:
        rng = np.random.default_rng(0)
        ways = ((loss.grad, 0.5), (lambda w: two_point(w, rng), 0.5 / d), (differences, 0.5))  # noqa: B023
        found = []
        for estimate, rate in ways:
            runs = []
            for _ in range(3):
                start = time.perf_counter()
                iterations(estimate, d, rate)
                runs.append(1e3 * (time.perf_counter() - start))
            found.append(min(runs))
        rows.append((d, *found))
    return rows


def over_dimension(title: str, up: str) -> Any:
    """Axes with the dimensions as ticks."""
    plot = pictures.axes(title, "dimension", up, x="log", y="log")
    plot.set_xticks(DIMENSIONS, labels=map(str, DIMENSIONS))
    plot.xaxis.minorticks_off()
    return plot


def picture() -> Path:
    """Steps over dimension, and time over dimension."""
    plot = over_dimension("time of the descent to 1/1000 of the loss", "milliseconds")
    dimensions, first, zero, third = zip(*times(), strict=True)
    plot.plot(dimensions, first, "o-", label="gradients in reverse mode")
    plot.plot(dimensions, zero, "s-", label="two-point estimates")
    plot.plot(dimensions, third, "^-", label="gradients by differences")
    pictures.save(plot, "zero_order_time")
    plot = over_dimension("descent to 1/1000 of the loss", "steps")
    dimensions, first, zero = zip(*table(), strict=True)
    plot.plot(dimensions, first, "o-", label="gradients in reverse mode")
    plot.plot(dimensions, zero, "s-", label="two-point estimates")
    return pictures.save(plot, "zero_order")


def main() -> None:
    """Print the table."""
    print("dimension   steps with gradients   steps with two-point estimates   evaluations for one difference gradient")
    for d, first, zero in table():
        print(f"{d:9} {first:22} {zero:32} {2 * d:41}")
    print("\ndimension   ms with gradients   ms with two-point estimates   ms with differences")
    for d, reverse, zero, third in times():
        print(f"{d:9} {reverse:19.2f} {zero:29.2f} {third:21.2f}")


if __name__ == "__main__":
    main()

"""Which mode: a Jacobian costs a tangent for each of n inputs, or an adjoint for each of m outputs.

f maps 100 numbers to m. ``jacobian`` takes the mode with fewer sweeps, and says why. Run it::

    python examples/jacobian_modes.py
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pictures

from s2sad import jacfwd, jacobian, jacrev

INPUTS = 100
OUTPUTS = (5, 20, 50, 100, 200, 400)


def f(x: np.ndarray, a: np.ndarray) -> np.ndarray:
    """m numbers from n, for a matrix of shape (m, n)."""
    return np.tanh(a @ x) + np.sum(x**2)


def data(m: int) -> tuple[np.ndarray, np.ndarray]:
    """A point and a matrix for m outputs."""
    rng = np.random.default_rng(m)
    return rng.normal(size=INPUTS) / 10, rng.normal(size=(m, INPUTS)) / 10


def by_hand(x: np.ndarray, a: np.ndarray) -> np.ndarray:
    """The Jacobian by its formula."""
    return (1 - np.tanh(a @ x) ** 2)[:, None] * a + 2 * x


def seconds(function: Callable[..., object], *args: np.ndarray) -> float:
    """The shortest time of five."""
    function(*args)
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        function(*args)
        times.append(time.perf_counter() - begin)
    return min(times)


def table() -> list[tuple[int, float, float]]:
    """The number of outputs, and milliseconds in forward and in reverse mode, one sweep at a time."""
    modes = [mode(f, chunk_size=1) for mode in (jacfwd, jacrev)]
    return [(m, *(1e3 * seconds(mode, *data(m)) for mode in modes)) for m in OUTPUTS]


def picture() -> Path:
    """Time over m / n for both modes."""
    plot = pictures.axes(f"Jacobians with {INPUTS} inputs", "outputs / inputs", "milliseconds", x="log", y="log")
    outputs, forward, reverse = zip(*table(), strict=True)
    ratios = [m / INPUTS for m in outputs]
    plot.plot(ratios, forward, "o-", label="forward: a sweep for each input")
    plot.plot(ratios, reverse, "s-", label="reverse: a sweep for each output")
    return pictures.save(plot, "jacobian_modes")


def main() -> None:
    """Print the table, and what ``jacobian`` chooses."""
    print("outputs   forward ms   reverse ms   jacobian takes")
    for m, forward, reverse in table():
        print(f"{m:7} {forward:12.2f} {reverse:12.2f}   {jacobian(f).why(*data(m))}")


if __name__ == "__main__":
    main()

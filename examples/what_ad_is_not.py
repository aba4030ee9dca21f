"""What automatic differentiation is not: finite differences, symbolic differentiation, formulas by hand.

The logistic map, l = 4 l (1 - l) four times over, differentiated in four ways. Differences lose half of the digits at best, and
show it as a V when the error is drawn over the step; the symbolic derivative grows exponentially where the program grows by
a line an iteration; the generated program has machine precision and a handful of statements. (The example is that of Baydin,
Pearlmutter, Radul & Siskind 2018, "Automatic Differentiation in Machine Learning: a Survey", section 2.) Run it::

    python examples/what_ad_is_not.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pictures

from s2sad import differentiate

POINT = 0.2


@differentiate
def logistic(x: float, times: int = 4) -> float:
    """The logistic map, iterated."""
    for _ in range(times):
        x = 4.0 * x * (1.0 - x)
    return x


def by_hand(x: float, times: int = 4) -> float:
    """The derivative: with x = sin(t)^2 the map doubles t."""
    t = np.arcsin(np.sqrt(x))
    return 2.0**times * np.sin(2.0**times * 2 * t) / np.sin(2 * t)


def errors(steps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The relative errors of forward and of central differences."""
    exact = by_hand(POINT)
    forward = [(logistic(POINT + h) - logistic(POINT)) / h for h in steps]
    central = [(logistic(POINT + h) - logistic(POINT - h)) / (2 * h) for h in steps]
    return abs(np.array(forward) / exact - 1), abs(np.array(central) / exact - 1)


def swell() -> list[tuple[int, int, int]]:
    """The number of iterations, the operations of the symbolic derivative (SymPy's), and the lines of the generated one."""
    import sympy

    x = sympy.Symbol("x")
    rows, expression = [], x
    lines = sum(bool(line.partition("#")[0].strip()) for line in logistic.source("tangent", POINT, 4).splitlines())
    for times in range(1, 6):
        expression = 4 * expression * (1 - expression)
        rows.append((times, int(sympy.count_ops(sympy.diff(expression, x))), lines))
    return rows


def picture() -> Path:
    """Errors over the step."""
    steps = np.logspace(-16, -1, 120)
    plot = pictures.axes("errors of the derivative of the logistic map", "step", "relative error", x="log", y="log")
    forward, central = errors(steps)
    plot.plot(steps, forward, label="forward differences")
    plot.plot(steps, central, label="central differences")
    own = max(abs(logistic.grad(POINT) / by_hand(POINT) - 1), 1e-17)
    plot.axhline(own, color="black", linestyle="--", label="generated program")
    return pictures.save(plot, "what_ad_is_not")


def main() -> None:
    """Print the derivative four ways, and how the symbolic one grows."""
    steps = np.logspace(-16, -1, 120)
    forward, central = errors(steps)
    print(f"by hand                     {by_hand(POINT):.15f}")
    print(f"generated program           {logistic.grad(POINT):.15f}, error {abs(logistic.grad(POINT) / by_hand(POINT) - 1):.1e}")
    print(f"forward differences         best error {forward.min():.1e}, at a step of {steps[forward.argmin()]:.0e}")
    print(f"central differences         best error {central.min():.1e}, at a step of {steps[central.argmin()]:.0e}")
    try:
        for times, operations, lines in swell():
            print(f"{times} iterations: symbolic derivative {operations:6} operations, generated program {lines} lines")
    except ModuleNotFoundError:
        print("symbolic differentiation needs SymPy (pip install 's2sad[examples]')")


if __name__ == "__main__":
    main()

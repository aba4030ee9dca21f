"""Draws of ``random`` with parameters that may vary, or of items: the source draws what it draws in Python, in that order."""

from __future__ import annotations

import math
from typing import Any

__all__ = [
    "choice", "choices", "expovariate", "gauss", "lognormvariate", "normalvariate", "paretovariate", "sample", "shuffle",
    "triangular", "uniform", "weibullvariate",
]  # fmt: skip


def uniform(source: Any, a: Any, b: Any) -> Any:
    """Between two ends."""
    return a + (b - a) * source.random()


def gauss(source: Any, mu: Any = 0.0, sigma: Any = 1.0) -> Any:
    """By location and scale."""
    return mu + source.gauss(0.0, 1.0) * sigma


def normalvariate(source: Any, mu: Any = 0.0, sigma: Any = 1.0) -> Any:
    """By location and scale."""
    return mu + source.normalvariate(0.0, 1.0) * sigma


def lognormvariate(source: Any, mu: Any, sigma: Any) -> Any:
    """The exponential of a normal one."""
    return math.exp(mu + source.normalvariate(0.0, 1.0) * sigma)


def expovariate(source: Any, lambd: Any) -> Any:
    """By inversion."""
    return -math.log(1.0 - source.random()) / lambd


def paretovariate(source: Any, alpha: Any) -> Any:
    """By inversion."""
    return (1.0 - source.random()) ** (-1.0 / alpha)


def weibullvariate(source: Any, alpha: Any, beta: Any) -> Any:
    """By inversion."""
    return alpha * (-math.log(1.0 - source.random())) ** (1.0 / beta)


def triangular(source: Any, low: Any = 0.0, high: Any = 1.0, mode: Any = None) -> Any:
    """By inversion; at first the mode is in the middle."""
    u = source.random()
    if high == low:
        return low
    c = 0.5 if mode is None else (mode - low) / (high - low)
    if u > c:
        return high + (low - high) * math.sqrt((1.0 - u) * (1.0 - c))
    return low + (high - low) * math.sqrt(u * c)


def choice(source: Any, seq: Any) -> Any:
    """One item."""
    if len(seq) == 0:
        raise IndexError("Cannot choose from an empty sequence")
    return seq[source.randrange(len(seq))]


def choices(source: Any, population: Any, weights: Any = None, *, cum_weights: Any = None, k: Any = 1) -> Any:
    """Several items, each of all."""
    return [population[j] for j in source.choices(range(len(population)), weights, cum_weights=cum_weights, k=k)]


def sample(source: Any, population: Any, k: Any) -> Any:
    """Several items, each once."""
    return [population[j] for j in source.sample(range(len(population)), k)]


def shuffle(source: Any, x: Any) -> None:
    """Swap items, from the last one on."""
    for i in range(len(x) - 1, 0, -1):
        j = source.randrange(i + 1)
        held = x[i]
        x[i] = x[j]
        x[j] = held

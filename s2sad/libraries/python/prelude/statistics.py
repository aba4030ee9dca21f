"""``statistics``: of floats. Python adds fractions, and rounds once at the end; a sum of floats differs in the last digits."""

from __future__ import annotations

import math
from typing import Any

__all__ = [
    "fmean", "geometric_mean", "harmonic_mean", "mean", "median", "median_high", "median_low", "pstdev", "pvariance", "stdev",
    "variance",
]  # fmt: skip


def fmean(data: Any, weights: Any = None) -> Any:
    """The mean, weighted."""
    items = [float(x) for x in data]
    if weights is None:
        if len(items) < 1:
            raise ValueError("fmean requires at least one data point")
        return sum(items) / len(items)
    given = [float(w) for w in weights]
    if len(given) != len(items):
        raise ValueError("data and weights must be the same length")
    return sum([x * w for x, w in zip(items, given, strict=True)]) / sum(given)


def mean(data: Any) -> Any:
    """The mean."""
    items = list(data)
    if len(items) < 1:
        raise ValueError("mean requires at least one data point")
    return sum(items) / len(items)


def geometric_mean(data: Any) -> Any:
    """The mean of the logarithms, exponentiated."""
    items = [math.log(x) for x in data]
    if len(items) < 1:
        raise ValueError("Must have a non-empty dataset")
    return math.exp(sum(items) / len(items))


def harmonic_mean(data: Any) -> Any:
    """The inverse of the mean of the inverses."""
    items = list(data)
    if len(items) < 1:
        raise ValueError("harmonic_mean requires at least one data point")
    if min(items) < 0:
        raise ValueError("harmonic mean does not support negative values")
    if min(items) == 0:
        return 0.0
    return len(items) / sum([1.0 / x for x in items])


def median(data: Any) -> Any:
    """The item in the middle, or the mean of the two there."""
    items = sorted(data)
    n = len(items)
    if n == 0:
        raise ValueError("no median for empty data")
    if n % 2 == 1:
        return items[n // 2]
    return (items[n // 2 - 1] + items[n // 2]) / 2


def median_low(data: Any) -> Any:
    """The item in the middle, or the smaller of the two there."""
    items = sorted(data)
    n = len(items)
    if n == 0:
        raise ValueError("no median for empty data")
    return items[(n - 1) // 2]


def median_high(data: Any) -> Any:
    """The item in the middle, or the larger of the two there."""
    items = sorted(data)
    n = len(items)
    if n == 0:
        raise ValueError("no median for empty data")
    return items[n // 2]


def _squares(items: Any, centre: Any) -> Any:
    middle = sum(items) / len(items) if centre is None else centre
    return sum([(x - middle) * (x - middle) for x in items])


def pvariance(data: Any, mu: Any = None) -> Any:
    """The mean of the squared distances from the mean."""
    items = list(data)
    if len(items) < 1:
        raise ValueError("pvariance requires at least one data point")
    return _squares(items, mu) / len(items)


def variance(data: Any, xbar: Any = None) -> Any:
    """The sum of the squared distances from the mean, over one item less."""
    items = list(data)
    if len(items) < 2:
        raise ValueError("variance requires at least two data points")
    return _squares(items, xbar) / (len(items) - 1)


def pstdev(data: Any, mu: Any = None) -> Any:
    """The root of ``pvariance``."""
    return math.sqrt(pvariance(data, mu))


def stdev(data: Any, xbar: Any = None) -> Any:
    """The root of ``variance``."""
    return math.sqrt(variance(data, xbar))

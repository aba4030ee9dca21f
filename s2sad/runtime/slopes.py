"""Derivatives where one expression does not do: corners, removable singularities, powers at 0."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def sign(x: Any) -> Any:
    """-1.0, 0.0 or 1.0, as a float for a float; NaN of NaN."""
    if isinstance(x, np.ndarray | np.generic):
        return np.sign(x)
    return math.nan if math.isnan(x) else float((x > 0) - (x < 0))


def ge_share(x: Any, y: Any) -> Any:
    """How much of ``max(x, y)`` is ``x``: 1.0 where x > y, 0.5 where they are equal, 0.0 elsewhere."""
    if isinstance(x, int | float) and isinstance(y, int | float):
        return 1.0 if x > y else 0.5 if x == y else 0.0
    dtype = np.result_type(x, y, 0.0)
    return np.add(np.greater(x, y), np.greater_equal(x, y), dtype=dtype) * dtype.type(0.5)


def direction(z: Any) -> Any:
    """``numpy.sign(z)``: ``z / abs(z)`` of complex numbers, 0 of 0."""
    return np.sign(z)


def safe_divide(x: Any, y: Any) -> Any:
    """``x / y``, and 0 where ``y`` is 0: subgradients of norms at the origin."""
    if isinstance(x, int | float) and isinstance(y, int | float):
        return x / y if y else 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(np.equal(y, 0), 0, np.divide(x, y))[()]


def ratio(x: Any, y: Any) -> Any:
    """``x / y`` of Python's numbers, infinite where ``y`` is 0 as NumPy has it, and 0 where ``x`` is 0 there: a slope's seed,
    or an array of several."""
    if y:
        return x / y
    with np.errstate(divide="ignore", invalid="ignore"):
        if isinstance(x, np.ndarray):
            return np.where(x == 0, x.dtype.type(0), np.divide(x, y))
        return np.divide(x, y).item() if x else x * 0.0


def power_dx(x: Any, y: Any) -> Any:
    """The derivative of ``x ** y`` by ``x``: ``y * x ** (y - 1)``, and 0 where ``y`` is 0."""
    if isinstance(x, float) and isinstance(y, int | float) and (x > 0 or y >= 0 and y % 1 == 0):
        try:
            return y * x ** (y - 1) if y else type(x)(0.0)
        except OverflowError:  # as NumPy has it below
            pass
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        base = float(x) if type(x) in (int, float) else np.multiply(x, 1.0)
        slope = np.multiply(y, np.power(base, np.subtract(y, 1) if np.ndim(y) else y - 1))
    return np.where(np.equal(y, 0), 0, slope)[()]


def power_dy(x: Any, p: Any) -> Any:
    """The derivative of ``p = x ** y`` by ``y``: ``p * log(x)``, and 0 where ``p`` is 0 or ``x`` and ``y`` are."""
    if isinstance(x, int | float) and x > 0:
        return p * math.log(x)
    with np.errstate(divide="ignore", invalid="ignore"):
        flat = np.equal(p, 0) | (np.equal(x, 0) & np.equal(p, 1))
        base = np.add(x, 0j) if np.iscomplexobj(p) else x
        return np.where(flat, 0, np.multiply(p, np.log(base)))[()]


def sech2(x: Any) -> Any:
    """The derivative of ``tanh``, ``1 / cosh(x) ** 2``, without overflow, by what does not grow beyond all numbers."""
    if isinstance(x, float):
        decay = math.exp(-2 * abs(x))
        return 4 * decay / ((1 + decay) * (1 + decay))
    if isinstance(x, np.ndarray) and x.dtype.char == "d" and x.ndim:
        slope = np.abs(x)
        np.minimum(slope, 400.0, out=slope)  # the slope is less than any number from 373 on
        np.cosh(slope, out=slope)
        np.divide(1.0, slope, out=slope)
        return np.multiply(slope, slope, out=slope)
    decay = np.exp(-2 * (np.where(np.real(x) < 0, np.negative(x), x) if np.iscomplexobj(x) else np.abs(x)))
    whole = 1 + decay
    whole *= whole
    decay *= 4
    decay /= whole
    return decay[()]


def sinc_derivative(x: Any, n: int) -> Any:
    """The ``n``-th derivative of ``numpy.sinc``: a power series near 0, a recurrence elsewhere."""
    x = np.asarray(x, dtype=np.result_type(x, 0.0))
    near = np.abs(x) < 1.0 + n / 4
    series = np.zeros_like(x)
    for k in range((n + 1) // 2, n + 24):
        coefficient = (-1) ** k * math.pi ** (2 * k) / (2 * k + 1) / math.factorial(2 * k - n)
        series = series + coefficient * np.where(near, x, 0) ** (2 * k - n)
    far = np.where(near, 1, x)
    value = np.sinc(far)  # x f(x) = sin(pi x) / pi, differentiated k times
    for k in range(1, n + 1):
        value = (math.pi ** (k - 1) * np.sin(math.pi * far + k * math.pi / 2) - k * value) / far
    return np.where(near, series, value).astype(x.dtype)[()]


def bessel_i(n: int, x: Any) -> Any:
    """The modified Bessel function I_n, by its power series, whose terms all have one sign."""
    n = abs(n)
    x = np.asarray(x, dtype=np.result_type(x, 0.0))
    half = x * 0.5
    term = half**n / math.factorial(n)
    total, k = term, 0
    while np.any(np.abs(term) > 1e-17 * np.abs(total)):
        k += 1
        term = term * (half * half / (k * (k + n)))
        total = total + term
    return total.astype(x.dtype)[()]


# B_2k of the asymptotic series (Abramowitz & Stegun 6.3.18, 6.4.11)
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def digamma(x: float) -> float:
    """The logarithmic derivative of the gamma function."""
    return polygamma(0, x)


def polygamma(n: int, x: float) -> float:
    """The ``n``-th derivative of ``digamma``: upward recurrence, then the asymptotic series."""
    x = float(x)  # of an array without axes, too, which is not to be written into
    if x == -math.inf or (x <= 0 and x == math.floor(x)):
        return math.nan
    if n == 0 and x < 0:
        return polygamma(0, 1.0 - x) - math.pi / math.tan(math.pi * x)
    outer = (-1.0) ** (n + 1)
    total = 0.0
    while x < 12.0 + n:
        total += ratio(outer * math.factorial(n), x ** (n + 1))
        x += 1.0
    small = 1.0 / x  # its powers may vanish, those of x would raise OverflowError
    tail = math.log(x) if n == 0 else outer * math.factorial(n - 1) * small**n
    tail += outer * math.factorial(n) / 2 * small ** (n + 1)
    for k, bernoulli in enumerate(_BERNOULLI, 1):
        # (2k + n - 1)! / (2k)!; for n = 0 this is 1 / 2k
        share = math.factorial(2 * k + n - 1) / math.factorial(2 * k)
        tail += outer * bernoulli * share * small ** (2 * k + n)
    return total + tail


def strong_zero(x: Any, seed: Any) -> Any:
    """``x``, the product of ``seed`` and a slope: 0 where the seed is 0 and the slope infinite, so that x would be NaN."""
    if not isinstance(x, np.ndarray):
        return x if x == x or seed != 0 else type(x)(0)
    if x.size == 0 or not np.isnan(np.maximum.reduce(x, axis=None)):
        return x
    return np.where(seed == 0, x.dtype.type(0), x)  # what is not NaN there is zero already


def strong_slope(z: Any, x: Any, seed: Any) -> Any:
    """``z``, what reaches ``x`` of a ``strong_zero``: nothing where x was replaced by 0."""
    return np.where(np.isnan(x) & (np.asarray(seed) == 0), 0.0, z) if np.any(np.isnan(x)) else z

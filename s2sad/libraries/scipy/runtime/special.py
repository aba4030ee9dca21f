"""Derivatives of special functions that are no functions of ``scipy.special`` themselves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import (
    beta,
    binom,
    digamma,
    elliprd,
    elliprj,
    eval_hermite,
    gamma,
    hyp1f1,
    poch,
    polygamma,
    wofz,
)


def multigammaln_derivative(n: int, a: Any, d: int) -> Any:
    """The ``n``-th derivative of ``scipy.special.multigammaln`` by ``a``, for n > 0: a sum of ``d`` polygammas.

    The terms are those of the product of gamma functions in Muirhead, "Aspects of Multivariate Statistical Theory"
    (1982), theorem 2.1.12. The result has the shape of ``a``.
    """
    shifted = np.asarray(a)[..., None] - 0.5 * np.arange(d)
    return np.sum(polygamma(n - 1, shifted), axis=-1)


def diric_derivative(d: int, x: Any, n: Any) -> Any:
    """The ``d``-th derivative of ``scipy.special.diric`` by ``x``, for d > 0, in the broadcast shape of ``x`` and ``n``.

    The function is the mean of the cosines of ``m * x`` for the ``n`` numbers m between (1 - n) / 2 and (n - 1) / 2.
    """
    x, n = np.asarray(x)[..., None], np.asarray(n)[..., None]
    place = np.arange(np.max(n, initial=1))
    m = place - 0.5 * (n - 1)
    waves = m**d * np.cos(m * x + 0.5 * np.pi * d)
    return np.sum(np.where(place < n, waves, 0.0), axis=-1) / n[..., 0]


def kolmogorov_derivative(d: int, y: Any) -> Any:
    """The ``d``-th derivative of ``scipy.special.kolmogorov``, for d > 0: of the sum of 2 (-1)**(k - 1) exp(-2 k**2 y**2).

    The terms' derivatives are Hermite polynomials times themselves; below 0.1 the function is 1 to all digits, and the
    result 0. (Feller, "On the Kolmogorov-Smirnov Limit Theorems", 1948, equation 1.4.) The shape is that of ``y``.
    """
    k = np.arange(1, 101)
    scaled = np.sqrt(2.0) * k * np.maximum(y, 0.1)[..., None]
    slopes = (-np.sqrt(2.0) * k) ** d * eval_hermite(d, scaled) * np.exp(-(scaled**2))
    return np.where(np.asarray(y) < 0.1, 0.0, 2 * np.sum((-1.0) ** (k - 1) * slopes, axis=-1))[()]


# --- slopes of quotients of gamma functions; where a denominator has a pole, the values are 0, and the slopes are those of
# its reflection (dlmf.nist.gov, 5.5.3): of 1 / gamma(x) at x = -n it is the value of gamma(1 - x) * cos(pi * x)


@np.errstate(invalid="ignore")
def beta_slope(a: Any, b: Any) -> Any:
    """The derivative of ``beta(a, b)`` by ``a``, for real arguments in their broadcast shape."""
    found = -np.asarray(beta(a, b)) * digamma_step(a, b)
    zero = _pole(np.add(a, b)) & ~_pole(a) & ~_pole(b)
    return _at(zero, found, lambda a, b: gamma(a) * gamma(b) * _turned(a + b), a, b)


@np.errstate(invalid="ignore")
def poch_slope(z: Any, m: Any) -> Any:
    """The derivative of ``poch(z, m)`` by ``z``, for real arguments in their broadcast shape."""
    found = np.asarray(poch(z, m)) * digamma_step(z, m)
    zero = _pole(z) & ~_pole(np.add(z, m))
    return _at(zero, found, lambda z, m: gamma(z + m) * _turned(z), z, m)


@np.errstate(invalid="ignore")
def binom_slope(k: int, x: Any, y: Any) -> Any:
    """The derivative of ``binom(x, y)`` by argument ``k``, for real arguments in their broadcast shape."""
    rest, value = x - y + 1, np.asarray(binom(x, y))  # Python's numbers do not widen arrays in single precision
    found = value * (digamma_step(rest, y) if k == 0 else digamma_step(y + 1, x - 2 * y))
    known = ~_pole(x + 1)
    above, below = known & _pole(rest) & ~_pole(y + 1), known & _pole(y + 1) & ~_pole(rest)
    sign = -1 if k else 1
    found = _at(above, found, lambda x, y: sign * beta(x + 1, y - x) * np.cos(np.pi * (x - y + 1)), x, y)
    return _at(below, found, lambda x, y: beta(x + 1, -y) * np.cos(np.pi * (y + 1)), x, y) if k else found


def _pole(x: Any) -> Any:
    """Test for the real numbers 0, -1, -2 ..."""
    return np.asarray((np.asarray(x) <= 0) & (np.asarray(x) == np.rint(x)))


def _turned(x: Any) -> Any:
    """The derivative of ``1 / gamma(x)`` at a pole."""
    return gamma(1 - x) * np.cos(np.pi * x)


def _at(places: Any, found: Any, formula: Any, *args: Any) -> Any:
    """``found``, with the values of a formula at some places, in its dtype."""
    if not np.any(places):
        return found[()]
    chosen = (np.broadcast_to(np.asarray(a), places.shape)[places] for a in args)
    found = np.array(found)
    found[places] = formula(*chosen)
    return found[()]


# --- digammas


def digamma_step(z: Any, m: Any) -> Any:
    """``digamma(z + m) - digamma(z)`` without cancellation, for real arguments in their broadcast shape.

    For positive ``z`` and ``z + m`` by the recurrence up to 20, and the asymptotic series of the difference from there on
    (dlmf.nist.gov, 5.5.2 and 5.11.2): all large terms have the sign of ``m``. Where both are negative and ``m`` is an integer
    it is that of their reflections (5.5.4), also between poles.
    """
    dtype = np.result_type(z, m, 0.0)
    z, m = np.broadcast_arrays(np.asarray(z, dtype), np.asarray(m, dtype))
    reflected = (z <= 0) & (z + m <= 0) & (m == np.rint(m))
    z, m = np.where(reflected, 1 - z, z), np.where(reflected, -m, m)
    plain = (z <= 0) | (z + m <= 0)
    x, d = np.where(plain, 1.0, z), np.where(plain, 1.0, m)
    total = np.zeros_like(x)
    for _ in range(20):
        small = np.minimum(x, x + d) < 20
        total = total + np.where(small, d / (x * (x + d)), 0.0)
        x = np.where(small, x + 1, x)
    log = np.log1p(d / x)
    total = total + log + 0.5 * d / (x * (x + d))
    for k, bernoulli in enumerate((1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6), 1):
        total = total - bernoulli / (2 * k) * x ** (-2.0 * k) * np.expm1(-2 * k * log)
    return np.where(plain, digamma(z + m) - digamma(z), total).astype(dtype)[()]


def wofz_derivative(n: int, z: Any) -> Any:
    """The derivative of ``wofz(z)`` (n = 1) or of ``z * wofz(z)`` (n = 2), which is minus half the second one of ``wofz``.

    Far from the origin by Laplace's continued fraction ``wofz(z) = i / sqrt(pi) / (z - t)`` (Gautschi, "Efficient
    Computation of the Complex Error Function", 1970), where ``1 - 2 z t`` and the like cancel; in the lower half plane by
    reflection. The shape is that of ``z``, the dtype complex.
    """
    z = np.add(z, 0j, dtype=np.result_type(np.asarray(z).dtype, np.complex64))
    below = np.imag(z) < 0
    upper = np.where(below, -z, z)
    far = np.abs(upper) >= 10
    place = np.where(far, upper, 10.0)
    s = np.zeros_like(place)
    for k in range(16, 1, -1):
        s = (0.5 * k) / (place - s)
    t = 0.5 / (place - s)
    w = wofz(upper)
    near = np.where(far, 0, upper)
    first = np.where(far, -2 * t * w, 2j / np.sqrt(np.pi) - 2 * near * w)
    turned = np.where(below, z, 0)
    peak = np.where(below, 2 * np.exp(-turned * turned), 0)  # wofz(z) + wofz(-z)
    if n == 1:
        return np.where(below, first - 2 * turned * peak, first)[()]
    second = np.where(far, -2 * s * t * w, w + near * first)
    return np.where(below, peak * (1 - 2 * turned * turned) - second, second)[()]


def fresnel_wave(x: Any, quarter: int) -> Any:
    """``sin(pi / 2 * (x ** 2 + quarter))`` of real numbers of any size, in their shape and dtype.

    With ``n`` the nearest whole number and ``r`` the rest, ``x ** 2`` is ``n ** 2 + 2 n r + r ** 2``; modulo 4 the first is 0 or
    1, and the second exact.
    """
    whole = np.rint(x)
    rest = np.where(np.isfinite(x), np.subtract(x, whole), np.nan)
    turns = np.abs(np.fmod(whole, 2)) + np.fmod(2 * whole * rest, 4) + rest * rest
    return np.sin((0.5 * np.pi) * (turns + quarter)).astype(np.result_type(x, 0.0))[()]


def scaled_bessel_slope(order: int, sign: int, x: Any) -> Any:
    """The slope of ``exp(-x)`` times the modified Bessel function I (``sign`` 1), or of ``exp(x)`` times K (-1), of order 0 or 1.

    Of x from 50 on, by the derivative of the asymptotic series (dlmf.nist.gov, 10.40.1 and 10.40.2), in the shape and dtype of x.
    """
    x = np.asarray(x, np.result_type(x, 0.0))
    term = -np.sqrt((0.5 / np.pi if sign > 0 else 0.5 * np.pi) / x) / x
    total = 0.5 * term
    for k in range(1, 24):
        term = term * (-sign * (4 * order**2 - (2 * k - 1) ** 2) / (8 * k) / x)
        total = total + (k + 0.5) * term
    return total.astype(x.dtype)[()]


def exprel_derivative(n: int, x: Any) -> Any:
    """The ``n``-th derivative of ``exprel``, the integral of ``t ** n * exp(x * t)`` over t from 0 to 1, which is
    ``hyp1f1(n + 1, n + 2, x) / (n + 1)``: SciPy's does not end far out, where it overflows or is a power of x."""
    x = np.asarray(x, np.result_type(x, 0.0))
    far = x < -1e3
    with np.errstate(over="ignore"):
        near = hyp1f1(n + 1.0, n + 2.0, np.where(far, 0.0, np.minimum(x, 1e3))) / (n + 1)
    return np.where(far, math.factorial(n) / np.where(far, -x, 1.0) ** (n + 1), near).astype(x.dtype)[()]


def log_ratio(x: Any, y: Any) -> Any:
    """``log(x / y)`` without cancellation where they are close, and without overflow elsewhere."""
    close = np.abs(np.subtract(x, y)) < 0.5 * np.abs(y)
    with np.errstate(divide="ignore", invalid="ignore"):
        step = np.where(close, np.subtract(x, y), 0) / np.where(close, y, 1)
        return np.where(close, np.log1p(step), np.log(x) - np.log(y)).astype(np.result_type(x, y, 0.0))[()]


def _alone(by: Any, axis: Any) -> Any:
    """Where the largest item of ``by`` stands along the axes (None: all), if it is the only one."""
    largest = by == np.max(by, axis=axis, keepdims=True)
    return largest & (np.count_nonzero(largest, axis=axis, keepdims=True) == 1)


def centred(x: Any, by: Any, axis: Any) -> Any:
    """``x`` less its item where ``by`` is largest along the axes: exponentials that are normalised do not see the difference."""
    return x - np.sum(np.where(_alone(by, axis), x, 0), axis=axis, keepdims=True, dtype=np.asarray(x).dtype)


def balanced(x: Any, by: Any, axis: Any) -> Any:
    """``x``, but where ``by`` is largest along the axes what makes the sum 0: the adjoint of ``centred``."""
    alone = _alone(by, axis)
    others = np.where(alone, 0, x)
    return np.where(alone, -np.sum(others, axis=axis, keepdims=True, dtype=np.asarray(x).dtype), x)


def elliprd_slope(k: int, x: Any, y: Any, z: Any) -> Any:
    """The derivative of ``elliprd(x, y, z)`` by argument ``k``, of real arguments equal or not: the complex step.

    SciPy's duplication is analytic, and all of its terms move in one direction (Carlson, "Numerical Computation of Real or
    Complex Elliptic Integrals", 1995).
    """
    return _by_complex_step(elliprd, k, x, y, z)


def elliprj_slope(k: int, x: Any, y: Any, z: Any, p: Any) -> Any:
    """The derivative of ``elliprj(x, y, z, p)`` by argument ``k``, of real arguments, by the complex step; NaN at ``p == 0``.

    Where ``p`` is next to another argument SciPy's algorithm cancels: there the values around it are interpolated. Where it is
    negative, the value is Cauchy's, and the relations between derivatives (dlmf.nist.gov, 19.20 and 19.18.1) do not cancel.
    """
    nearest = np.minimum(np.minimum(*(np.abs(np.divide(q, p) - 1.0) for q in (x, y))), np.abs(np.divide(z, p) - 1.0))
    a, b, c = (
        0.5 * (_by_complex_step(elliprj, k, x, y, z, p * (1 + h)) + _by_complex_step(elliprj, k, x, y, z, p * (1 - h)))
        for h in (0.01, 0.005, 0.0025)
    )
    between = (64 * c - 20 * b + a) / 45
    there = _by_complex_step(elliprj, k, x, y, z, p)
    found = np.where((nearest < 0.005) & np.isfinite(there), between, there)
    return np.where(np.greater(p, 0), found, np.where(np.less(p, 0), _principal_slope(k, x, y, z, p), np.nan))[()]


def _principal_slope(k: int, x: Any, y: Any, z: Any, p: Any) -> Any:
    """The derivative of ``elliprj(x, y, z, p)`` by argument ``k`` for negative ``p``."""
    value = elliprj(x, y, z, p)
    slopes = [
        np.divide(0.5 * (elliprd(r, s, q) - value), np.subtract(q, p)) for q, r, s in ((x, y, z), (y, z, x), (z, x, y))
    ]
    if k < 3:
        return slopes[k]
    return -(1.5 * value + sum(np.where(np.equal(q, 0), 0.0, q * s) for q, s in zip((x, y, z), slopes, strict=True))) / p


def _by_complex_step(f: Any, k: int, *args: Any) -> Any:
    """The derivative by argument ``k`` of an integral of Carlson's, which is analytic and real for real arguments; like that of a
    root it falls without bounds where the argument is 0."""
    at_zero = np.equal(args[k], 0)
    step = np.where(at_zero, 1.0, 1e-30 * np.abs(args[k]))
    found = f(*(np.add(a, 1j * step if j == k else 0j) for j, a in enumerate(args)))
    return np.where(at_zero, -np.inf, np.imag(found) / step)[()]

"""Derivatives of special functions that are no functions of ``scipy.special`` themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import eval_hermite, polygamma


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

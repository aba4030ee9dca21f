"""Derivatives of special functions that are no functions of ``scipy.special`` themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import polygamma


def multigammaln_derivative(n: int, a: Any, d: int) -> Any:
    """The ``n``-th derivative of ``scipy.special.multigammaln`` by ``a``, for n > 0: a sum of ``d`` polygammas.

    The terms are those of the product of gamma functions in Muirhead, "Aspects of Multivariate Statistical Theory"
    (1982), theorem 2.1.12. The result has the shape of ``a``.
    """
    shifted = np.asarray(a)[..., None] - 0.5 * np.arange(d)
    return np.sum(polygamma(n - 1, shifted), axis=-1)

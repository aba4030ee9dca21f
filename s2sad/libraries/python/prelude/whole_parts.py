"""``math``: functions with two results."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = ["frexp", "modf"]


def modf(x: Any) -> Any:
    """The fraction, and the whole part, whose derivative is zero; both with the sign of ``x``."""
    if math.isinf(x):
        return math.copysign(0.0, x), math.copysign(math.inf, x)
    fraction = math.fmod(x, 1.0)
    return fraction, math.copysign(x - fraction, x)


def frexp(x: Any) -> Any:
    """The mantissa, between 0.5 and 1 in size, and the power of two that it takes out, whose derivative is zero."""
    mantissa, exponent = np.frexp(float(x))
    return float(mantissa), int(exponent)

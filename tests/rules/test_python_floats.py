"""Derivatives at Python's own floats where squares leave the range: there Python's powers raise OverflowError."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest
from test_exact_slopes import TABLE, program

from s2sad import grad, jvp

FAR = [
    ("np.arctan(x)", 1e200, 0.0), ("np.arctan(x)", -1e308, 0.0), ("sp.erf(x)", 1e200, 0.0), ("sp.erfc(x)", 1e200, 0.0),
    ("sp.erfi(x)", 1e200, math.inf), ("sp.ndtr(x)", -1e200, 0.0), ("sp.stdtr(3.0, x)", 1e200, 0.0),
    ("sp.owens_t(x, 0.5)", 1e200, 0.0),
    ("sp.exprel(x)", 1e200, math.inf), ("sp.exprel(x)", math.inf, math.inf), ("math.lgamma(x)", 1e200, 460.51701859880916),
    ("math.lgamma(x)", math.inf, math.inf),
]  # fmt: skip


def slopes(text: str, place: float) -> list[Any]:
    """The derivative at a place by both modes."""
    f = program(text)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return [grad(f)(place), jvp(f, (place,), (1.0,))[1]]


@pytest.mark.parametrize(("text", "place", "slope"), FAR)
def test_far_out(text: str, place: float, slope: float) -> None:
    np.testing.assert_allclose(slopes(text, place), slope, rtol=1e-12, atol=1e-300)


@pytest.mark.deep
@pytest.mark.parametrize("text", TABLE)
def test_exact_slopes_at_pythons_floats(text: str) -> None:
    for place, slope in TABLE[text]:
        np.testing.assert_allclose(slopes(text, place), slope, rtol=1e-12, atol=0)

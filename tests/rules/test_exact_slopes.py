"""Derivatives at small, large and critical places, against 20 digits of mpmath: both modes keep twelve of them.

``exact_slopes.txt`` is written by ``make_exact_slopes.py``: a program of ``x``, then places with the slope there.
"""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sampling import loaded
from thinning import thinned

from s2sad import jvp, vjp

sp = pytest.importorskip("scipy.special")
stats = pytest.importorskip("scipy.stats")

RTOL = 1e-12


def table() -> dict[str, list[tuple[float, float]]]:
    """The places and slopes by program."""
    found: dict[str, list[tuple[float, float]]] = {}
    text = ""
    for line in Path(__file__).with_name("exact_slopes.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            place, slope = map(float, line.split())
            found[text].append((place, slope))
        elif not line.startswith("#"):
            text = line
            found[text] = []
    return found


TABLE = table()


def program(text: str) -> Any:
    """The function of ``x``."""
    source = f"def f(x):\n    return {text}\n"
    file = f"<exact slope of {text}>"
    return loaded(file, source, np=np, math=math, sp=sp, stats=stats)["f"]


@pytest.mark.parametrize("text", thinned(TABLE, 2))
def test_twelve_digits(text: str) -> None:
    f = program(text)
    places, slopes = map(np.array, zip(*TABLE[text], strict=True))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if text.startswith("math."):
            forward = [jvp(f, (x,), (1.0,))[1] for x in places.tolist()]
            reverse = [vjp(f, x)[1](1.0)[0] for x in places.tolist()]
        else:
            forward = jvp(f, (places,), (np.ones_like(places),))[1]
            value, pullback = vjp(f, places)
            reverse = pullback(np.ones_like(value))[0]
    np.testing.assert_allclose(forward, slopes, rtol=RTOL, atol=0)
    np.testing.assert_allclose(reverse, slopes, rtol=RTOL, atol=0)

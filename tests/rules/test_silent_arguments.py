"""Arguments of which a rule says nothing, of our own helpers as well: a derivative by them is refused, and never dropped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from s2sad import NoRuleError, grad, jvp
from s2sad.rules import registry
from s2sad.rules.language import Elementwise, Formula

interpolate = pytest.importorskip("scipy.interpolate")
ndimage = pytest.importorskip("scipy.ndimage")

PLACES = np.linspace(0.0, 3.0, 12)
VALUE = "s2sad.libraries.scipy.runtime.tck_value"


def weighted_spline(c):
    t = np.array([0.0, 0.0, 0.0, 0.0, 1.5, 3.0, 3.0, 3.0, 3.0])
    return float(interpolate.splev(1.3, (t, c, 3))) * 2.0


def test_a_rule_of_a_helper_that_says_nothing_of_an_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    c = np.array([0.3, 0.1, 0.7, 0.2, 0.5, 0.0, 0.0, 0.0, 0.0])
    with pytest.raises(NoRuleError):  # it says that they are constant
        grad(weighted_spline)(c)
    slope = Elementwise({"x": Formula("g * tck_slope(x, tck, der + 1, ext)")})
    silent = replace(registry.all_primitives()[VALUE], derivative=slope)
    monkeypatch.setitem(registry._primitives, VALUE, silent)
    for call in (lambda: grad(weighted_spline)(c), lambda: jvp(weighted_spline, (c,), (c,))):
        with pytest.raises(NoRuleError, match="tck_value has no derivative rule by its argument 'tck'"):
            call()


def blurred(x, sigma):
    return np.sum(PLACES * ndimage.gaussian_filter(x, sigma))


def along_a_line(x, sigma):
    return np.sum(PLACES * ndimage.gaussian_filter1d(x, sigma))


def filled(weights, cval):
    return np.sum(PLACES * ndimage.correlate1d(PLACES**2, weights, mode="constant", cval=cval))


def around(fp, period):
    return np.sum(np.interp(PLACES * 2.0, np.array([0.1, 1.0, 2.0]), fp, period=period))


THREE = np.array([0.2, 0.5, 0.3])
SECOND: list[tuple[Callable[..., Any], np.ndarray, float]] = [
    (blurred, PLACES, 1.3),
    (along_a_line, PLACES, 1.3),
    (filled, THREE, 0.7),
    (around, THREE, 2.5),
]


@pytest.mark.parametrize(("program", "x", "p"), SECOND, ids=[f.__name__ for f, _, _ in SECOND])
def test_what_a_gradient_varies_with_is_refused_in_the_second_order(program: Callable[..., Any], x: Any, p: float) -> None:
    """The gradient is linear in what the adjoint is given, and varies with the argument all the same."""
    slope = grad(program)
    assert not np.allclose(slope(x, p + 1e-3), slope(x, p))

    def total(p):
        return np.sum(slope(x, p) * THREE[1])

    for call in (lambda: grad(total)(p), lambda: jvp(lambda p: slope(x, p), (p,), (1.0,))):
        with pytest.raises(NoRuleError):
            call()

"""Calls of what is certainly no function, on paths that need not be taken: they raise as the plain call does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from s2sad import S2sadError, grad, hvp, jvp


def _solve(f, slope, x, steps):
    both = slope is True
    known = both
    for k in range(steps):
        if both:
            value, j = f(x)
        else:
            value, j = f(x), slope(x)
        if abs(value) < 1e-3 and not known:
            j = slope(x)
        x = x - value / j
        known = both and k < 3
    return x


def solved(p, steps=3):
    return _solve(lambda x: (x * x - p, 2 * x), True, p, steps)


def reported(p, steps=3, report=None):
    if steps > 5:
        report(p)
    return p * p * steps


def chosen(p, steps=3, rule=None):
    return rule(p) if steps > 5 else p**3


PROGRAMS = [solved, reported, chosen]
WAYS: dict[str, Callable[[Any, float, int], Any]] = {
    "grad": lambda f, x, n: grad(f)(x, n),
    "jvp": lambda f, x, n: jvp(f, (x, n), (1.0, None))[1],
    "hvp": lambda f, x, n: hvp(f, (x, n), (1.0, None))[0][0],
    "jvp of grad": lambda f, x, n: jvp(grad(f), (x, n), (1.0, None))[0],
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_the_other_paths_have_derivatives(program: Callable[..., float], way: str) -> None:
    slope = (program(1.7 + 1e-5) - program(1.7 - 1e-5)) / 2e-5
    assert WAYS[way](program, 1.7, 3) == pytest.approx(slope, rel=1e-8)
    with pytest.raises(TypeError) as plain:
        program(1.7, 8)
    with pytest.raises(TypeError) as derived:
        WAYS[way](program, 1.7, 8)
    assert str(derived.value) == str(plain.value)
    assert not isinstance(derived.value, S2sadError)


def test_one_that_every_path_calls() -> None:
    with pytest.raises(S2sadError, match="'NoneType' object is not callable"):
        grad(lambda x, report=None: report(x))(1.0)

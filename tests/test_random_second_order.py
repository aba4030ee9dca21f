"""Second derivatives of random programs: both modes of ``grad(loss)`` agree with its differences, or are refused.

The random program is called by a loss, so that its tapes cross the border of a callee. ``pytest -m deep`` examines more.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from program_generator import Generator, arguments
from test_random_programs import flat, load, moved, shaped

from s2sad import S2sadError, grad, jvp, vjp

LOSS = """

def total_of(r):
    return np.sum(r * r)


def loss({parameters}):
    r = f({names})
    return {total}
"""
STEPS = (1e-5, 3e-6)


def loss_of(text: str, of: str | None) -> Callable[..., Any]:
    """A function that calls the random program, and gives one number."""
    found = re.search(r"def f\(([^)]*)\)", text)
    assert found is not None
    names = [part.split("=")[0].split(":")[0].strip() for part in found[1].split(",")]
    total = f"np.sum({of} * {of})" if of else "total_of(r)"
    return load(text + LOSS.format(parameters=found[1], names=", ".join(names), total=total), "loss")


def examine(text: str, of: str | None, seed: int) -> str:
    """``ok``, ``unfair``, or ``refused``. Raises AssertionError where a second derivative is wrong."""
    loss, args = loss_of(text, of), arguments(seed)
    rng = np.random.default_rng(seed + 1)
    directions = tuple(rng.normal(size=np.shape(a)) if np.shape(a) else float(rng.normal()) for a in args)
    gradient = grad(loss, tuple(range(len(args))))
    with np.errstate(all="ignore"):
        try:
            if np.shape(loss(*moved(args, directions, 0.0))) != ():
                return "unfair"
            near, far = (
                (flat(gradient(*moved(args, directions, h))) - flat(gradient(*moved(args, directions, -h)))) / (2 * h)
                for h in STEPS
            )
        except S2sadError:
            return "refused"
        except (TypeError, ValueError, IndexError, ArithmeticError):  # a result that is a tuple, for one
            return "unfair"
        scale = 1e-4 * (1 + np.max(np.abs(near), initial=0.0))
        if not np.all(np.isfinite(near)) or scale > 10 or not np.max(np.abs(near - far), initial=0.0) < scale:
            return "unfair"
        weights = rng.normal(size=near.shape)
        try:
            tangent = flat(jvp(gradient, moved(args, directions, 0.0), directions)[1])
            value, pullback = vjp(gradient, *moved(args, directions, 0.0))
            bars = pullback(shaped(weights, value))
        except S2sadError:
            return "refused"
    along = sum(float(np.sum(b * d)) for b, d in zip(bars, directions, strict=True))
    assert np.max(np.abs(tangent - near), initial=0.0) < scale, f"tangent: {tangent}, differences: {near}"
    assert abs(along - weights @ near) < scale * (1 + np.sum(np.abs(weights))), f"adjoint: {along}, differences: {weights @ near}"
    return "ok"


@pytest.mark.parametrize("seed", range(3))
def test_second_derivative_is_right_or_refused(seed: int) -> None:
    text, of = Generator(random.Random(seed), 0.5).program(length=5)
    assert examine(text, of, seed) in ("ok", "unfair", "refused")


@pytest.mark.deep
def test_many() -> None:
    found = {"ok": 0, "unfair": 0, "refused": 0}
    for seed in range(300):
        text, of = Generator(random.Random(seed), 0.3 + 0.5 * (seed % 2)).program()
        found[examine(text, of, seed)] += 1
    assert found["ok"] > 200, found

"""Names that are None until something is found, and functions that return None or a tuple: in both modes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from programs.language.control import returns_none_branch
from programs.language.curves import arc_length

from s2sad import S2sadError, check_grads, grad


def best_of(xs, c):
    best = None
    for k in range(len(xs)):
        d = (xs[k] - c) ** 2
        if best is None or d < best[0]:
            best = (d, xs[k] * c)
    return best[0] + best[1] if best is not None else 0.0


def hit(o, d, c):
    b = o * d - c
    disc = b * b - 0.1
    if disc < 0:
        return None
    s = np.sqrt(disc)
    return -b - s, -b + s


def trace(o, d):
    total = 0.0
    for c in (0.1, 2.0, 0.9):
        h = hit(o, d, c)
        if not h:
            continue
        near, far = h
        total += near * far**2
    return total


@dataclass
class P:
    x: float
    w: float


def heaviest(xs):
    top = None
    for k in range(len(xs)):
        p = P(xs[k], xs[k] ** 2)
        if top is None or p.w > top.w:
            top = p
    return top.x * top.w


def ret(x):
    return (x, x) if x > 0 else None


X = np.array([0.3, 0.6, 0.8, 0.1])


@pytest.mark.parametrize(
    ("function", "args"),
    [(best_of, (X, 0.5)), (returns_none_branch, (0.2, 0.5)), (returns_none_branch, (0.2, 5.5)), (arc_length, (0.5, 0.7)),
     (trace, (0.5, 0.7)), (heaviest, (X,))],
)  # fmt: skip
def test_none_until_found(function, args) -> None:
    check_grads(function, args)


def test_returning_none_or_a_tuple_to_the_user_is_refused() -> None:
    with pytest.raises(S2sadError, match="may be None"):
        grad(ret)(0.3)

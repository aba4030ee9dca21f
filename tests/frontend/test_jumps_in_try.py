"""Jumps out of ``try``, ``with`` and ``finally``, nested and in loops, in both modes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads

XS = [1.1, 3.2, 2.3, 0.6]


def leaves_a_loop(xs: list[float]) -> float:
    t = 0.0
    for x in xs:
        try:
            if x < 0:
                continue
            if x > 4:
                break
            t += math.sqrt(x - 0.7)
        except ValueError:
            t += 1
    return t * t


def returns_through_finally(xs: list[float]) -> float:
    for i, x in enumerate(xs):
        try:
            if x > 1.5:
                return x * i + xs[0]
        finally:
            pass
    return xs[0]


def leaves_a_context(xs: list[float]) -> float:
    t = 0.0
    for x in xs:
        with np.errstate(all="ignore"):
            if x > 2.5:
                break
            if x < 0.7:
                continue
            t += np.log(x)
    return t * xs[0]


def goes_on_from_the_handler(xs: list[float]) -> float:
    n, t = 0, 0.0
    while True:
        try:
            if n >= len(xs):
                break
            t += 1.0 / (xs[n] - n + n)
        except ZeroDivisionError:
            continue
        finally:
            n += 1
    return t


def nested(xs: list[float]) -> float:
    t = 0.0
    for x in xs:
        try:
            try:
                if x > 2.5:
                    raise ValueError("big")
                t += x
            except ValueError:
                t += x * x
                if t > 100:
                    return t
                continue
            t += 1
        finally:
            t *= 1.1
    return t


@pytest.mark.parametrize("mode", ["tangent", "adjoint"])
@pytest.mark.parametrize(
    "function", [leaves_a_loop, returns_through_finally, leaves_a_context, goes_on_from_the_handler, nested]
)
def test_both_modes(function: Callable[..., Any], mode: str) -> None:
    check_grads(function, (XS,), modes=(mode,), rtol=1e-5)

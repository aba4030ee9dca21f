"""Ranges, slices and exact numbers of the module, and what the standard library makes of constants."""

from __future__ import annotations

import dataclasses
import struct
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.linalg import block_diag
from verdicts import assert_refused, assert_right

STEPS, PART, SCALE = range(3), slice(0, 2), Decimal("2.5")


class Settings:
    def __init__(self):
        self.steps = range(2)
        self.part = slice(1, None)


SETTINGS = Settings()


@dataclasses.dataclass(order=True)
class Candidate:
    cost: float
    place: float = dataclasses.field(compare=False, default=0.0)


@dataclasses.dataclass
class Owned:  # noqa: PLW1641  (as people write it)
    value: float

    def __eq__(self, other):
        return self.value == other.value


def loops_over_a_range(x):
    total = 0.0
    for k in STEPS:
        total += x[k] * k
    return total + sum(x[k] ** 2 for k in STEPS) + len(STEPS) * STEPS[1] * x[0] + (x[2] if 2 in STEPS else 0.0)


def takes_a_part(x):
    return np.sum(x[PART] ** 2) + np.sum(x[list(STEPS)])


def asks_an_object(x):
    return sum(x[k] ** 2 for k in SETTINGS.steps) + np.sum(x[SETTINGS.part])


def exact_numbers(s):
    return s * float(SCALE) + s * s * float(Decimal("1.5") * 2 + Decimal(3)) + s * float(Fraction(1, 3))


def packed(s):
    return s * struct.unpack("d", struct.pack("d", 2.5))[0] * struct.calcsize("d")


def candidates(s):
    a, b = Candidate(s, s * 2), Candidate(s * s, s)
    best, worst = min(a, b), sorted([b, a])[-1]
    return best.place * best.cost + worst.place + (3.0 if a < b else 2.0) * s + max([a, b], key=lambda c: c).place


def opposite_of_equal(s):
    return s * (2.0 if Owned(s) != Owned(s * s) else 3.0)


def blocks(x, n=2):
    block = np.outer(x[:2], x[:2])
    return block_diag(*[block] * n, *[x])


def repeated_blocks(x):
    return np.sum(blocks(x) ** 2) + np.sum(blocks(x, n=3) ** 2)


RIGHT = [loops_over_a_range, takes_a_part, asks_an_object, exact_numbers, packed, candidates, opposite_of_equal, repeated_blocks]


@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_right(function: Callable[..., Any]) -> None:
    assert_right(function)


@pytest.mark.parametrize("mode", ["adjoint", "tangent"])
@pytest.mark.parametrize("exact", [Decimal, Fraction])
def test_exact_numbers_of_variables_are_refused(mode: str, exact: type) -> None:
    assert_refused(lambda s: float(exact(s)) * s, mode)

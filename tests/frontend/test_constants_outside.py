"""Constants of modules and classes: ranges, slices, exact numbers, members; and what the standard library makes of them."""

from __future__ import annotations

import dataclasses
import enum
import functools
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
NUMBER, PLACE = "{:02d}", "%s_%d"


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


class Mode(enum.Enum):
    LINEAR = "lin"
    SQUARE = "sqr"


def by_mode(mode, s):
    match mode:
        case Mode.LINEAR:
            return s
        case Mode.SQUARE:
            return s * s * s
    raise ValueError(mode)


def members_by_value(s):
    try:
        fallback = Mode("none")
    except ValueError:
        fallback = Mode.SQUARE
    return by_mode(Mode("lin"), s) + by_mode(Mode("sqr"), s) + by_mode(fallback, s)


def indices_by_name(x):
    return np.sum(x[np.s_[::-1]] * x**2) + np.sum(np.outer(x, x)[np.index_exp[0, 1:]])


def keys_by_format(s):
    table = {"a_3": s, NUMBER.format(2): s * s, "B": 3.0}
    return table[PLACE % ("a", 3)] * table["02"] + table["b".upper()]


class Power:
    def scaled(self, k, s):
        return k * s * s

    doubled = functools.partialmethod(scaled, 2.0)
    tripled = functools.partialmethod(scaled, s=3.0)


def partial_methods(s):
    return Power().doubled(s) + Power().tripled(s)


def an_import_within(x):
    import heapq

    heap = []
    for v in x:
        heapq.heappush(heap, v)
    return heapq.heappop(heap) * heap[0]


def lists_under_keys(x):
    table, named = {}, {}
    for k, v in enumerate(x):
        table.setdefault(k % 2, []).append(v * v)
    for key in "aba":
        named.setdefault(key, []).append(x[0] * len(named))
    return sum(sum(v) * len(v) for v in table.values()) + sum(sum(v) * len(v) for v in named.values())


RIGHT = [
    loops_over_a_range, takes_a_part, asks_an_object, exact_numbers, packed, candidates, opposite_of_equal, repeated_blocks,
    members_by_value, indices_by_name, keys_by_format, partial_methods, an_import_within, lists_under_keys,
]  # fmt: skip


@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_right(function: Callable[..., Any]) -> None:
    assert_right(function)


@pytest.mark.parametrize("mode", ["adjoint", "tangent"])
@pytest.mark.parametrize("exact", [Decimal, Fraction])
def test_exact_numbers_of_variables_are_refused(mode: str, exact: type) -> None:
    assert_refused(lambda s: float(exact(s)) * s, mode)

"""The question whether arguments are as a program was made for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from s2sad.frontend.lower.fitting import fitting
from s2sad.ir.kinds import BOOL, FLOAT, INT, UNKNOWN, Array, Assumptions, Dim, List, Scalar, assuming
from s2sad.runtime import fits
from s2sad.specialise import kind_for

V, W, M = np.ones(3), np.ones(4), np.ones((3, 4))


class Own(np.ndarray):
    pass


ANSWERS: list[tuple[str, tuple[Any, ...], bool]] = [
    ("x: float", (1.0,), True), ("x: float", (np.float64(1.0),), False), ("x: float", (1,), False), ("x: float", (V,), False),
    ("n: int", (3,), True), ("n: int", (True,), False), ("n: int", (np.int64(3),), False), ("b: bool", (True,), True),
    ("z: complex", (1j,), True), ("s: str", ("a",), True), ("s: str", (None,), False),
    ("x, y: float", (1.0, 2.0), True), ("x, y: float", (1.0, 2), False),
    ("v: float64[n]", (V,), True), ("v: float64[n]", (M,), False), ("v: float64[n]", (V.astype(np.float32),), False),
    ("v: float64[n]", (V.astype(">f8"),), False), ("v: float64[n]", (V.view(Own),), False),
    ("v: float64[n]", (V.tolist(),), False),
    ("v: float64[n]", (1.0,), False), ("v: float64[n]", (np.array(1.0),), False), ("v: int64[n]", (V.astype(int),), True),
    ("v: float64[3]", (V,), True), ("v: float64[3]", (W,), False), ("v: float64[:]", (V,), True),
    ("m: float64[:, 4]", (M,), True),
    ("v, w: float64[n]", (V, V), True), ("v, w: float64[n]", (V, W), False), ("m: float64[n, n]", (M,), False),
    ("m: float64[n, m]; v: float64[n]; w: float64[m]", (M, V, W), True),
    ("m: float64[n, m]; v: float64[m]", (M, V), False), ("v: float64[n]; w: float64[n + 1]", (V, W), True),
    ("w: float64[n + 1]; v: float64[n]", (W, V), True), ("v: float64[n]; w: float64[n - 1]", (V, W), False),
    ("v: float64[2*k - 1]; k: int", (V, 2), True), ("v: float64[2*k - 1]; k: int", (V, 3), False),
    ("v: float64[n]; n >= 3", (V,), True), ("v: float64[n]; n >= 4", (V,), False),
    ("v: float64[n]; k: int; n == k", (V, 3), True),
    ("v: float64[n]; k: int; n >= 2 * k - 1", (V, 2), True), ("v: float64[n]; k: int; n >= 2 * k - 1", (V, 3), False),
    ("x: list[float]", ([1.0, 2.0],), True), ("x: list[float]", ([1.0, 2],), False), ("x: list[float]", ((1.0,),), False),
    ("x: list[list[int]]", ([[1], []],), True), ("x: list[list[int]]", ([[1], [1.0]],), False),
    ("x: list[list[int]]", ([1],), False),
]  # fmt: skip


@pytest.mark.parametrize(("told", "arguments", "expected"), ANSWERS)
def test_fits(told: str, arguments: tuple[Any, ...], expected: bool) -> None:
    assert fits(told, *arguments) is expected


@pytest.mark.parametrize(("told", "arguments", "expected"), ANSWERS)
def test_kinds_tell_the_same(told: str, arguments: tuple[Any, ...], expected: bool) -> None:
    """Where they tell: in the call that a program is made for, sizes that are equal count as equal."""
    names = [name for part in told.split("; ") if ": " in part for name in part.partition(": ")[0].split(", ")]
    values = dict(zip(names, arguments, strict=True))

    def look(symbol: Any) -> int | None:
        value = values[symbol[1][0]]
        return int(value.shape[symbol[2]] if symbol[0] == "axis" else value)

    if any(type(x) is Own for x in arguments):
        return  # which no call takes
    with assuming(Assumptions(look)):
        found = fitting(told, [kind_for(x, name) for name, x in values.items()])  # type: ignore[misc]
    swapped = any(isinstance(x, np.ndarray) and not x.dtype.isnative for x in arguments)
    assert found in (expected, None) or swapped  # which no kind tells, and no program minds


def test_unknown_kinds_tell_nothing() -> None:
    n = Dim(("axis", ("v",), 0))
    assert fitting("v: float64[n]", [Array("float64", (n,))]) is True
    assert fitting("v, w: float64[n]", [Array("float64", (n,)), Array("float64", (Dim("m"),))]) is None
    assert fitting("v: float64[n]", [UNKNOWN]) is None
    assert fitting("v: float64[n]", [Array("float64")]) is None
    assert fitting("x: float", [Scalar()]) is None
    assert fitting("x: float", [INT]) is False
    assert fitting("x: list[float]", [List(FLOAT)]) is True
    assert fitting("v: float64[n]; n >= 2", [Array("float64", (n,))]) is None
    assert fitting("b: bool", [BOOL]) is True

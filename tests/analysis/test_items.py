"""What lists hold by which name: derivatives of programs where a list that begins empty has another name later."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from s2sad import grad, hvp, jvp


def appended(x: float, c: int) -> Any:
    one: list[Any] = []
    other: list[Any] = [None]
    rows = one if c else other
    rows.append(x * x)
    return one[0] if c else other[1]


def extended(x: float, c: int) -> Any:
    one: list[Any] = []
    other: list[Any] = [None]
    rows = one if c else other
    rows += [x * x]
    return one[0] if c else other[1]


def in_dicts(x: float, c: int) -> Any:
    found: dict[str, list[Any]] = {"one": [], "other": [None]}
    rows = found["one"] if c else found["other"]
    rows.append(x * x)
    return found["one"][0] if c else found["other"][1]


def of_lists(x: float, c: int) -> Any:
    one: list[Any] = [[]]
    other: list[Any] = [[None]]
    rows = one[0] if c else other[0]
    rows.append(x * x)
    return one[0][0] if c else other[0][1]


def under_keys(x: float, c: int) -> Any:
    one: dict[str, Any] = {}
    other: dict[str, Any] = {"none" + str(c): None}
    rows = one if c else other
    rows["square" + str(c)] = x * x
    return one["square1"] if c else other["square0"]


def in_turn(x: float, c: int) -> Any:
    one: list[Any] = []
    other: list[Any] = [None]
    for k in range(3):
        rows = one if k % 2 else other
        rows.append(x * x * (k + c))
    return (one[-1] + other[-1]) / (3 + 2 * c)


def read_before(x: float, c: int) -> Any:
    rows: list[Any] = [1]
    rows.append(x * x)
    square = rows[c - c + 1]
    rows.append(None)
    return square


@pytest.mark.parametrize("c", [0, 1])
@pytest.mark.parametrize("square", [appended, extended, in_dicts, of_lists, under_keys, in_turn, read_before])
def test_an_item_is_what_was_put_there_under_any_name(square: Callable[..., Any], c: int) -> None:
    assert square(3.0, c) == 9.0
    assert grad(square)(3.0, c) == pytest.approx(6.0)
    assert jvp(square, (3.0, c), (1.0, 0)) == pytest.approx((9.0, 6.0))
    assert grad(grad(square))(3.0, c) == pytest.approx(2.0)
    assert hvp(square, (3.0, c), (1.0, 0))[1] == (pytest.approx(2.0), None)

"""Sizes that are supposed to be equal in a program for likely arguments: where that helps, and nothing speaks against it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from s2sad.facts.assumptions import is_not_negative
from s2sad.ir.kinds import (
    ANY_INT,
    Assumptions,
    Dim,
    are_asked,
    assuming,
    equal_sizes,
    floor_divided,
    larger,
    minus,
    plus,
    shifted,
    times,
)
from s2sad.runtime.arguments import fits


def axis(name: str, k: int = 0) -> Dim:
    return Dim(("axis", (name,), k))


X, Y, Z, N = axis("x"), axis("y"), axis("z"), Dim(("int", ("n",)), least=ANY_INT)


@pytest.fixture
def supposed() -> Assumptions:
    return Assumptions(lambda symbol: None, supposes=True)


def texts(found: Assumptions) -> list[str]:
    return [condition.text for condition in found.conditions()]


def test_axes_are_as_long_as_others(supposed: Assumptions) -> None:
    assert supposed.are_equal([(X, Y)])
    assert supposed.are_equal([(Y, Z)])
    assert supposed.are_equal([(X, Z)])
    assert texts(supposed) == ["{0} == {1}"] * 2
    assert not supposed.are_equal([(X, shifted(Z, 1))])
    assert len(texts(supposed)) == 2


def test_axes_are_as_long_as_integers_say(supposed: Assumptions) -> None:
    assert supposed.are_equal([(X, shifted(N, -1))])
    assert not supposed.are_equal([(X, N)])
    assert supposed.are_equal([(shifted(X, 1), N)])
    assert texts(supposed) == ["{0} == {1} + 1"] or len(texts(supposed)) == 1


def test_axes_are_as_long_as_literals_but_one(supposed: Assumptions) -> None:
    assert not supposed.are_equal([(X, 1)])
    assert not supposed.are_equal([(X, 0)])
    assert supposed.are_equal([(X, 3)])
    assert not supposed.are_equal([(X, 4)])
    assert supposed.are_equal([(Y, X)])
    assert not supposed.are_equal([(Y, 4)])


def test_one_no_is_a_no_for_all(supposed: Assumptions) -> None:
    assert not supposed.are_equal([(X, Y), (Z, 1)])
    assert texts(supposed) == []


def test_what_only_the_run_tells_is_not_supposed(supposed: Assumptions) -> None:
    inner = Dim(object())
    assert not supposed.are_equal([(X, inner)])
    assert not supposed.are_equal([(X, larger(Y, Z))])
    assert not supposed.are_equal([(N, 3)])
    assert not supposed.are_equal([(times(X, 2), 3)])


def test_seeds_are_asked_for_where_arguments_tell_their_sizes(supposed: Assumptions) -> None:
    assert are_asked([Dim(object())])
    with assuming(supposed):
        assert are_asked([X, plus(Y, N), 3])
        assert not are_asked([X, Dim(object())])
        assert not are_asked([None])
        assert equal_sizes(X, Y)


def test_slices_of_what_is_long_enough(supposed: Assumptions) -> None:
    """``x[1:n - 1]`` has n - 2 items."""
    part = Dim(("slice", X, 1, shifted(N, -1), None))
    assert supposed.are_equal([(part, shifted(N, -2))])
    assert all(">=" in text for text in texts(supposed))


def cut(size: Dim, first: int, beyond: Dim) -> Dim:
    return Dim(("slice", size, first, beyond, None))


def test_an_axis_is_long_enough_for_what_the_size_of_another_one_cuts_out(supposed: Assumptions) -> None:
    """``x[1:len(y) + 1]`` has as many items as y."""
    assert supposed.are_equal([(cut(X, 1, shifted(Y, 1)), Y)])
    assert texts(supposed) == ["{0} >= {1} + 1"]
    assert not supposed.are_equal([(X, Y)])
    assert not supposed.are_equal([(cut(Y, 1, X), shifted(X, -1))])
    assert texts(supposed) == ["{0} >= {1} + 1"]


def test_an_axis_that_is_as_long_as_another_one_is_not_longer(supposed: Assumptions) -> None:
    assert supposed.are_equal([(X, Y)])
    assert not supposed.are_equal([(cut(X, 1, shifted(Y, 1)), Y)])
    assert supposed.are_equal([(cut(X, 1, Y), shifted(Y, -1))])
    assert texts(supposed) == ["{0} == {1}", "{0} >= 1"]


def test_an_axis_has_two_halves(supposed: Assumptions) -> None:
    half, other = floor_divided(X, 2), floor_divided(shifted(X, 1), 2)
    assert supposed.are_equal([(half, minus(X, half))])
    assert supposed.are_equal([(X, times(half, 2))])
    assert texts(supposed) == ["{0} == 2 * ({0} // 2)"]
    assert supposed.are_equal([(half, other)])
    assert not supposed.are_equal([(half, shifted(other, 1))])
    assert supposed.are_equal([(minus(Y, half), half)])
    assert not supposed.are_equal([(minus(Y, half), shifted(half, 1))])
    assert not supposed.are_equal([(floor_divided(X, 2), floor_divided(Y, 3))])


def test_questions_ask_for_halves() -> None:
    asked = (("n == 2 * (n // 2)", True), ("((n + 1) // 2) == (n // 2)", True), ("-(n // 2) + n >= (n // 2) + 1", False))
    for told, even in asked:
        assert [fits(f"x: float64[n]; {told}", np.ones(n)) for n in (4, 5)] == [even, not even]
    assert [fits("x: float64[n]; (((n // 2)) // 2) == 2", np.ones(n)) for n in (7, 8, 11, 12)] == [False, True, True, False]


FEW = st.integers(-3, 3)


@given(st.lists(st.tuples(FEW, st.integers(0, 3), st.integers(1, 4)), max_size=3), FEW, FEW)
def test_what_is_certainly_not_negative_is_not(parts: list[tuple[int, int, int]], factor: int, offset: int) -> None:
    size = plus(times(X, factor), offset)
    for scale, shift, by in parts:
        size = plus(size, times(floor_divided(shifted(X, shift), by), scale))
    least = min(factor * n + offset + sum(scale * ((n + shift) // by) for scale, shift, by in parts) for n in range(40))
    assert least >= 0 or not isinstance(size, Dim) or not is_not_negative(size)


def test_halves_lie_within_an_axis() -> None:
    for size in (minus(X, floor_divided(X, 2)), floor_divided(X, 2), minus(X, times(floor_divided(X, 2), 2)), plus(X, 1)):
        assert isinstance(size, int) or is_not_negative(size)

"""Helpers that find places, choose and interpolate, against NumPy's own functions and at their corners."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from s2sad.runtime import (
    choose_adjoint,
    diagonal_places,
    flat_places,
    insert_adjoint,
    interp_slope,
    lowest,
    mask_places,
    placement,
    places_along,
    polyder_adjoint,
    polyint_adjoint_k,
    section_bounds,
    trim_adjoint,
    trimmed,
)

RNG = np.random.default_rng(5)


@pytest.mark.parametrize(("size", "sections"), [(6, 3), (7, 3), (2, 5), (0, 2), (5, 1)])
def test_bounds_are_those_of_array_split(size: int, sections: int) -> None:
    x = np.arange(size)
    bounds = section_bounds(x, sections, 0, False)
    pieces = [x[a:b] for a, b in pairwise(bounds)]
    assert [p.tolist() for p in pieces] == [p.tolist() for p in np.array_split(x, sections)]


def test_bounds_of_an_even_split_raise_as_numpy_does() -> None:
    with pytest.raises(ValueError, match="equal division"):
        section_bounds(np.zeros(7), 3)
    with pytest.raises(ValueError, match="larger than 0"):
        section_bounds(np.zeros(7), 0)


@pytest.mark.parametrize(
    ("places", "mode"), [([0, 5, -1], "raise"), ([7, -9, 3], "wrap"), ([7, -9, 3], "clip")]
)
def test_flat_places_are_those_of_put(places: Any, mode: Any) -> None:
    expected, found = np.zeros((2, 3)), np.zeros((2, 3))
    np.put(expected, places, [1.0, 2.0, 3.0], mode)
    found[flat_places(found, places, mode)] = [1.0, 2.0, 3.0]
    assert found.tolist() == expected.tolist()


def test_flat_places_outside_raise() -> None:
    with pytest.raises(IndexError, match="out of bounds"):
        flat_places(np.zeros(3), [3])


def test_mask_places_are_those_of_place() -> None:
    mask = np.array([[True, False], [False, True]])
    expected, found = np.zeros((2, 2)), np.zeros((2, 2))
    np.place(expected, mask, [1.0, 2.0])
    found[mask_places(found, mask)] = [1.0, 2.0]
    assert found.tolist() == expected.tolist()
    with pytest.raises(ValueError, match="same size"):
        mask_places(np.zeros(3), mask)


@pytest.mark.parametrize(
    ("shape", "wrap"), [((3, 3), False), ((5, 2), False), ((7, 2), True), ((2, 5), False), ((3, 3, 3), False)]
)
def test_diagonal_places_are_those_of_fill_diagonal(shape: Any, wrap: bool) -> None:
    expected, found = np.zeros(shape), np.zeros(shape)
    np.fill_diagonal(expected, 1.0, wrap)
    found[diagonal_places(found, wrap)] = 1.0
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("shape", [(3,), (2, 2, 3)])
def test_diagonal_places_raise_as_numpy_does(shape: Any) -> None:
    with pytest.raises(ValueError, match=r"2-d|equal length"):
        diagonal_places(np.zeros(shape))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_places_along_are_those_of_take_along_axis(axis: int) -> None:
    x, indices = RNG.normal(size=(3, 3)), RNG.integers(0, 3, (3, 3))
    assert x[places_along(x, indices, axis)].tolist() == np.take_along_axis(x, indices, axis).tolist()


@pytest.mark.parametrize("axis", [0, 1, None])
def test_placement_leads_back_also_with_ties(axis: int | None) -> None:
    x = RNG.integers(0, 4, (4, 5)).astype(float)
    out = np.partition(x, 2, axis)
    places = placement(x, out, axis)
    assert np.take_along_axis(x, places, axis).tolist() == out.tolist()
    assert np.sort(places, axis).tolist() == np.sort(np.argsort(x, axis), axis).tolist()


def test_choose_adjoint_has_the_structure_of_the_choices() -> None:
    bar, places = np.array([1.0, 2.0, 3.0]), np.array([0, 1, 3])
    first, second = choose_adjoint(bar, places, (np.zeros(3), 0.0), "wrap")
    assert (first.tolist(), second) == ([1.0, 0.0, 0.0], 5.0)
    assert isinstance(choose_adjoint(bar, places, [0.0, 0.0], "clip"), list)
    assert choose_adjoint(bar, np.array([0, 1, 1]), np.zeros((2, 3))).tolist() == [
        [1.0, 0.0, 0.0],
        [0.0, 2.0, 3.0],
    ]


def test_insert_adjoint_sums_what_was_repeated() -> None:
    bar = np.arange(1.0, 9.0).reshape(2, 4)
    arr = np.zeros((2, 3))
    assert insert_adjoint(bar, arr, 1, 0.5, 1).tolist() == [[1.0, 3.0, 4.0], [5.0, 7.0, 8.0]]
    assert insert_adjoint(bar, arr, 1, 0.5, 1, 1) == 8.0


@pytest.mark.parametrize("trim", ["fb", "f", "b"])
@pytest.mark.parametrize("x", [[0.0, 1.0, 0.0, 2.0, 0.0], [1.0, 2.0], [0.0, 0.0]])
def test_trimmed_items_go_back_to_their_places(x: Any, trim: str) -> None:
    filt = np.array(x)
    kept = np.trim_zeros(filt, trim)
    assert trimmed(filt, filt, trim).tolist() == kept.tolist()
    assert trimmed(x, x, trim) == kept.tolist()
    assert trimmed(tuple(x), x, trim) == tuple(kept.tolist())
    back = trim_adjoint(np.ones(len(kept)), filt, trim)
    assert (back.sum(), back.shape) == (len(kept), filt.shape)
    assert (back * filt).tolist() == filt.tolist()


def test_the_slope_of_interpolation_is_the_middle_at_a_knot_and_0_outside() -> None:
    xp, fp = np.array([0.0, 1.0, 3.0]), np.array([0.0, 2.0, 2.0])
    assert interp_slope(np.array([-1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 4.0]), xp, fp).tolist() == [
        0.0,
        1.0,
        2.0,
        1.0,
        0.0,
        0.0,
        0.0,
    ]
    assert interp_slope(0.5, [0.0], [2.0]) == 0.0


def test_polynomials_of_too_low_degree_have_no_adjoint() -> None:
    assert polyder_adjoint(np.polyder(np.ones(2), 3), np.ones(2), 3).tolist() == [0.0, 0.0]
    assert polyint_adjoint_k(np.array([1.0, 2.0, 4.0]), 0.5, 2) == 6.0
    assert lowest(np.array([1.0, 2.0, 4.0]), 0.5) == 4.0

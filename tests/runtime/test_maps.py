"""Dicts of adjoints: what is missing in them counts as zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.runtime import add_into_items, add_items, give_back, keys_of, put_back, take_out


def test_keys_are_those_of_now() -> None:
    items = {"b": 1.0, "a": 2.0}
    for key in keys_of(items):
        items[key + key] = items.pop(key)
    assert keys_of(items) == ["bb", "aa"]


def test_what_is_due_is_taken_out() -> None:
    due = np.array([1.0, 2.0])
    bars: dict[Any, Any] = {0: due, (1, 2): 0.0}
    assert take_out(bars, 0, np.zeros(2)) is due
    assert take_out(bars, (1, 2), 5.0) == 0.0
    assert bars == {}


def test_where_nothing_is_due_there_is_a_zero_of_the_same_structure() -> None:
    np.testing.assert_equal(take_out({}, 0, np.ones(3)), np.zeros(3))
    np.testing.assert_equal(take_out({1: 2.0}, 0, (1.5, np.ones(2))), (0.0, np.zeros(2)))


def test_a_store_is_undone() -> None:
    items = {"a": 1.0}
    items["a"], items["b"] = 2.0, 3.0
    put_back(items, "b", None)
    put_back(items, "a", 1.0)
    put_back(items, "c", None)
    assert items == {"a": 1.0}


def test_dicts_are_added_by_key() -> None:
    array = np.ones(2)
    items: dict[str, Any] = {"a": array, "b": 1.0}
    add_items(items, slice(None), {"a": array, "c": 2.0})
    np.testing.assert_equal(items, {"a": 2.0 * np.ones(2), "b": 1.0, "c": 2.0})
    np.testing.assert_equal(array, np.ones(2))


def test_what_others_refer_to_is_added_in_place() -> None:
    array, inner = np.ones(2), {"x": 1.0}
    items: dict[str, Any] = {"a": array, "b": inner}
    add_into_items(items, slice(None), {"a": np.ones(2), "b": {"x": 2.0, "y": 3.0}})
    np.testing.assert_equal(array, 2.0 * np.ones(2))
    assert items["a"] is array
    assert inner == {"x": 3.0, "y": 3.0}


def test_what_was_taken_out_is_given_back() -> None:
    due, more = np.ones(2), np.array([1.0, 2.0])
    bars = {}
    give_back(bars, 0, due, due)
    give_back(bars, 1, None, more)
    give_back(bars, 2, None, None)
    assert bars[0] is due
    assert bars[1] is more
    assert 2 not in bars
    whole = np.zeros(())
    give_back(bars, 3, whole, more)  # what was due to all items alike
    assert bars[3] is whole
    assert whole == 3.0

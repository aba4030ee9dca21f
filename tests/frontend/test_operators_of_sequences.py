"""Operators on lists and tuples: they join and repeat; beside what is NumPy's they are arrays; all else Python refuses, too."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, grad, hvp, value_and_grad
from s2sad.errors import S2sadError, UnsupportedSyntaxError

V = np.array([1.0, 2.0])


def _in_a_helper(pose: Any, v: Any) -> Any:
    pose += v
    return pose


def straight(v: Any) -> Any:
    pose: Any = [0.0, 1.0]
    old = pose
    pose += v * 0.1
    return np.sum(np.array(pose) ** 2) + len(old) * v[0] + np.sum(np.array(old) * v)


def moving(v: Any) -> Any:
    pose: Any = [0.0, 1.0]
    for _ in range(3):
        pose += v * 0.1
    return np.sum(np.array(pose) ** 2)


def by_a_helper(v: Any) -> Any:
    pose: Any = [0.0, v[1]]
    return np.sum(_in_a_helper(pose, v) ** 2) + len(pose)


def multiplied(v: Any) -> Any:
    pose: Any = [3.0, 1.0]
    pose *= v
    pose -= [1.0, v[0]]
    return np.sum(pose**2)


def grown_before(v: Any) -> Any:
    items: Any = [3.0, v[0]]
    items.append(v[1])
    items += (x * x for x in v)
    items += (v[0],)
    items += np.concatenate([v, v, v])
    return np.sum(items**2)


def of_a_number_of_numpy(v: Any) -> Any:
    items: Any = [3.0, 1.0]
    items += v[0]
    pair: Any = (2.0, v[1])
    pair += v
    number: Any = v[0] * 2.0
    number += [1.0, v[1]]
    return np.sum(items**2) + np.sum(pair**2) + np.sum(number**2) + np.sum(v[0] - [1.0, v[1]])


def a_deque(v: Any) -> Any:
    items: Any = deque([1.0, 2.0])
    items += v
    return np.sum(items**2)


def an_item_and_a_field(v: Any) -> Any:
    held: Any = {"a": [1.0, 2.0], "b": [[1.0, 2.0], [3.0, v[0]]]}
    held["a"] += v
    held["b"][0] += v
    return np.sum(held["a"] ** 2) + np.sum(np.array(held["b"][0]) ** 2)


def joined_and_repeated(v: Any) -> Any:
    items: Any = [v[0], v[1]] * len(v)
    items *= 2
    items = items + [v[0]]
    return np.sum(np.array(items) ** 2) + np.sum(np.ones(v.shape + (3,)) * v[0])


GOAL, M = np.array([1.0, 2.0]), np.array([[1.0, 2.0], [3.0, 4.0]])


def beside_tuples(v: Any) -> Any:
    pair = (v[0], v[1])
    differences = (GOAL - pair) ** 2 + GOAL / pair + np.float64(2.0) - pair + np.int64(2) / [v[0], v[1]]
    return np.sum(differences) + (pair @ M) @ v + np.sum(v / (v[0], v[1] ** 2)) + np.linalg.norm(GOAL - pair * v)


def rows_of_tuples(v: Any) -> Any:
    return np.sum((M + ((v[0], v[1]), (v[1], 2.0))) * [[v[0], v[1]], [v[1], 2.0]])


def in_place_by_tuples(v: Any) -> Any:
    r = v * 1.5
    r **= (1, 2)
    r += (v[0], 1)
    r /= (v[1], v[0])
    return np.sum(r)


def repeated_tuples(v: Any) -> Any:
    n = int(v[0] + 1.5)
    return sum(3 * (v[0], v[1])) + sum((v[0], v[1] ** 2) * len(v)) + sum(n * (v[0], v[1])) * n + sum(n * [v[0], v[1]])


RIGHT = [
    beside_tuples, rows_of_tuples, in_place_by_tuples, repeated_tuples,
    straight, moving, by_a_helper, multiplied, grown_before, of_a_number_of_numpy, a_deque, an_item_and_a_field,
    joined_and_repeated,
]  # fmt: skip


@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_right(function: Callable[[Any], Any]) -> None:
    assert value_and_grad(function)(V)[0] == pytest.approx(function(V))
    check_grads(function, (V,), order=2)


def test_an_argument() -> None:
    def moved(pose: Any, v: Any) -> Any:
        pose += v
        return np.sum(pose**2)

    pose = [1.0, 2.0]
    assert grad(moved, wrt="v")(pose, V).tolist() == [4.0, 8.0]
    assert hvp(moved, (pose, V), (V,), wrt="v")[1].tolist() == [2.0, 4.0]
    assert pose == [1.0, 2.0]


def power(items: Any) -> Any:
    return np.sum(items**2)


def difference(items: Any) -> Any:
    return np.sum(items - items)


def half(items: Any) -> Any:
    return np.sum((items[0], items[1]) / 2)


def times(items: Any) -> Any:
    return np.sum((items[0], items[1]) * 2.0)


def times_a_number_of_numpy(items: Any) -> Any:
    return np.sum(np.sum(items) * items)


def of_both_sorts(items: Any) -> Any:
    return np.sum([items[0]] + (items[1],))


def negative(items: Any) -> Any:
    return np.sum(-items)


def product(items: Any) -> Any:
    return items @ items


def and_one(items: Any) -> Any:
    return np.sum(items + 1.0)


RAISING = [power, difference, half, times, times_a_number_of_numpy, of_both_sorts, negative, product, and_one]


@pytest.mark.parametrize("function", RAISING, ids=lambda f: f.__name__)
def test_what_raises_is_refused(function: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError):
        function([1.0, 2.0])
    with pytest.raises(UnsupportedSyntaxError, match="Python raises a TypeError"):
        grad(function)([1.0, 2.0])


def test_one_of_several_lists_is_not_left_behind() -> None:
    def grown(x: Any) -> Any:
        items = [x[0], x[1]]
        for _ in range(3):
            try:
                other = items
                other += [x[0] * 2]
            except ValueError:
                pass
        return sum(v for v in items)

    try:
        found = value_and_grad(grown)(V)[0]
    except S2sadError:
        return  # ``other`` alone must not grow
    assert found == pytest.approx(grown(V))


def test_none_is_compared_item_by_item() -> None:
    def counted(v: Any) -> Any:
        return np.sum((v != None) * v * v) + np.sum((v == None) * v) + (v[0] if v is None else v[1])  # noqa: E711

    assert value_and_grad(counted)(V)[0] == counted(V)
    check_grads(counted, (V,), order=2)


def floor_divided(v: Any) -> Any:
    r = np.array([1, 2])
    r //= v
    return np.sum(r * v)


def raised(v: Any) -> Any:
    r = np.array([1, 2])
    r **= v
    return np.sum(r * v)


@pytest.mark.parametrize("function", [floor_divided, raised], ids=lambda f: f.__name__)
def test_whole_numbers_take_no_fractions_in_place(function: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match="same_kind"):
        function(V)
    with pytest.raises(UnsupportedSyntaxError, match="does not cast"):
        grad(function)(V)

"""Dicts whose keys are members of enumerations: functions and numbers by a member that is known, or chosen at run time."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, Flag, IntEnum
from typing import Any

import numpy as np
import pytest

from s2sad import CompilerError, S2sadError, grad
from s2sad.testing import check_grads


class Kind(Enum):
    A = 1
    B = 2


class Order(IntEnum):
    A = 1
    B = 2


class Mark(Flag):
    A = 1
    B = 2


ORDERS = {Order.A: np.sin, Order.B: np.cos}
MARKS = {Mark.A: np.sin, Mark.B: np.cos}
PAIRS = {(Kind.A, 0): np.sin, (Kind.B, 1): np.cos}
RATES = {Order.A: 1.0, Order.B: 3.0}
FUNCTIONS = {Kind.A: np.sin, Kind.B: np.cos}
WEIGHTS = {Kind.A: 2.0, Kind.B: 3.0}


def chosen(x):
    return Kind.A if x[0] > 0.5 else Kind.B


def a_known_function(x):
    return np.sum(FUNCTIONS[Kind.B](x))


def a_chosen_function(x):
    return np.sum(FUNCTIONS[chosen(x)](x)) + np.sum(FUNCTIONS.get(chosen(x))(x))


def all_functions(x):
    return sum(k.value * np.sum(FUNCTIONS[k](x)) for k in Kind) + sum(np.sum(f(x)) for f in FUNCTIONS.values())


def a_table_in_the_function(x):
    table = {Kind.A: lambda t: t * x[0], Kind.B: np.cos}
    return np.sum(table[Kind.A](x)) + np.sum(table[chosen(2 * x)](x))


def numbers(x):
    held = {Kind.A: x * 2, Kind.B: x**2}
    more = WEIGHTS.get(Kind.A, 1.0) if Kind.B in WEIGHTS else 0.0
    most = more * WEIGHTS.get(chosen(x), 1.0)
    return np.sum(x * WEIGHTS[Kind.B] * WEIGHTS[chosen(x)]) + np.sum(held[Kind.A] * held[Kind.B]) * most


def over_the_keys(x):
    return sum(np.sum(x) * WEIGHTS[k] for k in WEIGHTS)


def is_a_member(x):
    total = 0.0
    for kind, function in FUNCTIONS.items():
        total = total + (2.0 if kind is Kind.B else 1.0) * np.sum(function(x))
    return total + sum((3.0 if mark is not Mark.A else 1.0) * np.sum(MARKS[mark](x)) for mark in MARKS)


def is_a_number(x):
    total = 0.0
    for order, rate in RATES.items():
        total = total + (2.0 if order is Order.B else 1.0) * rate * order * np.sum(ORDERS[order](x))
    return total


def within_pairs(x):
    total = 0.0
    for (kind, k), function in PAIRS.items():
        total = total + (2.0 if kind is Kind.B else 1.0) * (k + 1) * np.sum(function(x))
    return total


def taken_and_unpacked(x):
    held = {Kind.A: x, Kind.B: x**2}
    first, second = held
    last, value = held.popitem()
    weight = (2.0 if first is Kind.A else 1.0) * (3.0 if second is Kind.B else 1.0) * (5.0 if last is Kind.B else 1.0)
    return weight * np.sum(value) + sum(np.sum(v) * (7.0 if k is Kind.A else 1.0) for k, v in held.items())


PROGRAMS: list[Callable[..., Any]] = [
    a_known_function, a_chosen_function, all_functions, a_table_in_the_function, numbers,
    over_the_keys, is_a_member, is_a_number, within_pairs, taken_and_unpacked,
]  # fmt: skip


@pytest.mark.parametrize("start", [0.3, 0.7])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_both_modes(f: Callable[..., Any], start: float) -> None:
    check_grads(f, (np.array([start, 1.3, 2.1]),))


def over_the_items(x):
    return sum(np.sum(x) * weight for _, weight in WEIGHTS.items())


def test_what_has_no_name_is_refused_in_words() -> None:
    with pytest.raises(S2sadError, match=r"Kind\.A as a key") as caught:
        grad(over_the_items)(np.ones(3))
    assert not isinstance(caught.value, CompilerError)


def by_name(x, name="B"):
    kind = Kind[name] if x[0] > 0.5 else Kind["A"]
    return x[0] ** kind.value * Order["B"].value


def by_no_name(x):
    return x[0] * Kind["C"].value


@pytest.mark.parametrize("x", [0.3, 0.7])
def test_members_by_name(x: float) -> None:
    check_grads(by_name, (np.array([x]),), order=2)
    with pytest.raises(S2sadError, match="this member"):
        grad(by_no_name)(np.array([x]))

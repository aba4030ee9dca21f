"""Dataclasses and named tuples that are made of the items of lists and arrays: ``Config(*values)``, as functions are called."""

from __future__ import annotations

import itertools
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest
from thinning import thinned

from s2sad import S2sadError, grad, jvp
from s2sad.testing import check_grads

Point = namedtuple("Point", "a b c")


class Config(NamedTuple):
    a: float
    b: float
    c: float = 0.5


@dataclass
class Spring:
    a: float
    b: float
    c: float = 2.0


@dataclass
class Tagged:
    a: float
    b: float
    c: float = field(default=3.0, kw_only=True)


def energy(s):
    return s.a * s.b**2 + s.c


def a_list_of_three(x):
    values = [x[0], x[1] * 2, x[2] + x[0]]
    return energy(Config(*values)) + energy(Spring(*values)) * energy(Point(*values))


def a_list_of_two(x):
    values = [x[0], x[1] * 2]
    return energy(Config(*values)) * energy(Spring(*values)) + energy(Tagged(*values, c=x[2]))


def a_comprehension(x):
    return energy(Point(*[2 * v for v in x])) + energy(Spring(*(np.sin(v) for v in x)))


def an_array(x):
    return energy(Config(*x)) * energy(Spring(*x))


def after_others(x):
    rest = [x[1] * x[0], x[2]]
    return energy(Config(x[0], *rest)) + energy(Spring(x[0] ** 2, *rest))


def a_field_by_name(x):
    values = [x[0], x[1] ** 2]
    return energy(Config(*values, c=x[2])) * energy(Spring(*values, c=x[0]))


def by_how_many_there_are(x):
    values = [x[0], x[1]]
    if x[2] > 1.0:
        values.append(x[2] ** 2)
    return energy(Config(*values)) * energy(Spring(*values))


PROGRAMS: list[Callable[..., Any]] = [
    a_list_of_three, a_list_of_two, a_comprehension, an_array, after_others, a_field_by_name, by_how_many_there_are,
]  # fmt: skip


@pytest.mark.parametrize(
    ("f", "last"), thinned(itertools.product(PROGRAMS, [0.4, 1.7]), 3, lambda case: f"{case[0].__name__}-{case[1]}")
)
def test_both_modes_and_orders(f: Callable[..., Any], last: float) -> None:
    check_grads(f, (np.array([0.3, 1.3, last]),), order=2)


@pytest.mark.parametrize("of", [an_array, a_comprehension], ids=lambda f: f.__name__)
@pytest.mark.parametrize("count", [1, 2, 4])
def test_another_number_of_items_is_pythons_error(of: Callable[..., Any], count: int) -> None:
    x = np.linspace(0.3, 1.0, count)
    try:
        of(x)
    except TypeError:
        with pytest.raises((TypeError, S2sadError)):
            grad(of)(x)
        with pytest.raises((TypeError, S2sadError)):
            jvp(of, (x,), (x,))
    else:
        check_grads(of, (x,))

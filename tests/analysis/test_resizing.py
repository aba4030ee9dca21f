"""The lists that functions make longer or shorter: those of which a call leaves another length are among them."""

from __future__ import annotations

import copy

import pytest

from s2sad import pipeline
from s2sad.analysis.resizing import Resizing
from s2sad.frontend.resolve import LiveScope
from s2sad.frontend.source import source_of
from s2sad.ir.kinds import FLOAT, INT, List

ROWS = [[0.3, 0.7, 1.1], [0.5, -0.2], [0.4]]


def popped(a, b, c, n):
    return a.pop() * b[0] * c[0]


def grown(a, b, c, n):
    for x in a:
        b.append(x * x)
    return b[-1] * c[0]


def stored(a, b, c, n):
    a[0] = b[0] * c[0]
    return a[0]


def of_its_own(a, b, c, n):
    rows = [x * x for x in a]
    rows.pop()
    rows.extend(b)
    return rows[0] * c[0]


def drained(a, n):
    if n == 0:
        return 1.0
    return a.pop() * drained(a, n - 1)


def by_a_recursion(a, b, c, n):
    return drained(b, n) * a[0] * c[0]


def in_a_list(a, b, c, n):
    rows = [a, b]
    rows[n - 1].append(c[0])
    return rows[0][0]


def in_a_tuple(a, b, c, n):
    first, _ = (c, b)
    return first.pop() * a[0]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (popped, {"a"}), (grown, {"b"}), (stored, set()), (of_its_own, set()), (by_a_recursion, {"b"}),
        (in_a_list, {"a", "b"}),  # which of the lists in a list it is, nobody knows
        (in_a_tuple, {"c"}),
    ],
)  # fmt: skip
def test_what_is_resized(function, expected) -> None:
    kinds = {"a": List(FLOAT), "b": List(FLOAT), "c": List(FLOAT), "n": INT}
    lowered, _ = pipeline.lower(source_of(function), LiveScope(function), kinds, function)
    names = [p.name for p in lowered.params]
    assert {names[k] for k in Resizing().positions(lowered)} == expected
    given = copy.deepcopy(ROWS)
    function(*given, 1)
    assert {name for name, x, row in zip("abc", given, ROWS, strict=True) if len(x) != len(row)} <= expected

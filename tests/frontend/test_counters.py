"""``collections.Counter``: counts of items, of a mapping, by name; ``update`` and ``subtract`` add and take away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from s2sad import check_grads, jvp


def by_name(s):
    c = Counter(a=1, b=2)
    return c["a"] * s + c["b"] * s**2


def of_a_mapping(s):
    c = Counter({"a": 3, "b": 2})
    return c["a"] * s + c["b"] * s**2 + c["z"]


def of_both(s):
    c = Counter(["p", "q", "p"], p=2)
    return c["p"] * s + c["q"] * s**2


def of_a_counter(s):
    c = Counter(Counter("abca"))
    d = c.copy()
    d["a"] += 1
    return c["a"] * s + d["a"] * s**2


def updated(s):
    c = Counter("abca")
    c.update("aa")
    c.update({"b": 5})
    c.update(a=2)
    c.update(Counter("b"), a=1)
    return c["a"] * s + c["b"] * s**2


def subtracted(s):
    c = Counter("aab")
    c.subtract({"a": 1})
    c.subtract("bb", z=3)
    return c["a"] * s + c["b"] * s**2 + c["z"] * s**3


def of_numbers(s):
    c = Counter({"a": s, "b": 2 * s})
    c.update(a=s * s)
    return c["a"] * c["b"] + c.total()


def of_unknown_length(s, n=3):
    c = Counter("ab" * n)
    c.update("a")
    return c["a"] * s**2


def most_common(s):
    found = 0.0
    for key, count in Counter([3, 1, 1, 3, 2]).most_common():
        found = found * 2.0 + key * count * s**2
    return found + Counter("abracadabra").most_common(2)[1][1] * s


def fewer_than_none(s):
    c = Counter([3, 1, 1])
    return (len(c.most_common(-1)) + len(c.most_common(n=1)) + len(c.most_common(9))) * s**2


def of_equal_counts(s):
    c = Counter()
    for key in [5, 2, 2, 5, 7]:
        c[key] += 1
    (first, count), (second, _) = c.most_common(2)
    return first * s + second * count * s**2


def votes(s):
    labels, points = [0, 1, 1, 0], [0.0, 1.0, 2.5, 0.4]
    nearest = sorted(range(4), key=lambda k: (points[k] - s) ** 2)[:3]
    label, count = Counter(labels[k] for k in nearest).most_common(1)[0]
    return (label + 1) * count * s**3


def of_weights(s):
    c: Counter[str] = Counter()
    for k, key in enumerate("abab"):
        c[key] += k * s**2  # type: ignore[assignment]
    return c.most_common(1)[0][1] + c.total() * s


PROGRAMS = [
    most_common, fewer_than_none, of_equal_counts, votes, of_weights, of_unknown_length, by_name, of_a_mapping, of_both,
    of_a_counter, updated, subtracted, of_numbers,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_counts(f: Callable[..., Any]) -> None:
    assert jvp(f, (1.5,), (1.0,))[0] == f(1.5)
    check_grads(f, (1.5,), order=2)

"""Sets that are filled while the program runs: membership and length are followed, and nothing else comes out of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from s2sad import check_grads, errors, grad


def visited_once(xs: list[float]) -> float:
    seen, total = set(), 0.0
    for i, x in enumerate(xs):
        k = i % 2
        if k in seen:
            continue
        seen.add(k)
        total += x * x
    return total * len(seen)


def changing(xs: list[float]) -> float:
    seen, total = {0}, 0.0
    for i, x in enumerate(xs):
        if i in seen:
            continue
        seen.update([i, i + 1])
        seen.discard(7)
        if len(seen) > 2:
            seen.remove(0)
        total += x * x * len(seen)
    return total if seen else 0.0


def looped_over(xs: list[float]) -> float:
    seen, total = set(), 0.0
    for x in xs:
        seen.add(x)
    for x in seen:
        total += x
    return total


def greatest(xs: list[float]) -> float:
    seen = set(xs)
    return max(seen)


def kept_in_a_list(xs: list[float]) -> float:
    seen, rows = set(), []
    rows.append(seen)
    rows[0].add(3)
    return xs[0] * len(seen)


def kept_in_a_list_twice(xs: list[float]) -> float:
    seen, rows = set(), []
    for i in range(2):
        rows.append(seen)
        if xs[i] > 1:
            seen.add(i)
    return xs[0] * len(rows[1]) + xs[1] * (1 in rows[0])


@pytest.mark.parametrize("function", [visited_once, changing, kept_in_a_list, kept_in_a_list_twice])
@pytest.mark.parametrize("mode", ["tangent", "adjoint"])
def test_membership(function: Callable[..., Any], mode: str) -> None:
    check_grads(function, ([1.1, 0.4, 2.3],), modes=(mode,))


@pytest.mark.parametrize("function", [looped_over, greatest])
def test_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(errors.UnsupportedSyntaxError, match="set that changes"):
        grad(function)([1.1, 0.4, 2.3])


def missing(x: float) -> float:
    seen = {1}
    seen.remove(2)
    return x * len(seen)


def test_a_member_that_is_not_there() -> None:
    with pytest.raises(KeyError):
        grad(missing)(1.5)

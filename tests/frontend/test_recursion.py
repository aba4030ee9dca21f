"""Recursion: what is refused, and how; how adjoints are handed over. Programs that work are in the corpora."""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mode_pairs import MODES, check_pair

from s2sad import AliasError, S2sadError, differentiate, grad
from s2sad.runtime.guards import MOST_ITEMS
from s2sad.testing import check_grads

# --- refused when the program is generated


def rebinds(x: float) -> float:
    total = 0.0

    def walk(n: int) -> None:
        nonlocal total
        total += x**n
        if n:
            walk(n - 1)

    walk(int(x) + 2)
    return total


def nested(n: int, x: float) -> Any:
    return x if n == 0 else (x, nested(n - 1, x * x))


def grows(x: float) -> float:
    found: float = nested(int(x) + 3, x)[0]
    return found


def grows_as_often_as_is_known(x: float) -> float:
    found: float = nested(3, x)[0] * x
    return found


def endless(n: int, x: float) -> tuple[float, float]:
    a, b = endless(n - 1, x)
    return a + 1, b * x


def never_ends(x: float) -> float:
    return endless(3, x)[0]


def half(u: np.ndarray, n: int) -> np.ndarray:
    if n == 0:
        return u[1:]
    u[0] *= u[1]
    return half(u, n - 1)


def window_back(x: np.ndarray) -> float:
    return float(np.sum(half(x * x, 2)))


def window_back_in_a_loop(x: np.ndarray) -> float:
    w = x
    for _ in range(2):
        w = half(x, 2)
    return float(np.sum(w))


def half_by_turns(u: np.ndarray, n: int) -> np.ndarray:
    return u[1:] if n == 0 else other_turn(u, n - 1)


def other_turn(u: np.ndarray, n: int) -> np.ndarray:
    u[0] *= u[1]
    return half_by_turns(u, n)


def by_turns_in_a_loop(x: np.ndarray) -> float:
    total = 0.0
    while total < 1.0:
        total += np.sum(half_by_turns(x, 2) ** 2)
    return total


def sum_of_halves(u: np.ndarray, n: int) -> float:
    return 0.0 if n == 0 else float(np.sum(half(u, 2))) + sum_of_halves(u, n - 1)


def within_another_in_a_loop(x: np.ndarray) -> float:
    total = 0.0
    for _ in range(2):
        total += sum_of_halves(x, 2)
    return total


def fill_rows(rows: list[np.ndarray], x: float, n: int) -> None:
    if n:
        rows[n][0] = x * rows[n - 1][0]
        fill_rows(rows, x, n - 1)


def writes_rows(x: float) -> float:
    rows = [np.full(2, x) for _ in range(int(x) + 3)]
    fill_rows(rows, x * x, 2)
    return float(rows[1][0] * rows[2][0])


REFUSED: dict[Callable[..., Any], tuple[Any, str]] = {
    rebinds: (1.5, "nonlocal in the recursive function walk"),
    grows: (0.5, "returning one of several things"),
    window_back: (np.ones(3), "the recursive function half writes into its arguments"),
    window_back_in_a_loop: (np.ones(3), "the recursive function half writes into its arguments"),
    by_turns_in_a_loop: (np.ones(3), "the recursive function half_by_turns writes into its arguments"),
    within_another_in_a_loop: (np.ones(3), "the recursive function half writes into its arguments"),
    writes_rows: (0.7, "the recursive function fill_rows writes into its arguments"),
}


def test_what_is_known_to_end_is_written_out() -> None:
    step = 1e-6
    slope = (grows_as_often_as_is_known(0.5 + step) - grows_as_often_as_is_known(0.5 - step)) / (2 * step)
    assert grad(grows_as_often_as_is_known)(0.5) == pytest.approx(slope)


@pytest.mark.parametrize("program", REFUSED, ids=lambda program: program.__name__)
def test_refused(program: Callable[..., Any]) -> None:
    argument, text = REFUSED[program]
    with pytest.raises(S2sadError, match=text) as caught:
        grad(program)(argument)
    assert caught.value.location is not None and caught.value.why and caught.value.instead


def test_recursion_without_an_end_fails_as_python_does() -> None:
    with pytest.raises((RecursionError, S2sadError)):
        grad(never_ends)(1.0)


# --- refused when the program runs


def mixed(u: np.ndarray, w: np.ndarray, n: int) -> float:
    if n == 0:
        return float(w[0])
    u[n] += w[n] * w[0]
    return mixed(u, w, n - 1) * u[n]


def overlapping(x: np.ndarray) -> float:
    u = x * x
    return mixed(u[:3], u[1:], 2)


def apart(x: np.ndarray) -> float:
    u = x * x
    return mixed(u[:3], u[3:], 2)


def spread(x: np.ndarray) -> np.ndarray:
    if len(x) == 1:
        return x
    out = np.empty(len(x))
    out[0], out[1:] = x[-1], spread(x[:-1]) * x[0]
    return out


def written_back(x: np.ndarray) -> float:
    r = spread(x[:1])
    r *= 2.0
    return float(np.sum(r) * np.sum(x))


def written_back_whole(x: np.ndarray) -> float:
    r = spread(x)
    r *= 2.0
    return float(np.sum(r) * np.sum(x))


@pytest.mark.parametrize("mode", ["tangent", "adjoint"])
def test_arguments_that_share_memory(mode: str) -> None:
    check_grads(apart, (np.linspace(0.5, 1.5, 6),), modes=(mode,))
    with pytest.raises(AliasError, match="u and w share memory"):
        check_grads(overlapping, (np.linspace(0.5, 1.5, 5),), modes=(mode,))


def test_writing_into_what_may_be_the_argument() -> None:
    with pytest.raises(AliasError, match="may be its argument itself"):
        grad(written_back_whole)(np.ones(MOST_ITEMS + 1))
    check_grads(written_back, (np.array([0.5, 1.5]),))
    check_grads(lambda x: np.sum(spread(x * x) ** 2), (np.linspace(0.5, 1.5, 4),))


# --- what the reverse function gets and does


def product(a: np.ndarray, i: int) -> float:
    if i >= len(a):
        return 1.0
    return a[i] * product(a, i + 1)


def scan(a: np.ndarray, i: int) -> None:
    if i < len(a):
        a[i] += math.sin(a[i - 1])
        scan(a, i + 1)


def read_by_items(x: np.ndarray) -> float:
    return product(x, 0)


def written_by_items(x: np.ndarray) -> float:
    y = x * x
    scan(y, 1)
    return float(y[-1])


def squares(u: np.ndarray, n: int) -> None:
    if n:
        u[1:] = u[:-1] * u[1:]
        squares(u, n - 1)


def contents_needed(x: np.ndarray) -> float:
    u = x + 1.0
    before = np.sum(u**3)
    squares(u, 2)
    return float(before * u[-1])


def reverse_part(program: Callable[..., Any], name: str) -> str:
    """The text of the reverse function of a callee."""
    text = differentiate(program).source("adjoint", np.linspace(0.5, 1.5, 4))
    return text.split(f"def {name}_reverse")[1].split("\ndef ")[0]


@pytest.mark.parametrize(("program", "name"), [(read_by_items, "product"), (written_by_items, "scan")])
def test_an_access_costs_no_array(program: Callable[..., Any], name: str) -> None:
    """The adjoint of the array is handed down and written in place."""
    text = reverse_part(program, name)
    assert "a_bar[" in text and re.search(r"a_bar(, a)?\)", text)
    assert not any(word in text for word in ("zeros", "copy", "np.")), text
    check_grads(program, (np.linspace(0.5, 1.5, 4),))


def test_contents_are_restored_where_they_are_read() -> None:
    assert "u[1:] = " in reverse_part(contents_needed, "squares")
    check_grads(contents_needed, (np.linspace(0.5, 1.5, 4),))


def swing(state: tuple[np.ndarray, np.ndarray], n: int) -> float:
    q, p = state
    if n == 0:
        return 1.0
    p[n] -= 0.1 * math.sin(q[n])
    q[n - 1] += 0.1 * p[n]
    return swing(state, n - 1) + p[n]


def test_arrays_in_a_tuple_are_handed_over_one_by_one() -> None:
    def swung(x: np.ndarray) -> float:
        q, p = x * x, x + 1.0
        return float(swing((q, p), 3) * np.sum(q * p))

    check_grads(swung, (np.linspace(0.5, 1.5, 4),))


# --- one function for all sizes, one for each structure


def folded(x: np.ndarray) -> float:
    return float(x[0]) if len(x) == 1 else folded(x[: len(x) // 2]) * 1.1 + folded(x[len(x) // 2 :]) ** 2


def test_one_function_for_all_sizes() -> None:
    def halves(x: np.ndarray) -> float:
        return folded(np.ones(4) * x)

    text = differentiate(halves).source("adjoint", 0.3)
    assert text.count("def folded") <= 2 and text.count("_forward(") >= 2


def depth(tree: Any, x: float) -> float:
    if not isinstance(tree, tuple):
        return tree * x
    return sum(depth(child, x * x) for child in tree) * 0.5


def test_one_function_for_each_structure() -> None:
    check_grads(depth, ((1.5, (0.5, 2.0), ((0.25, 1.0), 3.0)), 0.8), wrt=(0, 1))


# --- tapes of recursions, in second derivatives


def steps(u: Any, n: int) -> Any:
    if n == 0:
        return np.sin(u)
    return 0.7 * steps(u, n - 1) * steps(u * u, n - 1) + 0.1 * u * u


def descend(p: Any, n: int) -> Any:
    if n == 0:
        return p[0]
    p[n] *= 0.5 + 0.1 * p[n - 1]
    return 0.6 * descend(p, n - 1) + 0.2 * p[n]


def even(u: Any, n: int) -> Any:
    return u * u if n == 0 else odd(u, n - 1) * u


def odd(u: Any, n: int) -> Any:
    return np.sin(u) if n == 0 else even(np.cos(u), n - 1) * u


def of_a_number(x: Any) -> Any:
    return steps(x[0], 2) * x[1]


def of_an_array(x: Any) -> Any:
    return np.sum(steps(x, 1) * x)


def that_writes(x: Any) -> Any:
    b = x * 2.0
    return descend(b, 3) * np.sum(b)


def of_two(x: Any) -> Any:
    return even(x[0], 3) * x[1]


def of_any_depth(x: Any) -> Any:
    t = 1.0
    for k in range(3):
        t += steps(x[0] * t, k)
    return t


@pytest.mark.parametrize("outer", MODES)
@pytest.mark.parametrize("function", [of_a_number, of_an_array, that_writes, of_two], ids=lambda f: f.__name__)
def test_second_derivatives_of_recursions_of_literal_depth(function: Callable[..., Any], outer: str) -> None:
    check_pair(function, (np.array([0.3, 0.5, 0.7, 1.1]),), outer, "adjoint")


def of_more_depths(x: Any) -> Any:
    t = 1.0
    for k in range(40):
        t += 0.01 * steps(0.1 * x[0] * t, k % 3)
    return t


@pytest.mark.parametrize("function", [of_any_depth, of_more_depths], ids=lambda f: f.__name__)
def test_second_derivatives_of_recursions_of_any_depth(function: Callable[..., Any]) -> None:
    check_pair(function, (np.array([0.3, 0.5]),), "tangent", "adjoint")


def of_two_depths(x: Any) -> Any:
    return (steps(x[0], 1) if x[0] > 0.1 else steps(x[0], 2)) * x[1]


def in_a_loop(x: Any) -> Any:
    t = 0.0
    for k in range(2):
        t += even(x[k], 2) * x[k]
    return t


@pytest.mark.parametrize("function", [of_two_depths, in_a_loop], ids=lambda f: f.__name__)
def test_second_derivatives_of_recursions_under_control_flow(function: Callable[..., Any]) -> None:
    check_pair(function, (np.array([0.3, 0.5, 0.7]),), "adjoint", "adjoint")


def depth_first(x):
    graph, seen = {0: [1, 2], 1: [2], 2: []}, set()

    def visit(n):
        if n in seen:
            return 0.0
        seen.add(n)
        total = np.sin(x * (n + 1))
        for m in graph[n]:
            total = total + visit(m)
        return total * x

    return visit(0)


def depth_first_with_a_parameter(x):
    graph, seen = {0: [1, 2], 1: [2], 2: []}, {5}

    def visit(n, seen):
        if n in seen:
            return 0.0
        seen.add(n)
        total = np.sin(x * (n + 1))
        for m in graph[n]:
            total = total + visit(m, seen)
        return total * x

    return visit(0, seen)


def last_two(x):
    queue = deque(maxlen=2)

    def visit(n):
        if n == 0:
            return x
        queue.append(x * n)
        total = visit(n - 1)
        for _ in range(2):
            total = total + 0.1 * visit(n - 2 if n > 1 else 0)
        return total * queue[0] + queue[-1]

    return visit(3)


@pytest.mark.parametrize("program", [depth_first, depth_first_with_a_parameter, last_two])
def test_sets_and_queues_that_recursion_fills(program: Callable[..., Any]) -> None:
    check_grads(program, (1.3,))


def halves_that_count(x):
    def product(a, depth):
        if len(a) == 1:
            return a[0] * (depth + 1)
        half = len(a) // 2
        return product(a[:half], depth + 1) * product(a[half:], depth + 1)

    return product(x, 0)


def test_two_calls_of_itself_with_a_depth() -> None:
    check_grads(halves_that_count, (np.linspace(0.5, 1.5, 5),))

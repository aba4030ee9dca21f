"""Objects, dicts and tuples that are taken from a list and put into one in a branch or loop: the adjoints of their fields are
carried through it, as those of numbers are."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from s2sad import check_grads

X = np.array([0.7, 1.3, -0.4, 0.9, 1.1, 0.5])


@dataclass
class Body:
    t: Any
    u: Any


class Pair(NamedTuple):
    t: Any
    u: Any


def filtered(x):
    kept = []
    for body in [Body(v, x * v) for v in x]:
        if body.t > 0.6:
            kept.append(body)
    return sum(body.t * np.sum(body.u**2) for body in kept)


def filtered_by_comprehension(x):
    bodies = [Body(v, v * x[0]) for v in x]
    return sum(b.t**2 * b.u for b in [body for body in bodies if body.t < 0.8])


def filtered_dicts(x):
    kept = []
    for record in [{"t": v, "u": v * x[0]} for v in x]:
        if record["t"] > 0.6:
            kept.append(record)
    return sum(record["t"] * record["u"] for record in kept)


def filtered_tuples(x):
    kept = []
    for pair in [Pair(v, x * v) for v in x]:
        if pair.t > 0.6:
            kept.append(pair)
    return sum(pair.t * np.sum(pair.u**2) for pair in kept)


def nested_fields(x):
    kept = []
    for body in [Body(v, (v * x[0], v**2)) for v in x]:
        if body.t > 0.6:
            kept.append(body)
    return sum(body.t * body.u[0] + body.u[1] for body in kept)


def on_one_path(x):
    bodies = [Body(v, v * v) for v in x]
    taken = bodies[2]
    if x[0] > 0.6:
        bodies[0] = taken
    return taken.t + sum(body.t * body.u * (i + 1) for i, body in enumerate(bodies))


def popped_and_stored(x):
    bodies, s = [Body(v, v * v) for v in x], 0.0
    for i in range(4):
        body = bodies.pop()
        if i % 2:
            bodies[0] = body
        s = s * 0.5 + bodies[0].t
    return s


def appended_in_a_loop(x):
    bodies, kept = [Body(v, x * v) for v in x], []
    taken = bodies[int(x[0] > 0)]
    for _ in range(3):
        kept.append(taken)
    k = 0
    while k < 3:
        if k != 1:
            kept.append(taken)
        k += 1
    return sum(body.t * np.sum(body.u**2) * (i + 1) for i, body in enumerate(kept))


def sorted_by_swaps(x):
    bodies = [Body(v, v * v) for v in x]
    for i in range(len(bodies)):
        for j in range(len(bodies) - 1 - i):
            a, b = bodies[j], bodies[j + 1]
            if a.t > b.t:
                bodies[j], bodies[j + 1] = b, a
    return sum(body.t * body.u * (i + 1) for i, body in enumerate(bodies))


def queued_again(x):
    queue, done, n = deque(Body(v, v * v) for v in x), [], 0
    while queue and n < 12:
        body = queue.popleft()
        n += 1
        if body.t < 0.8 and n < 8:
            queue.append(Body(body.t * 1.5, body.u + x[0]))
        else:
            done.append(body)
    return sum(body.t * body.u * (i + 1) for i, body in enumerate(done))


def stacked(x):
    stack = []
    for body in [Body(v, v * v) for v in x]:
        while stack and stack[-1].t < body.t:
            stack.pop()
        stack.append(body)
    return sum(body.t * body.u * (i + 1) for i, body in enumerate(stack))


def largest(x):
    bodies = [Body(v, x[:2] * v) for v in x]
    best = bodies[0]
    for body in bodies:
        if body.t < best.t:
            best = body
    return best.t * best.u[0]


def stored_where_it_fails(x):
    bodies = [Body(v, v * v) for v in x]
    taken = bodies[1]
    try:
        if taken.t > 1:
            raise ValueError
        bodies[0] = taken
    except ValueError:
        bodies[2] = taken
    return sum(body.t * body.u * (i + 1) for i, body in enumerate(bodies))


FUNCTIONS: list[Callable[..., Any]] = [
    filtered, filtered_by_comprehension, filtered_dicts, filtered_tuples, nested_fields, on_one_path, popped_and_stored,
    appended_in_a_loop, sorted_by_swaps, queued_again, stacked, largest, stored_where_it_fails,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("x", [X, X[::-1] * 0.9 + 0.05], ids=["first", "second"])
def test_fields_keep_their_adjoints(function: Callable[..., Any], x: Any) -> None:
    check_grads(function, (x,))


@pytest.mark.parametrize("function", [filtered, on_one_path, *(pytest.param(f, marks=pytest.mark.deep) for f in FUNCTIONS[4:])])
def test_second_derivatives(function: Callable[..., Any]) -> None:
    check_grads(function, (X,), order=2)

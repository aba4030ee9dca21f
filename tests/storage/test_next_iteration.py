"""What an iteration leaves to the next one is where the reverse sweep comes from, and needs no tape; what is recorded together
is recorded as soon as it is there."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import check_grads, differentiate


def hunters(x, y, a, n):
    total = 0.0
    for _ in range(n):
        x, y = a * x * y, 0.9 * y + x * y
        total += (x - 1.0) ** 2 + (y - a) ** 3
    return total


def while_it_moves(x, a):
    total = 0.0
    while x > 0.01:
        x = 0.5 * x * np.sin(a * x + 1.0)
        total += (x + 2.0) ** 3 * a
    return total


def left_early(x, a, n):
    total = 0.0
    for _ in range(n):
        x = 0.5 * x * np.sin(a * x + 1.0)
        if x < 0.05:
            break
        total += (x + 2.0) ** 3 * a
    return total * x


def in_a_loop(x, a, n):
    total = 0.0
    for _ in range(n):
        for _ in range(2):
            x = 0.5 * x * np.sin(a * x + 1.0)
            total += (x + 2.0) ** 3 * a
        total += x * x * a
    return total


def overwritten(x, w, n):
    for k in range(n):
        first = w[k]
        w[k] = first * x
        x = np.sin(x * w[k + 1])
        w[k + 1] = (x + 2.0) ** 3 * first
    return np.sum(w) * x


def by_turns(x, y, n):
    for _ in range(n):
        x, y = y, x * np.sin(y)
        y = y * (x - 3.0) ** 2 * (y + 1.0) ** 2
    return x + y


W = np.linspace(0.5, 1.5, 6)
CASES = {
    hunters: (0.7, 0.4, 1.1, 4),
    while_it_moves: (0.9, 0.8),
    left_early: (0.9, 0.8, 9),
    in_a_loop: (0.9, 0.8, 3),
    overwritten: (0.9, W, 4),
    by_turns: (0.3, 0.4, 3),
}


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_derivatives(function) -> None:
    args = CASES[function]
    check_grads(function, args, wrt=(0, 1))
    number = (*args[:-1], 0) if isinstance(args[-1], int) else args
    check_grads(function, number, wrt=(0, 1))


def test_two_numbers_are_recorded_of_each_step() -> None:
    derived = differentiate(hunters, wrt=("x", "y", "a"))
    text = derived.source("adjoint", *CASES[hunters])
    assert "tape.append((x, y))" in text or "tape.append((y, x))" in text
    assert text.index("tape.append(") < text.index("total +=")


def test_what_reads_nothing_else_stands_before_the_tape() -> None:
    reverse = differentiate(hunters, wrt=("x", "y", "a")).source("adjoint", 0.4, 0.7, 1.1, 3).split("# reverse sweep")[1]
    assert reverse.index("(x - 1.0)") < reverse.index(".pop()")
    assert " = x - 1.0" not in reverse

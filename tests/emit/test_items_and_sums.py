"""Loops that run over items, and adjoints whose contributions stand on one line."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import check_grads, differentiate

ROWS = np.linspace(0.2, 1.0, 6).reshape(3, 2)


def rows(xs, h):
    for x in xs:
        h = np.tanh(h + x)
    return np.sum(h)


def written(xs):
    total = 0.0
    for x in xs:
        xs[0] = 2.0 * x
        total += x * x
    return total


def by_index(xs):
    total = 0.0
    for i in range(len(xs)):
        x = xs[i]
        total += x * x * x
    return total


def met_twice(x, y):
    return x * y - np.cos(x) * y + x * x * y


def quotient(x, y):
    return x / y + x * y


def adjoint(f, *args, **options):
    return differentiate(f, **options).source("adjoint", *args)


def test_both_sweeps_run_over_the_items() -> None:
    text = adjoint(rows, ROWS, ROWS[0], wrt=("xs", "h"))
    assert "for x in xs:" in text and "range(len(xs))" in text  # the reverse sweep adds to xs_bar[i]
    text = adjoint(rows, ROWS, ROWS[0], wrt="h")
    assert "range" not in text.replace("range(len(xs))", "", 1)
    check_grads(rows, (ROWS, ROWS[0]))


def test_a_loop_that_writes_into_the_array_takes_items_where_it_did() -> None:
    assert "for i in range(len(xs)):" in adjoint(written, ROWS[:, 0].copy())
    check_grads(written, (ROWS[:, 0].copy(),))


def test_an_index_that_the_user_has_named_stays() -> None:
    assert "for i in range(len(xs)):\n        x = xs[i]" in adjoint(by_index, ROWS[:, 0].copy())
    check_grads(by_index, (ROWS[:, 0].copy(),))


def test_one_operation_a_line_keeps_the_index() -> None:
    text = adjoint(rows, ROWS, ROWS[0], wrt="h", style="ssa")
    assert "x = xs[i]" in text and "for x in xs:\n" not in text.replace("# for", "")


def repeated(xs, n):
    total = 0.0
    for i in range(len(xs)):
        x = xs[i]
        h = 0.1 * i
        for _ in range(n):
            h = np.sin(h * x)
        total += h * x
    return total


def test_what_the_loop_around_knows_is_taken_there() -> None:
    text = adjoint(repeated, ROWS[:, 0].copy(), 3)
    reverse = text.partition("# reverse sweep")[2]
    assert "\n        x = xs[i]" in reverse and "\n            x = xs[i]" not in reverse
    check_grads(repeated, (ROWS[:, 0].copy(), 3))


@pytest.mark.parametrize("name", ["x", "y"])
def test_contributions_stand_on_one_line(name) -> None:
    text = adjoint(met_twice, 0.7, 1.3, wrt=("x", "y"))
    lines = [line.strip() for line in text.splitlines()]
    assert sum(line.startswith(f"{name}_bar ") for line in lines) == 1
    check_grads(met_twice, (0.7, 1.3))


def test_a_quotient_that_asks_for_zero_has_a_line_of_its_own() -> None:
    text = adjoint(quotient, 0.7, 1.3, wrt=("x", "y"))
    assert "+ (" not in text
    check_grads(quotient, (0.7, 1.3))


WEIGHTS = np.array([0.5, -0.2, 0.7])
TIMES = {"count": 0.0}


def weighed(x):
    WEIGHTS[0] += x[0]
    return np.sum(WEIGHTS * x)


def counted(x):
    TIMES["count"] = TIMES["count"] * 0.5 + 1.0
    return TIMES["count"] * x


@pytest.mark.parametrize("mode", ["tangent", "adjoint"])
def test_an_array_outside_that_is_written_is_copied_in_one_line(mode: str) -> None:
    text = differentiate(weighed).source(mode, ROWS[:, 0].copy())
    assert "= WEIGHTS\n" not in text and text.count("np.copy(WEIGHTS)") == 1
    check_grads(weighed, (ROWS[:, 0].copy(),))


def test_what_is_outside_is_read_where_it_stands() -> None:
    TIMES["count"] = 4.0
    assert differentiate(counted).value_and_grad(2.0) == (6.0, 3.0)
    assert TIMES["count"] == 3.0

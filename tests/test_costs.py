"""What is kept for the reverse sweep, and what programs compute: counted against figures that are known."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import ActivityError, checkpointed, differentiate


@differentiate
def chain(x, n):
    for _ in range(n):
        x = np.sin(x)
    return np.sum(x)


@differentiate(wrt="x")
def pairs(x, n):
    v = x
    for _ in range(n):
        x, v = np.sin(x) * v, x * v
    return np.sum(x)


@differentiate
def few(x, n):
    for _ in checkpointed(range(n), snapshots=3):
        x = np.sin(x)
    return np.sum(x)


@differentiate(wrt=("a", "b"))
def product(a, b):
    return np.sum(a @ b)


@differentiate(wrt="u")
def filled(u, scale):
    u *= scale
    v = u[1:]
    return np.sum(v * v)


X = np.linspace(0.1, 1.0, 100)


def test_a_tape_has_an_array_for_each_iteration() -> None:
    tape = chain.tape(X, 10)
    assert {row.name: row.items for row in tape}["x_tape"] == 10
    assert tape.bytes - 100 * 8 <= 9 * 100 * 8 <= tape.bytes  # the first is the caller's
    assert "x_tape" in str(tape)
    assert "in all" in str(tape)


def test_each_part_of_what_a_tape_holds_has_a_row() -> None:
    rows = {row.name: row for row in pairs.tape(X, 10)}
    assert "tape.append((" in pairs.source("adjoint", X, 10)
    assert rows["x on tape"].items == rows["v on tape"].items == 10
    assert sum(row.bytes for row in rows.values()) == pairs.tape(X, 10).bytes


def test_a_checkpointed_loop_keeps_as_many_states_as_it_is_told() -> None:
    sizes = {n: {row.name: row for row in few.tape(X, n)} for n in (10, 1000)}
    assert all(rows["x_tape"].items == 3 for rows in sizes.values())
    assert few.tape(X, 10).bytes == few.tape(X, 1000).bytes


def test_memory_is_counted_once_and_that_of_the_caller_not_at_all() -> None:
    assert product.tape(np.ones((3, 4)), np.ones((4, 5))).bytes == 3 * 5 * 8  # the product, whose shape is asked for
    tape = filled.tape(X, 2.0)
    assert tape.bytes <= X.nbytes + 8


def test_the_caller_keeps_its_arrays() -> None:
    u = X.copy()
    filled.tape(u, 2.0)
    filled.cost(u, 2.0, repeats=1)
    assert np.array_equal(u, X)


def test_operations_are_counted() -> None:
    cost = product.cost(np.ones((30, 40)), np.ones((40, 50)), repeats=2)
    assert cost.primal.operations == 30 * 40 * 50 + 30 * 50  # the product and the sum
    assert cost.primal.written == (30 * 50 + 1) * 8
    assert 1.0 < cost.predicted == cost.adjoint.operations / cost.primal.operations
    assert cost.measured == cost.adjoint.seconds / cost.primal.seconds
    assert cost.adjoint.peak >= 2 * 30 * 40 * 8
    assert "operations" in str(cost)


def test_loops_count_each_iteration() -> None:
    assert chain.cost(X, 10, repeats=1).primal.operations == 1100
    assert chain.cost(X, 20, repeats=1).primal.operations == 2100


def test_the_cost_of_results_that_are_no_number_is_not_told() -> None:
    doubled = differentiate(lambda x: 2.0 * x)
    assert doubled.tape(X).bytes == 0
    with pytest.raises(ActivityError, match="no number"):
        doubled.cost(X)

"""Loops over lists that have another length by the time the reverse sweep comes back; comparisons of lists as numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from s2sad import grad, jvp, vjp

X = np.array([0.3, 0.55, 0.7])
V = np.array([0.2, -0.5, 1.0])


def sorted_then_shorter(x):
    items = [x[0], x[1], x[0] * x[1]]
    items.sort()
    return items[0] * 3 + items.pop(0) ** 2 + x[2]


def summed_then_cleared(x):
    items = [x[0], 1.0]
    for _ in range(3):
        items[:] = [v * x[1] for v in items]
    other = items
    other.append(x[2])
    total = sum(items) + len(items)
    items.clear()
    items.extend([1.0, 2.0])
    return total * sum(other)


def run_over_again_and_again(x):
    total, items = 0.0, list(x)
    for _ in range(3):
        for a in items:
            total = total + a**2
        items.append(items[0] * items[-1])
        items.pop(0)
        total = total * max(items) + sum(items)
    while items:
        total = total + items.pop() * sum(items)
    return total


def a_dict_that_changes(x):
    table, total = {}, 0.0
    for k in range(3):
        table[k] = x[k] ** 2
    for k, v in table.items():
        total = total + v * x[k]
    table.pop(1)
    table[5] = total
    for v in table.values():
        total = total + v**2
    return total


def compared(x):
    items = [x[0], x[1]]
    return x[0] * x[1] ** 2 * x[2] + (items == [x[0]]) + (items != [x[1]])


class Node:
    def __init__(self, at, cost):
        self.at, self.cost = at, cost


def nodes_in_a_dict(x):
    table = {0: Node(0, x[0])}
    for _ in range(3):
        last = max(table)
        node = Node(last + 1, table[last].cost ** 2 + x[1])
        if node.at not in table or table[node.at].cost > node.cost:
            table[node.at] = node
        del table[last]
    return table[3].cost * x[2]


PROGRAMS = [sorted_then_shorter, summed_then_cleared, run_over_again_and_again, a_dict_that_changes, compared, nodes_in_a_dict]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_second_derivatives(function: Callable[[np.ndarray], float]) -> None:
    differences = (grad(function)(X + 1e-6 * V) - grad(function)(X - 1e-6 * V)) / 2e-6
    assert jvp(grad(function), (X,), (V,))[1] == pytest.approx(differences, rel=1e-5, abs=1e-7)
    assert vjp(grad(function), X)[1](V)[0] == pytest.approx(differences, rel=1e-5, abs=1e-7)
    assert grad(lambda x: np.sum(grad(function)(x) * V))(X) == pytest.approx(differences, rel=1e-5, abs=1e-7)


def joined_then_longer(x):
    rows = [np.sin(x), x * x[0]]
    out = np.sum(np.concatenate(rows) ** 2) * x
    rows.append(x * x)
    return out


def joined_then_shorter(x):
    rows = [np.sin(x), x * x[0], x**3]
    out = np.sum(np.concatenate(rows) ** 2) * x
    return out * rows.pop()


def joined_then_both(x):
    rows = [x[0], x[1] * x[0]]
    out = sum(rows) * x
    rows.insert(1, x[1])
    rows.extend([x[0] ** 2])
    return out * sum(rows)


@pytest.mark.parametrize("helper", [joined_then_longer, joined_then_shorter, joined_then_both], ids=lambda f: f.__name__)
def test_gradients_of_what_a_pullback_gives(helper: Callable[[np.ndarray], np.ndarray]) -> None:
    """The tape holds a list that the reverse part makes as long as it was; so is its adjoint, when the sweep comes back."""

    def summed(x):
        return np.sum(helper(x))

    def of_pullback(x):
        value, pull = vjp(summed, x)
        return value * np.sum(pull(1.0)[0] ** 2)

    differences = [(of_pullback(X + 1e-6 * d) - of_pullback(X - 1e-6 * d)) / 2e-6 for d in np.eye(3)]
    assert grad(of_pullback)(X) == pytest.approx(differences, rel=1e-5, abs=1e-7)

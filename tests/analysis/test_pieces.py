"""Pieces that a primitive cuts off an array are all parts of its memory, wherever they stand in the tuple that it gives."""

import numpy as np
import pytest

from s2sad.testing import check_grads


def changes_what_was_joined(x, join):
    u = join([np.zeros(1), x, np.zeros(1)])
    u[1:-1] = u[1:-1] * 2.0
    return np.sum(u**2)


def joined_behind_a_list(x):
    u = np.concatenate([[0.0], x])
    u[0] = 2.0
    return np.sum(u * u[::-1])


def marches(x, steps=3):
    u = np.concatenate([[0.0], x, [0.0]])
    for _ in range(steps):
        u[1:-1] = u[1:-1] + 0.2 * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(u**2)


@pytest.mark.parametrize("function", [
    lambda x: changes_what_was_joined(x, np.concatenate), lambda x: changes_what_was_joined(x, np.hstack),
    joined_behind_a_list, marches,
], ids=["concatenate", "hstack", "list", "loop"])  # fmt: skip
def test_what_is_written_after_it_was_joined(function):
    check_grads(function, (np.array([0.7, 1.3, 2.1]),), wrt=0)

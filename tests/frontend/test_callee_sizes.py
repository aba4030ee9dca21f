"""A function that is called with axes of size 1, which NumPy stretches, and with longer ones is lowered once for each."""

from __future__ import annotations

import numpy as np

from s2sad import check_grads


def reduced(place, mode):
    if mode == "short":
        return np.asarray(place, dtype=int) % 4
    return np.asarray(place, dtype=int) % 3


def gathered(x, c):
    i = reduced(c[None], "long")
    j = reduced(np.stack((c, c + 1)), "long")
    return np.sum(c * c * x[i, 0]) + np.sum(np.stack((c, c)) * x[j, 0])


def test_a_size_of_1_is_no_other_size() -> None:
    check_grads(gathered, (np.arange(12.0).reshape(4, 3) ** 1.3, np.array([0.2, 1.3, 2.1])))


def cut(x, c):
    y = x
    if c > 0:
        y = x[1:]
    return y * c


def cut_twice(x, c):
    one, other = cut(x, c), cut(x, -c)
    return np.sum(one[2:] * other[2:] ** 2)


def test_what_a_branch_joins_is_another_size_at_each_call() -> None:
    for x in (np.linspace(0.5, 1.5, 4), np.linspace(0.5, 1.5, 4) ** 2):
        for c in (1.3, -1.3):
            check_grads(cut_twice, (x, c))

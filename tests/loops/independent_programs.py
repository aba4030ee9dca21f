"""Loops that may run on several threads, and loops that seem so: for ``parallel=True``. Each function has one loop of its own."""

from __future__ import annotations

import numpy as np

# --- iterations that are independent


def own_places(x, k):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = np.sin(x[i]) * 2.0
    return y


def own_sums(x, k):
    y = x.copy()
    for i in range(len(x)):
        y[i] = y[i] * 2.0
        y[i] += x[i]
    return y


def neighbours_of_another(x, k):
    y = np.zeros(len(x))
    for i in range(1, len(x) - 1):
        y[i] = x[i - 1] + x[i + 1]
    return y


def backwards(x, k):
    y = np.zeros(len(x))
    for i in range(len(x) - 1, -1, -1):
        y[i] = x[i] + i
    return y


def own_rows(x, k):
    a = np.zeros((len(x), len(k)))
    for i in range(a.shape[0]):
        for j in range(1, a.shape[1]):
            a[i, j] = a[i, j - 1] + x[i]
    return a


def branches(x, k):
    y = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > 0.5:
            y[i] = x[i]
        else:
            y[i] = -1.0
    return y


# --- iterations that are not


def prefix(x, k):
    y = x.copy()
    for i in range(1, len(x)):
        y[i] = y[i] + y[i - 1]
    return y


def following(x, k):
    y = x.copy()
    for i in range(len(x) - 1):
        y[i] = y[i + 1] * 0.5
    return y


def mirrored(x, k):
    y = x.copy()
    n = len(x)
    for i in range(n):
        y[i] = y[n - 1 - i] + 1.0
    return y


def halved(x, k):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i // 2] += x[i]
    return y


def one_place(x, k):
    y = np.zeros(3)
    for i in range(len(x)):
        y[1] += x[i]
    return y


def scattered(x, k):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[k[i]] += x[i]
    return y


def gathered_of_its_own(x, k):
    y = x.copy()
    for i in range(len(x)):
        y[i] = y[k[i]] + 1.0
    return y


def carried(x, k):
    y = np.zeros(len(x))
    last = np.float64(0.0)
    for i in range(len(x)):
        y[i] = last
        last = x[i]
    return y


def carried_on_a_path(x, k):
    y = np.zeros(len(x))
    last = np.float64(0.0)
    for i in range(len(x)):
        if x[i] > 0.5:
            last = x[i]
        y[i] = last
    return y


def two_windows(x, k):
    y = x.copy()
    a, b = y[:-1], y[1:]
    for i in range(len(a)):
        b[i] = a[i] * 0.9
    return y


def a_window_and_the_whole(x, k):
    y = x.copy()
    b = y[1:]
    for i in range(len(b)):
        y[i] = b[i] * 0.9
    return y


def reversed_window(x, k):
    y = x.copy()
    b = y[::-1]
    for i in range(len(y)):
        y[i] = b[i] + 1.0
    return y


def transposed(x, k):
    a = np.outer(x[:40], x[:40])
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j] = a[j, i] + 1.0
    return a


def transposed_window(x, k):
    a = np.outer(x[:40], x[:40])
    b = a.T
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            a[i, j] = b[i, j] + 1.0
    return a


def flattened(x, k):
    a = np.zeros((len(x), 1))
    b = a.reshape(-1)
    for i in range(1, len(x)):
        a[i, 0] = b[i - 1] + x[i]
    return a


def rows_above(x, k):
    a = np.ones((len(x), len(k)))
    for i in range(1, a.shape[0]):
        for j in range(1, a.shape[1]):
            a[i, j] = a[i - 1, j - 1] * 0.5 + x[i]
    return a


def _shift(a, b):
    for i in range(len(b) - 1):
        a[i] = b[i + 1] * 0.5


def the_same_twice(x, k):
    y = x.copy()
    _shift(y, y)
    return y


def one_of_two(x, k):
    y = x.copy()
    z = y if x[0] > -1e9 else x
    for i in range(1, len(x)):
        y[i] = z[i - 1] * 0.9
    return y


def held_in_a_tuple(x, k):
    y = x.copy()
    t = (y, x)
    for i in range(1, len(x)):
        y[i] = t[0][i - 1] * 0.9
    return y


def held_in_a_list(x, k):
    y = x.copy()
    t = [y]
    for i in range(1, len(x)):
        y[i] = t[-1][i - 1] * 0.9
    return y


def left_early(x, k):
    y = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > 0.999:
            break
        y[i] = x[i]
    return y


def refused(x, k):
    y = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > 1e9:
            raise ValueError("large")
        y[i] = x[i]
    return y


def outside_of_the_array(x, k):
    y = np.zeros(len(x))
    for i in range(-3, 3):
        y[i] += x[i + 3]
    return y


def counted_in_a_list(x, k):
    y, seen = np.zeros(len(x)), []
    for i in range(len(x)):
        seen.append(x[i])
        y[i] = len(seen)
    return y


def own_window_then_others(x, k):
    y = x.copy()
    for i in range(1, len(x)):
        w = y[i - 1 : i + 1]
        w[1] = w[0] * 0.5
    return y


INDEPENDENT = (own_places, own_sums, neighbours_of_another, backwards, own_rows, branches)
DEPENDENT = (
    prefix, following, mirrored, halved, one_place, scattered, gathered_of_its_own, carried, carried_on_a_path, two_windows,
    a_window_and_the_whole, reversed_window, transposed, transposed_window, flattened, rows_above, the_same_twice, one_of_two,
    held_in_a_tuple, held_in_a_list, left_early, refused, outside_of_the_array, counted_in_a_list, own_window_then_others,
)  # fmt: skip

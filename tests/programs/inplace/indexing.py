"""The breadth of stores: every kind of index, overlaps, repeats, swaps.

Short programs, a feature or two each, for the day when a long one gives a wrong gradient.
"""

import numpy as np

from ..case import case


def overlapping_windows(y):
    y[:4] += 0.5 * y[1:5] + 0.3 * y[2:6]
    y[1:] = y[:-1] * y[1:]
    y[::-1] = y
    y[2:] -= y[:-2] ** 2


def negative_strides(a, b):
    a[::-2] += b
    a[-2::-3] *= b[:2]
    a[4:1:-1] = a[1:4] - b
    return a


def ellipsis_and_newaxis(t, row, scale):
    t[..., 0] *= scale
    t[0, ...] += row
    t[..., np.newaxis, 1:] -= row[np.newaxis, 1:] * scale
    t[:, None, 0, -1] = row[1]
    t[...] = t * t


def boolean_masks(x, y, level):
    hot = x > 0.3
    x[hot] = y[hot] * x[hot]
    x[~hot] -= level
    x[(x > -1) & (y < 0)] *= 2.0
    rows = y.sum(axis=1) > 0
    x[rows] = level * y[rows]
    x[rows, 0] += 1.5
    return x


def repeated_store(a, v):
    # the last write of a cell is the one that stays
    idx = np.array([0, 3, 0, 2, 3])
    a[idx] = v
    a[idx] *= v[::-1]
    return a**2


def repeated_augmented(a, v):
    # NumPy reads once and writes the last: not an accumulation
    a[[1, 1, 4, 2, 1]] += v
    np.add.at(a, [1, 1, 4, 2, 1], v * v)
    np.subtract.at(a, np.array([[0, 1], [0, 3]]), v[:4].reshape(2, 2))
    return a


def index_pairs(M, v, perm):
    rows, cols = np.array([0, 2, 3]), np.array([1, 1, 0])
    M[rows, cols] = v
    M[rows[:, None], cols[1:]] += v[:, None]
    M[:, perm] = M * 1.5
    M[np.arange(4), perm] -= v[0]
    return M @ M


def diagonal_stores(A, d):
    np.fill_diagonal(A, d)
    n = A.shape[0]
    A[range(n - 1), range(1, n)] *= 2.0
    A.flat[:: n + 1] += np.diag(A, 1).sum()
    return A @ d


def strided_band(A, v):
    """Diagonals as strided windows of the flattened matrix."""
    n = A.shape[0]
    flat = A.reshape(-1)
    flat[1 :: n + 1] = v[: n - 1]
    flat[n :: n + 1] = -v[: n - 1]
    flat[:: n + 1] *= v
    return np.tanh(A)


def swaps(a, k):
    a[0], a[3] = a[3], a[0] * k
    a[[1, 4]] = a[[4, 1]]
    a[2], a[1] = a[1] + a[2], a[2]
    i, j = 0, len(a) - 1
    while i < j:
        a[i], a[j] = a[j], a[i]
        i += 1
        j -= 1
    return np.cumprod(a)


def swap_rows_and_columns(M, order):
    for i in range(len(order)):
        j = order[i]
        M[[i, j], :] = M[[j, i], :]
        M[:, [j, i]] = M[:, [i, j]]
        M[i] *= i + 1.0
    return M


def bubble_sort(a):
    n = len(a)
    for i in range(n):
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
    return a[1:] - a[:-1] ** 2


def insertion_of_keys(keys, payload):
    for i in range(1, len(keys)):
        key, item = keys[i], payload[i].copy()
        j = i - 1
        while j >= 0 and keys[j] > key:
            keys[j + 1] = keys[j]
            payload[j + 1] = payload[j]
            j -= 1
        keys[j + 1] = key
        payload[j + 1] = item
    return keys @ payload


def method_sort(x, weights):
    x.sort()
    x *= weights
    return np.sum(x[::2]) - x[-1] ** 2


def broadcast_stores(A, v, s):
    A[:] = v
    A[1:3] = s * A[0]
    A[:, 1] = s
    A[:, ::2] += v[::2]
    A[2:, 2:] = A[0, 0]
    return A.cumsum(axis=0)


def augmented_operators(a, b):
    a **= 2
    a -= b
    a /= b + 3.0
    a[1] **= 3
    a[2:] **= b[2:]
    a *= a
    a += a[0]
    return a


def early_exit(x, limit):
    for i in range(len(x)):
        if x[i] > limit:
            x[i:] = x[i - 1]
            break
        x[i] = x[i] ** 2 + 0.1
        if x[i] < 0.3:
            continue
        x[i] *= x[i - 1]
    return x


CASES = (
    case(overlapping_windows, lambda rng: (rng.normal(size=6),), of="y"),
    case(negative_strides, lambda rng: (rng.normal(size=6), rng.normal(size=3))),
    case(ellipsis_and_newaxis, lambda rng: (rng.normal(size=(2, 3, 4)), rng.normal(size=4), 0.7), of="t"),
    case(boolean_masks, lambda rng: (rng.normal(size=(4, 3)), rng.normal(size=(4, 3)), 0.4)),
    case(repeated_store, lambda rng: (rng.normal(size=5), rng.normal(size=5))),
    case(repeated_augmented, lambda rng: (rng.normal(size=5), rng.normal(size=5))),
    case(index_pairs, lambda rng: (rng.normal(size=(4, 4)), rng.normal(size=3), np.array([2, 0, 3, 1]))),
    case(diagonal_stores, lambda rng: (rng.normal(size=(4, 4)), rng.normal(size=4))),
    case(strided_band, lambda rng: (rng.normal(size=(4, 4)), rng.normal(size=4))),
    case(swaps, lambda rng: (rng.normal(size=5), 1.3)),
    case(swap_rows_and_columns, lambda rng: (rng.normal(size=(4, 4)), [2, 1, 3, 0])),
    case(bubble_sort, lambda rng: (rng.normal(size=5),)),
    case(insertion_of_keys, lambda rng: (rng.normal(size=5), rng.normal(size=(5, 2)))),
    case(method_sort, lambda rng: (rng.normal(size=5), rng.normal(size=5))),
    case(broadcast_stores, lambda rng: (rng.normal(size=(4, 5)), rng.normal(size=5), 0.6)),
    case(augmented_operators, lambda rng: (rng.uniform(2, 3, 5), rng.uniform(0.5, 1.5, 5))),
    case(early_exit, lambda rng: (np.array([0.7, 0.9, 0.4, 1.2, 1.9, 0.6]), 1.5)),
)

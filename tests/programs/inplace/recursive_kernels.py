"""Recursive kernels that write into their arguments, or into windows of them."""

import math

import numpy as np

from ..case import case


def haar_lifting(a, n):
    """The Haar transform in place, coarser and coarser."""
    if n < 2:
        return
    h = n // 2
    odd = a[1:n:2] - a[0:n:2]
    even = a[0:n:2] + 0.5 * odd * odd
    a[:h] = even
    a[h:n] = odd
    haar_lifting(a, h)


def fft_in_place(x):
    """Decimation in frequency, of real numbers: butterflies on the two halves, then the halves."""
    n = x.shape[0]
    if n == 1:
        return
    k = n // 2
    for i in range(k):
        a, b = x[i], x[i + k]
        x[i] = a + b
        x[i + k] = (a - b) * math.cos(math.pi * i / n)
    fft_in_place(x[:k])
    fft_in_place(x[k:])


def spectrum_in_place(x):
    y = np.sin(x)
    fft_in_place(y)
    return np.sum(y * y * np.arange(y.shape[0]))


def block_cholesky(a):
    """The lower factor, by blocks down to single numbers."""
    n = a.shape[0]
    if n == 1:
        a[0, 0] = math.sqrt(a[0, 0])
        return
    k = n // 2
    block_cholesky(a[:k, :k])
    triangular_rows(a[:k, :k], a[k:, :k])
    a[k:, k:] -= a[k:, :k] @ a[k:, :k].T
    block_cholesky(a[k:, k:])


def triangular_rows(low, rows):
    """rows ← rows low⁻ᵀ, row by row."""
    for i in range(rows.shape[0]):
        for j in range(low.shape[0]):
            rows[i, j] = (rows[i, j] - rows[i, :j] @ low[j, :j]) / low[j, j]


def log_determinant(b):
    a = b @ b.T + 2.0 * np.eye(b.shape[0])
    block_cholesky(a)
    return 2.0 * np.sum(np.log(np.diag(a))) + a[-1, 0]


def relax(u, f, h, sweeps):
    for _ in range(sweeps):
        for i in range(1, u.shape[0] - 1):
            u[i] = 0.5 * (u[i - 1] + u[i + 1] - h * h * f[i])


def nonlinear_cycle(u, f, h):
    """A multigrid cycle for u'' = f + u³ / 10."""
    n = u.shape[0]
    if n <= 3:
        u[1] = 0.5 * (u[0] + u[2] - h * h * f[1])
        return
    relax(u, f, h, 1)
    residual = np.zeros(n)
    residual[1:-1] = f[1:-1] - (u[:-2] - 2 * u[1:-1] + u[2:]) / (h * h) - 0.1 * u[1:-1] ** 3
    coarse = np.zeros((n + 1) // 2)
    nonlinear_cycle(coarse, residual[::2].copy(), 2 * h)
    u[::2] += coarse
    u[1::2] += 0.5 * (coarse[:-1] + coarse[1:])
    relax(u, f, h, 1)


def prefix_sums(a, lo, hi):
    """Partial sums by halves; the left total is added to the right half."""
    if hi - lo == 1:
        return a[lo]
    mid = (lo + hi) // 2
    left = prefix_sums(a, lo, mid)
    right = prefix_sums(a, mid, hi)
    for i in range(mid, hi):
        a[i] += math.sin(left)
    return left + right


def scanned(x):
    a = x * x
    total = prefix_sums(a, 0, len(a))
    return total * a[-1] + np.sum(a[::2])


def fill_table(t, x, i):
    """A recurrence, one entry a call."""
    if i >= t.shape[0]:
        return t
    t[i] = x * t[i - 1] - 0.5 * t[i - 2] ** 2
    return fill_table(t, x, i + 1)


def recurrence_sum(x):
    table = np.zeros(6)
    table[0], table[1] = 1.0, x
    return np.sum(fill_table(table, x, 2) ** 2)


def partition(a, lo, hi):
    pivot = a[hi]
    i = lo
    for j in range(lo, hi):
        if a[j] < pivot:
            a[i], a[j] = a[j], a[i]
            i += 1
    a[i], a[hi] = a[hi], a[i]
    return i


def quicksort(a, lo, hi):
    if lo < hi:
        p = partition(a, lo, hi)
        quicksort(a, lo, p - 1)
        quicksort(a, p + 1, hi)


def flood(grid, i, j, level):
    """Water that runs to lower neighbours, and is used up."""
    if level < 0.05 or not (0 <= i < grid.shape[0] and 0 <= j < grid.shape[1]):
        return
    taken = level * math.exp(-grid[i, j])
    grid[i, j] += taken
    flood(grid, i + 1, j, 0.4 * (level - taken))
    flood(grid, i, j + 1, 0.3 * (level - taken))


def memoised_paths(costs):
    """A nested helper that fills a table of the function around it."""
    n, m = costs.shape
    best = np.zeros((n, m))
    done = np.zeros((n, m), dtype=bool)

    def cost(i, j):
        if i < 0 or j < 0:
            return 1.0
        if not done[i, j]:
            best[i, j] = costs[i, j] * (0.3 * cost(i - 1, j) + 0.7 * cost(i, j - 1))
            done[i, j] = True
        return best[i, j]

    return cost(n - 1, m - 1)


CASES = (
    case(haar_lifting, lambda rng: (rng.normal(size=8), 8), of="a"),
    case(fft_in_place, lambda rng: (rng.normal(size=8),), of="x"),
    case(spectrum_in_place, lambda rng: (rng.normal(size=8),)),
    case(log_determinant, lambda rng: (rng.normal(size=(4, 4)),)),
    case(nonlinear_cycle, lambda rng: (rng.normal(size=9), rng.normal(size=9), 0.25), of="u"),
    case(scanned, lambda rng: (rng.normal(size=6),)),
    case(recurrence_sum, lambda rng: (0.7,)),
    case(quicksort, lambda rng: (rng.normal(size=7), 0, 6), of="a"),
    case(flood, lambda rng: (rng.uniform(0.2, 1.0, size=(3, 3)), 0, 0, 2.0), of="grid"),
    case(memoised_paths, lambda rng: (rng.uniform(0.5, 1.5, size=(3, 3)),)),
)

"""Tables filled in order: dynamic programmes, extrapolation, interpolation, recurrences, splines."""

import numpy as np

from ..case import case


def soft_edit_distance(a, b, gap):
    """Substitution costs grow with the difference of the entries."""
    n, m = len(a), len(b)
    D = np.zeros((n + 1, m + 1))
    D[1:, 0] = gap * np.arange(1, n + 1)
    D[0, 1:] = gap * np.arange(1, m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            D[i, j] = min(D[i - 1, j] + gap, D[i, j - 1] + gap, D[i - 1, j - 1] + (a[i - 1] - b[j - 1]) ** 2)
    return D[n, m]


def alignment_two_rows(score, gap):
    """Needleman-Wunsch with only two rows, which trade places."""
    n, m = score.shape
    prev = -gap * np.arange(m + 1.0)
    row = np.zeros(m + 1)
    for i in range(n):
        row[0] = -gap * (i + 1)
        for j in range(m):
            row[j + 1] = max(prev[j] + score[i, j], prev[j + 1] - gap, row[j] - gap)
        prev, row = row, prev
    return prev[m]


def dtw(x, y):
    cost = np.full((len(x) + 1, len(y) + 1), np.inf)
    cost[0, 0] = 0.0
    for i in range(len(x)):
        for j in range(len(y)):
            here = abs(x[i] - y[j])
            cost[i + 1, j + 1] = here + np.minimum(np.minimum(cost[i, j + 1], cost[i + 1, j]), cost[i, j])
    return cost[-1, -1]


def soft_dtw_penalty(D, gamma):
    R = np.full((D.shape[0] + 1, D.shape[1] + 1), 1e3)
    R[0, 0] = 0.0
    for i in range(1, R.shape[0]):
        for j in range(1, R.shape[1]):
            best = np.array([R[i - 1, j - 1], R[i - 1, j], R[i, j - 1]])
            best /= -gamma
            top = best.max()
            R[i, j] = D[i - 1, j - 1] - gamma * (top + np.log(np.sum(np.exp(best - top))))
    return R[-1, -1]


def viterbi(start, trans, emit, obs):
    """Best score, and the emissions along the best path read back through the pointers."""
    T, S = len(obs), len(start)
    score = np.zeros((T, S))
    back = np.zeros((T, S), dtype=int)
    score[0] = start + emit[:, obs[0]]
    for t in range(1, T):
        for s in range(S):
            candidates = score[t - 1] + trans[:, s]
            back[t, s] = np.argmax(candidates)
            score[t, s] = np.max(candidates) + emit[s, obs[t]]
    path = np.zeros(T, dtype=int)
    path[-1] = np.argmax(score[-1])
    for t in range(T - 1, 0, -1):
        path[t - 1] = back[t, path[t]]
    return score[-1].max() + 0.1 * np.sum(emit[path, obs] ** 2)


def hmm_forward(pi, A, B, obs):
    alpha = np.empty((len(obs), len(pi)))
    scale = np.empty(len(obs))
    alpha[0] = pi * B[:, obs[0]]
    scale[0] = alpha[0].sum()
    alpha[0] /= scale[0]
    for t in range(1, len(obs)):
        np.dot(alpha[t - 1], A, out=alpha[t])
        alpha[t] *= B[:, obs[t]]
        scale[t] = alpha[t].sum()
        alpha[t] /= scale[t]
    return np.log(scale).sum()


def knapsack(values, weights, capacity):
    best = np.zeros(capacity + 1)
    for v, w in zip(values, weights):
        for c in range(capacity, w - 1, -1):
            if best[c - w] + v > best[c]:
                best[c] = best[c - w] + v
    return best


def knapsack_slices(values, weights, capacity):
    best = np.zeros(capacity + 1)
    for k in range(len(weights)):
        w = weights[k]
        best[w:] = np.maximum(best[w:], best[:-w] + values[k])
    return best[-1]


def matrix_chain(dims):
    n = len(dims) - 1
    m = np.zeros((n, n))
    for span in range(1, n):
        for i in range(n - span):
            j = i + span
            m[i, j] = np.inf
            for k in range(i, j):
                cost = m[i, k] + m[k + 1, j] + dims[i] * dims[k + 1] * dims[j + 1]
                if cost < m[i, j]:
                    m[i, j] = cost
    return m[0, n - 1]


def cheapest_descent(grid):
    for i in range(1, grid.shape[0]):
        above = grid[i - 1]
        grid[i, 1:-1] += np.minimum(np.minimum(above[:-2], above[2:]), above[1:-1])
        grid[i, 0] += min(above[0], above[1])
        grid[i, -1] += min(above[-1], above[-2])
    return grid[-1].min()


def romberg(a, b, w, levels):
    R = np.zeros((levels, levels))
    h = b - a
    R[0, 0] = 0.5 * h * (np.exp(-w * a * a) + np.exp(-w * b * b))
    for i in range(1, levels):
        h *= 0.5
        s = 0.0
        for k in range(1, 2**i, 2):
            s += np.exp(-w * (a + k * h) ** 2)
        R[i, 0] = 0.5 * R[i - 1, 0] + h * s
        for j in range(1, i + 1):
            R[i, j] = R[i, j - 1] + (R[i, j - 1] - R[i - 1, j - 1]) / (4**j - 1)
    return R[levels - 1, levels - 1]


def neville(xs, ys, x):
    p = ys.copy()
    n = len(xs)
    for k in range(1, n):
        left, right = xs[: n - k], xs[k:]
        p[: n - k] = ((x - right) * p[: n - k] + (left - x) * p[1 : n - k + 1]) / (left - right)
    return p[0]


def divided_differences(x, y):
    for k in range(1, len(x)):
        y[k:] = (y[k:] - y[k - 1 : -1]) / (x[k:] - x[:-k])


def newton_form(x, y, t):
    divided_differences(x, y)
    value = np.full_like(t, y[-1])
    for k in range(len(x) - 2, -1, -1):
        value *= t - x[k]
        value += y[k]
    return value


def bjorck_pereyra(x, f):
    """Vandermonde solve in place: differences up, then expansion down, element by element."""
    n = len(x) - 1
    for k in range(n):
        for i in range(n, k, -1):
            f[i] = (f[i] - f[i - 1]) / (x[i] - x[i - k - 1])
    for k in range(n - 1, -1, -1):
        for i in range(k, n):
            f[i] -= f[i + 1] * x[k]


def horner_shift(c, x):
    """Taylor shift of a polynomial: repeated synthetic division over its coefficients."""
    n = c.shape[0]
    for i in range(n - 1):
        for j in range(n - 2, i - 1, -1):
            c[j] += x * c[j + 1]


def chebyshev_series(coef, x):
    T = np.zeros((len(coef), len(x)))
    T[0] = 1.0
    T[1] = x
    for k in range(2, len(coef)):
        T[k] = 2 * x * T[k - 1] - T[k - 2]
    return coef @ T


def clenshaw_rotating(coef, x):
    b0, b1, b2 = np.zeros_like(x), np.zeros_like(x), np.zeros_like(x)
    for k in range(len(coef) - 1, 0, -1):
        b0[:] = 2.0 * x * b1
        b0 -= b2
        b0 += coef[k]
        b0, b1, b2 = b2, b0, b1
    return coef[0] + x * b1 - b2


def de_casteljau(points, t):
    for level in range(len(points) - 1, 0, -1):
        for i in range(level):
            points[i] += t * (points[i + 1] - points[i])
    return points[0]


def spline_second_derivatives(x, y):
    """Natural cubic spline, the usual two passes with y2 doing double duty."""
    n = len(x)
    y2 = np.zeros(n)
    u = np.zeros(n)
    for i in range(1, n - 1):
        sig = (x[i] - x[i - 1]) / (x[i + 1] - x[i - 1])
        p = sig * y2[i - 1] + 2.0
        y2[i] = (sig - 1.0) / p
        u[i] = (y[i + 1] - y[i]) / (x[i + 1] - x[i]) - (y[i] - y[i - 1]) / (x[i] - x[i - 1])
        u[i] = (6.0 * u[i] / (x[i + 1] - x[i - 1]) - sig * u[i - 1]) / p
    for k in range(n - 2, -1, -1):
        y2[k] = y2[k] * y2[k + 1] + u[k]
    return y2


def basis_splines(knots, x, degree):
    """Cox-de Boor triangle on one row."""
    count = len(knots) - 1
    N = np.zeros(count)
    for i in range(count):
        if knots[i] <= x < knots[i + 1]:
            N[i] = 1.0
    for d in range(1, degree + 1):
        for i in range(count - d):
            left = (x - knots[i]) / (knots[i + d] - knots[i]) * N[i]
            right = (knots[i + d + 1] - x) / (knots[i + d + 1] - knots[i + 1]) * N[i + 1]
            N[i] = left + right
    return N[: count - degree]


def shanks_table(terms):
    """Aitken's delta-squared, applied over and over to its own output."""
    s = np.cumsum(terms)
    n = len(s)
    while n > 2:
        s[: n - 2] -= (s[1 : n - 1] - s[: n - 2]) ** 2 / (s[2:n] - 2 * s[1 : n - 1] + s[: n - 2])
        n -= 2
    return s[0]


CASES = (
    case(soft_edit_distance, lambda rng: (rng.normal(size=5), rng.normal(size=4), 0.6)),
    case(alignment_two_rows, lambda rng: (rng.normal(size=(4, 5)), 0.3)),
    case(dtw, lambda rng: (rng.normal(size=4), rng.normal(size=5))),
    case(soft_dtw_penalty, lambda rng: (rng.uniform(0.5, 2, (3, 4)), 0.5)),
    case(
        viterbi,
        lambda rng: (
            rng.normal(size=3),
            rng.normal(size=(3, 3)),
            rng.normal(size=(3, 4)),
            np.array([0, 3, 1, 1, 2]),
        ),
    ),
    case(
        hmm_forward,
        lambda rng: (
            rng.uniform(0.2, 1, 3),
            rng.uniform(0.2, 1, (3, 3)),
            rng.uniform(0.2, 1, (3, 2)),
            np.array([0, 1, 1, 0]),
        ),
    ),
    case(knapsack, lambda rng: (rng.uniform(1, 3, 5), [2, 3, 1, 4, 2], 7)),
    case(knapsack_slices, lambda rng: (rng.uniform(1, 3, 5), np.array([2, 3, 1, 4, 2]), 7)),
    case(matrix_chain, lambda rng: (rng.uniform(1, 4, 6),)),
    case(cheapest_descent, lambda rng: (rng.uniform(0, 3, (4, 6)),)),
    case(romberg, lambda rng: (0.2, 1.7, 0.8, 4)),
    case(neville, lambda rng: (np.arange(5) + rng.uniform(-0.2, 0.2, 5), rng.normal(size=5), 1.7)),
    case(
        newton_form,
        lambda rng: (np.arange(4) + rng.uniform(-0.2, 0.2, 4), rng.normal(size=4), rng.normal(size=3)),
    ),
    case(bjorck_pereyra, lambda rng: (np.arange(4) + rng.uniform(-0.2, 0.2, 4), rng.normal(size=4)), of="f"),
    case(horner_shift, lambda rng: (rng.normal(size=5), 0.7), of="c"),
    case(chebyshev_series, lambda rng: (rng.normal(size=5), rng.uniform(-1, 1, 4))),
    case(clenshaw_rotating, lambda rng: (rng.normal(size=6), rng.uniform(-1, 1, 4))),
    case(de_casteljau, lambda rng: (rng.normal(size=(5, 2)), 0.4)),
    case(
        spline_second_derivatives, lambda rng: (np.arange(6) + rng.uniform(-0.2, 0.2, 6), rng.normal(size=6))
    ),
    case(basis_splines, lambda rng: (np.arange(8) + rng.uniform(-0.2, 0.2, 8), 3.55, 3)),
    case(shanks_table, lambda rng: (np.array([1.0, -0.52, 0.31, -0.27, 0.19]),)),
)

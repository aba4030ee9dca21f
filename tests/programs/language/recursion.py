"""Functions that call themselves or each other: trees, powers, polynomials, quadrature, divide and conquer."""
# ruff: noqa: RUF007  (`zip(xs, xs[1:])` is what people post)

import math
from collections.abc import Callable

import numpy as np

from ..case import case

# expression trees: a number, a variable's name, or (operator, child, ...)
DISTANCE = ("sqrt", ("+", ("*", "x", "x"), ("*", "y", "y")))
POLY = ("+", ("*", 2.0, ("*", "x", "y")), ("-", ("sin", "x"), ("/", "y", ("+", "x", 3.0))))


def evaluate(node, env):
    if isinstance(node, (int, float)):
        return node
    if isinstance(node, str):
        return env[node]
    op, *args = node
    values = [evaluate(a, env) for a in args]
    if op == "+":
        return values[0] + values[1]
    if op == "-":
        return values[0] - values[1]
    if op == "*":
        return values[0] * values[1]
    if op == "/":
        return values[0] / values[1]
    return getattr(math, op)(values[0])


def two_trees(x, y):
    env = {"x": x, "y": y}
    return evaluate(DISTANCE, env) + evaluate(POLY, env)


def tree_sum(tree, weight):
    """Nested tuples of floats; each level down weighs less."""
    if not isinstance(tree, tuple):
        return weight * tree * tree
    total = 0.0
    for child in tree:
        total += tree_sum(child, 0.5 * weight)
    return total


def power(x, n):
    if n == 0:
        return 1.0
    if n < 0:
        return 1.0 / power(x, -n)
    half = power(x, n // 2)
    return half * half * (x if n % 2 else 1.0)


def power_ratio(x):
    return power(x, 11) + power(x, -3)


def even_part(x, n):
    return 1.0 if n == 0 else x * odd_part(x, n - 1)


def odd_part(x, n):
    return math.sin(x) if n == 0 else 0.5 * x + even_part(x + 0.1, n - 1)


def horner(coeffs, x):
    head, *rest = coeffs
    if not rest:
        return head
    return head + x * horner(rest, x)


def fib(n, a, b):
    if n < 2:
        return (a, b)[n]
    return fib(n - 1, a, b) + 0.3 * fib(n - 2, a, b) * a


def ackermann(m, n):
    if m == 0:
        return n + 1
    return ackermann(m - 1, 1) if n == 0 else ackermann(m - 1, ackermann(m, n - 1))


def ackermann_scaled(x):
    # the counts are plain integers; only x carries derivatives
    steps = ackermann(2, 2)
    for i in range(steps):
        x = x - 0.1 * math.sin(x) * (i + 1) / steps
    return x * ackermann(1, 3)


def adaptive_simpson(f: Callable[[float], float], a, b, eps=1e-4, depth=8):
    m = (a + b) / 2
    fa, fm, fb = f(a), f(m), f(b)
    whole = (b - a) / 6 * (fa + 4 * fm + fb)
    left = (m - a) / 6 * (fa + 4 * f((a + m) / 2) + fm)
    right = (b - m) / 6 * (fm + 4 * f((m + b) / 2) + fb)
    if depth == 0 or abs(left + right - whole) < 15 * eps:
        return left + right + (left + right - whole) / 15
    return adaptive_simpson(f, a, m, eps / 2, depth - 1) + adaptive_simpson(f, m, b, eps / 2, depth - 1)


def bump_area(width, height):
    return adaptive_simpson(lambda t: height * math.exp(-(t / width) ** 2), -1.0, 2.0)


def determinant(M):
    """Laplace expansion along the first row of a list of lists."""
    if len(M) == 1:
        return M[0][0]
    det = 0
    for j, entry in enumerate(M[0]):
        minor = [row[:j] + row[j + 1:] for row in M[1:]]
        det += (-1) ** j * entry * determinant(minor)
    return det


def pairwise_sum(x):
    n = x.shape[0]
    if n <= 2:
        return np.sum(x * x)
    return pairwise_sum(x[: n // 2]) + pairwise_sum(x[n // 2:])


def recursive_fft(x):
    n = len(x)
    if n == 1:
        return x
    even, odd = recursive_fft(x[::2]), recursive_fft(x[1::2])
    twiddle = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
    return np.concatenate([even + twiddle, even - twiddle])


def spectral_energy(x):
    spectrum = recursive_fft(x + 0j)
    return np.sum(np.abs(spectrum[1:4]) ** 2) + spectrum.real[0]


def expand(term, depth, scale):
    # continued fraction from the bottom
    return scale if depth == 0 else term + scale / expand(term + 1.0, depth - 1, scale)


def bezier_recursive(points, t):
    if len(points) == 1:
        return points[0]
    return (1 - t) * bezier_recursive(points[:-1], t) + t * bezier_recursive(points[1:], t)


def merge_sort_weighted(values):
    def sort(xs):
        if len(xs) <= 1:
            return xs
        mid = len(xs) // 2
        a, b = sort(xs[:mid]), sort(xs[mid:])
        out = []
        i = j = 0
        while i < len(a) and j < len(b):
            if a[i] <= b[j]:
                out.append(a[i])
                i += 1
            else:
                out.append(b[j])
                j += 1
        return out + a[i:] + b[j:]

    return sum(rank * v for rank, v in enumerate(sort(list(values)), 1))


def decision_tree(node, features, sharpness):
    """Soft decision tree; internal nodes are (feature, threshold, left, right)."""
    match node:
        case float() | int():
            return node
        case (feature, threshold, left, right):
            gate = 1 / (1 + math.exp(-sharpness * (features[feature] - threshold)))
            return ((1 - gate) * decision_tree(left, features, sharpness)
                    + gate * decision_tree(right, features, sharpness))


def hanoi_cost(n, friction, src=0, dst=2):
    if n == 0:
        return 0.0
    via = 3 - src - dst
    return (hanoi_cost(n - 1, friction, src, via) + friction ** abs(src - dst)
            + hanoi_cost(n - 1, friction, via, dst) * 0.9)


def koch_length(p, q, ratio, level):
    if level == 0:
        return math.hypot(q[0] - p[0], q[1] - p[1])
    dx, dy = (q[0] - p[0]) / 3, (q[1] - p[1]) / 3
    a, c = (p[0] + dx, p[1] + dy), (q[0] - dx, q[1] - dy)
    b = ((p[0] + q[0]) / 2 - ratio * dy, (p[1] + q[1]) / 2 + ratio * dx)
    corners = [p, a, b, c, q]
    return sum(koch_length(u, v, ratio, level - 1) for u, v in zip(corners, corners[1:]))


_TREE = (0, 0.3, (1, -0.2, 1.0, 2.5), (1, 0.8, -0.5, 0.75))

CASES = (
    case(two_trees, lambda rng: (1.3, 0.7), wrt=(0, 1)),
    case(tree_sum, lambda rng: ((0.5, (1.2, -0.7, (2.0,)), ((0.3,), 1.1)), 4.0), wrt=(0, 1)),
    case(power_ratio, lambda rng: (1.1,)),
    case(even_part, lambda rng: (0.8, 6)),
    case(horner, lambda rng: (rng.normal(size=5), 0.9), wrt=(0, 1)),
    case(fib, lambda rng: (7, 0.4, 1.3), wrt=(1, 2)),
    case(ackermann_scaled, lambda rng: (1.7,)),
    case(bump_area, lambda rng: (0.45, 1.2), wrt=(0, 1)),
    case(determinant, lambda rng: (rng.normal(size=(4, 4)).tolist(),)),
    case(pairwise_sum, lambda rng: (rng.normal(size=7),)),
    case(spectral_energy, lambda rng: (rng.normal(size=8),)),
    case(expand, lambda rng: (1.5, 6, 0.7), wrt=(0, 2)),
    case(bezier_recursive, lambda rng: (rng.normal(size=(4, 2)), 0.3), wrt=(0, 1)),
    case(merge_sort_weighted, lambda rng: (np.array([0.7, -1.2, 3.3, 0.1, 2.4]),)),
    case(decision_tree, lambda rng: (_TREE, [0.4, 0.5], 2.0), wrt=(1, 2)),
    case(hanoi_cost, lambda rng: (4, 1.3), wrt=(1,)),
    case(koch_length, lambda rng: ((0.0, 0.1), (1.0, 0.3), 0.9, 2), wrt=(0, 1, 2)),
)

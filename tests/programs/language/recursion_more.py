"""Recursion as people post it: several results, nested helpers that see their surroundings, trees, divide and conquer."""
# ruff: noqa: RUF007, UP033  (`zip(xs[:-1], xs[1:])` and `lru_cache` are what people post)

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..case import case

# --- several results, structures, None


def sin_cos(x, depth):
    """Both at once, by the double-angle formulas."""
    if depth == 0:
        return x - x**3 / 6, 1 - x**2 / 2
    s, c = sin_cos(x / 2, depth - 1)
    return 2 * s * c, c * c - s * s


def phase(x, y):
    s, c = sin_cos(x, 4)
    return s * y + c * c


def extended_power(x, n):
    """The power and its derivative, by squaring."""
    if n == 0:
        return 1.0, 0.0
    p, dp = extended_power(x, n // 2)
    square, slope = p * p, 2 * p * dp
    if n % 2:
        return square * x, slope * x + square
    return square, slope


def newton_like(x):
    p, dp = extended_power(x, 7)
    return p / dp


@dataclass
class Interval:
    low: float
    high: float


def narrowed(box, f, steps):
    """Bisection with smooth weights, on a dataclass that is made anew at each step."""
    if steps == 0:
        return box
    mid = 0.5 * (box.low + box.high)
    gate = 1 / (1 + math.exp(-f(mid)))
    tighter = Interval(box.low * gate + mid * (1 - gate), mid * gate + box.high * (1 - gate))
    return narrowed(tighter, f, steps - 1)


def soft_root(a, low, high):
    found = narrowed(Interval(low, high), lambda x: x * x - a, 5)
    return (found.low + found.high) / 2


def best_split(xs, lo, hi):
    """The smallest item with its position, or None of an empty range."""
    if lo >= hi:
        return None
    mid = (lo + hi) // 2
    left, right = best_split(xs, lo, mid), best_split(xs, mid + 1, hi)
    best = (xs[mid] ** 2, mid)
    if left is not None and left[0] < best[0]:
        best = left
    if right is not None and right[0] < best[0]:
        best = right
    return best


def least_square(xs):
    value, place = best_split(xs, 0, len(xs))
    return value * (place + 1)


def mean_and_variance(x):
    """Chan's pairwise update."""
    n = len(x)
    if n == 1:
        return 1, x[0], 0.0
    na, ma, va = mean_and_variance(x[: n // 2])
    nb, mb, vb = mean_and_variance(x[n // 2 :])
    delta = mb - ma
    total = na + nb
    return total, ma + delta * nb / total, va + vb + delta * delta * na * nb / total


def pairwise_deviation(x):
    n, mean, m2 = mean_and_variance(x)
    return mean + math.sqrt(m2 / (n - 1))


# --- nested helpers


def adaptive_area(width, height, tol):
    """Adaptive Simpson; the helper sees the integrand and the tolerance."""

    def f(t):
        return height * math.exp(-((t / width) ** 2)) + 0.1 * math.sin(3 * t)

    def simpson(a, fa, b, fb):
        m = 0.5 * (a + b)
        fm = f(m)
        return m, fm, (b - a) / 6 * (fa + 4 * fm + fb)

    def refine(a, fa, b, fb, m, fm, whole, tol):
        lm, flm, left = simpson(a, fa, m, fm)
        rm, frm, right = simpson(m, fm, b, fb)
        delta = left + right - whole
        if abs(delta) <= 15 * tol:
            return left + right + delta / 15
        return refine(a, fa, m, fm, lm, flm, left, tol / 2) + refine(m, fm, b, fb, rm, frm, right, tol / 2)

    a, b = -1.0, 2.0
    fa, fb = f(a), f(b)
    m, fm, whole = simpson(a, fa, b, fb)
    return refine(a, fa, b, fb, m, fm, whole, tol)


def segment_tree_query(values, weights, lo, hi):
    def query(left, right):
        if right <= lo or hi <= left:
            return 0.0
        if right - left == 1:
            return values[left] * weights[left] ** 2
        mid = (left + right) // 2
        return query(left, mid) + query(mid, right)

    return query(0, len(values))


def chebyshev_series(coeffs, x):
    @lru_cache(maxsize=None)
    def t(n):
        if n == 0:
            return 1.0
        if n == 1:
            return x
        return 2 * x * t(n - 1) - t(n - 2)

    return sum(c * t(k) for k, c in enumerate(coeffs))


def optimal_merge(weights):
    """The cost of the matrix-chain bracketing, smoothly: log-sum-exp in place of min."""
    n = len(weights) - 1

    def cost(i, j):
        if i == j:
            return 0.0
        total = 0.0
        for k in range(i, j):
            total += math.exp(-(cost(i, k) + cost(k + 1, j) + weights[i] * weights[k + 1] * weights[j + 1]))
        return -math.log(total)

    return cost(0, n - 1)


def is_even_odd(x, n):
    def even(k):
        return x if k == 0 else math.sin(odd(k - 1))

    def odd(k):
        return x * x if k == 0 else 0.5 + even(k - 1)

    return even(n) + odd(n)


def neville(xs, ys, x):
    def p(i, j):
        if i == j:
            return ys[i]
        return ((x - xs[j]) * p(i, j - 1) - (x - xs[i]) * p(i + 1, j)) / (xs[i] - xs[j])

    return p(0, len(xs) - 1)


def ray_bounce(angle, albedo, walls):
    """A ray between walls; each reflection loses energy."""

    def trace(height, slope, depth):
        if depth == len(walls):
            return 0.0
        hit = height + slope * walls[depth]
        glow = math.exp(-hit * hit)
        return glow + albedo * trace(math.sin(hit), -0.8 * slope, depth + 1)

    return trace(0.2, math.tan(angle), 0)


def integrate_twice(f, a, b, n):
    if n == 0:
        return (b - a) * (f(a) + f(b)) / 2
    m = (a + b) / 2
    return integrate_twice(f, a, m, n - 1) + integrate_twice(f, m, b, n - 1)


def nested_integral(rho):
    """Functions handed down the recursion, one within the other."""

    def inner(x):
        return integrate_twice(lambda y: math.exp(-x * y * rho), 0.0, 1.0, 2)

    return integrate_twice(inner, 0.0, rho, 2)


# --- trees

TREE = (0.5, (1.5, None, (0.25, None, None)), (-0.75, (2.0, None, None), None))


def tree_depth_sum(tree, decay):
    if tree is None:
        return 0.0
    value, left, right = tree
    return value * value + decay * (tree_depth_sum(left, decay) + tree_depth_sum(right, decay * 1.1))


def tree_cell(tree, w, u):
    """A tree-structured recurrent cell over nested tuples of vectors."""
    if isinstance(tree, np.ndarray):
        return np.tanh(w @ tree), tree
    left, right = tree
    hl, cl = tree_cell(left, w, u)
    hr, cr = tree_cell(right, w, u)
    gate = 1 / (1 + np.exp(-(u @ (hl + hr))))
    c = gate * cl + (1 - gate) * cr
    return np.tanh(c) * gate, c


def sentence_score(tree, w, u):
    h, c = tree_cell(tree, w, u)
    return np.sum(h * c)


@dataclass
class Node:
    value: float
    left: "Node | None" = None
    right: "Node | None" = None

    def total(self, x):
        below = 0.0
        if self.left is not None:
            below += self.left.total(x * 0.5)
        if self.right is not None:
            below += self.right.total(x + 1.0)
        return self.value * math.sin(x) + below * x


def node_tree(a, b, x):
    root = Node(a, Node(b, None, Node(a * b)), Node(a - b))
    return root.total(x)


EXPRESSION = ("add", ("mul", "x", "y"), ("pow", ("add", "x", 1.5), 3))


def evaluated(expr, x, y):
    if expr == "x":
        return x
    if expr == "y":
        return y
    if not isinstance(expr, tuple):
        return expr
    op, left, right = expr
    a, b = evaluated(left, x, y), evaluated(right, x, y)
    if op == "add":
        return a + b
    if op == "mul":
        return a * b
    return a**b


def expression_value(x, y):
    return evaluated(EXPRESSION, x, y)


def center(cell):
    """Mass and centre of a nested cell: (mass, position) or a list of cells."""
    if isinstance(cell, tuple):
        return cell
    mass, moment = 0.0, 0.0
    for inner in cell:
        m, p = center(inner)
        mass += m
        moment += m * p
    return mass, moment / mass


def pull(cell, at, theta):
    mass, position = center(cell)
    distance = position - at
    if isinstance(cell, tuple) or theta * abs(distance) > 1.0:
        return mass * distance / (distance * distance + 0.1) ** 1.5
    return sum(pull(inner, at, theta) for inner in cell)


def barnes_hut(m, p, at):
    cells = [[(m, p), (2 * m, p + 0.5)], [(0.5, 4.0), [(m * m, 6.0), (1.0, 7.0)]]]
    return pull(cells, at, 0.4)


def leaves(node, depth, out):
    """Appends as it goes down."""
    if depth == 0:
        out.append(node * node)
        return
    leaves(math.sin(node), depth - 1, out)
    out.append(node)
    leaves(0.5 * node + 1.0, depth - 1, out)


def leaf_sum(x):
    out = []
    leaves(x, 2, out)
    return sum(v * math.cos(k) for k, v in enumerate(out))


def on_a_stack(depth, stack, x):
    """Pushes on the way down, pops on the way up."""
    if depth == 0:
        return stack[-1] * x
    stack.append(stack[-1] * math.sin(x))
    below = on_a_stack(depth - 1, stack, x * x)
    return below * stack.pop() + stack[0]


def stacked(x):
    stack = [x]
    return on_a_stack(3, stack, x) * sum(stack)


def explored(neighbours, weights, seen, node, flow):
    """Depth first; each node is visited once."""
    seen[node] = True
    total = weights[node] * flow
    for other in neighbours[node]:
        if not seen[other]:
            total += weights[node] * explored(neighbours, weights, seen, other, 0.5 * flow)
    return total


def graph_flow(weights, flow):
    neighbours = [[1, 2], [0, 3], [0, 3], [1, 2, 4], [3]]
    return explored(neighbours, weights, [False] * 5, 0, flow)


def kernel_density(points, query):
    """A kd-tree without the tree: the points are halved, the middle one counts."""

    def below(lo, hi):
        if lo >= hi:
            return 0.0
        mid = (lo + hi) // 2
        here = math.exp(-np.sum((points[mid] - query) ** 2))
        return below(lo, mid) + here + below(mid + 1, hi)

    return below(0, len(points))


# --- divide and conquer


def fft_parts(re, im):
    """Radix two, on real and imaginary parts."""
    n = len(re)
    if n == 1:
        return re, im
    er, ei = fft_parts(re[::2], im[::2])
    or_, oi = fft_parts(re[1::2], im[1::2])
    angle = -2 * np.pi * np.arange(n // 2) / n
    c, s = np.cos(angle), np.sin(angle)
    tr, ti = c * or_ - s * oi, s * or_ + c * oi
    return np.concatenate([er + tr, er - tr]), np.concatenate([ei + ti, ei - ti])


def power_spectrum(x):
    re, im = fft_parts(x, np.zeros(len(x)))
    return np.sum((re**2 + im**2)[1:4] * np.arange(1, 4))


def fft_filled(x):
    """The same with a result that is filled; of one sample it is the sample itself."""
    n = len(x)
    if n == 1:
        return x
    even, odd = fft_filled(x[0::2]), fft_filled(x[1::2])
    out = np.empty(n)
    for k in range(n // 2):
        t = math.cos(2 * math.pi * k / n) * odd[k]
        out[k] = even[k] + t
        out[k + n // 2] = even[k] - t
    return out


def hartley_energy(x):
    return np.sum(fft_filled(x)[1:] ** 2)


def strassen(a, b):
    n = len(a)
    if n == 1:
        return a * b
    k = n // 2
    a11, a12, a21, a22 = a[:k, :k], a[:k, k:], a[k:, :k], a[k:, k:]
    b11, b12, b21, b22 = b[:k, :k], b[:k, k:], b[k:, :k], b[k:, k:]
    m1 = strassen(a11 + a22, b11 + b22)
    m2 = strassen(a21 + a22, b11)
    m3 = strassen(a11, b12 - b22)
    m4 = strassen(a22, b21 - b11)
    m5 = strassen(a11 + a12, b22)
    m6 = strassen(a21 - a11, b11 + b12)
    m7 = strassen(a12 - a22, b21 + b22)
    c = np.zeros((n, n))
    c[:k, :k] = m1 + m4 - m5 + m7
    c[:k, k:] = m3 + m5
    c[k:, :k] = m2 + m4
    c[k:, k:] = m1 - m2 + m3 + m6
    return c


def strassen_trace(a, b):
    return np.trace(strassen(a, b) ** 2)


def karatsuba(p, q):
    """Products of polynomials."""
    n = len(p)
    if n == 1:
        return p * q
    k = n // 2
    low, high = karatsuba(p[:k], q[:k]), karatsuba(p[k:], q[k:])
    cross = karatsuba(p[:k] + p[k:], q[:k] + q[k:]) - low - high
    out = np.zeros(2 * n - 1)
    out[: 2 * k - 1] += low
    out[k : 3 * k - 1] += cross
    out[2 * k :] += high
    return out


def product_at(p, q, x):
    return np.polyval(karatsuba(p, q), x)


def de_casteljau(points, t):
    """Splits a curve; both control polygons come back."""
    if len(points) == 1:
        return [points[0]], [points[0]]
    between = [(1 - t) * a + t * b for a, b in zip(points[:-1], points[1:], strict=True)]
    left, right = de_casteljau(between, t)
    return [points[0], *left], [*right, points[-1]]


def split_length(points, t):
    left, right = de_casteljau(list(points), t)
    return sum(abs(b - a) ** 1.5 for a, b in zip(left[:-1], left[1:], strict=True)) + right[1] * right[0]


def romberg(f, a, b, k, m):
    if m == 0:
        n = 2**k
        h = (b - a) / n
        return h * (0.5 * f(a) + sum(f(a + i * h) for i in range(1, n)) + 0.5 * f(b))
    fine, coarse = romberg(f, a, b, k, m - 1), romberg(f, a, b, k - 1, m - 1)
    return fine + (fine - coarse) / (4**m - 1)


def romberg_bessel(x):
    return romberg(lambda s: math.cos(x * math.sin(s)) / math.pi, 0.0, math.pi, 3, 2)


def lentz(x, n, depth):
    """A continued fraction, by numerator and denominator."""
    if n == depth:
        return 1.0, 1.0
    num, den = lentz(x, n + 1, depth)
    return (2 * n + 1) * num + x * x * den, num


def tanh_fraction(x):
    num, den = lentz(x, 0, 6)
    return x * den / num


def recursive_least_squares(theta, p, rows, targets):
    """One row at a time; the estimate and its covariance are handed on."""
    if len(rows) == 0:
        return theta, p
    phi = rows[0]
    gain = p @ phi / (0.98 + phi @ p @ phi)
    error = targets[0] - phi @ theta
    return recursive_least_squares(theta + gain * error, (p - np.outer(gain, phi @ p)) / 0.98, rows[1:], targets[1:])


def rls_fit(rows, targets):
    theta, p = recursive_least_squares(np.zeros(2), 10.0 * np.eye(2), rows, targets)
    return np.sum(theta**2) + np.trace(p)


def soft_sort(xs):
    """Merge sort in which each comparison blends the two items."""
    if len(xs) <= 1:
        return xs
    mid = len(xs) // 2
    return soft_merge(soft_sort(xs[:mid]), soft_sort(xs[mid:]))


def soft_merge(a, b):
    if not a:
        return b
    if not b:
        return a
    gate = 1 / (1 + math.exp(-3 * (b[0] - a[0])))
    low = gate * a[0] + (1 - gate) * b[0]
    high = gate * b[0] + (1 - gate) * a[0]
    if a[0] <= b[0]:
        return [low, *soft_merge(a[1:], [high, *b[1:]])]
    return [low, *soft_merge([high, *a[1:]], b[1:])]


def ranked(values):
    return sum(k * v * v for k, v in enumerate(soft_sort([v for v in values])))


CASES = (
    case(phase, lambda rng: (0.9, 1.4)),
    case(newton_like, lambda rng: (1.2,)),
    case(soft_root, lambda rng: (2.0, 0.5, 3.0)),
    case(least_square, lambda rng: (rng.normal(size=7),)),
    case(pairwise_deviation, lambda rng: (rng.normal(size=6),)),
    case(adaptive_area, lambda rng: (0.6, 1.3, 1e-3), wrt=(0, 1)),
    case(segment_tree_query, lambda rng: (rng.normal(size=7), rng.normal(size=7), 1, 5)),
    case(chebyshev_series, lambda rng: (rng.normal(size=5), 0.4)),
    case(optimal_merge, lambda rng: (rng.uniform(0.2, 0.9, size=5),)),
    case(is_even_odd, lambda rng: (0.7, 5)),
    case(neville, lambda rng: (np.array([0.0, 0.4, 1.1, 1.5]), rng.normal(size=4), 0.8)),
    case(ray_bounce, lambda rng: (0.5, 0.7, rng.uniform(0.5, 1.5, size=5))),
    case(nested_integral, lambda rng: (0.8,)),
    case(tree_depth_sum, lambda rng: (TREE, 0.6), wrt=(1,)),
    case(
        sentence_score,
        lambda rng: (
            (rng.normal(size=3), (rng.normal(size=3), rng.normal(size=3))),
            rng.normal(size=(3, 3)),
            rng.normal(size=(3, 3)),
        ),
    ),
    case(node_tree, lambda rng: (0.8, 1.7, 0.6)),
    case(expression_value, lambda rng: (0.7, 1.9)),
    case(leaf_sum, lambda rng: (0.8,)),
    case(stacked, lambda rng: (0.8,)),
    case(graph_flow, lambda rng: (rng.uniform(0.5, 1.0, size=5), 0.7)),
    case(kernel_density, lambda rng: (rng.normal(size=(5, 2)), rng.normal(size=2))),
    case(barnes_hut, lambda rng: (1.5, 0.7, 0.1)),
    case(power_spectrum, lambda rng: (rng.normal(size=8),)),
    case(hartley_energy, lambda rng: (rng.normal(size=8),)),
    case(strassen_trace, lambda rng: (rng.normal(size=(4, 4)), rng.normal(size=(4, 4)))),
    case(product_at, lambda rng: (rng.normal(size=4), rng.normal(size=4), 0.9)),
    case(split_length, lambda rng: (rng.normal(size=4), 0.3)),
    case(romberg_bessel, lambda rng: (1.8,)),
    case(tanh_fraction, lambda rng: (0.9,)),
    case(rls_fit, lambda rng: (rng.normal(size=(5, 2)), rng.normal(size=5))),
    case(ranked, lambda rng: (rng.normal(size=5),)),
)

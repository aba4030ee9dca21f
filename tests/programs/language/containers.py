"""Lists, tuples, dictionaries and numbers: comprehensions, stacks, unpacking, built-ins, integers, float32, complex."""
# ruff: noqa: RUF007  (`zip(xs, xs[1:])` is what people post)

import cmath
import math
from collections import defaultdict, deque
from itertools import accumulate

import numpy as np

from ..case import case

PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2}
UNITS = {"m": 1.0, "cm": 0.01, "ft": 0.3048}


def rpn(tokens, x, y):
    """Reverse Polish on a plain list as the stack."""
    stack = []
    for token in tokens.split():
        if token in PRECEDENCE:
            b = stack.pop()
            a = stack.pop()
            stack.append(a + b if token == "+" else a - b if token == "-" else a * b if token == "*" else a / b)
        elif token == "x":
            stack.append(x)
        elif token == "y":
            stack.append(y)
        else:
            stack.append(float(token))
    (result,) = stack
    return result


def depth_first(graph, weights):
    stack, seen, score = ["a"], set(), 0.0
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        score = 0.8 * score + weights[node] ** 2
        stack.extend(graph[node])
    return score


def list_matmul(A, B):
    C = [[sum(a * b for a, b in zip(row, col)) for col in zip(*B)] for row in A]
    return sum(C[i][j] * (i + 1) for i in range(len(C)) for j in range(len(C[0])) if i != j)


def pascal_weights(x, rows=5):
    triangle = [[1.0]]
    for _ in range(rows):
        last = triangle[-1]
        triangle.append([1.0, *[x * (p + q) for p, q in zip(last, last[1:])], 1.0])
    return sum(sum(row) for row in triangle)


def unpack_everything(values):
    first, *middle, last = values
    (a, b), *others = zip(middle, middle[::-1])
    head, tail = middle[0], middle[1:]
    return first * last + a * b + head * sum(tail) + sum(p - 2 * q for p, q in others)


def dict_model(params, x):
    h = x
    for name, value in params.items():
        if name.startswith("w"):
            h = h * value
        else:
            h = math.tanh(h + value)
    return h + sum(v**2 for v in params.values()) * 0.01


def dict_accumulate(pairs):
    totals = {}
    for key, value in pairs:
        totals[key] = totals.get(key, 0.0) + value * value
    best = max(totals, key=lambda k: totals[k])
    return totals[best] * len(totals)


def grouped(pairs):
    groups = defaultdict(list)
    for key, value in pairs:
        groups[key].append(value)
    return sum(sum(vs) / len(vs) * (sum(vs) - vs[0]) for vs in groups.values())


def dict_comprehension(x, y):
    powers = {n: x**n for n in range(4) if n != 2}
    powers |= {2: y}
    return sum(n * p for n, p in sorted(powers.items())) + {"k": x * y}["k"]


def nested_structure(config):
    layers, (lo, hi) = config["layers"], config["range"]
    out = lo
    for layer in layers:
        out = math.tanh(layer["w"] * out + layer["b"][0]) + layer["b"][1]
    return lo + (hi - lo) * out


def unit_sum(lengths):
    return sum(value * UNITS[unit] for value, unit in lengths) ** 2


def sliding_window(xs, size=3):
    window, out = deque(maxlen=size), 0.0
    for x in xs:
        window.append(x)
        if len(window) == size:
            out += max(window) * min(window)
    return out


def prefix_products(xs):
    partial = list(accumulate(xs, lambda a, b: a * b))
    return sum(p / (i + 1) for i, p in enumerate(partial))


def steps_and_strides(x):
    y = x[::-1]
    s = 0.0
    for i in range(len(x) - 1, -1, -2):
        s += x[i] * y[i - 1]
    for a, b in zip(x[::2], x[1::2]):
        s += a / (2 + b)
    return s + np.sum(x[-3:] * y[1:4])


def rows_and_columns(A):
    total = 0.0
    for row in A:
        for value in row:
            total += math.sin(value)
    for col in A.T:
        total += col @ col
    for i, row in enumerate(A):
        total *= 1.0 + 0.1 * row[i % 2]
    return total


def builtin_mixture(x, y, z):
    hi, lo = max(x, y, z), min((x, y, z))
    middle = sorted([x, y, z])[1]
    return pow(hi, 2) + abs(lo) * round(middle) + divmod(7, 2)[0] * middle + float(int(hi)) * lo


def sorted_by_key(points):
    ordered = sorted(points, key=lambda p: p[1], reverse=True)
    return sum((i + 1) * x * y for i, (x, y) in enumerate(ordered))


def remainder_wave(t, period):
    phase = t % period
    turns = t // period
    return phase**2 + 0.1 * turns + math.fmod(t, 1.5) * period


def integer_powers(x):
    return x**3 - 2 * x**-2 + x**0 + (-x) ** 5 + 2.0**x + x**0.5


def math_medley(x):
    return (math.sinh(x) + math.asinh(x) - math.acosh(1 + x) + math.atanh(x / 3) + math.expm1(x) + math.log2(1 + x)
            + math.degrees(x) / 100 + math.erfc(x) + math.lgamma(1) + math.fabs(-x) + math.floor(x) + math.tau)


def single_precision(x, w):
    # stays in float32 throughout
    y = np.float32(0.5) * x @ w
    return np.sum(np.tanh(y) * y)


def mixed_precision(x32, w64):
    return np.mean((x32.astype(np.float64) - w64) ** 2) + float(x32[0])


def polynomial_on_circle(coefficients, angle):
    z = cmath.exp(1j * angle)
    p = 0j
    for c in coefficients:
        p = p * z + c
    return abs(p) ** 2 + p.real - p.imag


def dft_loops(x):
    n = len(x)
    power = []
    for k in range(1, n // 2):
        s = sum(v * complex(math.cos(2 * math.pi * k * t / n), -math.sin(2 * math.pi * k * t / n))
                for t, v in enumerate(x))
        power.append((s * s.conjugate()).real)
    return math.log(sum(power))


def digits_to_value(x, n=2025):
    total, place = 0.0, 1.0
    for digit in str(n)[::-1]:
        total += int(digit) * place
        place *= x
    return total + n.bit_count() * x


def sieve_sum(x, limit=20):
    primes = [p for p in range(2, limit) if all(p % q for q in range(2, int(p**0.5) + 1))]
    return sum(x ** (1 / p) for p in primes) if any(p == 7 for p in primes) else x


def matrix_from_rows(a, b, c):
    M = np.array([[a, b], [b, c]])
    M2 = np.vstack([M, np.array([a * b, 1.0])])
    tr = M[0][0] + M[-1, -1]
    return (M2.T @ M2)[0, 1] / tr + np.array([a, b, c])[[2, 0]].sum()


def list_updates(x, n=6):
    u = [x] * n
    u[0] = x * x
    for i in range(1, n):
        u[i] += 0.5 * u[i - 1]
    u[1:3] = [u[2], u[1] * 2]
    u[-1] *= x
    return sum(u) + u[1] - u[2:][0]


_GRAPH = {"a": ["b", "c"], "b": ["d"], "c": ["b", "d"], "d": []}
_PAIRS = (("u", 1.1), ("v", 0.3), ("u", -0.4), ("w", 0.9), ("v", 1.7), ("w", 0.2))
_CONFIG = {"layers": [{"w": 0.7, "b": (0.1, -0.2)}, {"w": -1.1, "b": (0.3, 0.4)}], "range": (0.5, 2.5)}

CASES = (
    case(rpn, lambda rng: ("x y * 3 + x y / - 2 *", 1.3, 0.8), wrt=(1, 2)),
    case(depth_first, lambda rng: (_GRAPH, {"a": 0.5, "b": 1.2, "c": -0.7, "d": 0.9}), wrt=(1,)),
    case(list_matmul, lambda rng: (rng.normal(size=(2, 3)).tolist(), rng.normal(size=(3, 3)).tolist()), wrt=(0, 1)),
    case(pascal_weights, lambda rng: (0.7,)),
    case(unpack_everything, lambda rng: (tuple(rng.normal(size=6).tolist()),)),
    case(dict_model, lambda rng: ({"w1": 0.8, "b1": 0.1, "w2": -1.3, "b2": 0.4}, 0.9), wrt=(0, 1)),
    case(dict_accumulate, lambda rng: (_PAIRS,), wrt=(0,)),
    case(grouped, lambda rng: (_PAIRS,), wrt=(0,)),
    case(dict_comprehension, lambda rng: (1.2, 0.7), wrt=(0, 1)),
    case(nested_structure, lambda rng: (_CONFIG,)),
    case(unit_sum, lambda rng: ([(1.2, "m"), (30.0, "cm"), (2.0, "ft")],), wrt=(0,)),
    case(sliding_window, lambda rng: ([0.3, 1.2, -0.7, 0.9, 2.0, 0.1],)),
    case(prefix_products, lambda rng: (rng.uniform(0.5, 1.5, size=5),)),
    case(steps_and_strides, lambda rng: (rng.uniform(0.5, 1.5, size=6),)),
    case(rows_and_columns, lambda rng: (rng.normal(size=(3, 2)),)),
    case(builtin_mixture, lambda rng: (1.3, -0.8, 2.6), wrt=(0, 1, 2)),
    case(sorted_by_key, lambda rng: ([(0.5, 1.2), (1.1, -0.3), (0.8, 2.0)],)),
    case(remainder_wave, lambda rng: (7.3, 1.7), wrt=(0, 1)),
    case(integer_powers, lambda rng: (1.3,)),
    case(math_medley, lambda rng: (0.7,)),
    case(single_precision,
         lambda rng: (rng.normal(size=(3, 2)).astype(np.float32), rng.normal(size=2).astype(np.float32)), wrt=(0, 1)),
    case(mixed_precision, lambda rng: (rng.normal(size=4).astype(np.float32), rng.normal(size=4)), wrt=(0, 1)),
    case(polynomial_on_circle, lambda rng: (rng.normal(size=4), 0.9), wrt=(0, 1)),
    case(dft_loops, lambda rng: (rng.normal(size=8),)),
    case(digits_to_value, lambda rng: (1.2,)),
    case(sieve_sum, lambda rng: (2.3,)),
    case(matrix_from_rows, lambda rng: (1.2, 0.7, -0.5), wrt=(0, 1, 2)),
    case(list_updates, lambda rng: (0.9,)),
)

"""Iterations to a tolerance: roots, fixed points, means, series, continued fractions, special functions, matrices."""

import math
from functools import reduce

import numpy as np

from ..case import case

TOL = 1e-13


def newton_sqrt(a):
    x = a
    while abs(x * x - a) > TOL * a:
        x = 0.5 * (x + a / x)
    return x


def kepler(M, ecc):
    """Eccentric anomaly."""
    E = M + ecc * math.sin(M)
    for _ in range(30):
        dE = (E - ecc * math.sin(E) - M) / (1 - ecc * math.cos(E))
        E -= dE
        if abs(dE) < TOL:
            break
    return E


def bisection_polished(c):
    # bisection brackets the root of x e^x = c; two Newton steps make it differentiable
    lo, hi = 0.0, 2.0
    while hi - lo > 1e-6:
        mid = (lo + hi) / 2
        if mid * math.exp(mid) < c:
            lo = mid
        else:
            hi = mid
    x = (lo + hi) / 2
    for _ in range(2):
        x = x - (x * math.exp(x) - c) / (math.exp(x) * (1 + x))
    return x


def secant(f, x0, x1, *, max_iter=50):
    f0, f1 = f(x0), f(x1)
    for _ in range(max_iter):
        x0, x1 = x1, x1 - f1 * (x1 - x0) / (f1 - f0)
        if abs(x1 - x0) < TOL:
            return x1
        f0, f1 = f1, f(x1)
    raise RuntimeError("secant did not converge")


def colebrook(reynolds, roughness):
    def residual(s):  # s = 1 / sqrt(f)
        return s + 2 * math.log10(roughness / 3.7 + 2.51 * s / reynolds)

    s = secant(residual, 6.0, 7.0)
    return 1 / s**2


def fixed_point_cosine(a):
    x = a
    while (delta := a * math.cos(x) - x) ** 2 > 1e-26:
        x += delta
    return x


def anderson_heat_balance(power, loss):
    T_old, T = 300.0, 320.0
    while abs(T - T_old) > 1e-9:
        T_old, T = T, (300.0 + power / (loss + 1e-3 * (T - 300.0)) + T) / 2
    return T - 300.0


def agm(a, b):
    while not abs(a - b) < TOL:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return a


def ellipse_perimeter(a, b):
    x, y, correction, weight = max(a, b), min(a, b), 0.0, 0.25
    while x - y > 1e-14 * x:
        x, y, diff = 0.5 * (x + y), math.sqrt(x * y), 0.5 * (x - y)
        weight *= 2
        correction += weight * diff**2
    big, small = (a, b) if a > b else (b, a)
    return math.pi / x * (big**2 + small**2 - 2 * correction) if correction else 2 * math.pi * a


def golden_like(x, depth=20):
    frac = x
    for k in range(depth, 0, -1):
        frac = x + k / frac
    return frac


def lentz_tan(x):
    # modified Lentz for tan(x) = x / (1 - x^2 / (3 - x^2 / (5 - ...)))
    f = C = 1e-30
    D = 0.0
    for n in range(1, 60):
        a = x if n == 1 else -x * x
        b = 2 * n - 1
        D = 1 / (b + a * D)
        C = b + a / C
        delta = C * D
        f *= delta
        if abs(delta - 1) < 1e-14:
            return f
    return float("nan")


def exp_series(x):
    term, total, n = 1.0, 1.0, 0
    while True:
        n += 1
        term *= x / n
        if abs(term) < 1e-17 * abs(total):
            break
        total += term
    return total


def bessel_j(order, x):
    half = x / 2
    term = half**order / math.factorial(order)
    total = term
    k = 1
    while abs(term) > 1e-17:
        term = -term * half * half / (k * (k + order))
        total, k = total + term, k + 1
    return total


def zeta_eta(s, N=12):
    """Borwein's alternating sum, coefficients from integers."""
    d = [N * sum(math.factorial(N + i - 1) * 4**i / (math.factorial(N - i) * math.factorial(2 * i))
                 for i in range(k + 1)) for k in range(N + 1)]
    eta = sum((-1) ** k * (d[k] - d[N]) / (k + 1) ** s for k in range(N))
    return -eta / (d[N] * (1 - 2 ** (1 - s)))


def polylog(s, z):
    return sum(z**k / k**s for k in range(1, 40))


def erf_series(xs):
    out = np.zeros_like(xs)
    term = xs
    for n in range(25):
        out = out + term / (2 * n + 1)
        term = term * -(xs**2) / (n + 1)
    return 2 / np.sqrt(np.pi) * out


def matrix_exponential(A, t):
    n = A.shape[0]
    squarings = 3
    B = A * t / 2**squarings
    E, term = np.eye(n), np.eye(n)
    for k in range(1, 10):
        term = term @ B / k
        E = E + term
    for _ in range(squarings):
        E = E @ E
    return E.sum()


def newton_schulz_inverse(A):
    X = A.T / (np.abs(A).sum(axis=0).max() * np.abs(A).sum(axis=1).max())
    eye = np.eye(len(A))
    for _ in range(40):
        R = eye - A @ X
        if np.max(np.abs(R)) < 1e-12:
            break
        X = X @ (eye + R)
    return np.trace(X)


def pagerank(links, damping):
    n = len(links)
    out_weight = [sum(row) for row in links]
    rank = [1.0 / n] * n
    for _ in range(25):
        rank = [(1 - damping) / n + damping * sum(rank[j] * links[j][i] / out_weight[j] for j in range(n))
                for i in range(n)]
    return sum((i + 1) * r for i, r in enumerate(rank))


def power_iteration(A):
    v = np.ones(A.shape[0])
    for _ in range(60):
        v = A @ v
        v = v / np.sqrt(v @ v)
    return v @ A @ v


def collatz_map(x, n):
    """The path is decided by the integer alone."""
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n, x = n // 2, 0.9 * x + 0.01 * n
        else:
            n, x = 3 * n + 1, x + 0.3 * math.sin(x)
        steps += 1
    return x * steps


def cubic_real_root(p, q):
    # Cardano, through a complex cube root
    disc = complex(q * q / 4 + p**3 / 27)
    u = (-q / 2 + np.sqrt(disc)) ** (1 / 3)
    root = u - p / (3 * u)
    return root.real


def mandelbrot_distance(cx, cy):
    c = complex(cx, cy)
    z, dz = 0j, 0j
    for _ in range(60):
        dz = 2 * z * dz + 1
        z = z * z + c
        if abs(z) > 100.0:
            r = abs(z)
            return r * math.log(r) / abs(dz)
    return 0.0 * cx


def cesaro(x, terms=(1, 4, 9, 16)):
    partials = reduce(lambda acc, k: acc + [acc[-1] + math.cos(k * x) / k], terms, [0.5])
    return sum(partials) / len(partials)


CASES = (
    case(newton_sqrt, lambda rng: (5.3,)),
    case(kepler, lambda rng: (0.9, 0.35), wrt=(0, 1)),
    case(bisection_polished, lambda rng: (1.7,)),
    case(colebrook, lambda rng: (5e4, 0.003), wrt=(0, 1)),
    case(fixed_point_cosine, lambda rng: (0.8,)),
    case(anderson_heat_balance, lambda rng: (50.0, 0.9), wrt=(0, 1)),
    case(agm, lambda rng: (1.0, 3.2), wrt=(0, 1)),
    case(ellipse_perimeter, lambda rng: (2.0, 1.1), wrt=(0, 1)),
    case(golden_like, lambda rng: (1.2,)),
    case(lentz_tan, lambda rng: (0.8,)),
    case(exp_series, lambda rng: (1.6,)),
    case(bessel_j, lambda rng: (2, 1.9), wrt=(1,)),
    case(zeta_eta, lambda rng: (2.4,)),
    case(polylog, lambda rng: (1.5, 0.4), wrt=(0, 1)),
    case(erf_series, lambda rng: (rng.uniform(-1.5, 1.5, size=5),)),
    case(matrix_exponential, lambda rng: (rng.normal(size=(3, 3)), 0.6), wrt=(0, 1)),
    case(newton_schulz_inverse, lambda rng: (np.eye(3) * 2 + 0.3 * rng.normal(size=(3, 3)),)),
    case(pagerank, lambda rng: ([[0.1, 1.0, 2.0], [0.5, 0.2, 1.5], [3.0, 0.4, 0.3]], 0.85), wrt=(0, 1)),
    case(power_iteration, lambda rng: (rng.uniform(0.5, 1.5, size=(4, 4)),)),
    case(collatz_map, lambda rng: (0.4, 7)),
    case(cubic_real_root, lambda rng: (-2.0, 0.7), wrt=(0, 1)),
    case(mandelbrot_distance, lambda rng: (0.5, 0.6), wrt=(0, 1)),
    case(cesaro, lambda rng: (0.9,)),
)

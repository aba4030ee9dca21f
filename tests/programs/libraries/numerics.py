"""Small numerical libraries: minimisers, integrators, interpolation, statistics, linear algebra, quadrature."""

import math

import numpy as np

GRID = np.linspace(0.0, 1.0, 5)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(4)


def newton(f, df, v, tol=1e-12, maxiter=20):
    for _ in range(maxiter):
        step = f(v) / df(v)
        v = v - step
        if abs(step) < tol:
            break
    return v


def a_root_by_newton(s):
    return newton(lambda v: v**3 - s, lambda v: 3 * v**2, 1.5)


def a_root_by_bisection_and_newton(s):
    low, high = 0.0, 3.0
    for _ in range(10):
        mid = 0.5 * (low + high)
        if mid**2 < 1.69:
            low = mid
        else:
            high = mid
    return newton(lambda v: v * v - s, lambda v: 2 * v, mid)


def a_fixed_point(s):
    v = 1.0
    while abs(v - math.cos(s * v)) > 1e-13:
        v = 0.5 * (v + math.cos(s * v))
    return v


def secant(f, a, b, n=8):
    fa, fb = f(a), f(b)
    for _ in range(n):
        if abs(fb - fa) < 1e-14:
            break
        a, b, fa = b, b - fb * (b - a) / (fb - fa), fb
        fb = f(b)
    return b


def a_root_by_secants(s):
    return secant(lambda v: v * v - s, 1.0, 1.5)


def golden_section(s):
    low, high, g = 0.0, 2.0, 0.618
    for _ in range(6):
        c, d = high - g * (high - low), low + g * (high - low)
        if (c - 1.0) ** 2 < (d - 1.0) ** 2:
            high = d
        else:
            low = c
    return s * (low + high)


def trapezoid_rule(s):
    ys = [math.exp(-s * t * t) for t in GRID]
    return sum(0.5 * (a + b) * 0.25 for a, b in zip(ys[:-1], ys[1:]))


def simpson_rule(s, n=6):
    h, out = 1.0 / n, 0.0
    for k in range(n + 1):
        w = 1 if k in (0, n) else 4 if k % 2 else 2
        out += w * math.sin(s * k * h)
    return out * h / 3


def gauss_rule(s):
    t = 0.5 * (NODES + 1)
    return 0.5 * np.sum(WEIGHTS * np.exp(s * t))


def romberg(s):
    f = lambda t: 1.0 / (1.0 + s * t)
    table = [[0.5 * (f(0.0) + f(1.0))]]
    for i in range(1, 4):
        h = 1.0 / 2**i
        total = sum(f((2 * k - 1) * h) for k in range(1, 2 ** (i - 1) + 1))
        row = [0.5 * table[i - 1][0] + h * total]
        for j in range(1, i + 1):
            row.append(row[j - 1] + (row[j - 1] - table[i - 1][j - 1]) / (4**j - 1))
        table.append(row)
    return table[3][3]


class Integrator:
    order = 1

    def __init__(self, f, dt):
        self.f, self.dt, self.t = f, dt, 0.0

    def step(self, y):
        raise NotImplementedError

    def run(self, y, n):
        for _ in range(n):
            y = self.step(y)
            self.t += self.dt
        return y


class Euler(Integrator):
    def step(self, y):
        return y + self.dt * self.f(self.t, y)


class Heun(Integrator):
    order = 2

    def step(self, y):
        k1 = self.f(self.t, y)
        k2 = self.f(self.t + self.dt, y + self.dt * k1)
        return y + 0.5 * self.dt * (k1 + k2)


class Rk4(Integrator):
    order = 4

    def step(self, y):
        k1 = self.f(self.t, y)
        k2 = self.f(self.t + self.dt / 2, y + self.dt / 2 * k1)
        k3 = self.f(self.t + self.dt / 2, y + self.dt / 2 * k2)
        k4 = self.f(self.t + self.dt, y + self.dt * k3)
        return y + self.dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


SCHEMES = {"euler": Euler, "heun": Heun, "rk4": Rk4}


def decay_by_euler(s):
    return Euler(lambda t, y: -s * y, 0.1).run(1.0, 5)


def decay_by_heun(s):
    return Heun(lambda t, y: -s * y * y + t, 0.1).run(1.0, 5)


def an_oscillator_by_rk4(x):
    return np.sum(Rk4(lambda t, y: np.array([y[1], -x[1] * y[0], 0.0]), 0.1).run(x, 3))


def all_schemes(s):
    return sum(scheme(lambda t, y: -s * y, 0.1).run(1.0, 3) for scheme in (Euler, Heun, Rk4))


def a_scheme_by_name(s, name="heun"):
    return SCHEMES[name](lambda t, y: math.sin(s * y), 0.2).run(1.0, 4)


def leapfrog(s):
    q, p = 1.0, 0.0
    for _ in range(5):
        p -= 0.05 * s * q
        q += 0.1 * p
        p -= 0.05 * s * q
    return 0.5 * p * p + q


def lagrange(x):
    t, out = 0.35, 0.0
    for j in range(3):
        term = x[j]
        for m in range(3):
            if m != j:
                term = term * (t - m) / (j - m)
        out += term
    return out


class Spline:
    def __init__(self, xs, ys):
        self.xs, self.ys = xs, ys
        n = len(xs)
        a = np.eye(n)
        rhs = np.zeros(n)
        for k in range(1, n - 1):
            a[k, k - 1 : k + 2] = [1.0, 4.0, 1.0]
            rhs[k] = 6.0 * (ys[k + 1] - 2.0 * ys[k] + ys[k - 1])
        self.m = np.linalg.solve(a, rhs)

    def __call__(self, t):
        k = min(int(t), len(self.xs) - 2)
        u = t - k
        return (
            self.ys[k] * (1 - u)
            + self.ys[k + 1] * u
            + self.m[k] * ((1 - u) ** 3 - (1 - u)) / 6
            + self.m[k + 1] * (u**3 - u) / 6
        )


def a_spline_by_its_values(x):
    return Spline(np.arange(3.0), x)(1.4)


def a_spline_by_its_place(s):
    return Spline(np.arange(4.0), np.array([0.0, 1.0, 0.5, 2.0]))(s)


def bilinear(x):
    table = np.array([[1.0, 2.0, 0.5], [0.0, 3.0, 1.0], [2.0, 1.0, 4.0]])
    i, j = int(x[0]), int(x[1])
    u, v = x[0] - i, x[1] - j
    return (1 - u) * ((1 - v) * table[i, j] + v * table[i, j + 1]) + u * ((1 - v) * table[i + 1, j] + v * table[i + 1, j + 1])


def horner(s, coefficients=(1.0, -2.0, 0.5, 3.0)):
    out = 0.0
    for c in coefficients:
        out = out * s + c
    return out


def chebyshev(s):
    a, b, total = 1.0, 0.3 * s, 0.0
    for c in (0.5, -1.0, 2.0):
        total += c * a
        a, b = b, 0.6 * s * b - a
    return total


def continued_fraction(s):
    out = s
    for k in range(5, 0, -1):
        out = k + s / out
    return out


def agm(s):
    a, g = 1.0, s
    while abs(a - g) > 1e-12:
        a, g = 0.5 * (a + g), math.sqrt(a * g)
    return a


def power_iteration(x):
    a = np.diag(x) + 0.1
    v = np.ones(3)
    for _ in range(8):
        v = a @ v
        v = v / np.linalg.norm(v)
    return v @ a @ v


def gram_schmidt(x):
    basis = []
    for v in (x, x * x, np.ones(3)):
        for b in basis:
            v = v - (v @ b) * b
        basis.append(v / np.sqrt(v @ v))
    return basis[1][0] * basis[2][1]


def jacobi_sweeps(x):
    a = np.array([[4.0, 1.0, 0.0], [1.0, 5.0, 1.0], [0.0, 1.0, 3.0]])
    v = np.zeros(3)
    for _ in range(4):
        v = (x - (a - np.diag(np.diag(a))) @ v) / np.diag(a)
    return np.sum(v * v)


def conjugate_gradients(x):
    a = np.array([[4.0, 1.0, 0.0], [1.0, 5.0, 1.0], [0.0, 1.0, 3.0]])
    v, r = np.zeros(3), x
    p = r
    for _ in range(2):
        ap = a @ p
        alpha = (r @ r) / (p @ ap)
        v, new = v + alpha * p, r - alpha * ap
        p, r = new + (new @ new) / (r @ r) * p, new
    return v @ x


def thomas(x):
    lower, diag, upper = [1.0, 1.0], [4.0, 4.0, 4.0], [1.0, 1.0]
    d, c = list(x), list(diag)
    for k in range(1, 3):
        w = lower[k - 1] / c[k - 1]
        c[k] = c[k] - w * upper[k - 1]
        d[k] = d[k] - w * d[k - 1]
    out = [0.0] * 3
    out[2] = d[2] / c[2]
    for k in (1, 0):
        out[k] = (d[k] - upper[k] * out[k + 1]) / c[k]
    return out[0] * out[1] + out[2]


class Gaussian:
    def __init__(self, mean, std=1.0):
        self.mean, self.std = mean, std

    def logpdf(self, v):
        z = (v - self.mean) / self.std
        return -0.5 * z * z - math.log(self.std) - 0.5 * math.log(2 * math.pi)

    def __mul__(self, other):
        p, q = 1 / self.std**2, 1 / other.std**2
        return Gaussian((self.mean * p + other.mean * q) / (p + q), math.sqrt(1 / (p + q)))


class Mixture:
    def __init__(self, weights, parts):
        self.weights, self.parts = weights, parts

    def logpdf(self, v):
        return math.log(sum(w * math.exp(p.logpdf(v)) for w, p in zip(self.weights, self.parts)))


def a_product_of_gaussians(s):
    return (Gaussian(s) * Gaussian(0.0, 2.0)).logpdf(0.5)


def a_mixture(s):
    return Mixture([0.3, 0.7], [Gaussian(0.0), Gaussian(s, 2.0)]).logpdf(1.0)


def log_likelihood(s, data=(0.1, 0.7, 1.9)):
    return sum(Gaussian(s, 1.5).logpdf(v) for v in data)


def softmax_entropy(x):
    z = x - np.max(x)
    p = np.exp(z) / np.sum(np.exp(z))
    return -np.sum(p * np.log(p))


def autocorrelation(x):
    z = x - x.mean()
    return np.sum(z[1:] * z[:-1]) / np.sum(z * z)


def huber(x, delta=1.0):
    return sum(0.5 * r * r if abs(r) < delta else delta * (abs(r) - 0.5 * delta) for r in x)


def weighted_quantile(x):
    order = np.argsort(x)
    w = np.array([0.2, 0.3, 0.5])[order]
    return np.interp(0.6, np.cumsum(w), x[order])


def linear_regression(x):
    t = np.array([0.0, 1.0, 2.0])
    a = np.stack([np.ones(3), t], axis=1)
    beta = np.linalg.solve(a.T @ a, a.T @ x)
    return beta[0] * beta[1]


def ridge(s):
    a = np.array([[1.0, 0.5], [0.3, 2.0], [1.0, 1.0]])
    w = np.linalg.solve(a.T @ a + s * np.eye(2), a.T @ np.array([1.0, 2.0, 3.0]))
    return np.sum(w**2)


def kernel_regression(s):
    xs, ys = np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 2.0])
    w = np.exp(-0.5 * (xs - 0.7) ** 2 / s**2)
    return np.sum(w * ys) / np.sum(w)


class Dual:
    def __init__(self, a, b=0.0):
        self.a, self.b = a, b

    def __add__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.a + other.a, self.b + other.b)

    __radd__ = __add__

    def __mul__(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.a * other.a, self.a * other.b + self.b * other.a)

    __rmul__ = __mul__

    def __pow__(self, n):
        out = Dual(1.0)
        for _ in range(n):
            out = out * self
        return out


def dual_numbers(s):
    v = Dual(s, 1.0)
    return (3.0 * v**3 + v * 2.0 + 1.0).b


class Interval:
    def __init__(self, low, high):
        self.low, self.high = low, high

    def __sub__(self, other):
        return Interval(self.low - other.high, self.high - other.low)

    def __truediv__(self, k):
        return Interval(self.low / k, self.high / k)

    @property
    def width(self):
        return self.high - self.low

    @classmethod
    def around(cls, v, r=0.1):
        return cls(v - r * v, v + r * v)

    @staticmethod
    def hull(a, b):
        return Interval(min(a.low, b.low), max(a.high, b.high))


def intervals(s):
    a, b = Interval.around(s), Interval.around(2.0 * s, 0.2)
    return (b - a / 2.0).width * Interval.hull(a, b).high


class Matrix:
    def __init__(self, rows):
        self.rows = rows

    def __matmul__(self, other):
        return Matrix([[sum(a * b for a, b in zip(r, c)) for c in zip(*other.rows)] for r in self.rows])

    def __getitem__(self, place):
        i, j = place
        return self.rows[i][j]

    def trace(self):
        return sum(self[k, k] for k in range(len(self.rows)))


def matrices_of_lists(s):
    a = Matrix([[s, 1.0], [0.5, s * s]])
    return (a @ a).trace() * a[0, 1]


class Quantity:
    def __init__(self, value, unit):
        self.value, self.unit = value, unit

    def to(self, unit, table={"m": 1.0, "km": 1000.0, "cm": 0.01}):
        return Quantity(self.value * table[self.unit] / table[unit], unit)

    def __add__(self, other):
        return Quantity(self.value + other.to(self.unit).value, self.unit)


def units(s):
    return (Quantity(s, "m") + Quantity(2.0 * s, "cm")).to("km").value * 1000.0

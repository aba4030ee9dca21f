"""Small number types with overloaded operators: vectors, dual and complex numbers, polynomials, matrices."""

import math
from dataclasses import dataclass

from ..case import case


@dataclass(frozen=True)
class Vec2:
    x: float
    y: float

    def __add__(self, other):
        return Vec2(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return Vec2(self.x - other.x, self.y - other.y)

    def __mul__(self, k):
        return Vec2(self.x * k, self.y * k)

    __rmul__ = __mul__

    def dot(self, other):
        return self.x * other.x + self.y * other.y

    @property
    def norm(self):
        return math.sqrt(self.dot(self))


def vec2_orbit(x, v, mu):
    r, vel, dt = Vec2(x, 0.0), Vec2(0.0, v), 0.05
    for _ in range(15):
        vel = vel + (-mu * dt / r.norm**3) * r
        r = r + dt * vel
    return r.norm + (vel - r).x


class Dual:
    """Forward mode by hand, inside the program that is differentiated."""

    def __init__(self, value, slope=0.0):
        self.value, self.slope = value, slope

    @staticmethod
    def lift(v):
        return v if isinstance(v, Dual) else Dual(v)

    def __add__(self, other):
        other = Dual.lift(other)
        return Dual(self.value + other.value, self.slope + other.slope)

    __radd__ = __add__

    def __mul__(self, other):
        other = Dual.lift(other)
        return Dual(self.value * other.value, self.slope * other.value + self.value * other.slope)

    __rmul__ = __mul__

    def sin(self):
        return Dual(math.sin(self.value), math.cos(self.value) * self.slope)


def dual_slope(x, c):
    t = Dual(x, 1.0)
    y = 3 * t * t + c * t.sin() + 1
    return y.slope * y.value


class Complex:
    def __init__(self, re, im=0.0):
        self.re = re
        self.im = im

    def __add__(self, o):
        return Complex(self.re + o.re, self.im + o.im)

    def __mul__(self, o):
        return Complex(self.re * o.re - self.im * o.im, self.re * o.im + self.im * o.re)

    def __abs__(self):
        return math.hypot(self.re, self.im)

    def __neg__(self):
        return Complex(-self.re, -self.im)


def julia_magnitude(a, b):
    z, c = Complex(0.3, -0.2), Complex(a, b)
    for k in range(6):
        z = z * z + (c if k % 2 == 0 else -c)
    return abs(z)


class Polynomial:
    def __init__(self, *coefficients):
        self.c = coefficients

    def __call__(self, x):
        result = 0.0
        for c in reversed(self.c):
            result = result * x + c
        return result

    def __mul__(self, other):
        out = [0.0] * (len(self.c) + len(other.c) - 1)
        for i, a in enumerate(self.c):
            for j, b in enumerate(other.c):
                out[i + j] += a * b
        return Polynomial(*out)

    def __getitem__(self, k):
        return self.c[k]

    @classmethod
    def from_roots(cls, *roots):
        p = cls(1.0)
        for r in roots:
            p = p * cls(-r, 1.0)
        return p


def polynomial_from_roots(a, b, x):
    p = Polynomial.from_roots(a, b, a + b)
    return p(x) + p[1]


class Mat2:
    def __init__(self, rows):
        self.rows = rows

    def __matmul__(self, other):
        return Mat2([[sum(self[i, k] * other[k, j] for k in range(2)) for j in range(2)] for i in range(2)])

    def __getitem__(self, index):
        i, j = index
        return self.rows[i][j]

    def __iter__(self):
        return iter(self.rows)


def abcd_optics(focal, gap):
    """Ray transfer matrices of two thin lenses and the space between."""
    lens, space = Mat2([[1.0, 0.0], [-1 / focal, 1.0]]), Mat2([[1.0, gap], [0.0, 1.0]])
    system = lens @ space @ lens
    (a, _), (c, d) = system
    return a * d - 2 * c + system[0, 1]


class Measurement:
    """A value with an uncertainty, propagated to first order."""

    def __init__(self, mean, sd):
        self.mean, self.sd = mean, sd

    def __rsub__(self, k):
        return Measurement(k - self.mean, self.sd)

    def __truediv__(self, o):
        m = self.mean / o.mean
        return Measurement(m, abs(m) * math.hypot(self.sd / self.mean, o.sd / o.mean))

    def __pow__(self, n):
        return Measurement(self.mean**n, abs(n * self.mean ** (n - 1)) * self.sd)

    def __iadd__(self, o):
        self.mean += o.mean
        self.sd = math.hypot(self.sd, o.sd)
        return self

    def __lt__(self, o):
        return self.mean < o.mean

    def __bool__(self):
        return self.sd > 0


def propagated_error(a, b, sd):
    low, high = sorted([Measurement(a, sd), Measurement(b, 0.1)])
    ratio = (2.0 - low) / high**2
    ratio += low
    return ratio.sd + ratio.mean if ratio else 0.0


CASES = (
    case(vec2_orbit, lambda rng: (1.0, 0.9, 1.1), wrt=(0, 1, 2)),
    case(dual_slope, lambda rng: (0.7, 1.4), wrt=(0, 1)),
    case(julia_magnitude, lambda rng: (0.3, 0.4), wrt=(0, 1)),
    case(polynomial_from_roots, lambda rng: (0.5, -1.2, 2.0), wrt=(0, 1, 2)),
    case(abcd_optics, lambda rng: (1.5, 0.4), wrt=(0, 1)),
    case(propagated_error, lambda rng: (1.4, 0.9, 0.2), wrt=(0, 1, 2)),
)

"""Golden programs of Python's language: one small program for each construct that numerical people write."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import s2sad

WEIGHT = 0.7
X = np.array([0.4, 1.3, -2.0, 0.9])
M = np.array([[1.5, 0.2], [-0.3, 0.8]])


# --- control flow


def first_large(x, limit):
    found = 0.0
    for v in x:
        if v > limit:
            found = v * v
            break
    else:
        found = limit
    return found


def skip_negative(x):
    total = 0.0
    for v in x:
        if v < 0:
            continue
        total += np.sqrt(v)
    return total


def converge(x):
    count = 0
    while abs(x * x - 2.0) > 1e-9:
        x = 0.5 * (x + 2.0 / x)
        count += 1
        if count > 50:
            break
    else:
        x = 1.0 * x
    return x


def early_return(x, limit):
    total = 0.0
    for k in range(len(x)):
        for j in range(k):
            total += x[k] * x[j]
            if total > limit:
                return total * total
    return total


def asserted(x):
    assert x > 0, "positive"
    if x > 100.0:
        raise ValueError(f"too large: {x}")
    return np.log(x)


def attempted(x, y):
    try:
        z = x / y
    except ZeroDivisionError:
        z = x
    finally:
        w = x * y
    return z + w


def quietly(x):
    with np.errstate(divide="ignore"):
        y = np.log(x * x)
    return np.sum(y)


def matched(x, how):
    match how:
        case "square":
            return x * x
        case "cube" | "third":
            return x**3
        case _:
            return x


def walrus(x):
    if (y := x * x) > 1.0:
        return y * 3.0
    return y


def chained(x):
    a = b = x * 2.0
    if 0.0 < a <= 10.0:
        b = a * b
    return a + b


def starred(p):
    first, *rest, last = p
    return first * last + sum(rest)


def deleted(x):
    y = x * x
    z = y + x
    del y
    return z * WEIGHT


def counted(x):
    total = 0.0

    def add(v):
        nonlocal total
        total = total + v * v

    add(x)
    add(3.0 * x)
    return total


# --- functions


def closure(x, k):
    scale = k * k

    def scaled(v):
        return scale * v

    return scaled(x) + scaled(x * x)


def with_lambda(x):
    return (lambda v, n=2: v**n)(x) + x


def applied(x, y):
    def twice(f, v):
        return f(f(v))

    return twice(np.sin, x) + twice(lambda v: v * y, x)


def partially(x, k):
    power = functools.partial(pow, exp=3)
    return functools.reduce(lambda a, b: a * k + b, [x, power(x), 1.0])


def mapped(x):
    return sum(map(np.sin, x)) + max(x) * min(x) + abs(x[2]) + len(x)


def variadic(x, y):
    def total(*values, weight=1.0, **named):
        return weight * sum(values) + named["extra"]

    return total(x, y, x * y, weight=2.0, extra=y**2)


def horner(x, coefficients, k=0):
    if k == len(coefficients):
        return 0.0
    return coefficients[k] + x * horner(x, coefficients, k + 1)


def logged(f):
    @functools.wraps(f)
    def wrapper(*args):
        return 2.0 * f(*args)

    return wrapper


@logged
def inner_product(a, b):
    return np.sum(a * b)


def decorated(x):
    return inner_product(x, np.cos(x))


# --- comprehensions and iterators


def comprehended(x):
    squares = [v * v for v in x if v > 0]
    return sum(squares) + sum(v for v in squares for _ in range(2))


def stacked(x):
    rows = np.stack([x * k for k in range(3)])
    return np.sum(rows @ x)


def paired(x):
    total = 0.0
    for (i, a), b in zip(enumerate(x), reversed(x)):
        total += (i + 1) * a * b
    for a, b in itertools.pairwise(x):
        total += a * b
    return total


# --- data


def by_name(params):
    total = params["w"] * params["b"]
    scaled = {key: 2.0 * value for key, value in params.items()}
    return total + scaled["w"] ** 2


class State(NamedTuple):
    position: float
    velocity: float


def leapfrog(state, dt):
    for _ in range(3):
        velocity = state.velocity - dt * np.sin(state.position)
        state = state._replace(position=state.position + dt * velocity, velocity=velocity)
    return state.position * state.velocity


@dataclass(frozen=True)
class Spring:
    stiffness: float
    rest: float

    @property
    def preload(self):
        return self.stiffness * self.rest

    def energy(self, x):
        return 0.5 * self.stiffness * (x - self.rest) ** 2 + self.preload


def stored(spring, x):
    return spring.energy(x) + spring.stiffness


class Layer:
    def __init__(self, w, b):
        self.w = w
        self.b = b

    def __call__(self, x):
        return np.tanh(self.w @ x + self.b)


def network(layer, x):
    x = layer(layer(x))
    layer.b = layer.b * 2.0
    return np.sum(layer(x))


class Dual:
    def __init__(self, value, slope):
        self.value = value
        self.slope = slope

    def __mul__(self, other):
        return Dual(self.value * other.value, self.slope * other.value + self.value * other.slope)


def overloaded(x):
    product = Dual(x, 1.0) * Dual(x, 2.0)
    return product.value + product.slope


# --- types and surgery


def complex_power(x):
    z = complex(x, 1.0) ** 2
    return z.real * z.imag + abs(z)


def spectrum(x):
    return np.sum(np.abs(np.fft.rfft(x)) ** 2)


def single(x):
    return np.sum(x * x) * np.float32(0.5)


def detached(x):
    return x * s2sad.stop_gradient(np.max(np.abs(x))) @ x


def inspected(x):
    y = x * x
    with s2sad.adjoint_of(y) as y_bar:
        assert np.all(np.isfinite(y_bar))
    return np.sum(y * y)


@dataclass(frozen=True)
class Construct:
    """A program and arguments for it; ``wrt``: by what it is differentiated."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    wrt: Any = 0
    exact: bool = True  # whether finite differences are a judge of it

    @property
    def name(self) -> str:
        """The name of the text."""
        return self.function.__name__


SINGLE = np.array([0.5, -1.5], dtype=np.float32)
CONSTRUCTS = [
    Construct(first_large, (X, 1.0), (0, 1)),
    Construct(skip_negative, (X,)),
    Construct(converge, (1.3,)),
    Construct(early_return, (X, 0.2)),
    Construct(asserted, (2.0,)),
    Construct(attempted, (2.0, 0.5), (0, 1)),
    Construct(quietly, (X,)),
    Construct(matched, (1.5, "cube")),
    Construct(walrus, (1.5,)),
    Construct(chained, (1.5,)),
    Construct(starred, ((1.0, 2.0, 3.0, 4.0),)),
    Construct(deleted, (1.5,)),
    Construct(counted, (1.5,)),
    Construct(closure, (1.5, 0.3), (0, 1)),
    Construct(with_lambda, (1.5,)),
    Construct(applied, (1.5, 0.3), (0, 1)),
    Construct(partially, (1.5, 0.3), (0, 1)),
    Construct(mapped, (X,)),
    Construct(variadic, (1.5, 0.3), (0, 1)),
    Construct(horner, (1.5, X), (0, 1)),
    Construct(decorated, (X,)),
    Construct(comprehended, (X,)),
    Construct(stacked, (X,)),
    Construct(paired, (X,)),
    Construct(by_name, ({"w": 1.5, "b": 0.3},)),
    Construct(leapfrog, (State(0.5, 1.0), 0.1), (0, 1)),
    Construct(stored, (Spring(2.0, 0.5), 1.5), (0, 1)),
    Construct(network, (Layer(M, np.array([0.1, -0.2])), np.array([0.3, 0.6])), (0, 1)),
    Construct(overloaded, (1.5,)),
    Construct(complex_power, (1.5,)),
    Construct(spectrum, (X,)),
    Construct(single, (SINGLE,)),
    Construct(detached, (X,), exact=False),
    Construct(inspected, (X,)),
]

"""Functions as values: closures over active variables, partials, decorators, every kind of parameter, generators."""
# ruff: noqa: C417  (`map` with a lambda is part of the language)


import functools
import math
import operator
from collections.abc import Callable
from functools import partial, reduce

import numpy as np

from ..case import case

ACTIVATIONS = {"tanh": np.tanh, "softplus": lambda v: np.log1p(np.exp(v)), "square": lambda v: v * v}


def compose(*functions):
    return lambda x: reduce(lambda acc, f: f(acc), functions, x)


def composed_pipeline(x, scale):
    pipeline = compose(lambda v: scale * v, math.sin, lambda v: v + scale, math.exp)
    return pipeline(x)


def closure_counter(x, rate):
    total = 0.0
    calls = 0

    def deposit(amount):
        nonlocal total, calls
        calls += 1
        total = total * (1 + rate) + amount

    for k in range(4):
        deposit(x / (k + 1))
    return total * calls


def adders(x, y):
    # one closure per loop turn, each with its own default
    fs = [lambda v, k=k: v * y + k for k in range(3)]
    for f in fs:
        x = f(x)
    return x


def keyword_only(x, *, gain=2.0, bias):
    return gain * x * x + bias


def calls_keyword_only(x, b):
    return keyword_only(x, bias=b) + keyword_only(x, bias=1.0, gain=b)


def positional_only(a, b, /, c=3.0):
    return a * b**2 + c


def calls_positional_only(a, b):
    return positional_only(b, a) - positional_only(a, b, c=a)


def variadic(first, *rest, weight=0.5, **options):
    out = first
    for r in rest:
        out = out * weight + r
    return out * options.get("scale", 1.0) + options.get("shift", 0.0)


def calls_variadic(x, y):
    values = (y, x * y)
    options = {"scale": x, "weight": 0.25}
    return variadic(x) + variadic(x, *values) + variadic(*values, x, shift=y, **options)


def partial_parabola(x, a, b):
    def parabola(p, q, t):
        return p * t**2 + q * t

    along = partial(parabola, a, q=b)
    return along(t=x) + partial(along, t=2.0)()


def numeric_slope(f: Callable[[float], float], h: float = 0.1) -> Callable[[float], float]:
    return lambda t: (f(t + h) - f(t - h)) / (2 * h)


def second_difference(x, c):
    g = lambda t: t**4 + c * t**2
    return numeric_slope(numeric_slope(g))(x)


def returns_pair(x, y):
    def polar(u, v):
        return math.hypot(u, v), math.atan2(v, u)

    (r, phi), scale = polar(x, y), 2.0
    return r * phi * scale


def table_of_functions(x, names):
    for name in names:
        x = ACTIVATIONS[name](x)
    return x.sum()


def scaled(factor):
    def decorate(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            return factor * f(*args, **kwargs)
        return wrapper
    return decorate


@scaled(1.5)
def decorated(x, y=0.5):
    return math.cosh(x) * y


def calls_decorated(x, y):
    return decorated(x) + decorated(x, y=y)


def map_and_filter(xs, shift):
    shifted = map(lambda v: v + shift, xs)
    kept = filter(lambda v: v > 0, shifted)
    return reduce(operator.mul, kept, 1.0)


def two_argument_map(xs, ys):
    return sum(map(math.pow, xs, ys)) + sum(map(max, xs, ys))


def running_sums(values):
    acc = 0.0
    for v in values:
        acc += v
        yield acc


def generator_consumer(values):
    return sum(s * s for s in running_sums(values)) + max(running_sums(values))


def pick(f, g, x, *, smooth):
    w = 1 / (1 + math.exp(-smooth * x))
    return w * f(x) + (1 - w) * g(x)


def function_choice(x, smooth):
    chosen = math.exp if smooth < 3 else math.log
    return pick(chosen, math.cos, x, smooth=smooth)


def church_numerals(x, a):
    zero = lambda f: lambda v: v
    succ = lambda n: lambda f: lambda v: f(n(f)(v))
    three = succ(succ(succ(zero)))
    return three(lambda v: a * v + 1)(x)


def curried(w, x):
    def layer(weights):
        def apply(inputs):
            def activate(nonlinearity):
                return nonlinearity(weights @ inputs)
            return activate
        return apply

    return layer(w)(x)(np.tanh).sum()


def y_combinator_power(x):
    fix = lambda f: (lambda g: g(g))(lambda g: f(lambda *a: g(g)(*a)))
    power = fix(lambda self: lambda base, n: 1.0 if n == 0 else base * self(base, n - 1))
    return power(x, 5)


def trapezoid(f, a, b, n=10):
    h = (b - a) / n
    return h * (0.5 * (f(a) + f(b)) + sum(f(a + i * h) for i in range(1, n)))


def double_integral(a, b):
    def inner(x):
        return trapezoid(lambda y: math.exp(-a * x * y), 0.0, x, n=4)

    return trapezoid(inner, 0.0, b, n=5)


def default_from_argument(x, y=None, scale=None):
    y = x if y is None else y
    scale = scale if scale is not None else 2 * y
    return x * y * scale


def calls_defaults(x):
    return default_from_argument(x) + default_from_argument(x, 3.0) + default_from_argument(x, scale=x * x)


@functools.cache
def binomial(n, k):
    return 1 if k in (0, n) else binomial(n - 1, k - 1) + binomial(n - 1, k)


def bernstein(coefficients, t):
    n = len(coefficients) - 1
    return sum(c * binomial(n, k) * t**k * (1 - t) ** (n - k) for k, c in enumerate(coefficients))


CASES = (
    case(composed_pipeline, lambda rng: (0.7, 1.2), wrt=(0, 1)),
    case(closure_counter, lambda rng: (10.0, 0.05), wrt=(0, 1)),
    case(adders, lambda rng: (0.4, 1.7), wrt=(0, 1)),
    case(calls_keyword_only, lambda rng: (1.3, 0.6), wrt=(0, 1)),
    case(calls_positional_only, lambda rng: (1.3, 0.6), wrt=(0, 1)),
    case(calls_variadic, lambda rng: (0.8, 1.9), wrt=(0, 1)),
    case(variadic, lambda rng: (0.8, 1.9, -0.3, 2.0), wrt=(0, 1, 2, 3)),
    case(partial_parabola, lambda rng: (0.8, 1.5, -0.7), wrt=(0, 1, 2)),
    case(second_difference, lambda rng: (0.9, 1.4), wrt=(0, 1)),
    case(returns_pair, lambda rng: (1.2, 0.8), wrt=(0, 1)),
    case(table_of_functions, lambda rng: (rng.normal(size=4), ["tanh", "softplus", "square"])),
    case(calls_decorated, lambda rng: (0.6, 1.1), wrt=(0, 1)),
    case(decorated, lambda rng: (0.6, 1.1), wrt=(0, 1)),
    case(map_and_filter, lambda rng: ([0.5, -2.0, 1.4, 0.1], 0.3), wrt=(0, 1)),
    case(two_argument_map, lambda rng: ([0.5, 2.0, 1.4], [1.2, 0.3, 2.5]), wrt=(0, 1)),
    case(generator_consumer, lambda rng: ([0.5, 0.2, 1.4, 0.1],)),
    case(function_choice, lambda rng: (0.7, 1.6), wrt=(0, 1)),
    case(church_numerals, lambda rng: (0.7, 1.3), wrt=(0, 1)),
    case(curried, lambda rng: (rng.normal(size=(3, 2)), rng.normal(size=2)), wrt=(0, 1)),
    case(y_combinator_power, lambda rng: (1.2,)),
    case(double_integral, lambda rng: (0.8, 1.3), wrt=(0, 1)),
    case(calls_defaults, lambda rng: (1.3,)),
    case(bernstein, lambda rng: (rng.normal(size=5), 0.35), wrt=(0, 1)),
)

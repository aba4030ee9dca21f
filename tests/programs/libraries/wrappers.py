"""Wrappers around functions: counting, caching, scaling, timing, retrying, checking; and classes that hold functions."""

import contextlib
import functools
import math

import numpy as np


class Function:
    def __init__(self, f, name=None):
        self.f, self.name, self.ncalls = f, name or getattr(f, "__name__", "f"), 0

    def __call__(self, *args, **kwargs):
        self.ncalls += 1
        return self.f(*args, **kwargs)

    def compose(self, other):
        return Function(lambda v: self(other(v)))


SINE, SQUARE = Function(math.sin), Function(lambda v: v * v, "square")


def a_wrapped_function(s):
    return SQUARE(s) + SINE(s)


def composed_wrappers(s):
    return SQUARE.compose(SINE)(s)


def a_wrapper_made_here(s):
    f = Function(lambda a, b=2.0: a**b)
    return f(s) + f(s, b=3.0) * f.ncalls


class ScaledFunction:
    def __init__(self, fun, scale, shift=0.0):
        self._fun, self._scale, self._shift = fun, scale, shift
        self._last_x, self._last_f, self.nfev = None, None, 0

    def fun(self, v):
        if self._last_f is None:
            self._last_x, self._last_f = v, self._fun(v * self._scale + self._shift)
            self.nfev += 1
        return self._last_f


def the_last_value_is_kept(s):
    f = ScaledFunction(lambda v: v * v, 2.0, shift=1.0)
    return f.fun(s) + f.fun(100.0) * f.nfev


def retry(times):
    def decorate(f):
        @functools.wraps(f)
        def wrapper(*args):
            for _ in range(times):
                try:
                    return f(*args)
                except OverflowError:
                    pass
            return 0.0

        return wrapper

    return decorate


@retry(2)
def retried(s):
    return math.exp(s)


def checked(f):
    def wrapper(v, *rest):
        if not math.isfinite(v):
            raise ValueError("not finite")
        return f(v, *rest)

    return wrapper


def a_checked_function(s):
    return checked(lambda v, k: v**k)(s, 3)


def derivative(f, h=1e-2):
    return lambda v: (f(v + h) - f(v - h)) / (2 * h)


def a_difference_quotient(s):
    return derivative(lambda v: v**3)(s)


def a_second_difference(s):
    return derivative(derivative(math.exp))(s)


def memoize(f):
    cache = {}

    def wrapper(n):
        if n not in cache:
            cache[n] = f(n)
        return cache[n]

    return wrapper


def memoised_constants(s):
    square = memoize(lambda n: n * n * 1.0)
    return s * (square(2) + square(3) + square(2))


def curried(s):
    add = lambda a: lambda b: lambda c: a * b + c
    return add(s)(2.0)(s * s)


def iterated(f, n):
    def run(v):
        for _ in range(n):
            v = f(v)
        return v

    return run


def an_iterated_function(s):
    return iterated(lambda v: 0.5 * v + 1.0 / v, 4)(s)


def average_damping(f):
    return lambda v: 0.5 * (v + f(v))


def a_damped_fixed_point(s):
    return iterated(average_damping(lambda v: s / v), 6)(1.0)


class Pipeline:
    def __init__(self, steps):
        self.steps = steps

    def __or__(self, step):
        return Pipeline([*self.steps, step])

    def __call__(self, v):
        return functools.reduce(lambda a, f: f(a), self.steps, v)


def pipes(s):
    return (Pipeline([math.sin]) | math.exp | (lambda v: v * s))(s)


class Poly:
    def __init__(self, *c):
        self.c = c

    def __call__(self, v):
        return sum(a * v**k for k, a in enumerate(self.c))

    def __add__(self, other):
        return Poly(*(a + b for a, b in zip(self.c, other.c)))

    def derivative(self):
        return Poly(*[k * a for k, a in enumerate(self.c)][1:])


def polynomials(s):
    p = Poly(1.0, s, 2.0) + Poly(0.5, 1.0, s)
    return p(0.7) * p.derivative()(s)


class Strategy:
    def __init__(self, kind):
        self.apply = {"square": self._square, "twice": self._twice}[kind]

    def _square(self, v):
        return v * v

    def _twice(self, v):
        return 2.0 * v


def strategies(s):
    return Strategy("square").apply(s) + Strategy("twice").apply(s)


def method_by_name(s):
    p = Poly(s, s)
    return getattr(p, "derivative")()(1.0) + getattr(p, "missing", s)


def bound_methods_in_a_list(s):
    t = Strategy("square")
    return sum(f(s) for f in (t._square, t._twice, t.apply))


def objective(weights, data, regular=0.1):
    return sum((w - d) ** 2 for w, d in zip(weights, data)) + regular * sum(w * w for w in weights)


def an_objective_with_defaults(x):
    return objective(x, (1.0, 2.0, 3.0))


def an_objective_by_partial(x):
    return functools.partial(objective, data=(1.0, 0.0, 2.0), regular=0.5)(x)


def line_search(x):
    f = lambda v: np.sum(v**2)
    t, g = 1.0, 2.0 * x
    while f(x - t * g) > f(x) - 0.3 * t * np.sum(g * g):
        t *= 0.5
    return f(x - t * g)


def callback_of_each_step(x):
    seen = []

    def callback(k, v):
        seen.append(np.sum(v) * k)

    for k in range(3):
        x = x * 0.9
        callback(k, x)
    return sum(seen)


def options_of_a_wrapper(s, **options):
    settings = {"power": 2, "scale": 1.0}
    settings.update(options)
    return settings["scale"] * s ** settings["power"]


def keyword_dictionary(s):
    kwargs = {"v": s, "k": 3}
    return (lambda v, k: v**k)(**kwargs)


def positional_and_named(s):
    args = (s, 2.0)
    return (lambda a, b, c=1.0: a * b + c)(*args, c=s)


def an_argument_that_is_rebound(s):
    def f(v, *rest):
        rest = [v * r for r in rest]
        rest[0] = rest[0] + 1.0
        return sum(rest)

    return f(s, 1.0, 2.0, s)


def variadic_with_keywords(s):
    def f(*args, sep=1.0, **named):
        return sum(args) * sep + sum(named.values())

    return f(s, 2.0, sep=s, a=s, b=s * s)


def a_function_with_attributes(s):
    return weighted(s) * weighted.weight


def weighted(v):
    return v * weighted.weight


weighted.weight = 3.0


def conditional_definition(s):
    if s > 0:
        def f(v):
            return v * 2.0
    else:
        def f(v):
            return v * 3.0
    return f(s) ** 2


def recursion_with_an_accumulator(s):
    def go(n, acc):
        return acc if n == 0 else go(n - 1, acc * s + n)

    return go(4, 1.0)


def mutual_recursion(s):
    def even(n):
        return s if n == 0 else odd(n - 1) * s

    def odd(n):
        return even(n - 1) + 1.0

    return even(4)


def nested_closures(s):
    def outer(a):
        def middle(b):
            def inner(c):
                return a * b + c * s

            return inner

        return middle

    return outer(s)(2.0)(3.0)


@contextlib.contextmanager
def recorded(log):
    log.append(1.0)
    try:
        yield 2.0
    finally:
        log.pop()


def a_context_by_generator(x):
    log = []
    with recorded(log) as k:
        y = x * k * len(log)
    return np.sum(y * y) + len(log)


class Switched:
    def __init__(self, w):
        self.w, self.training, self.depth = w, True, 0

    @contextlib.contextmanager
    def evaluation(self):
        old, self.training = self.training, False
        self.depth += 1
        try:
            yield self
        finally:
            self.training = old
            self.depth -= 1

    def __call__(self, x):
        return np.sum(x * self.w) if self.training else np.sum(x)


def a_model_in_evaluation(x):
    model = Switched(x)

    def run():
        for i in range(3):
            with model.evaluation():
                if i == 1:
                    return model(x) * model.depth
        return 0.0

    return run() * model(x) + model.depth


@contextlib.contextmanager
def restored(a):
    old = a.copy()
    try:
        yield a
    finally:
        a[:] = old


def an_array_is_restored(x):
    y = x * 1
    with restored(y) as z:
        z *= 2
        inside = np.sum(z * x)
    return inside * np.sum(y)

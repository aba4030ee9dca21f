"""Programs that keep results: what no test may look into by reflection, as the text of a module decides what its names are."""

import cmath
import contextlib
import functools
import math
import operator
import random
import types
from functools import cache, lru_cache

import numpy as np

import s2sad

K = 2.0
WEIGHTS = np.array([1.0, 2.0])
activation = np.tanh
rebound_activation = np.tanh
rebound_activation = np.exp


class C:
    def __init__(self, v):
        self.v = v

    @functools.cached_property
    def q(self):
        return self.v**2

    @functools.cached_property
    def doubled(self):
        self.v = self.v * 2
        return self.v


@functools.lru_cache
def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


def square(n):
    return n * n


def scaled(n, k=3.0):
    return n * k


def scaled_by_global(n):
    return K * n


def scaled_by_default(n, k=K):
    return n * k


def defined_twice(n):
    return 2 * n


def defined_twice(n):  # noqa: F811
    return 3 * n


def written_after(x):
    p = C(x)
    a = p.q
    p.v = 3.0 * x
    return a + p.q


def side_effect(x):
    p = C(x)
    return p.doubled + p.doubled * p.v


def in_a_branch(x):
    p = C(x)
    if x > 1:
        return p.q * p.q
    return p.q


def argument_of_callee(x):
    return in_a_branch(x) * factorial(4)


def read_in_a_loop(x):
    p, s = C(x), 0.0
    for i in range(30):
        if i * x > 2.0:
            s += p.q
    return s * p.q + sum(C(x + i).q for i in range(3))


def read_before_a_loop(x):
    p = C(x)
    s = p.q
    for _ in range(3):
        s += p.q
        p.v = p.v * 2
    return s


def recursion(x):
    @functools.cache
    def fib(n):
        return x if n < 2 else fib(n - 1) + fib(n - 2) * x

    return fib(5)


@cache
def even(n):
    return 1.0 if n == 0 else odd(n - 1)


@cache
def odd(n):
    return 0.0 if n == 0 else even(n - 1)


@lru_cache(maxsize=3, typed=True)
def of_libraries(t, n=2):
    total = sum([t**k for k in range(n)]) + functools.reduce(operator.mul, [t, t])
    return total + math.sin(t) * math.pi * np.linalg.norm(np.array([t, 1.0])) + activation(t) + scaled(t)


@cache
def pair(t):
    items = [t]
    items.append(square(t))
    return t, items[1]


@cache
def by_name(name):
    return 2.0 if name == "a" else 3.0


@cache
def make(n):
    return lambda y: n * y


exp = lru_cache(math.exp)
twice_kept = cache(cache(square))


@cache
def by_numpy(n):
    return np.sqrt(n) * len(f"{n:3}")


@cache
def binomial(n, k):
    return 1 if k in (0, n) else binomial(n - 1, k - 1) + binomial(n - 1, k)


@cache
def legendre(n, t):
    if n < 2:
        return t if n else 1.0
    return ((2 * n - 1) * t * legendre(n - 1, t) - (n - 1) * legendre(n - 2, t)) / n


@lru_cache(None, True)
def by_type(n, t):
    return np.sin(t) * n if n is not True else t


def single_integers(x):
    return by_numpy(3) * x + sum(by_numpy(k) * x**k for k in range(1, 3))


def numbers_of_python(x):
    return binomial(5, 2) * x + legendre(4, x)


def types_apart(x):
    inner = lru_cache(maxsize=None, typed=True)(lambda t: np.cos(t) * x)
    return by_type(2, x) * by_type(2.0, x) + inner(x)


def mutual_recursion(x):
    return even(4) * x + odd(3)


def libraries(x):
    return of_libraries(x) + of_libraries(x, 3) + of_libraries(t=2 * x)


def pairs(x):
    u, v = pair(x)
    return u * v * by_name("a") + by_name("b")


def functions_of_c(x):
    return exp(x) * twice_kept(x)


def derivatives(x):
    return s2sad.grad(of_libraries)(x) * x + s2sad.checkpoint(of_libraries)(x)


def in_loops(x):
    total = sum(map(of_libraries, [x, 2 * x]))
    for k in range(30):
        total += of_libraries(x * k) * factorial(3)
    return total + make(3.0)(x)


def without_the_cache(x):
    return functools.lru_cache(maxsize=4)(square)(x) + of_libraries.__wrapped__(x)


def nested_in_calls(x):
    y = x * x

    def h(k):
        return y * k * K

    @cache
    def g(k):
        return h(k) if k < 2 else g(k - 1) + g(k - 2)

    @cache
    def outer(k):
        @cache
        def inner(*js, s=2.0):
            return sum(js) * k * s

        return inner(2.0) + inner(k, x, s=x)

    return g(4) + g(3) + outer(3.0) + outer(x)


PROGRAMS = (
    written_after, side_effect, in_a_branch, argument_of_callee, read_in_a_loop, read_before_a_loop, recursion, mutual_recursion,
    single_integers, numbers_of_python, types_apart, libraries, pairs, functions_of_c, derivatives,
    in_loops, without_the_cache, nested_in_calls,
)  # fmt: skip


class Counted:
    k = 2.0

    def __init__(self, v):
        self.v = v

    def scaled(self, n):
        return self.v * n

    @classmethod
    @cache
    def of_class(cls, n):
        return cls.k * n


thing = Counted(3.0)
count = [0]


def counting(n):
    count[0] += 1
    return n * count[0]


def with_cell(k):
    return lambda n: n * k


def binding(n):
    global bound_here  # noqa: PLW0603
    bound_here = n
    return n


# What a cache of this module would not see, by what is read, done or returned.
OUTSIDE = {
    "a number": lambda n: K * n,
    "in a comprehension": lambda n: sum(K * i for i in range(n)),
    "in a lambda": lambda n: (lambda k: K * k)(n),
    "in another function": lambda n: scaled_by_global(n),
    "a default of another function": lambda n: scaled_by_default(n),
    "a default of its own": lambda n, k=WEIGHTS: n * k[0],
    "an array": lambda n: WEIGHTS[0] * n,
    "an object": lambda n: thing.v * n,
    "a class": lambda n: Counted.k * n,
    "an instance": lambda n: Counted(n).v,
    "what is bound twice": lambda n: rebound_activation(n),
    "what is defined twice": lambda n: defined_twice(n),
    "a cell": with_cell(2.0),
    "a method": thing.scaled,
    "a partial": functools.partial(scaled, k=2.0),
    "a list that is counted": counting,
    "a global that is bound": binding,
    "random numbers": lambda n: n * np.random.rand(),
    "other random numbers": lambda n: n * random.random(),
    "what is printed": lambda n: print(n) or n,
    "the type of what it is given": lambda n: n if isinstance(n, int) else 2 * n,
    "how a number is written": lambda n: n * len(str(n)),
    "a list is returned": lambda n: [n][0:1],
    "an array is returned": lambda n: np.array([n, n]),
    "a dict is returned": lambda n: {"a": n},
    "an object is returned": Counted,
}  # fmt: skip


@functools.cache
def spelled(word, words, complaint="{0!r} is none of {1}", lower=True):
    words = tuple([str(w) for w in words])
    small = word.lower()
    if small not in [w.lower() for w in words]:
        raise ValueError(complaint.format(word, words))
    return small if lower and isinstance(word, str) else word


def power_by_name(x, name):
    return x**2 if spelled(name, ("Square", "Cube")) == "square" else x**3


@functools.cache
def spelled_or_number(word, n):
    return str(word) + str(n)


def by_pattern(n, k):
    match n:
        case int():
            return k
    return 2.0 * k


def by_failure(n, k):
    try:
        return n.bit_length() * k
    except AttributeError:
        return 5.0 * k


def by_failure_suppressed(n, k):
    with contextlib.suppress(TypeError):
        return len(range(n)) * k
    return 5.0 * k


# What gives something else for numbers that are equal, which are one key of a cache: 1, 1.0, True; 0.0 and -0.0.
TELLING = {
    "NumPy, of a bool": lambda n, k: np.sin(n) * k,
    "NumPy's integers": lambda n, k: np.power(n, 30) * k,
    "the dtype of an array": lambda n, k: np.sum(np.array([n]) / 2) * k,
    "an f-string": lambda n, k: k * len(f"{n}"),
    "a formatted text": lambda n, k: k * len("%s" % n),  # noqa: UP031
    "a method of text": lambda n, k: k * len("x".ljust(n)),
    "identity": lambda n, k: k if n is True else n * k,
    "a pattern": by_pattern,
    "what it raises": by_failure,
    "what it raises, suppressed": by_failure_suppressed,
    "in another function": lambda n, k: by_pattern(n, k),
    "in a function of its own": lambda n, k: (lambda m: np.sin(m))(n) * k,
    "the sign of zero": lambda n, k: math.copysign(k, n),
    "the sign of an infinity": lambda n, k: k if np.reciprocal(n) > 0 else -k,
    "the side of a cut": lambda n, k: k * cmath.sqrt(complex(-1.0, n)).imag,
    "a type": lambda n, k: type(n)(1) * k,
    "a class": lambda n, k: k if n.__class__ is int else 2 * k,
}


ARGUMENTS = {
    "a complex number": lambda f, x: abs(f(complex(x, 1.0))),
    "an object": lambda f, x: f(Counted(x)),
    "an array": lambda f, x: f(np.array([x]))[0],
    "a list": lambda f, x: f([x])[0],
    "a tuple with a list in it": lambda f, x: f((x, [x]))[0],
    "a number of 32 bits": lambda f, x: f(np.float32(3)) * x,
    "an integer of NumPy's": lambda f, x: sum([f(k) for k in np.arange(3)]) * x,
    "a function that can change": lambda f, x: f(scaled_by_global)(x),
}


@cache
def itself(a):
    return a


reads = cache(scaled_by_global)
decorated = s2sad.differentiate(reads)
checkpointed = s2sad.checkpoint(reads)
vectorized = np.vectorize(reads)
space = types.SimpleNamespace(g=reads)


class Holding:
    def __init__(self, g):
        self.g = g


class Reached:
    plain = staticmethod(reads)
    p = property(cache(lambda self: self.v))
    q = functools.cached_property(cache(lambda self: self.v))

    def __init__(self, v):
        self.v = v

    @property
    @cache
    def r(self):
        return self.v * K


@functools.singledispatch
@cache
def dispatched(n):
    return K * n


def by_default(x, g=reads):
    return g(3) * x


ROUTES = {
    "differentiate": lambda x: decorated(3) * x,
    "a derivative": lambda x: s2sad.grad(reads)(x) * x,
    "a checkpoint": lambda x: checkpointed(3) * x,
    "a vectorized function": lambda x: np.sum(vectorized(np.array([3.0, x]))),
    "a static method": lambda x: Reached.plain(3) * x,
    "a property": lambda x: Reached(x).p,
    "a cached property": lambda x: Reached(x).q,
    "a property that is written so": lambda x: Reached(x).r,
    "single dispatch": lambda x: dispatched(3.0) * x,
    "a default": lambda x: by_default(x),
    "map": lambda x: sum(map(reads, [1.0, x])),
    "a key": lambda x: max([x, 2 * x], key=reads),
    "an expression": lambda x: (reads if x > 0 else itself)(x),
}


@cache
def through_another(n):
    return helper(n)


def helper(n):
    return 2.0 * n


def through_a_cache(x):
    return through_another(3) * x


def rebound(x):
    s = x

    @functools.lru_cache(maxsize=8)
    def g(k):
        return s * k

    a = g(2.0)
    s = x**2
    return a + g(2.0)


def counts(x):
    n = [0]

    @functools.cache
    def g(k):
        n[0] += 1
        return x * k

    return (g(2) + g(2) + g(3)) * n[0]


def bound_in_a_loop(x):
    @cache
    def g(k):
        return s * k

    total = 0.0
    for i in range(3):
        s = x * i
        total += g(2.0)
    return total


def bound_further_out(x):
    s = x

    def make():
        @cache
        def g(k):
            return s * k

        return g

    g = make()
    a = g(2.0)
    s = x**2
    return a + g(2.0)


def through_a_sibling(x):
    s = x

    def h(k):
        return s * k

    g = lru_cache(lambda k: h(k))
    a = g(1.0)
    s = x * x
    return a + g(1.0)


def changed_by_methods(x):
    items = [x]

    @cache
    def g(k):
        return items[0] * k

    a = g(2.0)
    items.append(3.0)
    items.pop(0)
    return a + g(2.0)


def default_that_changes(x):
    items = [x]

    @cache
    def g(k, held=items):
        return held[0] * k

    a = g(1.0)
    items[0] = x * x
    return a + g(1.0)


def dict_that_changes(x):
    d = {"a": x}
    g = cache(lambda k: d["a"] * k)
    a = g(1.0)
    d["a"] = x * x
    return a + g(1.0)


def array_that_changes(x):
    a = np.array([x, x])
    g = cache(lambda k: a[0] * k)
    u = g(1.0)
    a[0] = 7.0
    return u + g(1.0)


def object_that_changes(x):
    p = C(x)
    g = cache(lambda k: p.v * k)
    u = g(1.0)
    p.v = x * x
    return u + g(1.0)


def outside_that_changes(x):
    g = cache(lambda k: thing.v * k)
    return g(2.0) * x


def written_result(x):
    g = cache(lambda k: [k * x])
    a = g(1.0)
    a.append(3.0)
    return sum(g(1.0))


def counted(x):
    c = 0

    @cache
    def g(k):
        nonlocal c
        c += 1
        return k * x

    return (g(1.0) + g(1.0)) * c


def drawn(x):
    g = cache(lambda k: k * x + np.random.rand())
    return (g(1.0) - g(1.0)) * x


def in_a_nested_comprehension(x):
    def h():
        return [cache(lambda k: i * k * x)(2.0) for i in range(3)]

    return h()[2]


def in_a_comprehension(x):
    return [cache(lambda k: i * k * x)(2.0) for i in range(3)][2]


NESTED = (
    rebound, counts, bound_in_a_loop, bound_further_out, through_a_sibling, changed_by_methods,
    default_that_changes, dict_that_changes, array_that_changes, object_that_changes, outside_that_changes, written_result,
    counted, drawn, in_a_comprehension, in_a_nested_comprehension,
)  # fmt: skip


class WithMethods:
    @staticmethod
    @cache
    def of_nothing(n):
        return n * 2.0

    @lru_cache
    def method(self, n):
        return n

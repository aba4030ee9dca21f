"""What scripts do besides computing: clocks, logs, warnings, text, checks, constants of other kinds; less common calls."""

import contextlib
import enum
import functools
import itertools
import logging
import math
import operator
import time
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np

LOG = logging.getLogger(__name__)
CONDITIONS = np.array([True, False, True])
SPEC = "i,i->"
HALF = Fraction(1, 2)
PRECISE = Decimal("0.25")


class Method(enum.Enum):
    LINEAR = "linear"
    SQUARE = "square"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 3


def a_clock(s):
    start = time.time()
    v = s * s
    elapsed = time.time() - start
    return v if elapsed < 1e6 else v * 0.0


def a_performance_counter(s):
    start = time.perf_counter()
    v = math.sin(s)
    if time.perf_counter() - start > 1e6:
        return 0.0
    return v


def a_log(s):
    LOG.debug("at %s", s)
    LOG.info("starting")
    return s**2


def a_log_of_the_module(x):
    logging.debug("shape %s", x.shape)
    return np.sum(x)


def a_warning(s):
    if s > 100.0:
        warnings.warn("large", RuntimeWarning, stacklevel=2)
    return s * 3.0


def prints(s):
    if s > 100.0:
        print(f"s = {s:.3f}")
    return s * s


def an_enumeration(s, method=Method.SQUARE):
    if method is Method.LINEAR:
        return s
    return s * s


def an_integer_enumeration(s):
    return s ** int(Level.HIGH) * Level.LOW


def a_fraction_outside(s):
    return s * float(HALF)


def a_decimal_outside(s):
    return s + float(PRECISE)


def einsum_outside(x):
    return np.einsum(SPEC, x, x)


def einsum_sublists(x):
    return np.einsum(x, [0], x, [0], [])


def select_outside(x):
    return np.sum(np.select([CONDITIONS, x > 100.0], [x * 2.0, x], default=x**2))


def where_outside(x):
    return np.sum(np.where(CONDITIONS, x, x**2))


def operators_by_name(s):
    table = {"+": operator.add, "*": operator.mul}
    return table["*"](table["+"](s, 1.0), s)


def item_getters(s):
    get = operator.itemgetter(1)
    return get((1.0, s)) * s


def attribute_getters(x):
    return np.sum(operator.attrgetter("T")(np.outer(x, x)))


def a_null_context(s):
    with contextlib.nullcontext():
        v = s * 2.0
    return v * v


def an_error_state(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        r = x / (x + 1.0)
    return np.sum(r)


def a_suppressed_error(s):
    v = s
    try:
        v = v * s
    except ZeroDivisionError:
        v = 0.0
    return v


def finally_at_the_end(s):
    n = 0
    try:
        v = s * s
    finally:
        n += 1
    return v * n


def an_assertion_with_text(s):
    assert s > 0, f"positive, not {s}"
    return math.log(s)


def star_expression(x):
    a, *rest = x
    return a * sum(rest)


def walrus(s):
    if (t := s * s) > 1.0:
        return t * 2.0
    return t


def while_else(s):
    k, v = 0, s
    while k < 3:
        v = v * s
        k += 1
    else:
        v = v + 1.0
    return v


def for_else(s):
    for k in range(3):
        if k > 5:
            break
        s = s + k
    else:
        s = s * s
    return s


def nested_loops_with_breaks(s):
    out = 0.0
    for i in range(4):
        for j in range(4):
            if j > i:
                break
            if (i + j) % 3 == 0:
                continue
            out += s * i + j * s * s
    return out


def conditional_expressions(s):
    return (s if s > 2 else s * s) + (1.0 if s < 0 else math.exp(s))


def chained_assignment(s):
    a = b = s * 2.0
    a = a + 1.0
    return a * b


def multiple_targets(x):
    (a, b), c = (x[0], x[1]), x[2]
    a, b = b, a
    return a**2 * b + c


def augmented(s):
    s += 1.0
    s *= s
    s -= 0.5
    s /= 2.0
    s **= 2
    return s


def an_array_in_place(x):
    y = x.copy()
    y += x
    y[1:] *= 2.0
    y[::2] -= 0.5
    return np.sum(y * x)


def diag_is_a_new_array(x):
    d = np.diag(x)
    d = d.copy()
    d[0, 1] = 2.0
    return np.sum(d @ d)


def comprehension_with_conditions(x):
    return sum(v * v for v in x if v > 1.0) + max([v for v in x if v < 2.0])


def dict_comprehension(x):
    d = {k: v**2 for k, v in zip("abc", x)}
    return d["a"] * d["c"]


def generator_in_any(x):
    return np.sum(x) if any(v > 2.0 for v in x) else 0.0 * x[0]


def mapped_and_filtered(x):
    return sum(map(lambda v: v * v, filter(lambda v: v > 1.0, [x[0], x[1], x[2]])))


def zipped_with_strides(x):
    return sum(a * b for a, b in zip(x[:-1], x[1:]))


def enumerated_from_one(x):
    return sum(k * v for k, v in enumerate(x, 1))


def reversed_ranges(x):
    out = 0.0
    for k in reversed(range(len(x))):
        out = out * 0.5 + x[k]
    return out


def string_keys(s):
    names = "alpha beta gamma".split()
    values = dict(zip(names, (s, s * s, 2.0)))
    return values["alpha"] + values["gamma"] * values["beta"]


def formatted_keys(s):
    d = {f"w{k}": s * k for k in range(3)}
    return sum(d[f"w{k}"] ** 2 for k in range(3))


def starmapped(s):
    return sum(itertools.starmap(lambda a, b: a * b, [(s, 2.0), (s, s)]))


def chained_iterators(x):
    return sum(v * v for v in itertools.chain(x, [1.0], x[:1]))


def lru_cached(s):
    @functools.lru_cache(maxsize=None)
    def fib(n):
        return s if n < 2 else fib(n - 1) + fib(n - 2) * s

    return fib(5)


def nonlocal_state(s):
    total = 0.0

    def add(v):
        nonlocal total
        total += v
        return total

    add(s)
    add(s * s)
    return total * add(1.0)


def a_class_of_constants(s):
    return s * Constants.G + Constants.table["a"] * s


class Constants:
    G = 9.81
    table = {"a": 2.0}


def class_methods(s):
    return Shape.unit().area(s) + Shape.sides


class Shape:
    sides = 4

    def __init__(self, k):
        self.k = k

    @classmethod
    def unit(cls):
        return cls(1.0)

    def area(self, s):
        return self.k * self.half(s) ** 2

    @staticmethod
    def half(s):
        return s / 2.0


class Base:
    def __init__(self, v, **kwargs):
        self.v = v
        self.extra = kwargs.get("extra", 1.0)

    def energy(self):
        return self.v**2


class Scaled(Base):
    def __init__(self, v, k=2.0, **kwargs):
        super().__init__(v, **kwargs)
        self.k = k

    def energy(self):
        return self.k * super().energy() * self.extra


def inheritance(s):
    return sum(m.energy() for m in (Base(s), Scaled(s), Scaled(s, 3.0, extra=s)))


class Mixin:
    def doubled(self):
        return 2.0 * self.energy()


class Mixed(Mixin, Scaled):
    pass


def mixins(s):
    return Mixed(s, k=s).doubled()


class Sequence:
    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, k):
        return self.items[k]

    def __contains__(self, v):
        return v in self.items


def sequence_protocol(s):
    q = Sequence([s, 2.0, s * s])
    return sum(q[k] for k in range(len(q))) * (2.0 if 2.0 in (2.0, 3.0) else 1.0)


class Context:
    def __init__(self):
        self.depth = 0

    def __enter__(self):
        self.depth += 1
        return self

    def __exit__(self, *error):
        self.depth -= 1
        return False


def a_context_of_ones_own(s):
    with Context() as c:
        v = s * c.depth
    return v * s + c.depth


def vectorised(x):
    return np.sum(np.vectorize(lambda v: v * v if v > 1.0 else v)(x))


def applied_along_an_axis(x):
    return np.sum(np.apply_along_axis(lambda r: r * r[0], 0, np.outer(x, x)))


def piecewise(x):
    return np.sum(np.piecewise(x, [x < 1.0, x >= 1.0], [lambda v: v * 2.0, lambda v: v**2]))


def masked_updates(x):
    y = np.zeros_like(x)
    m = x > 1.0
    y[m] = x[m] ** 2
    y[~m] = -x[~m]
    return np.sum(y)


def cumulative(x):
    return np.cumsum(x)[-1] * np.cumprod(x)[1] + np.diff(x)[0]


def padded_windows(x):
    p = np.pad(x, 1, mode="edge")
    return np.sum(p[:-2] * p[2:])


def meshes(x):
    a, b = np.meshgrid(x, x[:2], indexing="ij")
    return np.sum(a * b**2)


def stacked(x):
    return np.sum(np.vstack([x, x * 2.0]) @ np.column_stack([x, np.ones(3)]))


def rolled(x):
    return np.sum(np.roll(x, 1) * x - np.flip(x))


def tensors(x):
    return np.sum(np.tensordot(np.outer(x, x), x, axes=1)) + np.trace(np.kron(np.diag(x), np.eye(2)))

"""Dicts and objects that get keys and fields in a loop: each iteration finds what the one before has left."""

import collections
import zlib

import numpy as np
import pytest

from s2sad import S2sadError, check_grads, grad
from s2sad.errors import CompilerError
from s2sad.runtime.guards import MOST_ITEMS

MODES = ("tangent", "adjoint")


class Sched:
    def __init__(self, lr):
        self.lr = lr
        self.cache = {}

    def step(self, name, p, g):
        if name not in self.cache:
            self.cache[name] = np.zeros_like(g)
        self.cache[name] = 0.9 * self.cache[name] + self.lr * g
        return p - self.cache[name]


def momentum(x):
    s = Sched(x[0])
    p = x
    for k in range(3):
        p = s.step("W", p, 2 * p)
    return np.sum(p * p)


def absent_at_first(x):
    cache = {}
    p = x
    for k in range(3):
        if "W" not in cache:
            cache["W"] = np.zeros_like(p)
        cache["W"] = 0.9 * cache["W"] + x[0] * p
        p = p - cache["W"]
    return np.sum(p * p)


def numbers(x):
    cache = {}
    p = x
    for k in range(3):
        if "W" not in cache:
            cache["W"] = 0.0
        cache["W"] = 0.9 * cache["W"] + x[0] * p[1]
        p = p - cache["W"]
    return np.sum(p * p)


class C:
    n = 1.0

    def step(self, v):
        self.n = self.n * v
        return self.n


def a_number_of_the_class(x):
    c = C()
    s = 0.0
    for v in x:
        s += c.step(v)
    return s


class D:
    def step(self, v):
        if not hasattr(self, "t"):
            self.t = v
        self.t = self.t * v
        return self.t


def has_an_attribute(x):
    c = D()
    s = 0.0
    for v in x:
        s += c.step(v)
    return s


class E_:
    def step(self, v):
        self.t = getattr(self, "t", 1.0) * v
        return self.t


def getattr_with_a_default(x):
    c = E_()
    s = 0.0
    for v in x:
        s += c.step(v)
    return s


def get(x):
    d = {}
    s = 0.0
    for v in x:
        s += d.get("a", 1.0) * v
        d["a"] = v
    return s


def length(x):
    d = {}
    s = 0.0
    for v in x:
        s += v * len(d)
        d["a"] = v
    return s


def truth(x):
    d = {}
    s = 0.0
    for v in x:
        if d:
            s += d["a"] * v
        d["a"] = v
    return s


def run_over(x):
    d = {}
    s = 0.0
    for v in x:
        for k in d:  # noqa: PLC0206
            s += d[k] * v
        d["a"] = v
    return s


def popped(x):
    d = {"b": x[0]}
    s = 0.0
    for v in x:
        if "b" in d:
            s += d.pop("b") * v
        s += v
    return s


def setdefault(x):
    d = {}
    s = 0.0
    for v in x:
        d.setdefault("a", v)
        s += d["a"] * v
    return s


def key_error(x):
    d = {}
    s = 0.0
    k = 0
    while k < 3:
        try:
            s += d["a"] * x[k]
        except KeyError:
            s += 1.0
        d["a"] = x[k]
        k += 1
    return s


def written_out(x):
    d = {}
    s = 0.0
    for k in range(3):
        if "a" in d:
            s += d["a"] * x[k]
        d["a"] = x[k] ** 2
    return s


class Lazy:
    W = None

    def fwd(self, v):
        if self.W is None:
            self.W = v * 2
        return self.W * v


def none_of_the_class(x):
    l = Lazy()
    s = 0.0
    for v in x:
        s += l.fwd(v)
    return s


def none_of_the_class_in_two_loops(x):
    l = Lazy()
    s = 0.0
    for k in range(3):
        for j in range(2):
            s += l.fwd(x[k]) * j
    return s


def in_a_while_loop(x):
    d = {"n": 0}
    s = 0.0
    i = 0
    while i < 3:
        if "m" in d:
            d["n"] += 1
        else:
            d["m"] = x[0]
        s += d["m"] * d["n"] * x[i]
        i += 1
    return s


def a_set(x):
    seen = set()
    s = 0.0
    for k in (0, 1, 0, 2):
        if k in seen:
            continue
        seen.add(k)
        s += x[k] ** 2
    return s


class Acc:
    def __init__(self):
        self.first = True

    def add(self, v):
        if self.first:
            self.total = v
            self.first = False
        else:
            self.total = self.total + v * v
        return self.total


def under_a_flag(x):
    a = Acc()
    for v in x:
        y = a.add(v)
    return y * a.total


def a_new_field(x):
    a = Acc()
    for v in x:
        a.extra = v * 2
        y = a.extra * v
    return y * a.extra


def defaultdict(x):
    d = collections.defaultdict(float)
    s = 0.0
    for v in x:
        d["k"] += v
        s += d["k"] * len(d)
    return s


def ordered(x):
    c = collections.OrderedDict()
    for v in x:
        c["a"] = c.get("a", 0.0) + v * v
    return c["a"] * len(c)


def r_keywords(x):
    kw = {}
    s = 0.0

    def f(v, scale=1.0):
        return v * scale

    for v in x:
        s += f(v, **kw)
        kw["scale"] = 2.0
    return s


def two_loops(x):
    d = {}
    s = 0.0
    for k in range(2):
        for j in range(3):
            if "a" in d:
                s += d["a"] * x[j] * (k + 1)
            d["a"] = x[j] ** 2
    return s


def set_in_an_inner_loop(x):
    d = {}
    s = 0.0
    for v in x:
        if "a" in d:
            s += d["a"]
        for w in x:
            d["a"] = v * w
    return s


class Q:
    def __init__(self):
        pass

    def go(self, v):
        self.z = v
        return self.z * 2


def set_by_a_method(x):
    q = Q()
    s = 0.0
    for v in x:
        s += q.go(v)
        s += q.z
    return s * q.z


def attribute_error(x):
    q = Q()
    s = 0.0
    for v in x:
        try:
            s += q.z
        except AttributeError:
            s += 1.0
        q.z = v
    return s


OWN = [
    f
    for f in list(globals().values())
    if getattr(f, "__module__", "") == __name__ and not isinstance(f, type)
]
RIGHT = [f for f in OWN if not f.__name__.startswith("r_")]
POINT = np.array([0.7, 1.3, 2.1])


@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_is_right(function):
    mode = MODES[zlib.crc32(function.__name__.encode()) % 2]
    check_grads(function, (POINT,), modes=(mode,), rtol=2e-4, atol=2e-7)


LONG = [attribute_error, r_keywords]


@pytest.mark.parametrize("function", [has_an_attribute, getattr_with_a_default], ids=lambda f: f.__name__)
def test_whether_a_field_is_there_is_asked_as_the_program_runs(function):
    check_grads(function, (np.linspace(0.5, 1.5, MOST_ITEMS + 1),))


@pytest.mark.parametrize("function", LONG, ids=lambda f: f.__name__)
def test_is_refused_where_it_takes_too_many_steps(function):
    with pytest.raises(S2sadError) as caught:
        grad(function)(np.linspace(0.5, 1.5, MOST_ITEMS + 1))
    assert not isinstance(caught.value, CompilerError)
    assert __file__ in str(caught.value)

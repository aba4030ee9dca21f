"""Classes on top of list and dict: results with attributes, sequences of layers, vectors, caches that fill themselves."""

import collections
import copy
import functools
import math

import numpy as np


class OptimizeResult(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(name) from error

    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__


def descend(fun, start, args=(), maxiter=4, rate=0.1):
    at, nit = np.asarray(start).flatten(), 0
    while nit < maxiter:
        at, nit = at - rate * 2 * (at - args[0]), nit + 1
    return OptimizeResult(x=at, fun=fun(at, *args), nit=nit, success=True, message="done")


def a_result_with_attributes(x):
    res = descend(lambda v, c: np.sum((v - c) ** 2), x, args=(x[0] * 0.3,))
    res["extra"] = res.x[0] * 2
    res.scaled = res.fun * 3
    return res.fun + res["x"].sum() + res.extra + res.scaled * (1 if res.success else 0) + len(res)


class Sequential(list):
    def __call__(self, v):
        for layer in self:
            v = layer(v)
        return v

    def add(self, layer):
        self.append(layer)
        return self


def layers_in_a_list(s):
    net = Sequential([lambda v: s * v, np.tanh]).add(lambda v: v**2)
    return net(s + 1) + len(net)


class Net(list):
    def __init__(self, *layers):
        super().__init__(layers)
        self.calls = 0

    def __call__(self, v):
        self.calls += 1
        return functools.reduce(lambda u, layer: layer(u), self, v)

    def __add__(self, other):
        return Net(*self[:], *other[:])


def networks_that_are_joined(s):
    net = Net(lambda v: s * v, np.tanh) + Net(np.sin)
    return net(s) * net.calls + net(s) * net.calls


class History(list):
    def append(self, v):
        super().append(v * 2)

    @property
    def mean(self):
        return sum(self) / len(self)


def a_history_that_scales(x):
    kept = History([x[0] * 1.07])
    for v in x:
        kept.append(v)
    kept += [1.01]
    kept.extend([2.0, x[1]])
    kept.sort()
    return kept.mean + kept[0] * kept[-1] + max(kept) + sum(i * v for i, v in enumerate(kept)) + kept.pop(0) + len(kept[1:])


class Settings(dict):
    def __init__(self, **named):
        dict.__init__(self, **named)
        self.count = len(self)

    def __setitem__(self, key, v):
        dict.__setitem__(self, key, v * 2)

    def __getitem__(self, key):
        return dict.__getitem__(self, key) + 1


def items_that_are_changed_on_the_way(s):
    d = Settings(a=s, b=s**2)
    d["c"] = s * 3
    return d["a"] * d["c"] + d.count + sum(d.values()) + d.get("b") + ("a" in d) + d.get("zz", s)


class Namespace(dict):
    def __getattr__(self, key):
        if key in self:
            return self[key]
        raise AttributeError(key)

    def __setattr__(self, key, v):
        self[key] = v


def attributes_that_are_keys(s):
    d = Namespace(a=s)
    d.b = s + 1
    d.a = d.a * d.b
    e, f = Namespace(d), d.copy()
    e.a += 1
    f["a"] = 7.0
    d.update(z=s)
    d.setdefault("q", 2.0)
    return d.a + e.a * d.b + len(d) + sum(v for v in e.values()) + d.q * d.z + f["a"] * f["b"]


def copies_of_namespaces(s):
    d = Namespace(a=s, b=2.0)
    c, k = copy.copy(d), copy.deepcopy(d)
    c.a, k["b"] = 3.0, s
    return (lambda a, b: a * b)(**d) + c.a * d.a + k.b * k.a + (1 if d else 2) + {**d}["a"] + (d | {"b": s})["b"]


class Padded(list):
    def __getitem__(self, i):
        return list.__getitem__(self, i) if i < len(self) else 0.5

    def __iter__(self):
        for i in range(len(self)):
            yield self[i] * 2


def items_beyond_the_end(s):
    m = Padded([s, s**2])
    return m[0] + m[5] * s + sum(m) + sum(m[i] for i in range(3)) + sum(list(m))


class Powers(dict):
    def __init__(self, function):
        self.function = function

    def __missing__(self, key):
        v = self[key] = self.function(key)
        return v


def a_cache_that_fills_itself(s):
    kept, total = Powers(lambda k: s**k), 0.0
    for k in (1, 2, 1, 3):
        total = total + kept[k]
    return total * len(kept)


def a_cache_in_a_loop(s, n=5):
    kept, total = Powers(lambda k: s**k), 0.0
    for k in range(n):
        total = total + kept[k % 3]
    return total * len(kept)


class Fibonacci(dict):
    def __missing__(self, n):
        v = self[n] = self[n - 1] + self[n - 2]
        return v


def a_recursion_by_missing_keys(s):
    return Fibonacci({0: s, 1: s**2})[6]


class Vector(list):
    def __add__(self, other):
        return Vector([a + b for a, b in zip(self, other, strict=True)])

    def __mul__(self, k):
        return Vector([a * k for a in self])

    __rmul__ = __mul__

    def dot(self, other):
        return sum(a * b for a, b in zip(self, other, strict=True))

    @property
    def norm(self):
        return math.sqrt(self.dot(self))


def vectors_with_operators(s):
    v = Vector([s, s**2])
    w = 2 * v + v * s
    w = w + Vector([1.0, s])
    return w.dot(v) + w.norm


def a_vector_by_branch(s):
    v = Vector([s, 1.0]) if s > 0 else Vector([s * 2, 3.0])
    v.append(s**2)
    return v.dot(v)


def the_longest_vector(x):
    best = None
    for item in x:
        v = Vector([item, item**2])
        if best is None or v.dot(v) > best.dot(best):
            best = v
    return best.norm + best[1]


class Population(list):
    def step(self, k):
        self[:] = [v * k for v in self]
        return self

    def reset(self):
        self.clear()
        self.extend([1.0, 2.0])
        return self


def a_population_under_two_names(s):
    p = Population([s, 1.0])
    for _ in range(3):
        p.step(s)
    q = p
    q.append(s)
    total = sum(p) + len(p)
    p.reset()
    return total * sum(q)


def populations_in_a_list(s):
    first, second = Population(), Population([s])
    for each in [first, second]:
        each.append(s**2)
    return sum(sum(each) for each in (first, second)) + second[0]


def handed_on(p, v):
    p.append(v)
    return Population(item * 2 for item in p)


def a_population_handed_on(s):
    p = Population([s])
    q = handed_on(p, s**2)
    return sum(p) * sum(q)


def halved(p, n):
    if n == 0:
        return sum(p)
    p.append(p[-1] * 0.5)
    return halved(p, n - 1)


def a_population_in_a_recursion(s):
    return halved(Population([s]), 3) * s


def every_use_of_a_sequence(s):
    p = Population([s, 2.0])
    a, b = p
    first, *rest = p
    found = a * b + first + sum(rest) + math.prod(p) + sum(map(lambda v: v * 2, p)) + sorted(p)[0] + min(*p)
    return found + np.sum(p) + np.mean(np.asarray(p)) + (2.0 in p) + functools.reduce(lambda u, v: u * v, p, s)


def joined_and_repeated(s):
    p = Population([s, 2.0])
    return sum(p + [s]) + sum([s] + p) + sum(p * 2) + len(p + p)


def methods_of_the_class_itself(s):
    p, q, d = Population([s, 2.0]), [1.0], {}
    list.append(p, s)
    list.append(q, s)
    dict.update(d, a=s)
    return sum(p) + sum(q) + d["a"]


class Ordered(collections.OrderedDict):
    def first(self):
        return next(iter(self.values()))


def an_ordered_table(s):
    m = Ordered()
    m["a"] = s
    m["b"] = s**2
    m.move_to_end("a")
    return m.first() * m["a"] + isinstance(m, dict)


class Guarded:
    def __init__(self, w):
        self.w = w

    def __setattr__(self, name, v):
        if name.startswith("_"):
            raise AttributeError(name)
        super().__setattr__(name, v * 2)


def fields_that_are_set_another_way(s):
    g = Guarded(s)
    g.w += s
    return g.w**2

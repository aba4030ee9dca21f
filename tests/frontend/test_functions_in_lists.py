"""Functions and objects collected in lists, whose lengths are known when the program is compiled."""

import zlib

import numpy as np
import pytest

from s2sad import S2sadError, check_grads, grad
from s2sad.errors import CompilerError
from s2sad.runtime.guards import MOST_ITEMS

MODES = ("tangent", "adjoint")


def augmented_under_two_names(x):
    a = [np.sin]
    b = a
    a += [np.cos]
    for f in b:
        x = f(x)
    return x


def augmented_tuples(x):
    a = [(x[0], 1.0), ("a", x[1])]
    b = a
    a += [(x[2], 2.0)]
    return sum(len(v) for v in b) * x


def appended_under_two_names(x):
    a = [np.sin]
    b = a
    a.append(np.cos)
    for f in b:
        x = f(x)
    return x * len(b)


def appended_one_by_one(x):
    layers = []
    layers.append(lambda v: v * 2)
    layers.append(np.sin)
    layers.append(lambda v: v * x[0])
    for f in layers:
        x = f(x)
    return x


def appended_in_a_loop(x):
    layers = []
    for k in range(3):
        layers.append(lambda v, k=k: v * (k + 1))
    for f in layers:
        x = f(x)
    return x


def late_bound(x):
    layers = []
    for k in range(3):
        layers.append(lambda v: v * (k + 1))
    for f in layers:
        x = f(x)
    return x


def as_many_as_items(x):
    fs = []
    for v in x:
        fs.append(lambda y, v=v: y * v)
    return sum(f(2.0) for f in fs)


def on_one_path(x):
    fs = [np.sin]
    if x[0] > 0:
        fs.append(np.cos)
    for f in fs:
        x = f(x)
    return x


def build(act, n):
    net = []
    for k in range(n):
        net.append(act if k < n - 1 else (lambda v: v))
        net.append(np.tanh)
    return net


def built_by_a_helper(x):
    for f in build(np.sin, 3):
        x = f(x)
    return x


class Net:
    def __init__(self):
        self.layers = []

    def add(self, f):
        self.layers.append(f)
        return self

    def __call__(self, x):
        for f in self.layers:
            x = f(x)
        return x


def a_field(x):

    return Net().add(np.sin).add(lambda v: v * v)(x)


def popped_and_inserted(x):
    n = Net()
    n.add(np.sin)
    n.add(np.exp)
    n.layers.pop()
    n.layers.insert(0, np.cos)
    return n(x) * len(n.layers)


class Dense:
    def __init__(self, w):
        self.w = w
        self.X = None

    def __call__(self, x):
        self.X = x
        return self.w * x


def objects_and_functions(x):
    n = Net()
    n.add(Dense(x[0]))
    n.add(np.sin)
    n.add(Dense(2.0))
    y = n(x)
    return y * n.layers[0].X


def objects_in_a_loop(x):
    ls = []
    for k in range(2):
        ls.append(Dense(x[k]))
    for l in ls:
        x = l(x)
    return x


def in_a_dict(x):
    t = {"f": []}
    t["f"].append(np.sin)
    t["f"].append(lambda v: v * 3)
    for f in t["f"]:
        x = f(x)
    return x


def by_index(x):
    fs = []
    fs.append(np.sin)
    fs.append(np.cos)
    s = 0.0
    for k in range(2):
        s = s + fs[k](x)
    return s + fs[-1](x)


def r_grown_on_the_way(x):
    fs = [np.sin]
    for f in fs:
        x = f(x)
        if len(fs) < 3:
            fs.append(np.cos)
    return x


def registered(x):
    cbs = []

    def register(f):
        cbs.append(f)
        return f

    @register
    def a(v):
        return v * v

    @register
    def b(v):
        return np.sin(v)

    return sum(f(x) for f in cbs)


def beside_a_list(x):
    fs = []
    ws = []
    for k, f in enumerate((np.sin, np.cos)):
        fs.append(f)
        ws.append(x[k])
    return sum(w * f(x) for w, f in zip(ws, fs))


def extended_and_reversed(x):
    fs = [np.sin]
    g = fs
    fs.extend([np.cos, np.exp])
    fs.reverse()
    for f in g:
        x = f(x)
    return x


HELPERS = ("Net", "Dense", "build")
OWN = [
    f
    for f in list(globals().values())
    if getattr(f, "__module__", "") == __name__ and f.__name__ not in HELPERS
]
RIGHT = [f for f in OWN if not f.__name__.startswith("r_")]
POINT = np.array([0.7, 1.3, 2.1])


@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_is_right(function):
    mode = MODES[zlib.crc32(function.__name__.encode()) % 2]
    check_grads(function, (POINT,), modes=(mode,), rtol=2e-4, atol=2e-7)


def test_the_length_must_be_known():
    with pytest.raises(S2sadError, match="the method 'append' of this list"):
        grad(as_many_as_items)(np.linspace(0.5, 1.5, MOST_ITEMS + 1))


@pytest.mark.parametrize("function", [f for f in OWN if f not in RIGHT], ids=lambda f: f.__name__)
def test_is_refused(function):
    with pytest.raises(S2sadError) as caught:
        grad(function)(POINT)
    assert not isinstance(caught.value, CompilerError)
    assert __file__ in str(caught.value)

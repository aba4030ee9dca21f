"""Programs with checkpointed calls in all positions, of an array `x` or of `x` and a matrix `w`."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np

from s2sad import checkpoint, grad, jvp, vjp

X = np.linspace(0.2, 1.1, 5)
W = np.linspace(-0.5, 0.7, 25).reshape(5, 5)


@checkpoint
def layer(x, w):
    return np.tanh(w @ x) + 0.3 * x


@checkpoint
def fill(t, x):
    t[1:-1] = np.sin(x[1:-1]) * t[:-2]
    t[0] *= x[0]


@checkpoint
def inner(x):
    return np.exp(-x) * x


@checkpoint
def outer(x):
    y = inner(x)
    return inner(y) + np.sin(x * y)


@checkpoint
def two(x, a):
    return np.sin(x) * a, np.sum(x * a)


@checkpoint
def branchy(x, k):
    if k % 2 == 0:
        return np.sin(x)
    return x * x


@checkpoint
def rec(x, n):
    if n == 0:
        return x
    return rec(np.sin(x) + 0.1, n - 1) * 1.1


def layers(x):
    for _ in range(3):
        x = layer(x, W)
    return np.sum(x**2)


def input_overwritten(x, w):
    y = layer(x, w)
    x[2] = 3.0  # the input is overwritten afterwards
    return np.sum(y * x)


def filled_in_place(x):
    t = np.ones(5)
    for _ in range(3):
        fill(t, x)
    return np.sum(t**2)


def nested(x):
    return np.sum(outer(x))


def two_results(x):
    s = 0.0
    for k in range(4):
        y, z = two(x, s + 1.0)
        s = s + np.sum(y) * z
    return s


def branches_inside(x):
    for k in range(4):
        x = branchy(x, k)
    return np.sum(x)


def closure(x):
    a = np.sum(x)

    def body(y):
        return np.sin(a * y) + x

    body = checkpoint(body)
    y = x
    for _ in range(3):
        y = body(y)
    return np.sum(y)


def nonlocal_variable(x):
    a = 2.0

    @checkpoint
    def step():
        nonlocal a
        a = a * np.sum(np.sin(x) * a)

    step()
    step()
    return a


class Net:
    def __init__(self, w):
        self.w = w
        self.total = 0.0

    @checkpoint
    def __call__(self, x):
        self.total += np.sum(x * x)
        return np.tanh(self.w @ x)

    @checkpoint
    def forward(self, x):
        return np.tanh(self.w @ x)


def method_in_loop(x, w):
    net = Net(w)
    for _ in range(3):
        x = net.forward(x)
    return np.sum(x)


def bound_method(x, w):
    net = Net(w)
    x = net.forward(x)
    x = checkpoint(net.forward)(x)
    return np.sum(x)


def fields_that_change(x, w):
    net = Net(w)
    y = x
    for _ in range(3):
        y = checkpoint(lambda z: np.sin(z) * np.sum(net.w))(y)
    net.w = net.w * 2.0
    y = checkpoint(lambda z: np.sin(z) * np.sum(net.w))(y)
    return np.sum(y)


def dictionary(x):
    d = {"a": x, "b": np.sum(x)}

    @checkpoint
    def step(d):
        return {"a": np.sin(d["a"]) * d["b"], "b": d["b"] * 0.9}

    for _ in range(3):
        d = step(d)
    return np.sum(d["a"]) + d["b"]


def list_that_grows(x):
    xs = [x[i] for i in range(5)]

    @checkpoint
    def total(xs):
        s = 0.0
        for v in xs:
            s = s + np.sin(v) * v
        return s

    a = total(xs)
    xs.append(a)
    b = total(xs)
    xs[0] = b
    return total(xs) * a


def recursion(x):
    return np.sum(rec(x, 3))


def buffers_swapped(x):
    u = x.copy()
    v = np.zeros(5)
    for _ in range(4):

        @checkpoint
        def step(u, v):
            v[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1]
            v[0] = u[0]
            v[-1] = u[-1]

        step(u, v)
        u, v = v, u
    return np.sum(u**2)


def rows_of_a_matrix(x):
    a = np.outer(x, x)

    @checkpoint
    def rows(row):
        row *= np.sin(row)

    for i in range(5):
        rows(a[i])
    return np.sum(a * a)


def in_branch_and_while(x):
    if x[0] > 0:
        y = layer(x, W)
    else:
        y = x
    while np.sum(y * y) > 0.5:
        y = layer(y, 0.2 * W)
    return np.sum(y)


def inner_descent(x):
    def loss(w):
        return np.sum(layer(w * x, W) ** 2)

    w = np.ones(5)
    for _ in range(2):
        w = w - 0.1 * grad(loss)(w)
    return np.sum(w * x)


def derivatives_of_it(x):
    def f(y):
        return layer(y, W)

    a, b = jvp(f, (x,), (x * x,))
    y, pull = vjp(f, x)
    (c,) = pull(a)
    return np.sum(b * c)


@checkpoint
def with_inner(x):
    return grad(lambda y: np.sum(np.sin(y) * y * x))(x * x)


def derivative_inside(x):
    return np.sum(with_inner(x) ** 2)


def results_in_a_list(x):
    acc = []
    for k in range(4):
        acc.append(branchy(x * (k + 1.0), k))
    return sum(np.sum(v) for v in acc)


@dataclasses.dataclass
class State:
    u: np.ndarray
    t: float


@checkpoint
def advance(s):
    return State(np.sin(s.u) * s.t, s.t * 1.1)


def dataclass(x):
    s = State(x, 1.0)
    for _ in range(3):
        s = advance(s)
    return np.sum(s.u) * s.t


@checkpoint
def inplace_state(s):
    s.u[1:] += np.sin(s.u[:-1]) * s.t
    s.t = s.t * 1.2


def dataclass_in_place(x):
    s = State(x.copy(), 1.0)
    for _ in range(3):
        inplace_state(s)
    return np.sum(s.u**2) * s.t


def numpy_functions(x):
    u = x.copy()
    a = checkpoint(np.sin)(u)
    u[0] = 5.0
    b = checkpoint(functools.partial(np.multiply, 2.0))(u)
    return np.sum(a * b)


def captured_buffer(x):
    b = np.zeros(5)

    @checkpoint
    def put(i, v):
        b[i] = v * b[i - 1] + v * v

    for i in range(5):
        put(i, x[i])
    b *= b
    for i in range(5):
        put(i, b[i])
    return np.sum(b)


def rows_filled(x):
    m = np.zeros((3, 5))
    m[0] = x

    @checkpoint
    def nxt(i):
        m[i] = np.sin(m[i - 1]) + m[i - 1] * x

    nxt(1)
    nxt(2)
    m[0] = 0.0
    return np.sum(m[2] * m[1])


def block_of_checkpoints(x):
    def block(y, k):
        for _ in range(2):
            y = layer(y, W)
        return y * k

    for k in range(3):
        x = checkpoint(block)(x, 0.5 + k)
    return np.sum(x)


@checkpoint
def add_into(out, x):
    out += np.sin(x) * out
    return np.sum(out)


def parameter_called_out(x):
    out = x.copy()
    s = 0.0
    for k in range(3):
        s = s + add_into(out, x) * np.sum(out)
        out[k] = s
    return s


PROGRAMS = (
    parameter_called_out,
    layers,
    input_overwritten,
    filled_in_place,
    nested,
    two_results,
    branches_inside,
    closure,
    nonlocal_variable,
    method_in_loop,
    bound_method,
    fields_that_change,
    dictionary,
    list_that_grows,
    recursion,
    buffers_swapped,
    rows_of_a_matrix,
    in_branch_and_while,
    inner_descent,
    derivatives_of_it,
    derivative_inside,
    results_in_a_list,
    dataclass,
    dataclass_in_place,
    numpy_functions,
    captured_buffer,
    rows_filled,
    block_of_checkpoints,
)

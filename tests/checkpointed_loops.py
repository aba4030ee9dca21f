"""Programs with checkpointed loops of all kinds, of an array `x` or of `x` and a matrix `w`."""

from __future__ import annotations

import numpy as np

from s2sad import checkpoint, checkpointed, grad, jvp, vjp

X = np.linspace(0.2, 1.1, 5)
W = np.linspace(-0.5, 0.7, 25).reshape(5, 5)


def rebound(x):
    for i in checkpointed(range(7), snapshots=3):
        x = np.sin(x) + 0.1 * i
    return np.sum(x)


def steps_of_three(x, w):
    t = 0.0
    for i in checkpointed(range(1, 14, 3), snapshots=2):
        x = np.tanh(w @ x) * (i + t)
        t = t + np.sum(x) / i
    return np.sum(x) * t


def buffers_swapped(x):
    u = x.copy()
    v = np.zeros(5)
    for _ in checkpointed(range(6), snapshots=3):
        v[1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1]
        v[0] = u[0]
        v[-1] = u[-1] * u[0]
        u, v = v, u
    return np.sum(u**2)


def while_loop(x):
    s = np.sum(x)
    while checkpointed(s > 0.05, snapshots=3):
        x = x * 0.8 + 0.01 * np.sin(x)
        s = s * 0.7 * np.sum(np.cos(0.1 * x)) / 5
    return np.sum(x) + s


def ends_early(x):
    s = 0.0
    for i in checkpointed(range(30), snapshots=4):
        s = s + np.sum(np.sin(x + s))
        x = x * 0.9
        if s > 6.0:
            break
    return s * np.sum(x)


def filled_in_order(x):
    a = np.zeros(6)
    a[0] = x[0]
    for i in checkpointed(range(5), snapshots=2):
        a[i + 1] = np.sin(a[i]) * x[i] + a[i]
    return np.sum(a * a)


def within_a_loop(x):
    y = 0.0
    for k in range(3):
        u = x * (k + 1.0)
        for i in checkpointed(range(4 + k), snapshots=2):
            u = np.sin(u) + 0.1 * i * u
        y = y + np.sum(u)
    return y


def within_a_checkpointed_loop(x):
    for k in checkpointed(range(4), snapshots=2):
        for i in checkpointed(range(3), snapshots=2):
            x = np.sin(x) + 0.1 * i * x * k
    return np.sum(x)


def solve(u, c, n):
    for i in checkpointed(range(n), snapshots=3):
        u[1:-1] += c * (u[2:] - u[:-2]) * u[1:-1]
    return np.sum(u)


def in_a_helper(x):
    u = x.copy()
    a = solve(u, 0.1, 5)
    b = solve(u, a * 0.01, 4)
    return a * b + np.sum(u * u)


def read_before_and_written_after(x):
    u = x.copy()
    y = np.sum(u**3)
    z = np.sin(u)
    for i in checkpointed(range(5), snapshots=2):
        u *= np.cos(u) + x
    u[0] = 1.0
    return np.sum(u * z) * y


def inner_descent(x):
    def loss(w):
        u = w
        for i in checkpointed(range(5), snapshots=2):
            u = np.sin(u) * x
        return np.sum(u)

    w = x
    for _ in range(2):
        w = w - 0.1 * grad(loss)(w)
    return np.sum(w * w)


def of_checkpointed_calls(x):
    @checkpoint
    def step(y, i):
        return np.sin(y) * (1 + 0.1 * i)

    for i in checkpointed(range(6), snapshots=2):
        x = step(x, i)
    return np.sum(x)


def over_an_array(x):
    s = 0.0
    for v in checkpointed(x, snapshots=2):
        s = np.sin(s + v * v)
    return s


def over_pairs(x):
    s = 0.0
    for k, v in checkpointed(enumerate(x), snapshots=2):
        s = np.sin(s + v * v * k)
    return s


def branches_in_it(x):
    s = 1.0
    a, b = x, x * x
    for k in checkpointed(range(6), snapshots=3):
        if k % 2 == 0:
            a, b = b, a + 0.1 * b
        else:
            s = s + np.sum(a) * np.sum(b)
        if s > 1e6:
            s = s * 0.5
    return s + np.sum(a - b)


class State:
    def __init__(self, u, t):
        self.u = u
        self.t = t

    def step(self):
        self.u[1:] += 0.1 * np.sin(self.u[:-1]) * self.t
        self.t = self.t * 1.1


def object_in_place(x):
    s = State(x.copy(), 1.0)
    for _ in checkpointed(range(5), snapshots=2):
        s.step()
    return np.sum(s.u**2) * s.t


def dictionary(x):
    d = {"u": x.copy(), "n": 0.0}
    for _ in checkpointed(range(5), snapshots=2):
        d["u"] = np.sin(d["u"]) * (1 + d["n"])
        d["n"] = d["n"] + np.sum(d["u"])
    return np.sum(d["u"]) * d["n"]


def new_array_each_step(x):
    u = x.copy()
    for _ in checkpointed(range(5), snapshots=2):
        new = np.empty_like(u)
        new[1:-1] = u[1:-1] * u[2:]
        new[0] = u[0]
        new[-1] = np.sin(u[-1])
        u = new
    return np.sum(u**2)


def in_a_branch_and_empty(x):
    if x[0] > 0:
        for _ in checkpointed(range(4), snapshots=2):
            x = np.sin(x) * 1.1
    else:
        x = x * 2
    for _ in checkpointed(range(0), snapshots=2):
        x = x * x
    return np.sum(x)


def rows(x):
    m = np.outer(x, x)
    for i in checkpointed(range(5), snapshots=2):
        m[i] *= np.sin(m[i - 1])
    return np.sum(m * m)


def fixed_point(x):
    n = 0
    e = 1.0
    while checkpointed(e > 1e-3, snapshots=2):
        new = np.cos(x)
        e = np.max(np.abs(new - x))
        x = new
        n += 1
        if n > 20:
            break
    return np.sum(x) * n


def derivatives_of_it(x):
    y, pull = vjp(rebound, x)
    a = jvp(filled_in_order, (x,), (x,))[1]
    return np.sum(pull(1.0)[0]) * a


def window_moved(x):
    w = x.copy()
    for k in range(3):
        for i in checkpointed(range(4), snapshots=2):
            w[1:] += np.sin(w[:-1]) * 0.3
        w[0] = np.sum(w)
        if k == 1:
            continue
    return np.sum(w * x)


def history(x):
    hist = np.zeros((6, 5))
    hist[0] = x
    for i in checkpointed(range(1, 6), snapshots=2):
        hist[i] = np.sin(hist[i - 1]) * hist[0]
        u = hist[i]
        u[0] += 1.0
    return np.sum(hist**2)


def tuple(x):
    k = 3
    z = (x, np.sum(x))
    for i in checkpointed(range(5), snapshots=k):
        z = (np.sin(z[0]) * z[1], z[1] * 0.9)
    return np.sum(z[0]) * z[1]


def two_names(x):
    u = x.copy()
    v = u
    for i in checkpointed(range(5), snapshots=2):
        u *= 1.1
        v[0] += np.sin(u[1])
    return np.sum(u * v)


def backwards(x):
    steps = range(1, 6, 2)
    for i in checkpointed(reversed(steps), snapshots=2):
        x = np.sin(x) * (i + 1) * x[0]
    return np.sum(x)


PROGRAMS = (
    backwards,
    rebound,
    steps_of_three,
    buffers_swapped,
    while_loop,
    ends_early,
    filled_in_order,
    within_a_loop,
    within_a_checkpointed_loop,
    in_a_helper,
    read_before_and_written_after,
    inner_descent,
    of_checkpointed_calls,
    over_an_array,
    over_pairs,
    branches_in_it,
    object_in_place,
    dictionary,
    new_array_each_step,
    in_a_branch_and_empty,
    rows,
    fixed_point,
    derivatives_of_it,
    window_moved,
    history,
    tuple,
    two_names,
)

"""Small programs of numbers and element accesses, each with arguments: ``PROGRAMS``."""

from __future__ import annotations

import math

import numpy as np

from benchmarks import kernels
from benchmarks.kernels import bodies, heat_by_elements, logistic_map, rosenbrock, scatter, thomas


def newton(a):
    x = a
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x


def weighted(x):
    w = np.array([0.5] + [0.25] * 4)
    return np.sum(w * x[0] * x[1])


def two_lists(x):
    r = []
    q = []
    for v in x:
        r.append(v * 2.0)
        q.append(max(v, 0.0))
    return np.dot(np.array(r), np.array(q))


def list_of_floats_or_integers(x):
    r = []
    q = []
    for v in x:
        r.append(v * 2.0)
        q.append(max(v, 0))
    return np.dot(np.array(r), np.array(q))


def cut_off(x, n):
    s = 0.0
    for i, v in zip(range(3, 40, 2), x):
        s += i * max(v, 0) ** 2 + min(1, v) * v + max(v, n, 0.25)
    return s


def kick(u, k):
    return u + k * np.sin(u)


def kicked(x, n):
    for _ in range(n):
        x = kick(x, 0.1) if x > 1.0 else kick(x, 0.2)
    return x


def runge_kutta(y, h, n):
    for _ in range(n):
        k1 = -math.sin(y)
        k2 = -math.sin(y + 0.5 * h * k1)
        k3 = -math.sin(y + 0.5 * h * k2)
        k4 = -math.sin(y + h * k3)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return y


def first_above(x, bound):
    s = 0.0
    for k in range(len(x)):
        s += math.exp(x[k])
        if s > bound:
            return s * k
    return s


def blurred(u, c):
    for _ in range(3):
        u[1:-1, 1:-1] += c * (u[2:, 1:-1] + u[:-2, 1:-1] - 2.0 * u[1:-1, 1:-1])
    return np.mean(u**2)


def rows(a, b):
    s = np.zeros(a.shape[1])
    for i in range(a.shape[0]):
        s = s * 0.5 + np.tanh(a[i] * b)
    return s @ s


def softened(x):
    e = np.exp(x - np.max(x))
    return np.sum(e * e) / np.sum(e)


def columns(a):
    m = a.sum(axis=0)
    return np.sum((a - m / a.shape[0]) ** 2 * np.where(a > 0.0, 1.0, 0.5))


def backwards_in_threes(x):
    s = 1.0
    for i in range(len(x) - 1, 0, -3):
        s = s * (1.0 + 0.1 * x[i]) + x[-i]
    return s


def gathered(a, i, j):
    return np.sum(a[i, j] ** 2) + np.sum(a[i] * 2.0)


def scattered_twice(x, idx):
    y = np.zeros(5)
    np.add.at(y, idx, x)
    y[idx] = x * x + y[idx]
    return np.linalg.norm(y)


def row_softmax(a):
    m = np.max(a, axis=1, keepdims=True)
    e = np.exp(a - m)
    return np.sum(e / e.sum(axis=1, keepdims=True) * a.min(axis=0))


def pieces(x):
    y = np.concatenate((x[1:], np.diff(x), np.array([x[0], 2.0])))
    z = np.full(3, 0.5)
    c = np.zeros(4, dtype=int)
    for k in range(4):
        c[k] = 3 - k
    for k in range(3):
        z[k] += y[c[k]] ** 2
    mask = x > 0.5
    return np.sum(z) + np.sum(np.flip(y) * y) + np.sum(np.where(mask, x, x * x))


def stencil(u, w):
    for _ in range(3):
        u[1:] = u[:-1] * w + u[1:]
        u[...] = u * u[0] + u[::-1]
        u[::2] -= u[1::2].sum() * 0.1
    return u @ u


def outer_products(a, b, M):
    N = np.outer(a, b) + M.T
    return np.sum((N @ a) * b) + np.dot(M, b) @ a


def broadcast(a, r, c):
    return np.sum(np.tanh(a * r + c[:, None]) / (1.0 + a**2)) + np.mean(a - r) + a.mean(axis=0) @ r


def from_the_end(x):
    s = 0.0
    for i in range(len(x)):
        s += x[-i - 1] * x[i - 2] if i % 2 else x[i // 2] ** 3
    return s


def list_of_numbers(x, n):
    acc = [0.0, 1.0]
    for i in range(n):
        acc.append(acc[-1] * x[i % len(x)] + acc[-2])
    return acc[-1]


def recursive(x, n):
    if n <= 1:
        return x
    return x * recursive(x, n - 1) + 1.0


def until(x, t):
    s = 0.0
    for v in x:
        if v > t:
            break
        s += v * v
    else:
        s = s * 2.0
    return s


def in_between(a, b):
    x = np.linalg.solve(a, b)
    x[x > 0.1] *= 2.0
    return np.sum(np.roll(x, 1) * x)


def by_python(a, b):
    x = np.linalg.solve(a, b)
    x[x > 0.1] *= 2.0
    y = np.roll(x, 1) + np.cumsum(x)[::-1] + np.diagonal(a)
    return np.sum(np.sort(y) * np.array([1, 3, 2, 5])) + y[[0, 2, 0]].sum() + np.sum(a, axis=(0, 1), keepdims=True)[0, 0]


def records(params, pairs, order, layers):
    w, (b, c) = params["w"], params["b"]
    total = 0.0
    for i, j in pairs:
        total += w[i] * w[j] * b
    for k in order:
        total = total * c + w[k]
    h = w
    for m in layers:
        h = np.tanh(m @ h)
    return total + h @ h


def waves(x, n):
    z = np.exp(1j * x)
    w = z.copy()
    for k in range(n):
        w = w * z + (0.5 - 0.25j) * k
        w[k] = -w[0]
    return np.sum(np.abs(w) ** 2) + (w[1] * w[2]).real


_rng = np.random.default_rng(5)
_x = np.linspace(0.1, 1.1, 7)
PROGRAMS = {
    f.__name__: (f, args)
    for f, args in (
        (rosenbrock, (_x,)),
        (logistic_map, (0.3, 3.5, 20)),
        (bodies, (_rng.random((5, 3)), _rng.random(5))),
        (scatter, (_x, np.array([0, 1, 1, -3, 2, 5, 6]))),
        (heat_by_elements, (_x, 4)),
        (newton, (2.0,)),
        (weighted, (_x,)),
        (two_lists, (_x - 0.5,)),
        (list_of_floats_or_integers, (_x - 0.5,)),
        (cut_off, (_x - 0.5, 0)),
        (thomas, (_x[1:].copy(), _x + 3, _x[:-1] * 2, _x * 1.5)),
        (kicked, (0.4, 12)),
        (runge_kutta, (0.7, 0.1, 10)),
        (first_above, (_x, 4.0)),
        (blurred, (_rng.random((6, 5)), 0.2)),
        (rows, (_rng.random((4, 3)), _rng.random(3))),
        (softened, (_x,)),
        (columns, (_rng.normal(size=(4, 3)),)),
        (backwards_in_threes, (_x,)),
        (gathered, (_rng.random((4, 3)), np.array([0, 1, -1, 1]), np.array([2, 2, 0, 2]))),
        (scattered_twice, (_x[:4], np.array([1, 1, 4, 0]))),
        (row_softmax, (_rng.random((3, 3)),)),
        (pieces, (_x,)),
        (stencil, (_x, 0.3)),
        (outer_products, (_x[:3], _x[1:4], _rng.random((3, 3)))),
        (broadcast, (_rng.random((4, 3)), _x[:3], _x[:4])),
        (from_the_end, (_x,)),
        (list_of_numbers, (_x, 9)),
        (recursive, (1.1, 4)),
        (until, (_x, 0.8)),
        (in_between, (_rng.random((3, 3)) + 4 * np.eye(3), _x[:3])),
        (by_python, (_rng.random((4, 4)) + 4 * np.eye(4), _x[:4])),
        (records, (
            {"w": _x[:3], "b": (0.5, 0.7)}, [(0, 1), (2, 0)], [2, 0, 1, 1], [_rng.normal(size=(3, 3)), _rng.normal(size=(3, 3))],
        )),
        (waves, (_x[:4], 3)),
    )
}
# The benchmark's programs, at sizes where each step still happens.
_square = _rng.random((4, 4)) + 4 * np.eye(4)
PROGRAMS |= {
    f.__name__: (f, args)
    for f, args in (
        (kernels.pendulum, (0.5, 0.0, 0.1, 4)),
        (kernels.gather, (_x, np.array([0, 1, 1, -3]))),
        (kernels.cholesky, (_square @ _square.T,)),
        (kernels.shortest_paths, (_rng.random((3, 3)) + 1.0,)),
        (kernels.heat_by_slices, (_rng.random((5, 4)), 2)),
        (kernels.chain, (_x,)),
        (kernels.recurrent, (_rng.random((3, 2)), _rng.random((3, 3)), _rng.random((3, 2)))),
        (kernels.linear_recurrence, (_x, 0.9)),
        (kernels.lorenz, (1.0, 1.1, 0.9, 0.01, 5)),
        (kernels.dot_by_elements, (_x, _x[::-1])),
        (kernels.horner, (_x, 0.7)),
        (kernels.wave_by_slices, (_x, 0.0 * _x, 3)),
        (kernels.heat_in_space, (_rng.random((4, 3, 4)), 2)),
        (kernels.alternating_directions, (_rng.random((4, 4)), 2)),
        (kernels.lu_in_place, (_square,)),
        (kernels.triangular_solve, (np.tril(_square), _x[:4])),
        (kernels.bodies_by_arrays, (_rng.random((4, 3)), _x[:4])),
        (kernels.stress, (_rng.random((4, 2)), _rng.random((4, 4)))),
        (kernels.softmax_rows, (_rng.random((4, 3)), _rng.random((4, 3)))),
        (kernels.soft_histogram, (_x * 0.8, 6)),
        (kernels.sparse_product, (_x, np.array([0, 3, 1, 1, 2, 0, 3]), np.array([0, 2, 5, 7]), _x[:4])),
        (kernels.recursive_filter, (_x, 0.3, 0.5)),
        (kernels.filtered, (_x, _x[:3])),
        (kernels.hidden_states, (_x[:3], _rng.random((3, 3)), _rng.random((4, 3)))),
        (kernels.time_warping, (_x[:4], _x[2:5])),
        (kernels.option_tree, (105.0, 0.2, 6)),
        (kernels.newton_roots, (_x,)),
    )
}
# What runs as NumPy, by program and mode, with a part of the reason.
AS_NUMPY = {
    # Whether the array made of it holds floats is known as it runs.
    ("list_of_floats_or_integers", "adjoint"): "the argument out_bar",
    ("list_of_floats_or_integers", "tangent"): "where a list has",
    ("recursive", "adjoint"): "recursive_2_tape",
}

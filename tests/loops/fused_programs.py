"""Programs of neighbouring statements, some of which may be fused and some may not: ``PROGRAMS``, each with arguments.

``LOOPS``: how many innermost loops the adjoint's text has, where that is worth being said.
"""

from __future__ import annotations

import numpy as np


def elementwise(x):
    y = np.sin(x)
    z = y * y + x
    return np.sum(np.exp(-z) * y)


def what_was_passed(u):
    """The second statement overwrites what the first one has read."""
    u = u * 1.0
    a = u[1:] * 2.0
    u[:-1] = a * 3.0
    return u @ u


def what_is_to_come(u):
    """The second statement overwrites what the first one is yet to read."""
    u = u * 1.0
    a = u[:-1] * u[:-1]
    u[1:] = a * 3.0
    return np.sum(u * a[0])


def what_is_not_there_yet(x):
    """The second statement reads what the first one is yet to write."""
    t = x * x
    s = t[1:] * t[:-1]
    return np.sum(s)


def overlapping(u):
    u = u + 0.0
    for _ in range(3):
        u[1:] = u[:-1] * 2.0 + u[1:]
        u[:-1] += u[1:] * u[:-1]
        u[1:-1] -= 0.1 * (u[2:] + u[:-2])
    return np.sum(u)


def backwards(u):
    u = u * 1.0
    v = u[::-1] * 2.0
    u[...] = v * u
    u[::2] -= u[1::2].sum() * v[::2]
    u[::-1] += u * v
    return np.sum(u * u)


def windows(a):
    a = a * 1.0
    row, column = a[1], a[:, 0]
    row *= column[: row.shape[0]]
    column += 0.5 * a[:, 1]
    inner = a[1:-1]
    inner[:, 1:] += inner[:, :-1] * row[1:]
    part = inner[:, 1:3]
    part[0] = part[0] * a[0, 1:3] + column[:2]
    return np.sum(a * a) + np.sum(part)


def transposed(a):
    a = a * 1.0
    a += 2.0 * a.T
    b = a * a.T
    return np.sum(b * a[::-1])


def cut_short(u):
    """Windows that are smaller than their ends say where there is little to be seen."""
    t = u[1:-1] * 2.0
    w = u[:2] * 1.5
    v = u[2:] * u[: max(len(u) - 2, 0)]
    return np.sum(t) + np.sum(w) + np.sum(v * t) + np.sum(u[1:5] ** 2)


def masked(x, y):
    z = np.where(x > y, x * y, x - y)
    x = x * 1.0
    x[x > 0.5] *= 2.0
    z = z * x
    z[z < 0.2] = 0.0
    return np.sum(z)


def normalised(a):
    e = np.exp(a - a.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    m = p.mean()
    return np.sum((p - m) ** 2) / np.sum(p * p)


def whole_in_between(x):
    t = x * x
    s = np.sum(t)
    t = t / s
    u = t * np.max(t) + t[0]
    return np.sum(u * t[::-1])


def early(x, bound):
    t = x * x
    if t[0] > bound:
        return np.sum(t)
    u = t * 2.0
    t[0] = bound
    for k in range(3):
        u = u + t
        if u[1] > 3.0:
            return np.sum(u * t) * k
        t = t * u[1]
    return np.sum(u * t)


def by_elements(x):
    n = len(x)
    t = np.zeros(n)
    for i in range(n):
        t[i] = x[i] * x[i]
    s = 0.0
    for i in range(n):
        s += t[i] * x[i - 1]
    for i in range(1, n):
        t[i] = t[i - 1] * x[i]
    for i in range(1, n):
        s += t[i - 1]
    r = s
    s = 0.0
    for i in range(n):
        s += t[i]
    return r * s


def downwards(x):
    n = len(x)
    t = x * 1.0
    for i in range(n - 2, -1, -1):
        t[i] = t[i] * t[i + 1]
    u = np.zeros(n)
    for i in range(n - 2, -1, -1):
        u[i] = t[i + 1] * x[i]
    return t @ u


def of_numbers(x, k):
    c = np.zeros(len(x))
    c[...] = k
    n = np.zeros(len(x), dtype=int)
    n[...] = k + 1
    big = x > 0.5
    return np.sum(c * x) + np.sum(np.where(big, x * n, x))


def exchanged(u, n):
    v = u * 0.5
    best = v
    kept = []
    for k in range(n):
        w = u + 0.1 * v
        t = w * w
        u, v = v, t
        kept.append(w)
        if k == 1:
            best = t
    return np.sum(u * v) + np.sum(best) + np.sum(kept[0] * kept[-1])


def buffered(u, n):
    for _ in range(n):
        t = np.empty(len(u))
        t[0] = u[0]
        t[1:] = 0.5 * u[1:] + 0.5 * u[:-1] * u[1:]
        u = u + t * 0.1
        w = np.zeros(len(u))
        w[1:-1] += u[2:] * 2.0
        u = u * 0.9 + w * 0.1
    return np.sum(u * u)


def outer(x, y):
    d = x[:, None] - y[None, :]
    r = d * d + 1.0
    f = d / r
    return np.sum(f.sum(axis=0) * y) + np.sum(f * x[:, None])


def in_space(u, n):
    for _ in range(n):
        lap = u[2:, 1:-1] + u[:-2, 1:-1] - 4.0 * u[1:-1, 1:-1]
        lap = lap + u[1:-1, 2:] + u[1:-1, :-2]
        u[1:-1, 1:-1] += 0.1 * lap * u[1:-1, 1:-1]
        u[0, :] = u[1, :]
        u[:, -1] = u[:, -2]
    return np.sum(u * u)


def by_rows(a, b):
    for i in range(1, a.shape[0]):
        a[i] = a[i] - a[i - 1] * b[i]
        b[i] = b[i] * a[i, 0]
    for i in range(a.shape[0]):
        a[i] = a[i] * b[i]
    return np.sum(a) * np.sum(b)


def callee(x, y):
    x[1:] += y[:-1]
    y[1:] *= x[1:]


def through_calls(x, y):
    x, y = x * 1.0, y * 1.0
    callee(x, y)
    t = x * y
    callee(t, x)
    return np.sum(t) + np.sum(x * y)


_rng = np.random.default_rng(7)
_x, _y, _a = _rng.random(7), _rng.random(7), _rng.random((5, 5))
PROGRAMS = {
    f"{f.__name__}{k or ''}": (f, args)
    for f, *given in (
        (elementwise, (_x,)), (what_was_passed, (_x,)), (what_is_to_come, (_x,)), (what_is_not_there_yet, (_x,)),
        (overlapping, (_x,)), (backwards, (_x[:6],), (_x[:6][::-1],), (_a[0, :4],)), (windows, (_a,)), (transposed, (_a,)),
        (cut_short, (_x,), (_x[:3],), (_x[:2],)), (masked, (_x, _y)), (normalised, (_a,)),
        (whole_in_between, (_x,)), (early, (_x, 0.1), (_x, 5.0)), (by_elements, (_x,)), (downwards, (_x,)),
        (of_numbers, (_x, 3)), (exchanged, (_x, 4)), (buffered, (_x, 3)), (outer, (_x, _x), (_x, _y[:4])),
        (in_space, (_a, 3)), (by_rows, (_a, _x[:5])), (through_calls, (_x, _x), (_x[1:], _x[:-1])),
    )
    for k, args in enumerate(given)
}  # fmt: skip
LOOPS = {"elementwise": 1, "what_was_passed": 7}

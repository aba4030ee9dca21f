"""Windows that overlap, run backwards or are written in place, stores between, early exits and masks: written against fusion.

Each takes 12 numbers and 5 x 6.
"""

from __future__ import annotations

import numpy as np


def overlap_fwd(x, a):
    y = x.copy()
    y[1:] = y[:-1] * 2.0
    y[:-1] += y[1:] * x[1:]
    return y


def overlap_back(x, a):
    y = x.copy()
    y[:-1] = y[1:] * x[:-1]
    z = y[1:] - y[:-1]
    y[2:] *= z[1:]
    return y


def reversed_self(x, a):
    y = x.copy()
    y[:] = y[::-1] * x
    y[::-1] += x * y
    return y


def reversed_half(x, a):
    y = x * x
    n = len(x) // 2
    y[:n] = y[n:][::-1]
    y[n:] *= y[:n]
    return y


def shift_loop(x, a):
    y = x.copy()
    for k in range(4):
        y[1:] = 0.5 * (y[1:] + y[:-1])
        y[:-1] = np.sin(y[1:]) * y[:-1]
    return y


def jacobi_swap(x, a):
    u = x.copy()
    v = np.zeros(len(x))
    for k in range(5):
        v[1:-1] = 0.5 * (u[2:] + u[:-2])
        v[0] = u[0]
        v[-1] = u[-1] * u[0]
        u, v = (v, u)
    return u * v


def rows_views(x, a):
    b = a.copy()
    r = b[1]
    s = b[2]
    r[:] = s * 2.0
    s[:] = r * r
    b[1:3] += b[3:5] * a[0]
    return b * r


def row_over_rows(x, a):
    b = a.copy()
    for i in range(1, b.shape[0]):
        b[i] = b[i - 1] * 0.5 + b[i]
        b[i, 1:] -= b[i, :-1]
    return b


def col_over_cols(x, a):
    b = a.copy()
    for j in range(b.shape[1] - 1):
        b[:, j + 1] += b[:, j] * a[:, j]
        b[1:, j] *= b[:-1, j]
    return b


def store_between(x, a):
    y = x.copy()
    t = y * 2.0
    y[3] = t[4]
    u = y + t
    y[:] = u
    t[2] = 7.0 * y[3]
    return t * y + u


def store_between_win(x, a):
    y = x.copy()
    w = y[2:6]
    t = w * x[2:6]
    y[4] = 5.0 * x[0]
    u = w * t
    return np.sum(u) * y


def early_exit(x, a):
    y = x.copy()
    for k in range(6):
        z = y * y
        y = z - 0.3 * x
        if np.sum(z) > 14.0:
            break
        y[1:] += z[:-1]
    return y


def early_return(x, a):
    y = x.copy()
    for k in range(6):
        y[1:] = y[:-1] * y[1:]
        m = np.max(y)
        if m > 1.8:
            return y * m
        y += x
    return y - m


def masks(x, a):
    y = x.copy()
    m = y > 1.0
    y[m] = y[m] * 2.0
    z = np.where(m, y, x)
    z[~m] -= 1.0
    return y * z


def mask_after(x, a):
    y = x.copy()
    m = x > 0.9
    y *= 2.0
    y[m] += 1.0
    y[1:] = np.where(m[:-1], y[:-1], y[1:])
    return y


def transposed(x, a):
    b = a[:5, :5].copy()
    c = b.T
    b += c
    c *= 2.0 * b
    return b - c[0]


def strided(x, a):
    y = x.copy()
    y[::2] += y[1::2]
    y[1::2] *= y[::2]
    y[::3] = y[1::3] + y[2::3]
    return y


def neg_stride(x, a):
    y = x.copy()
    y[::-2] = y[::2] * x[1::2]
    y[-2:0:-1] -= y[2:] * 0.1 * np.sum(x[:3])
    return y[1:]


def broadcast_row(x, a):
    b = a.copy()
    b *= b[0]
    b[:] = b - b[:, :1]
    b += b[1]
    return b


def sum_axis_between(x, a):
    b = a * a
    s = np.sum(b, axis=1, keepdims=True)
    b /= s
    m = np.max(b, axis=0)
    b[2] = m
    return b * m + s


def accum_same(x, a):
    y = np.zeros(len(x))
    for k in range(3):
        y[k:] += x[: len(x) - k]
        y[: len(x) - k] *= x[k:]
    return y


def two_windows_of(x, a):
    y = x.copy()
    l, c, r = (y[:-2], y[1:-1], y[2:])
    c += l * 0.3
    l *= r
    r -= c
    return y


def window_held(x, a):
    y = x.copy()
    h = y[3:9]
    y = y * 2.0
    h *= y[:6]
    y[3:9] = h
    h[0] = y[4]
    return y * np.sum(h)


def ghost(x, a):
    g = np.zeros(len(x) + 2)
    for k in range(3):
        g[1:-1] = x if k == 0 else g[1:-1] * 1.1
        g[0] = g[-2]
        g[-1] = g[1]
        f = g[1:] - g[:-1]
        g[1:-1] -= 0.1 * (f[1:] * f[1:] - f[:-1])
    return g


def swap_rows(x, a):
    b = a.copy()
    t = b[0].copy()
    b[0] = b[1]
    b[1] = t * b[2]
    b[3], b[4] = (b[4].copy(), b[3].copy())
    return b


def callee_writes(x, a):
    y = x.copy()
    step_in(y, x)
    step_in(y[1:], y[:-1].copy())
    return y


def step_in(u, v):
    u *= v
    u[1:] -= u[:-1] * v[1:]


def scalar_of_array(x, a):
    y = x.copy()
    s = y[0]
    y -= s
    t = np.sum(y * y)
    y[0] = t
    y /= t + 1.0
    return y * s


def branches(x, a):
    y = x.copy()
    for k in range(4):
        if k % 2 == 0:
            y[1:] += y[:-1]
        else:
            y[:-1] -= 0.3 * y[1:]
        y *= 0.7
    return y


def redblack(x, a):
    b = a.copy()
    for k in range(2):
        b[1:-1:2, 1:-1] = 0.25 * (b[:-2:2, 1:-1] + b[2::2, 1:-1] + b[1:-1:2, :-2] + b[1:-1:2, 2:])
        b[2:-1:2, 1:-1] += 0.2 * (b[1:-2:2, 1:-1] * b[3::2, 1:-1])
    return b


def outer_update(x, a):
    b = a.copy()
    for k in range(3):
        b[k + 1 :, k + 1 :] -= np.outer(b[k + 1 :, k], b[k, k + 1 :]) / (b[k, k] + 2.0)
        b[k + 1 :, k] *= 0.5
    return b


def cumulative(x, a):
    y = x.copy()
    z = y + 0.0
    for i in range(1, len(x)):
        z[i] += z[i - 1] * y[i]
        y[i - 1] = z[i]
    y[:] = z * y
    z += y
    return z * y


def partial_overlap_store(x, a):
    y = x.copy()
    t = y[2:7] + y[3:8]
    y[1:6] = t
    y[4:9] -= t * y[0:5]
    return y


def wheel(x, a):
    y = x.copy()
    y = np.concatenate((y[-1:], y[:-1])) * x
    z = y[::-1]
    z[2:5] = y[:3] * 2.0
    return y + z


PROGRAMS = (
    overlap_fwd,
    overlap_back,
    reversed_self,
    reversed_half,
    shift_loop,
    jacobi_swap,
    rows_views,
    row_over_rows,
    col_over_cols,
    store_between,
    store_between_win,
    early_exit,
    early_return,
    masks,
    mask_after,
    transposed,
    strided,
    neg_stride,
    broadcast_row,
    sum_axis_between,
    accum_same,
    two_windows_of,
    window_held,
    ghost,
    swap_rows,
    callee_writes,
    scalar_of_array,
    branches,
    redblack,
    outer_update,
    cumulative,
    partial_overlap_store,
    wheel,
)

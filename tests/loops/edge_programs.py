"""Calls that machine code could easily get wrong: overlapping windows, steps backwards, empty arrays, negative integers, NaN,
indices out of bounds, layouts, sizes that turn out to be 1, errors. ``CALLS``: function and arguments."""

from __future__ import annotations

import math

import numpy as np


def alias_windows(x):
    y = x.copy()
    a = y[1:]
    b = y[:-1]
    a += b
    b -= a * 0.5
    return np.sum(y ** 2)


def overlap_slices(x):
    y = x * 1.0
    y[1:] = y[:-1] + y[1:] * 2.0
    y[::-1] = y * 0.5 + y[0]
    y[2:-1] *= y[1:-2]
    return np.sum(y)


def neg_steps(x):
    y = x[::-1]
    z = y[1::2]
    w = x[-1:0:-2]
    s = 0.0
    for k in range(len(z)):
        s += z[k] * w[k % len(w)]
    return s + np.sum(y[-2::-1] * x[:-1])


def self_reverse(x):
    y = x.copy()
    y[:] = y[::-1]
    y[1:] += y[:0:-1]
    return np.sum(y * x)


def zero_size(x, n):
    e = x[:n]
    return np.sum(e) + np.sum(e * e) + x[0] * len(e)


def empty_prod(x):
    m = np.zeros((0, 3))
    v = m @ x[:3]
    return np.sum(v) + np.sum(x)


def int_div_neg(x, a, b):
    return x * (a // b) + x * (a % b) + x ** 2 * (-a // 3) + -a % 3 * x


def int_arrays(x, k):
    q = k // 3
    r = k % 3
    t = -k // 2
    return np.sum(x * q) + np.sum(x * r) + np.sum(x * t) + np.sum(x[r] ** 2)


def nan_compare(x):
    s = 0.0
    for v in x:
        if v > 0.5:
            s += v
        elif v <= 0.5:
            s -= v
        else:
            s += 1.0
    return s + np.sum(np.where(np.isnan(x), 0.0, x))


def nan_max(x):
    return np.max(x) + np.min(x[:3]) * 2.0


def nan_maximum(x):
    y = np.maximum(x, 0.5)
    z = np.fmin(x, 0.3)
    return np.nansum(y) + np.nansum(z)


def oob(x, i):
    return x[i] + x[0]


def oob2(x, i):
    y = x.copy()
    y[i] = 2.0
    return np.sum(y * x)


def oob_rows(a, i):
    return np.sum(a[i] ** 2)


def oob_fancy(x, idx):
    return np.sum(x[idx])


def slice_clip(x, n):
    return np.sum(x[n:n + 100] ** 2) + np.sum(x[-100:2])


def wh(x):
    k = 0
    while x > 1.0 and k < 50:
        x = x * 0.7 + 0.01
        k += 1
    return x * k


def wh_break(x):
    s = 0.0
    k = 0
    while True:
        s += x ** k
        k += 1
        if s > 5.0 or k > 20:
            break
    return s


def exc(x):
    if x < 0:
        raise ValueError("neg")
    return math.sqrt(x) * 2.0


def exc_div(x, y):
    return (x / y) ** 2


def sqrt_neg(x):
    return math.sqrt(x)


def zerod(x):
    s = np.sum(x)
    t = s * np.float64(2.0)
    u = np.array(3.0)
    return t * u + x[..., 0].sum()


def zerod2(x):
    z = np.asarray(x[0]) * 2.0
    return z + np.sum(x)


def fortran(a):
    b = np.asfortranarray(a)
    c = b.T @ a
    return np.sum(c * c.T) + np.sum(b.ravel() * a.ravel())


def fort_ravel(a):
    s = 0.0
    for v in a.ravel():
        s = s * 0.5 + v
    for v in a.T.flatten():
        s = s * 0.5 + v
    return s


def row_views(a):
    for i in range(1, a.shape[0]):
        r = a[i]
        r -= a[i - 1] * 0.5
    return np.sum(a ** 2)


def bc(a, b, c):
    return np.sum(a * b + c) + np.sum(np.maximum(a, c) * b)


def bc_store(a, b):
    y = np.zeros((3, 4))
    y[:] = a
    y += b
    y[1:] *= b[:1]
    return np.sum(y ** 2)


def bc_bad(a, b):
    return np.sum(a * b)


def bc_store_bad(a, b):
    y = np.zeros(3)
    y[:] = b
    return np.sum(y * a)


def truth(x, flag):
    if flag:
        return x * 2.0
    return x * np.sum(np.array([1.0, 2.0]) > 1.5)


def boolsum(x):
    m = x > 0.3
    return np.sum(x * m) + m.sum() * x[0] + np.count_nonzero(m) * x[1] + (m & (x < 0.9)).sum() * x[2] + (~m).sum() * x[0]


def bool_arith(x):
    m = x > 0.3
    k = m + m
    return np.sum(x * k)


def int_pow(x, n):
    return x * n ** 2 + x * 2 ** n + x ** n


def int_overflow(x, n):
    k = 1
    for i in range(n):
        k = k * 7 + i
    return x * float(k % 1000)


def int_arr_wrap(x, k):
    t = k * 4000000000 * 4000000000
    return np.sum(x * (t % 7))


def chained(x):
    return np.sum(x[1:][::2][:-1] ** 2) + np.sum(x[::-1][::-1] * x)


def ell(a):
    return np.sum(a[..., 1] * a[..., -1]) + np.sum(a[None, 0] * a[:, None, 0][0])


def mask_store(x):
    y = x.copy()
    y[y > 0.5] = 0.0
    y[x < 0.2] += 1.0
    return np.sum(y * x)


def mask_gather(x):
    return np.sum(x[x > 0.3] ** 2) + x[np.where(x > 0.5)[0]].sum()


def dup_scatter(x, idx):
    y = np.zeros(4)
    y[idx] += x
    z = np.zeros(4)
    np.add.at(z, idx, x)
    return np.sum(y * z)


def dup_store(x, idx):
    y = np.zeros(4)
    y[idx] = x
    return np.sum(y ** 2)


def neg_index(x):
    s = 0.0
    for i in range(-3, 3):
        s += x[i] * (i + 1)
    return s


def sums(a):
    return np.sum(a.sum(axis=(0, 1)) ** 2) + a.sum(0, keepdims=True).mean() + np.mean(a, axis=-1).sum() + np.prod(a[0, 0])


def stats(a):
    return np.var(a) + np.std(a, axis=0).sum() + np.median(a[0]) + np.linalg.norm(a, axis=1).sum()


def aug_int(x, n):
    k = 0
    s = 0
    for i in range(n):
        k += i
        s = s + x * k
    return s


def maybe_int(x, n):
    s = 0
    for i in range(n):
        s += x
    return s


def two_types(x, n):
    y = 1 if n > 2 else 0.5
    return x * y / (n + 1) + y // 2 * x


def floordiv_f(x, y):
    return x * (y // 0.3) + x * (y % 0.3) + x * (-y // 0.3) + -y % 0.3 * x


def mod_zero(x, y):
    return x * (y % 0.0)


def np_div0(x):
    with_zero = x / (x - x)
    return np.nansum(np.where(np.isfinite(with_zero), with_zero, x))


def minmax(x, y):
    return min(x, y) * max(x, 2.0, y) + max(1, 2) * x


def rounding(x):
    return x * round(2.5) + x * int(-2.7) + x * math.floor(-2.5) + x * round(2.675, 2) + x * np.round(3.5)


def ints_from_floats(x, y):
    return x * int(y) + x * (int(y) // 2) + x * bool(y)


def list_ops(x):
    acc = [x[0], x[1]]
    for v in x:
        acc.append(v * acc[-2])
    acc[0] = acc[3] * 2.0
    acc.pop()
    return sum(acc) + len(acc) * x[0]


def list_arrays(x):
    acc = []
    for i in range(3):
        acc.append(x * i)
    acc[1] = acc[2] + x
    return sum(np.sum(a * a) for a in acc)


def list_alias(x):
    a = x * 1.0
    l = [a, a]
    l[0] += 1.0
    return np.sum(l[1] * x)


def tup(x):
    t = (x, x * 2.0)
    a, b = t
    c = (t[0] + b,) + t
    return np.sum(c[0] * c[2])


def nested_call(x):

    def g(u, k=2.0):
        return u * k
    return np.sum(g(x) * g(x, k=0.5))


GLOBAL = 2.0


def uses_global(x):
    return np.sum(x * GLOBAL)


TABLE = np.array([1.0, 2.0, 3.0])


def uses_table(x):
    return np.sum(x[:3] * TABLE)


def cplx(x):
    z = x + 1j * x[::-1]
    return np.sum(np.abs(z)) + (z * z.conj()).real.sum() + np.angle(z[0])


def cplx_div(x):
    z = (1.0 + 2j * x) / (x - 1j)
    return z.real * z.imag


def logic(x, y):
    return x if x > 0 and y > 0 or not y > 1 else y


def enum_zip(x, y):
    s = 0.0
    for i, (a, b) in enumerate(zip(x, y)):
        s += a * b * i
    for i, v in enumerate(reversed(x)):
        s -= v * i
    return s


def stepped(x):
    s = 0.0
    for i in range(len(x) - 1, -1, -2):
        s = s * 0.5 + x[i]
    for i in range(0, len(x), 3):
        s += x[i] ** 2
    for i in range(5, 2):
        s += 100
    return s


def early(x):
    for v in x:
        if v > 0.6:
            return v * v
    return np.sum(x)


def cont(x):
    s = 0.0
    for i, v in enumerate(x):
        if i % 2:
            continue
        s += v ** 2
        if s > 3:
            break
    else:
        s *= 2
    return s


def tri(a):
    return np.sum(np.tril(a) @ np.triu(a, 1)) + np.trace(a) + np.linalg.det(a)


def lin(a, b):
    return np.sum(np.linalg.solve(a, b)) + np.linalg.slogdet(a)[1] + np.sum(np.linalg.inv(a))


def ein(a, b):
    return np.einsum("ij,jk->", a, b) + np.tensordot(a, b, 2)


def out_kw(x):
    y = np.zeros_like(x)
    np.multiply(x, 2.0, out=y)
    np.add(y, x, out=y[::-1] if False else y)
    return np.sum(y * x)


def cumul(x):
    y = np.cumsum(x)
    y[1:] -= y[:-1].copy()
    return np.sum(y * x) + np.diff(x, n=2).sum()


def clipped(x):
    return np.sum(np.clip(x, 0.2, 0.8) ** 2) + np.sum(np.sign(x - 0.5) * x) + np.sum(np.abs(x - 0.4))


def where_nan(x):
    return np.sum(np.where(x > 0.5, np.log(np.maximum(x - 0.5, 1e-300)), x))


def swap(x):
    y = x.copy()
    y[0], y[1] = (y[1], y[0])
    y[[0, 2]] = y[[2, 0]]
    return np.sum(y * np.arange(len(x)))


def rows_swap(a):
    a = a.copy()
    a[[0, 1]] = a[[1, 0]]
    a[:, 0], a[:, 1] = (a[:, 1].copy(), a[:, 0].copy())
    return np.sum(a * np.arange(a.size).reshape(a.shape))


def written(x):
    x[0] = x[1] * 2.0
    x *= x[0]
    return np.sum(x)


def view_arg(a):
    v = a.reshape(-1)
    v[1] = 3.0 * v[0]
    w = a.T
    w[0] *= 2.0
    return np.sum(a ** 2)


def int_arg(x, n):
    return np.sum(x * n) / (n - 1) * (n & 3) + (n << 2) * x[0] + (n >> 1) * x[1] - (n ^ 5) * x[0] + ~n * x[1]


def hyp(x):
    y = np.hypot(x, 1.0) + np.arctan2(x, 2.0) + np.log1p(x) + np.expm1(x) + np.sinh(x)
    return np.sum(y + np.cbrt(x) + np.square(x) + np.reciprocal(x + 1))


def powers(x, y):
    return np.sum(x ** 3 + x ** (-1.0) + 2.0 ** x + np.power(x, y) + x ** 0.5)


def argm(x):
    return x[np.argmax(x)] * 2.0 + x[x.argmin()] + np.sort(x)[1] + x[np.argsort(x)[0]]


def strides(a):
    s = 0.0
    b = a[::2, ::-1]
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            s += b[i, j] * (i + 2 * j) * a[j % a.shape[0], i]
    return s


def concat(x, y):
    return np.sum(np.concatenate([x, y[::-1], x * 2.0]) ** 2) + np.sum(np.stack((x, x[::-1])) @ x) + np.hstack([x, 1.0]).sum()


def bigint(x, n):
    return x * (n * n * n * n)


def default_dt(x):
    return np.sum(np.arange(3) * x[:3]) + np.sum(np.full(3, 2) * x[:3]) + np.sum(np.ones(3, dtype=int) / 2 * x[:3])


def int_store(x):
    k = np.zeros(3, dtype=int)
    k[0] = x[0] * 10
    k[1] += 3
    return np.sum(x[:3] * k)


def f32(x):
    return np.sum(x * 2.0) ** 2


def noneidx(x):
    return np.sum(x[:, None] * x[None, :]) + np.sum(x[np.newaxis] ** 2)


def kw(x, *, s=2.0):
    return np.sum(x * s)


def deflt(x, s=2.0, n=3):
    return np.sum(x * s) ** n


def strfmt(x):
    return x * len(f"{x:.3f}"[:3])


def lam(x):
    f = lambda t: t * t
    return np.sum(f(x)) + f(2.0) * x[0]


def sum_gen(x):
    return sum(v * v for v in x) + max(v for v in x) + np.sum([v * 2 for v in x])


_rng = np.random.default_rng(0)
X = np.array([0.1, 0.7, 0.35, 0.9, 0.55, 0.22, 0.61])
SQUARE = np.cos(np.arange(36.0)).reshape(6, 6)
A = _rng.random((4, 3))
S = _rng.random((3, 3)) + 3 * np.eye(3)
def longer_than_its_window(x, y):
    u = x.copy()
    u[:2] += y
    return np.sum(u * u)


def unequal_sizes(x, y):
    s = 0.0
    for i in range(len(y)):
        s += x[i] * y[i]
    return s


def from_both_ends(x, i):
    u = x.copy()
    u[i] = 2.0 * x[i - 1]
    u[-1] *= x[0]
    for k in range(len(x) - 1):
        u[k + 1] -= x[k - 1] * x[-k]
    return np.sum(u * u)


def places_in_tables(a, idx):
    s = np.sum(a[0])
    for k in range(len(idx)):
        s += a[idx[k], -1] * a[idx[k] - 1, k % a.shape[1]] + np.sum(a[idx[k]] * a[..., 0][0])
    return s


def largest_of_none(a):
    return np.sum(np.max(a, axis=1))


def emptied(x):
    t = [x[0], x[1]]
    t.pop()
    t.pop()
    return x[0] if not t else x[1]


def drained(x, n):
    t = [x[0], x[1], x[2] * x[0]]
    for _ in range(n):
        if t:
            t.pop()
    s = 0.0
    while t:
        s = s * 0.5 + t.pop()
    return s + x[0] * (3.0 if bool(t) else 2.0)


def emptied_by_another(x):
    def pop_twice(t):
        t.pop()
        t.pop()

    t = [x, 2.0 * x]
    pop_twice(t)
    return np.sum(x) if not t else x[1]


def list_by_python(x):
    t = [x[0], x[1]]
    t.append(x[2] * 2.0)
    return max(t) * sum(t) + np.percentile(t, 30)


def pair_into_places(x):
    u = np.zeros((3, 2))
    for i in range(3):
        u[i] = (x[i], x[i] * x[0])
        u[i, :] += (1.0, x[1])
    return np.sum(u * u)


def shared_extreme(x):
    return np.max(x) ** 2 + np.min(x) * x[0]


def complex_factor(x, w):
    z = x + 1j * x**2
    z = z * np.exp(1j * w) * (2.0 + 1j)
    return np.sum(np.abs(z) ** 2) + np.sum(z).real


def window_or_copy(x):
    a = x * 2.0
    flat = a.reshape(-1)
    flat[1] = 2.0 * flat[0]
    return np.sum(a[:, 0] * a[0, 1])


def window_or_copy_of_a_copy(x):
    a = np.zeros_like(x.copy())
    a += x
    flat = a.ravel()
    flat[1] = 2.0 * flat[0]
    return np.sum(a[:, 0] * a[0, 1])


def window_of_its_own(x):
    a = np.zeros((3, 4))
    a[...] = x[:3, :4]
    flat = a.ravel()
    for i in range(1, 12):
        flat[i] += 0.5 * flat[i - 1]
    return np.sum(a * a)


def out_of_domain(x):
    return math.sin(x) + math.log(abs(x))


def maybe_unbound(x, n):
    if n > 2:
        y = x * x
    return y * 2.0


def returned_unbound(x, n):
    for _ in range(n):
        y = x * n
    return y


def last_of_loop(x, n):
    for i in range(n):
        x = x * 1.1
        if x > 1e300:
            break
    return x * i


def whole_or_float(x, n):
    k = 1
    for _ in range(n):
        k = k * 3
    if x > 100.0:
        k = 0.5
    return x * (k % 7)


def whole_among_floats(x, n):
    k = 1
    for i in range(n):
        k = k * 3
        if i == 100:
            k = k * 0.5
    return x * (k % 7)


def compared_beyond_floats(x, n):
    k = 2**53 + n
    return x if k == 9007199254740992.0 else x * 2.0


def columns_by_python(a):
    b = a * 1.0
    b[:, [0, 1]] = b[:, [1, 0]]
    b[1:, 2] *= 3.0
    return np.sum(b[::2, [2, 0]] ** 2)


def floats_into_a_list_of_integers(x):
    l = [0, 0]
    for i in range(2):
        l[i] = x[i]
    return l[0] * l[1]


def sums_into_a_list_of_integers(x, n):
    l = [n, 0, True * 1]
    for i in range(3):
        l[i % 2] += x[i] * l[2]
    return l[0] * l[1] + 3 ** l[2]


def floats_into_a_list_of_truths(x):
    l = [False, False]
    l[0], l[1] = x[0], x[1]
    return l[0] * l[1]


def floats_into_rows_of_integers(x):
    rows = [[0, 0], [0, 0]]
    for i in range(3):
        rows[i // 2][i % 2] += x[i]
    record = {"row": [0, 0], "pair": (1, [0, 1])}
    record["row"][1] += x[1]
    record["pair"][1][0] += x[2]
    return rows[0][0] * rows[0][1] + rows[1][0] * record["row"][1] * record["pair"][1][0]


def best_of_a_list(x):
    best = [0, -1]
    for i in range(len(x)):
        if x[i] > best[0]:
            best[0] = x[i]
            best[1] = i
    return best[0] ** 2 * best[1]


def list_of_a_closure(x):
    s = [0]

    def add(v):
        s[0] += v
        return s[0]

    for i in range(3):
        add(x[i] ** 2)
    return s[0] ** 2


def _first_replaced(l, v):
    l[0] = v
    return l[0] * 2


def list_of_integers_passed_on(x):
    l = [1, 2]
    s = _first_replaced(l, x[0])
    return s * l[1] * l[0]


def floats_into_a_copied_argument(x, l):
    m = list(l)
    for i in range(len(m)):
        m[i] = m[i] * x[i]
    return sum(m) * max(m)


def floats_into_a_part_of_an_argument(x, parts):
    parts[0][1] = parts[0][1] * x[0]
    return parts[0][1] * parts[0][0] * x[1]


def large_integers_in_a_list(x, n):
    l = [n**3, 0]
    l[1] = x[0]
    return (l[0] + 1 - n**3) * l[1] + l[0] // 2 * 0.0


def stored_with_axes_in_front(x):
    a, m = x * 1.0, np.zeros((2, len(x)))
    a[:] = (a * x[1])[None]
    m[:] = a[None, None, :1] * x[None]
    m[0] += m[1:]
    return np.sum(a**3) + np.sum(m**2)


def one_of_two(x):
    a, b = x * 1.0, x**2
    t = a if x[0] > 0.5 else b
    return np.sum(a) * (3.0 if t is a else 2.0) + np.sum(b) * (3.0 if t is not a else 2.0)


def which_of_a_list(x):
    rows = [x * 1.0, x**2]
    m = rows[0] if x[0] > 0.5 else rows[1]
    s = 0.0
    for k, row in enumerate(rows):
        if row is m:
            s += (k + 1) * np.sum(row)
    return s


def which_list(x):
    l, m = [float(v) for v in x], [2.0 * float(v) for v in x]
    n = l if x[0] > 0.5 else m
    return sum(n) * (3.0 if n is l else 2.0)


def same_memory(x):
    a, b = x * 1.0, x**2
    t = a if x[0] > 0.5 else b
    return np.sum(x) * (3.0 if np.shares_memory(t, a[1:]) else 2.0)


def in_a_list(x, s):
    l = []
    for v in (x[0], s, x[1]):
        l.append(v)
    return np.sum(x) * (3.0 if s in l else 2.0) * l.count(s) * (1.0 + (l == l[:]))


def equal_tuples(x, s):
    t, u = (s, x[0]), (s, x[0])
    return np.sum(x) * (3.0 if t == u else 2.0)


def product_by_reduce(x):
    return np.multiply.reduce(x) * 2.0


def logarithm_by_reduce(x):
    return np.logaddexp.reduce(np.sin(x))


CALLS = [
    (alias_windows, X),
    (overlap_slices, X),
    (neg_steps, X),
    (self_reverse, X),
    (zero_size, X, 0),
    (zero_size, X, 3),
    (zero_size, X, -9),
    (empty_prod, X),
    (int_div_neg, 1.5, -7, 3),
    (int_div_neg, 1.5, 7, -3),
    (int_div_neg, 1.5, 7, 0),
    (int_arrays, X, np.array([-7, -1, 0, 1, 5, 8, -4])),
    (nan_compare, np.array([0.1, np.nan, 0.9])),
    (nan_max, np.array([0.1, 0.5, np.nan, 0.9])),
    (nan_max, np.array([0.1, 0.5, 0.2, 0.9])),
    (nan_maximum, np.array([0.1, np.nan, 0.9])),
    (oob, X, 7),
    (oob, X, -7),
    (oob, X, -8),
    (oob2, X, 9),
    (oob2, X, -1),
    (oob_rows, A, 4),
    (oob_rows, A, -4),
    (oob_rows, A, -5),
    (oob_fancy, X, np.array([0, 7])),
    (oob_fancy, X, np.array([0, -7])),
    (oob_fancy, X, np.array([0, -8])),
    (slice_clip, X, 3),
    (slice_clip, X, 50),
    (slice_clip, X, -50),
    (wh, 9.0),
    (wh, 0.5),
    (wh_break, 1.3),
    (exc, -1.0),
    (exc, 2.0),
    (exc_div, 1.0, 0.0),
    (exc_div, np.float64(1.0), np.float64(0.0)),
    (exc_div, 1.0, 2.0),
    (sqrt_neg, -1.0),
    (sqrt_neg, np.float64(-1.0)),
    (zerod, X),
    (zerod2, X),
    (fortran, S),
    (fortran, np.asfortranarray(S)),
    (fort_ravel, A),
    (fort_ravel, np.asfortranarray(A)),
    (row_views, A),
    (row_views, np.asfortranarray(A)),
    (row_views, A[::-1, ::2]),
    (bc, A, _rng.random((4, 1)), _rng.random((1, 3))),
    (bc, A, _rng.random((1, 1)), _rng.random(3)),
    (bc, A[:1], A, A[:, :1]),
    (bc_store, _rng.random(4), _rng.random((3, 4))),
    (bc_store, _rng.random((3, 1)), _rng.random((1, 4))),
    (bc_store, _rng.random((1, 4)), _rng.random((3, 1))),
    (bc_bad, X, X[:3]),
    (bc_store_bad, X[:3], X[:2]),
    (bc_store_bad, X[:3], X[:1]),
    (truth, 1.5, True),
    (truth, 1.5, False),
    (boolsum, X),
    (bool_arith, X),
    (int_pow, 1.5, 3),
    (int_pow, 1.5, 0),
    (int_pow, 1.5, -2),
    (int_overflow, 2.0, 40),
    (int_arr_wrap, X[:3], np.array([1, 2, 3])),
    (chained, X),
    (ell, A),
    (mask_store, X),
    (mask_gather, X),
    (dup_scatter, X[:4], np.array([0, 1, 1, 3])),
    (dup_store, X[:4], np.array([0, 1, 1, 3])),
    (neg_index, X),
    (sums, _rng.random((2, 3, 2))),
    (stats, A),
    (aug_int, 1.5, 4),
    (maybe_int, 1.5, 0),
    (maybe_int, 1.5, 3),
    (two_types, 1.5, 2),
    (two_types, 1.5, 3),
    (floordiv_f, 1.5, 0.9),
    (floordiv_f, 1.5, -0.95),
    (mod_zero, 1.5, 2.0),
    (np_div0, X),
    (minmax, 1.0, 3.0),
    (minmax, float("nan"), 3.0),
    (minmax, 3.0, float("nan")),
    (rounding, 1.5),
    (ints_from_floats, 1.5, -2.9),
    (ints_from_floats, 1.5, float("nan")),
    (list_ops, X),
    (list_arrays, X),
    (list_alias, X),
    (tup, X),
    (nested_call, X),
    (uses_global, X),
    (uses_table, X),
    (cplx, X),
    (cplx_div, 0.7),
    (logic, 1.0, 2.0),
    (logic, -1.0, 2.0),
    (enum_zip, X, X[:4]),
    (stepped, X),
    (early, X),
    (early, X[:1]),
    (cont, X),
    (tri, S),
    (lin, S, X[:3]),
    (ein, S, S),
    (out_kw, X),
    (cumul, X),
    (clipped, X),
    (where_nan, X),
    (swap, X),
    (rows_swap, A),
    (written, X),
    (view_arg, A),
    (view_arg, np.asfortranarray(A)),
    (int_arg, X, 5),
    (int_arg, X, 1),
    (hyp, X),
    (powers, X, X[::-1]),
    (argm, X),
    (strides, _rng.random((5, 4))),
    (concat, X, X[:2]),
    (bigint, 1.5, 100),
    (bigint, 1.5, 2 ** 40),
    (default_dt, X),
    (int_store, X),
    (f32, X.astype(np.float32)),
    (noneidx, X),
    (deflt, X),
    (strfmt, 1.5),
    (lam, X),
    (sum_gen, X),
    *((longer_than_its_window, X, X[:n]) for n in (3, 2, 1)),
    *((unequal_sizes, X[:n], X) for n in (2, 6)),
    *((from_both_ends, X, i) for i in (0, 5, -6, 6, -7)),
    (from_both_ends, X[:0], 0),
    *((places_in_tables, A, np.array(at)) for at in ([0, 1, 2], [-1, -3], [3], [-4], [])),
    (largest_of_none, A),
    (largest_of_none, A[:, :0]),
    (emptied, X),
    *((drained, X, n) for n in (0, 2, 3, 4)),
    (emptied_by_another, X),
    (list_by_python, X),
    (pair_into_places, X),
    (shared_extreme, X),
    (shared_extreme, np.array([2.0, 1.0, 2.0, 1.0])),
    (shared_extreme, np.array([2.0, np.nan, 1.0])),
    (complex_factor, X, 0.3),
    *((window_or_copy, a) for a in (SQUARE, SQUARE.T, SQUARE[::2], SQUARE[:, ::2].T)),
    *((window_or_copy_of_a_copy, a) for a in (SQUARE, SQUARE.T, SQUARE[::2].T)),
    *((window_of_its_own, a) for a in (SQUARE, SQUARE.T)),
    *((out_of_domain, x) for x in (math.inf, -math.inf, math.nan, 0.0, 2.0)),
    *((f, 1.5, n) for f in (maybe_unbound, returned_unbound, last_of_loop) for n in (0, 3)),
    *((f, 2.0, n) for f in (whole_or_float, whole_among_floats) for n in (3, 39, 50)),
    (columns_by_python, A),
    *((compared_beyond_floats, 2.0, n) for n in (0, 1)),
    *((f, X) for f in (floats_into_a_list_of_integers, floats_into_a_list_of_truths, floats_into_rows_of_integers,
                       best_of_a_list, list_of_a_closure, list_of_integers_passed_on)),
    (sums_into_a_list_of_integers, X, 3),
    *((floats_into_a_copied_argument, X, l) for l in ([1, 2, 3], [1.0, 2.0, 3.0])),
    *((floats_into_a_part_of_an_argument, X, (l,)) for l in ([2, 3], [2.0, 3.0])),
    *((large_integers_in_a_list, X, n) for n in (3, 2**30)),
    (stored_with_axes_in_front, X),
    *((f, X) for f in (product_by_reduce, logarithm_by_reduce)),
    *((f, x) for f in (one_of_two, which_of_a_list, which_list, same_memory) for x in (X + 1.0, X - 1.0)),
    *((f, X, s) for f in (in_a_list, equal_tuples) for s in (1.5, math.nan)),
]

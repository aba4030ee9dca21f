"""Programs that break careless axes: as many directions as items (so that a wrong broadcast goes unnoticed), memory that changes
behind numbers and windows, indices that NumPy puts elsewhere. What all directions at once give is what the loop gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from s2sad import jvp, vjp

RNG = np.random.default_rng(0)
VECTOR, MATRIX, CUBE = RNG.standard_normal(3), RNG.standard_normal((3, 3)), RNG.standard_normal((3, 3, 3))


def numbers_swapped(x):
    t = x[0]
    x[0] = x[1]
    x[1] = t * x[2]
    s = t
    t = x[1]
    return x * s + t


def window_overwritten(A):
    r = A[0]
    A[0] = A[1]
    return r * A[2]


def repeated_places(x):
    i = np.array([0, 0, 2])
    y = np.zeros(3)
    np.add.at(y, i, x * x)
    y[i] += x
    return y[::-1] * x


def indices_apart(A):
    return A[[0, 1], :, [1, 0]] * 2 + A[0, :, [1, 0]]


def without_axes(x):
    y = np.zeros(())
    y[...] = x[0] * x[1]
    y += x[2]
    return y * x


def while_number(x):
    s = x[0]
    while s < 5.0:
        s = s * 1.5 + x[1] ** 2
        x[1] = x[1] * 0.9
    return s * x


def list_of_arrays(x):
    rows = [x * k for k in range(3)]
    rows[0] += rows[1]
    rows[2] = rows[0]
    rows[2] *= x
    return np.stack(rows).sum(axis=0) + np.concatenate([x[:1], x[1:] * x[0]])


def subscripts_of_einsum(A):
    return np.einsum('ij,jk->ki', A, A.T) @ A[:, 0] + np.tensordot(A, A, axes=([1], [1]))[0]


def column_order(A):
    B = A.T.reshape(-1)
    B = B * B[0]
    return B.reshape(A.shape, order='F') + np.ravel(A, order='F')[:1]


def complex_spectrum(x):
    z = np.exp(1j * x)
    return np.abs(np.fft.fft(z)) + z.real * z.imag


def masks(x):
    m = x > 0
    y = x.copy()
    y[m] *= x[m]
    y[~m] = x.sum()
    return np.where(m, y, x[0]) * np.mean(y)


def outer_and_triangles(x, s=2.0):
    return np.outer(x, x) * s + np.diag(x) + np.tril(np.outer(x, x))


def dict_of_numbers(x):
    d = {}
    for k in range(3):
        d[k % 2] = d.get(k % 2, 0.0) + x[k] * x[0]
    return d[0] * d[1]


def inner_that_writes(x):

    def inner(u, v):
        u[1] = v * u[0]
        return u * v
    y = x.copy()
    z = inner(y, x[2])
    return y + z


def rows_and_items(A):
    out = 0.0
    for row in A:
        for v in row:
            out = out + v * v * out + v
    return out


def recursion(x):

    def fact(n, y):
        return y if n == 0 else fact(n - 1, y * x[n % 3]) + y
    return fact(4, x)


def orders_and_sums(x):
    return np.max(x) * x + np.sort(x) * np.cumsum(x) - np.prod(x) + np.linalg.norm(x) + np.diff(x, append=x[:1])


def decompositions(A):
    w, V = np.linalg.eigh(A + A.T)
    return w + np.linalg.inv(A + 3 * np.eye(3))[0] + np.linalg.det(A)


def reshaped_and_reversed(x):
    u = x
    u = u.reshape(3, 1) * x
    v = u[:, ::-1]
    v[0] = 0.0
    return u


def copied_window(x):
    a = np.zeros((2, 3))
    b = a[0]
    b[:] = x
    a[1] = b * x[0]
    b *= 2
    return a


def popped(x):
    xs = []
    for k in range(3):
        xs.append(x[k] ** 2)
    while len(xs) > 1:
        p = xs.pop()
        xs[-1] += p * xs[0]
    return xs[0]


def stretched_and_rolled(x):
    y = np.broadcast_to(x, (2, 3)) * np.arange(2.0)[:, None]
    return np.roll(np.repeat(y, 2, axis=0), 1, axis=1).swapaxes(0, 1)


def pieces(x):
    return np.squeeze(np.expand_dims(x, 0) * x[None]) + np.take(x, [2, 0, 1]) + np.hstack([x[0], x[1:]]) + np.tile(x, 2)[:3]


def attempt(x):
    try:
        y = x[5]
    except IndexError:
        y = x[0] * x
    return y


def clipped(x):
    return np.clip(x, -0.5, 0.5) * x + np.interp(x, [-1.0, 0.0, 1.0], x) + np.polyval(x, 2.0)


def whole_numbers_among_pieces(x):
    joined = np.concatenate([x, np.arange(3), x > 0]) ** 2
    return joined[:3] * joined[3:6] + np.stack([x, np.arange(3)]).sum(axis=0) * x + np.r_[x, 1][1:]


OF_MATRICES = (window_overwritten, subscripts_of_einsum, column_order, rows_and_items, decompositions)
OF_VECTORS = (
    numbers_swapped, repeated_places, without_axes, list_of_arrays, complex_spectrum, masks, outer_and_triangles,
    dict_of_numbers, inner_that_writes, recursion, orders_and_sums, reshaped_and_reversed, copied_window, popped,
    stretched_and_rolled, pieces, attempt, clipped, whole_numbers_among_pieces,
)  # fmt: skip
CASES: list[tuple[Any, np.ndarray]] = [
    *((f, VECTOR) for f in OF_VECTORS),
    *((f, 0.3 * MATRIX) for f in OF_MATRICES),
    (while_number, abs(VECTOR) + 0.5),
    (indices_apart, CUBE),
]


@pytest.mark.parametrize(("f", "x"), CASES, ids=[f.__name__ for f, _ in CASES])
def test_as_many_directions_as_items(f: Any, x: np.ndarray) -> None:
    rows = np.random.default_rng(1).standard_normal((3, *x.shape))
    found = jvp(f, (x,), (rows,), batched=True)[1]
    np.testing.assert_allclose(found, [jvp(f, (x,), (row,))[1] for row in rows], rtol=1e-9, atol=1e-11)
    value, pullback = vjp(f, x)
    seeds = np.random.default_rng(2).standard_normal((3, *np.shape(value)))
    found = pullback(seeds, batched=True)[0]
    singles = [pullback(seed if np.ndim(seed) else float(seed))[0] for seed in seeds]
    np.testing.assert_allclose(found, singles, rtol=1e-9, atol=1e-11)

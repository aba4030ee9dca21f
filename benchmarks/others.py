"""The programs of ``kernels.py`` as others take their gradients: adjoints by hand in loops (Numba), and JAX.

``BY_HAND``: the adjoint in scalar loops, which gives value and gradient. ``jax_programs``: as one writes it who knows JAX, arrays
at once where that is possible, ``scan`` and ``fori_loop`` where it is not; ``jit`` and ``value_and_grad`` are put around it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np


@numba.njit
def rosenbrock(x):
    s, g = 0.0, np.zeros(len(x))
    for i in range(len(x) - 1):
        t, u = x[i + 1] - x[i] ** 2, 1.0 - x[i]
        s += 100.0 * t**2 + u**2
        g[i] -= 400.0 * t * x[i] + 2.0 * u
        g[i + 1] += 200.0 * t
    return s, g


@numba.njit
def logistic_map(x, r, n):
    kept = np.empty(n)
    for k in range(n):
        kept[k] = x
        x = r * x * (1.0 - x)
    g = 1.0
    for k in range(n - 1, -1, -1):
        g *= r * (1.0 - 2.0 * kept[k])
    return x, g


@numba.njit
def bodies(q, m):
    e, g = 0.0, np.zeros_like(q)
    for i in range(q.shape[0]):
        for j in range(i + 1, q.shape[0]):
            dx, dy, dz = q[i, 0] - q[j, 0], q[i, 1] - q[j, 1], q[i, 2] - q[j, 2]
            r2 = dx * dx + dy * dy + dz * dz + 1e-3
            t = m[i] * m[j] / np.sqrt(r2)
            e -= t
            s = t / r2
            g[i, 0] += s * dx
            g[i, 1] += s * dy
            g[i, 2] += s * dz
            g[j, 0] -= s * dx
            g[j, 1] -= s * dy
            g[j, 2] -= s * dz
    return e, g


@numba.njit
def gather(x, index):
    s, g = 0.0, np.zeros_like(x)
    for k in range(len(index)):
        v = x[index[k]]
        s += v * v
        g[index[k]] += 2.0 * v
    return s, g


@numba.njit
def scatter(x, index):
    y, g = np.zeros_like(x), np.empty_like(x)
    for k in range(len(index)):
        y[index[k]] += x[k] ** 2
    for k in range(len(index)):
        g[k] = 4.0 * y[index[k]] * x[k]
    return np.sum(y**2), g


@numba.njit
def dot_by_elements(x, y):
    s = 0.0
    for k in range(len(x)):
        s += x[k] * y[k]
    return s, y.copy()


@numba.njit
def horner(c, x):
    s, g = 0.0, np.empty(len(c))
    for k in range(len(c)):
        s = s * x + c[k]
    p = 1.0
    for k in range(len(c) - 1, -1, -1):
        g[k] = p
        p *= x
    return s, g


BY_HAND: dict[str, Callable[..., Any]] = {
    f.py_func.__name__: f for f in (rosenbrock, logistic_map, bodies, gather, scatter, dot_by_elements, horner)
}


def jax_programs() -> dict[str, Callable[..., Any]]:
    """The programs for JAX, by name; none where it is not installed."""
    try:
        import jax
    except ModuleNotFoundError:
        return {}
    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp
    from jax import lax

    def rosenbrock(x):
        return jnp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)

    def logistic_map(x, r, n):
        return lax.scan(lambda v, _: (r * v * (1.0 - v), None), x, None, length=n)[0]

    def lorenz(x, y, z, h, n):
        def step(s, _):
            a, b, c = s
            return (a + h * 10.0 * (b - a), b + h * (a * (28.0 - c) - b), c + h * (a * b - 8.0 / 3.0 * c)), None

        return sum(lax.scan(step, (x, y, z), None, length=n)[0])

    def bodies(q, m):
        i, j = np.triu_indices(q.shape[0], 1)
        d = q[i] - q[j]
        return -jnp.sum(m[i] * m[j] / jnp.sqrt(jnp.sum(d * d, axis=1) + 1e-3))

    def gather(x, index):
        return jnp.sum(x[index] ** 2)

    def scatter(x, index):
        return jnp.sum(jnp.zeros_like(x).at[index].add(x**2) ** 2)

    def heat_by_slices(u, steps):
        def step(v, _):
            near = v[2:, 1:-1] + v[:-2, 1:-1] + v[1:-1, 2:] + v[1:-1, :-2] - 4.0 * v[1:-1, 1:-1]
            return v.at[1:-1, 1:-1].add(0.1 * near * v[1:-1, 1:-1]), None

        return jnp.sum(lax.scan(step, u, None, length=steps)[0] ** 2)

    def heat_by_elements(u, steps):
        def step(v, _):
            return v.at[1:-1].add(0.1 * (v[2:] - 2.0 * v[1:-1] + v[:-2]) * v[1:-1]), None

        v = lax.scan(step, u, None, length=steps)[0]
        return jnp.sum(v * v)

    def cholesky(a):
        low = jnp.linalg.cholesky(jnp.tril(a) + jnp.tril(a, -1).T, symmetrize_input=False)  # as ours reads it
        return jnp.sum(jnp.log(jnp.diagonal(low)))

    def chain(x):
        return jnp.sum(jnp.tanh(x) * jnp.exp(-x * x) + jnp.sin(x) ** 2)

    def recurrent(x, w, v):
        h = lax.scan(lambda h, row: (jnp.tanh(w @ h + v @ row), None), jnp.zeros(w.shape[0]), x)[0]
        return h @ h

    def linear_recurrence(x, a):
        s, t = lax.scan(lambda c, v: ((a * c[0] + v * c[1], 0.5 * c[1] + c[0] * 0.1), None), (0.0, 1.0), x)[0]
        return s + t

    def dot_by_elements(x, y):
        return jnp.sum(x * y)

    def horner(c, x):
        return lax.scan(lambda s, v: (s * x + v, None), 0.0, c)[0]

    def triangular_solve(low, b):
        return jnp.sum(jax.scipy.linalg.solve_triangular(low, b, lower=True) ** 2)

    def bodies_by_arrays(q, m):
        d = q[:, None, :] - q[None, :, :]
        return jnp.sum(m[:, None] * m[None, :] / jnp.sqrt(jnp.sum(d * d, axis=2) + 1e-3))

    def softmax_rows(a, y):
        e = jnp.exp(a - jnp.max(a))
        return -jnp.sum(y * jnp.log(e / jnp.sum(e, axis=1, keepdims=True)))

    def sparse_product(data, indices, starts, x):
        rows = jnp.repeat(jnp.arange(len(starts) - 1), jnp.diff(starts), total_repeat_length=len(data))
        return jnp.sum(jax.ops.segment_sum(data * x[indices], rows, num_segments=len(starts) - 1) ** 2)

    def recursive_filter(x, a, b):
        def step(c, v):
            y = b * v - a * c[0] - 0.1 * c[1] * c[0]
            return (y, c[0]), y

        return jnp.sum(lax.scan(step, (0.0, 0.0), x[2:])[1] ** 2)

    def filtered(x, h):
        y = jnp.convolve(x, h[::-1], mode="valid")[: len(x) - len(h)]
        return jnp.sum(y * y)

    def pendulum(y, v, h, n):
        def step(s, _):
            y, v = s
            k1, l1 = v, -jnp.sin(y)
            k2, l2 = v + 0.5 * h * l1, -jnp.sin(y + 0.5 * h * k1)
            k3, l3 = v + 0.5 * h * l2, -jnp.sin(y + 0.5 * h * k2)
            k4, l4 = v + h * l3, -jnp.sin(y + h * k3)
            return (y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4), v + h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4)), None

        return lax.scan(step, (y, v), None, length=n)[0][0]

    def wave_by_slices(u, v, steps):
        def step(s, _):
            u, v = s
            v = v.at[1:-1].add(0.2 * (u[2:] - 2.0 * u[1:-1] + u[:-2]))
            return (u + 0.5 * v, v), None

        return jnp.sum(lax.scan(step, (u, v), None, length=steps)[0][0] ** 2)

    def heat_in_space(u, steps):
        def step(v, _):
            c = v[1:-1, 1:-1, 1:-1]
            near = v[:-2, 1:-1, 1:-1] + v[2:, 1:-1, 1:-1] + v[1:-1, :-2, 1:-1] + v[1:-1, 2:, 1:-1] + v[1:-1, 1:-1, :-2]
            near += v[1:-1, 1:-1, 2:]
            return v.at[1:-1, 1:-1, 1:-1].add(0.1 * (near - 6.0 * c)), None

        return jnp.sum(lax.scan(step, u, None, length=steps)[0] ** 2)

    def lu_in_place(a):
        rows = jnp.arange(a.shape[0])

        def step(a, k):
            w = jnp.where(rows > k, a[:, k] / a[k, k], 0.0)
            return a - jnp.outer(w, a[k]), a[k, k]

        return jnp.sum(jnp.log(lax.scan(step, a, rows)[1]))

    def stress(p, d):
        i, j = np.tril_indices(p.shape[0], -1)
        r = jnp.sum((p[i] - p[j]) ** 2, axis=1)
        return jnp.sum((jnp.sqrt(r + 1e-9) - d[i, j]) ** 2)

    def soft_histogram(x, bins):
        t = x * (bins - 2)
        i = t.astype(int)
        h = jnp.zeros(bins).at[i].add(1.0 - (t - i)).at[i + 1].add(t - i)
        return jnp.sum(h * h)

    def hidden_states(start, moves, seen):
        def step(a, row):
            m = jnp.max(a)
            return jnp.log(jnp.exp(a - m) @ moves) + m + row, None

        return jax.scipy.special.logsumexp(lax.scan(step, jnp.log(start), seen)[0])

    found = locals()
    return {name: f for name, f in found.items() if callable(f) and getattr(f, "__module__", "") == __name__}


def torch_programs() -> dict[str, Callable[..., Any]]:
    """The programs of arrays for torch, eager as its users run it; none where it is not installed."""
    try:
        import torch
    except ModuleNotFoundError:
        return {}

    def gather(x, index):
        return (x[index] ** 2).sum()

    def scatter(x, index):
        return (torch.zeros_like(x).index_add(0, index, x**2) ** 2).sum()

    def dot_by_elements(x, y):
        return x @ y

    def chain(x):
        return (torch.tanh(x) * torch.exp(-x * x) + torch.sin(x) ** 2).sum()

    def heat_by_slices(u, steps):
        for _ in range(steps):
            near = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
            new = u.clone()
            new[1:-1, 1:-1] += 0.1 * near * u[1:-1, 1:-1]
            u = new
        return (u**2).sum()

    def wave_by_slices(u, v, steps):
        for _ in range(steps):
            new = v.clone()
            new[1:-1] += 0.2 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
            u, v = u + 0.5 * new, new
        return (u * u).sum()

    def recurrent(x, w, v):
        h = torch.zeros(w.shape[0], dtype=x.dtype)
        for row in x:
            h = torch.tanh(w @ h + v @ row)
        return h @ h

    def bodies(q, m):
        i, j = torch.triu_indices(len(q), len(q), 1)
        d = q[i] - q[j]
        return -(m[i] * m[j] / torch.sqrt((d * d).sum(1) + 1e-3)).sum()

    def bodies_by_arrays(q, m):
        d = q[:, None, :] - q[None, :, :]
        return (m[:, None] * m[None, :] / torch.sqrt((d * d).sum(2) + 1e-3)).sum()

    def stress(p, d):
        i, j = torch.tril_indices(len(p), len(p), -1)
        return ((torch.sqrt(((p[i] - p[j]) ** 2).sum(1) + 1e-9) - d[i, j]) ** 2).sum()

    def softmax_rows(a, y):
        e = torch.exp(a - a.max())
        return -(y * torch.log(e / e.sum(1, keepdim=True))).sum()

    def hidden_states(start, moves, seen):
        a = torch.log(start)
        for row in seen:
            m = a.max()
            a = torch.log(torch.exp(a - m) @ moves) + m + row
        return torch.logsumexp(a, 0)

    def rosenbrock(x):
        return (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2).sum()

    def triangular_solve(low, b):
        return (torch.linalg.solve_triangular(low, b[:, None], upper=False) ** 2).sum()

    def cholesky(a):
        symmetric = torch.tril(a) + torch.tril(a, -1).T
        return torch.log(torch.linalg.cholesky(symmetric).diagonal()).sum()

    found = locals()
    return {name: f for name, f in found.items() if callable(f) and getattr(f, "__module__", "") == __name__}

"""The loops of ``kernels.py`` as users of JAX write them: ``fori_loop`` and ``.at[]``, statement by statement.

What is masked is so because reverse mode wants a number of rounds that is known. ``jit`` and ``value_and_grad`` are put around.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def jax_loops() -> dict[str, Callable[..., Any]]:
    """The programs by name; none where JAX is not installed."""
    try:
        import jax
    except ModuleNotFoundError:
        return {}
    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp
    from jax.lax import dynamic_slice, fori_loop

    def rosenbrock(x):
        return fori_loop(0, len(x) - 1, lambda i, s: s + 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2, 0.0)

    def logistic_map(x, r, n):
        return fori_loop(0, n, lambda _, v: r * v * (1.0 - v), x)

    def pendulum(y, v, h, n):
        def step(_, s):
            y, v = s
            k1, l1 = v, -jnp.sin(y)
            k2, l2 = v + 0.5 * h * l1, -jnp.sin(y + 0.5 * h * k1)
            k3, l3 = v + 0.5 * h * l2, -jnp.sin(y + 0.5 * h * k2)
            k4, l4 = v + h * l3, -jnp.sin(y + h * k3)
            return y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4), v + h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4)

        return fori_loop(0, n, step, (y, v))[0]

    def bodies(q, m):
        n = q.shape[0]

        def pair(i, j, e):
            dx, dy, dz = q[i, 0] - q[j, 0], q[i, 1] - q[j, 1], q[i, 2] - q[j, 2]
            return e - jnp.where(j > i, m[i] * m[j] / jnp.sqrt(dx * dx + dy * dy + dz * dz + 1e-3), 0.0)

        return fori_loop(0, n, lambda i, e: fori_loop(0, n, lambda j, t: pair(i, j, t), e), 0.0)

    def gather(x, index):
        return fori_loop(0, len(index), lambda k, s: s + x[index[k]] ** 2, 0.0)

    def scatter(x, index):
        y = fori_loop(0, len(index), lambda k, y: y.at[index[k]].add(x[k] ** 2), jnp.zeros_like(x))
        return jnp.sum(y**2)

    def thomas(a, b, c, d):
        n = len(d)

        def down(i, s):
            b, d = s
            w = a[i - 1] / b[i - 1]
            return b.at[i].add(-w * c[i - 1]), d.at[i].add(-w * d[i - 1])

        b, d = fori_loop(1, n, down, (b, d))
        d = d.at[n - 1].set(d[n - 1] / b[n - 1])
        d = fori_loop(0, n - 1, lambda k, d: d.at[n - 2 - k].set((d[n - 2 - k] - c[n - 2 - k] * d[n - 1 - k]) / b[n - 2 - k]), d)
        return d.sum()

    def heat_by_elements(u, steps):
        def step(_, u):
            v = u
            return fori_loop(1, len(u) - 1, lambda i, u: u.at[i].set(v[i] + 0.1 * (v[i + 1] - 2.0 * v[i] + v[i - 1]) * v[i]), u)

        u = fori_loop(0, steps, step, u)
        return (u * u).sum()

    def cholesky(a):
        n = a.shape[0]

        def entry(i, j, low):
            t = a[i, j] - low[i] @ low[j]
            on = i == j
            t = jnp.where(i < j, 1.0, t)
            new = jnp.where(on, jnp.sqrt(jnp.where(on, t, 1.0)), t / jnp.where(i <= j, 1.0, low[j, j]))
            return low.at[i, j].set(jnp.where(i < j, 0.0, new))

        def column(j, s):
            low, total = s
            low = fori_loop(0, n, lambda i, low: entry(i, j, low), low)
            return low, total + jnp.log(low[j, j])

        return fori_loop(0, n, column, (jnp.zeros((n, n)), 0.0))[1]

    def shortest_paths(w):
        n = w.shape[0]

        def entry(k, i, j, d):
            return d.at[i, j].set(-jnp.log(jnp.exp(-d[i, j]) + jnp.exp(-d[i, k] - d[k, j])))

        def rows(k, i, d):
            return fori_loop(0, n, lambda j, d: entry(k, i, j, d), d)

        return jnp.sum(fori_loop(0, n, lambda k, d: fori_loop(0, n, lambda i, d: rows(k, i, d), d), w)) / n**2

    def linear_recurrence(x, a):
        def step(k, c):
            s = a * c[0] + x[k] * c[1]
            return s, 0.5 * c[1] + c[0] * 0.1

        s, t = fori_loop(0, len(x), step, (0.0, 1.0))
        return s + t

    def lorenz(x, y, z, h, n):
        def step(_, s):
            x, y, z = s
            return x + h * 10.0 * (y - x), y + h * (x * (28.0 - z) - y), z + h * (x * y - 8.0 / 3.0 * z)

        return sum(fori_loop(0, n, step, (x, y, z)))

    def dot_by_elements(x, y):
        return fori_loop(0, len(x), lambda k, s: s + x[k] * y[k], 0.0)

    def horner(c, x):
        return fori_loop(0, len(c), lambda k, s: s * x + c[k], 0.0)

    def heat_by_slices(u, steps):
        def step(_, u):
            near = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
            return u.at[1:-1, 1:-1].add(0.1 * near * u[1:-1, 1:-1])

        return jnp.sum(fori_loop(0, steps, step, u) ** 2)

    def wave_by_slices(u, v, steps):
        def step(_, s):
            u, v = s
            v = v.at[1:-1].add(0.2 * (u[2:] - 2.0 * u[1:-1] + u[:-2]))
            return u + 0.5 * v, v

        return jnp.sum(fori_loop(0, steps, step, (u, v))[0] ** 2)

    def heat_in_space(u, steps):
        n, m, p = u.shape

        def entry(v, i, j, k, u):
            near = v[i - 1, j, k] + v[i + 1, j, k] + v[i, j - 1, k] + v[i, j + 1, k] + v[i, j, k - 1] + v[i, j, k + 1]
            return u.at[i, j, k].set(v[i, j, k] + 0.1 * (near - 6.0 * v[i, j, k]))

        def step(_, v):
            def row(i, j, u):
                return fori_loop(1, p - 1, lambda k, u: entry(v, i, j, k, u), u)

            return fori_loop(1, n - 1, lambda i, u: fori_loop(1, m - 1, lambda j, u: row(i, j, u), u), v)

        u = fori_loop(0, steps, step, u)
        return jnp.sum(u * u)

    def alternating_directions(u, steps):
        n = u.shape[0]

        def step(_, u):
            def along(i, u):
                return fori_loop(1, n, lambda j, u: u.at[i, j].add(0.3 * u[i, j - 1]), u)

            def back(k, j, u):
                i = n - 2 - k
                return u.at[i, j].set(0.7 * u[i, j] + 0.2 * u[i + 1, j] * u[i, j])

            u = fori_loop(0, n, along, u)
            return fori_loop(0, n, lambda j, u: fori_loop(0, n - 1, lambda k, u: back(k, j, u), u), u)

        return jnp.sum(fori_loop(0, steps, step, u))

    def lu_in_place(a):
        n = a.shape[0]
        columns = jnp.arange(n)

        def row(k, i, a):
            w = jnp.where(i > k, a[i, k] / a[k, k], 0.0)
            new = jnp.where(columns > k, a[i] - w * a[k], jnp.where(columns == k, w, a[i]))
            return a.at[i].set(jnp.where(i > k, new, a[i]))

        a = fori_loop(0, n, lambda k, a: fori_loop(0, n, lambda i, a: row(k, i, a), a), a)
        return fori_loop(0, n, lambda k, s: s + jnp.log(a[k, k]), 0.0)

    def triangular_solve(low, b):
        n = len(b)

        def row(i, x):
            return x.at[i].set((b[i] - jnp.sum(jnp.where(jnp.arange(n) < i, low[i] * x, 0.0))) / low[i, i])

        x = fori_loop(0, n, row, jnp.zeros(n))
        return jnp.sum(x * x)

    def stress(p, d):
        n = p.shape[0]

        def pair(i, j, s):
            r = fori_loop(0, p.shape[1], lambda k, r: r + (p[i, k] - p[j, k]) ** 2, 0.0)
            return s + jnp.where(j < i, (jnp.sqrt(r + 1e-9) - d[i, j]) ** 2, 0.0)

        return fori_loop(0, n, lambda i, s: fori_loop(0, n, lambda j, s: pair(i, j, s), s), 0.0)

    def soft_histogram(x, bins):
        def put(k, h):
            t = x[k] * (bins - 2)
            i = t.astype(int)
            return h.at[i].add(1.0 - (t - i)).at[i + 1].add(t - i)

        h = fori_loop(0, len(x), put, jnp.zeros(bins))
        return jnp.sum(h * h)

    def recursive_filter(x, a, b):
        def step(k, y):
            return y.at[k].set(b * x[k] - a * y[k - 1] - 0.1 * y[k - 2] * y[k - 1])

        y = fori_loop(2, len(x), step, jnp.zeros(len(x)))
        return jnp.sum(y * y)

    def filtered(x, h):
        n = len(h)
        return fori_loop(0, len(x) - n, lambda k, s: s + (h @ dynamic_slice(x, (k,), (n,))) ** 2, 0.0)

    def hidden_states(start, moves, seen):
        def step(t, a):
            m = jnp.max(a)
            return jnp.log(jnp.exp(a - m) @ moves) + m + seen[t]

        a = fori_loop(0, seen.shape[0], step, jnp.log(start))
        m = jnp.max(a)
        return m + jnp.log(jnp.sum(jnp.exp(a - m)))

    def recurrent(x, w, v):
        h = fori_loop(0, x.shape[0], lambda t, h: jnp.tanh(w @ h + v @ x[t]), jnp.zeros(w.shape[0]))
        return h @ h

    def time_warping(x, y):
        n, m = len(x), len(y)

        def entry(i, j, d):
            near = jnp.exp(-d[i - 1, j]) + jnp.exp(-d[i, j - 1]) + jnp.exp(-d[i - 1, j - 1])
            return d.at[i, j].set((x[i - 1] - y[j - 1]) ** 2 - jnp.log(near + 1e-30))

        d = jnp.full((n + 1, m + 1), 1e3).at[0, 0].set(0.0)
        return fori_loop(1, n + 1, lambda i, d: fori_loop(1, m + 1, lambda j, d: entry(i, j, d), d), d)[n, m]

    def option_tree(price, volatility, steps):
        u = jnp.exp(volatility * jnp.sqrt(1.0 / steps))
        p = (1.0 - 1.0 / u) / (u - 1.0 / u)
        v = jnp.maximum(price * u ** (2.0 * jnp.arange(steps + 1) - steps) - 100.0, 0.0)

        def back(k, v):
            inner = jnp.arange(steps) < steps - k
            return v.at[:-1].set(jnp.where(inner, p * v[1:] + (1.0 - p) * v[:-1], v[:-1]))

        return fori_loop(0, steps, back, v)[0]

    def newton_roots(a):
        def root(k, s):
            def turn(_, x):
                return jnp.where(jnp.abs(x * x - a[k]) > 1e-12, 0.5 * (x + a[k] / x), x)

            return s + fori_loop(0, 12, turn, a[k])

        return fori_loop(0, len(a), root, 0.0)

    found = locals()
    return {name: f for name, f in found.items() if callable(f) and getattr(f, "__module__", "") == __name__}

"""Filters, mixtures, unrolled training, prices: state that is updated in place from step to step."""

import numpy as np

from ..case import case


def spd(r, n):
    M = r.normal(size=(n, n))
    return M @ M.T + n * np.eye(n)


def stoch(r, *s):
    a = r.random(s) + 0.3
    return a / a.sum(-1, keepdims=True)


def verlet_neighbours(x, v, dt, steps, rc=1.6, skin=0.4):
    def build(x):
        pairs = []
        for i in range(len(x)):
            for j in range(i):
                if np.linalg.norm(x[i] - x[j]) < rc + skin:
                    pairs.append((i, j))
        return pairs

    def forces(x, pairs, out):
        out.fill(0.0)
        u = 0.0
        for i, j in pairs:
            d = x[i] - x[j]
            r2 = d @ d
            if r2 > rc * rc:
                continue
            s6 = 1.0 / r2**3
            out[i] += (48 * s6**2 - 24 * s6) / r2 * d
            out[j] -= (48 * s6**2 - 24 * s6) / r2 * d
            u += 4 * (s6 * s6 - s6)
        return u

    x, v = x.copy(), v.copy()
    a = np.empty_like(x)
    x_ref = x.copy()
    pairs = build(x)
    u = forces(x, pairs, a)
    for _ in range(steps):
        v += 0.5 * dt * a
        x += dt * v
        if np.max(np.sum((x - x_ref) ** 2, axis=1)) > (skin / 2) ** 2:
            x_ref[...] = x
            pairs = build(x)
        u = forces(x, pairs, a)
        v += 0.5 * dt * a
    return u + 0.5 * np.sum(v**2)


def ukf_pass(obs, m, P, q, r):
    n = m.shape[0]
    lam = 1.0
    W = np.full(2 * n + 1, 0.5 / (n + lam))
    W[0] = lam / (n + lam)
    sig = np.empty((2 * n + 1, n))
    for y in obs:
        L = np.linalg.cholesky((n + lam) * P)
        sig[0] = m
        for i in range(n):
            sig[i + 1] = m + L[:, i]
            sig[n + i + 1] = m - L[:, i]
        for s in sig:
            s[0] += 0.1 * s[1]
            s[1] -= 0.1 * np.sin(s[0])
        m = W @ sig
        D = sig - m
        P = (W[:, None] * D).T @ D + q * np.eye(n)
        hz = sig[:, 0] ** 2
        zb = np.dot(W, hz)
        S = np.dot(W, (hz - zb) ** 2) + r
        C = (W * (hz - zb)) @ D
        K = C / S
        m = m + K * (y - zb)
        P = P - np.outer(K, K) * S
    return m


def rts_lists(y, q, r):
    ms, Ps = [], []
    m, P = y[0], 1.0
    for k in range(len(y)):
        if k:
            P = P + q
        K = P / (P + r)
        m += K * (y[k] - m)
        P *= 1 - K
        ms.append(m)
        Ps.append(P)
    for k in range(len(y) - 2, -1, -1):
        G = Ps[k] / (Ps[k] + q)
        ms[k] += G * (ms[k + 1] - ms[k])
        Ps[k] += G**2 * (Ps[k + 1] - Ps[k] - q)
    return np.array(ms)


def particle_filter(y, noise, sigma):
    T, N = noise.shape
    x = np.zeros(N)
    w = np.full(N, 1 / N)
    ll = np.zeros(T)
    for t in range(T):
        x *= 0.9
        x += noise[t]
        logw = np.log(w) - 0.5 * ((y[t] - x) / sigma) ** 2 - np.log(sigma)
        mx = logw.max()
        w[:] = np.exp(logw - mx)
        tot = w.sum()
        ll[t] = mx + np.log(tot)
        w /= tot
    return ll


def gmm_em_full(X, mu, S, w, n):
    N, D = X.shape
    K = len(w)
    R = np.empty((N, K))
    for _ in range(n):
        for k in range(K):
            d = X - mu[k]
            R[:, k] = (
                w[k]
                * np.exp(-0.5 * np.einsum("ni,ij,nj->n", d, np.linalg.inv(S[k]), d))
                / np.sqrt(np.linalg.det(S[k]))
            )
        R /= R.sum(axis=1)[:, None]
        Nk = R.sum(0)
        w[:] = Nk / N
        mu[:] = (R.T @ X) / Nk[:, None]
        for k in range(K):
            d = X - mu[k]
            S[k] = (R[:, k, None] * d).T @ d / Nk[k]
            S[k][np.arange(D), np.arange(D)] += 1e-2
    return mu


def natural_spline(x, y, xq):
    n = len(x) - 1
    h = np.diff(x)
    a = np.zeros(n + 1)
    c = np.zeros(n + 1)
    l = np.ones(n + 1)
    mu = np.zeros(n + 1)
    z = np.zeros(n + 1)
    for i in range(1, n):
        a[i] = 3 / h[i] * (y[i + 1] - y[i]) - 3 / h[i - 1] * (y[i] - y[i - 1])
        l[i] = 2 * (x[i + 1] - x[i - 1]) - h[i - 1] * mu[i - 1]
        mu[i] = h[i] / l[i]
        z[i] = (a[i] - h[i - 1] * z[i - 1]) / l[i]
    b = np.zeros(n)
    d = np.zeros(n)
    for j in range(n - 1, -1, -1):
        c[j] = z[j] - mu[j] * c[j + 1]
        b[j] = (y[j + 1] - y[j]) / h[j] - h[j] * (c[j + 1] + 2 * c[j]) / 3
        d[j] = (c[j + 1] - c[j]) / 3 / h[j]
    idx = np.clip(np.searchsorted(x, xq) - 1, 0, n - 1)
    t = xq - x[idx]
    return y[idx] + b[idx] * t + c[idx] * t**2 + d[idx] * t**3


def lifting_dwt_views(x, levels):
    for lev in range(levels):
        step = 2**lev
        s = x[:: 2 * step]
        d = x[step :: 2 * step]
        d[:-1] -= 0.5 * (s[:-1] + s[1:])
        d[-1] -= s[-1]
        s[1:] += 0.25 * (d[:-1] + d[1:])
        s[0] += 0.5 * d[0]
    return x


def tv_chambolle(f, lam, tau, n):
    p = np.zeros((2,) + f.shape)

    def div(p):
        d = np.zeros_like(p[0])
        d[:-1] += p[0][:-1]
        d[1:] -= p[0][:-1]
        d[:, :-1] += p[1][:, :-1]
        d[:, 1:] -= p[1][:, :-1]
        return d

    g = np.zeros_like(p)
    for _ in range(n):
        r = div(p) - f / lam
        g[0, :-1] = np.diff(r, axis=0)
        g[1, :, :-1] = np.diff(r, axis=1)
        norm = np.sqrt(1e-3 + (g**2).sum(axis=0))
        p += tau * g
        p /= 1 + tau * norm
    return f - lam * div(p)


def adam_unrolled(w0, X, y, lr, steps, b1=0.9, b2=0.999):
    w = w0.copy()
    m, v = np.zeros_like(w), np.zeros_like(w)
    g = np.empty_like(w)
    for t in range(1, steps + 1):
        p = 1 / (1 + np.exp(-X @ w))
        np.dot(X.T, p - y, out=g)
        m *= b1
        m += (1 - b1) * g
        np.multiply(v, b2, out=v)
        v += (1 - b2) * np.square(g)
        w -= lr * (m / (1 - b1**t)) / (np.sqrt(v / (1 - b2**t)) + 1e-3)
    p = 1 / (1 + np.exp(-(X @ w)))
    return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))


def batchnorm_running(xs, gamma, beta, running_mean, running_var, momentum=0.1):
    outs = []
    for x in xs:
        mu, var = x.mean(0), x.var(0)
        running_mean *= 1 - momentum
        running_mean += momentum * mu
        running_var[...] = (1 - momentum) * running_var + momentum * var
        outs.append(gamma * (x - mu) / np.sqrt(var + 1e-3) + beta)
    return np.stack(outs) - running_mean / np.sqrt(running_var)


def american_tree(S, K, r, sigma, T, N):
    dt = T / N
    u = np.exp(sigma * np.sqrt(dt))
    d = 1 / u
    p = (np.exp(r * dt) - d) / (u - d)
    disc = np.exp(-r * dt)
    s = S * d ** np.arange(N, -1, -1) * u ** np.arange(0, N + 1)
    v = np.maximum(K - s, 0)
    for i in range(N - 1, -1, -1):
        s[: i + 1] = s[1 : i + 2] * d
        v[: i + 1] = disc * (p * v[1 : i + 2] + (1 - p) * v[: i + 1])
        np.maximum(v[: i + 1], K - s[: i + 1], out=v[: i + 1])
    return v[0]


def heston_paths(S0, v0, kappa, theta, xi, rho, z1, z2, dt):
    S = np.full(z1.shape[1], S0)
    v = np.full_like(S, v0)
    for a, b in zip(z1, z2):
        vp = np.maximum(v, 0)
        zv = rho * a + np.sqrt(1 - rho**2) * b
        S *= np.exp(-0.5 * vp * dt + np.sqrt(vp * dt) * a)
        v += kappa * (theta - vp) * dt + xi * np.sqrt(vp * dt) * zv
    return np.mean(np.maximum(S - 1.0, 0))


CASES = (
    case(
        verlet_neighbours,
        lambda rng: (
            np.array([[0.0, 0], [1.1, 0], [0, 1.2], [1.3, 1.2]]),
            0.5 * rng.normal(size=(4, 2)),
            0.02,
            3,
        ),
    ),
    case(ukf_pass, lambda rng: (rng.random(2), rng.normal(size=2), spd(rng, 2), 0.1, 0.3)),
    case(rts_lists, lambda rng: (rng.normal(size=5), 0.3, 0.5)),
    case(particle_filter, lambda rng: (rng.normal(size=4), rng.normal(size=(4, 5)), 0.8)),
    case(
        gmm_em_full,
        lambda rng: (
            rng.normal(size=(6, 2)),
            rng.normal(size=(2, 2)),
            np.stack([spd(rng, 2), spd(rng, 2)]),
            stoch(rng, 2),
            2,
        ),
    ),
    case(
        natural_spline,
        lambda rng: (np.arange(5.0) + 0.2 * rng.random(5), rng.normal(size=5), np.array([0.5, 1.7, 3.3])),
    ),
    case(lifting_dwt_views, lambda rng: (rng.normal(size=8), 2)),
    case(tv_chambolle, lambda rng: (rng.normal(size=(4, 3)), 0.5, 0.2, 3)),
    case(
        adam_unrolled,
        lambda rng: (rng.normal(size=3), rng.normal(size=(5, 3)), (rng.random(5) > 0.5) * 1.0, 0.1, 3),
    ),
    case(
        batchnorm_running,
        lambda rng: (
            rng.normal(size=(2, 4, 3)),
            rng.normal(size=3),
            rng.normal(size=3),
            rng.normal(size=3),
            1 + rng.random(3),
        ),
    ),
    case(american_tree, lambda rng: (1.0, 1.05, 0.03, 0.3, 1.0, 5)),
    case(
        heston_paths,
        lambda rng: (1.05, 0.09, 1.2, 0.08, 0.3, -0.5, rng.normal(size=(3, 6)), rng.normal(size=(3, 6)), 0.1),
    ),
)

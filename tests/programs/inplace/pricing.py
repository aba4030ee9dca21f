"""Options and volatility: trees in place, relaxation, regression on paths, knock-outs, filters."""

import numpy as np

from ..case import case


def binomial_american(S, K, r, sigma, T, N):
    dt = T / N
    u = np.exp(sigma * np.sqrt(dt))
    d = 1 / u
    p = (np.exp(r * dt) - d) / (u - d)
    disc = np.exp(-r * dt)
    V = np.maximum(K - S * u ** np.arange(N, -N - 1, -2), 0)
    for i in range(N - 1, -1, -1):
        V[: i + 1] = disc * (p * V[: i + 1] + (1 - p) * V[1 : i + 2])
        for j in range(i + 1):
            ex = K - S * u ** (i - 2 * j)
            V[j] = max(V[j], ex)
    return V[0]


def psor_american(S, K, r, sigma, T, M, N, omega):
    ds = 2 * K / M
    dt = T / N
    payoff = np.array([max(K - i * ds, 0) for i in range(M + 1)])
    v = payoff.copy()
    for n in range(N):
        old = v.copy()
        for it in range(6):
            err = 0.0
            for i in range(1, M):
                a = 0.5 * dt * (r * i - sigma**2 * i**2)
                b = 1 + dt * (sigma**2 * i**2 + r)
                c = -0.5 * dt * (r * i + sigma**2 * i**2)
                y = (old[i] - a * v[i - 1] - c * v[i + 1]) / b
                new = max(payoff[i], v[i] + omega * (y - v[i]))
                err += (new - v[i]) ** 2
                v[i] = new
            if err < 1e-12:
                break
    k = int(S / ds)
    w = S / ds - k
    return (1 - w) * v[k] + w * v[k + 1]


def longstaff_schwartz(paths, K, r, dt):
    n, m = paths.shape
    cash = np.maximum(K - paths[:, -1], 0)
    for t in range(m - 2, 0, -1):
        cash *= np.exp(-r * dt)
        itm = paths[:, t] < K
        if itm.sum() < 3:
            continue
        X = paths[itm, t]
        A = np.vstack([np.ones_like(X), X]).T
        coef = np.linalg.solve(A.T @ A, A.T @ cash[itm])
        cont = A @ coef
        ex = K - X
        stop = np.zeros(n, dtype=bool)
        stop[itm] = ex > cont
        cash[stop] = K - paths[stop, t]
    return np.mean(cash) * np.exp(-r * dt)


def heston_milstein(S0, v0, kappa, theta, xi, rho, Z, dt):
    S = np.full(Z.shape[1], S0)
    v = np.full_like(S, v0)
    for z1, z2 in zip(Z[::2], Z[1::2]):
        w = rho * z1 + np.sqrt(1 - rho**2) * z2
        sv = np.sqrt(np.maximum(v, 0))
        S *= np.exp(-0.5 * v * dt + sv * np.sqrt(dt) * z1)
        v += kappa * (theta - v) * dt + xi * sv * np.sqrt(dt) * w + 0.25 * xi**2 * dt * (w**2 - 1)
    return np.mean(np.maximum(S - 1.0, 0.0))


def barrier_mc(S0, sigma, barrier, Z, dt):
    total = 0.0
    for row in Z:
        s = S0
        alive = True
        for z in row:
            s *= np.exp(-0.5 * sigma**2 * dt + sigma * np.sqrt(dt) * z)
            if s > barrier:
                alive = False
                break
        if not alive:
            continue
        total += max(s - 1.0, 0.0)
    return total / len(Z)


def hull_white_tree(r0, a, sigma, dt, N):
    rates = np.zeros((N, 2 * N + 1))
    value = np.ones(2 * N + 1)
    for t in reversed(range(N)):
        new = np.zeros_like(value)
        for j in range(-t, t + 1):
            r = r0 + j * sigma * np.sqrt(3 * dt)
            rates[t, j + N] = r
            eta = -a * j * dt
            pu = 1 / 6 + (eta**2 + eta) / 2
            pm = 2 / 3 - eta**2
            pd = 1 - pu - pm
            new[j + N] = np.exp(-r * dt) * (pu * value[j + N + 1] + pm * value[j + N] + pd * value[j + N - 1])
        value = new
    return value[N]


def garch_filter(params, y):
    omega, alpha, beta = params
    h = np.empty(len(y) + 1)
    h[0] = np.var(y)
    ll = 0.0
    for t, yt in enumerate(y):
        ll += -0.5 * (np.log(h[t]) + yt**2 / h[t])
        h[t + 1] = omega + alpha * yt**2 + beta * h[t]
    return ll


CASES = (
    case(binomial_american, lambda rng: (1.03, 1.1, 0.05, 0.3, 1.0, 5)),
    case(psor_american, lambda rng: (0.97, 1.0, 0.05, 0.3, 1.0, 8, 3, 1.2)),
    case(longstaff_schwartz, lambda rng: (1 + 0.3 * rng.normal(size=(8, 4)), 1.1, 0.05, 0.3)),
    case(heston_milstein, lambda rng: (1.1, 0.2, 1.0, 0.2, 0.3, -0.4, rng.normal(size=(6, 4)), 0.1)),
    case(barrier_mc, lambda rng: (1.1, 0.3, 1.5, rng.normal(size=(5, 4)), 0.1)),
    case(hull_white_tree, lambda rng: (0.03, 0.1, 0.01, 0.5, 3)),
    case(garch_filter, lambda rng: (np.array([0.1, 0.2, 0.7]), rng.normal(size=6))),
)

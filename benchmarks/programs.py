"""The ten programs of ``gradient_cost.py``, for s2sad as one writes them, and for autograd where that differs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def scalar_expression(x, y):
    return x * y + x / y + x * x


def scalar_recurrence(x):
    s = x
    for _ in range(100):
        s = 0.9 * s + 0.1 * s * s * x
    return s


def element_loop(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * x[i] * 0.5
    return s


def chain_small(x):
    return np.sum(np.tanh(np.exp(-x * x) + np.sin(x)) * x)


def chain_large(x):
    return np.sum(np.tanh(np.exp(-x * x) + np.sin(x)) * x)


def logistic(w, X, y):
    z = X @ w
    return np.sum(np.log(1.0 + np.exp(-y * z)))


def network(w1, w2, x, t):
    h = np.tanh(x @ w1)
    d = h @ w2 - t
    return np.sum(d * d)


def stencil(u, alpha):
    for _ in range(50):
        u[1:-1] += alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def nbody(p):
    d = p[:, None, :] - p[None, :, :]
    r2 = np.sum(d * d, axis=2) + 0.1
    return np.sum(1.0 / np.sqrt(r2))


def solve(A, b):
    x = np.linalg.solve(A, b)
    return np.sum(x * x)


def functional_stencil(np_: Any) -> Callable[..., Any]:
    """The stencil without in-place updates, as autograd needs it."""

    def run(u, alpha):
        for _ in range(50):
            inner = u[1:-1] + alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2])
            u = np_.concatenate((u[:1], inner, u[-1:]))
        return np_.sum(u**2)

    return run


# --- adjoints written by hand


def stencil_by_hand(u, alpha):
    u = u.copy()
    for _ in range(50):
        u[1:-1] += alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    out = np.sum(u**2)
    bar = 2.0 * u
    for _ in range(50):
        v = alpha * bar[1:-1]
        bar[2:] += v
        bar[1:-1] -= 2.0 * v
        bar[:-2] += v
    return out, bar


def logistic_by_hand(w, X, y):
    z = X @ w
    e = np.exp(-y * z)
    return np.sum(np.log(1.0 + e)), X.T @ (-y * e / (1.0 + e))


def recurrence_by_hand(x):
    s = x
    tape = []
    for _ in range(100):
        tape.append(s)
        s = 0.9 * s + 0.1 * s * s * x
    out = s
    s_bar, x_bar = 1.0, 0.0
    for _ in range(100):
        s = tape.pop()
        x_bar += s_bar * 0.1 * s * s
        s_bar = s_bar * (0.9 + 0.2 * s * x)
    return out, x_bar + s_bar


def network_by_hand(w1, w2, x, t):
    h = np.tanh(x @ w1)
    d = h @ w2 - t
    d_bar = 2.0 * d
    h_bar = d_bar @ w2.T
    return np.sum(d * d), x.T @ (h_bar * (1.0 - h * h))


def arguments() -> dict[str, tuple[Callable[..., Any], tuple[Any, ...], Callable[..., Any] | None]]:
    """Program, arguments, and the adjoint by hand where there is one."""
    rng = np.random.default_rng(0)
    return {
        "scalar expression": (scalar_expression, (1.3, 0.7), None),
        "scalar recurrence": (scalar_recurrence, (0.8,), recurrence_by_hand),
        "element loop": (element_loop, (rng.random(200),), None),
        "elementwise chain, 10": (chain_small, (rng.random(10),), None),
        "elementwise chain, 1e5": (chain_large, (rng.random(100_000),), None),
        "logistic regression": (
            logistic,
            (rng.normal(size=20), rng.normal(size=(500, 20)), np.sign(rng.normal(size=500))),
            logistic_by_hand,
        ),
        "two-layer network": (
            network,
            (
                rng.normal(size=(20, 30)),
                rng.normal(size=(30, 5)),
                rng.normal(size=(64, 20)),
                rng.normal(size=(64, 5)),
            ),
            network_by_hand,
        ),
        "stencil, in place": (stencil, (rng.random(1000), 0.1), stencil_by_hand),
        "N-body": (nbody, (rng.normal(size=(60, 3)),), None),
        "matrix solve": (solve, (rng.normal(size=(60, 60)) + 10 * np.eye(60), rng.normal(size=60)), None),
    }

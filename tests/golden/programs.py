"""Small programs whose derivative programs are meant to be read: what each looks like is kept beside it, as text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


def worked(w1, w2):
    v1 = np.log(w1)
    v2 = w2 * v1
    return v2 + np.sqrt(v2)


def newton_sqrt(a, tol=1e-12):
    x = a
    while abs(x * x - a) > tol:
        x = 0.5 * (x + a / x)
    return x


def huber(x, delta):
    total = 0.0
    for r in x:
        if abs(r) <= delta:
            total += 0.5 * r**2
        else:
            total += delta * (abs(r) - 0.5 * delta)
    return total


def heat(u, alpha, steps):
    for _ in range(steps):
        u[1:-1] += alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def forward_substitution(L, b):
    x = np.zeros_like(b)
    for i in range(b.shape[0]):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return x


def layer(x, w, b):
    return np.tanh(x @ w + b)


def mlp_loss(w1, b1, w2, b2, x, onehot):
    hidden = layer(x, w1, b1)
    logits = hidden @ w2 + b2
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    log_norm = np.log(np.sum(np.exp(shifted), axis=1))
    return np.mean(log_norm - np.sum(shifted * onehot, axis=1))


@dataclass(frozen=True)
class Golden:
    """A program, what is asked of it, and how many statements its derivative may have."""

    function: Callable[..., Any]
    mode: str
    args: tuple[Any, ...]
    wrt: tuple[str, ...]
    statements: int

    @property
    def name(self) -> str:
        """The name of the text."""
        return f"{self.function.__name__}.{self.mode}.{'_'.join(self.wrt)}"


RNG = np.random.default_rng(0)
ROD = np.linspace(0.0, 1.0, 6) ** 2
TRIANGLE = np.tril(RNG.normal(size=(4, 4))) + 3 * np.eye(4)
NETWORK = (
    RNG.normal(size=(3, 4)), RNG.normal(size=4), RNG.normal(size=(4, 2)), RNG.normal(size=2), RNG.normal(size=(5, 3)),
    np.eye(2)[[0, 1, 0, 1, 0]],
)  # fmt: skip
CASES = [
    Golden(worked, "tangent", (2.0, 3.0), ("w1", "w2"), 6),
    Golden(worked, "adjoint", (2.0, 3.0), ("w1", "w2"), 9),
    Golden(newton_sqrt, "adjoint", (2.0,), ("a",), 15),
    Golden(huber, "adjoint", (ROD, 0.3), ("x", "delta"), 19),
    Golden(heat, "adjoint", (ROD, 0.1, 3), ("u",), 11),
    Golden(heat, "adjoint", (ROD, 0.1, 3), ("u", "alpha"), 17),
    Golden(forward_substitution, "adjoint", (TRIANGLE, ROD[:4]), ("L", "b"), 13),
    Golden(mlp_loss, "adjoint", NETWORK, ("w1", "b1", "w2", "b2"), 25),
]

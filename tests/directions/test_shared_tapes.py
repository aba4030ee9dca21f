"""What shares memory on the tape of a called function shares it in the program for several directions, too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from s2sad import checkpoint, grad, hessian, jvp

X = np.array([0.7, 1.1, 0.9])


@checkpoint
def step(u, w):
    u += w[0] * u
    w[0] = u[0]


def checkpointed_steps(x):
    w = x * 2
    for _ in range(2):
        step(x, w)
    return np.sum(x * w)


def windows(u, w):
    head = u[:2]
    y = np.vdot(head, w[1:])
    u *= 1.0 + w[2]
    head[0] += y
    return head, np.sum(head**2)


def windows_of_what_is_written(x):
    w = np.sin(x)
    total = 0.0
    for _ in range(2):
        head, part = windows(x, w)
        head *= w[0]
        total += part
    return total * x[2]


@pytest.mark.parametrize("program", [checkpointed_steps, windows_of_what_is_written])
def test_rows_of_second_derivatives(program: Any) -> None:
    gradient = grad(program)
    rows = np.stack([jvp(gradient, (X.copy(),), (row,))[1] for row in np.eye(3)])
    for mode in ("rev", "fwd", None):
        np.testing.assert_allclose(hessian(program, mode=mode)(X.copy()), rows, rtol=1e-10)
    small = 1e-6
    for k, row in enumerate(np.eye(3)):
        difference = (gradient(X + small * row) - gradient(X - small * row)) / (2 * small)
        np.testing.assert_allclose(rows[k], difference, rtol=1e-6, atol=1e-6)

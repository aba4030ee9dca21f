"""The five-point Bratu problem, which benchmarks and tests of sparse Jacobians share."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp


def bratu(u: Any, lam: Any) -> Any:
    """What is left of ``lap u + lam exp(u)`` on the n times n inner points of a square, with zeros around."""
    padded = np.zeros((u.shape[0] + 2, u.shape[1] + 2))
    padded[1:-1, 1:-1] = u
    around = padded[2:, 1:-1] + padded[:-2, 1:-1] + padded[1:-1, 2:] + padded[1:-1, :-2]
    return around - 4.0 * u + lam * np.exp(u)


def bratu_in_line(u: Any) -> Any:
    """The same of a vector, at lam = 6, over the square of the distance of two points, in one piece."""
    n = int(np.sqrt(u.size))
    h = 1.0 / (n + 1)
    v = u.reshape(n, n)
    p = np.zeros((n + 2, n + 2))
    p[1:-1, 1:-1] = v
    r = p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - 4.0 * v + 6.0 * h * h * np.exp(v)
    return r.ravel()


def five_point(n: int) -> Any:
    """Which numbers of the result depend on which points: a sparse array of n * n rows and columns."""
    line = sp.diags_array([1.0, 1.0, 1.0], offsets=[-1, 0, 1], shape=(n, n))
    return sp.csr_array(sp.kron(line, sp.eye_array(n)) + sp.kron(sp.eye_array(n), line))

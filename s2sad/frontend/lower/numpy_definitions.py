"""NumPy's functions whose definition is a few lines of Python: calls of them are calls of these functions.

They are lowered and differentiated as a function of the user's is, and are functions of their own in generated programs.
Options that decide what is computed are dealt with where calls are written out (``numpy_polynomials``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

# --- polynomials, highest power first


def poly(roots: Any) -> Any:
    """The coefficients of the polynomial with these roots, the first of them 1."""
    coefficients = np.ones(1, roots.dtype)
    for root in roots:
        coefficients = np.append(coefficients, 0 * root) - root * np.append(0 * root, coefficients)
    return coefficients


def polyval_of_rows(p: Any, x: Any) -> Any:
    """The values of several polynomials, of which each row holds the coefficients of one power."""
    found = np.zeros_like(x) * x
    if len(p) == 0:
        return found
    total = found + p[0]
    for k in range(1, len(p)):
        total = total * x + p[k]
    return total


def polydiv(u: Any, v: Any) -> Any:
    """Quotient and remainder; coefficients of the remainder that vanish are left out at its front."""
    rest = u * np.ones(1, v.dtype)
    count = len(u) - len(v) + 1
    quotient = np.zeros(max(count, 1), rest.dtype)
    for k in range(count):
        quotient[k] = rest[k] / v[0]
        rest[k : k + len(v)] -= quotient[k] * v
    first = 0
    while first < len(rest) - 1 and np.allclose(rest[first], 0, rtol=1e-14):
        first += 1
    return quotient, rest[first:]


# --- series of orthogonal polynomials, by their three-term recurrences (Abramowitz & Stegun, table 22.7)


def chebval(x: Any, c: Any) -> Any:
    """The sum of ``c[k] * T_k(x)``."""
    last, this = 0 * x + 1, x
    total = c[0] * last
    for k in range(1, len(c)):
        total = total + c[k] * this
        last, this = this, 2 * x * this - last
    return total


def legval(x: Any, c: Any) -> Any:
    """The sum of ``c[k] * P_k(x)``."""
    last, this = 0 * x + 1, x
    total = c[0] * last
    for k in range(1, len(c)):
        total = total + c[k] * this
        last, this = this, ((2 * k + 1) * x * this - k * last) / (k + 1)
    return total


def lagval(x: Any, c: Any) -> Any:
    """The sum of ``c[k] * L_k(x)``."""
    last, this = 0 * x + 1, 1 - x
    total = c[0] * last
    for k in range(1, len(c)):
        total = total + c[k] * this
        last, this = this, ((2 * k + 1 - x) * this - k * last) / (k + 1)
    return total


def hermval(x: Any, c: Any) -> Any:
    """The sum of ``c[k] * H_k(x)``, of the physicists' polynomials."""
    last, this = 0 * x + 1, 2 * x
    total = c[0] * last
    for k in range(1, len(c)):
        total = total + c[k] * this
        last, this = this, 2 * x * this - 2 * k * last
    return total


def hermeval(x: Any, c: Any) -> Any:
    """The sum of ``c[k] * He_k(x)``, of the probabilists' polynomials."""
    last, this = 0 * x + 1, x
    total = c[0] * last
    for k in range(1, len(c)):
        total = total + c[k] * this
        last, this = this, x * this - k * last
    return total


# --- differences


def gradient_at(f: Any, x: Any, axis: Any, edge_order: Any) -> Any:
    """The slopes of parabolas through three samples each, at the middle one; at the ends those of lines or of parabolas."""
    lanes, steps = np.moveaxis(f, axis, -1), np.diff(x)
    rise = np.diff(lanes) / steps
    inner = (rise[..., :-1] * steps[1:] + rise[..., 1:] * steps[:-1]) / (steps[1:] + steps[:-1])
    first, last = rise[..., :1], rise[..., -1:]
    if edge_order == 2:
        first = first - steps[0] * (rise[..., 1:2] - first) / (steps[0] + steps[1])
        last = last + steps[-1] * (last - rise[..., -2:-1]) / (steps[-1] + steps[-2])
    return np.moveaxis(np.concatenate((first, inner, last), axis=-1), -1, axis)


# --- windows


def kaiser(M: Any, beta: Any) -> Any:
    """A window of ``M`` items of the form ``i0(beta * sqrt(1 - t ** 2)) / i0(beta)`` (Kaiser & Schafer, 1980)."""
    if M == 1:
        return np.ones(1) + 0.0 * beta
    t = np.linspace(-1.0, 1.0, M)
    return np.i0(beta * np.sqrt(np.maximum(1.0 - t**2, 0.0))) / np.i0(beta)


def correlate_same(a: Any, v: Any) -> Any:
    """The middle of ``np.correlate(a, v, 'full')``, as long as the longer one."""
    start = len(v) - 1 - len(v) // 2 if len(a) >= len(v) else len(a) // 2
    return np.correlate(a, v, "full")[start : start + max(len(a), len(v))]

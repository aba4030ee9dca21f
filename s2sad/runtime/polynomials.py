"""Adjoints of functions of polynomials, whose coefficients stand highest power first."""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np

from s2sad.runtime.guards import UnsupportedError


def polyval_adjoint(bar: Any, p: Any, x: Any) -> Any:
    """The adjoint of the coefficients of ``polyval(p, x)``: for each power of ``x`` its product with ``bar``.

    It has the dtype of the coefficients, so that it is real where they are.
    """
    powers = np.vander(np.ravel(x), np.size(p))
    found = np.ravel(bar) @ powers
    return _as(found if np.iscomplexobj(p) else np.real(found), p)


def significant(p: Any) -> Any:
    """The coefficients from the first on that is not zero, as NumPy multiplies them: one zero where there is none."""
    found = np.trim_zeros(np.atleast_1d(p), "f")
    return np.array(found) if len(found) else np.zeros(1, found.dtype)


def _as(found: Any, like: Any) -> Any:
    """In the dtype of what it belongs to, unless that holds whole numbers."""
    own = np.asarray(like).dtype
    return found.astype(own) if own.kind in "fc" else found


def _factors(count: int, m: int) -> Any:
    """The factors of ``polyder`` for each of ``count`` coefficients of its result: (k + 1) ... (k + m)."""
    powers = np.arange(count - 1, -1, -1.0)
    return np.prod([powers + j for j in range(1, m + 1)], axis=0) if m else np.ones(count)


def polyder_adjoint(bar: Any, p: Any, m: int = 1) -> Any:
    """The adjoint of ``polyder(p, m)``; the lowest ``m`` coefficients have no part in it."""
    if not m:
        return np.array(bar)
    _assert_vector(p, "polyder")
    return _as(np.concatenate((bar * _factors(np.size(bar), m), np.zeros(min(m, np.size(p))))), bar)


def polyint_adjoint(bar: Any, p: Any, m: int = 1) -> Any:
    """The adjoint of the coefficients of ``polyint(p, m)``."""
    if not m:
        return np.array(bar)
    _assert_vector(p, "polyint")
    count = np.size(p)
    return _as(np.asarray(bar)[:count] / _factors(count, m), bar)


def _assert_vector(p: Any, name: str) -> None:
    """Raise UnsupportedError for coefficients that are no vector, of which NumPy takes some, in a way that it does not tell."""
    if np.ndim(p) > 1:
        raise UnsupportedError(f"the adjoint of {name} of a matrix of coefficients: call it on vectors")


def polyint_adjoint_k(bar: Any, k: Any, m: int = 1) -> Any:
    """The adjoint of the constants of ``polyint(p, m, k)``: ``k[j]`` is integrated ``m - 1 - j`` more times.

    One constant is that of all integrations.
    """
    own = np.array([bar[j - m] / factorial(m - 1 - j) for j in range(m)])
    return np.reshape(own.sum() if np.size(k) == 1 else own, np.shape(k))[()]


def lowest(bar: Any, p: Any) -> Any:
    """The coefficients of ``bar`` that stand where those of the shorter ``p`` stand in a sum; in the shape of ``p``."""
    flat = np.ravel(bar)[max(np.size(bar) - np.size(p), 0) :]
    return np.reshape(lowest_adjoint(flat, p) if flat.size < np.size(p) else flat, np.shape(p))[()]


def lowest_adjoint(part: Any, bar: Any) -> Any:
    """The adjoint of ``lowest(bar, p)``: zeros for the higher coefficients; in the shape of ``bar``."""
    flat = np.ravel(part)[: np.size(bar)]  # no coefficients count as a zero
    return np.concatenate((np.zeros(np.size(bar) - flat.size, flat.dtype), flat)).reshape(np.shape(bar))[()]

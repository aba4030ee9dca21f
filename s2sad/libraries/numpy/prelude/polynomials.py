"""Polynomials with the highest power first, their relatives, and the windows and correlations beside them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np

from s2sad.rules.preludes import refuse
from s2sad.runtime import stop_gradient

__all__ = ["correlate", "kaiser", "poly", "poly1d", "polydiv", "polyfit", "polyval", "vander"]
DEEP = "object too deep for desired array"


def vector(x: Any, said: str) -> Any:
    """An array that must be a vector."""
    if np.ndim(x) != 1:
        raise ValueError(said)
    return x


def line(x: Any) -> Any:
    """An array with an axis at least."""
    return np.reshape(x, 1) if np.ndim(x) == 0 else np.asarray(x)


def vander(x: Any, N: Any = None, increasing: Any = False) -> Any:
    """A column for each power."""
    column = vector(np.asarray(x), "x must be a one-dimensional array or sequence.")
    count = len(column) if N is None else N
    if increasing:
        return column[:, None] ** np.arange(count)
    return column[:, None] ** np.arange(count)[::-1]


def polyfit(
    x: Any, y: Any, deg: Annotated[Any, "number"], rcond: Literal[None] = None, full: Literal[False, True] = False, w: Any = None,
    cov: Literal[False, True, "unscaled"] = False,
) -> Any:  # fmt: skip
    """The least squares solution with the matrix of powers, whose columns are scaled."""
    places, values = np.asarray(x) * 1.0, np.asarray(y)
    if np.ndim(places) != 1:
        raise TypeError("expected 1D vector for x")
    matrix = places[:, None] ** np.arange(deg + 1)[::-1]
    cut = len(places) * np.finfo(places.dtype).eps
    if full:
        return fit_and_more(matrix, values, w, cut)
    coefficients = fit(matrix, values, w, cut)
    return (coefficients, _covariance(matrix, values, w, coefficients, cov != "unscaled")) if cov else coefficients


def fit(matrix: Any, values: Any, w: Any, cut: Any) -> Any:
    """The coefficients of least squares for the columns of a matrix; ``cut``: the least singular value, of the first one."""
    whole = w is None and len(matrix) > np.shape(matrix)[1] - 1  # what columns are scaled by says then nothing about the solution
    weighed, wanted = _weighed(matrix, values, w)
    scale = np.linalg.norm(stop_gradient(weighed) if whole else weighed, axis=0)
    solution = np.linalg.lstsq(weighed / scale, wanted, cut)[0]
    return solution / (scale[:, None] if np.ndim(values) > 1 else scale)


def _weighed(matrix: Any, values: Any, w: Any) -> Any:
    """The rows of both sides times their weights."""
    if w is None:
        return matrix, values
    weights = np.asarray(w)
    return matrix * weights[:, None], values * (weights[:, None] if np.ndim(values) > 1 else weights)


def fit_and_more(matrix: Any, values: Any, w: Any, cut: Any) -> Any:
    """Coefficients, sums of squares, the rank, singular values of the scaled matrix, and by what these are cut off."""
    coefficients = fit(matrix, values, w, cut)
    weighed, wanted = _weighed(matrix, values, w)
    singular = np.linalg.svd(weighed / np.linalg.norm(weighed, axis=0), compute_uv=False)
    rank = np.sum(singular > cut * singular[0], dtype=np.int32)
    squares = _squares(weighed, wanted, coefficients)
    if rank < np.shape(matrix)[1] or len(matrix) <= np.shape(matrix)[1]:
        squares = squares[:0]
    return coefficients, squares, rank, singular, cut


def _squares(matrix: Any, values: Any, coefficients: Any) -> Any:
    """The sum of squares of what is left, one for each column of the values."""
    return np.atleast_1d(np.sum(np.abs(values - matrix @ coefficients) ** 2, axis=0))


def _covariance(matrix: Any, values: Any, w: Any, coefficients: Any, scaled: Any) -> Any:
    """The covariance of coefficients; ``scaled`` by the sum of squares for each degree of freedom."""
    weighed, wanted = _weighed(matrix, values, w)
    inverse = np.linalg.inv(weighed.T @ weighed)
    factor = np.ones(1)
    if scaled:
        free = len(matrix) - np.shape(matrix)[1]
        if free <= 0:
            raise ValueError("the number of data points must exceed order to scale the covariance matrix")
        factor = _squares(weighed, wanted, coefficients) / free
    return inverse[:, :, None] * factor if np.ndim(values) > 1 else inverse * factor


def poly(seq_of_zeros: Any) -> Any:
    """The coefficients of the polynomial with these roots, the first of them 1."""
    roots = np.asarray(seq_of_zeros) * 1.0
    if np.ndim(roots) != 1:
        refuse("np.poly of a matrix", "its eigenvalues may be complex or not", "np.poly(np.linalg.eigvalsh(a))")
    if np.iscomplexobj(roots):
        refuse("np.poly of complex roots", "whether the result is real depends on them",
               "np.polynomial.polynomial.polyfromroots(z)[::-1]")  # fmt: skip
    return monic(roots)


def monic(roots: Any) -> Any:
    """The coefficients, one root after the other."""
    coefficients = np.ones(1, roots.dtype)
    for root in roots:
        coefficients = np.append(coefficients, 0 * root) - root * np.append(0 * root, coefficients)
    return coefficients


def polyval(p: Annotated[Any, "rows"], x: Any) -> Any:
    """The values of several polynomials, of which each row holds the coefficients of one power."""
    coefficients, places = np.asarray(p), np.asarray(x)
    found = np.zeros_like(places) * places
    if len(coefficients) == 0:
        return found
    total = found + coefficients[0]
    for k in range(1, len(coefficients)):
        total = total * places + coefficients[k]
    return total


class poly1d:
    """The function of the coefficients. Those that vanish in front are left out where one asks for the coefficients."""

    def __init__(self, c_or_r: Any, r: Literal[False] = False, variable: Any = None) -> None:
        self.given = vector(line(c_or_r), "Polynomial must be 1d only.")

    def __call__(self, val: Any) -> Any:
        """The values."""
        return np.polyval(self.given, val)

    @property
    def coeffs(self) -> Any:
        """The coefficients, of which the first is not 0."""
        first = 0
        while first < len(self.given) - 1 and self.given[first] == 0:
            first += 1
        return self.given[first:]

    c = coef = coefficients = coeffs

    @property
    def order(self) -> Any:
        """The highest power."""
        return len(self.coeffs) - 1

    o = order

    def __len__(self) -> Any:
        return self.order

    def __neg__(self) -> Any:
        return poly1d(-self.given)

    def __pos__(self) -> Any:
        return self

    def __add__(self, other: Any) -> Any:
        return poly1d(np.polyadd(self.given, _given(other)))

    def __radd__(self, other: Any) -> Any:
        return poly1d(np.polyadd(_given(other), self.given))

    def __sub__(self, other: Any) -> Any:
        return poly1d(np.polysub(self.given, _given(other)))

    def __rsub__(self, other: Any) -> Any:
        return poly1d(np.polysub(_given(other), self.given))

    def __mul__(self, other: Any) -> Any:
        return poly1d(np.polymul(self.given, _given(other)))

    def __rmul__(self, other: Any) -> Any:
        return poly1d(np.polymul(_given(other), self.given))

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, poly1d):
            quotient, rest = np.polydiv(self.coeffs, other.coeffs)
            return poly1d(quotient), poly1d(rest)
        return poly1d(self.given / other)

    def __pow__(self, val: Any) -> Any:
        found = poly1d(np.ones(1, self.given.dtype))
        for _ in range(val):
            found = found * self
        return found

    def __getitem__(self, val: Any) -> Any:
        return self.given[len(self.given) - 1 - val] if 0 <= val < len(self.given) else self.given[0] * 0

    def deriv(self, m: Any = 1) -> Any:
        """The derivative."""
        return poly1d(np.polyder(self.given, m))

    def integ(self, m: Any = 1, k: Any = 0) -> Any:
        """The antiderivative."""
        return poly1d(np.polyint(self.given, m, k))


def _given(other: Any) -> Any:
    """The coefficients of a polynomial, or a number."""
    return other.given if isinstance(other, poly1d) else other


def polydiv(u: Any, v: Any) -> Any:
    """Quotient and remainder; coefficients of the remainder that vanish are left out at its front."""
    if not np.size(u):
        raise IndexError("index 0 is out of bounds for axis 0 with size 0")
    return _divided(line(u) * 1.0, line(v) * 1.0)


def _divided(u: Any, v: Any) -> Any:
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


def correlate(a: Any, v: Any, mode: Literal["valid", "same", "full"] = "valid") -> Any:
    """The convolution with the other one turned round; its middle, as long as the longer one, for ``same``."""
    first = vector(np.asarray(a), DEEP)
    other = vector(np.asarray(v), DEEP)[::-1]
    if np.iscomplexobj(other):
        other = np.conj(other)
    if mode != "same":
        return np.convolve(first, other, mode)
    start = len(other) - 1 - len(other) // 2 if len(first) >= len(other) else len(first) // 2
    return np.convolve(first, other, "full")[start : start + max(len(first), len(other))]


def kaiser(M: Any, beta: Any) -> Any:
    """A window of ``M`` items of the form ``i0(beta * sqrt(1 - t ** 2)) / i0(beta)`` (Kaiser & Schafer, 1980)."""
    if M == 1:
        return np.ones(1) + 0.0 * beta
    t = np.linspace(-1.0, 1.0, M)
    return np.i0(beta * np.sqrt(np.maximum(1.0 - t**2, 0.0))) / np.i0(beta)

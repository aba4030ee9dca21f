"""``numpy.polynomial.polynomial``: the lowest power first, so that coefficients are turned round."""

from __future__ import annotations

import functools
from typing import Any, Literal

import numpy as np
from numpy.polynomial import polynomial

from s2sad.libraries.numpy.prelude.polynomials import line, monic, vector
from s2sad.rules.preludes import refuse

__all__ = [
    "Polynomial", "polyadd", "polyder", "polyfit", "polyfromroots", "polymul", "polysub", "polyval", "polyvander",
]  # fmt: skip


def series(c: Any) -> Any:
    """Coefficients, which are floats; a number is one."""
    return vector(line(c), "Coefficient array is not 1-d") * 1.0


def polyval(x: Any, c: Any, tensor: Any = True) -> Any:
    """The values."""
    return np.polyval(series(c)[::-1], x)


def polyder(c: Any, m: Any = 1, scl: Literal[1] = 1, axis: Any = 0) -> Any:
    """The derivative."""
    coefficients = series(c)
    return np.polyder(coefficients[::-1], m)[::-1].astype(coefficients.dtype)


def polyadd(c1: Any, c2: Any) -> Any:
    """The sum."""
    return np.polyadd(series(c1)[::-1], series(c2)[::-1])[::-1]


def polysub(c1: Any, c2: Any) -> Any:
    """The difference."""
    return np.polysub(series(c1)[::-1], series(c2)[::-1])[::-1]


def polymul(c1: Any, c2: Any) -> Any:
    """The product."""
    return np.polymul(series(c1)[::-1], series(c2)[::-1])[::-1]


def polyfromroots(roots: Any) -> Any:
    """The coefficients of the polynomial with these roots, the last of them 1, which are double."""
    return monic(series(roots) * np.float64(1.0))[::-1]


def polyvander(x: Any, deg: Any) -> Any:
    """A column for each power."""
    places = line(x) * 1.0
    return np.vander(places, deg + 1, increasing=True).astype(places.dtype)


def polyfit(
    x: Any, y: Any, deg: Any, rcond: Literal[None] = None, full: Literal[False, True] = False, w: Any = None
) -> Any:
    """The polynomial of least squares, and with ``full`` what else is known of the solution."""
    if full:
        coefficients, *others = np.polyfit(x, y, deg, full=True, w=w)
        return coefficients[::-1], others
    return np.polyfit(x, y, deg, w=w)[::-1]


def on_the_line(domain: Any, window: Any) -> None:
    """The argument is taken as it is."""
    if domain is not None or window is not None:
        refuse("a series with a domain", "its argument is mapped first", "the function on the mapped argument")


def of_coefficients(values: Any, coef: Any, domain: Any, window: Any) -> Any:
    """The function of the coefficients: what is asked of it besides its values is refused."""
    on_the_line(domain, window)
    return functools.partial(_mapped, values, series(coef))


def _mapped(values: Any, coefficients: Any, x: Any) -> Any:
    """The values where ``x`` is mapped onto itself, which makes it double."""
    return values((np.asarray(x) if isinstance(x, (list, tuple)) else x) * np.float64(1.0), coefficients)


class Polynomial:
    """The function of the coefficients, on the whole line."""

    def __init__(self, coef: Any, domain: Any = None, window: Any = None) -> None:
        on_the_line(domain, window)
        self.coef = series(coef)

    def __call__(self, arg: Any) -> Any:
        """The values."""
        return _mapped(polynomial.polyval, self.coef, arg)

    def degree(self) -> Any:
        """The highest power."""
        return len(self.coef) - 1

    def __len__(self) -> Any:
        return len(self.coef)

    def __neg__(self) -> Any:
        return Polynomial(-self.coef)

    def __pos__(self) -> Any:
        return self

    def __add__(self, other: Any) -> Any:
        return Polynomial(_trimmed(polynomial.polyadd(self.coef, _coefficients(other))))

    def __radd__(self, other: Any) -> Any:
        return Polynomial(_trimmed(polynomial.polyadd(_coefficients(other), self.coef)))

    def __sub__(self, other: Any) -> Any:
        return Polynomial(_trimmed(polynomial.polysub(self.coef, _coefficients(other))))

    def __rsub__(self, other: Any) -> Any:
        return Polynomial(_trimmed(polynomial.polysub(_coefficients(other), self.coef)))

    def __mul__(self, other: Any) -> Any:
        return Polynomial(_trimmed(polynomial.polymul(self.coef, _coefficients(other))))

    def __rmul__(self, other: Any) -> Any:
        return Polynomial(_trimmed(polynomial.polymul(_coefficients(other), self.coef)))

    def __truediv__(self, other: Any) -> Any:
        return Polynomial(self.coef / other)

    def __pow__(self, other: Any) -> Any:
        found = Polynomial(np.ones(1, self.coef.dtype))
        for _ in range(other):
            found = found * self
        return found

    def deriv(self, m: Any = 1) -> Any:
        """The derivative."""
        return Polynomial(polynomial.polyder(self.coef, m))

    def integ(self, m: Any = 1) -> Any:
        """The antiderivative that is 0 at 0."""
        return Polynomial(np.polyint(self.coef[::-1], m)[::-1])


def _coefficients(other: Any) -> Any:
    """The coefficients of a polynomial, or what is one by itself."""
    return other.coef if isinstance(other, Polynomial) else other


def _trimmed(coefficients: Any) -> Any:
    """Coefficients, of which the last is not 0, if one is not."""
    count = len(coefficients)
    while count > 1 and coefficients[count - 1] == 0:
        count -= 1
    return coefficients[:count]

"""Series of orthogonal polynomials, by their three-term recurrences (Abramowitz & Stegun, table 22.7).

The objects that hold one are functions of the coefficients here: what is asked of them besides their values is refused.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre

from s2sad.libraries.numpy.prelude.polynomials import fit, fit_and_more
from s2sad.libraries.numpy.prelude.powers import of_coefficients
from s2sad.libraries.numpy.prelude.powers import series as coefficients

__all__ = [
    "Chebyshev", "Hermite", "HermiteE", "Laguerre", "Legendre", "chebfit", "chebval", "hermefit", "hermeval", "hermfit",
    "hermval", "lagfit", "lagval", "legfit", "legval",
]  # fmt: skip


def _places(x: Any) -> Any:
    """The arguments, which are not counted with in narrow integers."""
    given = np.asarray(x) if isinstance(x, (list, tuple)) else x
    return given * 1.0 if np.issubdtype(np.asarray(given).dtype, np.integer) else given


def chebval(x: Any, c: Any, tensor: Any = True) -> Any:
    """The sum of ``c[k] * T_k(x)``."""
    x, c = _places(x), coefficients(c)
    last, this = 0 * x + 1, x
    total = c[0] * last
    for k in range(1, len(c)):
        total = total + c[k] * this
        last, this = this, 2 * x * this - last
    return total


def legval(x: Any, c: Any, tensor: Any = True) -> Any:
    """The sum of ``c[k] * P_k(x)``."""
    x, c = _places(x), coefficients(c)
    last, this = 0 * x + 1, x
    total = c[0] * last
    for k in range(1, len(c)):
        total = total + c[k] * this
        last, this = this, ((2 * k + 1) * x * this - k * last) / (k + 1)
    return total


def lagval(x: Any, c: Any, tensor: Any = True) -> Any:
    """The sum of ``c[k] * L_k(x)``."""
    x, c = _places(x), coefficients(c)
    last, this = 0 * x + 1, 1 - x
    total = c[0] * last
    for k in range(1, len(c)):
        total = total + c[k] * this
        last, this = this, ((2 * k + 1 - x) * this - k * last) / (k + 1)
    return total


def hermval(x: Any, c: Any, tensor: Any = True) -> Any:
    """The sum of ``c[k] * H_k(x)``, of the physicists' polynomials."""
    x, c = _places(x), coefficients(c)
    last, this = 0 * x + 1, 2 * x
    total = c[0] * last
    for k in range(1, len(c)):
        total = total + c[k] * this
        last, this = this, 2 * x * this - 2 * k * last
    return total


def hermeval(x: Any, c: Any, tensor: Any = True) -> Any:
    """The sum of ``c[k] * He_k(x)``, of the probabilists' polynomials."""
    x, c = _places(x), coefficients(c)
    last, this = 0 * x + 1, x
    total = c[0] * last
    for k in range(1, len(c)):
        total = total + c[k] * this
        last, this = this, x * this - k * last
    return total


def _fitted(values: Any, x: Any, y: Any, deg: Any, full: Any, w: Any) -> Any:
    """The least squares solution for the polynomials up to a degree, and with ``full`` what else is known of it."""
    places = np.asarray(x) * 1.0
    if np.ndim(places) != 1:
        raise TypeError("expected 1D vector for x")
    units = np.eye(deg + 1, dtype=places.dtype)
    matrix = np.stack([values(places, units[k]) for k in range(deg + 1)], axis=1)
    wanted, cut = np.asarray(y) * 1.0, len(places) * np.finfo(places.dtype).eps
    if not full:
        return fit(matrix, wanted, w, cut)
    coefficients, *others = fit_and_more(matrix, wanted, w, cut)
    return coefficients, others


def chebfit(
    x: Any, y: Any, deg: Annotated[Any, "number"], rcond: Literal[None] = None, full: Literal[False, True] = False, w: Any = None
) -> Any:
    """The coefficients of least squares."""
    return _fitted(chebval, x, y, deg, full, w)


def legfit(
    x: Any, y: Any, deg: Annotated[Any, "number"], rcond: Literal[None] = None, full: Literal[False, True] = False, w: Any = None
) -> Any:
    """The coefficients of least squares."""
    return _fitted(legval, x, y, deg, full, w)


def lagfit(
    x: Any, y: Any, deg: Annotated[Any, "number"], rcond: Literal[None] = None, full: Literal[False, True] = False, w: Any = None
) -> Any:
    """The coefficients of least squares."""
    return _fitted(lagval, x, y, deg, full, w)


def hermfit(
    x: Any, y: Any, deg: Annotated[Any, "number"], rcond: Literal[None] = None, full: Literal[False, True] = False, w: Any = None
) -> Any:
    """The coefficients of least squares."""
    return _fitted(hermval, x, y, deg, full, w)


def hermefit(
    x: Any, y: Any, deg: Annotated[Any, "number"], rcond: Literal[None] = None, full: Literal[False, True] = False, w: Any = None
) -> Any:
    """The coefficients of least squares."""
    return _fitted(hermeval, x, y, deg, full, w)


def Chebyshev(coef: Any, domain: Any = None, window: Any = None) -> Any:
    """``chebval`` of these."""
    return of_coefficients(chebyshev.chebval, coef, domain, window)


def Legendre(coef: Any, domain: Any = None, window: Any = None) -> Any:
    """``legval`` of these."""
    return of_coefficients(legendre.legval, coef, domain, window)


def Laguerre(coef: Any, domain: Any = None, window: Any = None) -> Any:
    """``lagval`` of these."""
    return of_coefficients(laguerre.lagval, coef, domain, window)


def Hermite(coef: Any, domain: Any = None, window: Any = None) -> Any:
    """``hermval`` of these."""
    return of_coefficients(hermite.hermval, coef, domain, window)


def HermiteE(coef: Any, domain: Any = None, window: Any = None) -> Any:
    """``hermeval`` of these."""
    return of_coefficients(hermite_e.hermeval, coef, domain, window)

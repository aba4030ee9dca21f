"""NumPy's functions written as programs, over what has rules (``frontend.lower.prelude_calls``).

A form may cover some calls only: those with literal options, those that give an option (``Given``), those of rows or of
vectors. Others are left to the rule that bears the function's name.
"""

from __future__ import annotations

from s2sad.rules.rooms import Prelude

POLYNOMIALS = tuple(f"numpy.polynomial.{name}" for name in ("chebyshev", "legendre", "laguerre", "hermite", "hermite_e"))
AXES: dict[str, dict[str, int]] = {
    "polydiv": {"u": 1, "v": 1},
    "polyder": {"c": 1},
    "polyvander": {"x": 1},
    **{name: {"c": 1} for name in ("chebval", "legval", "lagval", "hermval", "hermeval")},
}
PRELUDE = Prelude(
    topics={
        "functions": ("numpy",),
        "linalg": ("numpy.linalg",),
        "pieces": ("numpy",),
        "polynomials": ("numpy",),
        "powers": ("numpy.polynomial.polynomial",),
        "ranges": ("numpy",),
        "series": POLYNOMIALS,
        "statistics": ("numpy",),
    },
    axes=AXES,
)

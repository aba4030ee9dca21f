"""The few functions that generated programs call besides SciPy's own, where the program calls SciPy. May import SciPy.

A function called ``f_adjoint`` takes the adjoint ``bar`` of the result of ``f`` first, then the arguments of ``f``.
Results are new arrays unless a function's own text says otherwise.
"""

from s2sad.scipy_runtime.integrate import cumulative_trapezoid_adjoint, simpson_adjoint
from s2sad.scipy_runtime.interpolate import spline_value
from s2sad.scipy_runtime.linalg import banded_outer, banded_product, banded_transpose, diagonal_sums, pivoted
from s2sad.scipy_runtime.signal import convolve_adjoint_1, convolve_adjoint_2, lag_products, margins
from s2sad.scipy_runtime.special import multigammaln_derivative

__all__ = [
    "banded_outer",
    "banded_product",
    "banded_transpose",
    "convolve_adjoint_1",
    "convolve_adjoint_2",
    "cumulative_trapezoid_adjoint",
    "diagonal_sums",
    "lag_products",
    "margins",
    "multigammaln_derivative",
    "pivoted",
    "simpson_adjoint",
    "spline_value",
]

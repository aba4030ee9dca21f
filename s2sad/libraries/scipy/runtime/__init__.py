"""The few functions that generated programs call besides SciPy's own, where the program calls SciPy. May import SciPy.

A function called ``f_adjoint`` takes the adjoint ``bar`` of the result of ``f`` first, then the arguments of ``f``.
Results are new arrays unless a function's own text says otherwise.
"""

from s2sad.libraries.scipy.runtime.factors import factored_solution, factors
from s2sad.libraries.scipy.runtime.images import (
    correlate1d_adjoint,
    correlate1d_adjoint_weights,
    gaussian_filter1d_adjoint,
    gaussian_filter_adjoint,
    spline_filter1d_adjoint,
    uniform_filter_adjoint,
)
from s2sad.libraries.scipy.runtime.integrate import cumulative_trapezoid_adjoint, simpson_adjoint
from s2sad.libraries.scipy.runtime.interpolate import spline_value
from s2sad.libraries.scipy.runtime.linalg import (
    banded_outer,
    banded_product,
    banded_transpose,
    column_pivots,
    diagonal_sums,
    pivoted,
    row_order,
    toeplitz_solution,
    unit_lower,
)
from s2sad.libraries.scipy.runtime.quadrature import quad_derivative, quad_vec_pullback, quad_vec_pushforward
from s2sad.libraries.scipy.runtime.roots import (
    least_squares_of,
    linear_root,
    minimum_of,
    root_of,
    scalar_minimum_of,
    scalar_root_of,
    solved_fixed_point,
    solved_minimum,
    solved_root,
)
from s2sad.libraries.scipy.runtime.signal import (
    convolve_adjoint_1,
    convolve_adjoint_2,
    fftconvolve_adjoint_1,
    fftconvolve_adjoint_2,
    lag_products,
    margins,
)
from s2sad.libraries.scipy.runtime.sparse import (
    entries,
    iterated,
    matches,
    paired_sums,
    slots,
    sparse_product,
    sparse_solution,
    unrolled,
)
from s2sad.libraries.scipy.runtime.special import (
    balanced,
    centred,
    digamma_step,
    diric_derivative,
    elliprd_slope,
    elliprj_slope,
    exprel_derivative,
    fresnel_wave,
    kolmogorov_derivative,
    log_ratio,
    multigammaln_derivative,
    scaled_bessel_slope,
    wofz_derivative,
)
from s2sad.libraries.scipy.runtime.trajectories import (
    ends_dot,
    slopes,
    times_adjoint,
    trajectory,
    trajectory_pullback,
    trajectory_pushforward,
)
from s2sad.libraries.scipy.runtime.transforms import trigonometric_adjoint
from s2sad.runtime.own_names import freeze

freeze(__name__)

__all__ = [
    "balanced",
    "banded_outer",
    "banded_product",
    "banded_transpose",
    "centred",
    "column_pivots",
    "convolve_adjoint_1",
    "convolve_adjoint_2",
    "correlate1d_adjoint",
    "correlate1d_adjoint_weights",
    "cumulative_trapezoid_adjoint",
    "diagonal_sums",
    "digamma_step",
    "diric_derivative",
    "elliprd_slope",
    "elliprj_slope",
    "exprel_derivative",
    "fftconvolve_adjoint_1",
    "fftconvolve_adjoint_2",
    "fresnel_wave",
    "ends_dot",
    "entries",
    "factored_solution",
    "factors",
    "gaussian_filter1d_adjoint",
    "gaussian_filter_adjoint",
    "iterated",
    "kolmogorov_derivative",
    "lag_products",
    "least_squares_of",
    "linear_root",
    "log_ratio",
    "margins",
    "matches",
    "minimum_of",
    "multigammaln_derivative",
    "paired_sums",
    "pivoted",
    "quad_derivative",
    "quad_vec_pullback",
    "quad_vec_pushforward",
    "root_of",
    "row_order",
    "scalar_minimum_of",
    "scalar_root_of",
    "scaled_bessel_slope",
    "simpson_adjoint",
    "slopes",
    "slots",
    "sparse_product",
    "sparse_solution",
    "spline_filter1d_adjoint",
    "spline_value",
    "times_adjoint",
    "toeplitz_solution",
    "trajectory",
    "trajectory_pullback",
    "trajectory_pushforward",
    "trigonometric_adjoint",
    "uniform_filter_adjoint",
    "unit_lower",
    "unrolled",
    "wofz_derivative",
    "solved_fixed_point",
    "solved_minimum",
    "solved_root",
]

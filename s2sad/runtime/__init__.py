"""The few functions that generated programs call besides NumPy and ``math``. Imports NumPy alone.

A function called ``f_adjoint`` takes the adjoint ``bar`` of the result of ``f`` first, then the arguments of ``f``.
Results are new arrays unless a function's own text says otherwise.
"""

from s2sad.runtime.broadcasting import (
    broadcast_like,
    size_along,
    spread,
    unbroadcast,
    weights_along,
    weights_along_adjoint,
)
from s2sad.runtime.pieces import (
    inverse_axes,
    pad_adjoint,
    take_adjoint,
    take_along_adjoint,
    unconcatenate,
    unrepeat,
    untile,
)
from s2sad.runtime.products import (
    convolve_adjoint_x,
    diagonal_adjoint,
    dot_axes,
    fold_upper,
    half_tril,
    inner_axes,
    kron_adjoint_x,
    kron_adjoint_y,
    matmul_adjoint_x,
    matmul_adjoint_y,
    mirror_lower,
    tensordot_adjoint_x,
    tensordot_adjoint_y,
)
from s2sad.runtime.reductions import after, before, prod_of_others, scan, scan_back, ties
from s2sad.runtime.slopes import (
    bessel_i,
    digamma,
    ge_share,
    polygamma,
    power_dx,
    power_dy,
    safe_divide,
    sign,
    sinc_derivative,
)
from s2sad.runtime.structures import add_items, assert_distinct, stop_gradient, zeros
from s2sad.runtime.summation import einsum_adjoint

__all__ = [
    "add_items",
    "after",
    "assert_distinct",
    "before",
    "bessel_i",
    "broadcast_like",
    "convolve_adjoint_x",
    "diagonal_adjoint",
    "digamma",
    "dot_axes",
    "einsum_adjoint",
    "fold_upper",
    "ge_share",
    "half_tril",
    "inner_axes",
    "inverse_axes",
    "kron_adjoint_x",
    "kron_adjoint_y",
    "matmul_adjoint_x",
    "matmul_adjoint_y",
    "mirror_lower",
    "pad_adjoint",
    "polygamma",
    "power_dx",
    "power_dy",
    "prod_of_others",
    "safe_divide",
    "scan",
    "scan_back",
    "sign",
    "sinc_derivative",
    "size_along",
    "spread",
    "stop_gradient",
    "take_adjoint",
    "take_along_adjoint",
    "tensordot_adjoint_x",
    "tensordot_adjoint_y",
    "ties",
    "unbroadcast",
    "unconcatenate",
    "unrepeat",
    "untile",
    "weights_along",
    "weights_along_adjoint",
    "zeros",
]

# Written by examples/regenerate.py from matmul in examples/needle_operators.py.
from s2sad.runtime import matmul_adjoint_x, matmul_adjoint_y


def matmul_adjoint(a, b, out_bar):
    """Adjoint (pullback) of matmul: the derivative of what matmul returns with respect to a, b.

    a: float64[n, m, k]; b: float64[k, l]
    """
    # forward sweep
    out = a @ b
    # reverse sweep
    a_bar = matmul_adjoint_x(out_bar, a, b)  # return a @ b
    b_bar = matmul_adjoint_y(out_bar, a, b)
    return out, (a_bar, b_bar)

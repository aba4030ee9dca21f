# Written by examples/regenerate.py from matmul in examples/needle_operators.py.
def matmul_tangent(a, b, a_dot, b_dot):
    """Tangent (pushforward) of matmul: the derivative of what matmul returns with respect to a, b.

    a: float64[n, m, k]; b: float64[k, l]
    """
    return a @ b, a_dot @ b + a @ b_dot

# Written by examples/regenerate.py from z in examples/mini_pytorch.py.
import numpy as np


def z_adjoint(x, y, out_bar=1.0):
    """Adjoint (pullback) of z: the derivative of what z returns with respect to x, y.

    x: float; y: float
    """
    # forward sweep
    v1 = 2 * y
    out = x * x + np.sin(v1)
    # reverse sweep
    y_bar = 2 * out_bar * np.cos(v1)  # return x * x + np.sin(2 * y)
    x_bar = 2.0 * out_bar * x
    return out, (x_bar, y_bar)

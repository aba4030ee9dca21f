# Written by examples/regenerate.py from z in examples/mini_pytorch.py.
import numpy as np


def z_tangent(x, y, x_dot, y_dot):
    """Tangent (pushforward) of z: the derivative of what z returns with respect to x, y.

    x: float; y: float
    """
    v1 = 2 * y
    return x * x + np.sin(v1), 2.0 * x_dot * x + 2 * y_dot * np.cos(v1)

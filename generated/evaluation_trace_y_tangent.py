# Written by examples/regenerate.py from y in examples/evaluation_trace.py.
import numpy as np
from s2sad.runtime import ratio


def y_tangent(x1, x2, x1_dot, x2_dot):
    """Tangent (pushforward) of y: the derivative of what y returns with respect to x1, x2.

    x1: float; x2: float
    """
    v3_dot = x1_dot / x1 if x1 else ratio(x1_dot, x1)
    v3 = np.log(x1)
    v4_dot = x1_dot * x2 + x2_dot * x1
    v4 = x1 * x2
    v5_dot = x2_dot * np.cos(x2)
    v5 = np.sin(x2)
    v6_dot = v3_dot + v4_dot
    v6 = v3 + v4
    y_dot = v6_dot - v5_dot
    y = v6 - v5
    return y, y_dot

# Written by examples/regenerate.py from y in examples/evaluation_trace.py.
import numpy as np
from s2sad.runtime import ratio


def y_adjoint(x1, x2, out_bar=1.0):
    """Adjoint (pullback) of y: the derivative of what y returns with respect to x1, x2.

    x1: float; x2: float
    """
    # forward sweep
    v3 = np.log(x1)
    v4 = x1 * x2
    v5 = np.sin(x2)
    v6 = v3 + v4
    y = v6 - v5
    # reverse sweep
    x1_bar = out_bar * x2                                 # v4 = x1 * x2
    x2_bar = out_bar * x1 - out_bar * np.cos(x2)          # v5 = np.sin(x2)
    x1_bar += out_bar / x1 if x1 else ratio(out_bar, x1)  # v3 = np.log(x1)
    return y, (x1_bar, x2_bar)

# Written by examples/regenerate.py from loss in examples/worked_graph.py.
import numpy as np
from s2sad.runtime import strong_zero


def loss_adjoint(w1, w2, out_bar=1.0):
    """Adjoint (pullback) of loss: the derivative of what loss returns with respect to w1, w2.

    w1: float; w2: float
    """
    # forward sweep
    v1 = np.log(w1)
    v2 = w2 * v1
    v3 = np.sqrt(v2)
    out = v2 + v3
    # reverse sweep
    v2_bar = out_bar + strong_zero(0.5 * out_bar / v3, out_bar)  # v3 = np.sqrt(v2)
    w2_bar = v2_bar * v1  # v2 = w2 * v1
    v1_bar = v2_bar * w2
    w1_bar = v1_bar / w1  # v1 = np.log(w1)
    return out, (w1_bar, w2_bar)

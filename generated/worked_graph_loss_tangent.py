# Written by examples/regenerate.py from loss in examples/worked_graph.py.
import numpy as np
from s2sad.runtime import ratio, strong_zero


def loss_tangent(w1, w2, w1_dot, w2_dot):
    """Tangent (pushforward) of loss: the derivative of what loss returns with respect to w1, w2.

    w1: float; w2: float
    """
    v1_dot = w1_dot / w1 if w1 else ratio(w1_dot, w1)
    v1 = np.log(w1)
    v2_dot = w2_dot * v1 + v1_dot * w2
    v2 = w2 * v1
    v3 = np.sqrt(v2)
    v3_dot = strong_zero(0.5 * v2_dot / v3, v2_dot)
    return v2 + v3, v2_dot + v3_dot

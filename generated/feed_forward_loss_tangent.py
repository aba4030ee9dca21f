# Written by examples/regenerate.py from loss in examples/feed_forward.py.
import numpy as np
from s2sad.runtime import zeros


def sigmoid_tangent(z, z_dot):
    """The logistic function."""
    v1 = np.exp(-z)
    v2 = 1.0 + v1
    v3 = 1.0 / v2
    return v3, z_dot * v1 / v2 * v3


def loss_tangent(weights, x, target, weights_dot):
    """Tangent (pushforward) of loss: the derivative of what loss returns with respect to weights.

    weights: list[float64[:, :]]; x: float64[n, m]; target: float64[n, k]
    """
    x_dot = zeros(x)
    v = x
    v_dot = x_dot
    for i in range(len(weights)):
        w_dot = weights_dot[i]
        w = weights[i]
        v, v_dot = sigmoid_tangent(v @ w, v_dot @ w + v @ w_dot)
    v1 = v - target
    return 0.5 * np.mean(v1**2), np.mean(v_dot * v1)

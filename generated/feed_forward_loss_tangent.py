# Written by examples/regenerate.py from loss in examples/feed_forward.py.
import numpy as np
from s2sad.runtime import broadcast_like, zeros


def sigmoid_tangent(z, z_dot):
    """The logistic function."""
    v1 = -z
    v2 = broadcast_like(-z_dot, v1)
    v3 = np.exp(v1)
    v4 = 1.0 + v3
    v5 = 1.0 / v4
    return v5, broadcast_like(-(broadcast_like(broadcast_like(v2 * v3, v3), v4) / v4) * v5, v5)


def loss_tangent(weights, x, target, weights_dot):
    """Tangent (pushforward) of loss: the derivative of what loss returns with respect to weights.

    weights: list[float64[:, :]]; x: float64[:, :]; target: float64[:, :]
    """
    x_dot = zeros(x)
    v = x
    v_dot = x_dot
    for i in range(len(weights)):
        w_dot = weights_dot[i]
        w = weights[i]
        v, v_dot = sigmoid_tangent(v @ w, v_dot @ w + v @ w_dot)
    v1 = v - target
    return 0.5 * np.mean(v1**2), 0.5 * np.mean(2 * broadcast_like(v_dot, v1) * v1)

# Written by examples/regenerate.py from layers in examples/mini_pytorch.py.
import numpy as np
from s2sad.runtime import ge_share


def layers_tangent(x, w, b, x_dot, w_dot, b_dot):
    """Tangent (pushforward) of layers: the derivative of what layers returns with respect to x, w, b.

    x: float64[:, :]; w: float64[:, :]; b: float64[:]
    """
    a_dot = x_dot @ w + x @ w_dot + b_dot
    a = x @ w + b
    relu_dot = np.sum(a_dot * ge_share(a, 0.0), axis=0)
    relu = np.sum(np.maximum(a, 0.0), axis=0)
    v1 = np.exp(-a)
    v2 = 1.0 + v1
    v3 = 1.0 / v2
    sigmoid_dot = np.sum(-(-a_dot * v1 / v2) * v3, axis=0)
    sigmoid = np.sum(v3, axis=0)
    v4 = np.tanh(a)
    tanh_dot = np.sum(a_dot * (1 - v4**2), axis=0)
    tanh = np.sum(v4, axis=0)
    v5 = relu * sigmoid
    v6 = relu_dot * sigmoid
    v7 = tanh - 1.0
    return np.dot(v5, v7), np.dot(v6 + sigmoid_dot * relu, v7) + np.dot(v5, tanh_dot)

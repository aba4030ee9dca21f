# Written by examples/regenerate.py from layers in examples/mini_pytorch.py.
import numpy as np
from s2sad.runtime import ge_share, sech2


def layers_tangent(x, w, b, x_dot, w_dot, b_dot):
    """Tangent (pushforward) of layers: the derivative of what layers returns with respect to x, w, b.

    x: float64[n, m]; w: float64[m, k]; b: float64[k]
    """
    a_dot = x_dot @ w + x @ w_dot + b_dot
    a = x @ w + b
    relu_dot = np.sum(a_dot * ge_share(a, 0.0), axis=0)
    relu = np.sum(np.maximum(a, 0.0), axis=0)
    v1 = np.exp(-a)
    v2 = 1.0 + v1
    v3 = 1.0 / v2
    sigmoid_dot = np.sum(a_dot * v1 / v2 * v3, axis=0)
    sigmoid = np.sum(v3, axis=0)
    tanh_dot = np.sum(a_dot * sech2(a), axis=0)
    tanh = np.sum(np.tanh(a), axis=0)
    v4 = relu * sigmoid
    v5 = relu_dot * sigmoid
    v6 = tanh - 1.0
    return np.dot(v4, v6), np.dot(v5 + sigmoid_dot * relu, v6) + np.dot(v4, tanh_dot)

# Written by examples/regenerate.py from layers in examples/mini_pytorch.py.
import numpy as np
from s2sad.runtime import ge_share, sech2


def layers_adjoint(x, w, b, out_bar=1.0):
    """Adjoint (pullback) of layers: the derivative of what layers returns with respect to x, w, b.

    x: float64[n, m]; w: float64[m, k]; b: float64[k]
    """
    # forward sweep
    a = x @ w + b
    relu = np.sum(np.maximum(a, 0.0), axis=0)
    v1 = np.exp(-a)
    v2 = 1.0 / (1.0 + v1)
    sigmoid = np.sum(v2, axis=0)
    tanh = np.sum(np.tanh(a), axis=0)
    v3 = relu * sigmoid
    v4 = tanh - 1.0
    out = np.dot(v3, v4)
    # reverse sweep
    v5 = out_bar * v4            # return np.dot(relu * sigmoid, tanh - 1.0)
    tanh_bar = out_bar * v3
    relu_bar = v5 * sigmoid
    sigmoid_bar = v5 * relu
    a_bar = tanh_bar * sech2(a)  # tanh = np.sum(np.tanh(a), axis=0)
    # sigmoid = np.sum(1.0 / (1.0 + np.exp(-a)), axis=0); relu = np.sum(np.maximum(a, 0.0), axis=0)
    a_bar = a_bar + sigmoid_bar * v2 * v2 * v1 + relu_bar * ge_share(a, 0.0)
    b_bar = np.sum(a_bar, axis=0)  # a = x @ w + b
    x_bar = a_bar @ w.T
    w_bar = x.T @ a_bar
    return out, (x_bar, w_bar, b_bar)

# Written by examples/regenerate.py from loss in examples/feed_forward.py.
import numpy as np
from s2sad.runtime import zeros


def sigmoid_forward(z):
    """The logistic function."""
    v1 = np.exp(-z)
    out = 1.0 / (1.0 + v1)
    return out, v1 * out * out


def loss_adjoint(weights, x, target, out_bar=1.0):
    """Adjoint (pullback) of loss: the derivative of what loss returns with respect to weights.

    weights: list[float64[:, :]]; x: float64[n, m]; target: float64[n, k]
    """
    # forward sweep
    tape = []
    v1 = len(weights)
    v = x
    for i in range(v1):
        w = weights[i]
        v_1, sigmoid_tape = sigmoid_forward(v @ w)
        tape.append((v, sigmoid_tape))
        v = v_1
    v2 = v - target
    out = 0.5 * np.mean(v2**2)
    # reverse sweep
    weights_bar = zeros(weights)
    v_bar = out_bar / max(v2.size, 1) * v2  # return 0.5 * np.mean((v - target) ** 2)
    for i in reversed(range(v1)):
        v, sigmoid_tape = tape.pop()
        w = weights[i]
        v_bar *= sigmoid_tape                    # v = sigmoid(v @ w)
        w_bar = v.T @ v_bar
        v_bar = v_bar @ w.T
        weights_bar[i] = weights_bar[i] + w_bar  # for w in weights:
    return out, weights_bar

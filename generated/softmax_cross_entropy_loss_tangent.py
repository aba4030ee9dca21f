# Written by examples/regenerate.py from loss in examples/softmax_cross_entropy.py.
import numpy as np
from s2sad.runtime import ties


def loss_tangent(logits, onehot, logits_dot):
    """Tangent (pushforward) of loss: the derivative of what loss returns with respect to logits.

    logits: float64[:, :]; onehot: float64[:, :]
    """
    v1 = np.max(logits, axis=1, keepdims=True)
    v2 = ties(logits, v1, axis=1, keepdims=True)
    shifted_dot = logits_dot - np.sum(logits_dot * v2, axis=1, keepdims=True)
    shifted = logits - v1
    v3 = np.exp(shifted)
    v4 = np.sum(v3, axis=1)
    log_norm_dot = np.sum(shifted_dot * v3, axis=1) / v4
    log_norm = np.log(v4)
    v5 = shifted * onehot
    v6 = shifted_dot * onehot
    return np.sum(log_norm - np.sum(v5, axis=1)), np.sum(log_norm_dot - np.sum(v6, axis=1))

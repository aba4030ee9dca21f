# Written by examples/regenerate.py from loss in examples/softmax_cross_entropy.py.
import numpy as np
from s2sad.runtime import ties


def loss_tangent(logits, onehot, logits_dot):
    """Tangent (pushforward) of loss: the derivative of what loss returns with respect to logits.

    logits: float64[n, m]; onehot: float64[n, m]
    """
    v1 = np.max(logits, axis=1, keepdims=True)
    shifted_dot = logits_dot - np.sum(logits_dot * ties(logits, v1), axis=1, keepdims=True)
    shifted = logits - v1
    v2 = np.exp(shifted)
    v3 = np.sum(v2, axis=1)
    log_norm_dot = np.sum(shifted_dot * v2, axis=1) / v3
    log_norm = np.log(v3)
    v4 = shifted * onehot
    v5 = shifted_dot * onehot
    return np.sum(log_norm - np.sum(v4, axis=1)), np.sum(log_norm_dot - np.sum(v5, axis=1))

# Written by examples/regenerate.py from loss in examples/softmax_cross_entropy.py.
import numpy as np
from s2sad.runtime import ties


def loss_adjoint(logits, onehot, out_bar=1.0):
    """Adjoint (pullback) of loss: the derivative of what loss returns with respect to logits.

    logits: float64[n, m]; onehot: float64[n, m]
    """
    # forward sweep
    v1 = np.max(logits, axis=1, keepdims=True)
    shifted = logits - v1
    v2 = np.exp(shifted)
    v3 = np.sum(v2, axis=1)
    log_norm = np.log(v3)
    out = np.sum(log_norm - np.sum(shifted * onehot, axis=1))
    # reverse sweep
    # return np.sum(log_norm - np.sum(shifted * onehot, axis=1)); log_norm = np.log(np.sum(np.exp(shifted), axis=1))
    shifted_bar = (out_bar / v3)[:, None] * v2 - out_bar * onehot
    # shifted = logits - np.max(logits, axis=1, keepdims=True)
    logits_bar = shifted_bar - np.sum(shifted_bar, axis=1, keepdims=True) * ties(logits, v1)
    return out, logits_bar

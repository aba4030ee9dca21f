# Written by examples/regenerate.py from chain in examples/mini_pytorch.py.
import numpy as np


def chain_adjoint(m, n, v, out_bar=1.0):
    """Adjoint (pullback) of chain: the derivative of what chain returns with respect to m, n, v.

    m: float64[k, l]; n: float64[l, k]; v: float64[k]
    """
    # forward sweep
    v1 = m @ n
    v2 = v1 @ v
    out = v2 @ v
    # reverse sweep
    v3 = out_bar * v  # return ((m @ n) @ v) @ v
    v4 = np.outer(v3, v)
    v_bar = out_bar * v2 + v1.T @ v3
    m_bar = v4 @ n.T
    n_bar = m.T @ v4
    return out, (m_bar, n_bar, v_bar)

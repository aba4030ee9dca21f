# Written by examples/regenerate.py from chain in examples/mini_pytorch.py.
def chain_tangent(m, n, v, m_dot, n_dot, v_dot):
    """Tangent (pushforward) of chain: the derivative of what chain returns with respect to m, n, v.

    m: float64[k, l]; n: float64[l, k]; v: float64[k]
    """
    v1 = m @ n
    v2 = v1 @ v
    return v2 @ v, ((m_dot @ n + m @ n_dot) @ v + v1 @ v_dot) @ v + v2 @ v_dot

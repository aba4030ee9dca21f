"""Training loops and layers, part two: work space shared by gates, online softmax, expectation maximisation."""

import numpy as np

from ..case import case


def im2col_conv(x, w, b, stride=1, pad=1):
    N, C, H, W = x.shape
    F, _, kh, kw = w.shape
    xp = np.zeros((N, C, H + 2 * pad, W + 2 * pad))
    xp[:, :, pad:-pad, pad:-pad] = x
    oh = (H + 2 * pad - kh) // stride + 1
    ow = (W + 2 * pad - kw) // stride + 1
    col = np.zeros((N, C, kh, kw, oh, ow))
    for y in range(kh):
        y_max = y + stride * oh
        for z in range(kw):
            z_max = z + stride * ow
            col[:, :, y, z, :, :] = xp[:, :, y:y_max:stride, z:z_max:stride]
    col = col.transpose(0, 4, 5, 1, 2, 3).reshape(N * oh * ow, -1)
    out = np.dot(col, w.reshape(F, -1).T) + b
    return out.reshape(N, oh, ow, -1).transpose(0, 3, 1, 2)


def gru_in_place(xs, W, U, b, h):
    n = len(h)
    z = np.empty(3 * n)
    for x in xs:
        np.dot(W, x, out=z)
        z += b
        z[: 2 * n] += U[: 2 * n] @ h
        gates = z[: 2 * n]
        np.negative(gates, out=gates)
        np.exp(gates, out=gates)
        gates += 1.0
        np.reciprocal(gates, out=gates)
        r, u = gates[:n], gates[n:]
        cand = z[2 * n :]
        cand += U[2 * n :] @ (r * h)
        np.tanh(cand, out=cand)
        h *= u
        h += (1 - u) * cand
    return h


def causal_attention(q, k, v, heads):
    T, D = q.shape
    d = D // heads
    out = np.empty_like(q)
    for h in range(heads):
        sl = slice(h * d, (h + 1) * d)
        scores = q[:, sl] @ k[:, sl].T / np.sqrt(d)
        for i in range(T):
            row = scores[i]
            row[i + 1 :] = -np.inf
            m = np.max(row)
            row -= m
            np.exp(row, out=row)
            row /= row.sum()
        out[:, sl] = scores @ v[:, sl]
    return out


def flash_attention(Q, K, V, block):
    """Online softmax over blocks of keys."""
    n, d = Q.shape
    O = np.zeros_like(Q)
    m = np.full(n, -np.inf)
    l = np.zeros(n)
    for j in range(0, K.shape[0], block):
        S = Q @ K[j : j + block].T / np.sqrt(d)
        m_new = np.maximum(m, S.max(axis=1))
        P = np.exp(S - m_new[:, None])
        scale = np.exp(m - m_new)
        l = scale * l + P.sum(axis=1)
        O *= scale[:, None]
        O += P @ V[j : j + block]
        m = m_new
    return O / l[:, None]


def layernorm_backward_by_hand(dy, x, w):
    B, C = x.shape
    dx = np.zeros_like(x)
    dw = np.zeros(C)
    for b in range(B):
        mean = 0.0
        for i in range(C):
            mean += x[b, i]
        mean /= C
        v = 0.0
        for i in range(C):
            xshift = x[b, i] - mean
            v += xshift * xshift
        rstd = 1.0 / (v / C + 1e-5) ** 0.5
        dnorm_mean = dnorm_norm_mean = 0.0
        for i in range(C):
            norm = (x[b, i] - mean) * rstd
            dnorm = w[i] * dy[b, i]
            dnorm_mean += dnorm
            dnorm_norm_mean += dnorm * norm
        dnorm_mean /= C
        dnorm_norm_mean /= C
        for i in range(C):
            norm = (x[b, i] - mean) * rstd
            dw[i] += norm * dy[b, i]
            dval = w[i] * dy[b, i] - dnorm_mean - norm * dnorm_norm_mean
            dx[b, i] += dval * rstd
    return dx * dw


def train_mlp(X, y, W1, b1, W2, lr, epochs):
    for _ in range(epochs):
        for xb, yb in zip(X, y):
            z = W1 @ xb + b1
            h = np.maximum(z, 0)
            err = W2 @ h - yb
            gW2 = np.outer(err, h)
            gh = W2.T @ err
            gh[z <= 0] = 0
            W2 -= lr * gW2
            W1 -= lr * np.outer(gh, xb)
            b1 -= lr * gh
    return np.sum((W2 @ np.maximum(W1 @ X.T + b1[:, None], 0) - y.T) ** 2)


def adam_dict(params, X, y, lr, steps, betas=(0.9, 0.999), eps=1e-8):
    m = {k: np.zeros_like(v) for k, v in params.items()}
    v = {k: np.zeros_like(p) for k, p in params.items()}
    for t in range(1, steps + 1):
        pred = X @ params["w"] + params["b"]
        r = pred - y
        grads = {"w": X.T @ r / len(y), "b": np.array([r.mean()])}
        for k in params:
            g = grads[k]
            m[k] *= betas[0]
            m[k] += (1 - betas[0]) * g
            v[k] = betas[1] * v[k] + (1 - betas[1]) * g * g
            mhat = m[k] / (1 - betas[0] ** t)
            vhat = v[k] / (1 - betas[1] ** t)
            params[k] -= lr * mhat / (np.sqrt(vhat) + eps)
    return np.mean((X @ params["w"] + params["b"] - y) ** 2)


def kmeans_soft(X, C, beta, iters):
    for _ in range(iters):
        d = np.sum((X[:, None, :] - C[None, :, :]) ** 2, axis=2)
        R = np.exp(-beta * (d - d.min(axis=1, keepdims=True)))
        R /= R.sum(axis=1, keepdims=True)
        for k in range(len(C)):
            C[k] = R[:, k] @ X / R[:, k].sum()
    return C


def gmm_em(x, mu, sigma, pi, iters):
    n, k = len(x), len(mu)
    r = np.zeros((n, k))
    for _ in range(iters):
        for j in range(k):
            r[:, j] = pi[j] * np.exp(-0.5 * ((x - mu[j]) / sigma[j]) ** 2) / sigma[j]
        r /= r.sum(1)[:, np.newaxis]
        for j, nk in enumerate(r.sum(0)):
            mu[j] = np.dot(r[:, j], x) / nk
            sigma[j] = np.sqrt(np.dot(r[:, j], (x - mu[j]) ** 2) / nk)
            pi[j] = nk / n
    return mu, sigma, pi


def rope_in_place(x, theta):
    T, D = x.shape
    half = D // 2
    for t in range(T):
        for i in range(half):
            a = t * theta ** (-i / half)
            c, s = np.cos(a), np.sin(a)
            x[t, i], x[t, i + half] = c * x[t, i] - s * x[t, i + half], s * x[t, i] + c * x[t, i + half]
    return x


def tree_lstm_levels(x, left, right, U):
    n = len(left)
    h = np.zeros((len(x) + n, x.shape[1]))
    h[: len(x)] = x
    for k in range(n):
        node = len(x) + k
        h[node] = np.tanh(U[0] @ h[left[k]] + U[1] @ h[right[k]])
    return h[-1]


CASES = (
    case(
        im2col_conv,
        lambda rng: (rng.normal(size=(1, 2, 3, 3)), rng.normal(size=(2, 2, 3, 3)), rng.normal(size=2)),
    ),
    case(
        gru_in_place,
        lambda rng: (
            rng.normal(size=(3, 2)),
            rng.normal(size=(6, 2)),
            rng.normal(size=(6, 2)),
            rng.normal(size=6),
            rng.normal(size=2),
        ),
    ),
    case(
        causal_attention,
        lambda rng: (rng.normal(size=(3, 4)), rng.normal(size=(3, 4)), rng.normal(size=(3, 4)), 2),
    ),
    case(
        flash_attention,
        lambda rng: (rng.normal(size=(3, 2)), rng.normal(size=(5, 2)), rng.normal(size=(5, 2)), 2),
    ),
    case(
        layernorm_backward_by_hand,
        lambda rng: (rng.normal(size=(2, 3)), rng.normal(size=(2, 3)), rng.normal(size=3)),
    ),
    case(
        train_mlp,
        lambda rng: (
            rng.normal(size=(3, 2)),
            rng.normal(size=(3, 2)),
            rng.normal(size=(4, 2)),
            rng.normal(size=4),
            rng.normal(size=(2, 4)),
            0.05,
            2,
        ),
    ),
    case(
        adam_dict,
        lambda rng: (
            {"w": rng.normal(size=2), "b": rng.normal(size=1)},
            rng.normal(size=(4, 2)),
            rng.normal(size=4),
            0.1,
            3,
        ),
    ),
    case(
        gmm_em,
        lambda rng: (
            rng.normal(size=6),
            np.array([-1.0, 1.0]),
            np.array([1.0, 0.7]),
            np.array([0.4, 0.6]),
            2,
        ),
    ),
    case(rope_in_place, lambda rng: (rng.normal(size=(3, 4)), 10.0)),
    case(tree_lstm_levels, lambda rng: (rng.normal(size=(3, 2)), [0, 3], [1, 2], rng.normal(size=(2, 2, 2)))),
    case(kmeans_soft, lambda rng: (rng.normal(size=(5, 2)), rng.normal(size=(2, 2)), 1.0, 2)),
)

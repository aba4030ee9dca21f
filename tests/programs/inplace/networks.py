"""Networks as people first write them: overwriting layers, recurrent cells, attention."""

import numpy as np

from ..case import case


def relu_(x):
    x[x < 0] = 0.0
    return x


def softmax_(x):
    """Row-wise, over its argument."""
    x -= np.max(x, axis=-1, keepdims=True)
    np.exp(x, out=x)
    x /= np.sum(x, axis=-1, keepdims=True)


def softmax_in_place(scores, values):
    softmax_(scores)
    return scores @ values


def conv2d(x, w, b):
    k = w.shape[0]
    h, wd = x.shape[1] - k + 1, x.shape[2] - k + 1
    out = np.empty((x.shape[0], h, wd, w.shape[3]))
    for i in range(h):
        for j in range(wd):
            window = x[:, i : i + k, j : j + k, :]
            out[:, i, j, :] = np.tensordot(window, w, axes=([1, 2, 3], [0, 1, 2]))
    out += b
    return out


def pool2(x):
    n, h, w, c = x.shape
    out = np.empty((n, h // 2, w // 2, c))
    for i in range(h // 2):
        for j in range(w // 2):
            out[:, i, j, :] = x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :].max(axis=(1, 2))
    return out


def dense(x, w, b):
    y = x @ w
    y += b
    return y


def tiny_lenet(image, conv1, bias1, conv2, bias2, fc1, fb1, fc2, fb2):
    x = pool2(relu_(conv2d(image, conv1, bias1)))
    x = relu_(conv2d(x, conv2, bias2))
    x = np.reshape(x, (x.shape[0], -1))
    x = relu_(dense(x, fc1, fb1))
    return dense(x, fc2, fb2)


def mlp_list(x, weights, biases):
    """Activations appended to a list; each layer works on its own output."""
    acts = [x]
    for w, b in zip(weights, biases):
        z = acts[-1] @ w
        z += b
        np.tanh(z, out=z)
        acts.append(z)
    return sum(np.mean(a**2) for a in acts)


def cross_entropy(logits, labels):
    logits -= logits.max(axis=1, keepdims=True)
    np.exp(logits, out=logits)
    logits /= logits.sum(axis=1, keepdims=True)
    return -np.mean(np.log(logits[np.arange(len(labels)), labels]))


def handwritten_backprop(X, y, W1, W2, lr, epochs):
    """A training loop whose own gradients are in-place NumPy; returns the last loss."""
    loss = 0.0
    for _ in range(epochs):
        hidden = X @ W1
        np.maximum(hidden, 0.01 * hidden, out=hidden)
        out = hidden @ W2
        out -= y
        loss = 0.5 * np.sum(out * out) / len(X)
        out /= len(X)
        back = out @ W2.T
        back[hidden < 0] *= 0.01
        W2 -= lr * hidden.T @ out
        W1 -= lr * X.T @ back
    return loss


def batchnorm_train(x, gamma, beta, running, momentum, eps):
    """Normalises the batch in place and updates running statistics held in a dict."""
    mean, var = x.mean(axis=0), x.var(axis=0)
    running["mean"] *= 1 - momentum
    running["mean"] += momentum * mean
    running["var"][:] = (1 - momentum) * running["var"] + momentum * var
    x -= mean
    x /= np.sqrt(var + eps)
    x *= gamma
    x += beta
    return np.sum(np.tanh(x)) + running["mean"] @ running["var"]


def batchnorm_nhwc(x, eps):
    mean = np.mean(x, axis=0, keepdims=True)
    std = np.std(x, axis=0, keepdims=True)
    x -= mean
    x /= np.sqrt(std + eps)


def layer_norm_rows(x, gain):
    for row in x:
        row -= row.mean()
        row *= gain / np.sqrt(np.mean(row * row) + 1e-3)


def gelu_out(x):
    t = np.empty_like(x)
    np.power(x, 3, out=t)
    t *= 0.044715
    t += x
    t *= np.sqrt(2 / np.pi)
    np.tanh(t, out=t)
    t += 1
    np.multiply(t, x, out=t)
    t *= 0.5
    return t


def dropout_residual(x, w, keep, p):
    y = x @ w
    y[~keep] = 0.0
    y[keep] /= 1 - p
    y += x
    return y


def elman(xs, Wx, Wh, b):
    T = xs.shape[0]
    h = np.zeros((T + 1, len(b)))
    for t in range(T):
        h[t + 1] = np.tanh(xs[t] @ Wx + h[t] @ Wh + b)
    return h[1:]


def sigmoid_(x):
    np.negative(x, out=x)
    np.exp(x, out=x)
    x += 1.0
    np.reciprocal(x, out=x)


def lstm(xs, W, U, b, h0, c0):
    """All four gates in one buffer; windows of it are activated where they lie."""
    n = h0.size
    out = np.empty((len(xs), n))
    h, c = h0.copy(), c0.copy()
    gates = np.empty(4 * n)
    for t in range(len(xs)):
        gates[:] = xs[t] @ W + h @ U + b
        sigmoid_(gates[: 3 * n])
        np.tanh(gates[3 * n :], out=gates[3 * n :])
        i, f, o, g = gates[:n], gates[n : 2 * n], gates[2 * n : 3 * n], gates[3 * n :]
        c *= f
        c += i * g
        h[:] = o * np.tanh(c)
        out[t] = h
    return out


def gru_loops(x, Wz, Wr, Wc, steps):
    n = x.size
    h = np.zeros(n)
    z, r, cand = np.zeros(n), np.zeros(n), np.zeros(n)
    for s in range(steps):
        for i in range(n):
            z[i] = 1 / (1 + np.exp(-(Wz[i] @ h + x[i])))
            r[i] = 1 / (1 + np.exp(-(Wr[i] @ h - x[i])))
        for i in range(n):
            cand[i] = np.tanh(Wc[i] @ (r * h) + x[i])
        for i in range(n):
            h[i] = (1 - z[i]) * h[i] + z[i] * cand[i]
    return h


def attention_rows(Q, K, V):
    T, d = Q.shape
    out = np.zeros_like(V)
    for t in range(T):
        w = K[: t + 1] @ Q[t]  # causal: only what came before
        w /= np.sqrt(d)
        w -= w.max()
        w[:] = np.exp(w)
        w /= w.sum()
        for s in range(t + 1):
            out[t] += w[s] * V[s]
    return out


def multihead_attention(x, Wqkv, heads):
    T, D = x.shape
    qkv = x @ Wqkv
    q, k, v = qkv[:, :D], qkv[:, D : 2 * D], qkv[:, 2 * D :]
    dh = D // heads
    y = np.empty_like(x)
    for h in range(heads):
        cols = slice(h * dh, (h + 1) * dh)
        scores = q[:, cols] @ k[:, cols].T
        scores *= dh**-0.5
        scores[np.triu_indices(T, 1)] = -1e9
        softmax_(scores)
        y[:, cols] = scores @ v[:, cols]
    return y


def embedding_update(table, tokens, lr):
    """Repeated tokens accumulate their updates."""
    vectors = table[tokens]
    grad = np.tanh(vectors) * 0.5
    grad[1:] += 0.1 * vectors[:-1]
    np.add.at(table, tokens, -lr * grad)


def lenet_arguments(rng):
    shapes = ((2, 6, 6, 1), (3, 3, 1, 2), 2, (2, 2, 2, 3), 3, (3, 4), 4, (4, 2), 2)
    return tuple(rng.normal(size=shape) for shape in shapes)


CASES = (
    case(softmax_in_place, lambda rng: (rng.normal(size=(3, 4)), rng.normal(size=(4, 2)))),
    case(tiny_lenet, lenet_arguments),
    case(
        mlp_list,
        lambda rng: (
            rng.normal(size=(3, 4)),
            [rng.normal(size=(4, 3)), rng.normal(size=(3, 2))],
            [rng.normal(size=3), rng.normal(size=2)],
        ),
    ),
    case(cross_entropy, lambda rng: (rng.normal(size=(4, 3)), np.array([0, 2, 1, 2]))),
    case(
        handwritten_backprop,
        lambda rng: (
            rng.normal(size=(4, 3)),
            rng.normal(size=(4, 2)),
            rng.normal(size=(3, 4)),
            rng.normal(size=(4, 2)),
            0.1,
            3,
        ),
    ),
    case(
        batchnorm_train,
        lambda rng: (
            rng.normal(size=(5, 3)),
            rng.normal(size=3),
            rng.normal(size=3),
            {"mean": rng.normal(size=3), "var": rng.uniform(0.5, 2, 3)},
            0.1,
            1e-3,
        ),
    ),
    case(batchnorm_nhwc, lambda rng: (rng.normal(size=(4, 2, 2, 2)), 1e-3), of="x"),
    case(layer_norm_rows, lambda rng: (rng.normal(size=(3, 5)), rng.normal(size=5)), of="x"),
    case(gelu_out, lambda rng: (rng.normal(size=(2, 4)),)),
    case(
        dropout_residual,
        lambda rng: (rng.normal(size=(3, 4)), rng.normal(size=(4, 4)), rng.random((3, 4)) < 0.7, 0.3),
    ),
    case(
        elman,
        lambda rng: (
            rng.normal(size=(4, 2)),
            rng.normal(size=(2, 3)),
            rng.normal(size=(3, 3)),
            rng.normal(size=3),
        ),
    ),
    case(
        lstm,
        lambda rng: (
            rng.normal(size=(3, 2)),
            rng.normal(size=(2, 8)),
            rng.normal(size=(2, 8)),
            rng.normal(size=8),
            rng.normal(size=2),
            rng.normal(size=2),
        ),
    ),
    case(gru_loops, lambda rng: (rng.normal(size=3), *rng.normal(size=(3, 3, 3)), 3)),
    case(attention_rows, lambda rng: tuple(rng.normal(size=(3, 4, 3)))),
    case(multihead_attention, lambda rng: (rng.normal(size=(4, 4)), rng.normal(size=(4, 12)), 2)),
    case(embedding_update, lambda rng: (rng.normal(size=(4, 3)), np.array([1, 3, 1, 0, 1]), 0.1), of="table"),
)

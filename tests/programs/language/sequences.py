"""Sequences: recurrent cells, attention, dynamic programming over lists of lists, filters and smoothers."""

import math

import numpy as np

from ..case import case

NEG = -1e9


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def lse(*xs):
    top = max(xs)
    return top + math.log(sum(math.exp(x - top) for x in xs))


def elman(W, U, b, xs):
    h = np.zeros(b.shape)
    for x in xs:
        h = np.tanh(W @ x + U @ h + b)
    return h


def gru(params, xs):
    Wz, Wr, Wh = params["update"], params["reset"], params["candidate"]
    h = np.zeros(Wz.shape[0])
    for x in xs:
        hx = np.concatenate([h, x])
        z, r = sigmoid(Wz @ hx), sigmoid(Wr @ hx)
        cand = np.tanh(Wh @ np.concatenate([r * h, x]))
        h = (1 - z) * h + z * cand
    return h.sum()


def lstm(W, b, inputs, hidden=2):
    h, c = np.zeros(hidden), np.zeros(hidden)
    outputs = []
    for x in inputs:
        gates = W @ np.hstack((x, h)) + b
        i, f, o = (sigmoid(gates[k * hidden:(k + 1) * hidden]) for k in range(3))
        g = np.tanh(gates[3 * hidden:])
        c = f * c + i * g
        h = o * np.tanh(c)
        outputs.append(h)
    return np.mean(np.array(outputs) ** 2)


def attention(Q, K, V, causal=True):
    d = Q.shape[-1]
    scores = Q @ K.T / math.sqrt(d)
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape)) > 0, scores, NEG)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ V


def multi_head(x, heads, Wo):
    """heads is a list of (Wq, Wk, Wv)."""
    outs = [attention(x @ Wq, x @ Wk, x @ Wv, causal=False) for Wq, Wk, Wv in heads]
    y = x + np.concatenate(outs, axis=1) @ Wo
    mu = y.mean(axis=1, keepdims=True)
    sd = np.sqrt(((y - mu) ** 2).mean(axis=1, keepdims=True) + 1e-5)
    return np.sum((y - mu) / sd * np.arange(x.shape[1]))


def conv1d_loops(signal, kernel, stride=2):
    out = []
    k = len(kernel)
    for start in range(0, len(signal) - k + 1, stride):
        acc = 0.0
        for j in range(k):
            acc += signal[start + j] * kernel[k - 1 - j]
        out.append(math.tanh(acc))
    return sum(o * o for o in out)


def conv2d_valid(image, kernel):
    H, W = image.shape
    h, w = kernel.shape
    rows = []
    for i in range(H - h + 1):
        rows.append([np.sum(image[i:i + h, j:j + w] * kernel) for j in range(W - w + 1)])
    feature = np.array(rows)
    return np.sum(feature * sigmoid(feature))


def soft_dtw(a, b, gamma=0.7):
    n, m = len(a), len(b)
    R = [[math.inf] * (m + 1) for _ in range(n + 1)]
    R[0][0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = (a[i - 1] - b[j - 1]) ** 2
            prev = [r for r in (R[i - 1][j], R[i][j - 1], R[i - 1][j - 1]) if r < math.inf]
            low = min(prev)
            softmin = low - gamma * math.log(sum(math.exp(-(r - low) / gamma) for r in prev))
            R[i][j] = cost + softmin
    return R[n][m]


def hmm_forward(pi, A, B, observations):
    alpha = pi * B[:, observations[0]]
    loglik = 0.0
    for obs in observations[1:]:
        scale = alpha.sum()
        loglik += np.log(scale)
        alpha = (alpha / scale) @ A * B[:, obs]
    return loglik + np.log(alpha.sum())


def crf_nll(emissions, transitions, tags):
    T, L = emissions.shape
    gold = emissions[0, tags[0]]
    for t in range(1, T):
        gold = gold + transitions[tags[t - 1], tags[t]] + emissions[t, tags[t]]
    alphas = list(emissions[0])
    for t in range(1, T):
        alphas = [lse(*[alphas[k] + transitions[k, j] for k in range(L)]) + emissions[t, j] for j in range(L)]
    return lse(*alphas) - gold


def ctc_loss(log_probs, target, blank=0):
    extended = [blank]
    for t in target:
        extended += [t, blank]
    alpha = {0: log_probs[0][blank], 1: log_probs[0][extended[1]]}
    for row in log_probs[1:]:
        new = {}
        for s, symbol in enumerate(extended):
            sources = [alpha[p] for p in (s, s - 1) if p in alpha]
            if s >= 2 and symbol != blank and symbol != extended[s - 2] and s - 2 in alpha:
                sources.append(alpha[s - 2])
            if sources:
                new[s] = lse(*sources) + row[symbol]
        alpha = new
    last = len(extended) - 1
    return -lse(alpha[last], alpha[last - 1])


def kalman_scalar(q, r, zs):
    x, P = 0.0, 1.0
    nll = 0.0
    for z in zs:
        P = P + q
        S = P + r
        K = P / S
        innovation = z - x
        nll += 0.5 * (math.log(S) + innovation**2 / S)
        x, P = x + K * innovation, (1 - K) * P
    return nll


def iir_biquad(b, a, signal):
    b0, b1, b2 = b
    a1, a2 = a
    x1 = x2 = y1 = y2 = 0.0
    energy = 0.0
    for x in signal:
        y = b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2
        x1, x2, y1, y2 = x, x1, y, y1
        energy += y * y
    return energy


def holt_winters(alpha, beta, series):
    level, trend, *_ = series[0], series[1] - series[0]
    sse = 0.0
    for y in series[2:]:
        forecast = level + trend
        sse += (y - forecast) ** 2
        level, old = alpha * y + (1 - alpha) * forecast, level
        trend = beta * (level - old) + (1 - beta) * trend
    return sse


def smoother_backward(xs, decay):
    """Two passes: forward then reversed, as in a zero-phase filter."""
    def one_pass(seq):
        state, out = 0.0, []
        for v in seq:
            state = decay * state + (1 - decay) * v
            out.append(state)
        return out

    forward = one_pass(xs)
    backward = one_pass(reversed(forward))
    return sum(v * w for v, w in zip(backward[::-1], range(len(xs))))


def soft_edit_distance(s, t, costs):
    # costs: (insert, delete, substitute); strings are plain data
    ins, dele, sub = costs
    prev = [j * ins for j in range(len(t) + 1)]
    for i, cs in enumerate(s, 1):
        row = [i * dele]
        for j, ct in enumerate(t, 1):
            options = (row[-1] + ins, prev[j] + dele, prev[j - 1] + (0.0 if cs == ct else sub))
            row.append(-lse(*(-4.0 * o for o in options)) / 4.0)
        prev = row
    return prev[-1]


def _stochastic(rng, *shape):
    p = rng.uniform(0.2, 1.0, size=shape)
    return p / p.sum(axis=-1, keepdims=True)


def _log_stochastic(rng, *shape):
    return np.log(_stochastic(rng, *shape))


CASES = (
    case(elman, lambda rng: (rng.normal(size=(3, 2)), rng.normal(size=(3, 3)), rng.normal(size=3),
                             rng.normal(size=(4, 2))), wrt=(0, 1, 2, 3)),
    case(gru, lambda rng: ({k: rng.normal(size=(2, 5)) for k in ("update", "reset", "candidate")},
                           rng.normal(size=(3, 3))), wrt=(0, 1)),
    case(lstm, lambda rng: (rng.normal(size=(8, 5)), rng.normal(size=8), rng.normal(size=(3, 3))), wrt=(0, 1, 2)),
    case(attention, lambda rng: (rng.normal(size=(3, 4)), rng.normal(size=(3, 4)), rng.normal(size=(3, 2))),
         wrt=(0, 1, 2)),
    case(multi_head,
         lambda rng: (rng.normal(size=(3, 4)), [tuple(rng.normal(size=(3, 4, 2))) for _ in range(2)],
                      rng.normal(size=(4, 4))), wrt=(0, 1, 2)),
    case(conv1d_loops, lambda rng: (rng.normal(size=9), [0.5, -1.0, 0.3]), wrt=(0, 1)),
    case(conv2d_valid, lambda rng: (rng.normal(size=(4, 5)), rng.normal(size=(2, 2))), wrt=(0, 1)),
    case(soft_dtw, lambda rng: ([0.1, 0.9, 1.7, 0.4], [0.0, 1.2, 0.5], 0.8), wrt=(0, 1, 2)),
    case(hmm_forward, lambda rng: (_stochastic(rng, 3), _stochastic(rng, 3, 3), _stochastic(rng, 3, 4),
                                   [0, 3, 1, 1, 2]), wrt=(0, 1, 2)),
    case(crf_nll, lambda rng: (rng.normal(size=(4, 3)), rng.normal(size=(3, 3)), [0, 2, 2, 1]), wrt=(0, 1)),
    case(ctc_loss, lambda rng: (_log_stochastic(rng, 5, 4), [2, 3])),
    case(kalman_scalar, lambda rng: (0.1, 0.5, rng.normal(size=6)), wrt=(0, 1, 2)),
    case(iir_biquad, lambda rng: ((0.3, 0.2, 0.1), (-0.5, 0.3), rng.normal(size=7)), wrt=(0, 1, 2)),
    case(holt_winters, lambda rng: (0.4, 0.3, rng.normal(size=6)), wrt=(0, 1, 2)),
    case(smoother_backward, lambda rng: (rng.normal(size=5).tolist(), 0.6), wrt=(0, 1)),
    case(soft_edit_distance, lambda rng: ("kitten", "sitting", (0.9, 1.1, 0.7)), wrt=(2,)),
)

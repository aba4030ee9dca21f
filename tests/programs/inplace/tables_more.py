"""Dynamic programmes, part two: folding, affine gaps, forward and backward, parsing, seams."""

import numpy as np

from ..case import case


def nussinov_soft(S, t):
    n = S.shape[0]
    N = np.zeros((n + 1, n + 1))
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            cands = [N[i + 1, j], N[i, j - 1]]
            if j > i + 1:
                cands.append(N[i + 1, j - 1] + S[i, j])
            for k in range(i + 1, j):
                cands.append(N[i, k] + N[k + 1, j])
            c = np.array(cands)
            m = c.max()
            N[i, j] = m + t * np.log(np.exp((c - m) / t).sum())
    return N[0, n - 1]


def smith_waterman(a, b, match, gap):
    H = np.zeros((len(a) + 1, len(b) + 1))
    best = 0.0
    for i, ai in enumerate(a, start=1):
        for j, bj in enumerate(b, start=1):
            s = match[ai, bj]
            H[i, j] = max(0.0, H[i - 1, j - 1] + s, H[i - 1, j] - gap, H[i, j - 1] - gap)
            if H[i, j] > best:
                best = H[i, j]
    return best


def gotoh_affine(sub, start_gap, extend):
    n, m = sub.shape
    NEG = -1e9
    M = np.full((n + 1, m + 1), NEG)
    X = np.full_like(M, NEG)
    Y = np.full_like(M, NEG)
    M[0, 0] = 0
    X[1:, 0] = -start_gap - extend * np.arange(n)
    Y[0, 1:] = -start_gap - extend * np.arange(m)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            M[i, j] = sub[i - 1, j - 1] + max(M[i - 1, j - 1], X[i - 1, j - 1], Y[i - 1, j - 1])
            X[i, j] = max(M[i - 1, j] - start_gap, X[i - 1, j] - extend)
            Y[i, j] = max(M[i, j - 1] - start_gap, Y[i, j - 1] - extend)
    return max(M[n, m], X[n, m], Y[n, m])


def hmm_baum_welch(obs, A, B, pi):
    T, N = len(obs), len(pi)
    alpha = np.zeros((T, N))
    beta = np.ones((T, N))
    scale = np.zeros(T)
    alpha[0] = pi * B[:, obs[0]]
    scale[0] = alpha[0].sum()
    alpha[0] /= scale[0]
    for t in range(1, T):
        for j in range(N):
            for i in range(N):
                alpha[t, j] += alpha[t - 1, i] * A[i, j]
            alpha[t, j] *= B[j, obs[t]]
        scale[t] = alpha[t].sum()
        alpha[t] /= scale[t]
    for t in reversed(range(T - 1)):
        beta[t] = A @ (B[:, obs[t + 1]] * beta[t + 1]) / scale[t + 1]
    xi = np.zeros((N, N))
    for t in range(T - 1):
        xi += np.outer(alpha[t], B[:, obs[t + 1]] * beta[t + 1]) * A / scale[t + 1]
    return xi / xi.sum(1, keepdims=True) * np.log(scale).sum()


def logsumexp(x, axis=None):
    m = np.max(x, axis=axis, keepdims=True)
    s = np.log(np.sum(np.exp(x - m), axis=axis, keepdims=True)) + m
    return np.squeeze(s, axis=axis)


def crf_forward_backward(emit, trans):
    T, K = emit.shape
    fwd = np.empty((T, K))
    bwd = np.zeros((T, K))
    fwd[0] = emit[0]
    for t in range(1, T):
        fwd[t] = emit[t] + logsumexp(fwd[t - 1][:, None] + trans, axis=0)
    for t in range(T - 2, -1, -1):
        bwd[t] = logsumexp(trans + (emit[t + 1] + bwd[t + 1])[None, :], axis=1)
    logz = logsumexp(fwd[-1], axis=0)
    return np.exp(fwd + bwd - logz)


def ctc_alpha(logp, labels):
    T, V = logp.shape
    ext = [0]
    for c in labels:
        ext += [c, 0]
    S = len(ext)
    a = np.zeros(S)
    a[0] = np.exp(logp[0, 0])
    a[1] = np.exp(logp[0, ext[1]])
    for t in range(1, T):
        new = np.zeros(S)
        for s in range(S):
            tot = a[s]
            if s > 0:
                tot += a[s - 1]
            if s > 1 and ext[s] != 0 and ext[s] != ext[s - 2]:
                tot += a[s - 2]
            new[s] = tot * np.exp(logp[t, ext[s]])
        a = new
    return -np.log(a[-1] + a[-2])


def viterbi_path_score(logA, logB, logpi):
    T, N = logB.shape
    delta = logpi + logB[0]
    back = np.zeros((T, N), dtype=np.int64)
    for t in range(1, T):
        scores = delta[:, None] + logA
        back[t] = scores.argmax(axis=0)
        delta = scores.max(axis=0) + logB[t]
    state = int(np.argmax(delta))
    path = [state]
    for t in range(T - 1, 0, -1):
        state = back[t, state]
        path.append(state)
    path = path[::-1]
    return (
        logpi[path[0]]
        + sum(logB[t, s] for t, s in enumerate(path))
        + sum(logA[path[k], path[k + 1]] for k in range(T - 1))
    )


def seam_carve(energy):
    M = energy.copy()
    h, w = M.shape
    for i in range(1, h):
        for j in range(w):
            lo, hi = max(j - 1, 0), min(j + 2, w)
            M[i, j] += M[i - 1, lo:hi].min()
    j = np.argmin(M[-1])
    total = 0.0
    for i in range(h - 1, -1, -1):
        total += energy[i, j] ** 2
        if i > 0:
            lo = max(j - 1, 0)
            j = lo + np.argmin(M[i - 1, lo : min(j + 2, w)])
    return total


def q_learning(Q, trans, rewards, alpha, gamma):
    for (s, a, s2), r in zip(trans, rewards):
        Q[s, a] += alpha * (r + gamma * np.max(Q[s2]) - Q[s, a])


def cky_inside(rules, lex):
    """rules[A, B, C], lex[A, t] scores of preterminals."""
    K, n = lex.shape
    chart = np.zeros((n, n + 1, K))
    for i in range(n):
        chart[i, i + 1] = lex[:, i]
    for span in range(2, n + 1):
        for i in range(n - span + 1):
            j = i + span
            cell = chart[i, j]
            for k in range(i + 1, j):
                cell += np.einsum("abc,b,c->a", rules, chart[i, k], chart[k, j])
    return chart[0, n, 0]


def frechet(P, Q):
    n, m = len(P), len(Q)
    ca = np.full((n, m), -1.0)
    for i in range(n):
        for j in range(m):
            d = np.sqrt(np.sum((P[i] - Q[j]) ** 2))
            if i > 0 and j > 0:
                ca[i, j] = max(min(ca[i - 1, j], ca[i - 1, j - 1], ca[i, j - 1]), d)
            elif i > 0:
                ca[i, j] = max(ca[i - 1, j], d)
            elif j > 0:
                ca[i, j] = max(ca[i, j - 1], d)
            else:
                ca[i, j] = d
    return ca[-1, -1]


def optimal_bst(p):
    n = len(p)
    e = [[0.0] * (n + 1) for _ in range(n + 2)]
    w = [[0.0] * (n + 1) for _ in range(n + 2)]
    for length in range(1, n + 1):
        for i in range(1, n - length + 2):
            j = i + length - 1
            e[i][j] = float("inf")
            w[i][j] = w[i][j - 1] + p[j - 1]
            for r in range(i, j + 1):
                t = e[i][r - 1] + (e[r + 1][j] if r < j else 0.0) + w[i][j]
                if t < e[i][j]:
                    e[i][j] = t
    return e[1][n]


def stochastic(rng, *shape):
    a = rng.random(shape) + 0.1
    return a / a.sum(-1, keepdims=True)


CASES = (
    case(nussinov_soft, lambda rng: (rng.normal(size=(4, 4)), 0.5)),
    case(smith_waterman, lambda rng: ([0, 2, 1, 2], [2, 1, 2], rng.normal(size=(3, 3)) + 1, 0.3)),
    case(gotoh_affine, lambda rng: (rng.normal(size=(3, 4)), 1.0, 0.3)),
    case(
        hmm_baum_welch,
        lambda rng: ([0, 1, 1, 0], stochastic(rng, 2, 2), stochastic(rng, 2, 2), stochastic(rng, 2)),
    ),
    case(crf_forward_backward, lambda rng: (rng.normal(size=(4, 3)), rng.normal(size=(3, 3)))),
    case(ctc_alpha, lambda rng: (np.log(stochastic(rng, 5, 4)), [1, 2, 2])),
    case(
        viterbi_path_score, lambda rng: (rng.normal(size=(3, 3)), rng.normal(size=(4, 3)), rng.normal(size=3))
    ),
    case(seam_carve, lambda rng: (rng.random((4, 4)),)),
    case(
        q_learning,
        lambda rng: (
            rng.normal(size=(3, 2)),
            [(0, 1, 2), (2, 0, 1), (1, 1, 0), (0, 1, 2)],
            [1.0, -0.3, 0.2, 0.5],
            0.4,
            0.9,
        ),
        of="Q",
    ),
    case(cky_inside, lambda rng: (rng.random((2, 2, 2)), rng.random((2, 4)))),
    case(optimal_bst, lambda rng: (rng.random(4),)),
    case(frechet, lambda rng: (rng.normal(size=(3, 2)), rng.normal(size=(4, 2)))),
)

"""Losses as people write them: from terse array code to loops over rows with branches for stability."""
# ruff: noqa: C417  (`map` with a lambda is part of the language)

import math

import numpy as np

from ..case import case

EPS = 1e-7
CLASS_WEIGHTS = {"rare": 3.0, "common": 0.5}


def logistic_loss(w, X, y):
    total = 0.0
    for row, label in zip(X, y):
        margin = label * np.dot(row, w)
        if margin > 0:
            total += np.log(1.0 + np.exp(-margin))
        else:
            total += -margin + np.log(1.0 + np.exp(margin))
    return total / len(y)


def softmax_cross_entropy(logits, labels):
    """Mean of -log softmax(logits)[label], one row at a time."""
    losses = []
    for i, label in enumerate(labels):
        row = logits[i]
        top = max(row)
        log_z = top + np.log(np.sum(np.exp(row - top)))
        losses.append(log_z - row[label])
    return sum(losses) / len(losses)


def squared_hinge(w, X, y, C=10.0):
    slack = [max(0.0, 1.0 - yi * (xi @ w)) for xi, yi in zip(X, y)]
    return 0.5 * (w @ w) + C * sum(s**2 for s in slack if s > 0.0)


def huber_by_cases(residuals, delta=1.0):
    loss = 0.0
    for r in residuals:
        a = abs(r)
        if a < 1e-3:
            continue
        elif a <= delta:
            loss += 0.5 * a * a
        else:
            loss += delta * (a - 0.5 * delta)
    return loss


def poisson_nll(theta, X, counts):
    nll = 0.0
    for k, x in zip(counts, X):
        eta = sum(t * v for t, v in zip(theta, x))
        nll += math.exp(eta) - k * eta + math.lgamma(k + 1)
    return nll


def contrastive_loss(a, b, same, margin=2.0):
    dists = [math.sqrt(sum((u - v) ** 2 for u, v in zip(p, q))) for p, q in zip(a, b)]
    return sum(d**2 if s else max(margin - d, 0.0) ** 2 for d, s in zip(dists, same)) / len(dists)


def hardest_triplet(anchor, positive, negatives, *, margin=0.3):
    def sqdist(p, q):
        diff = p - q
        return diff.dot(diff)

    d_pos = sqdist(anchor, positive)
    d_neg = min(sqdist(anchor, n) for n in negatives)
    return d_pos - d_neg + margin if d_pos + margin > d_neg else 0.0 * d_pos


def soft_dice(logits, mask):
    p = 1 / (1 + np.exp(-logits))
    inter = (p * mask).sum()
    return 1 - (2 * inter + EPS) / (p.sum() + mask.sum() + EPS)


def focal_loss(logits, targets, gamma=2, alpha=0.25):
    loss = 0.0
    for z, t in zip(logits, targets):
        p = 1.0 / (1.0 + math.exp(-z))
        pt, weight = (p, alpha) if t == 1 else (1.0 - p, 1.0 - alpha)
        loss -= weight * (1.0 - pt) ** gamma * math.log(pt + EPS)
    return loss


def pinball(pred: np.ndarray, target: np.ndarray, quantiles=(0.1, 0.5, 0.9)) -> float:
    total = 0.0
    for q in quantiles:
        for p, t in zip(pred, target):
            e = t - p
            total += q * e if e >= 0 else (q - 1) * e
    return total / (len(quantiles) * len(pred))


def info_nce(queries, keys, temperature):
    q = queries / np.linalg.norm(queries, axis=1, keepdims=True)
    k = keys / np.linalg.norm(keys, axis=1, keepdims=True)
    sim = q @ k.T / temperature
    n = sim.shape[0]
    return -np.mean([sim[i, i] - np.log(np.exp(sim[i]).sum()) for i in range(n)])


def elastic_net(beta, X, y, lam=0.3, l1_ratio=0.4):
    resid = y - X @ beta
    l1 = sum(map(abs, beta))
    l2 = sum(map(lambda b: b * b, beta))
    return resid @ resid / (2 * len(y)) + lam * (l1_ratio * l1 + (1 - l1_ratio) / 2 * l2)


def cox_partial_likelihood(beta, X, times, observed):
    # Breslow, no tied times. Walk from the latest time back, growing the risk set.
    order = sorted(range(len(times)), key=lambda i: -times[i])
    risk, loglik = 0.0, 0.0
    for i in order:
        eta = X[i] @ beta
        risk = risk + np.exp(eta)
        if not observed[i]:
            continue
        loglik += eta - np.log(risk)
    return -loglik


def ranknet(scores, relevance):
    loss, pairs = 0.0, 0
    for i in range(len(scores)):
        for j in range(len(scores)):
            if relevance[i] <= relevance[j]:
                continue
            loss += math.log1p(math.exp(scores[j] - scores[i]))
            pairs += 1
    assert pairs > 0, "nothing to rank"
    return loss / pairs


def weighted_bce(logits, targets, kinds):
    """Each sample names its class weight; unknown kinds weigh one."""
    acc = 0.0
    for z, t, kind in zip(logits, targets, kinds):
        try:
            w = CLASS_WEIGHTS[kind]
        except KeyError:
            w = 1.0
        acc += w * (np.logaddexp(0.0, z) - t * z)
    return acc


def label_smoothed_nll(logits, label, smoothing=0.1):
    z = logits - logits.max()
    logp = z - math.log(sum(math.exp(v) for v in z))
    k = logp.size
    return sum(-lp * ((1 - smoothing) * (c == label) + smoothing / k) for c, lp in enumerate(logp))


def _signs(n):
    return np.array([1, -1, -1, 1, 1, -1, 1, -1])[:n]


CASES = (
    case(logistic_loss, lambda rng: (rng.normal(size=3), rng.normal(size=(6, 3)), _signs(6)), wrt=(0, 1)),
    case(softmax_cross_entropy, lambda rng: (rng.normal(size=(4, 3)), [2, 0, 1, 1])),
    case(squared_hinge, lambda rng: (0.3 * rng.normal(size=3), rng.normal(size=(6, 3)), _signs(6)), wrt=(0, 1)),
    case(huber_by_cases, lambda rng: (np.array([0.4, -2.2, 0.7, 1.9, -0.3]), 1.1), wrt=(0, 1)),
    case(poisson_nll, lambda rng: (0.4 * rng.normal(size=2), rng.normal(size=(5, 2)), [0, 2, 1, 4, 1])),
    case(contrastive_loss,
         lambda rng: (rng.normal(size=(4, 3)), rng.normal(size=(4, 3)) + 0.8, [True, False, True, False], 4.5),
         wrt=(0, 1, 3)),
    case(hardest_triplet, lambda rng: (rng.normal(size=3), rng.normal(size=3) + 2.0, rng.normal(size=(3, 3))),
         wrt=(0, 1, 2)),
    case(soft_dice, lambda rng: (rng.normal(size=(3, 4)), rng.integers(0, 2, size=(3, 4)))),
    case(focal_loss, lambda rng: (rng.normal(size=5), [1, 0, 0, 1, 1])),
    case(pinball, lambda rng: (np.array([0.1, 1.4, -0.8, 2.0]), np.array([0.9, 1.1, -0.2, 3.0])), wrt=(0, 1)),
    case(info_nce, lambda rng: (rng.normal(size=(3, 4)), rng.normal(size=(3, 4)), 0.7), wrt=(0, 1, 2)),
    case(elastic_net,
         lambda rng: (np.array([0.7, -0.4, 1.1]), rng.normal(size=(5, 3)), rng.normal(size=5), 0.2), wrt=(0, 3)),
    case(cox_partial_likelihood,
         lambda rng: (rng.normal(size=2), rng.normal(size=(5, 2)), [3.0, 1.5, 8.0, 2.2, 5.1], [1, 1, 0, 1, 1]),
         wrt=(0, 1)),
    case(ranknet, lambda rng: (rng.normal(size=5), [2, 0, 1, 1, 0])),
    case(weighted_bce, lambda rng: (rng.normal(size=4), [1, 0, 1, 0], ["rare", "common", "odd", "rare"])),
    case(label_smoothed_nll, lambda rng: (rng.normal(size=5), 3, 0.15), wrt=(0, 2)),
)

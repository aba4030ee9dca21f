"""Programs in which sizes come about on the way: lists of rows, values that are None at first, nets of lists of layers, grids by
dict, trees, windows and masks, loops that double an array."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..case import case

# --- None at first


def steps_between(xs):
    """The row before, which is None at first."""
    previous, total = None, 0.0
    for x in xs:
        if previous is not None:
            total = total + np.sum((x - previous) ** 2)
        previous = x * 1.5
    return total


def momentum(x, rates):
    """A velocity that begins with the first gradient."""
    velocity = None
    for rate in rates:
        slope = np.sin(x) + x
        velocity = slope if velocity is None else 0.9 * velocity + slope
        x = x - rate * velocity
    return np.sum(x**2)


def best_row(rows, w):
    """The row with the largest score so far, None at first, and the score."""
    best, top = None, None
    for row in rows:
        score = np.dot(row, w)
        if top is None or score > top:
            best, top = row, score
    return np.sum(best * w) + top


def running_maximum(table):
    """A table of lists, whose cells are None before they are filled."""
    n, m = len(table), len(table[0])
    memo = [[None] * m for _ in range(n)]

    def value(i, j):
        if i < 0 or j < 0:
            return 0.0
        if memo[i][j] is None:
            memo[i][j] = table[i][j] * (1.0 + 0.5 * value(i - 1, j) + 0.25 * value(i, j - 1))
        return memo[i][j]

    return value(n - 1, m - 1)


def optional_bias(x, weights, bias=None):
    """A bias that may be left out, and is."""
    y = weights @ x
    if bias is not None:
        y = y + bias
    return np.sum(np.tanh(y))


# --- lists of rows


def softmax_rows(rows, w):
    """Each row by its own largest."""
    out = []
    for row in rows:
        e = np.exp(row - np.max(row))
        out.append(w * e / np.sum(e))
    return np.sum(np.array(out) ** 2)


def rows_in_place(rows):
    """Copies of rows that change each other."""
    work = [row.copy() for row in rows]
    for k in range(1, len(work)):
        work[k] += 0.5 * work[k - 1]
        work[k - 1] *= work[k]
    return np.sum(np.stack(work) ** 2)


def gram_schmidt_rows(rows):
    """Rows made orthogonal, one after the other."""
    basis = []
    for v in rows:
        w = v.copy()
        for b in basis:
            w = w - np.dot(w, b) * b
        basis.append(w / np.sqrt(np.sum(w * w)))
    return sum(np.sum(b**3) for b in basis)


# --- nets


def mlp_of_lists(weights, biases, x):
    """Layers as two lists."""
    for k, (w, b) in enumerate(zip(weights, biases)):
        x = x @ w + b
        if k < len(weights) - 1:
            x = np.maximum(x, 0.0) + 0.1 * x
    return np.sum(x**2)


def residual_net(layers, x):
    """Layers as tuples, each of which adds to what it was given."""
    for w, b, scale in layers:
        h = np.tanh(x @ w + b)
        x = x + scale * h
    return np.mean(x**2)


def layer_norms(layers, x):
    """A norm, with a gain and a shift, between matrices."""
    for w, gain, shift in layers:
        x = x @ w
        mean = x.mean(axis=-1, keepdims=True)
        spread = np.sqrt(((x - mean) ** 2).mean(axis=-1, keepdims=True) + 1e-5)
        x = gain * (x - mean) / spread + shift
    return np.sum(np.sin(x))


@dataclass
class Layer:
    """A dense layer."""

    w: np.ndarray
    b: np.ndarray

    def __call__(self, x):
        """The layer's output."""
        return np.tanh(x @ self.w + self.b)


def net_of_objects(w1, b1, w2, b2, x):
    """Layers as objects of a dataclass."""
    for layer in [Layer(w1, b1), Layer(w2, b2)]:
        x = layer(x)
    return np.sum(x**2)


# --- trees and recursion


def tree_of_rows(tree, w):
    """A tree of tuples whose leaves are arrays."""
    if isinstance(tree, tuple):
        left, right = tree
        return np.tanh(w * tree_of_rows(left, w) + tree_of_rows(right, w))
    return tree * w


def tree_of_rows_sum(a, b, c, w):
    """A tree that is made here."""
    return np.sum(tree_of_rows(((a, b), (c, (a, c))), w))


def halves(x):
    """Sums of halves, all the way down."""
    if len(x) == 1:
        return x[0] * x[0]
    k = len(x) // 2
    return halves(x[:k] * 1.1) + 0.5 * halves(x[k:] + 0.1) + np.sum(x[:k] * x[-k:])


def tree_gains(tree, gain):
    """A tree of numbers with None where there is nothing."""
    if tree is None:
        return 0.0
    value, children = tree
    total = value * gain
    for child in children:
        total = total + tree_gains(child, gain * 0.5) * value
    return total


TREE = (0.5, [(1.5, []), (0.25, [(2.0, [None]), (-1.0, [])])])


# --- grids


def grid_by_dict(a, b):
    """Cells of a grid by a dict, with what is outside as zero."""
    cells = {}
    for i in range(3):
        for j in range(3):
            cells[i, j] = a * (i + 1) + b * j
    total = 0.0
    for (i, j), value in cells.items():
        up = cells.get((i - 1, j))
        total = total + value * (0.5 if up is None else np.sin(up))
    return np.sum(total)


def cheapest_way(cost):
    """The cheapest way through a grid, soft, whose best is None until it is found."""
    n, m = cost.shape
    best = [[None for _ in range(m)] for _ in range(n)]
    for i in range(n):
        for j in range(m):
            before = [best[i - 1][j]] if i > 0 else []
            if j > 0:
                before.append(best[i][j - 1])
            best[i][j] = cost[i, j] + (-np.log(sum(np.exp(-b) for b in before)) if before else 0.0)
    return best[-1][-1]


# --- loops that change a size


def doubled(x, times):
    """An array that is twice as long after each turn."""
    for _ in range(times):
        x = np.concatenate([x * 0.5, np.sin(x)])
        x = x + 0.1 * x[::-1]
    return np.sum(x**2)


def refined(x, levels):
    """A curve with points between points."""
    for _ in range(levels):
        fine = np.zeros(2 * len(x) - 1)
        fine[::2] = x
        fine[1::2] = 0.5 * (x[:-1] + x[1:]) + 0.1 * x[:-1] * x[1:]
        x = fine
    return np.sum(x**3)


def pooled(x):
    """Means of pairs until one item is left."""
    total = 0.0
    while len(x) > 1:
        x = np.tanh(0.5 * (x[::2] + x[1::2]) * x[::2])
        total = total + np.sum(x)
    return total


# --- windows and masks


def windows_of(x, w):
    """A filter that is written as windows."""
    k = len(w)
    out = []
    for i in range(len(x) - k + 1):
        out.append(np.sum(x[i : i + k] * w))
    return np.sum(np.array(out) ** 2)


def blocks_of(x, size):
    """Blocks one after the other, the last of them shorter."""
    total, carry = 0.0, 0.0
    for start in range(0, len(x), size):
        block = x[start : start + size]
        centred = block - block.mean()
        total = total + np.sum(centred**2) * (1.0 + carry)
        carry = np.sum(block * centred)
    return total


def masks_kept(x, w):
    """A mask that grows smaller while what it lets through changes."""
    y = x.copy()
    active = np.ones(len(x), dtype=bool)
    for k in range(3):
        y[active] = 0.5 * y[active] + w[active] / (y[active] + 3.0)
        active[k] = False
    return np.sum(y**2)


def upwind(u, c, steps):
    """Neighbours chosen by a mask that is made at each step."""
    for _ in range(steps):
        left = np.concatenate([u[:1], u[:-1]])
        right = np.concatenate([u[1:], u[-1:]])
        right_going = c > 0
        change = np.zeros(len(u))
        change[right_going] = c[right_going] * (u[right_going] - left[right_going])
        change[~right_going] = c[~right_going] * (right[~right_going] - u[~right_going])
        u = u - 0.1 * change
    return np.sum(u**2)


# --- closures


def heun_in_closures(y, k, dt, steps):
    """A step that is made of functions within."""

    def slope(t, y):
        return -k * y + np.sin(t) * y[::-1]

    def step(t, y):
        k1 = slope(t, y)
        k2 = slope(t + dt, y + dt * k1)
        return y + 0.5 * dt * (k1 + k2)

    for n in range(steps):
        y = step(n * dt, y)
    return np.sum(y**2)


def leapfrog(q, p, steps):
    """Early returns, and tuples that come back."""

    def kick(q, p, h):
        if h == 0.0:
            return q, p
        p = p - h * (q + q**3)
        q = q + h * p
        return q, p

    for n in range(steps):
        q, p = kick(q, p, 0.1 * n)
    return np.sum(q * p)


def newton_with_returns(a, x):
    """A root, by a loop that is left early."""
    for _ in range(20):
        step = (x**3 + x - a) / (3 * x**2 + 1)
        if np.max(np.abs(step)) < 1e-12:
            return np.sum(x)
        x = x - step
    return np.sum(x) * 2.0


def attention_over(queries, memory):
    """Weights over rows of a list that grows."""
    seen, out = [], 0.0
    for q in queries:
        seen.append(memory @ q)
        scores = np.array([np.dot(seen[-1], s) for s in seen])
        weights = np.exp(scores - np.max(scores))
        weights = weights / weights.sum()
        context = sum(w * s for w, s in zip(weights, seen))
        out = out + np.sum(context**2)
    return out


def _layers(rng, *sizes):
    pairs = zip(sizes, sizes[1:])  # noqa: RUF007
    return [(0.5 * rng.normal(size=(n, m)), rng.normal(size=m)) for n, m in pairs]


CASES = (
    case(steps_between, lambda rng: ([rng.normal(size=4) for _ in range(3)],)),
    case(momentum, lambda rng: (rng.normal(size=4), [0.1, 0.05, 0.02])),
    case(best_row, lambda rng: ([rng.normal(size=4) for _ in range(3)], rng.normal(size=4))),
    case(running_maximum, lambda rng: ([[float(v) for v in rng.normal(size=3)] for _ in range(2)],)),
    case(optional_bias, lambda rng: (rng.normal(size=3), rng.normal(size=(4, 3)))),
    case(softmax_rows, lambda rng: ([rng.normal(size=4) for _ in range(3)], rng.normal(size=4))),
    case(rows_in_place, lambda rng: ([rng.normal(size=4) for _ in range(3)],)),
    case(gram_schmidt_rows, lambda rng: ([rng.normal(size=4) for _ in range(3)],)),
    case(
        mlp_of_lists,
        lambda rng: (
            [0.5 * rng.normal(size=(3, 4)), 0.5 * rng.normal(size=(4, 2))],
            [rng.normal(size=4), rng.normal(size=2)],
            rng.normal(size=(5, 3)),
        ),
    ),
    case(
        residual_net,
        lambda rng: ([(*layer, 0.3) for layer in _layers(rng, 3, 3, 3)], rng.normal(size=(5, 3))),
    ),
    case(
        layer_norms,
        lambda rng: (
            [(w, np.ones(w.shape[1]) + 0.1 * b, b) for w, b in _layers(rng, 3, 4, 2)], rng.normal(size=(5, 3)),
        ),
    ),
    case(
        net_of_objects,
        lambda rng: (*_layers(rng, 3, 4)[0], *_layers(rng, 4, 2)[0], rng.normal(size=(5, 3))),
    ),
    case(
        tree_of_rows_sum,
        lambda rng: (rng.normal(size=4), rng.normal(size=4), rng.normal(size=4), rng.normal(size=4)),
    ),
    case(halves, lambda rng: (rng.normal(size=8),)),
    case(tree_gains, lambda rng: (TREE, 0.7), wrt=(1,)),
    case(grid_by_dict, lambda rng: (rng.normal(size=3), rng.normal(size=3))),
    case(cheapest_way, lambda rng: (rng.normal(size=(3, 4)),)),
    case(doubled, lambda rng: (rng.normal(size=3), 3)),
    case(refined, lambda rng: (rng.normal(size=4), 3)),
    case(pooled, lambda rng: (rng.normal(size=8),)),
    case(windows_of, lambda rng: (rng.normal(size=9), rng.normal(size=3))),
    case(blocks_of, lambda rng: (rng.normal(size=11), 4)),
    case(masks_kept, lambda rng: (rng.normal(size=6) ** 2, rng.normal(size=6))),
    case(upwind, lambda rng: (rng.normal(size=6), np.array([1.0, -0.5, 0.3, -1.0, 0.7, 0.2]), 3)),
    case(heun_in_closures, lambda rng: (rng.normal(size=4), 0.4, 0.1, 3)),
    case(leapfrog, lambda rng: (rng.normal(size=4), rng.normal(size=4), 4)),
    case(newton_with_returns, lambda rng: (rng.normal(size=4), rng.normal(size=4))),
    case(attention_over, lambda rng: ([rng.normal(size=3) for _ in range(3)], rng.normal(size=(4, 3)))),
)

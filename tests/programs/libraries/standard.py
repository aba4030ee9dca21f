"""Programs that lean on the standard library, and on infinities that stand for what is not there."""

import heapq
import itertools
import math
import statistics
from collections import ChainMap, defaultdict, deque

import numpy as np


def means_and_spreads(x):
    return statistics.mean(x) ** 2 + statistics.stdev([x[0], x[1], 3.0]) + statistics.pvariance(list(x)) * statistics.fmean(x)


def other_means(s):
    items = [s, s * s, 0.7]
    return statistics.geometric_mean(items) * statistics.harmonic_mean(items) + statistics.variance(items)


def medians(x):
    return statistics.median(x) * x[0] + statistics.median([x[0], x[1]]) + statistics.median_low([x[2], x[1]])


def weighted_mean(x):
    return statistics.fmean(x, weights=[1.0, 2.0, x[0]]) + statistics.pstdev(x, mu=1.0)


def forces_without_the_own_one(x):
    r = np.abs(x[:, None] - x)
    r[r == 0] = np.inf
    return np.sum(1 / r**3)


def overlaps_without_the_own_one(x):
    d = np.abs(x[:, None] - x)
    np.fill_diagonal(d, np.inf)
    return np.sum(np.exp(-(d**2)) / (1 + d))


def kernel(d, k):
    return np.exp(-k * d * d) / (1.0 + d)


def kernels_of_what_is_chosen(x):
    d = np.abs(x[:, None] - x)
    return np.sum(kernel(np.where(d == 0, np.inf, d), 0.5))


def pairs_one_by_one(x):
    total = 0.0
    for a, b in itertools.product(x, x):
        r = a - b
        if a == b:
            r = math.inf
        total += 1 / r**3 * 2 + 1 / (r * r)
    return total


def nearest(x):
    best = np.inf
    for v in x:
        if (v - 1.1) ** 2 < best:
            best = (v - 1.1) ** 2
    return best * x[0] ** 3


def relaxed_distances(x):
    edges = [(0, 1, x[0]), (0, 2, x[1]), (1, 2, x[2]), (2, 3, x[0] * x[1])]
    dist = [0.0] + [float("inf")] * 3
    for _ in range(3):
        for u, v, w in edges:
            if dist[u] + w < dist[v]:
                dist[v] = dist[u] + w
    return dist[3] * dist[2] ** 2


def whole_parts(x):
    return sum(v * np.int64(v * 3) + np.int32(v) for v in x)


def roots_of_negative_constants(s):
    z = (-8.0) ** 0.5
    return s * s * z.imag + (s * z).imag


def a_key_that_is_missing_on_a_path(s):
    known = {"p": s, "q": s * s}
    if s > 100:
        return known["nope"]
    return known["p"] * known["q"]


def a_key_that_is_missing_within_try(s):
    known = {"p": s}
    total = 1.0
    try:
        if s > 0:
            total = known["nope"]
    except KeyError:
        total = s * 3
    return total * known["p"]


def a_queue_that_merges(x):
    heap = [(v, k) for k, v in enumerate(x)]
    heapq.heapify(heap)
    cost = 0.0
    while len(heap) > 1:
        (a, i), (b, j) = heapq.heappop(heap), heapq.heappop(heap)
        cost += (a + b) ** 2
        heapq.heappush(heap, (a + b, i + j))
    return cost


def layers_of_settings(s):
    settings = ChainMap({"a": s}, {"a": 3.0, "b": s * s})
    recent = deque(maxlen=2)
    sums = defaultdict(float)
    for k, v in enumerate((s, s * 2, settings["b"])):
        recent.append(v * v)
        sums[k % 2] += v
    recent.rotate(1)
    return settings["a"] * recent[0] + sums[0] * sums[1] + settings.get("c", s)


def pairs_by_tee(x):
    ahead, behind = itertools.tee([x[0] * k * k for k in range(1, 5)])
    next(ahead)
    return sum(a * b for a, b in zip(ahead, behind)) * x[1]


def three_by_tee(x):
    def triples(items):
        a, b, c = itertools.tee(tuple(items), 3)
        next(b, None)
        next(c, None)
        next(c, None)
        return zip(a, b, c)

    return sum(a * b * c for a, b, c in triples([x[0], x[1] * x[2], x[2], x[0] * x[0]]))


def one_after_the_other_by_tee(x):
    a, b = itertools.tee([x[0], x[1], x[2]])
    total = 0.0
    for u in a:
        total = total + u * u
    for v in b:
        total = total * v
    return total


def an_array_of_the_shape_of_two(x):
    column = x[:, None] * 2.0
    both = np.broadcast(x, column)
    out = np.zeros(both.shape)
    out[:] = x * column
    return np.sum(out) * both.size * both.ndim + np.sum(np.ones(np.broadcast(2.0, x).shape) * x)

"""Indirect addressing: sparse products, histograms, assembly over meshes and graphs."""

import numpy as np

from ..case import case


def csr_matvec(data, indices, indptr, x):
    y = np.zeros(len(indptr) - 1)
    for i in range(y.size):
        for k in range(indptr[i], indptr[i + 1]):
            y[i] += data[k] * x[indices[k]]
    return y


def csr_matvec_rows(data, indices, indptr, x):
    y = np.empty(indptr.size - 1)
    for i in range(indptr.size - 1):
        start, end = indptr[i], indptr[i + 1]
        y[i] = data[start:end] @ x[indices[start:end]]
    return y


def csc_matvec_into(data, rows, colptr, x, y):
    y[:] = 0
    for j in range(len(x)):
        lo, hi = colptr[j], colptr[j + 1]
        y[rows[lo:hi]] += data[lo:hi] * x[j]  # rows of a column are distinct


def coo_power(values, rows, cols, v, steps):
    for _ in range(steps):
        w = np.zeros_like(v)
        np.add.at(w, rows, values * v[cols])
        v[:] = w / np.sqrt(w @ w)
    return v


def csr_symmetric_gauss_seidel(data, indices, indptr, b, x):
    n = len(b)
    for order in (range(n), range(n - 1, -1, -1)):
        for i in order:
            s = b[i]
            diag = 1.0
            for k in range(indptr[i], indptr[i + 1]):
                j = indices[k]
                if j == i:
                    diag = data[k]
                else:
                    s -= data[k] * x[j]
            x[i] = s / diag


def csr_to_dense_log_det(data, indices, indptr):
    n = len(indptr) - 1
    M = np.zeros((n, n))
    for i in range(n):
        M[i, indices[indptr[i] : indptr[i + 1]]] = data[indptr[i] : indptr[i + 1]]
    return np.linalg.slogdet(M)[1]


def azimint(radius, values, edges):
    """Azimuthal integration: the mean of the values in each ring."""
    out = np.zeros(len(edges) - 1)
    for k in range(len(edges) - 1):
        inside = np.logical_and(edges[k] <= radius, radius < edges[k + 1])
        out[k] = values[inside].mean()
    return out


def weighted_histogram(x, w, lo, hi, bins):
    counts = np.zeros(bins)
    for value, weight in zip(x, w):
        b = int((value - lo) / (hi - lo) * bins)
        if 0 <= b < bins:
            counts[b] += weight
    return counts


def linear_histogram(x, w, bins):
    """Cloud-in-cell: each sample is shared between two bins, so that the counts are differentiable."""
    h = np.zeros(bins + 1)
    left = x.astype(int)
    share = x - left
    np.add.at(h, left, w * (1 - share))
    np.add.at(h, left + 1, w * share)
    h /= h.sum()
    return -np.sum(h * np.log(h + 1e-2))


def scatter_mean(values, groups, n):
    total = np.zeros((n, values.shape[1]))
    count = np.zeros(n)
    np.add.at(total, groups, values)
    np.add.at(count, groups, 1.0)
    total /= np.maximum(count, 1.0)[:, None]
    values -= total[groups]
    return np.sum(values**2, axis=0)


def segment_softmax(scores, segments, n):
    for k in range(n):
        inside = segments == k
        scores[inside] -= scores[inside].max()
    np.exp(scores, out=scores)
    norm = np.zeros(n)
    np.add.at(norm, segments, scores)
    scores /= norm[segments]


def edge_flux_residual(q, edges, area, dt, steps):
    """Unstructured finite volumes: every edge takes from one cell and gives to the other."""
    for _ in range(steps):
        res = np.zeros_like(q)
        for e in range(edges.shape[0]):
            a, b = edges[e]
            flux = 0.5 * (q[a] ** 2 + q[b] ** 2) - 0.8 * (q[b] - q[a])
            res[a] -= flux
            res[b] += flux
        q += dt * res / area[:, np.newaxis]


def assemble_bar(E, A, nodes):
    """Finite elements on a rod: 2x2 element matrices added to the global one."""
    n = len(nodes)
    K = np.zeros((n, n))
    ke = np.array([[1.0, -1.0], [-1.0, 1.0]])
    for e in range(n - 1):
        k = E[e] * A / (nodes[e + 1] - nodes[e])
        dofs = [e, e + 1]
        K[np.ix_(dofs, dofs)] += k * ke
    load = np.zeros(n)
    load[-1] = 1.0
    K[0, :] = K[:, 0] = 0.0
    K[0, 0] = 1.0
    return np.linalg.solve(K, load)


def assemble_triangles(xy, tri):
    """Stiffness of linear triangles, scattered all at once with repeated indices."""
    K = np.zeros((len(xy), len(xy)))
    p0, p1, p2 = xy[tri[:, 0]], xy[tri[:, 1]], xy[tri[:, 2]]
    edges = np.stack((p2 - p1, p0 - p2, p1 - p0), axis=1)
    area = 0.5 * (edges[:, 2, 0] * -edges[:, 1, 1] + edges[:, 2, 1] * edges[:, 1, 0])
    local = np.einsum("eik,ejk->eij", edges, edges)
    local /= 4.0 * area[:, None, None]
    np.add.at(K, (tri[:, :, None], tri[:, None, :]), local)
    K[0, 0] += 1.0
    return K


def pagerank_edges(weights, src, dst, n, damping, rounds):
    rank = np.full(n, 1.0 / n)
    out_weight = np.zeros(n)
    for e in range(len(src)):
        out_weight[src[e]] += weights[e]
    for _ in range(rounds):
        nxt = np.full(n, (1 - damping) / n)
        for e in range(len(src)):
            nxt[dst[e]] += damping * rank[src[e]] * weights[e] / out_weight[src[e]]
        rank = nxt
    return rank


def bellman_ford(weights, src, dst, n):
    dist = np.full(n, 50.0)
    dist[0] = 0.0
    for _ in range(n - 1):
        for k in range(len(weights)):
            dist[dst[k]] = min(dist[dst[k]], dist[src[k]] + weights[k])
    return dist


def tree_accumulate(mass, drag, parent):
    """Children come after their parents: fold up from the leaves, then spread down from the root."""
    for i in range(len(parent) - 1, 0, -1):
        mass[parent[i]] += drag[i] * mass[i]
    for i in range(1, len(parent)):
        mass[i] /= 1.0 + mass[parent[i]] ** 2
    return mass


INDPTR = np.array([0, 2, 4, 7, 9])
INDICES = np.array([0, 2, 1, 3, 0, 2, 3, 1, 3])
ROWS, COLS = np.array([0, 0, 1, 1, 2, 2, 2, 3, 3]), INDICES
RING = np.array([[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]])
TRIANGLES = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4]])
FAN = np.array([[0.0, 0.0], [1.0, -0.8], [1.2, 0.7], [-0.1, 1.3], [-1.1, 0.4]])
SRC, DST = np.array([0, 0, 1, 2, 2, 3, 1]), np.array([1, 2, 2, 3, 0, 0, 3])

CASES = (
    case(csr_matvec, lambda rng: (rng.normal(size=9), INDICES, INDPTR, rng.normal(size=4))),
    case(csr_matvec_rows, lambda rng: (rng.normal(size=9), INDICES, INDPTR, rng.normal(size=4))),
    case(
        csc_matvec_into,
        lambda rng: (rng.normal(size=9), INDICES, INDPTR, rng.normal(size=4), np.ones(4)),
        of="y",
    ),
    case(coo_power, lambda rng: (rng.uniform(0.5, 2, 9), ROWS, COLS, rng.uniform(0.5, 1, 4), 3)),
    case(
        csr_symmetric_gauss_seidel,
        lambda rng: (
            rng.normal(size=9) + 3.0 * (ROWS == COLS),
            INDICES,
            INDPTR,
            rng.normal(size=4),
            rng.normal(size=4),
        ),
        of="x",
    ),
    case(csr_to_dense_log_det, lambda rng: (rng.normal(size=9) + 3.0 * (ROWS == COLS), INDICES, INDPTR)),
    case(
        azimint,
        lambda rng: (np.array([0.2, 1.3, 0.7, 2.1, 1.6, 2.8]), rng.normal(size=6), [0.0, 1.0, 2.0, 3.0]),
        wrt=(1,),
    ),
    case(weighted_histogram, lambda rng: (rng.normal(size=8), rng.uniform(1, 2, 8), -1.5, 1.5, 4), wrt=(1,)),
    case(linear_histogram, lambda rng: (rng.uniform(0.1, 3.9, 7), rng.uniform(1, 2, 7), 4)),
    case(scatter_mean, lambda rng: (rng.normal(size=(6, 2)), np.array([0, 2, 1, 0, 2, 2]), 4)),
    case(segment_softmax, lambda rng: (rng.normal(size=7), np.array([0, 2, 1, 0, 2, 2, 1]), 3), of="scores"),
    case(
        edge_flux_residual, lambda rng: (rng.normal(size=(4, 2)), RING, rng.uniform(1, 2, 4), 0.1, 2), of="q"
    ),
    case(assemble_bar, lambda rng: (rng.uniform(1, 2, 4), 0.8, np.arange(5) + rng.uniform(-0.2, 0.2, 5))),
    case(assemble_triangles, lambda rng: (FAN + rng.normal(0, 0.05, (5, 2)), TRIANGLES)),
    case(pagerank_edges, lambda rng: (rng.uniform(1, 2, 7), SRC, DST, 4, 0.85, 3)),
    case(bellman_ford, lambda rng: (rng.uniform(1, 4, 7), SRC, DST, 4)),
    case(
        tree_accumulate,
        lambda rng: (rng.uniform(0.5, 1.5, 7), rng.uniform(0.5, 1, 7), np.array([-1, 0, 0, 1, 1, 2, 5])),
    ),
)

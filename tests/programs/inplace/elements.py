"""Assembly and sparse formats, part two: isoparametric elements, trusses, blocks, Newmark's method."""

import numpy as np

from ..case import case


def ell_spmv(values, cols, x):
    n, w = values.shape
    y = np.zeros(n)
    for k in range(w):
        mask = cols[:, k] >= 0
        y[mask] += values[mask, k] * x[cols[mask, k]]
    return y


def bsr_matvec(data, indices, indptr, x):
    R = data.shape[1]
    nb = len(indptr) - 1
    y = np.zeros((nb, R))
    xb = x.reshape(-1, R)
    for i in range(nb):
        for jj in range(indptr[i], indptr[i + 1]):
            y[i] += data[jj] @ xb[indices[jj]]
    return y.ravel()


def ssor_csr(indptr, indices, data, b, omega):
    n = len(b)
    x = np.zeros(n)
    for order in (range(n), reversed(range(n))):
        for i in order:
            s = b[i]
            d = 1.0
            for p in range(indptr[i], indptr[i + 1]):
                j = indices[p]
                if j == i:
                    d = data[p]
                else:
                    s -= data[p] * x[j]
            x[i] = (1 - omega) * x[i] + omega * s / d
    return x


GP = np.array([-1.0, 1.0]) / np.sqrt(3.0)


def shape_q4(xi, eta):
    N = 0.25 * np.array(
        [(1 - xi) * (1 - eta), (1 + xi) * (1 - eta), (1 + xi) * (1 + eta), (1 - xi) * (1 + eta)]
    )
    dN = 0.25 * np.array([[-(1 - eta), 1 - eta, 1 + eta, -(1 + eta)], [-(1 - xi), -(1 + xi), 1 + xi, 1 - xi]])
    return N, dN


def q4_stiffness(nodes, elements, E, nu, thickness):
    D = E / (1 - nu**2) * np.array([[1, nu, 0], [nu, 1, 0], [0, 0, (1 - nu) / 2]])
    ndof = 2 * len(nodes)
    K = np.zeros((ndof, ndof))
    for conn in elements:
        xe = nodes[conn]
        ke = np.zeros((8, 8))
        for xi in GP:
            for eta in GP:
                N, dN = shape_q4(xi, eta)
                J = dN @ xe
                detJ = J[0, 0] * J[1, 1] - J[0, 1] * J[1, 0]
                dNdx = np.linalg.solve(J, dN)
                B = np.zeros((3, 8))
                B[0, 0::2] = dNdx[0]
                B[1, 1::2] = dNdx[1]
                B[2, 0::2] = dNdx[1]
                B[2, 1::2] = dNdx[0]
                ke += B.T @ D @ B * detJ * thickness
        dofs = np.ravel([[2 * c, 2 * c + 1] for c in conn])
        K[np.ix_(dofs, dofs)] += ke
    return K


def truss_solve(xy, bars, EA, loads, fixed):
    n = xy.size
    K = np.zeros((n, n))
    for e, (a, b) in enumerate(bars):
        d = xy[b] - xy[a]
        L = np.sqrt(d @ d)
        c, s = d / L
        k = EA[e] / L * np.array([[c * c, c * s], [c * s, s * s]])
        ia, ib = slice(2 * a, 2 * a + 2), slice(2 * b, 2 * b + 2)
        K[ia, ia] += k
        K[ib, ib] += k
        K[ia, ib] -= k
        K[ib, ia] -= k
    for f in fixed:
        K[f, :] = 0
        K[:, f] = 0
        K[f, f] = 1
        loads[f] = 0.0
    u = np.linalg.solve(K, loads)
    return loads @ u


def p1_mass_load(points, triangles, f):
    b = np.zeros(len(points))
    M = np.zeros((len(points), len(points)))
    local = (np.ones((3, 3)) + np.eye(3)) / 12
    for tri in triangles:
        (x0, y0), (x1, y1), (x2, y2) = points[tri]
        area = 0.5 * abs((x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0))
        np.add.at(b, tri, area * local @ f[tri])
        for i in range(3):
            for j in range(3):
                M[tri[i], tri[j]] += area * local[i, j]
    return M @ b


def newmark(M, C, K, F, dt, beta=0.25, gamma=0.5):
    n, steps = F.shape
    u = np.zeros((n, steps + 1))
    v = np.zeros((n, steps + 1))
    a = np.zeros((n, steps + 1))
    Keff = K + gamma / (beta * dt) * C + M / (beta * dt * dt)
    for i in range(steps):
        rhs = F[:, i] + M @ (
            u[:, i] / (beta * dt**2) + v[:, i] / (beta * dt) + (1 / (2 * beta) - 1) * a[:, i]
        )
        rhs += C @ (
            gamma / (beta * dt) * u[:, i]
            + (gamma / beta - 1) * v[:, i]
            + dt * (gamma / (2 * beta) - 1) * a[:, i]
        )
        u[:, i + 1] = np.linalg.solve(Keff, rhs)
        a[:, i + 1] = (
            (u[:, i + 1] - u[:, i]) / (beta * dt**2) - v[:, i] / (beta * dt) - (1 / (2 * beta) - 1) * a[:, i]
        )
        v[:, i + 1] = v[:, i] + dt * ((1 - gamma) * a[:, i] + gamma * a[:, i + 1])
    return u


def graph_attention(h, W, a_src, a_dst, edges):
    z = h @ W
    n = len(h)
    score = np.empty(len(edges))
    for k, (i, j) in enumerate(edges):
        s = z[i] @ a_src + z[j] @ a_dst
        score[k] = s if s > 0 else 0.2 * s
    w = np.exp(score)
    norm = np.zeros(n)
    out = np.zeros_like(z)
    for (i, j), wk in zip(edges, w):
        norm[j] += wk
        out[j] += wk * z[i]
    has = norm > 0
    out[has] /= norm[has][:, None]
    return out


TRI = np.array([[0, 1, 2], [1, 3, 2]])


CASES = (
    case(
        ell_spmv,
        lambda rng: (rng.normal(size=(3, 2)), np.array([[0, 2], [1, -1], [2, 0]]), rng.normal(size=3)),
    ),
    case(
        bsr_matvec,
        lambda rng: (
            rng.normal(size=(3, 2, 2)),
            np.array([0, 1, 0]),
            np.array([0, 2, 3]),
            rng.normal(size=4),
        ),
    ),
    case(
        ssor_csr,
        lambda rng: (
            np.array([0, 2, 5, 7]),
            np.array([0, 1, 0, 1, 2, 1, 2]),
            rng.normal(size=7) + 3,
            rng.normal(size=3),
            1.2,
        ),
    ),
    case(
        q4_stiffness,
        lambda rng: (
            np.array([[0.0, 0], [1, 0.1], [1.1, 1], [0, 0.9], [2, 0], [2, 1]]),
            np.array([[0, 1, 2, 3], [1, 4, 5, 2]]),
            10.0,
            0.3,
            0.1,
        ),
    ),
    case(
        truss_solve,
        lambda rng: (
            np.array([[0.0, 0], [1, 0.1], [1.1, 1]]),
            [(0, 1), (1, 2), (0, 2)],
            1 + rng.random(3),
            rng.normal(size=6),
            [0, 1, 3],
        ),
    ),
    case(
        p1_mass_load, lambda rng: (np.array([[0.0, 0], [1, 0.1], [0.1, 1], [1, 1]]), TRI, rng.normal(size=4))
    ),
    case(
        newmark,
        lambda rng: (
            np.eye(2) + 0.1,
            0.1 * np.eye(2),
            np.array([[2.0, -1], [-1, 2]]),
            rng.normal(size=(2, 3)),
            0.2,
        ),
    ),
    case(
        graph_attention,
        lambda rng: (
            rng.normal(size=(4, 2)),
            rng.normal(size=(2, 2)),
            rng.normal(size=2),
            rng.normal(size=2),
            [(0, 1), (2, 1), (3, 2), (1, 2)],
        ),
    ),
)

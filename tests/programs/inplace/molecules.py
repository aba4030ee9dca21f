"""Particles, part two: cell lists, constraints, trees in arrays, thermostats, flocks."""

import numpy as np

from ..case import case


def cell_list_forces(pos, box, rc):
    n = pos.shape[0]
    nc = max(int(box / rc), 1)
    head = -np.ones(nc * nc, dtype=int)
    nxt = -np.ones(n, dtype=int)
    for i in range(n):
        cx = int(pos[i, 0] / box * nc) % nc
        cy = int(pos[i, 1] / box * nc) % nc
        c = cx * nc + cy
        nxt[i] = head[c]
        head[c] = i
    force = np.zeros_like(pos)
    for cx in range(nc):
        for cy in range(nc):
            i = head[cx * nc + cy]
            while i != -1:
                for dx in (-1, 0, 1):
                    for dy in (-1, 0, 1):
                        j = head[((cx + dx) % nc) * nc + (cy + dy) % nc]
                        while j != -1:
                            if i < j:
                                d = pos[i] - pos[j]
                                d -= box * np.round(d / box)
                                r2 = d @ d
                                if r2 < rc * rc:
                                    f = (rc / np.sqrt(r2) - 1.0) * d
                                    force[i] += f
                                    force[j] -= f
                            j = nxt[j]
                i = nxt[i]
    return force


def neighbour_list_lj(x, pairs, eps, sigma):
    f = np.zeros_like(x)
    e = 0.0
    for i, j in pairs:
        rij = x[i] - x[j]
        r2 = np.dot(rij, rij)
        sr6 = (sigma**2 / r2) ** 3
        e += 4 * eps * (sr6**2 - sr6)
        fij = 24 * eps * (2 * sr6**2 - sr6) / r2 * rij
        f[i] += fij
        f[j] -= fij
    return e * f


def shake(pos, old, mass, bonds, lengths, iters):
    for _ in range(iters):
        done = True
        for (a, b), length in zip(bonds, lengths):
            r = pos[a] - pos[b]
            diff = length**2 - r @ r
            if abs(diff) > 1e-10:
                done = False
                ref = old[a] - old[b]
                g = diff / (2 * (r @ ref) * (1 / mass[a] + 1 / mass[b]))
                pos[a] += g / mass[a] * ref
                pos[b] -= g / mass[b] * ref
        if done:
            break


def barnes_hut(pos, mass, theta):
    """A quadtree in arrays, built and walked without recursion."""
    n = len(mass)
    cap = 8 * n + 8
    child = -np.ones((cap, 4), dtype=int)
    body = -np.ones(cap, dtype=int)
    leaf = np.ones(cap, dtype=bool)
    centre = np.zeros((cap, 2))
    half = np.zeros(cap)
    m = np.zeros(cap)
    com = np.zeros((cap, 2))
    half[0] = 4.0
    count = 1
    for i in range(n):
        node = 0
        k = i
        while True:
            if leaf[node] and body[node] < 0:
                body[node] = k
                break
            if leaf[node]:
                leaf[node] = False
                o = body[node]
                quad = int(pos[o, 0] > centre[node, 0]) + 2 * int(pos[o, 1] > centre[node, 1])
                child[node, quad] = count
                half[count] = half[node] / 2
                centre[count, 0] = centre[node, 0] + (half[count] if quad & 1 else -half[count])
                centre[count, 1] = centre[node, 1] + (half[count] if quad & 2 else -half[count])
                body[count] = o
                count += 1
                body[node] = -1
            quad = int(pos[k, 0] > centre[node, 0]) + 2 * int(pos[k, 1] > centre[node, 1])
            if child[node, quad] < 0:
                child[node, quad] = count
                half[count] = half[node] / 2
                centre[count, 0] = centre[node, 0] + (half[count] if quad & 1 else -half[count])
                centre[count, 1] = centre[node, 1] + (half[count] if quad & 2 else -half[count])
                count += 1
            node = child[node, quad]
    for node in range(count - 1, -1, -1):
        if leaf[node]:
            if body[node] >= 0:
                m[node] = mass[body[node]]
                com[node] = pos[body[node]]
        else:
            for c in child[node]:
                if c >= 0:
                    m[node] += m[c]
                    com[node] += m[c] * com[c]
            com[node] /= m[node]
    acc = np.zeros_like(pos)
    for i in range(n):
        stack = [0]
        while stack:
            node = stack.pop()
            if m[node] == 0 or (leaf[node] and body[node] == i):
                continue
            d = com[node] - pos[i]
            r = np.sqrt(d @ d + 0.01)
            if leaf[node] or 2 * half[node] / r < theta:
                acc[i] += m[node] * d / r**3
            else:
                for c in child[node]:
                    if c >= 0:
                        stack.append(c)
    return acc


def nose_hoover(x, v, T, Q, dt, n):
    xi = 0.0
    traj = np.zeros((n, len(x)))
    a = -x
    for k in range(n):
        x += v * dt + 0.5 * dt**2 * (a - xi * v)
        vh = v + 0.5 * dt * (a - xi * v)
        ke = 0.5 * np.sum(vh**2)
        xi += dt * (2 * ke - len(x) * T) / Q
        a = -x + 0.1 * x**3
        v[:] = (vh + 0.5 * dt * a) / (1 + 0.5 * dt * xi)
        traj[k] = x
    return traj


def sph_density(x, m, h):
    rho = np.zeros(len(x))
    for i in range(len(x)):
        r = np.linalg.norm(x - x[i] + 1e-9, axis=1) / h
        w = np.where(r < 1, 1 - 1.5 * r**2 + 0.75 * r**3, np.where(r < 2, 0.25 * (2 - r) ** 3, 0.0))
        rho[i] = m @ w
    p = 0.1 * rho**1.4
    return p / rho**2


def angle_bend(xyz, triples, k0, t0):
    grad = np.zeros_like(xyz)
    energy = 0.0
    for t, (i, j, k) in enumerate(triples):
        a, b = xyz[i] - xyz[j], xyz[k] - xyz[j]
        la, lb = np.sqrt(a.dot(a)), np.sqrt(b.dot(b))
        c = a.dot(b) / (la * lb)
        theta = np.arccos(np.clip(c, -1.0, 1.0))
        dt = theta - t0[t]
        energy += 0.5 * k0[t] * dt * dt
        s = k0[t] * dt / -np.sqrt(1 - c * c)
        ga = s * (b / (la * lb) - c * a / la**2)
        gb = s * (a / (la * lb) - c * b / lb**2)
        grad[i] += ga
        grad[k] += gb
        grad[j] -= ga + gb
    return energy * grad


def langevin(x, v, noise, gamma, kT, dt):
    c1 = np.exp(-gamma * dt)
    c2 = np.sqrt(kT * (1 - c1 * c1))
    for xi in noise:
        f = -4 * x * (x**2 - 1)
        v += 0.5 * dt * f
        x += 0.5 * dt * v
        v *= c1
        v += c2 * xi
        x += 0.5 * dt * v
        v += 0.5 * dt * (-4 * x * (x**2 - 1))
    return x, v


def boids(pos, vel, steps):
    n = len(pos)
    for _ in range(steps):
        sep = np.zeros_like(pos)
        for i in range(n):
            others = np.arange(n) != i
            delta = pos[others] - pos[i]
            dist = np.sqrt((delta**2).sum(1))
            near = dist < 1.5
            if near.any():
                sep[i] -= (delta[near] / dist[near, None] ** 2).sum(axis=0)
                vel[i] += 0.1 * (vel[others][near].mean(axis=0) - vel[i])
        vel += 0.05 * sep + 0.01 * (pos.mean(0) - pos)
        speed = np.linalg.norm(vel, axis=1, keepdims=True)
        vel *= np.minimum(speed, 1.0) / speed
        pos += 0.1 * vel
    return pos


CASES = (
    case(cell_list_forces, lambda rng: (rng.random((6, 2)) * 4, 4.0, 1.3)),
    case(neighbour_list_lj, lambda rng: (rng.normal(size=(4, 3)), [(0, 1), (2, 1), (3, 0)], 0.5, 1.1)),
    case(
        shake,
        lambda rng: (
            rng.normal(size=(3, 3)),
            rng.normal(size=(3, 3)),
            1 + rng.random(3),
            [(0, 1), (1, 2)],
            [1.0, 1.2],
            2,
        ),
        of="pos",
    ),
    case(barnes_hut, lambda rng: (rng.normal(size=(5, 2)), 1 + rng.random(5), 0.7)),
    case(nose_hoover, lambda rng: (rng.normal(size=3), rng.normal(size=3), 1.0, 2.0, 0.1, 3)),
    case(sph_density, lambda rng: (rng.normal(size=(4, 2)), rng.random(4), 1.1)),
    case(
        angle_bend,
        lambda rng: (rng.normal(size=(4, 3)), [(0, 1, 2), (1, 2, 3)], rng.random(2), np.array([1.9, 2.0])),
    ),
    case(
        langevin, lambda rng: (rng.normal(size=2), rng.normal(size=2), rng.normal(size=(3, 2)), 1.0, 0.5, 0.1)
    ),
    case(boids, lambda rng: (rng.normal(size=(4, 2)), rng.normal(size=(4, 2)), 2)),
)

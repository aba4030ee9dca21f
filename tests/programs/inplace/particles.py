"""Particles and time integrators: forces into buffers, pairs in loops, masks, scatter, trajectories."""

import numpy as np

from ..case import case


def accelerations(pos, mass, G, soft):
    """All pairs by broadcasting; the diagonal is masked out."""
    d = pos[np.newaxis, :, :] - pos[:, np.newaxis, :]
    inv_r3 = np.sum(d**2, axis=-1) + soft**2
    inv_r3[inv_r3 > 0] = inv_r3[inv_r3 > 0] ** (-1.5)
    return G * np.einsum("ijk,ij,j->ik", d, inv_r3, mass)


def nbody_masked(pos, vel, mass, G, soft, dt, nt):
    acc = accelerations(pos, mass, G, soft)
    energy = np.zeros(nt + 1)
    energy[0] = 0.5 * np.sum(mass[:, None] * vel**2)
    for i in range(nt):
        vel += acc * dt / 2.0
        pos += vel * dt
        acc = accelerations(pos, mass, G, soft)
        vel += acc * dt / 2.0
        energy[i + 1] = 0.5 * np.sum(mass[:, None] * vel**2)
    return energy


def nbody_pairs(x, v, m, dt, steps):
    n = len(m)
    for _ in range(steps):
        for i in range(n):
            for j in range(i + 1, n):
                d = x[i] - x[j]
                mag = dt / np.sqrt(d @ d + 0.1) ** 3
                v[i] -= d * m[j] * mag
                v[j] += d * m[i] * mag
        for i in range(n):
            x[i] += dt * v[i]


def softened_potential(pos, charge):
    """Masked upper triangle: each pair once."""
    n = len(charge)
    r = np.sqrt(np.sum((pos[:, None] - pos[None]) ** 2, axis=2) + 0.05)
    energy = np.outer(charge, charge)
    energy /= r
    energy[np.tri(n, dtype=bool)] = 0.0
    return energy.sum()


def velocity_verlet(x, v, k, dt, n):
    """Duffing oscillators; the force array is allocated once and refilled by a helper."""
    def force(q, out):
        np.multiply(q, q, out=out)
        out *= q
        out += k * q
        np.negative(out, out=out)

    f = np.empty_like(x)
    force(x, f)
    for _ in range(n):
        v += 0.5 * dt * f
        x += dt * v
        force(x, f)
        v += 0.5 * dt * f
    return np.sum(v**2) + np.sum(x**4)


def leapfrog_trajectory(q0, p0, omega, dt, n):
    q, p = np.zeros(n + 1), np.zeros(n + 1)
    q[0] = q0
    p[0] = p0 - 0.5 * dt * omega**2 * np.sin(q0)
    for i in range(n):
        q[i + 1] = q[i] + dt * p[i]
        p[i + 1] = p[i] - dt * omega**2 * np.sin(q[i + 1])
    return q * p


def rk4_work_arrays(y, params, dt, n):
    """Lotka-Volterra with diffusion-free coupling; k1..k4 live in the rows of one work array."""
    a, b, c, d = params
    work = np.zeros((4, y.size))
    tmp = np.zeros_like(y)

    def rhs(state, out):
        out[0] = a * state[0] - b * state[0] * state[1]
        out[1] = d * state[0] * state[1] - c * state[1]

    for _ in range(n):
        rhs(y, work[0])
        tmp[:] = y + 0.5 * dt * work[0]
        rhs(tmp, work[1])
        tmp[:] = y + 0.5 * dt * work[1]
        rhs(tmp, work[2])
        tmp[:] = y + dt * work[2]
        rhs(tmp, work[3])
        y += dt / 6.0 * (work[0] + 2 * work[1] + 2 * work[2] + work[3])
    return y


def low_storage_rk(u, speed, dx, dt, steps):
    """Williamson's two-register scheme for periodic advection."""
    A = (0.0, -5.0 / 9.0, -153.0 / 128.0)
    B = (1.0 / 3.0, 15.0 / 16.0, 8.0 / 15.0)
    du = np.zeros_like(u)
    for _ in range(steps):
        for a, b in zip(A, B):
            du *= a
            du[1:-1] -= dt * speed * (u[2:] - u[:-2]) / (2 * dx)
            du[0] -= dt * speed * (u[1] - u[-1]) / (2 * dx)
            du[-1] -= dt * speed * (u[0] - u[-2]) / (2 * dx)
            u += b * du


def adams_bashforth(y0, lam, dt, n):
    """A history of slopes, newest first, shifted along each step."""
    y = y0.copy()
    history = np.tile(-lam * np.sin(y0), (3, 1))
    for _ in range(n):
        y += dt * (23 * history[0] - 16 * history[1] + 5 * history[2]) / 12
        history[1:] = history[:-1]
        history[0] = -lam * np.sin(y)
    return y


def spring_chain(x, v, k, rest, dt, n):
    for _ in range(n):
        f = np.zeros_like(x)
        for i in range(len(x) - 1):
            stretch = x[i + 1] - x[i] - rest
            f[i] += k * stretch
            f[i + 1] -= k * stretch
        f[0] = 0.0  # pinned
        v += dt * f
        v *= 0.99
        x += dt * v
    return x


def cloth(pos, edges, stiffness, dt, n):
    """Positions corrected edge by edge, as game engines do; the first row is nailed."""
    prev = pos.copy()
    for _ in range(n):
        new = 2 * pos - prev
        new[:, 1] -= dt * dt * 9.81
        prev[:] = pos
        pos[:] = new
        for i, j in edges:
            d = pos[j] - pos[i]
            length = np.sqrt(d.dot(d))
            corr = 0.5 * stiffness * (length - 1.0) / length * d
            pos[i] += corr
            pos[j] -= corr
        pos[0] = prev[0]


def particle_in_cell(x, v, q, ncell, dt, steps):
    """Charge to grid, potential by a few sweeps, field back to the particles."""
    phi = np.zeros(ncell)
    for _ in range(steps):
        rho = np.zeros(ncell)
        cell = np.floor(x).astype(int)
        frac = x - cell
        np.add.at(rho, cell % ncell, q * (1 - frac))
        np.add.at(rho, (cell + 1) % ncell, q * frac)
        rho -= rho.mean()
        for _ in range(3):
            phi[:] = 0.5 * (np.roll(phi, 1) + np.roll(phi, -1) + rho)
        field = 0.5 * (np.roll(phi, 1) - np.roll(phi, -1))
        v += dt * q * (field[cell % ncell] * (1 - frac) + field[(cell + 1) % ncell] * frac)
        x += dt * v
    return 0.5 * (v @ v) + phi @ rho


def bounce_in_box(x, v, restitution, dt, n):
    for _ in range(n):
        v[:, 1] -= 9.81 * dt
        x += v * dt
        below = x[:, 1] < 0.0
        x[below, 1] *= -restitution
        v[below, 1] *= -restitution
    return np.sum(x) + np.sum(v[:, 1] ** 2)


def monte_carlo_paths(s0, mu, sigma, strike, noise, dt):
    """Paths stored whole; an arithmetic Asian payoff."""
    paths = np.empty((noise.shape[0] + 1, noise.shape[1]))
    paths[0] = s0
    for t in range(noise.shape[0]):
        paths[t + 1] = paths[t] * np.exp((mu - 0.5 * sigma**2) * dt + sigma * np.sqrt(dt) * noise[t])
    payoff = paths[1:].mean(axis=0) - strike
    payoff[payoff < 0] = 0.0
    return np.exp(-mu * dt * len(noise)) * payoff.mean()


def heston_euler(s, var, kappa, theta, xi, z1, z2, dt):
    for k in range(z1.shape[0]):
        root = np.sqrt(np.maximum(var, 0.0))
        s *= np.exp(-0.5 * var * dt + root * np.sqrt(dt) * z1[k])
        var += kappa * (theta - var) * dt
        var += xi * root * np.sqrt(dt) * z2[k]


def binomial_option(s, k, r, sigma, steps):
    """The lattice folds over itself, one level a turn."""
    dt = 1.0 / steps
    up = np.exp(sigma * np.sqrt(dt))
    p = (np.exp(r * dt) - 1 / up) / (up - 1 / up)
    values = np.zeros(steps + 1)
    for i in range(steps + 1):
        values[i] = max(k - s * up ** (2.0 * i - steps), 0.0)
    for m in range(steps, 0, -1):
        for i in range(m):
            hold = np.exp(-r * dt) * (p * values[i + 1] + (1 - p) * values[i])
            exercise = k - s * up ** (2.0 * i - m + 1)
            values[i] = max(hold, exercise)
    return values[0]


def snapshots(u, rate, n, every):
    """A list of arrays, appended as the state evolves in place (hence the copies), then stacked."""
    frames = [u.copy()]
    for k in range(1, n + 1):
        u -= rate * u**3
        u[1:] += 0.1 * u[:-1]
        if k % every == 0:
            frames.append(u.copy())
    return np.stack(frames)


EDGES = ((0, 1), (1, 2), (2, 3), (3, 0), (0, 2))

CASES = (
    case(
        nbody_masked,
        lambda rng: (
            rng.normal(size=(4, 3)),
            rng.normal(size=(4, 3)),
            rng.uniform(1, 2, 4),
            1.0,
            0.4,
            0.05,
            3,
        ),
    ),
    case(
        nbody_pairs,
        lambda rng: (rng.normal(size=(4, 2)), rng.normal(size=(4, 2)), rng.uniform(1, 2, 4), 0.1, 3),
        of="x",
    ),
    case(softened_potential, lambda rng: (rng.normal(size=(4, 3)), rng.normal(size=4))),
    case(velocity_verlet, lambda rng: (rng.normal(size=4), rng.normal(size=4), 0.7, 0.1, 4)),
    case(leapfrog_trajectory, lambda rng: (0.8, -0.3, 1.4, 0.2, 6)),
    case(rk4_work_arrays, lambda rng: (np.array([1.2, 0.7]), (0.9, 0.6, 0.8, 0.5), 0.2, 3)),
    case(low_storage_rk, lambda rng: (rng.normal(size=5), 0.8, 0.5, 0.2, 2), of="u"),
    case(adams_bashforth, lambda rng: (rng.normal(size=3), 1.3, 0.1, 5)),
    case(
        spring_chain,
        lambda rng: (np.arange(5.0) + rng.normal(0, 0.1, 5), rng.normal(size=5), 2.0, 0.9, 0.1, 4),
    ),
    case(
        cloth,
        lambda rng: (
            np.array([[0.0, 0], [1, 0], [1, -1], [0, -1]]) + rng.normal(0, 0.1, (4, 2)),
            EDGES,
            0.6,
            0.1,
            2,
        ),
        of="pos",
        wrt=(0, 2, 3),
    ),
    case(
        particle_in_cell,
        lambda rng: (rng.uniform(0.3, 4.7, 6), rng.normal(0, 0.2, 6), rng.uniform(0.5, 1.5, 6), 5, 0.1, 2),
    ),
    case(bounce_in_box, lambda rng: (rng.uniform(0.1, 0.8, (4, 2)), rng.normal(size=(4, 2)), 0.8, 0.1, 5)),
    case(monte_carlo_paths, lambda rng: (1.0, 0.05, 0.3, 0.95, rng.normal(size=(4, 6)), 0.25)),
    case(
        heston_euler,
        lambda rng: (
            rng.uniform(1, 2, 4),
            rng.uniform(0.1, 0.3, 4),
            1.2,
            0.2,
            0.3,
            rng.normal(size=(3, 4)),
            rng.normal(size=(3, 4)),
            0.1,
        ),
        of="s",
    ),
    case(binomial_option, lambda rng: (1.0, 1.07, 0.04, 0.3, 5)),
    case(snapshots, lambda rng: (rng.normal(size=4), 0.2, 4, 2)),
)

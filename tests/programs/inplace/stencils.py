"""Structured grids, explicit and relaxed: slices, element loops, ghost cells, double and triple buffers."""

import numpy as np

from ..case import case


def heat_rod(u, alpha, steps):
    for _ in range(steps):
        u[1:-1] += alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2])


def heat_rod_layers(u, kappa, dt, dx, nt):
    """Rod of layered material, insulated ends. Returns the array it was given."""
    n = len(u)
    for _ in range(nt):
        un = u.copy()
        for i in range(1, n - 1):
            right = 0.5 * (kappa[i] + kappa[i + 1]) * (un[i + 1] - un[i])
            left = 0.5 * (kappa[i] + kappa[i - 1]) * (un[i] - un[i - 1])
            u[i] = un[i] + dt / dx**2 * (right - left)
        u[0] = u[1]
        u[-1] = u[-2]
    return u


def jacobi_1d(A, B, steps):
    for t in range(1, steps):
        B[1:-1] = (A[:-2] + A[1:-1] + A[2:]) / 3.0
        A[1:-1] = (B[:-2] + B[1:-1] + B[2:]) / 3.0


def jacobi_2d(grid, rhs, h, sweeps):
    """Two buffers, exchanged after each sweep."""
    old, new = grid, grid.copy()
    for _ in range(sweeps):
        new[1:-1, 1:-1] = 0.25 * (
            old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:] - h**2 * rhs[1:-1, 1:-1]
        )
        old, new = new, old
    return old


def gauss_seidel_2d(A, tsteps):
    N, M = A.shape
    for t in range(tsteps):
        for i in range(1, N - 1):
            for j in range(1, M - 1):
                A[i, j] = (
                    A[i - 1, j - 1] + A[i - 1, j] + A[i - 1, j + 1]
                    + A[i, j - 1] + A[i, j] + A[i, j + 1]
                    + A[i + 1, j - 1] + A[i + 1, j] + A[i + 1, j + 1]
                ) / 9.0


def gauss_seidel_rows(A, w):
    # what depends on the row above and below goes at once, the recurrence along the row goes one by one
    for i in range(1, A.shape[0] - 1):
        A[i, 1:-1] = (1 - w) * A[i, 1:-1] + 0.25 * w * (A[i - 1, 1:-1] + A[i + 1, 1:-1] + A[i, 2:])
        for j in range(1, A.shape[1] - 1):
            A[i, j] += 0.25 * w * A[i, j - 1]


def red_black_sor(u, f, omega, h, sweeps):
    for _ in range(sweeps):
        for colour in (0, 1):
            for i in range(1, u.shape[0] - 1):
                s = 1 + (i + colour) % 2
                around = u[i - 1, s:-1:2] + u[i + 1, s:-1:2] + u[i, s - 1 : -2 : 2] + u[i, s + 1 :: 2]
                u[i, s:-1:2] += omega * (0.25 * (around - h * h * f[i, s:-1:2]) - u[i, s:-1:2])
    return np.sum(u * f)


def heat_3d(A, B, nu, tsteps):
    def relax(src, dst):
        c = src[1:-1, 1:-1, 1:-1]
        dst[1:-1, 1:-1, 1:-1] = (
            nu * (src[2:, 1:-1, 1:-1] - 2.0 * c + src[:-2, 1:-1, 1:-1])
            + nu * (src[1:-1, 2:, 1:-1] - 2.0 * c + src[1:-1, :-2, 1:-1])
            + nu * (src[1:-1, 1:-1, 2:] - 2.0 * c + src[1:-1, 1:-1, :-2])
            + c
        )

    for _ in range(tsteps):
        relax(A, B)
        relax(B, A)


def wave_string(u0, speed, dt, steps):
    """Leapfrog with three buffers in rotation; left end fixed, right end free."""
    prev = u0.copy()
    cur = u0.copy()
    nxt = np.empty_like(u0)
    c2 = (speed * dt) ** 2
    for _ in range(steps):
        nxt[1:-1] = 2 * cur[1:-1] - prev[1:-1] + c2[1:-1] * (cur[2:] - 2 * cur[1:-1] + cur[:-2])
        nxt[0] = 0.0
        nxt[-1] = nxt[-2]
        prev, cur, nxt = cur, nxt, prev
    return np.sum(cur**2) + 0.5 * np.sum((cur - prev) ** 2)


def drum(z, vz, c, damping, dt, n):
    lap = np.zeros_like(z)
    for k in range(n):
        lap[1:-1, 1:-1] = z[2:, 1:-1] + z[:-2, 1:-1] + z[1:-1, 2:] + z[1:-1, :-2]
        lap[1:-1, 1:-1] -= 4 * z[1:-1, 1:-1]
        vz += dt * c**2 * lap
        vz *= 1.0 - damping * dt
        z += dt * vz
        z[[0, -1], :] = 0.0
        z[:, [0, -1]] = 0.0
    return z[2, 2] + 0.5 * (vz * vz).sum()


def advect_upwind(q, courant, inflow):
    # right to left: q[i - 1] is still the old one
    for entering in inflow:
        for i in range(len(q) - 1, 0, -1):
            q[i] -= courant * (q[i] - q[i - 1])
        q[0] = entering


def lax_wendroff_periodic(q, c, nt):
    for _ in range(nt):
        east, west = np.roll(q, -1), np.roll(q, 1)
        q[:] = q - 0.5 * c * (east - west) + 0.5 * c * c * (east - 2 * q + west)
    return q @ q


def fdtd_2d(ex, ey, hz, fict):
    for t in range(fict.shape[0]):
        ey[0, :] = fict[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


def fdtd_2d_loops(ex, ey, hz, source, ce, ch):
    nx, ny = hz.shape
    for s in source:
        for j in range(ny):
            ey[0, j] = s
        for i in range(1, nx):
            for j in range(ny):
                ey[i, j] = ey[i, j] - ce * (hz[i, j] - hz[i - 1, j])
        for i in range(nx):
            for j in range(1, ny):
                ex[i, j] = ex[i, j] - ce * (hz[i, j] - hz[i, j - 1])
        for i in range(nx - 1):
            for j in range(ny - 1):
                hz[i, j] = hz[i, j] - ch * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])
    return np.sum(hz**2) + ex[1, 2] * ey[2, 1]


def pulse_in_dielectric(eps, freq, nsteps):
    """1-D Maxwell with Mur absorbing ends, which remember a neighbour from before the update."""
    E = np.zeros(eps.size)
    H = np.zeros(eps.size - 1)
    seen = 0.0
    for t in range(nsteps):
        H += 0.5 * (E[1:] - E[:-1])
        left, right = E[1], E[-2]
        E[1:-1] += 0.5 / eps[1:-1] * (H[1:] - H[:-1])
        E[0] = left - (E[1] - E[0]) / 3.0
        E[-1] = right - (E[-2] - E[-1]) / 3.0
        E[2] += np.sin(freq * (t + 1))
        seen += E[-2] ** 2
    return seen


def wrap_ghosts(u):
    u[0, :] = u[-2, :]
    u[-1, :] = u[1, :]
    u[:, 0] = u[:, -2]
    u[:, -1] = u[:, 1]


def torus_diffusion(interior, nu, steps):
    """Ghost cells around a periodic square, refilled by a helper each step."""
    u = np.zeros((interior.shape[0] + 2, interior.shape[1] + 2))
    u[1:-1, 1:-1] = interior
    inner = u[1:-1, 1:-1]
    for _ in range(steps):
        wrap_ghosts(u)
        inner += nu * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * inner)
        inner -= 0.05 * inner**3
    return inner.copy()


def laplacian_into(f, out):
    out[...] = -4.0 * f
    out[1:] += f[:-1]
    out[:-1] += f[1:]
    out[:, 1:] += f[:, :-1]
    out[:, :-1] += f[:, 1:]
    # no flux through the rim
    out[0] += f[0]
    out[-1] += f[-1]
    out[:, 0] += f[:, 0]
    out[:, -1] += f[:, -1]


def gray_scott(U, V, F, k, steps):
    Lu, Lv, uvv = np.empty_like(U), np.empty_like(V), np.empty_like(U)
    for _ in range(steps):
        laplacian_into(U, Lu)
        laplacian_into(V, Lv)
        np.multiply(U, V, out=uvv)
        uvv *= V
        U += 0.16 * Lu - uvv + F * (1 - U)
        V += 0.08 * Lv + uvv - (F + k) * V
    return V.sum() - U[0, 0]


def edge_preserving_diffusion(img, kappa, lam, n):
    out = img.copy()
    for _ in range(n):
        dy = np.diff(out, axis=0)
        dx = np.diff(out, axis=1)
        dy *= np.exp(-((dy / kappa) ** 2))
        dx *= np.exp(-((dx / kappa) ** 2))
        out[:-1] += lam * dy
        out[1:] -= lam * dy
        out[:, :-1] += lam * dx
        out[:, 1:] -= lam * dx
    return out


def plate_with_hole(T, hole, t_hole, sweeps):
    for _ in range(sweeps):
        T[1:-1, 1:-1] = 0.25 * (T[1:-1, 2:] + T[1:-1, :-2] + T[2:, 1:-1] + T[:-2, 1:-1])
        T[hole] = t_hole


def disc(n):
    y, x = np.indices((n, n))
    return (x - 2) ** 2 + (y - 3) ** 2 <= 1


CASES = (
    case(heat_rod, lambda rng: (rng.normal(size=7), 0.3, 4), of="u"),
    case(heat_rod_layers, lambda rng: (rng.normal(size=6), rng.uniform(0.5, 1.5, 6), 0.1, 0.6, 3)),
    case(jacobi_1d, lambda rng: (rng.normal(size=6), rng.normal(size=6), 4), of="A"),
    case(jacobi_2d, lambda rng: (rng.normal(size=(5, 6)), rng.normal(size=(5, 6)), 0.4, 3)),
    case(gauss_seidel_2d, lambda rng: (rng.normal(size=(5, 4)), 2), of="A"),
    case(gauss_seidel_rows, lambda rng: (rng.normal(size=(5, 6)), 1.2), of="A"),
    case(red_black_sor, lambda rng: (rng.normal(size=(6, 5)), rng.normal(size=(6, 5)), 1.3, 0.5, 2)),
    case(heat_3d, lambda rng: (rng.normal(size=(4, 4, 5)), rng.normal(size=(4, 4, 5)), 0.12, 2), of="A"),
    case(wave_string, lambda rng: (rng.normal(size=7), rng.uniform(0.5, 1.5, 7), 0.5, 5)),
    case(drum, lambda rng: (rng.normal(size=(5, 5)), rng.normal(size=(5, 5)), 0.9, 0.2, 0.3, 3)),
    case(advect_upwind, lambda rng: (rng.normal(size=6), 0.4, rng.normal(size=4)), of="q"),
    case(lax_wendroff_periodic, lambda rng: (rng.normal(size=6), 0.6, 4)),
    case(fdtd_2d, lambda rng: (*rng.normal(size=(3, 4, 5)), rng.normal(size=3)), of="hz"),
    case(fdtd_2d_loops, lambda rng: (*rng.normal(size=(3, 4, 4)), rng.normal(size=2), 0.5, 0.7)),
    case(pulse_in_dielectric, lambda rng: (rng.uniform(1.0, 2.0, 8), 0.7, 10)),
    case(torus_diffusion, lambda rng: (rng.normal(size=(4, 4)), 0.1, 3)),
    case(gray_scott, lambda rng: (rng.uniform(0.5, 1, (4, 4)), rng.uniform(0, 0.5, (4, 4)), 0.04, 0.06, 3)),
    case(edge_preserving_diffusion, lambda rng: (rng.normal(size=(4, 5)), 1.1, 0.2, 2)),
    case(plate_with_hole, lambda rng: (rng.normal(size=(6, 6)), disc(6), 1.7, 3), of="T"),
)

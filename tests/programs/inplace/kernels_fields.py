"""Fields on grids: views of inner cells, ping-pong buffers, staggered grids, limiters, spectral steps."""

import numpy as np

from ..case import case


def minmod(a, b):
    return np.where(a * b > 0, np.where(np.abs(a) < np.abs(b), a, b), 0.0)


def adi_npbench(TSTEPS, N, u):
    v = np.empty(u.shape, dtype=u.dtype)
    p = np.empty(u.shape, dtype=u.dtype)
    q = np.empty(u.shape, dtype=u.dtype)
    DX = 1.0 / N
    DY = 1.0 / N
    DT = 1.0 / TSTEPS
    B1, B2 = 2.0, 1.0
    mul1 = B1 * DT / (DX * DX)
    mul2 = B2 * DT / (DY * DY)
    a = -mul1 / 2.0
    b = 1.0 + mul2
    c = a
    d = -mul2 / 2.0
    e = 1.0 + mul2
    f = d
    for t in range(1, TSTEPS + 1):
        v[0, 1 : N - 1] = 1.0
        p[1 : N - 1, 0] = 0.0
        q[1 : N - 1, 0] = v[0, 1 : N - 1]
        for j in range(1, N - 1):
            p[1 : N - 1, j] = -c / (a * p[1 : N - 1, j - 1] + b)
            q[1 : N - 1, j] = (
                -d * u[j, 0 : N - 2]
                + (1.0 + 2.0 * d) * u[j, 1 : N - 1]
                - f * u[j, 2:N]
                - a * q[1 : N - 1, j - 1]
            ) / (a * p[1 : N - 1, j - 1] + b)
        v[N - 1, 1 : N - 1] = 1.0
        for j in range(N - 2, 0, -1):
            v[j, 1 : N - 1] = p[1 : N - 1, j] * v[j + 1, 1 : N - 1] + q[1 : N - 1, j]
        u[1 : N - 1, 0] = 1.0
        p[1 : N - 1, 0] = 0.0
        q[1 : N - 1, 0] = u[1 : N - 1, 0]
        for j in range(1, N - 1):
            p[1 : N - 1, j] = -f / (d * p[1 : N - 1, j - 1] + e)
            q[1 : N - 1, j] = (
                -a * v[0 : N - 2, j]
                + (1.0 + 2.0 * a) * v[1 : N - 1, j]
                - c * v[2:N, j]
                - d * q[1 : N - 1, j - 1]
            ) / (d * p[1 : N - 1, j - 1] + e)
        u[1 : N - 1, N - 1] = 1.0
        for j in range(N - 2, 0, -1):
            u[1 : N - 1, j] = p[1 : N - 1, j] * u[1 : N - 1, j + 1] + q[1 : N - 1, j]


def ping_pong_slices(u, nu, n):
    inner = (slice(1, -1),) * u.ndim
    left, right = (slice(0, -2), slice(1, -1)), (slice(2, None), slice(1, -1))
    down, up = (slice(1, -1), slice(0, -2)), (slice(1, -1), slice(2, None))
    new = u.copy()
    for it in range(n):
        new[inner] = u[inner] + nu * (u[left] + u[right] + u[down] + u[up] - 4 * u[inner])
        u, new = new, u
    return u


def advect_weno5(u, c, n):
    eps = 1e-6
    for _ in range(n):
        um2, um1, u0, up1, up2 = [np.roll(u, s) for s in (2, 1, 0, -1, -2)]
        p0 = (2 * um2 - 7 * um1 + 11 * u0) / 6
        p1 = (-um1 + 5 * u0 + 2 * up1) / 6
        p2 = (2 * u0 + 5 * up1 - up2) / 6
        b0 = 13 / 12 * (um2 - 2 * um1 + u0) ** 2 + 0.25 * (um2 - 4 * um1 + 3 * u0) ** 2
        b1 = 13 / 12 * (um1 - 2 * u0 + up1) ** 2 + 0.25 * (um1 - up1) ** 2
        b2 = 13 / 12 * (u0 - 2 * up1 + up2) ** 2 + 0.25 * (3 * u0 - 4 * up1 + up2) ** 2
        a = np.stack([0.1 / (eps + b0) ** 2, 0.6 / (eps + b1) ** 2, 0.3 / (eps + b2) ** 2])
        a /= a.sum(axis=0)
        flux = a[0] * p0 + a[1] * p1 + a[2] * p2
        u = u - c * (flux - np.roll(flux, 1))
    return u


def muscl_euler(U, dx, dt, n, gamma=1.4):
    """Conservative variables in rows, ghost cells on both sides."""
    F = np.empty((3, U.shape[1] - 3))
    for _ in range(n):
        U[:, 0:2] = U[:, 2:3]
        U[:, -2:] = U[:, -3:-2]
        W = U.copy()
        W[1] /= W[0]
        W[2] = (gamma - 1) * (U[2] - 0.5 * U[1] * W[1])
        s = np.zeros_like(W)
        s[:, 1:-1] = minmod(W[:, 1:-1] - W[:, :-2], W[:, 2:] - W[:, 1:-1])
        wl = W[:, 1:-2] + 0.5 * s[:, 1:-2]
        wr = W[:, 2:-1] - 0.5 * s[:, 2:-1]

        def flux(w):
            E = w[2] / (gamma - 1) + 0.5 * w[0] * w[1] ** 2
            return np.array([w[0] * w[1], w[0] * w[1] ** 2 + w[2], w[1] * (E + w[2])]), np.array(
                [w[0], w[0] * w[1], E]
            )

        fl, ul = flux(wl)
        fr, ur = flux(wr)
        lam = np.maximum(
            np.abs(wl[1]) + np.sqrt(gamma * wl[2] / wl[0]), np.abs(wr[1]) + np.sqrt(gamma * wr[2] / wr[0])
        )
        F[...] = 0.5 * (fl + fr) - 0.5 * lam * (ur - ul)
        U[:, 2:-2] -= dt / dx * (F[:, 1:] - F[:, :-1])


def shallow_c_grid(h, u, v, g, dt, dx, n):
    H = h[1:-1, 1:-1]
    for _ in range(n):
        u[1:, :] -= g * dt / dx * (h[1:, :] - h[:-1, :])
        v[:, 1:] -= g * dt / dx * (h[:, 1:] - h[:, :-1])
        u[0, :] = 0
        v[:, 0] = 0.0
        H -= dt / dx * ((u[2:, 1:-1] - u[1:-1, 1:-1]) * H + (v[1:-1, 2:] - v[1:-1, 1:-1]) * H)
    return h


def yee_pml(eps, source, n):
    nx, ny = eps.shape
    Ez = np.zeros((nx, ny))
    Hx = np.zeros((nx, ny - 1))
    Hy = np.zeros((nx - 1, ny))
    sigma = np.zeros(nx)
    sigma[:2] = sigma[-2:] = 0.3
    damp = (1 / (1 + sigma))[:, None]
    probe = np.empty(n)
    for t in range(n):
        Hx -= 0.5 * np.diff(Ez, axis=1)
        Hy += 0.5 * np.diff(Ez, axis=0)
        curl = Ez[1:-1, 1:-1] * 0
        curl += Hy[1:, 1:-1]
        curl -= Hy[:-1, 1:-1]
        curl -= Hx[1:-1, 1:]
        curl += Hx[1:-1, :-1]
        Ez[1:-1, 1:-1] += 0.5 / eps[1:-1, 1:-1] * curl
        Ez *= damp
        Ez[nx // 2, ny // 2] += source[t]
        probe[t] = Ez[nx // 2 + 1, ny // 2]
    return probe


def barotropic_vorticity(w, dt, n):
    ny, nx = w.shape
    kx = np.fft.fftfreq(nx) * 2 * np.pi
    ky = np.fft.fftfreq(ny) * 2 * np.pi
    k2 = kx[None, :] ** 2 + ky[:, None] ** 2
    k2[0, 0] = 1.0
    for _ in range(n):
        wh = np.fft.fft2(w)
        ph = -wh / k2
        ph[0, 0] = 0
        u = -np.fft.ifft2(1j * ky[:, None] * ph).real
        v = np.real(np.fft.ifft2(1j * kx * ph))
        wx = np.fft.ifft2(1j * kx * wh).real
        wy = np.fft.ifft2(1j * ky[:, np.newaxis] * wh).real
        w = w - dt * (u * wx + v * wy)
    return w


def hydrology_kinematic(q, rain, a, b, dt):
    n_steps = rain.shape[0]
    out = np.zeros(n_steps)
    prev = np.zeros_like(q)
    for t in range(n_steps):
        prev[...] = q
        q[0] = 0.1
        for i in range(1, q.size):
            qa = 0.5 * (prev[i] + q[i - 1])
            q[i] = (q[i - 1] + a * b * prev[i] * qa ** (b - 1) + dt * rain[t]) / (1 + a * b * qa ** (b - 1))
        out[t] = q[-1]
    return out


def arakawa_jacobian(zeta, psi):
    def s(a, i, j):
        return np.roll(np.roll(a, -i, 0), -j, 1)

    J = np.zeros_like(zeta)
    J += (s(zeta, 1, 0) - s(zeta, -1, 0)) * (s(psi, 0, 1) - s(psi, 0, -1))
    J -= (s(zeta, 0, 1) - s(zeta, 0, -1)) * (s(psi, 1, 0) - s(psi, -1, 0))
    for i, j in [(1, 1), (-1, 1), (1, -1), (-1, -1)]:
        J += 0.1 * i * s(zeta, i, j) * s(psi, i, -j)
    J /= 12.0
    return J


def glacier_sia(H, bed, accum, dt, n):
    A, g = 1.0, 0.5
    D = np.zeros(len(H) - 1)
    flux = np.zeros(len(H) + 1)
    for k in range(n):
        s = bed + H
        slope = s[1:] - s[:-1]
        np.multiply(slope, slope, out=D)
        D *= A * g * (0.5 * (H[1:] + H[:-1])) ** 5
        np.negative(D, out=D)
        flux[1:-1] = D * slope
        H += dt * (accum - (flux[1:] - flux[:-1]))
        np.maximum(H, 0.0, out=H)
    return H.sum()


CASES = (
    case(adi_npbench, lambda rng: (2, 5, rng.normal(size=(5, 5))), of="u"),
    case(ping_pong_slices, lambda rng: (rng.normal(size=(5, 4)), 0.1, 3)),
    case(advect_weno5, lambda rng: (np.sin(np.arange(8.0)) + 0.1 * rng.normal(size=8), 0.3, 2)),
    case(
        muscl_euler,
        lambda rng: (
            np.stack([1 + 0.3 * rng.random(8), 0.3 * rng.normal(size=8), 2 + rng.random(8)]),
            1.0,
            0.1,
            2,
        ),
        of="U",
    ),
    case(
        shallow_c_grid,
        lambda rng: (
            1 + 0.1 * rng.random((4, 5)),
            0.1 * rng.normal(size=(4, 5)),
            0.1 * rng.normal(size=(4, 5)),
            1.0,
            0.1,
            1.0,
            3,
        ),
    ),
    case(yee_pml, lambda rng: (1 + rng.random((6, 5)), rng.normal(size=5), 5)),
    case(barotropic_vorticity, lambda rng: (rng.normal(size=(4, 6)), 0.1, 2)),
    case(hydrology_kinematic, lambda rng: (0.2 + rng.random(5), rng.random(4), 1.2, 0.6, 0.3)),
    case(arakawa_jacobian, lambda rng: (rng.normal(size=(4, 4)), rng.normal(size=(4, 4)))),
    case(glacier_sia, lambda rng: (0.5 + rng.random(6), rng.random(6), 0.1 * rng.normal(size=6), 0.01, 3)),
)

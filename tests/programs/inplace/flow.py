"""Flow and weather: pressure relaxed by callees, loops until steady, sweeps along columns, a V-cycle."""

import numpy as np

from ..case import case


def pressure_source(b, u, v, rho, dt, dx, dy):
    b[1:-1, 1:-1] = rho * (
        ((u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx) + (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dy)) / dt
        - ((u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx)) ** 2
        - 2 * ((u[2:, 1:-1] - u[:-2, 1:-1]) / (2 * dy) * (v[1:-1, 2:] - v[1:-1, :-2]) / (2 * dx))
        - ((v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dy)) ** 2
    )


def pressure_relax(p, b, dx, dy, iterations):
    pn = np.empty_like(p)
    for _ in range(iterations):
        pn[:] = p
        p[1:-1, 1:-1] = (
            (pn[1:-1, 2:] + pn[1:-1, :-2]) * dy**2
            + (pn[2:, 1:-1] + pn[:-2, 1:-1]) * dx**2
            - b[1:-1, 1:-1] * dx**2 * dy**2
        ) / (2 * (dx**2 + dy**2))
        p[:, -1] = p[:, -2]  # dp/dx = 0 at the right wall
        p[0, :] = p[1, :]    # dp/dy = 0 at the bottom
        p[:, 0] = p[:, 1]    # dp/dx = 0 at the left wall
        p[-1, :] = 0         # p = 0 under the lid


def lid_driven_cavity(u, v, p, rho, nu, lid, dt, nt):
    dx = 1.0 / (u.shape[1] - 1)
    dy = 1.0 / (u.shape[0] - 1)
    b = np.zeros_like(p)
    for _ in range(nt):
        un, vn = u.copy(), v.copy()
        pressure_source(b, u, v, rho, dt, dx, dy)
        pressure_relax(p, b, dx, dy, 3)
        for w, wn, dp in (
            (u, un, (p[1:-1, 2:] - p[1:-1, :-2]) / (2 * dx)),
            (v, vn, (p[2:, 1:-1] - p[:-2, 1:-1]) / (2 * dy)),
        ):
            w[1:-1, 1:-1] = (
                wn[1:-1, 1:-1]
                - un[1:-1, 1:-1] * dt / dx * (wn[1:-1, 1:-1] - wn[1:-1, :-2])
                - vn[1:-1, 1:-1] * dt / dy * (wn[1:-1, 1:-1] - wn[:-2, 1:-1])
                - dt / rho * dp
                + nu * dt / dx**2 * (wn[1:-1, 2:] - 2 * wn[1:-1, 1:-1] + wn[1:-1, :-2])
                + nu * dt / dy**2 * (wn[2:, 1:-1] - 2 * wn[1:-1, 1:-1] + wn[:-2, 1:-1])
            )
        u[0, :] = u[:, 0] = u[:, -1] = 0
        u[-1, :] = lid
        v[0, :] = v[-1, :] = v[:, 0] = v[:, -1] = 0
    return np.sum(u**2 + v**2)


def poisson_loops(p, b, dx, dy, nit):
    ny, nx = p.shape
    pd = np.zeros((ny, nx))
    for it in range(nit):
        for i in range(ny):
            for j in range(nx):
                pd[i, j] = p[i, j]
        for i in range(1, ny - 1):
            for j in range(1, nx - 1):
                p[i, j] = ((pd[i, j + 1] + pd[i, j - 1]) * dy**2 + (pd[i + 1, j] + pd[i - 1, j]) * dx**2
                           - b[i, j] * dx**2 * dy**2) / (2 * (dx**2 + dy**2))
        for j in range(nx):
            p[0, j] = 0
            p[ny - 1, j] = 0
        for i in range(ny):
            p[i, 0] = 0
            p[i, nx - 1] = 0
    return p


def channel_until_steady(u, force, nu, dt):
    """Driven channel, periodic along the stream; marches until the flow rate hardly changes."""
    ny, nx = u.shape
    dy = 2.0 / (ny - 1)
    change = 1.0
    steps = 0
    while change > 0.05 and steps < 50:
        un = u.copy()
        u[1:-1, 1:-1] = (
            un[1:-1, 1:-1]
            + nu * dt / dy**2 * (un[2:, 1:-1] - 2 * un[1:-1, 1:-1] + un[:-2, 1:-1])
            - dt * un[1:-1, 1:-1] * (un[1:-1, 1:-1] - un[1:-1, :-2])
            + force * dt
        )
        # the seam
        last = un[:, -1]
        u[1:-1, -1] = last[1:-1] + nu * dt / dy**2 * (last[2:] - 2 * last[1:-1] + last[:-2]) + force * dt
        u[1:-1, 0] = u[1:-1, -1]
        u[0, :] = 0
        u[-1, :] = 0
        change = abs(np.sum(u) - np.sum(un)) / np.sum(u)
        steps += 1
    return u.mean(axis=1)


def dam_break(h, hu, g, dt, dx, nt):
    """Shallow water, Lax-Friedrichs, reflecting walls."""
    hm = np.zeros_like(h)
    hum = np.zeros_like(hu)
    for n in range(nt):
        flux = hu**2 / h + 0.5 * g * h**2
        hm[1:-1] = 0.5 * (h[2:] + h[:-2]) - 0.5 * dt / dx * (hu[2:] - hu[:-2])
        hum[1:-1] = 0.5 * (hu[2:] + hu[:-2]) - 0.5 * dt / dx * (flux[2:] - flux[:-2])
        hm[0], hm[-1] = hm[1], hm[-2]
        hum[0], hum[-1] = -hum[1], -hum[-2]
        h[...], hu[...] = hm, hum
    return (h**2).sum() + hu[1] ** 2


def shallow_water_2d(eta, u, v, depth, dt, steps):
    """Staggered grid, forward-backward in time."""
    for _ in range(steps):
        u[1:-1, :] -= 9.81 * dt * (eta[1:, :] - eta[:-1, :])
        v[:, 1:-1] -= 9.81 * dt * (eta[:, 1:] - eta[:, :-1])
        total = depth + eta
        ue = np.zeros_like(u)
        ve = np.zeros_like(v)
        ue[1:-1, :] = 0.5 * (total[1:, :] + total[:-1, :]) * u[1:-1, :]
        ve[:, 1:-1] = 0.5 * (total[:, 1:] + total[:, :-1]) * v[:, 1:-1]
        eta -= dt * (ue[1:, :] - ue[:-1, :] + ve[:, 1:] - ve[:, :-1])


def thomas_inplace(lower, diag, upper, rhs):
    """Solves a tridiagonal system; destroys diag, leaves the solution in rhs."""
    n = rhs.shape[0]
    for i in range(1, n):
        m = lower[i - 1] / diag[i - 1]
        diag[i] -= m * upper[i - 1]
        rhs[i] -= m * rhs[i - 1]
    rhs[n - 1] /= diag[n - 1]
    for i in range(n - 2, -1, -1):
        rhs[i] = (rhs[i] - upper[i] * rhs[i + 1]) / diag[i]


def crank_nicolson(u, kappa, dt, steps):
    n = u.size
    r = 0.5 * kappa * dt
    off = np.full(n - 1, -r)
    for _ in range(steps):
        rhs = u.copy()
        rhs[1:-1] += r * (u[2:] - 2 * u[1:-1] + u[:-2])
        rhs[0] += r * (u[1] - 2 * u[0])
        rhs[-1] += r * (u[-2] - 2 * u[-1])
        thomas_inplace(off, np.full(n, 1 + 2 * r), off, rhs)
        u[:] = rhs


def adi_sweeps(u, a, tsteps):
    """Peaceman-Rachford: columns implicitly, then rows, with the recurrences p and q on the way out."""
    n = u.shape[0]
    v = np.zeros_like(u)
    p = np.zeros_like(u)
    q = np.zeros_like(u)
    b = 1.0 + a
    for t in range(tsteps):
        v[0, 1:-1] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = v[0, 1:-1]
        for j in range(1, n - 1):
            p[1:-1, j] = a / (2 * b - a * p[1:-1, j - 1])
            q[1:-1, j] = (a * u[j, :-2] + (1 - a) * u[j, 1:-1] + a * u[j, 2:] + a * q[1:-1, j - 1]) / (
                2 * b - a * p[1:-1, j - 1]
            )
        v[-1, 1:-1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + q[1:-1, j]
        u[1:-1, 0] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = u[1:-1, 0]
        for j in range(1, n - 1):
            p[1:-1, j] = a / (2 * b - a * p[1:-1, j - 1])
            q[1:-1, j] = (a * v[:-2, j] + (1 - a) * v[1:-1, j] + a * v[2:, j] + a * q[1:-1, j - 1]) / (
                2 * b - a * p[1:-1, j - 1]
            )
        u[1:-1, -1] = 1.0
        for j in range(n - 2, 0, -1):
            u[1:-1, j] = p[1:-1, j] * u[1:-1, j + 1] + q[1:-1, j]


def vertical_advection(field, tendency, wcon, dtr):
    """Implicit in the vertical: one tridiagonal solve per column of a 3-D field, all columns at once."""
    nk = field.shape[2]
    ccol = np.empty_like(field)
    dcol = np.empty_like(field)
    w = 0.25 * (wcon[1:, :, :] + wcon[:-1, :, :])

    cs = w[:, :, 1]
    ccol[:, :, 0] = cs
    dcol[:, :, 0] = dtr * field[:, :, 0] + tendency[:, :, 0] - cs * (field[:, :, 1] - field[:, :, 0])
    divided = 1.0 / (dtr - cs)
    ccol[:, :, 0] *= divided
    dcol[:, :, 0] *= divided

    for k in range(1, nk - 1):
        gav, gcv = -w[:, :, k], w[:, :, k + 1]
        here = field[:, :, k]
        correction = -gav * (field[:, :, k - 1] - here) - gcv * (field[:, :, k + 1] - here)
        ccol[:, :, k] = gcv
        dcol[:, :, k] = dtr * field[:, :, k] + tendency[:, :, k] + correction
        divided = 1.0 / (dtr - gav - gcv - ccol[:, :, k - 1] * gav)
        ccol[:, :, k] *= divided
        dcol[:, :, k] = (dcol[:, :, k] - dcol[:, :, k - 1] * gav) * divided

    gav = -w[:, :, nk - 1]
    dcol[:, :, nk - 1] = dtr * field[:, :, nk - 1] + tendency[:, :, nk - 1]
    dcol[:, :, nk - 1] -= dcol[:, :, nk - 2] * gav
    dcol[:, :, nk - 1] /= dtr - gav - ccol[:, :, nk - 2] * gav

    for k in range(nk - 2, -1, -1):
        dcol[:, :, k] -= ccol[:, :, k] * dcol[:, :, k + 1]
    tendency[...] = dtr * (dcol - field)


def limited_hdiff(data, out, coeff):
    """Fourth-order horizontal diffusion; a flux against the gradient is switched off."""
    lap = 4.0 * data[1:-1, 1:-1, :] - (
        data[2:, 1:-1, :] + data[:-2, 1:-1, :] + data[1:-1, 2:, :] + data[1:-1, :-2, :]
    )
    res = lap[1:, 1:-1, :] - lap[:-1, 1:-1, :]
    flx = np.where(res * (data[2:-1, 2:-2, :] - data[1:-2, 2:-2, :]) > 0, 0, res)
    res = lap[1:-1, 1:, :] - lap[1:-1, :-1, :]
    fly = np.where(res * (data[2:-2, 2:-1, :] - data[2:-2, 1:-2, :]) > 0, 0, res)
    out[:, :, :] = data[2:-2, 2:-2, :] - coeff * (
        flx[1:, :, :] - flx[:-1, :, :] + fly[:, 1:, :] - fly[:, :-1, :]
    )


def smooth_weighted_jacobi(u, f, h, n):
    for _ in range(n):
        r = f[1:-1] - (2 * u[1:-1] - u[:-2] - u[2:]) / h**2
        u[1:-1] += (h**2 / 3.0) * r


def v_cycle(u, f, h):
    if u.size <= 3:
        u[1] = 0.5 * (h * h * f[1] + u[0] + u[2])
        return
    smooth_weighted_jacobi(u, f, h, 2)
    residual = np.zeros_like(u)
    residual[1:-1] = f[1:-1] - (2 * u[1:-1] - u[:-2] - u[2:]) / h**2
    coarse = np.zeros(u.size // 2 + 1)
    coarse[1:-1] = 0.25 * (residual[1:-3:2] + 2 * residual[2:-2:2] + residual[3:-1:2])
    error = np.zeros_like(coarse)
    v_cycle(error, coarse, 2 * h)
    u[::2] += error
    u[1::2] += 0.5 * (error[1:] + error[:-1])
    smooth_weighted_jacobi(u, f, h, 1)


def multigrid_poisson(u, f, h):
    v_cycle(u, f, h)
    v_cycle(u, f, h)


CASES = (
    case(lid_driven_cavity, lambda rng: (*rng.normal(0, 0.2, size=(3, 5, 5)), 1.1, 0.1, 1.3, 0.02, 2)),
    case(poisson_loops, lambda rng: (rng.normal(size=(4, 5)), rng.normal(size=(4, 5)), 0.5, 0.6, 2)),
    case(channel_until_steady, lambda rng: (rng.uniform(0, 0.1, (5, 4)), 1.2, 0.4, 0.1)),
    case(dam_break, lambda rng: (rng.uniform(1, 2, 6), rng.normal(0, 0.2, 6), 9.8, 0.03, 0.5, 4)),
    case(
        shallow_water_2d,
        lambda rng: (
            rng.normal(0, 0.1, (4, 4)),
            rng.normal(size=(5, 4)),
            rng.normal(size=(4, 5)),
            rng.uniform(1, 2, (4, 4)),
            0.05,
            3,
        ),
        of="eta",
    ),
    case(
        thomas_inplace,
        lambda rng: (rng.normal(size=5), rng.uniform(4, 5, 6), rng.normal(size=5), rng.normal(size=6)),
        of="rhs",
    ),
    case(crank_nicolson, lambda rng: (rng.normal(size=6), 0.8, 0.4, 3), of="u"),
    case(adi_sweeps, lambda rng: (rng.normal(size=(5, 5)), 0.6, 2), of="u"),
    case(
        vertical_advection,
        lambda rng: (rng.normal(size=(2, 3, 5)), rng.normal(size=(2, 3, 5)), rng.normal(size=(3, 3, 5)), 3.0),
        of="tendency",
    ),
    case(
        limited_hdiff,
        lambda rng: (rng.normal(size=(6, 7, 2)), np.zeros((2, 3, 2)), rng.uniform(0.1, 0.3, (2, 3, 2))),
        of="out",
    ),
    case(multigrid_poisson, lambda rng: (rng.normal(size=9), rng.normal(size=9), 0.125), of="u"),
)

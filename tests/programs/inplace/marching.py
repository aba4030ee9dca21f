"""Codes that march in time: weather stencils, lattice Boltzmann, finite volumes, stable fluids."""

import numpy as np

from ..case import case


def hdiff(in_field, out_field, coeff):
    I, J = out_field.shape[0], out_field.shape[1]
    lap_field = 4.0 * in_field[1 : I + 3, 1 : J + 3, :] - (
        in_field[2 : I + 4, 1 : J + 3, :]
        + in_field[0 : I + 2, 1 : J + 3, :]
        + in_field[1 : I + 3, 2 : J + 4, :]
        + in_field[1 : I + 3, 0 : J + 2, :]
    )
    res = lap_field[1:, 1 : J + 1, :] - lap_field[:-1, 1 : J + 1, :]
    flx_field = np.where(
        (res * (in_field[2 : I + 3, 2 : J + 2, :] - in_field[1 : I + 2, 2 : J + 2, :])) > 0, 0, res
    )
    res = lap_field[1 : I + 1, 1:, :] - lap_field[1 : I + 1, :-1, :]
    fly_field = np.where(
        (res * (in_field[2 : I + 2, 2 : J + 3, :] - in_field[2 : I + 2, 1 : J + 2, :])) > 0, 0, res
    )
    out_field[:, :, :] = in_field[2 : I + 2, 2 : J + 2, :] - coeff[:, :, :] * (
        flx_field[1:, :, :] - flx_field[:-1, :, :] + fly_field[:, 1:, :] - fly_field[:, :-1, :]
    )


BET_M = 0.5

BET_P = 0.5


def vadv(utens_stage, u_stage, wcon, u_pos, utens, dtr_stage):
    I, J, K = utens_stage.shape[0], utens_stage.shape[1], utens_stage.shape[2]
    ccol = np.ndarray((I, J, K), dtype=utens_stage.dtype)
    dcol = np.ndarray((I, J, K), dtype=utens_stage.dtype)
    data_col = np.ndarray((I, J), dtype=utens_stage.dtype)
    for k in range(1):
        gcv = 0.25 * (wcon[1:, :, k + 1] + wcon[:-1, :, k + 1])
        cs = gcv * BET_M
        ccol[:, :, k] = gcv * BET_P
        bcol = dtr_stage - ccol[:, :, k]
        correction_term = -cs * (u_stage[:, :, k + 1] - u_stage[:, :, k])
        dcol[:, :, k] = dtr_stage * u_pos[:, :, k] + utens[:, :, k] + utens_stage[:, :, k] + correction_term
        divided = 1.0 / bcol
        ccol[:, :, k] = ccol[:, :, k] * divided
        dcol[:, :, k] = dcol[:, :, k] * divided
    for k in range(1, K - 1):
        gav = -0.25 * (wcon[1:, :, k] + wcon[:-1, :, k])
        gcv = 0.25 * (wcon[1:, :, k + 1] + wcon[:-1, :, k + 1])
        as_ = gav * BET_M
        cs = gcv * BET_M
        acol = gav * BET_P
        ccol[:, :, k] = gcv * BET_P
        bcol = dtr_stage - acol - ccol[:, :, k]
        correction_term = -as_ * (u_stage[:, :, k - 1] - u_stage[:, :, k]) - cs * (
            u_stage[:, :, k + 1] - u_stage[:, :, k]
        )
        dcol[:, :, k] = dtr_stage * u_pos[:, :, k] + utens[:, :, k] + utens_stage[:, :, k] + correction_term
        divided = 1.0 / (bcol - ccol[:, :, k - 1] * acol)
        ccol[:, :, k] = ccol[:, :, k] * divided
        dcol[:, :, k] = (dcol[:, :, k] - (dcol[:, :, k - 1]) * acol) * divided
    for k in range(K - 1, K):
        gav = -0.25 * (wcon[1:, :, k] + wcon[:-1, :, k])
        as_ = gav * BET_M
        acol = gav * BET_P
        bcol = dtr_stage - acol
        correction_term = -as_ * (u_stage[:, :, k - 1] - u_stage[:, :, k])
        dcol[:, :, k] = dtr_stage * u_pos[:, :, k] + utens[:, :, k] + utens_stage[:, :, k] + correction_term
        divided = 1.0 / (bcol - ccol[:, :, k - 1] * acol)
        dcol[:, :, k] = (dcol[:, :, k] - (dcol[:, :, k - 1]) * acol) * divided
    for k in range(K - 1, K - 2, -1):
        datacol = dcol[:, :, k]
        data_col[:] = datacol
        utens_stage[:, :, k] = dtr_stage * (datacol - u_pos[:, :, k])
    for k in range(K - 2, -1, -1):
        datacol = dcol[:, :, k] - ccol[:, :, k] * data_col[:, :]
        data_col[:] = datacol
        utens_stage[:, :, k] = dtr_stage * (datacol - u_pos[:, :, k])


def lbm_step(f, omega, steps):
    cx = np.array([0, 1, 0, -1, 0, 1, -1, -1, 1])
    cy = np.array([0, 0, 1, 0, -1, 1, 1, -1, -1])
    w = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)
    for _ in range(steps):
        for i, (dx, dy) in enumerate(zip(cx, cy)):
            f[i] = np.roll(f[i], dx, axis=0)
            f[i] = np.roll(f[i], dy, axis=1)
        rho = np.sum(f, axis=0)
        ux = np.sum(f * cx[:, None, None], axis=0) / rho
        uy = np.sum(f * cy[:, None, None], axis=0) / rho
        feq = np.zeros(f.shape)
        for i, dx, dy, wi in zip(range(9), cx, cy, w):
            cu = dx * ux + dy * uy
            feq[i] = rho * wi * (1 + 3 * cu + 9 * cu**2 / 2 - 3 * (ux**2 + uy**2) / 2)
        f += -omega * (f - feq)
    return f


def lbm_bounce(F, cylinder, tau):
    cxs = np.array([0, 0, 1, 1, 1, 0, -1, -1, -1])
    cys = np.array([0, 1, 1, 0, -1, -1, -1, 0, 1])
    weights = np.array([4 / 9, 1 / 9, 1 / 36, 1 / 9, 1 / 36, 1 / 9, 1 / 36, 1 / 9, 1 / 36])
    idxs = np.arange(9)
    for it in range(2):
        for i, cx, cy in zip(idxs, cxs, cys):
            F[:, :, i] = np.roll(F[:, :, i], cx, axis=1)
            F[:, :, i] = np.roll(F[:, :, i], cy, axis=0)
        bndryF = F[cylinder, :]
        bndryF = bndryF[:, [0, 5, 6, 7, 8, 1, 2, 3, 4]]
        rho = np.sum(F, 2)
        ux = np.sum(F * cxs, 2) / rho
        uy = np.sum(F * cys, 2) / rho
        Feq = np.zeros(F.shape)
        for i, cx, cy, w in zip(idxs, cxs, cys, weights):
            Feq[:, :, i] = (
                rho
                * w
                * (1 + 3 * (cx * ux + cy * uy) + 9 * (cx * ux + cy * uy) ** 2 / 2 - 3 * (ux**2 + uy**2) / 2)
            )
        F += -(1.0 / tau) * (F - Feq)
        F[cylinder, :] = bndryF
        ux[cylinder] = 0
        uy[cylinder] = 0
    vorticity = (np.roll(ux, -1, axis=0) - np.roll(ux, 1, axis=0)) - (
        np.roll(uy, -1, axis=1) - np.roll(uy, 1, axis=1)
    )
    vorticity[cylinder] = 0.0
    return vorticity


def lax_friedrichs_euler(U, gamma, dx, dt, n):
    F = np.zeros_like(U)
    for _ in range(n):
        rho, m, E = U
        u = m / rho
        p = (gamma - 1) * (E - 0.5 * rho * u**2)
        F[0] = m
        F[1] = m * u + p
        F[2] = u * (E + p)
        U[:, 1:-1] = 0.5 * (U[:, 2:] + U[:, :-2]) - dt / (2 * dx) * (F[:, 2:] - F[:, :-2])
        U[:, 0] = U[:, 1]
        U[:, -1] = U[:, -2]
    return U


def godunov_burgers(u, dt, dx, nt):
    un = np.empty_like(u)
    for n in range(nt):
        un[:] = u
        for i in range(1, len(u) - 1):
            if un[i] > 0:
                flux_l = un[i - 1] ** 2 / 2
                flux_r = un[i] ** 2 / 2
            else:
                flux_l = un[i] ** 2 / 2
                flux_r = un[i + 1] ** 2 / 2
            u[i] = un[i] - dt / dx * (flux_r - flux_l)


def minmod(a, b):
    return 0.5 * (np.sign(a) + np.sign(b)) * np.minimum(np.abs(a), np.abs(b))


def muscl(q, dt, dx, nt=2, *, limiter=minmod):
    nx = q.size
    g = np.zeros(nx + 4)
    for _ in range(nt):
        g[2:-2] = q
        g[:2] = q[-2:]
        g[-2:] = q[:2]
        s = limiter(g[1:-1] - g[:-2], g[2:] - g[1:-1])
        left = g[1:-1] + 0.5 * s
        flux = left**2 / 2 + left
        q -= dt / dx * (flux[1:-1] - flux[:-2])
    return q


def stream_vorticity(w, psi, nu, dt, h, steps):
    N = w.shape[0]
    for step in range(steps):
        for it in range(3):
            err = 0.0
            for i in range(1, N - 1):
                for j in range(1, N - 1):
                    old = psi[i, j]
                    psi[i, j] += (
                        1.5
                        * 0.25
                        * (
                            psi[i + 1, j]
                            + psi[i - 1, j]
                            + psi[i, j + 1]
                            + psi[i, j - 1]
                            + h * h * w[i, j]
                            - 4 * psi[i, j]
                        )
                    )
                    err += abs(psi[i, j] - old)
            if err <= 0.001:
                break
        w[1:-1, 0] = -2.0 * psi[1:-1, 1] / (h * h)
        w[1:-1, -1] = -2.0 * psi[1:-1, -2] / (h * h)
        w[0, 1:-1] = -2.0 * psi[1, 1:-1] / (h * h)
        w[-1, 1:-1] = -2.0 * psi[-2, 1:-1] / (h * h) - 2.0 / h
        rhs = np.zeros_like(w)
        for i in range(1, N - 1):
            for j in range(1, N - 1):
                rhs[i, j] = -0.25 * (
                    (psi[i, j + 1] - psi[i, j - 1]) * (w[i + 1, j] - w[i - 1, j])
                    - (psi[i + 1, j] - psi[i - 1, j]) * (w[i, j + 1] - w[i, j - 1])
                ) / (h * h) + nu * (w[i + 1, j] + w[i - 1, j] + w[i, j + 1] + w[i, j - 1] - 4.0 * w[i, j]) / (
                    h * h
                )
        w[1:-1, 1:-1] += dt * rhs[1:-1, 1:-1]


def f(*shape):
    return lambda rng: rng.normal(size=shape)


CASES = (
    case(
        hdiff,
        lambda rng: (rng.normal(size=(7, 7, 2)), np.zeros((3, 3, 2)), rng.normal(size=(3, 3, 2))),
        of="out_field",
    ),
    case(
        vadv,
        lambda rng: (
            *(rng.normal(size=(2, 3, 4)) for _ in range(2)),
            rng.normal(size=(3, 3, 4)),
            rng.normal(size=(2, 3, 4)),
            rng.normal(size=(2, 3, 4)),
            3.0,
        ),
        of="utens_stage",
    ),
    case(lbm_step, lambda rng: (1 + rng.random(size=(9, 3, 4)), 0.7, 2)),
    case(lbm_bounce, lambda rng: (1 + rng.random(size=(3, 4, 9)), rng.random((3, 4)) > 0.7, 0.6)),
    case(
        lax_friedrichs_euler,
        lambda rng: (
            np.array([1 + rng.random(6), rng.normal(size=6) * 0.1, 2 + rng.random(6)]),
            1.4,
            0.1,
            0.01,
            3,
        ),
    ),
    case(godunov_burgers, lambda rng: (rng.normal(size=7), 0.02, 0.1, 3), of="u"),
    case(muscl, lambda rng: (rng.normal(size=7), 0.02, 0.1)),
    case(
        stream_vorticity,
        lambda rng: (rng.normal(size=(5, 5)), rng.normal(size=(5, 5)), 0.1, 0.01, 0.25, 2),
        of="w",
    ),
)

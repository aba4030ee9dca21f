"""Loops whose length the data decides, and stores that only some paths make."""

import numpy as np

from ..case import case


def gated_stores(x):
    """stores under conditions that later reads depend on."""
    a = np.zeros(len(x))
    last = 1.0
    for i, v in enumerate(x):
        d = np.exp(0.3 * v)
        if v > 0:
            a[i] = d
            last = a[i] * last
        elif v < -0.5:
            a[i - 1] = d
        last = last + d * a[i - 1]
    return last


def fluxes_of_two_fields(h, q, dt):
    flux = np.zeros((2, len(h) + 1))
    for step in range(2):
        for U, F in zip((h, q), flux):
            F[1:-1] = 0.5 * (U[1:] + U[:-1])
            F[0], F[-1] = F[1], F[-2]
        flux[1] **= 2
        flux[1] /= flux[0]
        for U, F in zip((h, q), flux):
            U -= dt * np.diff(F)
    return h, q


def ghosts_around_a_window(img):
    pad = np.zeros((img.shape[0] + 2, img.shape[1] + 2))
    inner = pad[1:-1, 1:-1]
    inner[:] = img
    for _ in range(2):
        pad[0], pad[-1] = pad[1], pad[-2]
        pad[:, 0], pad[:, -1] = pad[:, 1], pad[:, -2]
        inner += 0.1 * (pad[2:, 1:-1] + pad[:-2, 1:-1] + pad[1:-1, 2:] + pad[1:-1, :-2] - 4 * inner) * inner
    return inner


def products_of_others(x):
    prod = np.ones_like(x)
    for i in range(len(x)):
        m = np.arange(len(x)) != i
        prod[i] = np.prod(x[m])
        prod[~m] += x[i]
        x[m] += 0.1 * prod[i]
    return prod


def blocked_product(A, B):
    C = np.zeros_like(A)
    bs = 2
    n = len(A)
    for ii in range(0, n, bs):
        for jj in range(0, n, bs):
            blk = C[ii : ii + bs, jj : jj + bs]
            for kk in range(0, n, bs):
                blk += A[ii : ii + bs, kk : kk + bs] @ B[kk : kk + bs, jj : jj + bs]
            if ii == jj:
                np.fill_diagonal(blk, 1.0)
    return C


def bisection_then_newton(x):
    lo, hi = 0.0, 4.0
    for _ in range(40):
        mid = 0.5 * (lo + hi)
        if mid**3 + mid < x:
            lo = mid
        else:
            hi = mid
    r = 0.5 * (lo + hi)
    for _ in range(2):
        r -= (r**3 + r - x) / (3 * r**2 + 1)
    return r


def adaptive_heun(t, y, rtol):
    h = 0.3
    t_end = 1.0
    out = [y]
    while t < t_end:
        if t + h > t_end:
            h = t_end - t
        k1 = -y * y + np.sin(t)
        k2 = -((y + h * k1) ** 2) + np.sin(t + h)
        err = abs(0.5 * h * (k2 - k1))
        if err > rtol:
            h *= 0.5
            continue
        y = y + 0.5 * h * (k1 + k2)
        t += h
        out.append(y)
        if err < 0.1 * rtol:
            h *= 1.5
    return np.array(out)[-1] * out[1]


def kepler(M, e):
    E = M if e < 0.8 else np.pi
    for _ in range(30):
        dE = (E - e * np.sin(E) - M) / (1 - e * np.cos(E))
        E -= dE
        if abs(dE) < 1e-14:
            break
    nu = 2 * np.arctan2(np.sqrt(1 + e) * np.sin(E / 2), np.sqrt(1 - e) * np.cos(E / 2))
    return nu, 1 - e * np.cos(E)


def durand_kerner(c, iters):
    n = len(c) - 1
    re = np.cos(0.4 + np.arange(n)) * 0.9
    im = np.sin(0.4 + np.arange(n)) * 0.9
    for _ in range(iters):
        for i in range(n):
            pr, pi = c[0], 0.0
            for k in range(1, n + 1):
                pr, pi = pr * re[i] - pi * im[i] + c[k], pr * im[i] + pi * re[i]
            qr, qi = c[0], 0.0
            for j in range(n):
                if j != i:
                    dr, di = re[i] - re[j], im[i] - im[j]
                    qr, qi = qr * dr - qi * di, qr * di + qi * dr
            den = qr * qr + qi * qi
            re[i] -= (pr * qr + pi * qi) / den
            im[i] -= (pi * qr - pr * qi) / den
    return re, im


def de_casteljau_halves(P, t):
    Q = [p.copy() for p in P]
    left, right = [Q[0]], [Q[-1]]
    for r in range(1, len(Q)):
        for i in range(len(Q) - r):
            Q[i] = (1 - t) * Q[i] + t * Q[i + 1]
        left.append(Q[0])
        right.insert(0, Q[len(Q) - r - 1])
    return np.array(left), np.array(right)


def sphere_march(origins, dirs, centre, radius, steps):
    out = np.zeros(len(origins))
    for k, (o, d) in enumerate(zip(origins, dirs)):
        t = 0.0
        p = o.copy()
        for _ in range(steps):
            dist = np.sqrt(((p - centre) ** 2).sum()) - radius
            if dist < 1e-3:
                break
            t += dist
            p += dist * d
            if t > 10:
                t = 10.0
                break
        out[k] = t
    return out


def composite_ray(rgb, density, dt):
    T = 1.0
    col = np.zeros(3)
    for c, s in zip(rgb, density):
        a = 1 - np.exp(-s * dt)
        col += T * a * c
        T *= 1 - a
        if T < 1e-4:
            break
    return col + T


def direct_form(b, a, x):
    y = np.zeros_like(x)
    for n in range(len(x)):
        y[n] = np.dot(b[: min(n + 1, len(b))], x[n::-1][: len(b)])
        if n:
            m = min(n, len(a) - 1)
            y[n] -= np.dot(a[1 : m + 1], y[n - 1 :: -1][:m])
        y[n] /= a[0]
    return y


def mackey_glass_ring(tau, dt, n, x0):
    lag = round(1.0 / dt)
    buf = [x0] * lag
    x = x0
    for i in range(n):
        xd = buf[i % lag]
        buf[i % lag] = x
        x += dt * (0.2 * xd / (1 + xd**10) - tau * x)
    return x


def implicit_van_der_pol(y, n, h):
    J = np.zeros((2, 2))
    for _ in range(n):
        z = y.copy()
        for it in range(5):
            F = np.array([z[0] - y[0] - h * z[1], z[1] - y[1] - h * (5 * (1 - z[0] ** 2) * z[1] - z[0])])
            if np.max(np.abs(F)) < 1e-13:
                break
            J[0, 0], J[0, 1] = 1.0, -h
            J[1] = h * (10 * z[0] * z[1] + 1), 1 - 5 * h * (1 - z[0] ** 2)
            z -= np.linalg.solve(J, F)
        y[:] = z
    return y


def stored_on_one_path(x):
    a = np.zeros(len(x))
    for i in range(len(x)):
        d = np.sqrt(x[i])
        if i > 0:
            a[i] = a[i - 1] + d
        else:
            a[i] = d
    return a[-1]


def overwritten_on_one_path(x):
    a = np.zeros(len(x))
    for i in range(len(x)):
        d = np.exp(x[i])
        a[i] = 3 * d
        if x[i] > 0.5:
            a[i] = d
    return a[-1] + a[0]


CASES = (
    case(gated_stores, lambda rng: (np.array([0.3, -0.9, -0.2, 0.8, 0.1]),)),
    case(fluxes_of_two_fields, lambda rng: (2 + rng.random(4), rng.normal(size=4), 0.1)),
    case(ghosts_around_a_window, lambda rng: (rng.normal(size=(3, 3)),)),
    case(blocked_product, lambda rng: (rng.normal(size=(4, 4)), rng.normal(size=(4, 4)))),
    case(bisection_then_newton, lambda rng: (2.3,)),
    case(adaptive_heun, lambda rng: (0.0, 1.3, 0.02)),
    case(kepler, lambda rng: (0.8, 0.4)),
    case(durand_kerner, lambda rng: (np.array([1.0, -0.3, 0.4, 0.7]), 4)),
    case(de_casteljau_halves, lambda rng: ([rng.normal(size=2) for _ in range(4)], 0.3)),
    case(
        sphere_march,
        lambda rng: (rng.normal(size=(3, 3)) * 0.1 - 2, np.ones((3, 3)) / np.sqrt(3), np.zeros(3), 1.0, 3),
        wrt=(0, 1, 2, 3),
    ),
    case(composite_ray, lambda rng: (rng.random((4, 3)), rng.random(4), 0.3)),
    case(direct_form, lambda rng: (rng.normal(size=3), np.array([1.2, 0.3, 0.1]), rng.normal(size=5))),
    case(mackey_glass_ring, lambda rng: (0.1, 0.25, 9, 1.2)),
    case(implicit_van_der_pol, lambda rng: (rng.normal(size=2), 2, 0.1)),
    case(stored_on_one_path, lambda rng: (np.array([0.4, 0.9, 0.2]),)),
    case(overwritten_on_one_path, lambda rng: (np.array([0.4, 0.9, 0.2]),)),
    case(products_of_others, lambda rng: (rng.normal(size=4),)),
)

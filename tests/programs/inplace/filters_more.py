"""Signals, part two: transforms in place, lattice and adaptive filters, lifting, delay lines."""

import numpy as np

from ..case import case


def fft_inplace(re, im):
    n = len(re)
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j |= bit
        if i < j:
            re[i], re[j] = re[j], re[i]
            im[i], im[j] = im[j], im[i]
    size = 2
    while size <= n:
        ang = -2 * np.pi / size
        wr, wi = np.cos(ang), np.sin(ang)
        for i in range(0, n, size):
            cr, ci = 1.0, 0.0
            for k in range(size // 2):
                a, b = i + k, i + k + size // 2
                tr = cr * re[b] - ci * im[b]
                ti = cr * im[b] + ci * re[b]
                re[b] = re[a] - tr
                im[b] = im[a] - ti
                re[a] += tr
                im[a] += ti
                cr, ci = cr * wr - ci * wi, cr * wi + ci * wr
        size <<= 1
    return re**2 + im**2


def four1(data):
    """Numerical Recipes' four1 with interleaved numbers."""
    nn = len(data) // 2
    n = nn << 1
    j = 1
    for i in range(1, n, 2):
        if j > i:
            data[j - 1], data[i - 1] = data[i - 1], data[j - 1]
            data[j], data[i] = data[i], data[j]
        m = nn
        while m >= 2 and j > m:
            j -= m
            m >>= 1
        j += m
    mmax = 2
    while n > mmax:
        istep = mmax << 1
        theta = 6.28318530717959 / mmax
        wtemp = np.sin(0.5 * theta)
        wpr = -2.0 * wtemp * wtemp
        wpi = np.sin(theta)
        wr, wi = 1.0, 0.0
        for m in range(1, mmax, 2):
            for i in range(m, n + 1, istep):
                j = i + mmax
                tempr = wr * data[j - 1] - wi * data[j]
                tempi = wr * data[j] + wi * data[j - 1]
                data[j - 1] = data[i - 1] - tempr
                data[j] = data[i] - tempi
                data[i - 1] += tempr
                data[i] += tempi
            wr, wi = (wtemp := wr) * wpr - wi * wpi + wr, wi * wpr + wtemp * wpi + wi
        mmax = istep


def biquad_df2t(x, sos):
    y = x
    for b0, b1, b2, a0, a1, a2 in sos:
        z1 = z2 = 0.0
        out = np.empty_like(y)
        for n, xn in enumerate(y):
            yn = (b0 * xn + z1) / a0
            z1 = b1 * xn - a1 * yn + z2
            z2 = b2 * xn - a2 * yn
            out[n] = yn
        y = out
    return y


def lattice_filter(x, k):
    m = len(k)
    g = np.zeros(m + 1)
    f = np.zeros(m + 1)
    y = np.zeros_like(x)
    for n in range(len(x)):
        f[m] = x[n]
        for i in range(m, 0, -1):
            f[i - 1] = f[i] - k[i - 1] * g[i - 1]
            g[i] = k[i - 1] * f[i - 1] + g[i - 1]
        g[0] = f[0]
        y[n] = g[m]
    return y


def rls(x, d, lam, delta, order):
    w = np.zeros(order)
    P = np.eye(order) / delta
    u = np.zeros(order)
    e = np.zeros(len(x))
    for n in range(len(x)):
        u[1:] = u[:-1]
        u[0] = x[n]
        Pu = P @ u
        k = Pu / (lam + u @ Pu)
        e[n] = d[n] - w @ u
        w += k * e[n]
        P = (P - np.outer(k, Pu)) / lam
        P[:] = 0.5 * (P + P.T)
    return e


def nlms(x, d, mu, taps=3, eps=1e-3):
    w = [0.0] * taps
    out = []
    for n in range(taps, len(x)):
        window = x[n - taps : n][::-1]
        y = sum(wi * xi for wi, xi in zip(w, window))
        err = d[n] - y
        power = eps + sum(xi**2 for xi in window)
        for i in range(taps):
            w[i] += mu * err * window[i] / power
        out.append(err)
    return np.array(out)


def goertzel(samples, freqs, rate):
    powers = np.zeros(len(freqs))
    for idx, f in enumerate(freqs):
        w = 2.0 * np.pi * f / rate
        coeff = 2.0 * np.cos(w)
        q1 = q2 = 0.0
        for s in samples:
            q0 = coeff * q1 - q2 + s
            q2, q1 = q1, q0
        powers[idx] = q1**2 + q2**2 - q1 * q2 * coeff
    return powers


def cdf97(x):
    """CDF 9/7 forward lifting in place."""
    n = len(x)
    for a, first in ((-1.586134342, 1), (-0.05298011854, 0), (0.8829110762, 1), (0.4435068522, 0)):
        for i in range(first, n, 2):
            left = x[i - 1] if i > 0 else x[i + 1]
            right = x[i + 1] if i < n - 1 else x[i - 1]
            x[i] += a * (left + right)
    k = 1.149604398
    x[1::2] *= k
    x[::2] /= k
    tmp = np.zeros_like(x)
    h = (n + 1) // 2
    for i in range(n):
        if i % 2 == 0:
            tmp[i // 2] = x[i]
        else:
            tmp[h + i // 2] = x[i]
    x[:] = tmp


def polyphase_decimate(x, h, M):
    L = len(h) // M
    E = h.reshape(L, M).T
    n = len(x) // M
    y = np.zeros(n)
    for p in range(M):
        branch = x[(M - p) % M :: M] if p else x[::M]
        branch = branch[:n]
        acc = np.zeros(len(branch) + L - 1)
        for i, c in enumerate(E[p]):
            acc[i : i + len(branch)] += c * branch
        y[: len(branch)] += acc[: len(branch)]
    return y


def agc(x, target, rate):
    gain = 1.0
    y = []
    for v in x:
        o = gain * v
        y.append(o)
        level = abs(o)
        if level > target:
            gain *= 1 - rate
        else:
            gain += rate * (target - level)
    return np.asarray(y)


def comb_allpass_reverb(x, gains, delays):
    out = np.zeros_like(x)
    for g, d in zip(gains, delays):
        buf = [0.0] * d
        pos = 0
        for i in range(len(x)):
            y = buf[pos]
            buf[pos] = x[i] + g * y
            pos = (pos + 1) % d
            out[i] += y
    ap = np.zeros(2)
    for i in range(len(out)):
        bufout = ap[i % 2]
        inp = out[i]
        out[i] = bufout - 0.5 * inp
        ap[i % 2] = inp + 0.5 * bufout
    return out


def overlap_add(frames, win, hop):
    k, n = frames.shape
    out = np.zeros((k - 1) * hop + n)
    norm = np.zeros_like(out)
    for i in range(k):
        seg = slice(i * hop, i * hop + n)
        out[seg] += frames[i] * win
        norm[seg] += win**2
    nz = norm > 1e-10
    out[nz] /= norm[nz]
    return out


def phase_locked_loop(x, kp, ki, f0):
    phase = 0.0
    integ = 0.0
    ph = np.zeros(len(x) + 1)
    for n in range(len(x)):
        e = x[n] * np.cos(phase)
        integ += ki * e
        phase += 2 * np.pi * f0 + kp * e + integ
        phase = phase % (2 * np.pi)
        ph[n + 1] = phase
    return ph


def median3_smooth(x):
    y = x.copy()
    for i in range(1, len(x) - 1):
        a, b, c = x[i - 1 : i + 2]
        y[i] = max(min(a, b), min(max(a, b), c))
    return y


def unscented(m, P, kappa):
    n = len(m)
    L = np.linalg.cholesky((n + kappa) * P)
    pts = np.tile(m, (2 * n + 1, 1))
    for i in range(n):
        pts[1 + i] += L[:, i]
        pts[1 + n + i] -= L[:, i]
    w = np.full(2 * n + 1, 0.5 / (n + kappa))
    w[0] = kappa / (n + kappa)
    Y = np.empty_like(pts)
    for p, y in zip(pts, Y):
        y[0] = p[0] * np.cos(p[1])
        y[1] = p[0] * np.sin(p[1])
    mean = w @ Y
    d = Y - mean
    return mean * ((w[:, None] * d).T @ d)


SOS = np.array([[1.0, 0.3, 0.1, 1.1, -0.2, 0.1], [0.7, 0.1, 0.2, 0.9, 0.3, 0.05]])


CASES = (
    case(fft_inplace, lambda rng: (rng.normal(size=8), rng.normal(size=8))),
    case(four1, lambda rng: (rng.normal(size=16),), of="data"),
    case(biquad_df2t, lambda rng: (rng.normal(size=6), SOS.copy())),
    case(lattice_filter, lambda rng: (rng.normal(size=6), 0.5 * rng.random(3))),
    case(rls, lambda rng: (rng.normal(size=6), rng.normal(size=6), 0.95, 0.5, 2)),
    case(nlms, lambda rng: (rng.normal(size=7), rng.normal(size=7), 0.3)),
    case(goertzel, lambda rng: (rng.normal(size=6), np.array([1.0, 2.3]), 8.0)),
    case(cdf97, lambda rng: (rng.normal(size=7),), of="x"),
    case(polyphase_decimate, lambda rng: (rng.normal(size=12), rng.normal(size=6), 3)),
    case(
        comb_allpass_reverb, lambda rng: (rng.normal(size=9), 0.3 + 0.3 * rng.random(2), (2, 3)), wrt=(0, 1)
    ),
    case(overlap_add, lambda rng: (rng.normal(size=(3, 4)), rng.random(4) + 0.2, 2)),
    case(phase_locked_loop, lambda rng: (rng.normal(size=6), 0.3, 0.1, 0.15)),
    case(unscented, lambda rng: (np.array([2.0, 0.4]), np.array([[0.3, 0.1], [0.1, 0.2]]), 0.7)),
    case(agc, lambda rng: (rng.normal(size=7), 0.8, 0.1)),
    case(median3_smooth, lambda rng: (rng.normal(size=8),)),
)

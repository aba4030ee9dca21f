"""Signals: recursive filters, smoothing, transforms in butterflies, estimation step by step."""

import numpy as np

from ..case import case


def iir_direct(b, a, x):
    """Direct form: a[0] is taken as 1."""
    y = np.zeros_like(x)
    for n in range(len(x)):
        for k in range(len(b)):
            if n - k >= 0:
                y[n] += b[k] * x[n - k]
        for k in range(1, len(a)):
            if n - k >= 0:
                y[n] -= a[k] * y[n - k]
    return y


def one_pole_in_place(x, a):
    x[0] *= 1 - a
    for i in range(1, x.size):
        x[i] = a * x[i - 1] + (1 - a) * x[i]


def biquad_cascade(signal, sections):
    """Transposed direct form II; every section filters the previous one's output over itself."""
    out = signal.copy()
    state = np.zeros((len(sections), 2))
    for s in range(len(sections)):
        b0, b1, b2, a1, a2 = sections[s]
        for n in range(out.shape[0]):
            v = out[n]
            out[n] = b0 * v + state[s, 0]
            state[s, 0] = b1 * v - a1 * out[n] + state[s, 1]
            state[s, 1] = b2 * v - a2 * out[n]
    return out


def deriche(img, alpha):
    """Forward and backward recursions along rows, then along columns of their sum."""
    w, h = img.shape
    k = (1.0 - np.exp(-alpha)) ** 2 / (1.0 + 2.0 * alpha * np.exp(-alpha) - np.exp(-2.0 * alpha))
    a1, a2 = k, k * np.exp(-alpha) * (alpha - 1.0)
    a3, a4 = k * np.exp(-alpha) * (alpha + 1.0), -k * np.exp(-2.0 * alpha)
    b1, b2 = 2.0 * np.exp(-alpha), -np.exp(-2.0 * alpha)
    y1 = np.empty_like(img)
    y2 = np.empty_like(img)
    y1[:, 0] = a1 * img[:, 0]
    y1[:, 1] = a1 * img[:, 1] + a2 * img[:, 0] + b1 * y1[:, 0]
    for j in range(2, h):
        y1[:, j] = a1 * img[:, j] + a2 * img[:, j - 1] + b1 * y1[:, j - 1] + b2 * y1[:, j - 2]
    y2[:, -1] = 0.0
    y2[:, -2] = a3 * img[:, -1]
    for j in range(h - 3, -1, -1):
        y2[:, j] = a3 * img[:, j + 1] + a4 * img[:, j + 2] + b1 * y2[:, j + 1] + b2 * y2[:, j + 2]
    out = y1 + y2
    y1[0, :] = a1 * out[0, :]
    y1[1, :] = a1 * out[1, :] + a2 * out[0, :] + b1 * y1[0, :]
    for i in range(2, w):
        y1[i, :] = a1 * out[i, :] + a2 * out[i - 1, :] + b1 * y1[i - 1, :] + b2 * y1[i - 2, :]
    y2[-1, :] = 0.0
    y2[-2, :] = a3 * out[-1, :]
    for i in range(w - 3, -1, -1):
        y2[i, :] = a3 * out[i + 1, :] + a4 * out[i + 2, :] + b1 * y2[i + 1, :] + b2 * y2[i + 2, :]
    out[:] = y1 + y2
    return out


def two_pass_smooth(img, a):
    """The same recursion four times: each pass sees a transposed or reversed view of one buffer."""
    def along(block):
        for j in range(1, block.shape[1]):
            block[:, j] = (1 - a) * block[:, j] + a * block[:, j - 1]

    along(img)
    along(img[:, ::-1])
    along(img.T)
    along(img.T[:, ::-1])


def exponential_smoothing(series, alpha):
    level = np.empty(len(series))
    level[0] = series[0]
    for t, value in enumerate(series[1:], start=1):
        level[t] = alpha * value + (1 - alpha) * level[t - 1]
    return level


def holt_seasonal(y, alpha, beta, gamma, period):
    """Additive Holt-Winters; the season buffer is used modulo its length."""
    season = y[:period] - np.mean(y[:period])
    level, trend = y[:period].mean(), 0.0
    fitted = np.zeros_like(y)
    for t in range(len(y)):
        s = t % period
        fitted[t] = level + trend + season[s]
        last = level
        level = alpha * (y[t] - season[s]) + (1 - alpha) * (level + trend)
        trend = beta * (level - last) + (1 - beta) * trend
        season[s] = gamma * (y[t] - level) + (1 - gamma) * season[s]
    return np.sum((fitted - y) ** 2)


def prefix_sum(a):
    for i in range(1, len(a)):
        a[i] += a[i - 1]


def scan_by_doubling(x):
    step = 1
    while step < x.size:
        x[step:] += x[:-step].copy()
        step *= 2


def exclusive_scan(x):
    """Up-sweep, down-sweep; the length is a power of two."""
    n = len(x)
    d = 1
    while d < n:
        x[2 * d - 1 :: 2 * d] += x[d - 1 :: 2 * d]
        d *= 2
    x[-1] = 0.0
    while d > 1:
        d //= 2
        left = x[d - 1 :: 2 * d].copy()
        x[d - 1 :: 2 * d] = x[2 * d - 1 :: 2 * d]
        x[2 * d - 1 :: 2 * d] += left


def haar(x):
    n = x.shape[0]
    tmp = np.zeros(n)
    while n > 1:
        half = n // 2
        for i in range(half):
            tmp[i] = (x[2 * i] + x[2 * i + 1]) / np.sqrt(2)
            tmp[half + i] = (x[2 * i] - x[2 * i + 1]) / np.sqrt(2)
        x[:n] = tmp[:n]
        n = half


def lifting_wavelet(signal, p, u):
    """Predict and update on two interleaved views of one buffer."""
    even, odd = signal[::2], signal[1::2]
    odd -= p * even
    odd[:-1] -= p * even[1:]
    even += u * odd
    even[1:] += u * odd[:-1]
    return np.abs(signal).sum()


def walsh_hadamard(a):
    h = 1
    n = len(a)
    while h < n:
        for i in range(0, n, 2 * h):
            for j in range(i, i + h):
                x = a[j]
                y = a[j + h]
                a[j] = x + y
                a[j + h] = x - y
        h *= 2
    a /= np.sqrt(n)


def walsh_hadamard_blocks(a):
    h = 1
    while h < a.size:
        pairs = a.reshape(-1, 2, h)
        top, bottom = pairs[:, 0], pairs[:, 1]
        top += bottom
        bottom *= -2.0
        bottom += top
        h *= 2
    return a[1:] @ a[:-1]


def butterfly_rotations(re, im, angles):
    """A transform's skeleton in real arithmetic: stage by stage, in place, over pairs."""
    n = re.size
    half = 1
    stage = 0
    while half < n:
        c, s = np.cos(angles[stage]), np.sin(angles[stage])
        for k in range(0, n, 2 * half):
            for j in range(k, k + half):
                tr = c * re[j + half] - s * im[j + half]
                ti = s * re[j + half] + c * im[j + half]
                re[j + half], im[j + half] = re[j] - tr, im[j] - ti
                re[j] += tr
                im[j] += ti
        half *= 2
        stage += 1
    return np.sum(np.log1p(re**2 + im**2))


def moving_average_ring(x, width):
    ring = np.zeros(width)
    out = np.empty_like(x)
    total = 0.0
    for n in range(len(x)):
        slot = n % width
        total += x[n] - ring[slot]
        ring[slot] = x[n]
        out[n] = total / width
    return out**2


def karplus_strong(burst, decay, n):
    line = burst.copy()
    out = np.zeros(n)
    pos = 0
    for i in range(n):
        nxt = (pos + 1) % len(line)
        out[i] = line[pos]
        line[pos] = decay * 0.5 * (line[pos] + line[nxt])
        pos = nxt
    return out


def lms_canceller(x, d, mu, taps):
    w = np.zeros(taps)
    err = np.zeros_like(d)
    for n in range(taps - 1, len(x)):
        window = x[n - taps + 1 : n + 1][::-1]
        err[n] = d[n] - w @ window
        w += mu * err[n] * window
    return err @ err + w[0]


def kalman(z, F, H, Q, R, x, P):
    out = np.zeros((len(z), len(x)))
    eye = np.eye(len(x))
    for k in range(len(z)):
        x[:] = F @ x
        P[:] = F @ P @ F.T + Q
        innovation = z[k] - H @ x
        S = H @ P @ H + R
        K = P @ H / S
        x += K * innovation
        P[:] = (eye - np.outer(K, H)) @ P
        out[k] = x
    return out


def rts_smoother(obs, q, r):
    """Scalar filter forward into arrays, then a backward pass over the same arrays."""
    n = len(obs)
    m, p = np.zeros(n), np.zeros(n)
    m[0], p[0] = obs[0], r
    for k in range(1, n):
        prior = p[k - 1] + q
        gain = prior / (prior + r)
        m[k] = m[k - 1] + gain * (obs[k] - m[k - 1])
        p[k] = (1 - gain) * prior
    for k in range(n - 2, -1, -1):
        g = p[k] / (p[k] + q)
        m[k] += g * (m[k + 1] - m[k])
        p[k] += g * g * (p[k + 1] - p[k] - q)
    return m * p


def convolve_full(x, h):
    y = np.zeros(len(x) + len(h) - 1)
    for i in range(len(x)):
        y[i : i + len(h)] += x[i] * h
    return y


CASES = (
    case(iir_direct, lambda rng: (rng.normal(size=3), np.array([1.0, -0.4, 0.2]), rng.normal(size=6))),
    case(one_pole_in_place, lambda rng: (rng.normal(size=6), 0.6), of="x"),
    case(biquad_cascade, lambda rng: (rng.normal(size=6), rng.normal(0, 0.4, (2, 5)))),
    case(deriche, lambda rng: (rng.normal(size=(4, 5)), 0.7)),
    case(two_pass_smooth, lambda rng: (rng.normal(size=(4, 5)), 0.35), of="img"),
    case(exponential_smoothing, lambda rng: (rng.normal(size=6), 0.3)),
    case(holt_seasonal, lambda rng: (rng.normal(size=8), 0.4, 0.2, 0.3, 3)),
    case(prefix_sum, lambda rng: (rng.normal(size=6),), of="a"),
    case(scan_by_doubling, lambda rng: (rng.normal(size=7),), of="x"),
    case(exclusive_scan, lambda rng: (rng.normal(size=8),), of="x"),
    case(haar, lambda rng: (rng.normal(size=8),), of="x"),
    case(lifting_wavelet, lambda rng: (rng.normal(size=8), 0.5, 0.25)),
    case(walsh_hadamard, lambda rng: (rng.normal(size=8),), of="a"),
    case(walsh_hadamard_blocks, lambda rng: (rng.normal(size=8),)),
    case(butterfly_rotations, lambda rng: (rng.normal(size=8), rng.normal(size=8), rng.normal(size=3))),
    case(moving_average_ring, lambda rng: (rng.normal(size=7), 3)),
    case(karplus_strong, lambda rng: (rng.normal(size=4), 0.95, 8)),
    case(lms_canceller, lambda rng: (rng.normal(size=7), rng.normal(size=7), 0.15, 3)),
    case(
        kalman,
        lambda rng: (
            rng.normal(size=4),
            np.array([[1.0, 0.3], [-0.1, 0.9]]),
            np.array([1.0, 0.4]),
            0.1 * np.eye(2),
            0.5,
            rng.normal(size=2),
            np.eye(2),
        ),
    ),
    case(rts_smoother, lambda rng: (rng.normal(size=6), 0.2, 0.7)),
    case(convolve_full, lambda rng: (rng.normal(size=5), rng.normal(size=3))),
)

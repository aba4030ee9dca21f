"""Ten programs as one writes them in NumPy, each with its adjoint as one writes it by hand, for ``by_hand.py``.

A function and its adjoint stand side by side: ``lstm`` and ``lstm_by_hand``. An adjoint takes the same arguments, leaves them as
they are, and returns the value and the gradients with respect to the parameters that ``PROGRAMS`` names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

# --- long short-term memory


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


def lstm(W, U, b, xs, target):
    n = target.shape[0]
    h = np.zeros(n)
    c = np.zeros(n)
    for x in xs:
        z = W @ x + U @ h + b
        i = sigmoid(z[:n])
        f = sigmoid(z[n : 2 * n])
        o = sigmoid(z[2 * n : 3 * n])
        g = np.tanh(z[3 * n :])
        c = f * c + i * g
        h = o * np.tanh(c)
    return np.sum((h - target) ** 2)


def lstm_by_hand(W, U, b, xs, target):
    n = target.shape[0]
    h = np.zeros(n)
    c = np.zeros(n)
    tape = []
    for x in xs:
        z = W @ x + U @ h + b
        i = sigmoid(z[:n])
        f = sigmoid(z[n : 2 * n])
        o = sigmoid(z[2 * n : 3 * n])
        g = np.tanh(z[3 * n :])
        old_h, old_c = h, c
        c = f * c + i * g
        t = np.tanh(c)
        h = o * t
        tape.append((old_h, old_c, i, f, o, g, t))
    W_bar = np.zeros_like(W)
    U_bar = np.zeros_like(U)
    b_bar = np.zeros_like(b)
    h_bar = 2.0 * (h - target)
    c_bar = np.zeros(n)
    z_bar = np.empty_like(b)
    for x in xs[::-1]:
        old_h, old_c, i, f, o, g, t = tape.pop()
        c_bar += h_bar * o * (1.0 - t * t)
        z_bar[:n] = c_bar * g * i * (1.0 - i)
        z_bar[n : 2 * n] = c_bar * old_c * f * (1.0 - f)
        z_bar[2 * n : 3 * n] = h_bar * t * o * (1.0 - o)
        z_bar[3 * n :] = c_bar * i * (1.0 - g * g)
        c_bar = c_bar * f
        W_bar += np.outer(z_bar, x)
        U_bar += np.outer(z_bar, old_h)
        b_bar += z_bar
        h_bar = U.T @ z_bar
    return np.sum((h - target) ** 2), (W_bar, U_bar, b_bar)


# --- the wave equation: leapfrog on a string with a speed of its own at every point


def wave(u, c, steps):
    before = u
    now = u.copy()
    for _ in range(steps):
        after = 2.0 * now - before
        after[1:-1] += c[1:-1] * (now[2:] - 2.0 * now[1:-1] + now[:-2])
        before, now = now, after
    return np.sum(now**2)


def wave_by_hand(u, c, steps):
    before = u
    now = u.copy()
    tape = []
    for _ in range(steps):
        bend = now[2:] - 2.0 * now[1:-1] + now[:-2]
        tape.append(bend)
        after = 2.0 * now - before
        after[1:-1] += c[1:-1] * bend
        before, now = now, after
    c_bar = np.zeros_like(c)
    now_bar = 2.0 * now
    before_bar = np.zeros_like(u)
    for _ in range(steps):
        inner = now_bar[1:-1]
        c_bar[1:-1] += inner * tape.pop()
        bend_bar = c[1:-1] * inner
        before_bar += 2.0 * now_bar
        before_bar[2:] += bend_bar
        before_bar[1:-1] -= 2.0 * bend_bar
        before_bar[:-2] += bend_bar
        now_bar, before_bar = before_bar, -now_bar
    return np.sum(now**2), (now_bar + before_bar, c_bar)


# --- a convolution, window by window, with a bias and a rectifier


def convolution(image, kernel, bias):
    rows, columns = kernel.shape
    out = np.zeros((image.shape[0] - rows + 1, image.shape[1] - columns + 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = np.sum(image[i : i + rows, j : j + columns] * kernel) + bias
    return np.sum(np.maximum(out, 0.0) ** 2)


def convolution_by_hand(image, kernel, bias):
    rows, columns = kernel.shape
    out = np.zeros((image.shape[0] - rows + 1, image.shape[1] - columns + 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = np.sum(image[i : i + rows, j : j + columns] * kernel) + bias
    positive = np.maximum(out, 0.0)
    out_bar = 2.0 * positive
    image_bar = np.zeros_like(image)
    kernel_bar = np.zeros_like(kernel)
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            g = out_bar[i, j]
            image_bar[i : i + rows, j : j + columns] += g * kernel
            kernel_bar += g * image[i : i + rows, j : j + columns]
    return np.sum(positive**2), (image_bar, kernel_bar, np.sum(out_bar))


# --- k-means: Lloyd's iteration, and the sum of squares that is left


def k_means(points, centres, rounds):
    centres = centres.copy()
    for _ in range(rounds):
        apart = points[:, None, :] - centres[None, :, :]
        nearest = np.argmin(np.sum(apart**2, axis=2), axis=1)
        for k in range(centres.shape[0]):
            centres[k] = np.mean(points[nearest == k], axis=0)
    apart = points[:, None, :] - centres[None, :, :]
    return np.sum(np.min(np.sum(apart**2, axis=2), axis=1))


def k_means_by_hand(points, centres, rounds):
    centres = centres.copy()
    tape = []
    for _ in range(rounds):
        apart = points[:, None, :] - centres[None, :, :]
        nearest = np.argmin(np.sum(apart**2, axis=2), axis=1)
        tape.append(nearest)
        for k in range(centres.shape[0]):
            centres[k] = np.mean(points[nearest == k], axis=0)
    apart = points[:, None, :] - centres[None, :, :]
    squares = np.sum(apart**2, axis=2)
    which = np.argmin(squares, axis=1)
    own = np.arange(points.shape[0])
    points_bar = 2.0 * apart[own, which]
    centres_bar = np.zeros_like(centres)
    np.subtract.at(centres_bar, which, points_bar)
    for _ in range(rounds):
        nearest = tape.pop()
        for k in range(centres.shape[0]):
            mine = nearest == k
            points_bar[mine] += centres_bar[k] / np.count_nonzero(mine)
            centres_bar[k] = 0.0
    return np.sum(squares[own, which]), (points_bar, centres_bar)


# --- Kepler's equation by Newton's method, and where a planet is at many times


def kepler(e, a, anomalies):
    total = 0.0
    for M in anomalies:
        E = M
        step = 1.0
        while abs(step) > 1e-10:
            step = (E - e * np.sin(E) - M) / (1.0 - e * np.cos(E))
            E = E - step
        x = a * (np.cos(E) - e)
        y = a * np.sqrt(1.0 - e * e) * np.sin(E)
        total += x * x + 0.5 * y
    return total


def kepler_by_hand(e, a, anomalies):
    total = 0.0
    ends = []
    tape = []
    for M in anomalies:
        E = M
        step = 1.0
        trips = 0
        while abs(step) > 1e-10:
            tape.append(E)
            step = (E - e * np.sin(E) - M) / (1.0 - e * np.cos(E))
            E = E - step
            trips += 1
        x = a * (np.cos(E) - e)
        y = a * np.sqrt(1.0 - e * e) * np.sin(E)
        total += x * x + 0.5 * y
        ends.append((E, x, y, trips))
    e_bar = 0.0
    a_bar = 0.0
    anomalies_bar = np.zeros_like(anomalies)
    for k in reversed(range(anomalies.shape[0])):
        E, x, y, trips = ends.pop()
        a_bar += (2.0 * x * x + 0.5 * y) / a
        e_bar -= 2.0 * x * a + 0.5 * y * e / (1.0 - e * e)
        E_bar = 0.5 * a * np.sqrt(1.0 - e * e) * np.cos(E) - 2.0 * x * a * np.sin(E)
        M_bar = 0.0
        for _ in range(trips):
            E = tape.pop()
            s = np.sin(E)
            c = np.cos(E)
            slope = 1.0 - e * c
            g = E_bar / slope
            step = (E - e * s - anomalies[k]) / slope
            M_bar += g
            e_bar += g * (s - step * c)
            E_bar = g * step * e * s
        anomalies_bar[k] = M_bar + E_bar
    return total, (e_bar, a_bar, anomalies_bar)


# --- the Kalman filter: the negative log-likelihood of what was measured


def kalman(F, H, Q, R, x, P, measured):
    loss = 0.0
    for z in measured:
        x = F @ x
        P = F @ P @ F.T + Q
        S = H @ P @ H.T + R
        y = z - H @ x
        K = P @ H.T @ np.linalg.inv(S)
        loss += 0.5 * (y @ np.linalg.solve(S, y) + np.log(np.linalg.det(S)))
        x = x + K @ y
        P = P - K @ H @ P
    return loss


def kalman_by_hand(F, H, Q, R, x, P, measured):
    loss = 0.0
    tape = []
    for z in measured:
        old_x, old_P = x, P
        x = F @ x
        P = F @ P @ F.T + Q
        S = H @ P @ H.T + R
        y = z - H @ x
        inv = np.linalg.inv(S)
        K = P @ H.T @ inv
        v = np.linalg.solve(S, y)
        loss += 0.5 * (y @ v + np.log(np.linalg.det(S)))
        tape.append((old_x, old_P, P, y, inv, K, v))
        x = x + K @ y
        P = P - K @ H @ P
    F_bar = np.zeros_like(F)
    Q_bar = np.zeros_like(Q)
    R_bar = np.zeros_like(R)
    x_bar = np.zeros_like(x)
    P_bar = np.zeros_like(P)
    for _ in measured:
        old_x, old_P, P, y, inv, K, v = tape.pop()
        K_bar = np.outer(x_bar, y) - P_bar @ (H @ P).T
        KH = K @ H
        P_bar = P_bar - KH.T @ P_bar
        w = inv.T @ y
        y_bar = K.T @ x_bar + 0.5 * (v + w)
        S_bar = 0.5 * (inv.T - np.outer(w, v)) - K.T @ K_bar @ inv.T
        P_bar += K_bar @ inv.T @ H + H.T @ S_bar @ H
        R_bar += S_bar
        x_bar = x_bar - H.T @ y_bar
        F_bar += np.outer(x_bar, old_x) + P_bar @ F @ old_P.T + P_bar.T @ F @ old_P
        Q_bar += P_bar
        x_bar = F.T @ x_bar
        P_bar = F.T @ P_bar @ F
    return loss, (F_bar, Q_bar, R_bar)


# --- bodies that attract each other: leapfrog


def acceleration(q, m, soft):
    apart = q[None, :, :] - q[:, None, :]
    r2 = np.sum(apart**2, axis=2) + soft
    return np.sum(apart * (m[None, :] * r2**-1.5)[:, :, None], axis=1)


def n_body(q, p, m, soft, dt, steps):
    for _ in range(steps):
        p = p + 0.5 * dt * acceleration(q, m, soft)
        q = q + dt * p
        p = p + 0.5 * dt * acceleration(q, m, soft)
    return np.sum(q**2) + np.sum(m[:, None] * p**2)


def acceleration_reverse(q, m, soft, g):
    apart = q[None, :, :] - q[:, None, :]
    r2 = np.sum(apart**2, axis=2) + soft
    cubes = r2**-1.5
    along = np.sum(apart * g[:, None, :], axis=2)
    r2_bar = -1.5 * along * m[None, :] * cubes / r2
    apart_bar = (m[None, :] * cubes)[:, :, None] * g[:, None, :] + 2.0 * r2_bar[:, :, None] * apart
    return np.sum(apart_bar, axis=0) - np.sum(apart_bar, axis=1), np.sum(along * cubes, axis=0)


def n_body_by_hand(q, p, m, soft, dt, steps):
    tape = []
    for _ in range(steps):
        tape.append(q)
        p = p + 0.5 * dt * acceleration(q, m, soft)
        q = q + dt * p
        p = p + 0.5 * dt * acceleration(q, m, soft)
    last = q
    q_bar = 2.0 * q
    p_bar = 2.0 * m[:, None] * p
    m_bar = np.sum(p**2, axis=1)
    for _ in range(steps):
        by_q, by_m = acceleration_reverse(q, m, soft, 0.5 * dt * p_bar)
        q_bar = q_bar + by_q
        m_bar += by_m
        p_bar = p_bar + dt * q_bar
        q = tape.pop()
        by_q, by_m = acceleration_reverse(q, m, soft, 0.5 * dt * p_bar)
        q_bar = q_bar + by_q
        m_bar += by_m
    return np.sum(last**2) + np.sum(m[:, None] * p**2), (q_bar, p_bar, m_bar)


# --- Lotka and Volterra's hunters and prey, by Runge and Kutta's method of fourth order


def growth(x, y, a, b, c, d):
    return a * x - b * x * y, d * x * y - c * y


def lotka_volterra(a, b, c, d, x, y, dt, steps):
    total = 0.0
    for _ in range(steps):
        k1, l1 = growth(x, y, a, b, c, d)
        k2, l2 = growth(x + 0.5 * dt * k1, y + 0.5 * dt * l1, a, b, c, d)
        k3, l3 = growth(x + 0.5 * dt * k2, y + 0.5 * dt * l2, a, b, c, d)
        k4, l4 = growth(x + dt * k3, y + dt * l3, a, b, c, d)
        x = x + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        y = y + dt / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4)
        total += (x - 1.0) ** 2 + (y - 1.0) ** 2
    return total


def growth_reverse(x, y, a, b, c, d, k_bar, l_bar):
    xy_bar = d * l_bar - b * k_bar
    x_bar = a * k_bar + xy_bar * y
    y_bar = xy_bar * x - c * l_bar
    return x_bar, y_bar, x * k_bar, -x * y * k_bar, -y * l_bar, x * y * l_bar


def lotka_volterra_by_hand(a, b, c, d, x, y, dt, steps):
    total = 0.0
    tape = []
    for _ in range(steps):
        k1, l1 = growth(x, y, a, b, c, d)
        x2, y2 = x + 0.5 * dt * k1, y + 0.5 * dt * l1
        k2, l2 = growth(x2, y2, a, b, c, d)
        x3, y3 = x + 0.5 * dt * k2, y + 0.5 * dt * l2
        k3, l3 = growth(x3, y3, a, b, c, d)
        x4, y4 = x + dt * k3, y + dt * l3
        k4, l4 = growth(x4, y4, a, b, c, d)
        tape.append((x, y, x2, y2, x3, y3, x4, y4))
        x = x + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        y = y + dt / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4)
        total += (x - 1.0) ** 2 + (y - 1.0) ** 2
    a_bar = b_bar = c_bar = d_bar = 0.0
    x_bar = y_bar = 0.0
    for _ in range(steps):
        x_bar += 2.0 * (x - 1.0)
        y_bar += 2.0 * (y - 1.0)
        x, y, x2, y2, x3, y3, x4, y4 = tape.pop()
        k_bar, l_bar = dt / 6.0 * x_bar, dt / 6.0 * y_bar
        u4, v4, a4, b4, c4, d4 = growth_reverse(x4, y4, a, b, c, d, k_bar, l_bar)
        u3, v3, a3, b3, c3, d3 = growth_reverse(x3, y3, a, b, c, d, 2.0 * k_bar + dt * u4, 2.0 * l_bar + dt * v4)
        u2, v2, a2, b2, c2, d2 = growth_reverse(x2, y2, a, b, c, d, 2.0 * k_bar + 0.5 * dt * u3, 2.0 * l_bar + 0.5 * dt * v3)
        u1, v1, a1, b1, c1, d1 = growth_reverse(x, y, a, b, c, d, k_bar + 0.5 * dt * u2, l_bar + 0.5 * dt * v2)
        x_bar += u1 + u2 + u3 + u4
        y_bar += v1 + v2 + v3 + v4
        a_bar += a1 + a2 + a3 + a4
        b_bar += b1 + b2 + b3 + b4
        c_bar += c1 + c2 + c3 + c4
        d_bar += d1 + d2 + d3 + d4
    return total, (a_bar, b_bar, c_bar, d_bar)


# --- heat in a rod, in place


def heat(u, alpha, steps):
    for _ in range(steps):
        u[1:-1] += alpha * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def heat_by_hand(u, alpha, steps):
    u = u.copy()
    tape = []
    for _ in range(steps):
        bend = u[2:] - 2.0 * u[1:-1] + u[:-2]
        tape.append(bend)
        u[1:-1] += alpha * bend
    u_bar = 2.0 * u
    alpha_bar = 0.0
    for _ in range(steps):
        alpha_bar += np.dot(tape.pop(), u_bar[1:-1])
        bend_bar = alpha * u_bar[1:-1]
        u_bar[2:] += bend_bar
        u_bar[1:-1] -= 2.0 * bend_bar
        u_bar[:-2] += bend_bar
    return np.sum(u**2), (u_bar, alpha_bar)


# --- a network of two layers, with the cross-entropy of its classes


def mlp(w1, b1, w2, b2, x, labels):
    hidden = np.tanh(x @ w1 + b1)
    logits = hidden @ w2 + b2
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    log_norm = np.log(np.sum(np.exp(shifted), axis=1))
    return np.mean(log_norm - shifted[np.arange(x.shape[0]), labels])


def mlp_by_hand(w1, b1, w2, b2, x, labels):
    n = x.shape[0]
    hidden = np.tanh(x @ w1 + b1)
    logits = hidden @ w2 + b2
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    e = np.exp(shifted)
    norm = np.sum(e, axis=1)
    loss = np.mean(np.log(norm) - shifted[np.arange(n), labels])
    logits_bar = e / (n * norm[:, None])
    logits_bar[np.arange(n), labels] -= 1.0 / n
    w2_bar = hidden.T @ logits_bar
    b2_bar = np.sum(logits_bar, axis=0)
    z_bar = (logits_bar @ w2.T) * (1.0 - hidden * hidden)
    w1_bar = x.T @ z_bar
    b1_bar = np.sum(z_bar, axis=0)
    return loss, (w1_bar, b1_bar, w2_bar, b2_bar)


class Pair(NamedTuple):
    """A program, its adjoint by hand, other functions of both, the parameters that vary, and arguments: few or many."""

    function: Callable[..., Any]
    by_hand: Callable[..., Any]
    used: tuple[Callable[..., Any], ...]
    wrt: tuple[str, ...]
    arguments: Callable[[np.random.Generator, bool], tuple[Any, ...]]


def _filter(rng: np.random.Generator, small: bool) -> tuple[Any, ...]:
    n, m, steps = (3, 2, 4) if small else (8, 4, 100)
    F = 0.9 * np.linalg.qr(rng.normal(size=(n, n)))[0]
    root = rng.normal(size=(n, n))
    H = rng.normal(size=(m, n))
    return F, H, np.eye(n) + 0.1 * root @ root.T, np.eye(m), rng.normal(size=n), np.eye(n), rng.normal(size=(steps, m))


PROGRAMS = {
    "LSTM": Pair(
        lstm, lstm_by_hand, (sigmoid,), ("W", "U", "b"),
        lambda rng, small: _network(rng, *((3, 2, 3) if small else (64, 32, 100))),
    ),
    "wave equation": Pair(
        wave, wave_by_hand, (), ("u", "c"),
        lambda rng, small: (rng.normal(size=9 if small else 1000), rng.uniform(0.1, 0.5, 9 if small else 1000),
                            4 if small else 200),
    ),
    "convolution by windows": Pair(
        convolution, convolution_by_hand, (), ("image", "kernel", "bias"),
        lambda rng, small: (rng.normal(size=(6, 5) if small else (48, 48)), rng.normal(size=(2, 3) if small else (5, 5)), 0.1),
    ),
    "k-means": Pair(
        k_means, k_means_by_hand, (), ("points", "centres"),
        lambda rng, small: (rng.normal(size=(12 if small else 2000, 2)), rng.normal(size=(2 if small else 8, 2)),
                            3 if small else 10),
    ),
    "Kepler": Pair(
        kepler, kepler_by_hand, (), ("e", "a", "anomalies"),
        lambda rng, small: (0.3, 1.2, rng.uniform(0.1, 3.0, 3 if small else 300)),
    ),
    "Kalman filter": Pair(kalman, kalman_by_hand, (), ("F", "Q", "R"), _filter),
    "N-body": Pair(
        n_body, n_body_by_hand, (acceleration, acceleration_reverse), ("q", "p", "m"),
        lambda rng, small: (*(rng.normal(size=(n, 3)) for n in [4 if small else 40] * 2),
                            rng.uniform(0.5, 1.0, 4 if small else 40), 0.1, 0.01, 3 if small else 20),
    ),
    "Lotka-Volterra RK4": Pair(
        lotka_volterra, lotka_volterra_by_hand, (growth, growth_reverse), ("a", "b", "c", "d"),
        lambda rng, small: (1.1, 0.4, 0.4, 0.1, 2.0, 1.0, 0.05, 4 if small else 300),
    ),
    "heat": Pair(
        heat, heat_by_hand, (), ("u", "alpha"),
        lambda rng, small: (rng.normal(size=9 if small else 1000), 0.2, 4 if small else 200),
    ),
    "MLP": Pair(
        mlp, mlp_by_hand, (), ("w1", "b1", "w2", "b2"),
        lambda rng, small: _layers(rng, *((4, 3, 5, 3) if small else (256, 64, 128, 10))),
    ),
}  # fmt: skip


def _network(rng: np.random.Generator, n: int, d: int, steps: int) -> tuple[Any, ...]:
    weights = (rng.normal(size=shape) / np.sqrt(n) for shape in ((4 * n, d), (4 * n, n), (4 * n,)))
    return (*weights, rng.normal(size=(steps, d)), rng.normal(size=n))


def _layers(rng: np.random.Generator, n: int, inner: int, d: int, classes: int) -> tuple[Any, ...]:
    weights = (rng.normal(size=shape) for shape in ((d, inner), (inner,), (inner, classes), (classes,)))
    return (*(0.1 * w for w in weights), rng.normal(size=(n, d)), rng.integers(0, classes, n))

"""Time stepping: right-hand sides passed as callbacks, steppers returned by factories, adaptive steps in while loops."""

import math
from functools import partial

import numpy as np

from ..case import case


def euler(rhs, y, t0, t1, steps):
    h = (t1 - t0) / steps
    t = t0
    for _ in range(steps):
        y = y + h * rhs(t, y)
        t += h
    return y


def rk4_step(f, t, y, h):
    k1 = f(t, y)
    k2 = f(t + h / 2, y + h / 2 * k1)
    k3 = f(t + h / 2, y + h / 2 * k2)
    k4 = f(t + h, y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def euler_decay(y0, rate):
    return euler(lambda t, y: -rate * y, y0, 0.0, 1.5, steps=12)


def rk4_lorenz(state, sigma, rho, beta):
    def lorenz(t, s):
        x, y, z = s
        return np.array([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])

    for n in range(10):
        state = rk4_step(lorenz, 0.01 * n, state, 0.01)
    return state.sum()


def leapfrog_oscillator(q, p, k, m=1.0, dt=0.1, n=15):
    def force(pos):
        return -k * pos

    p += 0.5 * dt * force(q)
    for i in range(n):
        q += dt * p / m
        p += (dt if i < n - 1 else 0.5 * dt) * force(q)
    return 0.5 * p**2 / m + 0.25 * q**4


def lotka_volterra(params, x0, y0, steps=20, h=0.05):
    alpha, beta, gamma, delta = params
    x, y = x0, y0
    history = [(x, y)]
    while len(history) <= steps:
        dx, dy = alpha * x - beta * x * y, delta * x * y - gamma * y
        mx, my = x + h / 2 * dx, y + h / 2 * dy
        x, y = x + h * (alpha * mx - beta * mx * my), y + h * (delta * mx * my - gamma * my)
        history.append((x, y))
    return sum(b - 0.5 * a for a, b in history) / len(history)


def adaptive_heun(y0, stiffness, t_end=1.0, tol=1e-3):
    """Heun with an embedded Euler estimate: halve on failure, grow on success."""
    rhs = lambda t, y: stiffness * (math.cos(t) - y)
    t, y, h = 0.0, y0, 0.1
    while t < t_end:
        if t + h > t_end:
            h = t_end - t
        k1 = rhs(t, y)
        k2 = rhs(t + h, y + h * k1)
        err = abs(h * (k2 - k1) / 2)
        if err > tol:
            h = h / 2
            continue
        y = y + h * (k1 + k2) / 2
        t = t + h
        h = 1.3 * h if err < tol / 4 else h
    return y


def make_stepper(order):
    if order == 1:
        return lambda f, y, h: y + h * f(y)
    if order == 2:
        return lambda f, y, h: y + h * f(y + 0.5 * h * f(y))
    raise ValueError(f"no stepper of order {order}")


def damped_pendulum(theta, omega, length, order=2):
    step = make_stepper(order)

    def field(s):
        return np.array([s[1], -9.81 / length * np.sin(s[0]) - 0.2 * s[1]])

    s = np.array([theta, omega])
    for _ in range(12):
        s = step(field, s, 0.05)
    return s[0] ** 2 + s[1] ** 2


def sir_epidemic(beta, gamma, i0=0.01, days=30):
    S, I, R = 1 - i0, i0, 0.0
    peak = I
    for day in range(days):
        lockdown = 10 <= day < 18
        b = 0.4 * beta if lockdown else beta
        new, rec = b * S * I, gamma * I
        S, I, R = S - new, I + new - rec, R + rec
        peak = max(peak, I)
    return peak + 0.1 * R


def robertson_like(k, y0):
    # A -> B (slow), B + B -> C, B + C -> A; semi-implicit in B
    a, b, c = y0
    k1, k2, k3 = k
    dt = 0.02
    for _ in range(25):
        b = (b + dt * k1 * a) / (1.0 + dt * (k2 * b + k3 * c))
        a, c = a + dt * (k3 * b * c - k1 * a), c + dt * k2 * b * b
    return [a, b, c][1] + c


def neural_ode(W1, b1, W2, x0, dt=0.2, n_steps=6):
    def net(x):
        return W2 @ np.tanh(W1 @ x + b1)

    trajectory = [x0]
    for _ in range(n_steps):
        trajectory.append(rk4_step(lambda _, x: net(x), 0.0, trajectory[-1], dt))
    return np.sum(np.square(np.stack(trajectory)[1:]))


def midpoint_van_der_pol(mu, x, v):
    def accel(x, v, *, mu):
        return mu * (1 - x * x) * v - x

    f = partial(accel, mu=mu)
    dt = 0.05
    for _ in range(16):
        xm, vm = x + dt / 2 * v, v + dt / 2 * f(x, v)
        x, v = x + dt * vm, v + dt * f(xm, vm)
    return x * v


def adams_bashforth(y0, a, n=10, h=0.1):
    f = [a * math.sin(y0)]
    y = y0 + h * f[0]
    for i in range(1, n):
        f.append(a * math.sin(y) - 0.1 * i * h)
        y += h * (1.5 * f[-1] - 0.5 * f[-2])
    return y


def _phi(z, terms=6):
    out = term = 1.0
    for j in range(2, terms + 2):
        term = term * z / j
        out = out + term
    return out


def exponential_euler(y, lam, forcing):
    h = 0.1
    for g in forcing:
        y = math.exp(lam * h) * y + h * _phi(lam * h) * (g - y**3)
    return y


def backward_euler_newton(y0, k):
    """Implicit step solved by an inner Newton loop, which usually breaks early."""
    y, h = y0, 0.2
    for step in range(5):
        z = y
        for it in range(20):
            g = z - y + h * k * z**3
            if abs(g) < 1e-13:
                break
            z -= g / (1 + 3 * h * k * z**2)
        else:
            raise RuntimeError(f"Newton failed in step {step}")
        y = z
    return y


def solve_events(height, velocity, restitution=0.8):
    # a bouncing ball, flown from bounce to bounce
    g, t = 9.81, 0.0
    bounces = 0
    while True:
        flight = (velocity + math.sqrt(velocity**2 + 2 * g * height)) / g
        if t + flight > 1.7:
            rest = 1.7 - t
            return height + velocity * rest - 0.5 * g * rest**2
        t += flight
        velocity = -restitution * (velocity - g * flight)
        height = 0.0
        bounces += 1


CASES = (
    case(euler_decay, lambda rng: (rng.normal(size=3), 0.8), wrt=(0, 1)),
    case(rk4_lorenz, lambda rng: (rng.normal(size=3), 10.0, 28.0, 8.0 / 3.0), wrt=(0, 1, 2, 3)),
    case(leapfrog_oscillator, lambda rng: (0.7, -0.2, 1.5, 1.2), wrt=(0, 1, 2, 3)),
    case(lotka_volterra, lambda rng: ((1.1, 0.4, 0.4, 0.1), 5.0, 2.0), wrt=(0, 1, 2)),
    case(adaptive_heun, lambda rng: (0.3, 4.0), wrt=(0, 1)),
    case(damped_pendulum, lambda rng: (0.9, -0.1, 1.3), wrt=(0, 1, 2)),
    case(sir_epidemic, lambda rng: (0.55, 0.17, 0.02), wrt=(0, 1, 2)),
    case(robertson_like, lambda rng: (np.array([0.4, 3.0, 1.0]), [1.0, 0.1, 0.2]), wrt=(0, 1)),
    case(neural_ode,
         lambda rng: (rng.normal(size=(4, 2)), rng.normal(size=4), rng.normal(size=(2, 4)), rng.normal(size=2)),
         wrt=(0, 1, 2, 3)),
    case(midpoint_van_der_pol, lambda rng: (1.5, 0.8, 0.3), wrt=(0, 1, 2)),
    case(adams_bashforth, lambda rng: (0.6, 1.7), wrt=(0, 1)),
    case(exponential_euler, lambda rng: (0.5, -1.2, rng.normal(size=7)), wrt=(0, 1, 2)),
    case(backward_euler_newton, lambda rng: (1.4, 0.7), wrt=(0, 1)),
    case(solve_events, lambda rng: (1.0, 0.5, 0.75), wrt=(0, 1, 2)),
)

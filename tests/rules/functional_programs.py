"""Programs that give functions to SciPy, with places to differentiate them at; tolerances are tight, so that differences are.

Of each: integrals, initial value problems, roots, minima; then how functions can be handed over, and where they can stand.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import integrate, optimize
from scipy.integrate import dblquad, odeint, quad, quad_vec, solve_ivp
from scipy.optimize import (
    brentq,
    curve_fit,
    fixed_point,
    fsolve,
    least_squares,
    minimize,
    minimize_scalar,
    newton,
    root,
)
from scipy.special import ndtr

TIMES = np.linspace(0.0, 2.0, 6)
WEIGHTS = np.arange(1.0, 7.0)
COEFFICIENTS = np.array([1.0, 2.0, 3.0])
TIGHT = {"rtol": 1e-11, "atol": 1e-11}
DATA = 2.0 * np.exp(-1.3 * TIMES) + 0.02 * np.sin(np.arange(6.0))
MATRIX = np.array([[0.1, 0.2, 0.3], [0.0, 0.3, -0.2], [0.2, -0.1, 0.2]])
VECTOR = np.array([0.4, 0.7, -0.3])

# --- integrals


def decay(k, end):
    return quad(lambda x: np.exp(-k * x), 0.0, end)[0]


def gauss(x, mu, sigma):
    return np.exp(-0.5 * ((x - mu) / sigma) ** 2) / sigma


def expected_utility(mu, sigma, aversion):
    """Of a gain that is normally distributed; the error estimate is constant."""
    value, error = quad(lambda x: np.arctan(aversion * x) * gauss(x, mu, sigma), -np.inf, np.inf)
    return value / np.sqrt(2.0 * np.pi) + 0.0 * error


def tail(mu, sigma, low):
    return quad(gauss, low, np.inf, args=(mu, sigma), epsabs=1e-11)[0]


def arc_length(a, b, end):
    def speed(t):
        dx = -a * np.sin(t)
        dy = b * np.cos(t)
        return np.sqrt(dx**2 + dy**2)

    return quad(speed, 0.0, end)[0]


def powers(k):
    area, _ = quad(lambda x: x**k, 0, 1)
    return area


def payoff(strike, drift):
    """A kink that moves."""
    return quad(lambda s: (s - strike if s > strike else 0.0) * np.exp(-drift * s), 0.0, 4.0, limit=200)[0]


def moments(w, xs):
    out = np.zeros(len(xs))
    for i in range(len(xs)):
        out[i] = quad(lambda t: np.exp(-w[i] * t) if t < 0.5 else t * w[i], 0, xs[i], points=[0.5])[0]
    return out


def polynomial_areas(w, a):
    def poly(x):
        value = 0.0
        for c in w:
            value = value * x + c
        return value

    total = 0.0
    for i in range(3):
        if a > 0.2 * i:
            total += quad(poly, 0.0, a * (i + 1))[0] ** 2
        else:
            total += a
    return total


def triangle(a, b):
    return quad(lambda x: quad(lambda y: np.sin(x * y * a), 0, x)[0], 0, b)[0]


def wedge(w):
    return dblquad(lambda y, x: np.exp(-w * x * y), 0, w, 0, lambda x: w * x)[0]


def spectrum(w, low):
    return quad_vec(lambda x: np.exp(-w * x) * x, low, np.sum(w) + 2.0)[0]


def smooth_matrix(w, k):
    value, error = quad_vec(lambda x, k: np.outer(np.sin(w * x), w) * np.exp(-k * x), 0.0, np.inf, args=(k,))
    return value


def gauss_legendre(w, a, b):
    def f(x, w):
        return np.exp(-w[0] * x) * np.cos(w[1] * x)

    return integrate.fixed_quad(f, a, b, args=(w,), n=7)[0] + integrate.fixed_quad(np.sin, 0.0, b)[0]


# --- initial value problems


def forced(y0, k, c):
    y = odeint(lambda y, t: -k * y + c * np.sin(t), y0, TIMES, **TIGHT)
    return np.sum(y**2)


def lotka_volterra(t, z, a, b, c, d):
    x, y = z
    return [a * x - b * x * y, -c * y + d * x * y]


def predators(a, b, c, d, x0, y0):
    sol = solve_ivp(lotka_volterra, (0, 2), [x0, y0], args=(a, b, c, d), t_eval=TIMES, rtol=1e-11, atol=1e-11)
    return np.sum((sol.y[0] - 1.0) ** 2) + sol.y[1, -1]


def epidemic(beta, gamma, infected):
    def sir(y, t, beta, gamma):
        s, i, r = y
        return -beta * s * i, beta * s * i - gamma * i, gamma * i

    y = odeint(sir, [1.0 - infected, infected, 0.0], TIMES, args=(beta, gamma), rtol=1e-11, atol=1e-11)
    return y[:, 1]


def pendulum(k, t, y0):
    def swing(y, t, k):
        dy = np.zeros(2)
        dy[0] = y[1]
        dy[1] = -k * np.sin(y[0])
        return dy

    y = odeint(swing, y0, t, args=(k,), rtol=1e-11, atol=1e-11)
    return np.sum(y[:, 0] * WEIGHTS)


def between_ends(k, end, start, y0):
    sol = solve_ivp(
        lambda t, y: -k * y * np.cos(t), [start, end], y0, method="DOP853", rtol=1e-11, atol=1e-11
    )
    return sol.y[:, -1] @ np.array([1.0, 2.0]) + sol.t[-1] ** 2 + sol.t[0]


def at_times(k, t, start, y0):
    sol = solve_ivp(lambda t, y: -k * y * np.cos(t), (start, 3.0), y0, t_eval=t, rtol=1e-11, atol=1e-11)
    return np.sum(sol.y * WEIGHTS) + np.sum(sol.t**2)


def stiff(k, y0):
    def slope(t, y):
        if y[0] > 1.0:
            return [-k * y[0], y[1]]
        return [-k * y[0] ** 2, y[1] - (1.0 - y[0])]

    sol = solve_ivp(slope, (0.0, 1.0), y0, method="LSODA", rtol=1e-11, atol=1e-12)
    return sol.y[0, -1] + sol.y[1][-1] if sol.success else 0.0


def backwards(k, y0):
    sol = solve_ivp(lambda t, y: k * y, (1.0, 0.0), y0, method="Radau", rtol=1e-9, atol=1e-11)
    return np.sum(sol.y[:, -1])


def one_state(y0, k):
    return odeint(lambda t, y: -k * y, y0, [0, 0.5, 1.0], tfirst=True, rtol=1e-11, atol=1e-11)[-1, 0]


def network(w, y0):
    y = odeint(lambda y, t: np.tanh(w @ y), y0, TIMES, rtol=1e-11, atol=1e-11)
    return y[-1]


# --- roots


def cube_root(c, d):
    return brentq(lambda x: x**3 + d * x - c, 0, 3)


def several_roots(a):
    xs = [brentq(lambda x: x**3 - a - i, 0, 3, xtol=1e-13) for i in range(3)]
    return sum(xs)


def implied_volatility(price, strike, years):
    def gap(sigma):
        spread = sigma * np.sqrt(years)
        d1 = np.log(1.0 / strike) / spread + 0.5 * spread
        return ndtr(d1) - strike * ndtr(d1 - spread) - price

    return optimize.toms748(gap, 1e-3, 3.0)


def kepler(anomaly, eccentricity):
    e = newton(
        lambda x, m, e: x - e * np.sin(x) - m,
        anomaly,
        fprime=lambda x, m, e: 1.0 - e * np.cos(x),
        args=(anomaly, eccentricity),
        tol=1e-13,
    )
    return np.cos(e)


def many_kepler(anomalies, eccentricity):
    return newton(lambda x: x - eccentricity * np.sin(x) - anomalies, anomalies, tol=1e-13)


def circle_and_hyperbola(z, a, b):
    x, y = z
    return [x**2 + y**2 - a, x * y - b]


def crossing(a, b):
    x, y = fsolve(circle_and_hyperbola, [1.5, 0.5], args=(a, b), xtol=1e-13)
    return x + 2 * y


def checked_crossing(a, b):
    sol = root(circle_and_hyperbola, np.array([1.5, 0.5]), args=(a, b), tol=1e-13)
    if not sol.success:
        return 0.0 * a
    return sol.x[0] * sol.x[1] ** 2


def equilibrium(k, total):
    """Of A + B = AB, with B twice as much as A."""

    def balances(c):
        a, b, ab = np.exp(c)
        return np.array([a + ab - total, b + ab - 2.0 * total, ab - k * a * b])

    sol = optimize.root(balances, np.log([0.3, 0.6, 0.2]), method="hybr", tol=1e-13)
    return np.exp(sol.x[2])


def fixed_layer(w, b):
    return np.sum(fixed_point(lambda x: np.tanh(w @ x + b), np.zeros(3), xtol=1e-13) ** 2)


def scalar_roots(a):
    first = optimize.root_scalar(lambda x: x**2 - a, bracket=[0, 2], method="brentq", xtol=1e-13)
    second = optimize.root_scalar(
        lambda x, c: x**3 - c, args=(a,), x0=1.0, fprime=lambda x, c: 3 * x**2, xtol=1e-13
    )
    return first.root * (second.root if second.converged else 0.0)


def shooting(length, load):
    """A boundary value problem: the initial slope for which the end comes back to zero."""

    def end(slope):
        sol = solve_ivp(
            lambda t, y: [y[1], -load * np.sin(y[0]) - 1.0],
            (0.0, length),
            [0.0, slope],
            rtol=1e-11,
            atol=1e-11,
        )
        return sol.y[0, -1]

    return brentq(end, 0.1, 2.0, xtol=1e-13)


# --- minima


def rosenbrock(a, b):
    res = minimize(
        lambda x: (x[0] - a) ** 2 + b * (x[1] - x[0] ** 2) ** 2 + a * x[1],
        np.array([0.5, 0.5]),
        jac=lambda x: np.array(
            [2 * (x[0] - a) - 4 * b * x[0] * (x[1] - x[0] ** 2), 2 * b * (x[1] - x[0] ** 2) + a]
        ),
        tol=1e-12,
    )
    return res.x[0] + 3 * res.x[1] + res.fun


def ridge(x, y, penalty):
    """A regression whose weights are those of least loss."""

    def loss(w):
        rest = x @ w - y
        return rest @ rest + penalty * (w @ w), 2 * x.T @ rest + 2 * penalty * w

    return minimize(loss, np.zeros(3), jac=True, tol=1e-12).x


def bounded(a, b):
    """One of the two is at its bound."""
    res = minimize(
        lambda x: (x[0] - a) ** 2 + (x[1] - b * x[0]) ** 2,
        [0.1, 0.1],
        bounds=[(0.0, 0.3), (None, None)],
        tol=1e-13,
    )
    return res.x[0] + res.x[1] ** 2 + res.fun


def valley(a, b):
    res = minimize_scalar(lambda x: (x - a) ** 2 + 0.1 * (x - b) ** 4, bracket=(-1.0, 1.0), tol=1e-12)
    return res.x + res.fun


def fitted(y, s):
    popt, _ = curve_fit(lambda t, a, k: a * np.exp(-k * t), TIMES, y, p0=[1.0, 1.0])
    return popt[0] + s * popt[1]


def squares(y, s):
    res = least_squares(
        lambda p: p[0] * np.exp(-p[1] * TIMES) - s * y, [1.0, 1.0], xtol=1e-13, gtol=1e-13, ftol=1e-13
    )
    return res.x @ np.array([1.0, 2.0]) + res.cost


def weighted_fit(y, s):
    weights = {"sigma": np.linspace(1.0, 2.0, len(y)), "absolute_sigma": True}
    popt, _ = curve_fit(lambda t, a: a * s * np.exp(-t), TIMES, y, check_finite=False, p0=[1.0], **weights)
    plain, _ = curve_fit(lambda t, a: a * s * np.exp(-t), TIMES, y, sigma=weights["sigma"], absolute_sigma=True)
    return popt[0] + 2 * plain[0]


# --- how functions can be handed over


class Model:
    """Methods, and objects that can be called."""

    def __init__(self, rate):
        self.rate = rate

    def value(self, x):
        return np.exp(-self.rate * x)

    def __call__(self, x):
        return self.value(x) ** 2


def methods(rate):
    model = Model(rate)
    return quad(model.value, 0, 1)[0] + quad(model, 0, 1)[0]


def base(x, a, b):
    return a * x**2 + np.sin(b * x)


def partials(a, b):
    return (
        quad(functools.partial(base, a=a, b=b), 0, b)[0]
        + quad(lambda x: base(x, a, 2.0) * base(x, 1.0, b), 0, 1)[0]
    )


def library_functions(a):
    return quad(np.sin, 0, a)[0] * quad(np.polyval, 0, 1, args=(a,))[0] if a < 0 else quad(np.cos, 0, a)[0]


def global_arrays(k):
    return integrate.quad(lambda x: np.polyval(COEFFICIENTS, x * k), -1, 1)[0]


def structures(params):
    a, (b, c) = params
    return quad(lambda x, p: p[0] * np.exp(-p[1][0] * x) + p[1][1], 0, 1, args=((a, (b, c)),))[0]


def dictionaries(d):
    out = 0.0
    for key in d:
        out = out + quad(lambda x, key=key: np.cos(d[key] * x), 0, d[key])[0]
    return out


def rates(x):
    y = x
    for _ in range(3):
        y = y * 0.7 + inner(y)
    return y


def inner(y):
    return np.tanh(y)


def callees(a):
    return quad(lambda x: rates(a * x), 0, 1)[0] + quad(rates, 0, a)[0] + quad(base, 0, 1, (a, 0.3))[0]


def repeated(n, x, a):
    return x if n == 0 else a * repeated(n - 1, x * x, a)


def recursive(a):
    return quad(lambda x: repeated(2, x, a), 0, 1)[0]


def solve_one(c, k):
    return newton(lambda x: np.exp(k * x) - c, 1.0, tol=1e-13)


def roots_in_integrals(c, k):
    return quad(lambda t: solve_one(c + t, k) ** 2, 0, 1)[0]


def neural(layers, y0):
    """Layers are pairs in a list."""

    def slope(y, t, layers):
        h = y
        for w, b in layers:
            h = np.tanh(w @ h + b)
        return h

    return odeint(slope, y0, TIMES, args=(layers,), rtol=1e-11, atol=1e-11)[-1]


def unequal_layers(ws, y0):
    sol = solve_ivp(lambda t, y: np.tanh(ws[1] @ np.tanh(ws[0] @ y)), (0, 1), y0, rtol=1e-11, atol=1e-11)
    return np.sum(sol.y[:, -1] ** 2)


def deep_equilibrium(ws, b):
    return fsolve(lambda x: x - np.tanh(ws[0] @ np.tanh(ws[1] @ x + b)), b, xtol=1e-13)


def complex_arguments(z):
    return quad(lambda x: np.real(z * x) ** 2 + np.imag(z) * x, 0, 1)[0]


# --- where they can stand


def repeatedly(a, n):
    x = a
    for _ in range(n):
        x = newton(lambda z: z**3 + z - x, 1.0, tol=1e-13)
        x = x * 2.0
    return x


def caught(a):
    try:
        x = brentq(lambda x: x**2 - a, 0, 1)
    except ValueError:
        x = a * 3.0
    return x


def rewritten(w):
    """What is captured changes between the calls."""
    h = np.zeros(3)
    h[0] = w[0]
    h[1] = w[1]
    first = quad(lambda t: np.sum(h * t), 0, 1)[0]
    h[0] = w[2] * w[2]
    second = quad(lambda t: np.sum(h * t**2), 0, 1)[0]
    return first * second


def written_solution(c):
    v = np.zeros(3)
    v[:2] = c[:2]
    x = fsolve(lambda x: x**2 - v - 1, np.ones(3), xtol=1e-13)
    x[0] = x[1] * 2
    v[0] = 5.0
    return np.sum(x * v)


def accumulated(a, y0):
    """Solutions that begin where others end."""
    y = y0
    for i in range(3):
        sol = solve_ivp(lambda t, y: [-a * y[1], a * y[0] * (i + 1)], (0.0, 0.5), y, rtol=1e-11, atol=1e-11)
        y = sol.y[:, -1]
    return y


def fitted_dynamics(a, y0):
    """The misfit of a solution to data."""
    y = odeint(lambda y, t: -a * y * (1.0 - 0.1 * y), y0, TIMES, rtol=1e-11, atol=1e-11)[:, 0]
    return np.mean((y - DATA) ** 2)


PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (decay, (0.7, 2.0)),
    (expected_utility, (0.3, 0.6, 0.9)),
    (tail, (0.3, 1.2, 0.5)),
    (arc_length, (1.2, 0.7, 1.5)),
    (powers, (-0.4,)),
    (payoff, (1.3, 0.4)),
    (moments, (VECTOR, np.array([0.4, 0.8, 1.2]))),
    (polynomial_areas, (VECTOR, 0.3)),
    (triangle, (1.2, 0.9)),
    (wedge, (0.8,)),
    (spectrum, (np.array([0.4, 0.7]), 0.3)),
    (smooth_matrix, (np.array([0.4, 0.7]), 1.3)),
    (gauss_legendre, (VECTOR, 0.2, 1.3)),
    (forced, (np.array([1.0, 0.5]), 0.7, 0.3)),
    (predators, (1.0, 0.5, 0.7, 0.3, 1.2, 0.8)),
    (epidemic, (1.4, 0.5, 0.1)),
    (pendulum, (1.2, TIMES, np.array([0.4, 0.2]))),
    (between_ends, (0.7, 2.1, 0.3, np.array([1.0, 0.5]))),
    (at_times, (0.8, np.linspace(0.4, 2.5, 6), 0.3, np.array([1.0, 2.0]))),
    (stiff, (0.6, np.array([1.4, 0.5]))),
    (backwards, (0.6, np.array([1.4, 0.5]))),
    (one_state, (1.2, 0.4)),
    (network, (MATRIX, VECTOR)),
    (cube_root, (1.3, 0.4)),
    (several_roots, (0.5,)),
    (implied_volatility, (0.12, 1.05, 0.7)),
    (kepler, (0.8, 0.3)),
    (many_kepler, (np.array([0.3, 0.8, 1.4]), 0.3)),
    (crossing, (4.0, 1.0)),
    (checked_crossing, (4.0, 1.0)),
    (equilibrium, (3.0, 0.5)),
    (fixed_layer, (MATRIX, VECTOR)),
    (scalar_roots, (1.1,)),
    (shooting, (1.2, 0.3)),
    (rosenbrock, (0.7, 2.0)),
    (ridge, (MATRIX, VECTOR, 0.3)),
    (bounded, (0.7, 0.9)),
    (valley, (0.4, 0.9)),
    (fitted, (DATA, 0.5)),
    (squares, (DATA, 0.9)),
    (weighted_fit, (DATA, 0.9)),
    (methods, (0.7,)),
    (partials, (0.7, 0.9)),
    (library_functions, (0.7,)),
    (global_arrays, (0.8,)),
    (structures, ((0.5, (0.3, 0.2)),)),
    (dictionaries, ({"a": 0.5, "b": 0.8},)),
    (callees, (0.4,)),
    (recursive, (0.4,)),
    (roots_in_integrals, (2.0, 0.7)),
    (neural, ([(MATRIX, VECTOR), (0.5 * MATRIX, -VECTOR)], VECTOR)),
    (unequal_layers, ([MATRIX[:2], MATRIX[:, :2]], VECTOR)),
    (deep_equilibrium, ([MATRIX, 0.5 * MATRIX], VECTOR)),
    (complex_arguments, (1.2 + 0.3j,)),
    (repeatedly, (1.2, 3)),
    (caught, (0.6,)),
    (caught, (1.6,)),
    (rewritten, (VECTOR,)),
    (written_solution, (VECTOR,)),
    (accumulated, (0.8, np.array([1.0, 0.5]))),
    (fitted_dynamics, (0.8, 2.0)),
]

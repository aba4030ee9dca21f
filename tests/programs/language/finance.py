"""Pricing and risk: closed forms with math.erf, trees as lists and as arrays, given normals, barriers, curves."""
# ruff: noqa: RUF007  (`zip(xs, xs[1:])` is what people post)

import math
from math import erf, exp, log, sqrt

import numpy as np

from ..case import case

DAYS_PER_YEAR = 252
BASES = {"annual": 1, "semi": 2, "quarterly": 4}


def norm_cdf(x):
    return 0.5 * (1.0 + erf(x / sqrt(2.0)))


def black_scholes(S, K, T, r, sigma, kind="call"):
    d1 = (log(S / K) + (r + sigma**2 / 2) * T) / (sigma * sqrt(T))
    d2 = d1 - sigma * sqrt(T)
    if kind == "call":
        return S * norm_cdf(d1) - K * exp(-r * T) * norm_cdf(d2)
    elif kind == "put":
        return K * exp(-r * T) * norm_cdf(-d2) - S * norm_cdf(-d1)
    raise ValueError(kind)


def straddle(S, K, T, r, sigma):
    return sum(black_scholes(S, K, T, r, sigma, kind=k) for k in ("call", "put"))


def binomial_tree_list(S, K, T, r, sigma, n=7):
    dt = T / n
    u = exp(sigma * sqrt(dt))
    d = 1 / u
    p = (exp(r * dt) - d) / (u - d)
    disc = exp(-r * dt)
    values = [max(S * u**j * d ** (n - j) - K, 0.0) for j in range(n + 1)]
    while len(values) > 1:
        values = [disc * (p * up + (1 - p) * down) for down, up in zip(values[:-1], values[1:])]
    return values[0]


def american_put_array(S, K, T, r, sigma, n=6):
    dt = T / n
    u = np.exp(sigma * np.sqrt(dt))
    p = (np.exp(r * dt) - 1 / u) / (u - 1 / u)
    prices = S * u ** (2.0 * np.arange(n + 1) - n)
    V = np.maximum(K - prices, 0.0)
    for step in range(n - 1, -1, -1):
        prices = S * u ** (2.0 * np.arange(step + 1) - step)
        V = np.exp(-r * dt) * (p * V[1:] + (1 - p) * V[:-1])
        V = np.where(K - prices > V, K - prices, V)
    return V[0]


def monte_carlo_asian(S, K, T, r, sigma, normals):
    paths, steps = normals.shape
    dt = T / steps
    payoff = 0.0
    for path in normals:
        price, running = S, 0.0
        for z in path:
            price *= exp((r - 0.5 * sigma**2) * dt + sigma * sqrt(dt) * z)
            running += price
        average = running / steps
        if average > K:
            payoff += average - K
    return exp(-r * T) * payoff / paths


def knock_out(spot, strike, barrier, vol, normals):
    total = 0.0
    for path in normals:
        s = spot
        for z in path:
            s = s * math.exp(-0.005 * vol**2 + 0.1 * vol * z)
            if s >= barrier:
                break
        else:
            total += max(s - strike, 0.0)
    return total / len(normals)


def bond_price(face, coupon, ytm, years, freq="semi"):
    m = BASES[freq]
    n = years * m
    flows = [face * coupon / m] * n
    flows[-1] += face
    return sum(cf / (1 + ytm / m) ** k for k, cf in enumerate(flows, 1))


def yield_to_maturity(price, face, coupon, years):
    """Secant iteration, started from the coupon rate."""
    def mispricing(y):
        return sum(face * coupon / (1 + y) ** k for k in range(1, years + 1)) + face / (1 + y) ** years - price

    y0, y1 = coupon, coupon + 0.01
    f0, f1 = mispricing(y0), mispricing(y1)
    while abs(f1) > 1e-10:
        y0, y1 = y1, y1 - f1 * (y1 - y0) / (f1 - f0)
        f0, f1 = f1, mispricing(y1)
    return y1


def implied_vol(target, S, K, T, r, guess=0.25):
    sigma = guess
    for _ in range(60):
        diff = black_scholes(S, K, T, r, sigma) - target
        if abs(diff) < 1e-12:
            return sigma
        d1 = (log(S / K) + (r + sigma * sigma / 2) * T) / (sigma * sqrt(T))
        vega = S * sqrt(T) * exp(-d1 * d1 / 2) / sqrt(2 * math.pi)
        sigma -= diff / vega
    raise ArithmeticError("no convergence")


def portfolio_variance(weights, vols, corr):
    n = len(weights)
    var = 0.0
    for i in range(n):
        var += (weights[i] * vols[i]) ** 2
        for j in range(i + 1, n):
            var += 2 * weights[i] * weights[j] * vols[i] * vols[j] * corr[i][j]
    return sqrt(var)


def sharpe(returns, weights, risk_free=0.01):
    r = returns @ (weights / weights.sum())
    excess = r - risk_free / DAYS_PER_YEAR
    return excess.mean() / excess.std() * math.sqrt(DAYS_PER_YEAR)


def bootstrap_curve(par_rates):
    # discount factors from annual par swaps, one after the other
    dfs = []
    for rate in par_rates:
        df = (1.0 - rate * sum(dfs)) / (1.0 + rate)
        dfs.append(df)
    return -math.log(dfs[-1]) / len(dfs)


def mortgage(principal, rate, months, extra=0.0):
    i = rate / 12
    payment = principal * i / (1 - (1 + i) ** -months)
    balance, interest_paid, month = principal, 0.0, 0
    while balance > 0 and month < months:
        interest = i * balance
        interest_paid += interest
        due = payment + extra - interest
        balance = balance - due if balance > due else 0.0
        month += 1
    print(f"paid off after {month} months, interest {interest_paid:.2f}")
    return interest_paid


def nelson_siegel(params, maturities, quotes):
    b0, b1, b2, tau = params
    sse = 0.0
    for m, q in zip(maturities, quotes):
        decay = np.exp(-m / tau)
        slope = (1 - decay) / (m / tau)
        sse += (b0 + b1 * slope + b2 * (slope - decay) - q) ** 2
    return sse


def garch_loglik(omega, alpha, beta, returns):
    h = omega / (1 - alpha - beta)
    ll = 0.0
    for r in returns:
        ll -= 0.5 * (log(h) + r * r / h)
        h = omega + alpha * r**2 + beta * h
    return ll


def progressive_tax(income, brackets=((10_000, 0.1), (30_000, 0.2), (80_000, 0.35), (math.inf, 0.45))):
    owed, lower = 0.0, 0.0
    for upper, rate in brackets:
        if income <= upper:
            return owed + rate * (income - lower)
        owed += rate * (upper - lower)
        lower = upper


_CORR = [[1.0, 0.3, 0.1], [0.3, 1.0, -0.2], [0.1, -0.2, 1.0]]

CASES = (
    case(black_scholes, lambda rng: (100.0, 105.0, 0.75, 0.03, 0.2, "put"), wrt=(0, 1, 2, 3, 4)),
    case(straddle, lambda rng: (100.0, 95.0, 1.25, 0.02, 0.3), wrt=(0, 1, 2, 3, 4)),
    case(binomial_tree_list, lambda rng: (100.0, 103.0, 1.0, 0.04, 0.25), wrt=(0, 1, 2, 3, 4)),
    case(american_put_array, lambda rng: (98.0, 103.5, 1.0, 0.05, 0.3), wrt=(0, 1, 2, 3, 4)),
    case(monte_carlo_asian, lambda rng: (100.0, 99.3, 1.0, 0.02, 0.2, rng.normal(size=(5, 4))), wrt=(0, 1, 2, 3, 4, 5)),
    case(knock_out, lambda rng: (1.0, 0.9, 1.12, 0.5, rng.normal(size=(6, 5))), wrt=(0, 1, 3)),
    case(bond_price, lambda rng: (100.0, 0.05, 0.043, 4), wrt=(0, 1, 2)),
    case(yield_to_maturity, lambda rng: (97.2, 100.0, 0.05, 6), wrt=(0, 1, 2)),
    case(implied_vol, lambda rng: (8.1, 100.0, 101.0, 0.8, 0.02), wrt=(0, 1, 2, 3, 4)),
    case(portfolio_variance, lambda rng: ([0.5, 0.3, 0.2], [0.2, 0.15, 0.3], _CORR), wrt=(0, 1)),
    case(sharpe, lambda rng: (0.01 * rng.normal(size=(8, 3)) + 0.002, np.array([0.5, 0.2, 0.4])), wrt=(0, 1)),
    case(bootstrap_curve, lambda rng: ([0.02, 0.025, 0.028, 0.031],)),
    case(mortgage, lambda rng: (1000.0, 0.06, 24, 20.0), wrt=(0, 1, 3)),
    case(nelson_siegel,
         lambda rng: (np.array([0.04, -0.02, 0.01, 1.8]), [0.5, 1.0, 2.0, 5.0], [0.02, 0.024, 0.03, 0.035])),
    case(garch_loglik, lambda rng: (0.1, 0.15, 0.7, rng.normal(size=7)), wrt=(0, 1, 2, 3)),
    case(progressive_tax, lambda rng: (47_500.0,)),
)

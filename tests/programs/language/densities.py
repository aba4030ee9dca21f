"""Log densities as samplers want them: mixtures, special functions by hand, hierarchical models, latent chains."""

import math
from functools import reduce

import numpy as np

from ..case import case

LOG_2PI = math.log(2.0 * math.pi)
# Lanczos, g = 7
LANCZOS = (0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
           -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6)


def normal_logpdf(x, mu=0.0, sigma=1.0):
    z = (x - mu) / sigma
    return -0.5 * z * z - math.log(sigma) - 0.5 * LOG_2PI


def logsumexp(xs):
    m = max(xs)
    return m + math.log(sum(math.exp(x - m) for x in xs))


def lgamma_lanczos(z):
    if z < 0.5:
        return math.log(math.pi / math.sin(math.pi * z)) - lgamma_lanczos(1.0 - z)
    z = z - 1.0
    series = LANCZOS[0]
    for i, c in enumerate(LANCZOS[1:], start=1):
        series += c / (z + i)
    t = z + 7.5
    return 0.5 * LOG_2PI + (z + 0.5) * math.log(t) - t + math.log(series)


def iid_normal(mu, log_sigma, data):
    return sum(normal_logpdf(x, mu, sigma=math.exp(log_sigma)) for x in data)


def gaussian_mixture(weights, means, sigmas, data):
    total = weights[0] + weights[1] + weights[2]
    logp = 0.0
    for x in data:
        parts = []
        for w, m, s in zip(weights, means, sigmas):
            parts.append(math.log(w / total) + normal_logpdf(x, m, s))
        logp += logsumexp(parts)
    return logp


def gamma_logpdf(xs, shape, rate):
    norm = shape * math.log(rate) - lgamma_lanczos(shape)
    return sum([norm + (shape - 1) * math.log(x) - rate * x for x in xs])


def beta_binomial(a, b, k, n):
    def log_beta(p, q):
        return lgamma_lanczos(p) + lgamma_lanczos(q) - lgamma_lanczos(p + q)

    log_choose = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return log_choose + log_beta(k + a, n - k + b) - log_beta(a, b)


def student_t(x, nu, loc, scale):
    """Works for arrays of observations."""
    z = (x - loc) / scale
    const = lgamma_lanczos((nu + 1) / 2) - lgamma_lanczos(nu / 2) - 0.5 * np.log(nu * np.pi) - np.log(scale)
    return np.sum(const - (nu + 1) / 2 * np.log1p(z**2 / nu))


def eight_schools(theta, mu, log_tau, effects, errors):
    # non-centred: theta are standard normals
    tau = np.exp(log_tau)
    lp = -0.5 * (mu / 5.0) ** 2 + log_tau - math.log(1.0 + (tau / 5) ** 2)
    lp += -0.5 * np.sum(theta**2)
    school = mu + tau * theta
    for j, (y, se) in enumerate(zip(effects, errors)):
        lp += -0.5 * ((y - school[j]) / se) ** 2 - np.log(se)
    return lp


def multivariate_normal(x, mean, L):
    """L is a Cholesky factor; forward substitution by rows."""
    n = len(x)
    z = []
    for i in range(n):
        s = x[i] - mean[i]
        for j in range(i):
            s -= L[i, j] * z[j]
        z.append(s / L[i, i])
    return -0.5 * sum(v * v for v in z) - sum(np.log(L[i, i]) for i in range(n)) - 0.5 * n * LOG_2PI


def dirichlet_logpdf(p, alpha):
    log_norm = lgamma_lanczos(sum(alpha)) - sum(lgamma_lanczos(a) for a in alpha)
    return log_norm + reduce(lambda acc, pa: acc + (pa[1] - 1.0) * math.log(pa[0]), zip(p, alpha), 0.0)


def neals_funnel(v, *xs):
    lp = normal_logpdf(v, 0.0, 3.0)
    for x in xs:
        lp = lp + normal_logpdf(x, sigma=math.exp(v / 2))
    return lp


def ar1_loglik(phi, sigma, ys):
    stationary = sigma / math.sqrt(1 - phi * phi)
    ll = normal_logpdf(ys[0], 0.0, stationary)
    prev = ys[0]
    for y in ys[1:]:
        ll += normal_logpdf(y, phi * prev, sigma)
        prev = y
    return ll


def logistic_regression_posterior(params, X, y):
    b, *w = params
    prior = -0.5 * (b * b / 25.0 + sum(wi**2 for wi in w))
    like = 0.0
    for row, yi in zip(X, y):
        eta = b + sum(wi * xi for wi, xi in zip(w, row))
        like += yi * eta - (eta + math.log1p(math.exp(-eta)) if eta > 0 else math.log1p(math.exp(eta)))
    return prior + like


def weighted_data(params, data):
    """A model chosen by name; the parameters come in a dictionary."""
    out = 0.0
    for kind, x in data:
        match kind:
            case tails if tails == "heavy":
                out += -math.log1p(((x - params["mu"]) / params["scale"]) ** 2) - math.log(params["scale"])
            case "exact" | "normal":
                out += normal_logpdf(x, params["mu"], params["scale"])
            case _:
                raise ValueError(f"unknown observation {kind!r}")
    return out


def von_mises(theta, mu, kappa):
    bessel, term, k = 1.0, 1.0, 0
    while term > 1e-14 * bessel:
        k += 1
        term = term * (kappa * kappa / 4) / (k * k)
        bessel += term
    return kappa * np.cos(theta - mu).sum() - theta.size * (LOG_2PI + np.log(bessel))


def change_point(rates, switch, counts):
    early, late = rates
    lp = 0.0
    for t, n in enumerate(counts):
        lam = early if t < switch else late
        lp += n * math.log(lam) - lam - math.lgamma(n + 1)
    return lp - early - late


CASES = (
    case(iid_normal, lambda rng: (0.3, -0.2, rng.normal(size=5)), wrt=(0, 1, 2)),
    case(gaussian_mixture,
         lambda rng: ([0.5, 1.2, 0.8], [-1.0, 0.4, 2.0], [0.6, 1.1, 0.9], rng.normal(size=4)), wrt=(0, 1, 2, 3)),
    case(gamma_logpdf, lambda rng: ([0.4, 1.3, 2.2], 2.7, 1.4), wrt=(0, 1, 2)),
    case(beta_binomial, lambda rng: (0.35, 2.5, 3, 8), wrt=(0, 1)),
    case(student_t, lambda rng: (rng.normal(size=5), 4.5, 0.2, 1.3), wrt=(0, 1, 2, 3)),
    case(eight_schools,
         lambda rng: (rng.normal(size=4), 2.0, 0.5, [28.0, 8.0, -3.0, 7.0], [15.0, 10.0, 16.0, 11.0]),
         wrt=(0, 1, 2, 3, 4)),
    case(multivariate_normal,
         lambda rng: (rng.normal(size=3), rng.normal(size=3), np.tril(0.3 * rng.normal(size=(3, 3))) + np.eye(3) * 1.5),
         wrt=(0, 1, 2)),
    case(dirichlet_logpdf, lambda rng: ([0.2, 0.5, 0.3], [1.5, 2.2, 0.8]), wrt=(0, 1)),
    case(neals_funnel, lambda rng: (0.7, 0.3, -1.1, 0.6), wrt=(0, 1, 2, 3)),
    case(ar1_loglik, lambda rng: (0.6, 0.9, rng.normal(size=6)), wrt=(0, 1, 2)),
    case(logistic_regression_posterior,
         lambda rng: (rng.normal(size=3), rng.normal(size=(5, 2)), [1, 0, 0, 1, 1]), wrt=(0, 1)),
    case(weighted_data,
         lambda rng: ({"mu": 0.4, "scale": 1.3}, [("exact", 0.2), ("heavy", 5.0), ("normal", 1.1), ("heavy", -0.6)]),
         wrt=(0,)),
    case(von_mises, lambda rng: (rng.uniform(-2, 2, size=4), 0.3, 2.1), wrt=(0, 1, 2)),
    case(change_point, lambda rng: ((3.1, 1.2), 3, [4, 2, 5, 1, 0, 2]), wrt=(0,)),
)

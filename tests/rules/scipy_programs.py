"""Programs that call SciPy, with a place and the highest order of derivative that is tested there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg as sl
import scipy.special as sp
from scipy import integrate, interpolate, ndimage, signal, sparse, special, stats
from scipy.special import expit, gammaln, logsumexp
from scipy.stats import norm

RNG = np.random.default_rng(3)
X, Y = RNG.uniform(0.5, 2.0, 5), RNG.uniform(0.5, 2.0, 5)
M = RNG.normal(size=(3, 4))
PLACES = np.array([0.0, 0.3, 0.7, 1.5, 1.9])
IJ = (np.arange(5), np.arange(5))
SQUARE = np.array([[2.0, -1.0, 0.3], [0.5, 1.5, -0.7], [0.1, 0.9, 1.2]])


def negative_binomial(x, r, p):
    return np.sum(gammaln(x + r) - gammaln(r) - gammaln(x + 1) + r * np.log(p) + sp.xlog1py(x, -p))


def mixture(x, means, weights):
    parts = -0.5 * (x[:, None] - means) ** 2
    return -np.sum(logsumexp(parts, axis=1, b=special.softmax(weights)))


def classifier(w, x):
    scores = special.log_softmax(x @ w, axis=1)
    return -np.mean(scores[:, 1]) + np.sum(special.softmax(x @ w, axis=-1) ** 2)


def logistic(w, x):
    return np.sum(sp.log_expit(x @ w)) + np.sum(expit(x @ w) ** 2)


def fading(x):
    total = 0.0
    for k in range(3):
        total = total + sp.jv(k, x) * sp.ive(k, x) + sp.spherical_jn(k, x)
    return np.sum(total)


def waves(x):
    ai, aip, bi, bip = sp.airy(-x)
    si, ci = sp.sici(x)
    return np.sum(ai * bip - 0.1 * aip * bi**2 + si * ci)


def transformed(x, lmbda):
    y = sp.boxcox(x, lmbda)
    return np.sum(sp.inv_boxcox(y, lmbda / 2) + sp.boxcox1p(x, lmbda))


def quantiles(p):
    return np.sum(sp.ndtri(p) * sp.erfinv(2 * p - 1) + sp.gammaincinv(2.5, p) + sp.betaincinv(1.5, 2.5, p))


def gaussian_process(x, y, scale, noise):
    k = np.exp(-0.5 * (x[:, None] - x) ** 2 / scale**2) + noise * np.eye(len(x))
    factor = sl.cho_factor(k, lower=True)
    return 0.5 * y @ sl.cho_solve(factor, y) + np.sum(np.log(np.diag(factor[0])))


def triangular(x, y, scale):
    k = np.exp(-0.5 * (x[:, None] - x) ** 2 / scale**2) + 0.1 * np.eye(len(x))
    total = np.sum(k)
    root = sl.cholesky(k, lower=True, overwrite_a=True)
    z = sl.solve_triangular(root, y, lower=True)
    return z @ z + total


def eliminated(a, b):
    lu, piv = sl.lu_factor(a)
    x = sl.lu_solve((lu, piv), b)
    p, l, u = sl.lu(a)
    return x @ sl.lu_solve((lu, piv), x, 1) + np.sum(np.tril(l, -1) * a) + sl.det(a)


def relaxed(a, t):
    return np.sum(sl.expm(-t * a) @ sl.expm(a)) + np.sum(sl.sinm(a) ** 2)


def controlled(a, q):
    x = sl.solve_continuous_lyapunov(a, q @ q.T)
    y = sl.solve_discrete_lyapunov(0.1 * a, q @ q.T)
    return np.trace(x @ sl.solve_sylvester(a, a.T, y)) + np.sum(sl.sqrtm(y @ y.T + np.eye(3)))


def structured(c, r, b):
    ab = np.stack([0.1 * r, 2.0 + c**2, 0.3 * c])
    x = sl.solve_banded((1, 1), ab, b)
    t = (
        sl.toeplitz(c, r)
        + sl.circulant(c)
        + sl.hankel(r)
        + sl.block_diag(c[:1, None], np.outer(r[:3], b[:3]))
    )
    return x @ t @ x + sl.norm(t) + np.sum(sl.solve(t + 4 * np.eye(4), b, overwrite_a=True))


def spectral(a):
    w, v = sl.eigh(a @ a.T + np.eye(3), lower=False)
    u, s, vh = sl.svd(a)
    q, r = sl.qr(a, mode="economic")
    return (
        np.sum(w * v[0] ** 2)
        + s[0]
        + u[0, 0] * vh[0, 0] * s[1]
        + q[0, 0] * r[0, 1]
        + np.sum(sl.pinv(a) * a.T)
    )


def posterior(theta, data):
    mu, sigma = theta[0], np.exp(theta[1])
    prior = stats.norm.logpdf(mu, 0.0, 2.0) + stats.gamma.logpdf(sigma, 2.0, scale=0.5)
    return prior + np.sum(stats.t.logpdf(data, np.exp(theta[2]), loc=mu, scale=sigma))


def censored(x, loc, scale):
    return np.sum(
        norm.logcdf(x, loc, scale) + norm.logsf(x, loc=loc) + norm.pdf(x) + stats.expon.cdf(x, scale=scale)
    )


def drawn(u, loc, scale):
    return np.sum(norm.ppf(u, loc, scale) * stats.logistic.ppf(u) + stats.gamma.ppf(u, 2.5, scale=scale))


def counted(rates, p):
    k = np.arange(5)
    return (
        np.sum(stats.poisson.logpmf(k, rates))
        + np.sum(stats.binom.pmf(k, 7, p))
        + stats.bernoulli.logpmf(1, p)
    )


def gaussian_vectors(x, mean, root):
    cov = root @ root.T + np.eye(3)
    return np.sum(stats.multivariate_normal.logpdf(x, mean, cov)) + stats.multivariate_normal.logpdf(
        mean, cov=cov
    )


def shares(scores, alpha):
    return stats.dirichlet.logpdf(special.softmax(scores), alpha)


def filtered(x, taps, poles):
    smooth = signal.convolve(x, taps, "same")
    echo = signal.lfilter(taps, np.concatenate((np.ones(1), poles)), x)
    return (
        np.sum(smooth * echo)
        + np.sum(signal.correlate(x, echo, "valid"))
        + np.sum(signal.fftconvolve(x, x) ** 2)
    )


def image(x, w):
    edges = ndimage.convolve(x, w, mode="mirror") * ndimage.correlate(x, w, mode="nearest")
    return np.sum(ndimage.gaussian_filter(x, 0.8) * edges) + np.sum(
        ndimage.uniform_filter(x, 3, mode="wrap") ** 2
    )


def integrated(y, dx):
    running = integrate.cumulative_trapezoid(y**2, PLACES, initial=0)
    area = integrate.simpson(running * y, dx=dx) + integrate.trapezoid(y, PLACES)
    return area * integrate.simpson(y, x=PLACES)


def frozen(x, loc, scale):
    wide = stats.norm(loc, scale=scale)
    vectors = stats.multivariate_normal(np.zeros(3), np.outer(x[:3], x[:3]) + np.eye(3))
    return (
        np.sum(wide.logpdf(x) + wide.cdf(x)) + vectors.logpdf(x[1:4]) + stats.gamma(2.5, scale=scale).ppf(0.3)
    )


TRIDIAGONAL = sparse.diags_array(
    [np.full(4, -1.0), np.full(5, 3.0), np.full(4, -1.5)], offsets=(-1, 0, 1)
).tocsr()
MATRIX = sparse.csr_matrix(TRIDIAGONAL)
COLUMNS = sparse.csc_matrix(TRIDIAGONAL)


def sparse_products(x):
    y = TRIDIAGONAL @ x**2
    z = MATRIX.T @ y + MATRIX @ y + y @ TRIDIAGONAL
    return np.sum(z * sparse.linalg.spsolve(TRIDIAGONAL, x))


def sparse_argument(a, x):
    return np.sum(a.dot(x) ** 2) + np.sum((a.T @ (x[:, None] * x)) ** 2)


def sparse_solvers(x, b):
    solver, factors = sparse.linalg.factorized(COLUMNS), sparse.linalg.splu(COLUMNS)
    y = solver(x) * factors.solve(b) + factors.solve(x, "T")
    z, _ = sparse.linalg.gmres(TRIDIAGONAL, y, rtol=1e-13)
    return np.sum(z * sparse.linalg.expm_multiply(-0.1 * TRIDIAGONAL, x) ** 2)


def dense_solvers(a, b):
    spd = a @ a.T + np.eye(3)
    return (
        np.sum(sparse.linalg.cg(spd, b, rtol=1e-14)[0] ** 2)
        + sparse.linalg.bicgstab(a + 3 * np.eye(3), b, rtol=1e-14)[0][0]
    )


def made_inside(x):
    second = sparse.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(5, 5))
    both = sparse.kron(sparse.eye(1), second) + sparse.identity(5)
    return np.sum((second @ x) ** 2) + x @ (both @ x)


SPLINE = interpolate.CubicSpline(PLACES, np.sin(PLACES))
B_SPLINE = interpolate.make_interp_spline(PLACES, np.cos(PLACES))
FITTED = interpolate.InterpolatedUnivariateSpline(PLACES, PLACES**2)
MONOTONE = interpolate.PchipInterpolator(PLACES, PLACES**3)


def splined(x, t):
    return np.sum(SPLINE(x) * B_SPLINE(x) + FITTED(x) * SPLINE(x, 1)) + MONOTONE(t) * t


PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...], int]] = [
    (negative_binomial, (X, 2.5, 0.4), 1),
    (mixture, (X, np.array([0.3, 0.9, 1.7]), np.array([0.1, -0.4, 0.2])), 1),
    (classifier, (RNG.normal(size=(4, 3)), M), 2),
    (logistic, (RNG.normal(size=4), M), 2),
    (fading, (X,), 2),
    (waves, (X,), 2),
    (transformed, (X, 0.3), 1),
    (quantiles, (np.array([0.2, 0.4, 0.7]),), 2),
    (posterior, (np.array([0.3, -0.2, 1.1]), RNG.normal(size=6)), 2),
    (censored, (X, 0.3, 1.4), 2),
    (drawn, (np.array([0.2, 0.4, 0.7]), 0.3, 1.4), 2),
    (counted, (X, 0.3), 2),
    (gaussian_vectors, (RNG.normal(size=(4, 3)), RNG.normal(size=3), SQUARE), 2),
    (shares, (RNG.normal(size=4), X[:4]), 2),
    (filtered, (RNG.normal(size=6), RNG.normal(size=3), np.array([-0.4, 0.2])), 2),
    (image, (RNG.normal(size=(5, 6)), RNG.normal(size=(2, 3))), 2),
    (integrated, (X, 0.3), 2),
    (splined, (np.array([0.2, 0.5, 1.1]), 0.6), 2),
    (frozen, (X, 0.3, 1.4), 1),
    (sparse_products, (X,), 2),
    (sparse_solvers, (X, Y), 1),
    (dense_solvers, (SQUARE, X[:3]), 1),
    (made_inside, (X,), 1),
    (gaussian_process, (X, Y, 0.7, 0.3), 2),
    (triangular, (X, Y, 0.7), 2),
    (eliminated, (SQUARE, RNG.normal(size=3)), 2),
    (relaxed, (0.3 * SQUARE, 0.5), 1),
    (controlled, (SQUARE, RNG.normal(size=(3, 3))), 1),
    (structured, (RNG.normal(size=4), RNG.normal(size=4), RNG.normal(size=4)), 1),
    (spectral, (SQUARE,), 1),
]

"""Programs that call SciPy's functions which are written as programs (``s2sad.libraries.scipy.prelude``), with a place each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg as sl
import scipy.optimize as opt
from scipy import stats
from scipy.spatial import distance as sd

RNG = np.random.default_rng(0)
X, Y, A = RNG.normal(size=6), RNG.normal(size=6), RNG.normal(size=(3, 5))
P, B = RNG.uniform(0.2, 2.0, 6), RNG.uniform(0.2, 2.0, (3, 5))
SQUARE = np.array([[2.0, -1.0, 0.3], [0.5, 1.5, -0.7], [0.1, 0.9, 1.2]])
SPD = SQUARE @ SQUARE.T + np.eye(3)
TALL, THIN = RNG.normal(size=(5, 3)), RNG.normal(size=(5, 2))
BANDS = np.array([[0.0, 0.1, 0.2, 0.3], [2.0, 2.5, 3.0, 2.2]])
FIRST = np.array([4.3, 0.3, -0.2, 0.4])


def means(x, w):
    return np.sum(stats.gmean(x, axis=1, weights=w) * stats.hmean(x, axis=1)) + stats.pmean(x[0], 1.5)


def standardised(x):
    return np.sum(stats.zscore(x, axis=1)[:, 1] * stats.zscore(x, ddof=1)[0, 1])


def standardised_by(x, y):
    return np.sum(stats.zmap(x, y) ** 2) + stats.gzscore(x * x)[2]


def moments(x):
    both = stats.skew(x, axis=1) * stats.kurtosis(x, axis=1, fisher=False)
    return np.sum(both) + stats.moment(x, 3)[0] + stats.kurtosis(x[0])


def spreads(x):
    return (
        stats.sem(x) + stats.variation(x) + stats.gstd(x) + stats.iqr(x) + stats.trim_mean(x, 0.2)
        + stats.tmean(x) * stats.tvar(x) * stats.tstd(x)
    )  # fmt: skip


def divergences(p, q):
    return stats.entropy(p) * stats.entropy(p, q) + stats.entropy(p, base=2)


def moved(x, y):
    return stats.wasserstein_distance(x, y[:4])


def correlated(x, y):
    return stats.pearsonr(x, y).statistic * stats.pearsonr(x, y)[1]


def fitted(x, y):
    line = stats.linregress(x, y)
    slope, intercept, r, _, _ = line
    return line.slope * intercept + line.pvalue * r + line.stderr + slope


def normalised(x, y, power):
    return np.sum(stats.boxcox(x, power)) + stats.boxcox_llf(power, x) + np.sum(stats.yeojohnson(y, power))


def smoothed(x, t):
    return np.sum(stats.gaussian_kde(x)(t)) + np.sum(stats.gaussian_kde(x, "silverman").logpdf(t))


def smoothed_plane(x):
    density = stats.gaussian_kde(x[:2], 0.7)
    return np.sum(density.pdf(0.5 * x[:2, :3]) ** 2)


def lengths(u, v):
    units = sd.seuclidean(u, v, np.arange(1.0, 7.0))
    return (
        sd.euclidean(u, v)
        + sd.sqeuclidean(u, v) * sd.cityblock(u, v)
        + sd.chebyshev(u, v)
        + sd.minkowski(u, v, 3)
        + units
    )


def angles(u, v):
    return (
        sd.mahalanobis(u, v, np.eye(6) + 0.1)
        + sd.cosine(u, v) * sd.correlation(u, v)
        + sd.canberra(u, v)
        + sd.braycurtis(u, v)
    )


def shares(p, q):
    return sd.jensenshannon(p, q) + sd.jensenshannon(p, q, 2)


def matrices(a, b):
    total = np.sum(sd.cdist(a, b) ** 3) + np.sum(sd.cdist(a, b, "minkowski", p=3))
    total += (
        np.sum(sd.cdist(a, b, "sqeuclidean"))
        + np.sum(sd.cdist(a, b, "cityblock"))
        + np.sum(sd.cdist(a, b, "chebyshev"))
    )
    total += np.sum(sd.cdist(a, b, metric="cosine") ** 3) + np.sum(sd.cdist(a, b, "correlation"))
    return total + np.sum(sd.cdist(a, b, "canberra") ** 3) + np.sum(sd.cdist(a, b, "braycurtis"))


def pairs(a, x):
    return np.sum(sd.pdist(a) ** 3 * np.arange(3)) + np.sum(sd.squareform(sd.pdist(a, "cosine"))[0] ** 2) + np.sum(
        sd.squareform(sd.squareform(x)) ** 3
    )  # fmt: skip


def least_squares(a, b):
    x, left, _, values = sl.lstsq(a, b)
    return np.sum(x**2) + left * values[0]


def inverses(a):
    return np.sum(sl.pinvh(a) ** 3) + np.sum(sl.pinvh(a @ a.T, lower=False))


def bands(ab, b):
    whole = np.sum(sl.solveh_banded(ab, b) ** 2) + np.sum(sl.solveh_banded(ab[::-1], b, lower=True))
    return (
        whole
        + np.sum(sl.cho_solve_banded((ab, False), b) ** 2)
        + np.sum(sl.cho_solve_banded((ab[::-1], True), b))
    )


def toeplitz(c, r, b):
    solved = np.sum(sl.solve_toeplitz((c, r), b) ** 2) + np.sum(sl.solve_toeplitz(c, np.outer(b, b)) ** 2)
    return (
        solved
        + np.sum(sl.matmul_toeplitz((c, r), b) ** 2)
        + np.sum(sl.matmul_toeplitz(c, np.outer(b, b)) ** 2)
    )


def circulant(c, b):
    return np.sum(sl.solve_circulant(c, b) ** 2) + np.sum(sl.solve_circulant(c, np.outer(b, b)))


def tangents(a):
    return np.sum(sl.tanm(0.3 * a) ** 2) + np.sum(sl.tanhm(a))


def powers(a, t):
    return np.sum(sl.fractional_matrix_power(a, t) ** 2)


def subspaces(a, b):
    near = sl.subspace_angles(b, b + 0.1 * a[:, :2] ** 2)
    return np.sum(sl.subspace_angles(a, b) * np.array([1.0, 2.0])) + near[0]


def procrustes(a, b):
    turn, size = sl.orthogonal_procrustes(a, b)
    return np.sum(turn * a[:3]) * size


def structures(a, s):
    return (
        np.sum(sl.companion(a) ** 2) + np.sum(sl.convolution_matrix(a, 3)[1] ** 2) + np.sum(sl.fiedler(a) ** 2)
        + np.sum(sl.leslie(a[:3], s) ** 3) + np.sum(sl.diagsvd(s, 2, 4) ** 2)
    )  # fmt: skip


def valleys(x):
    return opt.rosen(x) + opt.rosen_der(x) @ x + np.sum(opt.rosen_hess(x) ** 2) + opt.rosen_hess_prod(x, x) @ x


PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    program.__name__: (program, args)
    for program, args in [
        (means, (B, 2 * B)),
        (standardised, (A,)),
        (standardised_by, (X, Y)),
        (moments, (A,)),
        (spreads, (P,)),
        (divergences, (P, P[::-1] + 0.1)),
        (moved, (X, Y)),
        (correlated, (X, Y)),
        (fitted, (X, Y)),
        (normalised, (P, X, 0.3)),
        (smoothed, (X, Y[:3])),
        (smoothed_plane, (A,)),
        (lengths, (X, Y)),
        (angles, (X, Y)),
        (shares, (P, P[::-1] + 0.1)),
        (matrices, (A, np.vstack([0.3 * A[:2] + 0.1, B[1:]]))),
        (pairs, (A, X)),
        (least_squares, (TALL, 0.3 * TALL[:, 0] + np.arange(5.0))),
        (inverses, (SPD,)),
        (bands, (BANDS, X[:4])),
        (toeplitz, (FIRST, Y[:4], P[:4])),
        (circulant, (FIRST, Y[:4])),
        (tangents, (SQUARE,)),
        (powers, (SPD, 0.3)),
        (subspaces, (TALL, THIN)),
        (procrustes, (TALL, TALL**2)),
        (structures, (X[:4], Y[:2])),
        (valleys, (X[:4],)),
    ]
}
# Those whose second derivatives are tested, too.
TWICE = {"standardised", "moments", "divergences", "fitted", "bands", "circulant", "least_squares"}

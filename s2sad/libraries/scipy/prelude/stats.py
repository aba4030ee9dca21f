"""``scipy.stats``: summaries of samples, correlations, transformations, and kernel density estimates."""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import special

__all__ = [
    "boxcox",
    "boxcox_llf",
    "entropy",
    "gaussian_kde",
    "gmean",
    "gstd",
    "gzscore",
    "hmean",
    "iqr",
    "kurtosis",
    "linregress",
    "moment",
    "pearsonr",
    "pmean",
    "sem",
    "skew",
    "tmean",
    "trim_mean",
    "tstd",
    "tvar",
    "variation",
    "wasserstein_distance",
    "yeojohnson",
    "zmap",
    "zscore",
]

NORMAL_RANGE = float(2 * math.sqrt(2) * special.erfinv(0.5))  # between the quartiles of the normal distribution

# --- means


def gmean(
    a: Any, axis: Any = 0, dtype: Literal[None] = None, weights: Any = None, *, keepdims: Any = False
) -> Any:
    """The geometric mean."""
    return np.exp(np.average(np.log(a), axis=axis, weights=weights, keepdims=keepdims))


def hmean(
    a: Any, axis: Any = 0, dtype: Literal[None] = None, *, weights: Any = None, keepdims: Any = False
) -> Any:
    """The harmonic mean."""
    return 1.0 / np.average(1.0 / np.asarray(a), axis=axis, weights=weights, keepdims=keepdims)


def pmean(
    a: Any, p: Any, *, axis: Any = 0, dtype: Literal[None] = None, weights: Any = None, keepdims: Any = False
) -> Any:
    """The power mean, of a power that is not 0."""
    return np.average(np.asarray(a) ** p, axis=axis, weights=weights, keepdims=keepdims) ** (1.0 / p)


def tmean(
    a: Any,
    limits: Literal[None] = None,
    inclusive: Any = (True, True),
    axis: Any = None,
    *,
    keepdims: Any = False,
) -> Any:
    """The mean, of all items."""
    return np.mean(a, axis=axis, keepdims=keepdims)


def trim_mean(a: Any, proportiontocut: Any, axis: Any = 0, *, keepdims: Any = False) -> Any:
    """The mean without the same share of the smallest and of the largest items."""
    ordered = np.sort(np.moveaxis(np.asarray(a), axis, -1), axis=-1)
    cut = int(proportiontocut * ordered.shape[-1])
    inner = np.mean(ordered[..., cut : ordered.shape[-1] - cut], axis=-1)
    return np.expand_dims(inner, axis) if keepdims else inner


# --- moments


def tvar(
    a: Any,
    limits: Literal[None] = None,
    inclusive: Any = (True, True),
    axis: Any = 0,
    ddof: Any = 1,
    *,
    keepdims: Any = False,
) -> Any:
    """The variance, of all items."""
    return np.var(a, axis=axis, ddof=ddof, keepdims=keepdims)


def tstd(
    a: Any,
    limits: Literal[None] = None,
    inclusive: Any = (True, True),
    axis: Any = 0,
    ddof: Any = 1,
    *,
    keepdims: Any = False,
) -> Any:
    """The standard deviation, of all items."""
    return np.std(a, axis=axis, ddof=ddof, keepdims=keepdims)


def sem(a: Any, axis: Any = 0, ddof: Any = 1, *, keepdims: Any = False) -> Any:
    """The standard error of the mean."""
    x = np.asarray(a)
    return np.std(x, axis=axis, ddof=ddof, keepdims=keepdims) / np.sqrt(np.size(x, axis))


def variation(a: Any, axis: Any = 0, *, ddof: Any = 0, keepdims: Any = False) -> Any:
    """The standard deviation over the mean."""
    return np.std(a, axis=axis, ddof=ddof, keepdims=keepdims) / np.mean(a, axis=axis, keepdims=keepdims)


def gstd(a: Any, axis: Any = 0, ddof: Any = 1, *, keepdims: Any = False) -> Any:
    """The geometric standard deviation."""
    return np.exp(np.std(np.log(a), axis=axis, ddof=ddof, keepdims=keepdims))


def moment(a: Any, order: Any = 1, axis: Any = 0, *, center: Any = None, keepdims: Any = False) -> Any:
    """The mean of a power of the distances from the mean, or from ``center``."""
    x = np.asarray(a)
    middle = np.mean(x, axis=axis, keepdims=True) if center is None else center
    if np.ndim(order) > 0:
        return np.stack([np.mean((x - middle) ** power, axis=axis, keepdims=keepdims) for power in order])
    return np.mean((x - middle) ** order, axis=axis, keepdims=keepdims)


def skew(a: Any, axis: Any = 0, bias: Literal[True, False] = True, *, keepdims: Any = False) -> Any:
    """The third moment of the standardised items; without ``bias`` that of the population, as far as a sample tells."""
    x = np.asarray(a)
    away = x - np.mean(x, axis=axis, keepdims=True)
    spread = np.mean(away**2, axis=axis, keepdims=keepdims)
    found = np.mean(away**3, axis=axis, keepdims=keepdims) / spread**1.5
    n = np.size(x, axis)
    return found if bias or n < 3 else np.sqrt(n * (n - 1)) / (n - 2) * found


def kurtosis(
    a: Any, axis: Any = 0, fisher: Any = True, bias: Literal[True, False] = True, *, keepdims: Any = False
) -> Any:
    """The fourth moment of the standardised items, less that of the normal distribution if ``fisher``; without ``bias`` that of
    the population, as far as a sample tells."""
    x = np.asarray(a)
    away = x - np.mean(x, axis=axis, keepdims=True)
    spread = np.mean(away**2, axis=axis, keepdims=keepdims)
    found = np.mean(away**4, axis=axis, keepdims=keepdims) / spread**2
    n = np.size(x, axis)
    if not bias and n > 3:
        found = ((n**2 - 1) * found - 3 * (n - 1) ** 2) / ((n - 2) * (n - 3)) + 3
    return found - 3 if fisher else found


def iqr(
    x: Any,
    axis: Any = None,
    rng: Any = (25, 75),
    scale: Any = 1.0,
    nan_policy: Literal["propagate"] = "propagate",
    interpolation: Literal["linear"] = "linear",
    keepdims: Any = False,
) -> Any:
    """The distance between two percentiles."""
    if isinstance(scale, str) and scale != "normal":
        raise ValueError(f"{scale} not a valid scale for `iqr`")
    unit = NORMAL_RANGE if isinstance(scale, str) else scale
    upper = np.percentile(x, max(rng), axis=axis, keepdims=keepdims)
    return (upper - np.percentile(x, min(rng), axis=axis, keepdims=keepdims)) / unit


# --- items in units of the standard deviation


def zmap(scores: Any, compare: Any, axis: Any = 0, ddof: Any = 0) -> Any:
    """The distances from the mean of ``compare``, in units of its standard deviation."""
    middle = np.mean(compare, axis=axis, keepdims=True)
    return (np.asarray(scores) - middle) / np.std(compare, axis=axis, ddof=ddof, keepdims=True)


def zscore(a: Any, axis: Any = 0, ddof: Any = 0) -> Any:
    """The distances from the mean in units of the standard deviation."""
    x = np.asarray(a)
    return (x - np.mean(x, axis=axis, keepdims=True)) / np.std(x, axis=axis, ddof=ddof, keepdims=True)


def gzscore(a: Any, *, axis: Any = 0, ddof: Any = 0) -> Any:
    """The same of logarithms."""
    return zscore(np.log(a), axis, ddof)


# --- distances of distributions


def entropy(pk: Any, qk: Any = None, base: Any = None, axis: Any = 0, *, keepdims: Any = False) -> Any:
    """The entropy of a distribution, which is scaled to the sum 1, or that relative to another one."""
    if qk is None:
        terms = special.entr(np.asarray(pk) / np.sum(pk, axis=axis, keepdims=True))
    else:
        p, q = np.broadcast_arrays(pk, qk)
        terms = special.rel_entr(p / np.sum(p, axis=axis, keepdims=True), q / np.sum(q, axis=axis, keepdims=True))
    total = np.sum(terms, axis=axis, keepdims=keepdims)
    return total if base is None else total / np.log(base)


def wasserstein_distance(u_values: Any, v_values: Any) -> Any:
    """The area between the distribution functions of two samples."""
    places = np.sort(np.concatenate((u_values, v_values)))
    below_u = np.searchsorted(np.sort(u_values), places[:-1], "right") / len(u_values)
    below_v = np.searchsorted(np.sort(v_values), places[:-1], "right") / len(v_values)
    return np.sum(np.abs(below_u - below_v) * np.diff(places))


# --- pairs of samples


class Correlation(NamedTuple):
    """A coefficient, and how likely one as large is of independent normal samples."""

    statistic: Any
    pvalue: Any


def pearsonr(
    x: Any,
    y: Any,
    *,
    alternative: Literal["two-sided"] = "two-sided",
    method: Literal[None] = None,
    axis: Any = 0,
) -> Any:
    """The coefficients of correlation along an axis."""
    away_x, away_y = x - np.mean(x, axis=axis, keepdims=True), y - np.mean(y, axis=axis, keepdims=True)
    r = np.sum(away_x * away_y, axis=axis) / np.sqrt(np.sum(away_x**2, axis=axis) * np.sum(away_y**2, axis=axis))
    shape = 0.5 * np.size(x, axis) - 1
    return Correlation(r, 2 * special.betainc(shape, shape, 0.5 * (1 - np.abs(r))))


class Line(NamedTuple):
    """A line through points, with the coefficient of correlation, its significance, and the error of the slope."""

    slope: Any
    intercept: Any
    rvalue: Any
    pvalue: Any
    stderr: Any


def linregress(
    x: Any, y: Any, alternative: Literal["two-sided"] = "two-sided", *, axis: Any = 0,
    nan_policy: Literal["propagate"] = "propagate", keepdims: Literal[False] = False,
) -> Any:  # fmt: skip
    """The line of least squares through points."""
    away_x, away_y = x - np.mean(x, axis=axis, keepdims=True), y - np.mean(y, axis=axis, keepdims=True)
    spread_x, spread_y = np.mean(away_x**2, axis=axis), np.mean(away_y**2, axis=axis)
    both = np.mean(away_x * away_y, axis=axis)
    slope = both / spread_x
    r = both / np.sqrt(spread_x * spread_y)
    degrees = np.shape(x)[axis] - 2
    error = np.sqrt((1 - r**2) * spread_y / spread_x / degrees)
    pvalue = 2 * special.stdtr(degrees, -np.abs(r) * np.sqrt(degrees / ((1 - r) * (1 + r))))
    return Line(slope, np.mean(y, axis=axis) - slope * np.mean(x, axis=axis), r, pvalue, error)


# --- transformations


def boxcox(x: Any, lmbda: Any) -> Any:
    """The power transformation for a given power."""
    return special.boxcox(x, lmbda)


def boxcox_llf(lmb: Any, data: Any, *, axis: Any = 0, keepdims: Any = False) -> Any:
    """The log-likelihood of the power of the transformation of Box and Cox."""
    x = np.asarray(data)
    bent = special.boxcox(x, lmb)
    likelihood = (lmb - 1) * np.sum(np.log(x), axis=axis, keepdims=keepdims)
    return likelihood - 0.5 * np.size(x, axis) * np.log(np.var(bent, axis=axis, keepdims=keepdims))


def yeojohnson(x: Any, lmbda: Any) -> Any:
    """The power transformation of Yeo and Johnson for a given power."""
    above = special.boxcox1p(np.where(x >= 0, x, 0.0), lmbda)
    below = special.boxcox1p(np.where(x >= 0, 0.0, -x), 2 - lmbda)
    return np.where(x >= 0, above, -below)


# --- densities


class gaussian_kde:
    """The mean of normal densities around the points of a sample (Scott, "Multivariate Density Estimation", 1992)."""

    def __init__(self, dataset: Any, bw_method: Any = None) -> None:
        self.dataset = np.atleast_2d(dataset)
        d, n = self.dataset.shape
        if bw_method is None or bw_method == "scott":
            factor = n ** (-1.0 / (d + 4))
        elif bw_method == "silverman":
            factor = (n * (d + 2) / 4.0) ** (-1.0 / (d + 4))
        else:
            factor = bw_method
        self.covariance = np.reshape(np.cov(self.dataset) * factor**2, (d, d))

    def logpdf(self, x: Any) -> Any:
        """The logarithm of the density at points, the columns of a matrix."""
        points = np.atleast_2d(x)
        root = np.linalg.cholesky(2 * np.pi * self.covariance)
        away = points[:, :, None] - self.dataset[:, None, :]
        energy = np.pi * np.sum(np.einsum("ij,jkl->ikl", np.linalg.inv(root), away) ** 2, axis=0)
        whole = np.log(self.dataset.shape[1]) + np.sum(np.log(np.diag(root)))
        return special.logsumexp(-energy, axis=1) - whole

    def evaluate(self, points: Any) -> Any:
        """The density at points, the columns of a matrix."""
        return np.exp(self.logpdf(points))

    def pdf(self, x: Any) -> Any:
        """The same."""
        return self.evaluate(x)

    def __call__(self, points: Any) -> Any:
        return self.evaluate(points)

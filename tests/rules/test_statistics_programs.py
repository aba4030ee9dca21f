"""Whole programs of statistics, ufunc methods and options, in both modes against differences of the program itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from s2sad import check_grads, grad, jvp

X = np.array([0.31, -0.72, 1.43, 0.94, -1.28, 0.57])
Y = np.array([0.92, 0.41, -0.35, 1.87, 0.66, -1.04])
M = np.array([[0.31, -0.72, 1.43, 0.94], [1.17, 0.26, -0.58, 0.83], [-0.44, 0.69, 0.12, -1.36]])
GROUPS = np.array([0, 2, 1, 0, 2, 2])
STARTS = np.array([0, 2, 3])
EDGES = np.array([-1.5, -0.5, 0.5, 1.5])
HOLES = np.array([[True, False, True, True], [True, True, False, True], [False, True, True, True]])


def robust_location(x: Any) -> Any:
    centre = np.median(x)
    spread = np.percentile(x, 75) - np.percentile(x, 25)
    z = (x - centre) / spread
    return np.sum(np.where(np.abs(z) < 1.0, 0.5 * z**2, np.abs(z) - 0.5))


def standardised(m: Any) -> Any:
    centre = np.mean(m, axis=0, keepdims=True, where=HOLES)
    width = np.std(m, axis=0, keepdims=True, where=HOLES, ddof=0.5)
    return np.sum(np.tanh((m - centre) / (width + 0.1)) ** 3)


def correlation_loss(x: Any, y: Any) -> Any:
    return 1.0 - np.corrcoef(np.tanh(x), y)[0, 1] ** 2


def portfolio_risk(m: Any, weights: Any) -> Any:
    shares = weights / np.sum(weights)
    return np.sqrt(shares @ np.cov(m) @ shares)


def arc_length(y: Any, steps: Any) -> Any:
    x = np.cumsum(np.exp(steps))
    slope = np.gradient(y, 0.3, edge_order=2)
    return np.trapezoid(np.sqrt(1.0 + slope**2), x)


def deposited(x: Any, mass: Any) -> Any:
    density, edges = np.histogram(x, bins=EDGES, weights=mass**2, density=True)
    return np.sum(density**2 * np.diff(edges))


def group_means(x: Any) -> Any:
    counts = np.bincount(GROUPS)
    means = np.bincount(GROUPS, weights=x, minlength=4)[:3] / counts
    return np.var(means) + np.ptp(means)


def cross_entropy(m: Any) -> Any:
    return np.mean(np.logaddexp.reduce(m, axis=1) - m[:, 1])


def worst_drawdown(x: Any) -> Any:
    wealth = np.exp(np.add.accumulate(x))
    return np.max(1.0 - wealth / np.maximum.accumulate(wealth), initial=0.0)


def segments(x: Any) -> Any:
    return np.prod(np.add.reduceat(x * x, STARTS)) + np.multiply.reduce(np.cos(x))


def ratio_or_default(x: Any, y: Any) -> Any:
    ratio = np.full(6, 0.5)
    np.divide(x, y, where=y > 0, out=ratio)
    np.log1p(ratio**2, out=ratio, where=ratio < 1.0)
    return ratio


def kernel(x: Any, width: Any) -> Any:
    distance = np.subtract.outer(x, x) / width
    return np.add.reduce(np.exp(-(distance**2)), axis=None) + np.sum(np.hypot.outer(x[:2], x))


def imputed(m: Any) -> Any:
    seen = np.where(HOLES, m, np.nan)
    filled = np.where(np.isnan(seen), np.nanmean(seen, axis=1, keepdims=True), m)
    return np.nanstd(seen) * np.sum(np.sin(filled)) + np.nanmax(seen, axis=0)[1] + np.nanmedian(seen)


def frequency(x: Any, y: Any) -> Any:
    phase = np.unwrap(np.angle(np.exp(1j * np.cumsum(2.0 + x)) * (3.0 + y)))
    return np.diff(phase, prepend=0.1, append=phase[:1])


def wrapped(x: Any) -> Any:
    turns, rest = np.divmod(5.0 * x, 1.9)
    fraction, whole = np.modf(x)
    mantissa, exponent = np.frexp(x)
    return rest * fraction + turns * mantissa + np.ldexp(x, exponent) + whole


def total_variation(m: Any, h: Any) -> Any:
    along, across = np.gradient(m, h, 2.0 * h)
    return np.sum(np.sqrt(along**2 + across**2 + 0.01))


def into_buffers(m: Any) -> Any:
    sums, rows = np.zeros((3, 4)), np.empty(3)
    np.add.accumulate(m, axis=1, out=sums)
    sums[1] *= 2.0
    np.sum(sums * m, axis=1, out=rows)
    np.multiply(rows, rows, out=(rows,), casting="same_kind")
    return np.cumulative_prod(rows, include_initial=True)


def quantile_curve(x: Any, level: Any) -> Any:
    return np.quantile(np.sinh(x), level * level) * level + np.sum(
        np.quantile(x, [0.2, 0.7], method="hazen") ** 2
    )


def extremes(m: Any) -> Any:
    return np.max(m, axis=0, initial=0.2, where=HOLES) * np.minimum.reduce(m) - np.prod(
        m, axis=0, where=HOLES, initial=2.0
    )


def changed_at(x: Any, y: Any) -> Any:
    a = np.sin(x)
    np.multiply.at(a, [0, 2, 0, 5], y[:4])
    np.maximum.at(a, GROUPS, 0.3 * y)
    np.divide.at(a, np.array([1, 1, 4]), 1.7)
    return a * a


def in_precision(m: Any) -> Any:
    plus = np.add
    sums = plus.reduce(m, axis=1, dtype=np.float64)
    return np.cov(m, dtype=np.float64)[0] * np.std(m, axis=1, dtype=np.float64) + np.cumsum(
        sums, dtype=np.float64
    )


def weighted(m: Any, y: Any) -> Any:
    means, totals = np.average(m, axis=1, weights=y[:4] ** 2, returned=True)
    mean, count = np.average(m, returned=True)
    return means * totals + mean / count + np.average(m, 0, None, False)[:3]


PROGRAMS = [
    (weighted, (M, Y)),
    (changed_at, (X, Y)),
    (in_precision, (M,)),
    (robust_location, (X,)),
    (standardised, (M,)),
    (correlation_loss, (X, Y)),
    (portfolio_risk, (M, np.array([0.2, 0.5, 0.4]))),
    (arc_length, (Y, 0.1 * X)),
    (deposited, (X, Y)),
    (group_means, (X,)),
    (cross_entropy, (M,)),
    (worst_drawdown, (X,)),
    (segments, (X,)),
    (ratio_or_default, (X, Y)),
    (kernel, (X, 0.8)),
    (imputed, (M,)),
    (frequency, (X, Y)),
    (wrapped, (X,)),
    (total_variation, (M, 0.3)),
    (into_buffers, (M,)),
    (quantile_curve, (X, 0.62)),
    (extremes, (M,)),
]
FIXED = {deposited: ["mass"]}  # in its data a histogram jumps


@pytest.mark.parametrize(("program", "args"), PROGRAMS, ids=[p.__name__ for p, _ in PROGRAMS])
def test_both_modes(program: Any, args: tuple[Any, ...]) -> None:
    check_grads(program, args, wrt=FIXED.get(program))


TWICE = [
    correlation_loss,
    portfolio_risk,
    arc_length,
    cross_entropy,
    segments,
    kernel,
    imputed,
    total_variation,
    quantile_curve,
]


@pytest.mark.parametrize("program", TWICE, ids=[p.__name__ for p in TWICE])
def test_second_derivatives(program: Any) -> None:
    args = dict(PROGRAMS)[program]
    check_grads(program, args, order=2, modes=["adjoint"], rtol=1e-4, atol=1e-5, jointly=True)


SINGLE = [robust_location, standardised, group_means, cross_entropy, worst_drawdown, segments, into_buffers]


@pytest.mark.parametrize("program", SINGLE, ids=[p.__name__ for p in SINGLE])
def test_single_precision_stays(program: Any) -> None:
    (x,) = dict(PROGRAMS)[program]
    narrow = x.astype("float32")

    def summed(x: Any) -> Any:
        return np.sum(program(x))

    found = grad(summed)(narrow)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, grad(summed)(x), rtol=2e-3, atol=2e-3)


def test_a_histogram_is_flat_in_its_data() -> None:
    def sums(x: Any) -> Any:
        return np.histogram(x, bins=EDGES, weights=Y)[0]

    np.testing.assert_array_equal(jvp(sums, (X,), (np.ones(6),))[1], np.zeros(3))

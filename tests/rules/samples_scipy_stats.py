"""Samples of scipy.stats: every function of every distribution at the same places."""

from __future__ import annotations

import numpy as np
import scipy.stats  # noqa: F401  rules find the functions of modules that have been imported
from samples_linalg import SPD
from sampling import Sample, arr, call

# the places, and the shapes
CONTINUOUS: dict[str, tuple[float, float, tuple[float, ...]]] = {
    "norm": (-1.0, 2.0, ()),
    "halfnorm": (0.2, 2.0, ()),
    "expon": (0.2, 2.0, ()),
    "uniform": (0.1, 0.9, ()),
    "cauchy": (-1.0, 2.0, ()),
    "laplace": (-1.0, 2.0, ()),
    "logistic": (-1.0, 2.0, ()),
    "hypsecant": (-1.0, 2.0, ()),
    "gumbel_r": (-1.0, 2.0, ()),
    "gumbel_l": (-1.0, 2.0, ()),
    "rayleigh": (0.3, 2.0, ()),
    "maxwell": (0.3, 2.0, ()),
    "gamma": (0.3, 2.0, (1.7,)),
    "invgamma": (0.3, 2.0, (1.7,)),
    "chi2": (0.3, 2.0, (3.2,)),
    "beta": (0.2, 0.8, (1.7, 2.3)),
    "t": (-1.0, 2.0, (3.2,)),
    "lognorm": (0.3, 2.0, (0.8,)),
    "weibull_min": (0.3, 2.0, (1.7,)),
    "pareto": (1.2, 2.0, (1.7,)),
    "vonmises": (-1.0, 2.0, (1.7,)),
    "skewnorm": (-1.0, 2.0, (1.7,)),
    "gennorm": (-1.0, 2.0, (1.7,)),
    **dict.fromkeys(("halfcauchy", "halflogistic", "levy", "wald"), (0.2, 2.0, ())),
    "moyal": (-1.0, 2.0, ()),
    "arcsine": (0.1, 0.9, ()),
    "semicircular": (-0.8, 0.8, ()),
    "cosine": (-1.0, 2.0, ()),
    "truncnorm": (-0.9, 1.4, (-1.5, 2.0)),
    "truncexpon": (0.1, 1.5, (2.0,)),
    "powerlaw": (0.1, 0.9, (1.7,)),
    "loguniform": (0.6, 1.7, (0.2, 2.3)),
    "triang": (0.1, 0.9, (0.4,)),
    "f": (0.3, 2.0, (3.2, 4.1)),
    "erlang": (0.3, 2.0, (2.0,)),
    "chi": (0.3, 2.0, (3.2,)),
    "nakagami": (0.3, 2.0, (1.7,)),
    "invgauss": (0.3, 2.0, (1.7,)),
    "invweibull": (0.3, 2.0, (1.7,)),
    "lomax": (0.3, 2.0, (1.7,)),
    "betaprime": (0.3, 2.0, (1.7, 2.3)),
    "fisk": (0.3, 2.0, (1.7,)),
    "burr12": (0.3, 2.0, (1.7, 0.8)),
    "exponweib": (0.3, 2.0, (1.7, 0.8)),
    "foldnorm": (0.3, 2.0, (1.7,)),
    "rice": (0.3, 2.0, (1.7,)),
    "exponnorm": (-1.0, 2.0, (1.7,)),
    "genlogistic": (-1.0, 2.0, (1.7,)),
    "loggamma": (-1.0, 1.0, (1.7,)),
    "johnsonsu": (-1.0, 2.0, (0.4, 1.7)),
    "laplace_asymmetric": (-1.0, 2.0, (1.7,)),
    "dweibull": (-1.0, 2.0, (1.7,)),
    "dgamma": (-1.0, 2.0, (1.7,)),
    "wrapcauchy": (0.3, 2.0, (0.3,)),
    "genextreme": (-1.0, 1.2, (0.3,)),
    "genpareto": (0.3, 2.0, (0.3,)),
    "weibull_max": (-2.0, -0.3, (1.7,)),
}
MOVING = {  # distributions whose distribution functions have a slope by all their shapes
    "lognorm", "weibull_min", "pareto", "powerlaw", "invweibull", "lomax", "fisk", "johnsonsu",
}  # fmt: skip
DISCRETE = {
    "poisson": (0.7,),
    "bernoulli": (0.3,),
    "binom": (5, 0.3),
    "geom": (0.3,),
    "nbinom": (2.5, 0.3),
    "betabinom": (9, 1.3, 2.1),
    "logser": (0.4,),
    "dlaplace": (0.7,),
}
CUMULATED = ("poisson", "bernoulli", "binom", "geom", "nbinom")


def densities(low: float, high: float, shapes: tuple[float, ...]) -> list[Sample]:
    """Places and shapes of several sizes, with and without the options."""
    x = arr(3, low=low, high=high)
    return [
        call(0.4 * low + 0.6 * high, *shapes),
        call(x, *shapes),
        call(arr(2, 3, low=low, high=high), *(np.array([a, a + 0.1, a + 0.3]) for a in shapes)),
        call(0.3 + 1.3 * x, *shapes, 0.3, 1.3),
        call(1.3 * x, *shapes, scale=1.3 + 0.0 * arr(2, 1)),
        call(x + 0.1, *shapes, loc=0.1),
    ]


def with_fixed_shapes(samples: list[Sample], count: int, places: int = 6) -> list[Sample]:
    """The same calls, with the shapes held."""
    names = frozenset("a b df s c d kappa beta K mu nu dfn dfd".split())
    return [Sample(s.args, s.kwargs, names if count else frozenset()) for s in samples[:places]]


def counts(name: str) -> list[Sample]:
    """Counts that each of the discrete distributions allows."""
    k = np.array([0, 1, 1]) if name == "bernoulli" else np.array([1, 2, 4])
    shapes = DISCRETE[name]
    return [call(k, *shapes), call(1, *shapes), call(k + 1, *(np.array([[s], [s]]) for s in shapes), loc=1)]


PLACES = arr(4, 3)
STATS: dict[str, list[Sample]] = {
    **{
        f"scipy.stats.{name}.{function}": densities(*place)
        for name, place in CONTINUOUS.items()
        for function in ("logpdf", "pdf")
    },
    **{
        f"scipy.stats.{name}.{function}": with_fixed_shapes(
            densities(low, high, shapes), len(shapes) * (name not in MOVING), 4
        )
        for name, (low, high, shapes) in CONTINUOUS.items()
        for function in ("cdf", "sf", "logcdf", "logsf")
    },
    **{
        f"scipy.stats.{name}.{function}": with_fixed_shapes(
            [
                call(0.3, *shapes),
                call(arr(3, low=0.2, high=0.8), *shapes),
                call(arr(2, 1, low=0.2, high=0.8), *shapes, 0.3, 1.3),
            ],
            len(shapes) * (name not in MOVING),
        )
        for name, (_, _, shapes) in CONTINUOUS.items()
        for function in ("ppf", "isf")
    },
    **{
        f"scipy.stats.{name}.entropy": with_fixed_shapes(
            [call(*shapes, 0.3, 1.3), call(*shapes, 0.3, arr(3, low=0.2))], len(shapes) * (name != "gamma")
        )
        for name, (_, _, shapes) in CONTINUOUS.items()
    },
    **{f"scipy.stats.{name}.{function}": counts(name) for name in DISCRETE for function in ("logpmf", "pmf")},
    **{
        f"scipy.stats.{name}.{function}": [Sample(s.args, s.kwargs, frozenset("n")) for s in counts(name)[:3]]
        for name in CUMULATED
        for function in ("cdf", "sf", "logcdf", "logsf")
    },
    **{
        f"scipy.stats.multinomial.{function}": [call(np.array([1, 0, 2]), 3, np.array([0.2, 0.5, 0.3]))]
        for function in ("logpmf", "pmf")
    },
    "scipy.stats.multivariate_normal.entropy": [call(arr(3), SPD, fixed="mean"), call(None, SPD)],
    "scipy.stats.multivariate_normal.pdf": [
        call(arr(3), arr(3, seed=1), SPD),
        call(PLACES, arr(3, seed=1), SPD),
        call(PLACES, None, SPD),
        call(PLACES[:1], arr(3), SPD),
    ],
    "scipy.stats.dirichlet.pdf": [call(np.array([0.2, 0.5, 0.3]), np.array([1.2, 0.7, 2.3]), fixed="x")],
    "scipy.stats.multivariate_normal.logpdf": [
        call(arr(3), arr(3, seed=1), SPD),
        call(PLACES, arr(3, seed=1), SPD),
        call(PLACES, None, SPD),
        call(PLACES[:1], arr(3), SPD),
    ],
    "scipy.stats.dirichlet.logpdf": [call(np.array([0.2, 0.5, 0.3]), np.array([1.2, 0.7, 2.3]), fixed="x")],
}

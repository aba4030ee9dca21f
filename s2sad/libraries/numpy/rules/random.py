"""Random draws. What is drawn is fixed while a result is differentiated by location and scale: the pathwise derivative.

    x = rng.normal(mu, sigma)         x = mu + sigma * z, with z drawn: dx / dmu = 1, dx / dsigma = z = (x - mu) / sigma

Where a draw is found by inversion of the distribution function at a uniform u, its derivative is that of the inverse
function at this u (Kingma & Welling, "Auto-Encoding Variational Bayes", 2014; Glasserman, "Monte Carlo Methods in
Financial Engineering", section 7.2). Draws that are counts, or that NumPy finds by rejection, have none by those
parameters that shape them. ``source`` is a generator, or ``numpy.random`` itself.
"""

from __future__ import annotations

from typing import Any

from s2sad.ir.kinds import INT, NONE, OBJECT, UNKNOWN, Array, Kind, Other, Scalar, dtype_of
from s2sad.rules import kind_rules
from s2sad.rules.kind_arrays import array_kind, literal_of
from s2sad.rules.kind_rules import Bound, KindRule, broadcast_shapes, dtype_argument, shape_of, sizes_of
from s2sad.rules.registry import elementwise, nothing

DRAW: dict[str, Any] = {"effects": "fresh; world", "spelling": "method"}  # each call moves the state of its source
NOT_PARAMETERS = ("source", "size", "dtype", "endpoint", "out")


def drawn(dtype: str | None) -> KindRule:
    """An array of the given size; without one, of the shape of the parameters: a Python number for numbers.

    Counts have ``dtype`` None: of whole numbers nobody would ask whether they depend on a variable of differentiation.
    """

    def kind(bound: Bound) -> Kind:
        chosen = bound.get("dtype")
        name = dtype if chosen is None or literal_of(chosen, chosen) is None else dtype_argument(chosen)
        size = bound["size"]
        if literal_of(size, size) is not None:
            return Array(name, sizes_of(size))
        given = [array_kind(v.kind) for p, v in bound.items() if p not in NOT_PARAMETERS]
        given = [kind for kind in given if kind != Other("none")]
        if not all(isinstance(kind, Scalar | Array) for kind in given):
            return UNKNOWN
        shape = broadcast_shapes([shape_of(kind) for kind in given]) if given else ()
        if shape == ():
            return Scalar(name) if name is not None else UNKNOWN
        return Array(name, shape)

    return kind


def dims(bound: Bound) -> Kind:
    """``rand(2, 3)``: a number for each size."""
    count = len(bound) - 1
    return Array("float64", (None,) * count) if count else Scalar("float64")


REAL, COUNT = drawn("float64"), drawn(None)

# --- by location and scale

for name in ("normal", "laplace", "logistic", "gumbel"):
    elementwise(
        f"generator.{name}(source, loc=0.0, scale=1.0, size=None)",
        loc="g",
        scale="g * (out - loc) / scale",
        kind=REAL,
        facts=DRAW,
    )
elementwise(
    "generator.uniform(source, low=0.0, high=1.0, size=None)",
    low="g * (high - out) / (high - low)",
    high="g * (out - low) / (high - low)",
    kind=REAL,
    facts=DRAW,
)
elementwise(
    "generator.lognormal(source, mean=0.0, sigma=1.0, size=None)",
    mean="g * out",
    sigma="g * out * (log(out) - mean) / sigma",
    kind=REAL,
    facts=DRAW,
)
for name in ("exponential", "rayleigh"):
    elementwise(
        f"generator.{name}(source, scale=1.0, size=None)", scale="g * out / scale", kind=REAL, facts=DRAW
    )
elementwise(
    "generator.gamma(source, shape, scale=1.0, size=None)", scale="g * out / scale", kind=REAL, facts=DRAW
)

# --- by a parameter of the inverse function

for name in ("weibull", "power"):
    elementwise(f"generator.{name}(source, a, size=None)", a="-g * out * log(out) / a", kind=REAL, facts=DRAW)
elementwise(
    "generator.pareto(source, a, size=None)", a="-g * (1 + out) * log1p(out) / a", kind=REAL, facts=DRAW
)

# --- of given numbers


def _vectors(bound: Bound) -> Kind:
    """Vectors of the length of the mean, as many as the size says."""
    size, mean = bound["size"], shape_of(array_kind(bound["mean"].kind))
    lead = () if literal_of(size, size) is None else sizes_of(size)
    return Array("float64", None if lead is None or mean is None else (*lead, *mean))


elementwise(
    "generator.multivariate_normal(source, mean, cov, size=None, check_valid='warn', tol=1e-08, *, method='svd')",
    mean="g",
    kind=_vectors,
    facts=DRAW,
)

# --- without parameters

nothing(
    [
        f"generator.{name}(source, size=None, dtype=None)"
        for name in ("standard_normal", "standard_exponential", "random")
    ]
    + [
        f"generator.{name}(source, size=None)"
        for name in ("standard_cauchy", "random_sample", "ranf", "sample")
    ],
    kind=REAL,
    zero=True,
    **DRAW,
)
nothing(["generator.rand(source, *d)", "generator.randn(source, *d)"], kind=dims, zero=True, **DRAW)

# --- places


def _places(bound: Bound) -> Kind:
    size = bound["size"]
    return INT if literal_of(size, size) is None else Array("int64", sizes_of(size))


def _chosen(bound: Bound) -> Kind:
    likely = bound["p"]
    return _places(bound) if literal_of(likely, likely) is None else COUNT({"size": bound["size"]})


def _order(bound: Bound) -> Kind:
    source = array_kind(bound["x"].kind)
    if isinstance(source, Scalar):
        return Array("int64", sizes_of(bound["x"]))
    return Array(dtype_of(source), shape_of(source)) if isinstance(source, Array) else UNKNOWN


nothing(
    ["generator.integers(source, low, high=None, size=None, dtype=None, endpoint=False)",
     "generator.randint(source, low, high=None, size=None, dtype=None)"],
    kind=_places, zero=True, **DRAW,
)  # fmt: skip
nothing(["generator.choice(source, a, size=None, replace=True, p=None, axis=0, shuffle=True)"], kind=_chosen,
        why="which item is drawn jumps with the probabilities", **DRAW)  # fmt: skip
nothing(["generator.permutation(source, x, axis=0)"], kind=_order, zero=True, **DRAW)

# --- counts, and what is found by rejection

for head in ("poisson(source, lam=1.0", "binomial(source, n, p", "geometric(source, p", "negative_binomial(source, n, p",
             "hypergeometric(source, ngood, nbad, nsample", "logseries(source, p", "zipf(source, a"):  # fmt: skip
    nothing([f"generator.{head}, size=None)"], kind=COUNT, why="it is a count, which jumps", **DRAW)
for head in ("beta(source, a, b", "chisquare(source, df", "f(source, dfnum, dfden", "noncentral_chisquare(source, df, nonc",
             "noncentral_f(source, dfnum, dfden, nonc", "standard_gamma(source, shape", "standard_t(source, df",
             "triangular(source, left, mode, right", "vonmises(source, mu, kappa", "wald(source, mean, scale"):  # fmt: skip
    nothing(
        [f"generator.{head}, size=None)"],
        kind=REAL,
        why="no path of the draw by its parameters is known: use the score function of its density",
        **DRAW,
    )
for head in ("dirichlet(source, alpha", "multinomial(source, n, pvals"):
    nothing(
        [f"generator.{head}, size=None)"],
        kind=kind_rules.always(Array(None, None)),
        why="its draws jump",
        **DRAW,
    )

# --- sources

nothing(
    ["numpy.random.default_rng(seed=None)", "numpy.random.RandomState(seed=None)"],
    kind=kind_rules.always(OBJECT),
    zero=True,
    effects="fresh; world",
)
nothing(["generator.seed(source, seed=None)"], kind=lambda _: NONE, zero=True, **DRAW)

"""``scipy.stats``: densities, distribution functions and quantiles of the usual distributions.

A continuous distribution is written as the slopes of its log-density, by the place ``z = (x - loc) / scale`` and by each
of its shapes; all else follows. Outside of the support, where the density is 0, the log-density (-inf) gets the slope of
the formula. Slopes of distribution functions by a shape have no closed form and are refused, as are those by counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from s2sad.ir.kinds import Array, Kind, Scalar, is_many
from s2sad.rules.adapted import only
from s2sad.rules.application import Application
from s2sad.rules.choices import Written, is_literal, literal, refuse, written
from s2sad.rules.kind_arrays import array_kind
from s2sad.rules.kind_rules import Bound, broadcast_float, make, shape_of
from s2sad.rules.language import Partial
from s2sad.rules.registry import elementwise, general
from s2sad.rules.scipy_names import no_slope, scope

STATS = scope("scipy.special")
Write = Callable[[Application], str]


def _double(bound: Bound) -> Kind:
    """All results are in double precision."""
    kind = broadcast_float(bound)
    return make("float64", shape_of(kind)) if isinstance(kind, Scalar | Array) else kind


# --- continuous distributions


def _default(app: Application, param: str, value: int) -> bool:
    return is_literal(app, param) and literal(app, param) == value


def _place(app: Application, x: str = "x") -> str:
    """``(x - loc) / scale``, as far as these are given."""
    moved = x if _default(app, "loc", 0) else f"({x} - loc)"
    return moved if _default(app, "scale", 1) else f"({moved} / scale)"


def _scaled(app: Application, text: str) -> str:
    return text if _default(app, "scale", 1) else f"{text} / scale"


class Distribution:
    """One distribution: the names of its shapes, and how its other functions are called."""

    def __init__(self, name: str, score: str, shapes: Mapping[str, str]) -> None:
        self.name, self.score, self.shapes = f"scipy.stats.{name}", score, shapes

    def called(self, app: Application, function: str, x: str) -> str:
        """Another function of the same distribution."""
        options = [f"{p}={p}" for p, v in (("loc", 0), ("scale", 1)) if not _default(app, p, v)]
        return f"{self.name}.{function}({', '.join([x, *self.shapes, *options])})"

    def declare(self, function: str, argument: str, **slopes: Partial) -> None:
        """Enter one function."""
        shapes = "".join(f"{shape}, " for shape in self.shapes)
        head = f"{self.name}.{function}({argument}, {shapes}loc=0, scale=1)"
        elementwise(head, kind=_double, facts=STATS, **slopes)

    def density(self, function: str, factor: str) -> None:
        """The density, or its logarithm; ``factor`` is what its logarithmic derivative is multiplied by."""

        def score(app: Application) -> str:
            return self.score.format(z=_place(app))

        by_shape = {p: self._shape_slope(factor, formula) for p, formula in self.shapes.items()}
        self.declare(
            function,
            "x",
            x=written(lambda app: _scaled(app, f"{factor} * ({score(app)})")),
            loc=written(lambda app: "-" + _scaled(app, f"{factor} * ({score(app)})")),
            scale=written(lambda app: f"-{factor} * (1 + {_place(app)} * ({score(app)})) / scale"),
            **by_shape,
        )

    def _shape_slope(self, factor: str, formula: str) -> Written:
        return written(lambda app: f"{factor} * ({formula.format(z=_place(app))})")

    def below(self, function: str, slope: Write) -> None:
        """A function of the probability below or above ``x``, by its slope in ``x``."""
        self.declare(
            function,
            "x",
            x=written(lambda app: f"g * {slope(app)}"),
            loc=written(lambda app: f"-g * {slope(app)}"),
            scale=written(lambda app: f"-g * {_place(app)} * {slope(app)}"),
            **{p: no_slope(p) for p in self.shapes},
        )

    def quantile(self, function: str, sign: str) -> None:
        """The inverse of such a function."""
        self.declare(
            function,
            "q",
            q=written(lambda app: f"{sign}g / {self.called(app, 'pdf', 'out')}"),
            loc="g",
            scale=written(lambda app: f"g * {_place(app, 'out')}"),
            **{p: no_slope(p) for p in self.shapes},
        )


def continuous(name: str, score: str, **shapes: str) -> None:
    """A continuous distribution, by the slopes of its log-density in ``{z}`` and its shapes."""
    d = Distribution(name, score, shapes)
    d.density("logpdf", "g")
    d.density("pdf", "g * out")
    d.below("cdf", lambda app: d.called(app, "pdf", "x"))
    d.below("sf", lambda app: f"(-{d.called(app, 'pdf', 'x')})")
    d.below("logcdf", lambda app: f"exp({d.called(app, 'logpdf', 'x')} - out)")
    d.below("logsf", lambda app: f"(-exp({d.called(app, 'logpdf', 'x')} - out))")
    d.quantile("ppf", "")
    d.quantile("isf", "-")


continuous("norm", "-{z}")
continuous("halfnorm", "-{z}")
continuous("expon", "-1.0")
continuous("uniform", "0.0")
continuous("cauchy", "-2 * {z} / (1 + {z} ** 2)")
continuous("laplace", "-sign({z})")
continuous("logistic", "-tanh(0.5 * {z})")
continuous("hypsecant", "-tanh({z})")
continuous("gumbel_r", "exp(-{z}) - 1")
continuous("gumbel_l", "1 - exp({z})")
continuous("rayleigh", "1 / {z} - {z}")
continuous("maxwell", "2 / {z} - {z}")
continuous("gamma", "(a - 1) / {z} - 1", a="log({z}) - psi(a)")
continuous("invgamma", "1 / {z} ** 2 - (a + 1) / {z}", a="-log({z}) - psi(a)")
continuous("chi2", "(0.5 * df - 1) / {z} - 0.5", df="0.5 * (log(0.5 * {z}) - psi(0.5 * df))")
continuous(
    "beta",
    "(a - 1) / {z} - (b - 1) / (1 - {z})",
    a="log({z}) - psi(a) + psi(a + b)",
    b="log1p(-{z}) - psi(b) + psi(a + b)",
)
continuous(
    "t",
    "-(df + 1) * {z} / (df + {z} ** 2)",
    df="0.5 * (psi(0.5 * df + 0.5) - psi(0.5 * df) - log1p({z} ** 2 / df)"
    " + ((df + 1) * {z} ** 2 / (df + {z} ** 2) - 1) / df)",
)
continuous("lognorm", "-(1 + log({z}) / s ** 2) / {z}", s="(log({z}) ** 2 / s ** 2 - 1) / s")
continuous("weibull_min", "(c - 1) / {z} - c * {z} ** (c - 1)", c="1 / c + log({z}) * (1 - {z} ** c)")
continuous("pareto", "-(b + 1) / {z}", b="1 / b - log({z})")
continuous("vonmises", "-kappa * sin({z})", kappa="cos({z}) - i1e(kappa) / i0e(kappa)")
_MILLS = f"{1 / math.sqrt(2 * math.pi)} * exp(-0.5 * (a * {{z}}) ** 2 - log_ndtr(a * {{z}}))"
continuous("skewnorm", f"a * {_MILLS} - {{z}}", a=f"{{z}} * {_MILLS}")
continuous(
    "gennorm",
    "-beta * sign({z}) * abs({z}) ** (beta - 1)",
    beta="1 / beta + psi(1 / beta) / beta ** 2 - xlogy(abs({z}) ** beta, abs({z}))",
)

# --- discrete distributions


def discrete(name: str, params: str, **slopes: str) -> None:
    """The log-probabilities of counts, by their slopes in the parameters that are real; ``{k}`` is the count."""

    def slope(formula: str, factor: str) -> Written:
        def write(app: Application) -> str:
            return f"{factor} * ({formula.format(k='k' if _default(app, 'loc', 0) else '(k - loc)')})"

        return written(write)

    whole = {p: no_slope(p, "it counts") for p in ("k", "loc", *params.split(", ")) if p not in slopes}
    for function, factor in (("logpmf", "g"), ("pmf", "g * out")):
        by_name = {p: slope(formula, factor) for p, formula in slopes.items()}
        elementwise(
            f"scipy.stats.{name}.{function}(k, {params}, loc=0)",
            kind=_double,
            facts=STATS,
            **whole,
            **by_name,
        )


discrete("poisson", "mu", mu="{k} / mu - 1")
discrete("bernoulli", "p", p="{k} / p - (1 - {k}) / (1 - p)")
discrete("binom", "n, p", p="{k} / p - (n - {k}) / (1 - p)")
discrete("geom", "p", p="1 / p - ({k} - 1) / (1 - p)")
discrete("nbinom", "n, p", n="psi(n + {k}) - psi(n) + log(p)", p="n / p - {k} / (1 - p)")

# --- distributions of vectors


class Normal:
    """The multivariate normal distribution, of which SciPy reads the lower triangle of ``cov``."""

    INVERSE = "linalg.inv(mirror_lower(cov))"

    def __init__(self, app: Application) -> None:
        if app.rank("cov") != 2 or app.rank("x") not in (1, 2) or app.rank("mean") not in (None, 1):
            refuse(app, "of these shapes", "vectors of numbers, or rows of them, and a matrix are expected",
                   "a mean of shape (d,), a cov of shape (d, d), and x of shape (d,) or (n, d)")  # fmt: skip
        if app.given("mean") and app.rank("mean") is None:
            refuse(app, "with a mean of unknown rank", "it must be a vector", "an annotation of its shape")
        only(app, allow_singular=False)
        self.rows = app.rank("x") == 2
        self.single = (shape_of(array_kind(app.kind("x"))) or (None,))[0] == 1 and self.rows
        rest = "(x - mean)" if app.given("mean") else "x"
        self.whitened = f"({rest} @ {self.INVERSE})"
        self.weight = "reshape(g, (-1, 1))" if self.rows else "g"

    def push(self, param: str) -> str:
        """The tangent of the log-density."""
        w = self.whitened
        if param == "cov":
            text = f"0.5 * (sum(({w} @ mirror_lower(g)) * {w}, axis=-1) - trace({self.INVERSE} @ mirror_lower(g)))"
        else:
            text = f"{'-' if param == 'x' else ''}sum({w} * g, axis=-1)"
        return f"({text})[0]" if self.single else f"reshape({text}, shape(out))" if self.rows else text

    def pull(self, param: str) -> str:
        """The adjoint of an argument."""
        w = self.whitened
        if param == "x":
            return f"-{self.weight} * {w}"
        if param == "mean":
            return f"sum({self.weight} * {w}, axis=0)" if self.rows else f"g * {w}"
        outer = f"({self.weight} * {w}).T @ {w}" if self.rows else f"g * outer({w}, {w})"
        return f"fold_upper(0.5 * ({outer} - sum(g) * {self.INVERSE}))"


def _push(param: str) -> Written:
    return written(lambda app: Normal(app).push(param))


def _pull(param: str) -> Written:
    return written(lambda app: Normal(app).pull(param))


def _normal_kind(bound: Bound) -> Kind:
    """Rows of numbers give one number each, a single row a number."""
    shape = shape_of(array_kind(bound["x"].kind))
    if shape is not None and (len(shape) == 1 or (len(shape) == 2 and shape[0] == 1)):
        return Scalar("float64", weak=False)
    known = shape is not None and len(shape) == 2 and is_many(shape[0])
    return Array("float64", shape[:1]) if shape is not None and known else Kind()


general(
    "scipy.stats.multivariate_normal.logpdf(x, mean=None, cov=1, allow_singular=False)",
    push={p: _push(p) for p in ("x", "mean", "cov")},
    pull={p: _pull(p) for p in ("x", "mean", "cov")},
    kind=_normal_kind,
)


def _dirichlet(formula: str) -> Written:
    def write(app: Application) -> str:
        if app.rank("x") != 1 or app.rank("alpha") != 1:
            refuse(app, "of these shapes", "one vector of shares is expected", "x and alpha of shape (d,)")
        return formula

    return written(write)


_BY_ALPHA = "(log(x) + psi(sum(alpha)) - psi(alpha))"
general(
    "scipy.stats.dirichlet.logpdf(x, alpha)",
    push={"x": _dirichlet("sum((alpha - 1) / x * g)"), "alpha": _dirichlet(f"sum({_BY_ALPHA} * g)")},
    pull={"x": _dirichlet("g * (alpha - 1) / x"), "alpha": _dirichlet(f"g * {_BY_ALPHA}")},
    kind=lambda _: Scalar("float64", weak=False),
    facts=STATS,
)

"""``scipy.stats``: densities, distribution functions and quantiles of the usual distributions of numbers.

A continuous distribution is written as the slopes of its log-density, by the place ``z = (x - loc) / scale`` and by each
of its shapes; all else follows. Outside of the support, where the density is 0, the log-density (-inf) gets the slope of
the formula. Slopes of distribution functions by a shape have no closed form and are refused, as are those by counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from s2sad.ir.kinds import Array, Kind, Scalar
from s2sad.libraries.scipy.rules.names import no_slope, scope
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import Written, field_of, is_literal, literal, refuse, written
from s2sad.rules.kind_rules import Bound, broadcast_float, make, shape_of
from s2sad.rules.language import CallFormula, Partial, spec_of
from s2sad.rules.registry import elementwise

STATS = scope("scipy.special")
Write = Callable[[Application], str]


def double(bound: Bound) -> Kind:
    """All results of real numbers are in double precision."""
    kind = broadcast_float(bound)
    if not isinstance(kind, Scalar | Array):
        return kind
    real = kind.is_of("biuf") if isinstance(kind, Scalar) else kind.dtype is not None and not kind.dtype.startswith("complex")
    return make("float64" if real else None, shape_of(kind))


# --- continuous distributions


def _default(app: Application, param: str, value: int) -> bool:
    return is_literal(app, param) and literal(app, param) == value


def _place(app: Application, x: str = "x") -> str:
    """``(x - loc) / scale``, as far as these are given; of Python's numbers one of NumPy's, whose quotients do not raise."""
    kind = app.kind("out" if x == "out" else x)
    x = f"float64({x})" if isinstance(kind, Scalar) and kind.weak else x
    moved = x if _default(app, "loc", 0) else f"({x} - loc)"
    return moved if _default(app, "scale", 1) else f"({moved} / scale)"


def _scaled(app: Application, text: str) -> str:
    return text if _default(app, "scale", 1) else f"{text} / scale"


def of_reals(partial: Partial) -> Written:
    """A slope that holds where all arguments are real: of others SciPy gives what is no density."""
    spec = spec_of(partial)

    def write(app: Application) -> str:
        if any(field_of(app, p) == "complex" for p in app.bound):
            refuse(app, "of complex numbers", "densities are of real ones", "real arguments")
        return (spec.formula(app) if isinstance(spec, CallFormula) else spec).text

    return written(write)


class Distribution:
    """One distribution: the names of its shapes, and how its other functions are called."""

    def __init__(self, name: str, score: str, shapes: Mapping[str, str], moves: Mapping[str, str]) -> None:
        self.name, self.score, self.shapes, self.moves = f"scipy.stats.{name}", score, shapes, moves

    def called(self, app: Application, function: str, x: str) -> str:
        """Another function of the same distribution."""
        options = [f"{p}={p}" for p, v in (("loc", 0), ("scale", 1)) if not _default(app, p, v)]
        return f"{self.name}.{function}({', '.join([x, *self.shapes, *options])})"

    def declare(self, function: str, argument: str, **slopes: Partial) -> None:
        """Enter one function."""
        shapes = "".join(f"{shape}, " for shape in self.shapes)
        head = f"{self.name}.{function}({argument}, {shapes}loc=0, scale=1)"
        elementwise(head, kind=double, facts=STATS, **{p: of_reals(slope) for p, slope in slopes.items()})

    def density(self, function: str, factor: str) -> None:
        """The density, or its logarithm; ``factor`` says what its logarithmic derivative, ``{}``, is multiplied by."""

        def score(app: Application) -> str:
            return self.score.format(z=_place(app))

        by_shape = {p: self._shape_slope(factor, formula) for p, formula in self.shapes.items()}
        self.declare(
            function,
            "x",
            x=written(lambda app: _scaled(app, factor.format(score(app)))),
            loc=written(lambda app: "-" + _scaled(app, factor.format(score(app)))),
            scale=written(lambda app: "-" + factor.format(f"1 + {_place(app)} * ({score(app)})") + " / scale"),
            **by_shape,
        )

    def _shape_slope(self, factor: str, formula: str) -> Written:
        return written(lambda app: factor.format(formula.format(z=_place(app))))

    def below(self, function: str, slope: Write) -> None:
        """A function of the probability below or above ``x``, by its slope in ``x``."""
        self.declare(
            function,
            "x",
            x=written(lambda app: f"g * {slope(app)}"),
            loc=written(lambda app: f"-g * {slope(app)}"),
            scale=written(lambda app: f"-g * {_place(app)} * {slope(app)}"),
            **{p: self._moved("g", p, "x", slope) for p in self.shapes},
        )

    def _moved(self, factor: str, shape: str, x: str, slope: Write) -> Written:
        """The slope in a shape: that in ``x`` times how far the quantile moves the other way, in units of the scale."""
        if shape not in self.moves:
            return no_slope(shape)

        def write(app: Application) -> str:
            scale = "" if _default(app, "scale", 1) else "scale * "
            moved = f"{factor} * {scale}({self.moves[shape].format(z=_place(app, x))})"
            return f"strong_zero({moved} * {slope(app)}, {slope(app)})" if slope(app) else moved

        return written(write)

    def quantile(self, function: str, sign: str) -> None:
        """The inverse of such a function."""
        self.declare(
            function,
            "q",
            q=written(lambda app: f"{sign}g / {self.called(app, 'pdf', 'out')}"),
            loc="g",
            scale=written(lambda app: f"g * {_place(app, 'out')}"),
            **{p: self._moved("-g", p, "out", lambda app: "") for p in self.shapes},
        )


def _rate(app: Application, d: Distribution, formula: str | None) -> str:
    """The density over a probability whose logarithm is ``out``: the density itself where that is 0."""
    if formula is None:
        return f"exp({d.called(app, 'logpdf', 'x')} - out)"
    return f"where(out == 0, {d.called(app, 'pdf', 'x')}, {_scaled(app, f'({formula.format(z=_place(app))})')})"


def continuous(
    name: str, score: str, moves: Mapping[str, str] = {}, entropy: Mapping[str, str] = {}, rates: Mapping[str, str] = {},
    **shapes: str,
) -> None:  # fmt: skip
    """A continuous distribution, by the slopes of its log-density in ``{z}`` and its shapes.

    ``moves``: the slope of its distribution function in a shape, over its density, where this has a closed form.
    ``entropy``: the slope of its entropy in a shape. ``rates``: its density over what lies below ("logcdf") or above ("logsf"),
    in closed form: the difference of their logarithms has no digits where these are large.
    """
    d = Distribution(name, score, shapes, moves)
    d.density("logpdf", "g * ({})")
    d.density("pdf", "strong_zero(g * out * ({}), out)")  # where there is none it has no slope
    d.below("cdf", lambda app: d.called(app, "pdf", "x"))
    d.below("sf", lambda app: f"(-{d.called(app, 'pdf', 'x')})")
    d.below("logcdf", lambda app: _rate(app, d, rates.get("logcdf")))
    d.below("logsf", lambda app: f"(-{_rate(app, d, rates.get('logsf'))})")
    d.quantile("ppf", "")
    d.quantile("isf", "-")
    by_shape: dict[str, Partial] = {p: f"g * ({entropy[p]})" if p in entropy else no_slope(p) for p in shapes}
    head = f"{d.name}.entropy({''.join(f'{p}, ' for p in shapes)}loc=0, scale=1)"
    slopes: dict[str, Partial] = {"loc": "0.0 * g", "scale": "g / scale", **by_shape}
    elementwise(head, kind=double, facts=STATS, **{p: of_reals(slope) for p, slope in slopes.items()})


_BELOW, _ABOVE = (f"{math.sqrt(2 / math.pi)} / erfcx({sign * math.sqrt(0.5)} * {{z}})" for sign in (-1, 1))  # Mills' ratio
continuous("norm", "-{z}", rates={"logcdf": _BELOW, "logsf": _ABOVE})
continuous("halfnorm", "-{z}", rates={"logsf": _ABOVE})
continuous("expon", "-1.0", rates={"logsf": "1.0"})
continuous("uniform", "0.0")
continuous("cauchy", "-2 * ({z} / hypot({z}, 1.0)) / hypot({z}, 1.0)")
continuous("laplace", "-sign({z})")
continuous("logistic", "-tanh(0.5 * {z})", rates={"logcdf": "expit(-{z})", "logsf": "expit({z})"})
continuous("hypsecant", "-tanh({z})")
continuous("gumbel_r", "expm1(-{z})", rates={"logcdf": "exp(-{z})"})
continuous("gumbel_l", "-expm1({z})", rates={"logsf": "exp({z})"})
continuous("rayleigh", "1 / {z} - {z}", rates={"logsf": "{z}"})
continuous("maxwell", "2 / {z} - {z}")
continuous(
    "gamma", "(a - 1) / {z} - 1", a="log({z}) - psi(a)", entropy={"a": "1 + (1 - a) * polygamma(1, a)"}
)
continuous("invgamma", "(1 / {z} - a - 1) / {z}", a="-log({z}) - psi(a)")
continuous("chi2", "(0.5 * df - 1) / {z} - 0.5", df="0.5 * (log(0.5 * {z}) - psi(0.5 * df))")
continuous(
    "beta",
    "(a - 1) / {z} - (b - 1) / (1 - {z})",
    a="log({z}) - psi(a) + psi(a + b)",
    b="log1p(-{z}) - psi(b) + psi(a + b)",
)
_FAR = "hypot({z}, sqrt(df))"
continuous(
    "t",
    f"-(df + 1) * ({{z}} / {_FAR}) / {_FAR}",
    df="0.5 * (psi(0.5 * df + 0.5) - psi(0.5 * df) - logaddexp(0.0, 2 * log(maximum(abs({z}), 1e-160)) - log(df))"
    f" + ((df + 1) * ({{z}} / {_FAR}) ** 2 - 1) / df)",
)
continuous(
    "lognorm",
    "-(1 + log({z}) / s ** 2) / {z}",
    s="(log({z}) ** 2 / s ** 2 - 1) / s",
    moves={"s": "-xlogy({z}, {z}) / s"},
)
continuous(
    "weibull_min",
    "(c - 1) / {z} - c * {z} ** (c - 1)",
    c="1 / c + log({z}) * (1 - {z} ** c)",
    moves={"c": "xlogy({z}, {z}) / c"},
    rates={"logsf": "c * {z} ** (c - 1)"},
)
continuous("pareto", "-(b + 1) / {z}", rates={"logsf": "b / {z}"}, b="1 / b - log({z})", moves={"b": "{z} * log({z}) / b"})
continuous("vonmises", "-kappa * sin({z})", kappa="cos({z}) - i1e(kappa) / i0e(kappa)")
_MILLS = f"{math.sqrt(2 / math.pi)} / erfcx({-math.sqrt(0.5)} * a * {{z}})"
continuous("skewnorm", f"a * {_MILLS} - {{z}}", a=f"{{z}} * {_MILLS}")
continuous(
    "gennorm",
    "-beta * sign({z}) * abs({z}) ** (beta - 1)",
    beta="1 / beta + psi(1 / beta) / beta ** 2 - xlogy(abs({z}) ** beta, abs({z}))",
)

# --- discrete distributions


def discrete(name: str, params: str, below: Mapping[str, str] = {}, **slopes: str) -> None:
    """The log-probabilities of counts, by their slopes in the parameters that are real; ``{k}`` is the count.

    ``below``: the slopes of the probability of at most that many, for a ``{k}`` that is whole.
    """

    def slope(formula: str, factor: str, count: str = "{k}") -> Written:
        def write(app: Application) -> str:
            k = count.format(k="k" if _default(app, "loc", 0) else "(k - loc)")
            return f"{factor} * ({formula.format(k=k)})"

        return written(write)

    whole = {p: no_slope(p, "it counts") for p in ("k", "loc", *params.split(", ")) if p not in slopes}
    entries: list[tuple[str, str, str, Mapping[str, str]]] = [("logpmf", "g", "{k}", slopes), ("pmf", "g * out", "{k}", slopes)]
    signs = (("cdf", "g"), ("sf", "-g"), ("logcdf", "g / exp(out)"), ("logsf", "-g / exp(out)"))
    entries += [(function, factor, "floor({k})", below) for function, factor in signs if below]
    for function, factor, count, formulas in entries:
        by_name = {p: slope(formula, factor, count) for p, formula in formulas.items()}
        by_name |= {p: no_slope(p) for p in slopes if p not in formulas}
        elementwise(
            f"scipy.stats.{name}.{function}(k, {params}, loc=0)",
            kind=double,
            facts=STATS,
            **whole,
            **by_name,
        )


discrete(
    "poisson", "mu", {"mu": "-exp(xlogy({k}, mu) - mu - gammaln({k} + 1))"}, mu="{k} / mu - 1"
)
discrete("bernoulli", "p", {"p": "-1.0 * ({k} == 0)"}, p="{k} / p - (1 - {k}) / (1 - p)")
discrete(
    "binom",
    "n, p",
    {
        "p": "-where(logical_and({k} >= 0, {k} < n),"
        " exp(xlogy({k}, p) + xlog1py(n - {k} - 1, -p) - betaln({k} + 1, n - {k})), 0.0)"
    },
    p="{k} / p - (n - {k}) / (1 - p)",
)
discrete("geom", "p", {"p": "maximum({k}, 0) * (1 - p) ** ({k} - 1)"}, p="1 / p - ({k} - 1) / (1 - p)")
discrete(
    "nbinom",
    "n, p",
    {"p": "where({k} >= 0, exp(xlogy(n - 1, p) + xlog1py({k}, -p) - betaln(n, {k} + 1)), 0.0)"},
    n="psi(n + {k}) - psi(n) + log(p)",
    p="n / p - {k} / (1 - p)",
)
discrete(
    "betabinom",
    "n, a, b",
    a="psi({k} + a) - psi(a) - psi(n + a + b) + psi(a + b)",
    b="psi(n - {k} + b) - psi(b) - psi(n + a + b) + psi(a + b)",
)
discrete("logser", "p", p="{k} / p + 1 / ((1 - p) * log1p(-p))")
discrete("dlaplace", "a", a="1 / sinh(a) - abs({k})")

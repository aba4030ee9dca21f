"""``scipy.special``: distribution functions and their inverses, by the variable; shapes and counts must be constant.

Each is an incomplete gamma or beta function (dlmf.nist.gov, 8.17 and 8.4; Johnson, Kotz & Balakrishnan, "Continuous
Univariate Distributions", 1994), whose slope is a density; the slope of an inverse is one over the density at the result.
"""

from __future__ import annotations

import math

from s2sad.libraries.scipy.rules.names import no_slope, of_whole, smooth
from s2sad.rules.language import Partial

COUNTS = "it counts"


def fixed(*names: str, why: str = "") -> dict[str, Partial]:
    """Parameters that must be constant."""
    return {name: no_slope(name, why) for name in names}


def distribution(head: str, density: str, sign: str = "", /, **slopes: Partial) -> None:
    """A distribution function of its last argument; ``{x}`` is the variable of its density."""
    variable = head[:-1].rpartition(", ")[2]
    smooth(head, **slopes, **{variable: f"{sign}g * {density.format(x=variable)}"})


def inverse(head: str, density: str, sign: str = "", /, **slopes: Partial) -> None:
    """The variable at which a distribution function has the value of the last argument."""
    value = head[:-1].rpartition(", ")[2]
    smooth(head, **slopes, **{value: f"{sign}g / {density.format(x='out')}"})


# --- of counts: binomial and negative binomial, by the probability

_BETA = "exp(xlogy({a} - 1, {{x}}) + xlog1py({b} - 1, -{{x}}) - betaln({a}, {b}))"
_BINOMIAL = _BETA.format(a="(floor(k) + 1)", b="(floor(n) - floor(k))")
_NEGATIVE = _BETA.format(a="floor(n)", b="(floor(k) + 1)")
distribution("bdtr(k, n, p)", _BINOMIAL, "-", **fixed("k", "n", why=COUNTS))
distribution("bdtrc(k, n, p)", _BINOMIAL, **fixed("k", "n", why=COUNTS))
inverse("bdtri(k, n, y)", _BINOMIAL, "-", **fixed("k", "n", why=COUNTS))
distribution("nbdtr(k, n, p)", _NEGATIVE, **fixed("k", "n", why=COUNTS))
distribution("nbdtrc(k, n, p)", _NEGATIVE, "-", **fixed("k", "n", why=COUNTS))
inverse("nbdtri(k, n, y)", _NEGATIVE, **fixed("k", "n", why=COUNTS))
smooth("pdtri(k, y)", k=no_slope("k", COUNTS), y=of_whole("k", "-g / exp(xlogy({k}, out) - out - gammaln({k} + 1))"))

# --- of Fisher, Student, and of gamma and chi-square variables

_FISHER = (
    "exp(xlogy(0.5 * dfn - 1, {x}) + 0.5 * dfn * log(dfn / dfd) - 0.5 * (dfn + dfd) * log1p(dfn * {x} / dfd)"
    " - betaln(0.5 * dfn, 0.5 * dfd))"
)
distribution("fdtr(dfn, dfd, x)", _FISHER, **fixed("dfn", "dfd"))
distribution("fdtrc(dfn, dfd, x)", _FISHER, "-", **fixed("dfn", "dfd"))
inverse("fdtri(dfn, dfd, p)", _FISHER, **fixed("dfn", "dfd"))
inverse(
    "stdtrit(df, p)",
    "exp(gammaln(0.5 * df + 0.5) - gammaln(0.5 * df) - 0.5 * (df + 1) * log1p({x} ** 2 / df)"
    f" - 0.5 * log({math.pi} * df))",
    **fixed("df"),
)
inverse(
    "chdtri(v, p)",
    "(0.5 * exp(xlogy(0.5 * v - 1, 0.5 * {x}) - 0.5 * {x} - gammaln(0.5 * v)))",
    "-",
    **fixed("v"),
)
_GAMMA = "exp(xlogy(b - 1, {y}) - {y} - gammaln(b))"  # of y, the product of rate and place
distribution(
    "gdtr(a, b, x)",
    f"a * {_GAMMA.format(y='(a * x)')}",
    a=f"g * x * {_GAMMA.format(y='(a * x)')}",
    **fixed("b"),
)
distribution(
    "gdtrc(a, b, x)",
    f"a * {_GAMMA.format(y='(a * x)')}",
    "-",
    a=f"-g * x * {_GAMMA.format(y='(a * x)')}",
    **fixed("b"),
)
smooth("gdtrix(a, b, p)", a="-g * out / a", b=no_slope("b"), p=f"g / (a * {_GAMMA.format(y='(a * out)')})")
smooth("gdtria(p, b, x)", p=f"g / (x * {_GAMMA.format(y='(out * x)')})", b=no_slope("b"), x="-g * out / x")
_SPREAD = "(0.5 * exp(xlogy(0.5 * df - 1, 0.5 * {x}) - 0.5 * ({x} + nc) - gammaln(0.5 * df)) * hyp0f1(0.5 * df, 0.25 * nc * {x}))"
_BY_CENTRE = "0.5 * (chndtr({x}, df + 2, nc) - chndtr({x}, df, nc))"
smooth(
    "chndtr(x, df, nc)",
    x=f"g * {_SPREAD.format(x='x')}",
    df=no_slope("df"),
    nc=f"g * {_BY_CENTRE.format(x='x')}",
)
smooth(
    "chndtrix(p, df, nc)",
    p=f"g / {_SPREAD.format(x='out')}",
    df=no_slope("df"),
    nc=f"-g * {_BY_CENTRE.format(x='out')} / {_SPREAD.format(x='out')}",
)

# --- of the normal distribution, by its parameters: the mean or the deviation for which F((x - mean) / deviation) is p

smooth(
    "nrdtrimn(p, std, x)",
    p=f"-{math.sqrt(2 * math.pi)} * g * std * exp(0.5 * ((x - out) / std) ** 2)",
    std="-g * (x - out) / std",
    x="g",
)
smooth(
    "nrdtrisd(mn, p, x)",
    mn="-g * out / (x - mn)",
    p=f"-{math.sqrt(2 * math.pi)} * g * out ** 2 / (x - mn) * exp(0.5 * ((x - mn) / out) ** 2)",
    x="g * out / (x - mn)",
)

# --- of Kolmogorov, Tukey and Voigt

smooth("kolmogorov(y)", y="g * kolmogorov_derivative(1, y)")
smooth("kolmogi(p)", p="g / kolmogorov_derivative(1, out)")

_BY_LAMBDA = (
    "log({p}) ** 2 * exprel_derivative(1, lmbda * log({p}))"  # of the transformation of Box and Cox
)
_OUTSIDE = "(abs(x) * maximum(lmbda, 0.0) >= 1)"  # of the support, where the function is 0 or 1
_INSIDE = f"where({_OUTSIDE}, 0.5, out)"
_QUANTILE_SLOPE = f"({_INSIDE} ** (lmbda - 1) + (1 - {_INSIDE}) ** (lmbda - 1))"
_BENT = f"({_BY_LAMBDA.format(p=f'(1 - {_INSIDE})')} - {_BY_LAMBDA.format(p=_INSIDE)})"
smooth(
    "tklmbda(x, lmbda)",
    x=f"where({_OUTSIDE}, 0.0, g) / {_QUANTILE_SLOPE}",
    lmbda=f"where({_OUTSIDE}, 0.0, g) * {_BENT} / {_QUANTILE_SLOPE}",
)

_WIDTH = "maximum(sigma, 1e-10 * hypot(x, gamma))"  # narrower ones are those of Cauchy, and change by the square of sigma
_PLACE = f"((x + 1j * gamma) / ({math.sqrt(2)} * {_WIDTH}))"  # where Faddeeva's function is taken
_UNIT = f"({math.sqrt(2 * math.pi)} * {_WIDTH})"
smooth(  # its real part over a number
    "voigt_profile(x, sigma, gamma)",
    x=f"{math.sqrt(0.5)} * g * real(wofz_derivative(1, {_PLACE})) / ({_WIDTH} * {_UNIT})",
    sigma=f"-g * (sigma / {_WIDTH}) * real(wofz_derivative(2, {_PLACE})) / ({_WIDTH} * {_UNIT})",
    gamma=f"-{math.sqrt(0.5)} * g * imag(wofz_derivative(1, {_PLACE})) / ({_WIDTH} * {_UNIT})",
)

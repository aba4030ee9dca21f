"""``scipy.stats``: more continuous distributions, written as in ``scipy_stats``.

The densities are those of Johnson, Kotz & Balakrishnan, "Continuous Univariate Distributions" (1994, 1995).
"""

from __future__ import annotations

import math

from s2sad.libraries.scipy.rules.stats import continuous

# --- without shapes

continuous("halfcauchy", "-2 * ({z} / hypot({z}, 1.0)) / hypot({z}, 1.0)")
continuous("halflogistic", "-tanh(0.5 * {z})")
continuous("levy", "(0.5 / {z} - 1.5) / {z}")
continuous("moyal", "0.5 * expm1(-{z})")
continuous("arcsine", "0.5 / (1 - {z}) - 0.5 / {z}")
continuous("semicircular", "-{z} / (1 - {z} ** 2)")
continuous("cosine", "-sin({z}) / (1 + cos({z}))")
continuous("wald", "(0.5 / {z} - 1.5) / {z} - 0.5")

# --- on an interval

continuous(
    "truncnorm",
    "-{z}",
    a="scipy.stats.truncnorm.pdf(a, a, b)",
    b="-scipy.stats.truncnorm.pdf(b, a, b)",
)
continuous("truncexpon", "-1.0", b="-1 / expm1(b)")
continuous("powerlaw", "(a - 1) / {z}", a="1 / a + log({z})", moves={"a": "xlogy({z}, {z}) / a"})
continuous("loguniform", "-1 / {z}", a="1 / (a * log(b / a))", b="-1 / (b * log(b / a))")
continuous("triang", "where({z} < c, 1 / {z}, 1 / ({z} - 1))", c="where({z} < c, -1 / c, 1 / (1 - c))")

# --- of positive numbers

_ODDS = "dfn * {z} / dfd"
continuous(
    "f",
    "(0.5 * dfn - 1) / {z} - 0.5 * (dfn + dfd) * dfn / (dfd + dfn * {z})",
    dfn=f"0.5 * (log({_ODDS}) + 1 - log1p({_ODDS}) - (dfn + dfd) * {{z}} / (dfd + dfn * {{z}})"
    " - psi(0.5 * dfn) + psi(0.5 * (dfn + dfd)))",
    dfd=f"0.5 * ((dfn + dfd) * {_ODDS} / (dfd + dfn * {{z}}) - dfn / dfd - log1p({_ODDS})"
    " - psi(0.5 * dfd) + psi(0.5 * (dfn + dfd)))",
)
continuous("erlang", "(a - 1) / {z} - 1", a="log({z}) - psi(a)")
continuous("chi", "(df - 1) / {z} - {z}", df=f"log({{z}}) - 0.5 * ({math.log(2)} + psi(0.5 * df))")
continuous(
    "nakagami", "(2 * nu - 1) / {z} - 2 * nu * {z}", nu="1 + log(nu) - psi(nu) + 2 * log({z}) - {z} ** 2"
)
continuous("invgauss", "(0.5 / {z} - 1.5) / {z} - 0.5 / mu ** 2", mu="{z} / mu ** 3 - 1 / mu ** 2")
continuous(
    "invweibull",
    "(c * {z} ** -c - c - 1) / {z}",
    c="1 / c + log({z}) * ({z} ** -c - 1)",
    moves={"c": "xlogy({z}, {z}) / c"},
)
continuous("lomax", "-(c + 1) / (1 + {z})", c="1 / c - log1p({z})", moves={"c": "(1 + {z}) * log1p({z}) / c"})
continuous(
    "betaprime",
    "(a - 1) / {z} - (a + b) / (1 + {z})",
    a="log({z}) - log1p({z}) - psi(a) + psi(a + b)",
    b="-log1p({z}) - psi(b) + psi(a + b)",
)
continuous(
    "fisk",
    "(2 * c * expit(-c * log({z})) - c - 1) / {z}",
    c="1 / c + log({z}) * (2 * expit(-c * log({z})) - 1)",
    moves={"c": "xlogy({z}, {z}) / c"},
)
continuous(
    "burr12",
    "(c - 1 - (d + 1) * c * expit(c * log({z}))) / {z}",
    c="1 / c + log({z}) * (1 - (d + 1) * expit(c * log({z})))",
    d="1 / d - log1p({z} ** c)",
)
continuous(
    "exponweib",
    "(c - 1 - c * ({z} ** c - (a - 1) / exprel({z} ** c))) / {z}",
    a="1 / a + log(-expm1(-({z} ** c)))",
    c="1 / c + log({z}) * (1 - {z} ** c + (a - 1) / exprel({z} ** c))",
)
continuous("foldnorm", "c * tanh(c * {z}) - {z}", c="{z} * tanh(c * {z}) - c")
continuous(
    "rice", "1 / {z} - {z} + b * i1e(b * {z}) / i0e(b * {z})", b="{z} * i1e(b * {z}) / i0e(b * {z}) - b"
)

# --- of all numbers

_MILLS = f"{math.sqrt(2 / math.pi)} / erfcx({-math.sqrt(0.5)} * ({{z}} - 1 / K))"
continuous("exponnorm", f"{_MILLS} - 1 / K", K=f"(({{z}} - 1 / K + {_MILLS}) / K - 1) / K")
continuous("genlogistic", "(c + 1) * expit(-{z}) - 1", c="1 / c + log_expit({z})")
continuous("loggamma", "c - exp({z})", c="{z} - psi(c)")
_SCORE = "(a + b * arcsinh({z}))"
continuous(
    "johnsonsu",
    f"-({_SCORE} * b + {{z}} / hypot({{z}}, 1.0)) / hypot({{z}}, 1.0)",
    a=f"-{_SCORE}",
    b=f"1 / b - {_SCORE} * arcsinh({{z}})",
    moves={"a": "hypot({z}, 1.0) / b", "b": "hypot({z}, 1.0) * arcsinh({z}) / b"},
)
continuous(
    "laplace_asymmetric",
    "where({z} < 0, 1 / kappa, -kappa)",
    kappa="(1 / kappa ** 2 - 1) / (kappa + 1 / kappa) - where({z} < 0, {z} / kappa ** 2, {z})",
)
continuous("dweibull", "(c - 1 - c * abs({z}) ** c) / {z}", c="1 / c + log(abs({z})) * (1 - abs({z}) ** c)")
continuous("dgamma", "(a - 1) / {z} - sign({z})", a="log(abs({z})) - psi(a)")
continuous(
    "wrapcauchy",
    "-2 * c * sin({z}) / (1 + c ** 2 - 2 * c * cos({z}))",
    c="2 * (cos({z}) - c) / (1 + c ** 2 - 2 * c * cos({z})) - 2 * c / (1 - c ** 2)",
)

# --- of extreme values: with (1 - c z) ** (1 / c), or (1 + c z) ** (1 / c), which is exponential where c is 0

_EXTREME = "inv_boxcox(-{z}, c)"
_BENT = "log({e}) ** 2 * exprel_derivative(1, c * log({e})) * exp(-c * log({e}))"
continuous(
    "genextreme",
    f"(c - 1 + {_EXTREME}) / (1 - c * {{z}})",
    c=f"({_EXTREME} - 1) * {_BENT.format(e=_EXTREME)} + {{z}} / (1 - c * {{z}})",
)
_EXCESS = "inv_boxcox({z}, c)"
continuous(
    "genpareto",
    "-(c + 1) / (1 + c * {z})",
    c=f"(1 + c) * {_BENT.format(e=_EXCESS)} - where(c == 0, {{z}}, log1p(c * {{z}}) / where(c == 0, 1.0, c))",
)
continuous("weibull_max", "(c - 1) / {z} + c * (-{z}) ** (c - 1)", c="1 / c + log(-{z}) * (1 - (-{z}) ** c)")

"""``scipy.special``: gamma, error, information and hypergeometric functions, sums of exponentials.

The formulas are those of the NIST Digital Library of Mathematical Functions (dlmf.nist.gov), by chapter: gamma 5,
error functions 7, incomplete gamma and beta 8, exponential integrals 6, hypergeometric 13 and 15, elliptic 19.
Differences that would cancel are written as another function: (x exp(x) - exp(x) + 1) / x**2 is the derivative of exprel.
"""

from __future__ import annotations

import math

from s2sad.ir.kinds import Array, Kind, Scalar, Tuple, dtype_of
from s2sad.ir.nodes import Value
from s2sad.libraries.scipy.rules.names import SPECIAL, no_slope, of_whole, real_only, smooth
from s2sad.rules.application import Application
from s2sad.rules.by_result import one, results, switched
from s2sad.rules.call_formulas import (
    Written,
    broadcastable,
    by_field,
    field_of,
    keeps_shape,
    literal,
    options_text,
    refuse,
    written,
)
from s2sad.rules.kind_arrays import (
    array_kind,
    float_dtype,
    inexact_dtype,
    literal_of,
    promoted,
    real_dtype,
    reduced,
    same,
    ufunc,
    ufunc_dtype,
)
from s2sad.rules.kind_rules import Bound, broadcast_float, broadcast_shapes, make, shape_of
from s2sad.rules.language import Primitive
from s2sad.rules.registry import add, alias, elementwise, general, nothing

ERF = f"{2 / math.sqrt(math.pi)}"  # the slope of erf at 0
GAUSS = f"{1 / math.sqrt(2 * math.pi)}"  # the standard normal density at 0
DEGREE = f"{math.pi / 180}"

# --- the gamma function and its relatives

smooth("gamma(x)", x="g * out * psi(x)")
smooth("gammaln(x)", x="g * psi(x)")
smooth("loggamma(x)", x="g * psi(x)")
smooth("psi(x)", x=real_only("x", "g * zeta(2, x)"))
alias("scipy.special.psi", "scipy.special.digamma")
elementwise(
    "scipy.special.polygamma(n, x)",
    n=no_slope("n", "it counts derivatives"),
    x="g * polygamma(n + 1, x)",
    kind=lambda bound: Array("float64", shape_of(broadcast_float(bound))),
    facts=SPECIAL,
)


def _zeta(bound: Bound) -> Kind:
    """SciPy has no zeta of half precision: it is computed in single, and of integers in double precision or less."""
    kind = promoted(("x", "q"))(bound)
    dtype = dtype_of(kind)
    if dtype is None or not isinstance(kind, Scalar | Array):
        return kind
    return make({"float16": "float32", "int64": "float64"}.get(dtype, inexact_dtype(dtype)), shape_of(kind))


elementwise(  # of two arguments: Hurwitz
    "scipy.special.zeta(x, q=None)",
    x=no_slope("x"),
    q="-g * x * zeta(x + 1, q)",
    kind=_zeta,
    facts=SPECIAL,
)
smooth("beta(a, b)", a="g * beta_slope(a, b)", b="g * beta_slope(b, a)")
smooth("betaln(a, b)", a="-g * digamma_step(a, b)", b="-g * digamma_step(b, a)")
smooth("poch(z, m)", z="g * poch_slope(z, m)", m="g * out * psi(z + m)")
smooth("binom(x, y)", x="g * binom_slope(0, x, y)", y="g * binom_slope(1, x, y)")
elementwise(
    "scipy.special.multigammaln(a, d)",
    a="g * multigammaln_derivative(1, a, d)",
    kind=same(lambda _: "float64"),
    facts=SPECIAL,
)
nothing(["scipy.special.gammasgn(x)"], kind=ufunc("gammasgn", "scipy.special"), zero=True)
nothing(
    [f"scipy.special.{name}(n, exact=False)" for name in ("factorial", "factorial2")],
    why="it is defined on integers: scipy.special.gamma(n + 1) is differentiable",
)
nothing(
    ["scipy.special.comb(N, k, *, exact=False, repetition=False)", "scipy.special.perm(N, k, exact=False)"],
    why="it counts: scipy.special.binom(n, k) and scipy.special.poch(n - k + 1, k) are differentiable",
)

# --- the incomplete gamma and beta functions; their slopes are densities, those of their inverses one over it

_GAMMA_DENSITY = "exp(xlogy(a - 1, {x}) - {x} - gammaln(a))"
_BETA_DENSITY = "exp(xlogy(a - 1, {x}) + xlog1py(b - 1, -{x}) - betaln(a, b))"
for name, sign in (("", ""), ("c", "-")):
    smooth(f"gammainc{name}(a, x)", a=no_slope("a"), x=f"{sign}g * {_GAMMA_DENSITY.format(x='x')}")
    smooth(f"gammainc{name}inv(a, y)", a=no_slope("a"), y=f"{sign}g / {_GAMMA_DENSITY.format(x='out')}")
    shapes = {"a": no_slope("a"), "b": no_slope("b")}
    smooth(f"betainc{name}(a, b, x)", **shapes, x=f"{sign}g * {_BETA_DENSITY.format(x='x')}")
    smooth(f"betainc{name}inv(a, b, y)", **shapes, y=f"{sign}g / {_BETA_DENSITY.format(x='out')}")

smooth(
    "chdtr(v, x)",
    v=no_slope("v"),
    x="0.5 * g * exp(xlogy(0.5 * v - 1, 0.5 * x) - 0.5 * x - gammaln(0.5 * v))",
)
smooth(
    "chdtrc(v, x)",
    v=no_slope("v"),
    x="-0.5 * g * exp(xlogy(0.5 * v - 1, 0.5 * x) - 0.5 * x - gammaln(0.5 * v))",
)
smooth(
    "pdtr(k, m)", k=no_slope("k", "it counts"), m="-g * exp(xlogy(floor(k), m) - m - gammaln(floor(k) + 1))"
)
smooth(
    "pdtrc(k, m)", k=no_slope("k", "it counts"), m="g * exp(xlogy(floor(k), m) - m - gammaln(floor(k) + 1))"
)
smooth(
    "stdtr(df, t)",
    df=no_slope("df"),
    t="g * exp(gammaln(0.5 * df + 0.5) - gammaln(0.5 * df) - 0.5 * (df + 1) * log1p(t ** 2 / df))"
    f" / sqrt({math.pi} * df)",
)

# --- error functions and the normal distribution

smooth("erf(z)", z=f"{ERF} * g * exp(-z ** 2)")
smooth("erfc(x)", x=f"-{ERF} * g * exp(-x ** 2)")
_ERFCX = "1j * g * wofz_derivative(1, 1j * x)"
smooth("erfcx(x)", x=by_field("x", "g * real(1j * wofz_derivative(1, 1j * x))", _ERFCX, f"unbroadcast({_ERFCX}, x)"))
smooth("erfi(z)", z=f"{ERF} * g * exp(z ** 2)")
smooth(
    "dawsn(x)",
    x=by_field(
        "x",
        f"{math.sqrt(math.pi) / 2} * g * imag(wofz_derivative(1, x))",
        f"-{math.sqrt(math.pi) / 2}j * g * (2 * x * exp(-x ** 2) + wofz_derivative(1, x))",
    ),
)
smooth("erfinv(y)", y=f"{math.sqrt(math.pi) / 2} * g * exp(out ** 2)")
smooth("erfcinv(y)", y=f"-{math.sqrt(math.pi) / 2} * g * exp(out ** 2)")
smooth("ndtr(x)", x=f"{GAUSS} * g * exp(-0.5 * x ** 2)")
# from 10 on ndtr is 1; squares of erfcx overflow further out
_SMALL = f"{math.sqrt(2 / math.pi)} / erfcx(-{math.sqrt(0.5)} * where(x < 10.0, x, 0.0))"
_EVERYWHERE = f"{math.sqrt(2 / math.pi)} * g / erfcx(-{math.sqrt(0.5)} * x)"
smooth(
    "log_ndtr(x)",
    x=by_field("x", f"g * where(x < 10.0, {_SMALL}, {GAUSS} * exp(-0.5 * x ** 2))", _EVERYWHERE, _EVERYWHERE),
)
smooth("ndtri(y)", y=f"{math.sqrt(2 * math.pi)} * g * exp(0.5 * out ** 2)")
smooth("ndtri_exp(y)", y=f"{math.sqrt(2 * math.pi)} * g * exp(0.5 * out ** 2 + y)")
smooth(
    "owens_t(h, a)",
    h=f"-0.5 * {GAUSS} * g * exp(-0.5 * h ** 2) * erf({math.sqrt(0.5)} * a * h)",
    a=f"{0.5 / math.pi} * g * exp(-0.5 * h ** 2 * (1 + a ** 2)) / (1 + a ** 2)",
)

# --- logistic functions

smooth("expit(x)", x="g * out * expit(-x)")
smooth("log_expit(x)", x="g * expit(-x)")
smooth("logit(x)", x="g / (x * (1 - x))")
elementwise("scipy.special.softplus(x)", x="g * expit(x)", kind=same(ufunc_dtype), facts=SPECIAL)

# --- logarithms of products, entropies; 0 log 0 is 0, and its slope in what stands in the logarithm too

smooth("xlogy(x, y)", x="g * log(y)", y="g * (x / where((x == 0) & (y == 0), 1.0, y))")
smooth("xlog1py(x, y)", x="g * log1p(y)", y="g * (x / where((x == 0) & (y == -1), 1.0, 1 + y))")
smooth("entr(x)", x="-g * (log(x) + 1)")
smooth("rel_entr(x, y)", x="g * (log_ratio(x, y) + 1)", y="-g * (x / where((x == 0) & (y == 0), 1.0, y))")
_DIVISOR = "where((x == 0) & (y == 0), 1.0, y)"
smooth("kl_div(x, y)", x="g * log_ratio(x, y)", y=f"g * (({_DIVISOR} - x) / {_DIVISOR})")

# --- powers, exponentials, degrees

smooth("expm1(x)", x="g * exp(x)")
smooth("log1p(x)", x="g / (1 + x)")
smooth("exp2(x)", x="g * out * log(2.0)")
smooth("powm1(x, y)", x="strong_zero(g * power_dx(x, y), g)", y="strong_zero(g * power_dy(x, x ** y), g)")
smooth("exp10(x)", x="g * out * log(10.0)")
smooth("cbrt(x)", x="g / (3 * out ** 2)")
smooth("cosm1(x)", x="-g * sin(x)")
smooth("exprel(x)", x="g * exprel_derivative(1, x)")
smooth("sindg(x)", x=f"{DEGREE} * g * cosdg(x)")
smooth("cosdg(x)", x=f"-{DEGREE} * g * sindg(x)")
smooth("tandg(x)", x=f"{DEGREE} * g / cosdg(x) ** 2")
smooth("cotdg(x)", x=f"-{DEGREE} * g / sindg(x) ** 2")
smooth("radian(d, m, s)", d=f"{DEGREE} * g", m=f"{DEGREE} * g / 60", s=f"{DEGREE} * g / 3600")

# --- Box and Cox: log(x) exprel(lmbda log(x)), and its inverse

_BY_LAMBDA = "{log} ** 2 * exprel_derivative(1, lmbda * {log})"
for suffix, argument, inverse, power in (("", "log(x)", "log(out)", "xlogy"), ("1p", "log1p(x)", "log1p(out)", "xlog1py")):
    smooth(
        f"boxcox{suffix}(x, lmbda)",
        x=f"g * exp({power}(lmbda - 1, x))",
        lmbda=f"g * {_BY_LAMBDA.format(log=argument)}",
    )
    smooth(
        f"inv_boxcox{suffix}(y, lmbda)",
        y=f"g * exp({power}(1 - lmbda, out))",
        lmbda=f"-g * {_BY_LAMBDA.format(log=inverse)} * exp((1 - lmbda) * {inverse})",
    )

# --- losses

smooth("huber(delta, r)", delta="g * maximum(abs(r) - delta, 0.0)", r="g * clip(r, -delta, delta)")
_ROOT = "hypot(1.0, r / delta)"
_EXCESS = f"((r / delta) * ((r / delta) / (1 + {_ROOT})))"  # the root less 1
smooth(
    "pseudo_huber(delta, r)",
    delta=f"g * delta * {_EXCESS} * ({_EXCESS} / {_ROOT})",
    r="g * delta * (r / hypot(delta, r))",
)

# --- exponential integrals, Lambert's function

smooth("exp1(z)", z="-g * exp(-z) / z")
smooth("expi(x)", x="g * exp(x) / x")
smooth(  # below n = 0 SciPy knows none: there the recurrence of n is followed
    "expn(n, x)",
    n=no_slope("n"),
    x=of_whole("n", "-g * where({n} == 0, (exp(-x) + out) / x, expn(maximum({n} - 1, 0), x))"),
)
elementwise(
    "scipy.special.lambertw(z, k=0, tol=1e-08)",
    z="g / (z + exp(out))",
    kind=lambda bound: make("complex128", shape_of(ufunc("add")({p: bound[p] for p in ("z", "k")}))),
    facts=SPECIAL,
)
smooth("wrightomega(z)", z="g * out / (1 + out)")
_NEAR = "(abs(z - 1) < 0.5)"
_ELSEWHERE = f"where({_NEAR}, 2.0, z)"
smooth(
    "spence(z)",
    z=f"g * where({_NEAR}, -hyp2f1(1.0, 1.0, 2.0, where({_NEAR}, 1 - z, 0.0)), log({_ELSEWHERE}) / (1 - {_ELSEWHERE}))",
)

# --- hypergeometric functions, elliptic integrals

smooth(
    "hyp2f1(a, b, c, z)",
    **{p: no_slope(p) for p in "abc"},
    z="g * (a * b / c) * hyp2f1(a + 1, b + 1, c + 1, z)",
)
smooth("hyp1f1(a, b, x)", **{p: no_slope(p) for p in "ab"}, x="g * (a / b) * hyp1f1(a + 1, b + 1, x)")
smooth("hyp0f1(v, z)", v=no_slope("v"), z="g * hyp0f1(v + 1, z) / v")
smooth("hyperu(a, b, x)", **{p: no_slope(p) for p in "ab"}, x="-g * a * hyperu(a + 1, b + 1, x)")
_DEEP = "where(m < -1e8, m, -1e8)"
_FAR_OFF = f"(ellipe({_DEEP}) / (1 - {_DEEP}) - out) / (2 * {_DEEP})"
smooth("ellipk(m)", m=f"g * where(m < -1e8, {_FAR_OFF}, {math.pi / 8} * hyp2f1(1.5, 1.5, 2.0, where(m < -1e8, -1e8, m)))")
smooth("ellipe(m)", m=f"-{math.pi / 8} * g * hyp2f1(0.5, 1.5, 2.0, m)")

nothing(["scipy.special.round(x)"], kind=ufunc("round", "scipy.special"), zero=True)

# --- sums of exponentials; where one of them is nearly all, what is due to it is less than rounding of what is due to them

_SOFTMAX = "out * (centred(g, out, axis) - sum(out * centred(g, out, axis), axis=axis, keepdims=True))"
general("scipy.special.softmax(x, axis=None)", push={"x": _SOFTMAX}, pull={"x": _SOFTMAX}, kind=same(ufunc_dtype), facts=SPECIAL)
general(
    "scipy.special.log_softmax(x, axis=None)",
    push={"x": "centred(g, out, axis) - sum(exp(out) * centred(g, out, axis), axis=axis, keepdims=True)"},
    pull={"x": "balanced(g - exp(out) * sum(g, axis=axis, keepdims=True), out, axis)"},
    kind=same(ufunc_dtype),
    facts=SPECIAL,
)


def _check_logsumexp(app: Application) -> None:
    if literal(app, "return_sign") is True and any(field_of(app, p) == "complex" for p in ("a", "b") if app.given(p)):
        refuse(app, "of complex numbers with return_sign", "their sign varies, too", "np.exp of the sum without return_sign")
    if app.given("b"):
        a, b = app.rank("a"), app.rank("b")
        if a is None or b is None or b > a:
            refuse(
                app,
                "with more axes in b than in a",
                "axis counts those of both",
                "a with all axes, by np.broadcast_to",
            )


def _shares(app: Application, factor: bool) -> str:
    """The share of each item of ``a`` in the sum; without its factor ``b`` the derivative by that."""
    signed = literal(app, "return_sign") is True
    share = f"exp(a - {broadcastable(app, 'a', 'out[0]' if signed else 'out')})"
    if signed:
        share = f"{broadcastable(app, 'a', 'out[1]')} * {share}"
    return f"b * {share}" if factor and app.given("b") else share


def _logsumexp_push(factor: bool) -> Written:
    def write(app: Application) -> str:
        _check_logsumexp(app)
        return f"sum({_shares(app, factor)} * g{options_text(app)})"

    return written(write)


def _logsumexp_pull(param: str) -> Written:
    def write(app: Application) -> str:
        _check_logsumexp(app)
        text = f"{broadcastable(app, 'a', 'g')} * {_shares(app, param == 'a')}"
        if app.rank("a") == 0 and options_text(app):  # a number, which an axis makes a vector of
            return f"sum({text})"
        if not app.given("b") or keeps_shape(app, "a", "b"):
            return text
        return f"unbroadcast({text}, a)" if param == "a" else f"unbroadcast({text} * ones_like(b), b)"

    return written(write)


def _logsumexp_kind(bound: Bound) -> Kind:
    a, b = array_kind(bound["a"].kind), bound["b"]
    signed = literal_of(bound["return_sign"])
    if literal_of(b, b) is not None:
        shape = broadcast_shapes([shape_of(a), shape_of(array_kind(b.kind))])
        both = make(getattr(ufunc("multiply")({"a": bound["a"], "b": b}), "dtype", None), shape)
        bound = {**bound, "a": Value(both)}
    found = reduced(float_dtype)(bound)
    if signed is not True:
        return found if signed is False else Kind()
    dtype = dtype_of(found)
    return Tuple((found if dtype is None else make(real_dtype(dtype), shape_of(found)), found))


def _refuse_sign(app: Application) -> None:
    refuse(app, "with a computed return_sign", "it says how many results there are", "True or False")


_PUSH = {"a": _logsumexp_push(True), "b": _logsumexp_push(False)}
_PULL = {"a": _logsumexp_pull("a"), "b": _logsumexp_pull("b")}
_SIGNED = results(
    push={p: (f, None) for p, f in _PUSH.items()}, pull={p: (f, None) for p, f in _PULL.items()}
)
add(
    Primitive(
        name="scipy.special.logsumexp",
        signature="a, axis=None, b=None, keepdims=False, return_sign=False",
        effects="fresh",
        kind=_logsumexp_kind,
        derivative=switched("return_sign", {False: one(_PUSH, _PULL), True: _SIGNED}, _refuse_sign),
        **SPECIAL,
    )
)

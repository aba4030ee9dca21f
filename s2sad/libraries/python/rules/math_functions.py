"""The functions of ``math``, on Python's numbers; formulas use ``math`` too."""

from __future__ import annotations

from s2sad.ir.kinds import BOOL, FLOAT, INT, UNKNOWN
from s2sad.libraries.python.rules.builtins import POWER_X, POWER_Y
from s2sad.rules.call_formulas import literal, written
from s2sad.rules.kind_rules import always
from s2sad.rules.language import Partial
from s2sad.rules.registry import elementwise, general, linear, nothing

FACTS = {"scope": ("math", "s2sad.runtime", "numpy", "builtins")}


def scalar(head: str, **partials: Partial) -> None:
    """A function of numbers to a Python float."""
    elementwise(f"math.{head}", kind=always(FLOAT), facts=FACTS, **partials)


# --- powers, exponentials and logarithms

scalar("sqrt(x)", x="0.5 * g / out")
scalar("cbrt(x)", x="g / (3 * out ** 2)")
scalar("pow(x, y)", x=POWER_X, y=POWER_Y)
scalar("exp(x)", x="g * out")
scalar("exp2(x)", x="g * out * log(2.0)")
scalar("expm1(x)", x="g * exp(x)")
scalar(
    "log(x, base=None)",
    x=written(lambda app: "g / x" if literal(app, "base") is None else None, "g / x / log(base)"),
    base="-g * out / base / log(base)",
)
scalar("log2(x)", x="g / x / log(2.0)")
scalar("log10(x)", x="g / x / log(10.0)")
scalar("log1p(x)", x="g / (1 + x)")

# --- trigonometric and hyperbolic

scalar("sin(x)", x="g * cos(x)")
scalar("cos(x)", x="-g * sin(x)")
scalar("tan(x)", x="g * (1 + out ** 2)")
scalar("asin(x)", x="g / sqrt((1 - x) * (1 + x))")
scalar("acos(x)", x="-g / sqrt((1 - x) * (1 + x))")
scalar("atan(x)", x="g / (1 + x * x)")  # a product overflows to infinity, a power raises
scalar("atan2(y, x)", y="g / hypot(x, y) * (x / hypot(x, y))", x="-g / hypot(x, y) * (y / hypot(x, y))")
scalar("sinh(x)", x="g * cosh(x)")
scalar("cosh(x)", x="g * sinh(x)")
scalar("tanh(x)", x="g * sech2(x)")
scalar("asinh(x)", x="g / hypot(x, 1.0)")
scalar("acosh(x)", x="g / (sqrt(x - 1) * sqrt(x + 1))")
scalar("atanh(x)", x="g / ((1 - x) * (1 + x))")
scalar("radians(x)", x="radians(g)")
scalar("degrees(x)", x="degrees(g)")

# --- special functions; 2 / sqrt(pi) is the slope of erf at 0

scalar("gamma(x)", x="g * out * digamma(x)")
scalar("lgamma(x)", x="g * digamma(x)")
scalar("erf(x)", x="2 * g * exp(-x * x) / sqrt(3.141592653589793)")
scalar("erfc(x)", x="-2 * g * exp(-x * x) / sqrt(3.141592653589793)")

# --- corners, remainders, distances

scalar("fabs(x)", x="g * sign(x)")
scalar("copysign(x, y)", x="g * sign(x) * copysign(1.0, y)")
scalar("nextafter(x, y)", x="g")
scalar("fmod(x, y)", x="g", y="-g * numpy.trunc(divide(x, y))")
scalar("remainder(x, y)", x="g", y="-g * rint(divide(x, y))")
scalar("ldexp(x, i)", x="numpy.ldexp(g, i)")
scalar("hypot(*x)", **{f"x{k}": f"g * safe_divide(x{k}, out)" for k in range(8)})
general(
    "math.dist(p, q)",
    push={"p": "safe_divide(dot(asarray(p) - asarray(q), g), out)", "q": "safe_divide(dot(asarray(q) - asarray(p), g), out)"},
    pull={"p": "g * safe_divide(asarray(p) - asarray(q), out)", "q": "g * safe_divide(asarray(q) - asarray(p), out)"},
    kind=always(FLOAT),
    facts=FACTS,
)
linear("math.fsum(seq)", seq="spread(g, seq)", kind=always(FLOAT), facts=FACTS)

# --- steps and integers

nothing(["math.floor(x)", "math.ceil(x)", "math.trunc(x)"], kind=always(INT), zero=True, cheap=True)
nothing(["math.isnan(x)", "math.isinf(x)", "math.isfinite(x)"], kind=always(BOOL), zero=True, cheap=True)
nothing(["math.isclose(a, b, *, rel_tol=1e-09, abs_tol=0.0)"], kind=always(BOOL), zero=True)
nothing(["math.ulp(x)"], kind=always(FLOAT), zero=True)
nothing(
    ["math.factorial(n)", "math.comb(n, k)", "math.perm(n, k=None)", "math.isqrt(n)"],
    kind=always(INT),
    zero=True,
)
nothing(["math.gcd(*integers)", "math.lcm(*integers)"], kind=always(INT), zero=True)
nothing(["math.frexp(x)"], kind=always(UNKNOWN), why="its exponent jumps")

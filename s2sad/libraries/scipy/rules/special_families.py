"""``scipy.special``: Bessel functions, orthogonal polynomials, and functions with several results.

The formulas are those of the NIST Digital Library of Mathematical Functions (dlmf.nist.gov): 10.6, 10.29 and 10.51 for
Bessel functions, 18.9 for polynomials, 9.2 and 22.13 for the functions of Airy and Jacobi. Orders must be constant.
"""

from __future__ import annotations

import math

from s2sad.ir.kinds import Kind, Tuple
from s2sad.libraries.scipy.rules.names import SPECIAL, no_slope, of_whole, real_only, smooth
from s2sad.rules.application import Application
from s2sad.rules.by_result import results
from s2sad.rules.call_formulas import by_field, literal, refuse, written
from s2sad.rules.kind_arrays import if_double, ufunc
from s2sad.rules.kind_rules import Bound, KindRule, make, shape_of
from s2sad.rules.language import Partial, Primitive
from s2sad.rules.registry import add, alias, elementwise

# --- Bessel functions of fixed order; far out the slopes of scaled ones are less than the rounding of their neighbours

_NEAR = "abs(x) < 50.0"
_FAR = f"where({_NEAR}, 50.0, abs(x))"  # a maximum would halve second derivatives at 50

smooth("j0(x)", x="-g * j1(x)")
smooth("j1(x)", x="0.5 * g * (j0(x) - jv(2, x))")
smooth("y0(x)", x="-g * y1(x)")
smooth("y1(x)", x="g * (y0(x) - out / x)")
smooth("i0(x)", x="g * i1(x)")
smooth("i1(x)", x="0.5 * g * (i0(x) + iv(2, x))")
smooth("i0e(x)", x=f"g * where({_NEAR}, i1e(x) - sign(x) * out, sign(x) * scaled_bessel_slope(0, 1, {_FAR}))")
smooth(
    "i1e(x)",
    x=f"g * where({_NEAR}, 0.5 * (i0e(x) + ive(2, minimum(x, 50.0))) - sign(x) * out, scaled_bessel_slope(1, 1, {_FAR}))",
)
smooth("k0(x)", x="-g * k1(x)")
smooth("k1(x)", x="-0.5 * g * (k0(x) + kn(2, x))")
smooth("k0e(x)", x=f"g * where({_NEAR}, out - k1e(x), scaled_bessel_slope(0, -1, {_FAR}))")
smooth("k1e(x)", x=f"g * where({_NEAR}, out - 0.5 * (k0e(x) + kve(2, x)), scaled_bessel_slope(1, -1, {_FAR}))")

# --- and of any order


def bessel(name: str, argument: str, formula: str | Partial) -> None:
    """A Bessel function of order ``v``; with the signs of its two neighbours in ``formula``."""
    smooth(f"{name}(v, {argument})", v=no_slope("v"), **{argument: formula})


def neighbours(name: str, sign: str) -> str:
    """The mean of the functions of the two neighbouring orders, or their difference halved."""
    return f"0.5 * ({name}(v - 1, z) {sign} {name}(v + 1, z))"


for name in ("jv", "yv", "hankel1", "hankel2"):
    bessel(name, "z", f"g * {neighbours(name, '-')}")
alias("scipy.special.jv", "scipy.special.jn")
bessel("iv", "z", f"g * {neighbours('iv', '+')}")
bessel("kv", "z", f"-g * {neighbours('kv', '+')}")
# the scaled functions: by exp(-abs(imag(z))), which is 1 on the real axis; exp(-abs(real(z))); exp(z); exp(-iz)
# (at 0 SciPy has no scaled ones of negative order, and they are as the plain ones)
for name, plain in (("jve", "jv"), ("yve", "yv")):
    bessel(name, "z", real_only("z", f"g * where(z == 0, {neighbours(plain, '-')}, {neighbours(name, '-')})"))
bessel("ive", "z", real_only("z", f"g * (where(z == 0, {neighbours('iv', '+')}, {neighbours('ive', '+')}) - sign(z) * out)"))
bessel("kve", "z", f"g * where(z == 0, -{neighbours('kv', '+')}, out - {neighbours('kve', '+')})")
bessel("hankel1e", "z", f"g * ({neighbours('hankel1e', '-')} - 1j * out)")
bessel("hankel2e", "z", f"g * ({neighbours('hankel2e', '-')} + 1j * out)")
smooth("kn(n, x)", n=no_slope("n"), x=of_whole("n", "-0.5 * g * (kv({n} - 1, x) + kv({n} + 1, x))"))
smooth("yn(n, x)", n=no_slope("n"), x=of_whole("n", "0.5 * g * (yv({n} - 1, x) - yv({n} + 1, x))"))


def _spherical(name: str, sign: str) -> None:
    """A spherical Bessel function; its derivative is the difference of its neighbours, and so is the derivative of that."""

    def write(app: Application) -> str:
        derivative = literal(app, "derivative")
        if derivative is False:
            return f"g * {name}(n, z, True)"
        if derivative is not True:
            refuse(app, "with a computed derivative=", "it says what is computed", "True or False")
        lower, upper = (f"{name}({order}, z, True)" for order in ("maximum(n, 1) - 1", "n + 1"))
        return f"g * (({sign[0]}n * {lower} {sign[1]} (n + 1) * {upper}) / (2 * n + 1))"

    elementwise(
        f"scipy.special.{name}(n, z, derivative=False)",
        n=no_slope("n"),
        z=written(write),
        kind=if_double(_double),
        facts=SPECIAL,
    )


def _double(bound: Bound) -> Kind:
    """Double precision, complex for a complex argument; the order comes first."""
    order, argument = list(bound)[:2]
    kind = ufunc("multiply")({p: bound[p] for p in (order, argument)})
    dtype = getattr(kind, "dtype", None)
    if dtype is None:
        return make(None, shape_of(kind))
    return make("complex128" if dtype.startswith("complex") else "float64", shape_of(kind))


for name, sign in (
    ("spherical_jn", "+-"),
    ("spherical_yn", "+-"),
    ("spherical_in", "++"),
    ("spherical_kn", "--"),
):
    _spherical(name, sign)


def _complex_double(bound: Bound) -> Kind:
    return make("complex128", shape_of(ufunc("multiply")({p: bound[p] for p in ("v", "z")})))


for name in ("jvp", "yvp", "ivp", "kvp", "h1vp", "h2vp"):  # the n-th derivative
    elementwise(
        f"scipy.special.{name}(v, z, n=1)",
        v=no_slope("v"),
        z=f"g * {name}(v, z, n + 1)",
        kind=_complex_double if name.startswith("h") else if_double(_double),
        facts=SPECIAL,
    )

# --- orthogonal polynomials: the derivative is one of the same or another family, of a degree less

_LESS = "(n - (n != 0))"
for head, slope in (
    ("eval_legendre(n, x)", f"0.5 * (n + 1) * eval_jacobi({_LESS}, 1.0, 1.0, x)"),
    ("eval_chebyt(n, x)", f"n * eval_chebyu({_LESS}, x)"),
    ("eval_chebyu(n, x)", f"2 * eval_gegenbauer({_LESS}, 2.0, x)"),
    ("eval_gegenbauer(n, alpha, x)", f"2 * alpha * eval_gegenbauer({_LESS}, alpha + 1, x)"),
    (
        "eval_jacobi(n, alpha, beta, x)",
        f"0.5 * (n + alpha + beta + 1) * eval_jacobi({_LESS}, alpha + 1, beta + 1, x)",
    ),
    ("eval_laguerre(n, x)", f"-eval_genlaguerre({_LESS}, 1.0, x)"),
    ("eval_genlaguerre(n, alpha, x)", f"-eval_genlaguerre({_LESS}, alpha + 1, x)"),
    ("eval_hermite(n, x)", f"2 * n * eval_hermite({_LESS}, x)"),
    ("eval_sh_legendre(n, x)", f"(n + 1) * eval_jacobi({_LESS}, 1.0, 1.0, 2 * x - 1)"),
    ("eval_sh_chebyt(n, x)", f"2 * n * eval_chebyu({_LESS}, 2 * x - 1)"),
    ("eval_sh_chebyu(n, x)", f"4 * eval_gegenbauer({_LESS}, 2.0, 2 * x - 1)"),
    ("eval_chebyc(n, x)", f"n * eval_chebyu({_LESS}, 0.5 * x)"),
    ("eval_chebys(n, x)", f"eval_gegenbauer({_LESS}, 2.0, 0.5 * x)"),
    ("eval_hermitenorm(n, x)", f"n * eval_hermitenorm({_LESS}, x)"),
):
    fixed = [p.strip() for p in head.partition("(")[2][:-1].split(",")[:-1]]
    smooth(head, **{p: no_slope(p) for p in fixed}, x=f"g * where(n == 0, 0.0, {slope})")

# --- several results


def _each(name: str, count: int) -> KindRule:
    whole = ufunc(name, "scipy.special")

    def rule(bound: Bound) -> Kind:
        kind = whole(bound)
        return kind if kind == Kind() else Tuple((kind,) * count)

    return rule


def by_result(head: str, **slopes: tuple[Partial, ...]) -> None:
    """A ufunc with several results, by the slope of each."""
    name, _, rest = head.partition("(")
    count = max(map(len, slopes.values()))
    add(
        Primitive(
            name=f"scipy.special.{name}",
            signature=rest[:-1],
            effects="fresh",
            kind=_each(name, count),
            derivative=results(slopes, slopes),
            **SPECIAL,
        )
    )


by_result("airy(z)", z=("g * out[1]", "g * z * out[0]", "g * out[3]", "g * z * out[2]"))
by_result("sici(x)", x=(f"g * sinc(x / {math.pi})", "g * cos(x) / x"))
by_result(
    "fresnel(z)",
    z=(
        by_field("z", "g * fresnel_wave(z, 0)", f"g * sin({math.pi / 2} * z ** 2)"),
        by_field("z", "g * fresnel_wave(z, 1)", f"g * cos({math.pi / 2} * z ** 2)"),
    ),
)
by_result(
    "ellipj(u, m)",
    u=("g * out[1] * out[2]", "-g * out[0] * out[2]", "-g * m * out[0] * out[1]", "g * out[2]"),
    m=(no_slope("m"),) * 4,
)

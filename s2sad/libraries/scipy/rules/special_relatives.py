"""``scipy.special``: elliptic integrals by their parameters, and relatives of the gamma, error and Bessel functions.

The formulas are those of the NIST Digital Library of Mathematical Functions (dlmf.nist.gov): 5 (gamma), 6 and 7 (error
functions and integrals), 9 and 10 (Airy, Kelvin), 11 (Struve), 12 (parabolic cylinders), 14 (Legendre), 19 (elliptic).
Those of Carlson's integrals (19.16) follow from partial fractions under the integral sign, and from homogeneity.
"""

from __future__ import annotations

import math

from s2sad.ir.kinds import Array, Kind, Scalar, dtype_of
from s2sad.libraries.scipy.rules.adapted import only
from s2sad.libraries.scipy.rules.names import SPECIAL, no_slope, real_only, smooth
from s2sad.libraries.scipy.rules.special_families import by_result
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import Written, by_field, field_of, written
from s2sad.rules.kind_arrays import array_kind, if_double, ufunc
from s2sad.rules.kind_rules import Bound, broadcast_float, shape_of
from s2sad.rules.registry import elementwise
from s2sad.rules.traits import have

# --- gamma and error functions, integrals

_LEFT, _RIGHT = "where(real(z) < 0.5, z, 0.5)", "where(real(z) < 0.5, 0.5, z)"
_REFLECTED = f"gamma(1 - {_LEFT}) * (cos({math.pi} * z) - sin({math.pi} * z) * psi(1 - {_LEFT}) / {math.pi})"
smooth(
    "rgamma(z)", z=f"g * where(real(z) < 0.5, {_REFLECTED}, -out * psi({_RIGHT}))"
)  # psi has poles on the left


def _in_double(bound: Bound) -> Kind:
    """An array in double precision, where no argument may be of another."""
    known = all(dtype_of(array_kind(v.kind)) is not None for v in bound.values())
    return Array("float64" if known else None, shape_of(ufunc("multiply")(bound)))


smooth("wofz(z)", z="g * wofz_derivative(1, z)")
elementwise(
    "scipy.special.diric(x, n)",
    x="g * diric_derivative(1, x, n)",
    n=no_slope("n", "it counts"),
    kind=if_double(_in_double),
    facts=SPECIAL,
)
by_result("shichi(x)", x=(by_field("x", "g * exprel(2 * x) * exp(-x)", "g * sinh(x) / x"), "g * cosh(x) / x"))
_STEEP = "(a == 0) & (nu > 0) & (nu < 1)"  # it begins as a power of a
smooth(
    "besselpoly(a, lmb, nu)",
    a=f"g * (besselpoly(a, lmb + 1, nu - 1) - besselpoly(a, lmb + 1, nu + 1) - log(where({_STEEP}, 0.0, 1.0)))",
    lmb=no_slope("lmb"),
    nu=no_slope("nu"),
)
have("steep", "scipy.special.besselpoly")
smooth("wright_bessel(a, b, x)", a=no_slope("a"), b=no_slope("b"), x="g * wright_bessel(a, a + b, x)")
smooth(
    "log_wright_bessel(a, b, x)",
    a=no_slope("a"),
    b=no_slope("b"),
    x="g * exp(log_wright_bessel(a, a + b, x) - out)",
)

# --- elliptic integrals



def _mean_slope(p: str, q: str) -> str:
    """Of the mean by ``p``: pi p / (2 agm) is the complete integral K(1 - (q / p) ** 2), log(4 p / q) where q is small."""
    square = f"minimum(maximum({q} / {p}, 1e-9), 1e9) ** 2"
    between = f"{2 / (3 * math.pi)} * (out / {p}) ** 2 * elliprd(0.0, {square}, 1.0)"
    larger = f"(out / {p}) * (1 - {2 / math.pi} * (out / {p}))"
    smaller = f"{2 / math.pi} * (out / {p}) * (out / {q})"
    rest = f"where({q} < 1e-9 * {p}, {larger}, where({p} < 1e-9 * {q}, {smaller}, {between}))"
    return f"g * where({p} == 0, {q} / {p}, {rest})"  # infinite at 0


smooth("agm(a, b)", a=_mean_slope("a", "b"), b=_mean_slope("b", "a"))
smooth("ellipkm1(p)", p=f"-{math.pi / 8} * g * hyp2f1(0.5, 0.5, 2.0, 1 - p) / p")
_TURNS = f"2 * rint(phi / {math.pi})"  # how many complete integrals phi goes beyond the first half turn
_SINE = f"(sin(phi) * cos({math.pi} * rint(phi / {math.pi})))"
smooth(
    "ellipkinc(phi, m)",
    phi="g / sqrt(1 - m * sin(phi) ** 2)",
    m=f"g * ({_SINE} ** 3 / 6 * elliprd(cos(phi) ** 2, 1.0, 1 - m * sin(phi) ** 2)"
    f" + {_TURNS} * {math.pi / 8} * hyp2f1(1.5, 1.5, 2.0, m))",
)
smooth(
    "ellipeinc(phi, m)",
    phi="g * sqrt(1 - m * sin(phi) ** 2)",
    m=f"-g * ({_SINE} ** 3 / 6 * elliprd(cos(phi) ** 2, 1 - m * sin(phi) ** 2, 1.0)"
    f" + {_TURNS} * {math.pi / 8} * hyp2f1(0.5, 1.5, 2.0, m))",
)


def _integral(params: str, real: str, complex: str) -> Written:
    """Of real arguments, which may be equal, by a helper; the formula for complex ones cancels where two are close."""

    def write(app: Application) -> str:
        return f"g * {real if all(field_of(app, p) == 'real' for p in params) else f'({complex})'}"

    return written(write)


_PART = "2 * (y - x)"  # Cauchy's principal value, of negative y
smooth(
    "elliprc(x, y)",
    x=_integral("xy", f"where(y < 0, (out - 1 / sqrt(x)) / ({_PART}), -elliprd(abs(y), abs(y), x) / 6)", "-elliprd(y, y, x) / 6"),
    y=_integral("xy", f"where(y < 0, (sqrt(x) / y - out) / ({_PART}), -elliprd(x, abs(y), abs(y)) / 3)", "-elliprd(x, y, y) / 3"),
)
smooth(
    "elliprf(x, y, z)",
    x="-g * elliprd(y, z, x) / 6",
    y="-g * elliprd(z, x, y) / 6",
    z="-g * elliprd(x, y, z) / 6",
)
smooth(
    "elliprg(x, y, z)",
    **{
        p: f"g * (elliprf(x, y, z) - {p} * elliprd({q}, {r}, where({p} == 0, 1.0, {p})) / 3) / 4"
        for p, q, r in ("xyz", "yzx", "zxy")
    },
)
_BY_X, _BY_Y = (f"0.5 * (elliprd({p}, z, {q}) - out) / ({q} - z)" for p, q in ("yx", "xy"))
_THIRD = f"-(1.5 * out + x * {_BY_X} + y * {_BY_Y}) / z"
_BY = {"x": _BY_X, "y": _BY_Y, "z": _THIRD}
smooth(
    "elliprd(x, y, z)",
    **{p: _integral("xyz", f"elliprd_slope({k}, x, y, z)", f) for k, (p, f) in enumerate(_BY.items())},
)
_BY = {p: f"0.5 * (elliprd({q}, {r}, {p}) - out) / ({p} - p)" for p, q, r in ("xyz", "yzx", "zxy")}
_BY["p"] = f"-(1.5 * out + {' + '.join(f'{p} * {slope}' for p, slope in _BY.items())}) / p"
smooth(
    "elliprj(x, y, z, p)",
    **{p: _integral("xyzp", f"elliprj_slope({k}, x, y, z, p)", f) for k, (p, f) in enumerate(_BY.items())},
)

# --- Airy functions, scaled (on the negative axis the first two are NaN, the last two are not scaled), and integrals

# Far out they are scaled Bessel functions of order 1/3 and 2/3 (dlmf.nist.gov, 9.6.2 to 9.6.5), and the sums would cancel.
_RATE, _FAR = "sqrt(maximum(z, 0.0))", "where(z > 20.0, z, 20.0)"
_BY_BESSEL = f"{{factor}} * scaled_bessel_slope({{order}} / 3, {{sign}}, {2 / 3} * {_FAR} ** 1.5)"
_FALLING, _RISING = f"{1 / (math.pi * math.sqrt(3))} * {_FAR}", f"{2 / math.sqrt(3)} * {_FAR}"
by_result(
    "airye(z)",
    z=tuple(
        real_only("z", f"g * where(z > 20.0, {far}, {near})")
        for near, far in (
            (f"out[1] + {_RATE} * out[0]",
             f"out[0] / (2 * {_FAR}) + {_BY_BESSEL.format(factor=_FALLING, order=1, sign=-1)}"),
            (f"z * out[0] + {_RATE} * out[1]",
             f"out[1] / {_FAR} - sqrt({_FAR}) * {_BY_BESSEL.format(factor=_FALLING, order=2, sign=-1)}"),
            (f"out[3] - {_RATE} * out[2]",
             f"out[2] / (2 * {_FAR}) + {_BY_BESSEL.format(factor=_RISING, order=1, sign=1)}"),
            (f"z * out[2] - {_RATE} * out[3]",
             f"out[3] / {_FAR} + sqrt({_FAR}) * {_BY_BESSEL.format(factor=_RISING, order=2, sign=1)}"),
        )
    ),
)  # fmt: skip
by_result("itairy(x)", x=("g * airy(x)[0]", "g * airy(x)[2]", "g * airy(-x)[0]", "g * airy(-x)[2]"))
by_result("itj0y0(x)", x=("g * j0(x)", "g * y0(x)"))
by_result("iti0k0(x)", x=("g * i0(x)", "g * k0(x)"))
by_result("it2j0y0(x)", x=("g * (1 - j0(x)) / x", "-g * y0(x) / x"))
by_result("it2i0k0(x)", x=("g * (i0(x) - 1) / x", "-g * k0(x) / x"))

# --- Kelvin functions: ber(x) + i bei(x) is J0 at exp(3 pi i / 4) x

_TURNED = f"({math.sqrt(0.5)} * (1j - 1) * x)"
_BEND_J0 = f"(jv(2, {_TURNED}) - jv(0, {_TURNED}))"
for name in ("ber", "bei", "ker", "kei"):
    smooth(f"{name}(x)", x=f"g * {name}p(x)")
smooth("berp(x)", x=f"0.5 * g * imag({_BEND_J0})")
smooth("beip(x)", x=f"-0.5 * g * real({_BEND_J0})")
smooth("kerp(x)", x="-g * (kei(x) + out / x)")
smooth("keip(x)", x="g * (ker(x) - out / x)")
by_result(
    "kelvin(x)",
    x=("g * out[2]", "g * out[3]", "g * (1j * out[0] - out[2] / x)", "g * (1j * out[1] - out[3] / x)"),
)

# --- Struve functions

for name, sign in (("struve", "-"), ("modstruve", "+")):
    _REST = f"(0.5 * x) ** v * rgamma(v + 1.5) / {math.sqrt(math.pi)}"
    smooth(
        f"{name}(v, x)", v=no_slope("v"), x=f"0.5 * g * ({name}(v - 1, x) {sign} {name}(v + 1, x) + {_REST})"
    )
smooth("itstruve0(x)", x="g * struve(0.0, x)")
smooth("it2struve0(x)", x="-g * struve(0.0, x) / x")
smooth("itmodstruve0(x)", x="g * modstruve(0.0, x)")

# --- parabolic cylinders: y'' = (x**2 / 4 - v - 1/2) y, and y'' = (a - x**2 / 4) y

_FORCE = "g * (0.25 * x ** 2 - v - 0.5) * out[0]"
for name in ("pbdv", "pbvv"):
    by_result(f"{name}(v, x)", v=(no_slope("v"),) * 2, x=("g * out[1]", _FORCE))
by_result("pbwa(a, x)", a=(no_slope("a"),) * 2, x=("g * out[1]", "g * (a - 0.25 * x ** 2) * out[0]"))

# --- Legendre functions, spherical harmonics, and polynomials

smooth(
    "lpmv(m, v, x)",
    m=no_slope("m"),
    v=no_slope("v"),
    x="g * ((v - m + 1) * lpmv(m, v + 1, x) - (v + 1) * x * out) / (x ** 2 - 1)",
)
smooth(
    "eval_sh_jacobi(n, p, q, x)",
    **{p: no_slope(p) for p in "npq"},
    x="g * where(n == 0, 0.0, n * eval_sh_jacobi(maximum(n, 1) - 1, p + 2, q + 1, x))",
)


def _of_degree(formula: str) -> Written:
    """The function itself, no derivative of it."""

    def write(app: Application) -> str:
        only(app, diff_n=0)
        return formula

    return written(write)


def _harmonic_kind(bound: Bound) -> Kind:
    kind = broadcast_float({p: v for p, v in bound.items() if p != "diff_n"})
    return Array("complex128", shape_of(kind)) if isinstance(kind, Scalar | Array) else kind


_RAISED = "sqrt((n - m) * (n + m + 1.0)) * exp(-1j * phi) * sph_harm_y(n, m + 1, theta, phi)"
elementwise(
    "scipy.special.sph_harm_y(n, m, theta, phi, *, diff_n=0)",
    n=no_slope("n", "it counts"),
    m=no_slope("m", "it counts"),
    theta=_of_degree(f"g * (m / tan(theta) * out + {_RAISED})"),
    phi=_of_degree("1j * g * m * out"),
    kind=_harmonic_kind,
    facts=SPECIAL,
)
elementwise(
    "scipy.special.assoc_laguerre(x, n, k=0.0)",
    x="-g * where(n == 0, 0.0, assoc_laguerre(x, maximum(n, 1) - 1, k + 1))",
    n=no_slope("n"),
    k=no_slope("k"),
    kind=lambda bound: ufunc("eval_genlaguerre", "scipy.special")({p: bound[p] for p in ("n", "k", "x")}),
    facts=SPECIAL,
)

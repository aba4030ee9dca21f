"""Writes ``exact_slopes.txt``: derivatives of functions to 20 digits, by mpmath, which only this script needs.

    python tests/rules/make_exact_slopes.py

Each entry is a program of one variable (others are numbers in its text), mpmath's function of it, and the places: small,
large, and next to what is critical (zeros, poles, edges of domains, places where formulas cancel or overflow).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath as mp  # type: ignore[import-untyped]

HALVES = [0.5, -0.5, 1.25, -1.25]
WIDE = [1e-300, 1e-20, 1e-8, 1e-3, 0.5, 1.0, 3.0, 30.0, 1e3, 1e8, 1e150]
BOTH = [s * x for x in (1e-300, 1e-9, 0.01, 0.7, 2.5, 9.0, 20.0, 40.0) for s in (1, -1)]
UNIT = [1e-300, 1e-12, 1e-3, 0.3, 0.5, 0.9, 1 - 1e-6, 1 - 1e-12]


def degrees(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function of degrees."""
    return lambda x: f(x * mp.pi / 180)


def ndtr(x: Any) -> Any:
    """The normal distribution function."""
    return mp.erfc(-x / mp.sqrt(2)) / 2


def faddeeva(z: Any) -> Any:
    """exp(-z**2) erfc(-i z)."""
    return mp.exp(-(z**2)) * mp.erfc(-1j * z)


def voigt(x: Any, sigma: Any, gamma: Any) -> Any:
    """Voigt's profile."""
    return mp.re(faddeeva((x + 1j * gamma) / (sigma * mp.sqrt(2)))) / (sigma * mp.sqrt(2 * mp.pi))


def boxcox(x: Any, lmbda: Any) -> Any:
    """The transformation of Box and Cox."""
    return mp.expm1(lmbda * mp.log(x)) / lmbda if lmbda else mp.log(x)


def betaln(a: Any, b: Any) -> Any:
    """The logarithm of the beta function."""
    return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)


def spherical(bessel: Any, n: int, x: Any) -> Any:
    """A spherical Bessel function."""
    return mp.sqrt(mp.pi / (2 * mp.mpf(x))) * bessel(n + mp.mpf(0.5), x)


def spherical_slope(bessel: Any, n: int, x: Any, below: int, above: int) -> Any:
    """Its derivative (dlmf.nist.gov, 10.51.2 and 10.51.5)."""
    lower = n * spherical(bessel, n - 1, x) if n else 0
    return (below * lower + above * (n + 1) * spherical(bessel, n + 1, x)) / (2 * n + 1)


def principal_rj(x: Any, y: Any, z: Any, p: Any) -> Any:
    """Carlson's integral of the third kind for negative ``p``: Cauchy's principal value (dlmf.nist.gov, 19.20.14)."""
    return mp.re(mp.elliprj(x, y, z, p))


def pseudo_huber(delta: Any, r: Any) -> Any:
    """A smooth loss."""
    return delta**2 * (mp.sqrt(1 + (r / delta) ** 2) - 1)


Entry = tuple[str, Callable[[Any], Any], list[Any]]
ENTRIES: list[Entry] = []


def entry(text: str, f: Callable[[Any], Any], places: list[Any]) -> None:
    """One program, for all places."""
    ENTRIES.append((text, f, places))


# --- NumPy, and the functions of math that are the same

ELEMENTARY: list[tuple[str, Callable[[Any], Any], list[float]]] = [
    ("exp", mp.exp, [-700.0, -30.0, -1e-9, 0.0, 1e-300, 0.7, 30.0, 700.0]),
    ("exp2", lambda x: mp.mpf(2) ** x, [-1000.0, -30.0, 1e-9, 0.7, 30.0, 1000.0]),
    ("expm1", mp.expm1, [-700.0, -100.0, -40.0, -30.0, -1.0, -1e-9, 0.0, 1e-300, 0.7, 30.0, 700.0]),
    ("log", mp.log, WIDE),
    ("log2", lambda x: mp.log(x, 2), WIDE),
    ("log10", mp.log10, WIDE),
    ("log1p", mp.log1p, [-1 + 1e-12, -0.5, -1e-9, 1e-300, *WIDE[1:]]),
    ("sqrt", mp.sqrt, WIDE),
    ("cbrt", mp.cbrt, WIDE),
    ("sin", mp.sin, [*BOTH, 1.5707963267948966, 1e5]),
    ("cos", mp.cos, [*BOTH, 1.5707963267948966, 3.141592653589793, 1e5]),
    ("tan", mp.tan, [*BOTH, 1.5707963, -1.5707, 1e5]),
    ("arcsin", mp.asin, [0.0, 1e-300, -0.3, 0.9, 1 - 1e-6, 1 - 1e-12, -1 + 1e-14]),
    ("arccos", mp.acos, [0.0, 1e-300, -0.3, 0.9, 1 - 1e-6, 1 - 1e-12, -1 + 1e-14]),
    ("arctan", mp.atan, [0.0, *BOTH, 1e10, 1e150, -1e154]),
    ("sinh", mp.sinh, [*BOTH, 700.0]),
    ("cosh", mp.cosh, [*BOTH, 700.0]),
    ("tanh", mp.tanh, [0.0, *BOTH, 100.0, -300.0]),
    ("arcsinh", mp.asinh, [0.0, *BOTH, 1e10, -1e155, 1e200, 1e300]),
    ("arccosh", mp.acosh, [1 + 1e-12, 1 + 1e-6, 1.5, 20.0, 1e10, 1e155, 1e200]),
    ("arctanh", mp.atanh, [0.0, 1e-300, -0.3, 0.9, 1 - 1e-6, 1 - 1e-12, -1 + 1e-14]),
]
NAMES = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh"}
for name, f, places in ELEMENTARY:
    entry(f"np.{name}(x)", f, places)
    entry(f"math.{NAMES.get(name, name)}(x)", f, places)
entry("np.square(x)", lambda x: x * x, [1e-300, -3.0, 1e200])
entry("np.reciprocal(x)", lambda x: 1 / x, [1e-100, -3.0, 1e100])
entry("np.sinc(x)", mp.sincpi, [1e-8, -0.01, 0.1, 0.7, 1.0, 1.3, -2.5, 10.3])
entry("np.i0(x)", lambda x: mp.besseli(0, x), [1e-300, 1e-9, -0.7, 3.0, 30.0, 600.0])
for library in ("np.hypot", "math.hypot"):
    for other in (1.5, 1e-200, 3e200):
        entry(f"{library}(x, {other})", lambda x, y=other: mp.hypot(x, y), [1e-200, -0.7, 3.0, 2e200])
for library in ("np.arctan2", "math.atan2"):
    for other in (1.5, -1e-160, 1e160):
        entry(f"{library}(x, {other})", lambda x, y=other: mp.atan2(x, y), [1e-160, -0.7, 3.0, 2e160])
        entry(f"{library}({other}, x)", lambda x, y=other: mp.atan2(y, x), [1e-160, -0.7, 3.0, 2e160])
entry("np.logaddexp(x, 1.0)", lambda x: mp.log(mp.exp(x) + mp.e), [-700.0, -40.0, 0.99, 1.0, 3.0, 40.0, 700.0, 1e5])
entry("np.logaddexp2(x, 1.0)", lambda x: mp.log(mp.mpf(2) ** x + 2, 2), [-1000.0, -40.0, 1.0, 3.0, 40.0, 1000.0])
entry("x ** 2.5", lambda x: x ** mp.mpf(2.5), [1e-100, 1e-9, 0.7, 3.0, 1e100])
entry("x ** -0.3", lambda x: x ** mp.mpf(-0.3), [1e-200, 1e-9, 0.7, 3.0, 1e200])
entry("0.7 ** x", lambda x: mp.mpf(0.7) ** x, [-500.0, -3.0, 1e-9, 0.7, 300.0])
entry("np.power(3.0, x)", lambda x: mp.mpf(3.0) ** x, [-500.0, -3.0, 1e-9, 0.7, 300.0])
entry("math.pow(x, 2.5)", lambda x: x ** mp.mpf(2.5), [1e-100, 1e-9, 0.7, 3.0, 1e100])
entry("math.pow(2.5, x)", lambda x: mp.mpf(2.5) ** x, [-300.0, 1e-9, 0.7, 3.0, 300.0])
entry("math.log(x, 3.0)", lambda x: mp.log(x, 3), WIDE)
entry("math.log(3.0, x)", lambda x: mp.log(3) / mp.log(x), [1e-200, 0.5, 1 + 1e-6, 3.0, 1e100])
GAMMAS = [1e-8, 0.01, 0.7, 1.0, 1.4616321449683623 + 1e-2, 2.0, 5.5, 30.3, 100.7, 170.1, -0.5, -3.3]
entry("math.gamma(x)", mp.gamma, GAMMAS)
entry("math.lgamma(x)", lambda x: mp.re(mp.loggamma(x)), [*GAMMAS, 1e5, 1e10])
entry("math.erf(x)", mp.erf, [0.0, 1e-300, *HALVES, 5.0, -10.0, 25.0])
entry("math.erfc(x)", mp.erfc, [0.0, 1e-300, *HALVES, 5.0, -10.0, 25.0])

# --- scipy.special

entry("sp.gamma(x)", mp.gamma, GAMMAS)
entry("sp.gammaln(x)", lambda x: mp.re(mp.loggamma(x)), [*GAMMAS, 1e5, 1e10])
entry("sp.loggamma(x)", mp.loggamma, [x for x in GAMMAS if x > 0])
entry("sp.rgamma(x)", mp.rgamma, [0.0, -1.0, -2.0, *GAMMAS])
entry("sp.psi(x)", mp.digamma, [1e-8, 0.01, 0.7, 1.0, 5.5, 30.3, 1e5, 1e10, -0.5, -3.3])
entry("sp.polygamma(2, x)", lambda x: mp.polygamma(2, x), [1e-3, 0.7, 1.0, 5.5, 30.3, 1e5])
entry("sp.zeta(2.5, x)", lambda x: mp.zeta(2.5, x), [1e-3, 0.7, 1.0, 5.5, 30.3, 1e5])
LARGE = [1e-8, 0.3, 1.0, 5.5, 40.0, 1e3, 1e6, 1e10, 1e15]
for other in (2.5, 1e-3, 1e4):
    entry(f"sp.betaln(x, {other})", lambda x, b=other: betaln(x, b), LARGE)
entry("sp.beta(x, 2.5)", lambda x: mp.exp(betaln(x, 2.5)), LARGE[:6])  # SciPy's value has nine digits from 1e6 on
entry("sp.beta(2.5, x)", lambda x: mp.exp(betaln(x, 2.5)), LARGE[:6])
entry("sp.poch(x, 2.5)", lambda x: mp.gammaprod([x + 2.5], [x]), [0.3, 1.0, 5.5, 40.0, 1e3, 1e6, 1e10])
entry("sp.poch(x, 3.0)", lambda x: x * (x + 1) * (x + 2), [-5.0, -3.5, -4.0, -2.0, -1.0, 0.0])
entry("sp.poch(x, 2.5)", lambda x: mp.gamma(x + 2.5) * mp.rgamma(x), [-3.0, 0.0])  # where the values are 0
for fixed in (-0.5, 0.3, 2.5):
    zeros = [-fixed - k for k in (0.0, 1.0, 4.0)]
    entry(f"sp.beta(x, {fixed})", lambda x, b=fixed: mp.gamma(x) * mp.gamma(b) * mp.rgamma(x + b), zeros)
entry("sp.binom(x, 7.0)", lambda x: mp.gamma(x + 1) * mp.rgamma(8) * mp.rgamma(x - 6), [0.0, 1.0, 5.0, 6.0])
entry("sp.binom(5.0, x)", lambda x: 120 * mp.rgamma(x + 1) * mp.rgamma(6 - x), [-4.0, -1.0, 6.0, 7.0, 30.0])
entry("sp.binom(300.5, x)", lambda x: mp.gamma(301.5) * mp.rgamma(x + 1) * mp.rgamma(301.5 - x), [-1.0, 301.5, 310.5])
entry("sp.beta(x, 1.0)", lambda x: 1 / x, [-1.0, -2.5, -4.0])
entry("sp.poch(3.5, x)", lambda x: mp.gammaprod([3.5 + x], [3.5]), [1e-9, 0.3, 1.0, 5.5, 40.0])
entry("sp.binom(x, 2.5)", lambda x: mp.binomial(x, 2.5), [0.3, 3.1, 5.5, 40.0, 1e3])  # the same
entry("sp.binom(40.3, x)", lambda x: mp.binomial(40.3, x), [0.3, 1.5, 3.7, 20.0, 39.1])
for a in (0.5, 3.0, 50.0):
    entry(f"sp.gammainc({a}, x)", lambda x, a=a: mp.gammainc(a, 0, x, regularized=True), [1e-5, 0.3, 2.0, 30.0, 200.0])
    entry(f"sp.gammaincc({a}, x)", lambda x, a=a: mp.gammainc(a, x, regularized=True), [1e-5, 0.3, 2.0, 30.0, 200.0])
    entry(f"sp.betainc({a}, 2.5, x)", lambda x, a=a: mp.betainc(a, 2.5, 0, x, regularized=True), [1e-5, 0.3, 0.5, 0.97])
entry("sp.erf(x)", mp.erf, [0.0, 1e-300, *HALVES, 5.0, -10.0, 25.0])
entry("sp.erfc(x)", mp.erfc, [0.0, 1e-300, *HALVES, 5.0, -10.0, 25.0])
entry("sp.erfi(x)", mp.erfi, [0.0, 1e-300, *HALVES, 5.0, -10.0, 25.0])
FAR = [3.0, 9.9, 10.0, 25.0, 50.0, 1e3, 1e6, 1e10, 1e100]
entry("sp.erfcx(x)", lambda x: mp.exp(x * x) * mp.erfc(x), [-20.0, -3.0, 0.0, 1e-9, 0.7, *FAR])
entry("sp.dawsn(x)", lambda x: mp.exp(-x * x) * mp.erfi(x) * mp.sqrt(mp.pi) / 2, [0.0, 1e-9, 0.3, 0.9, -1.5, *FAR])
entry("sp.ndtr(x)", ndtr, [-30.0, -5.0, 0.0, 1e-300, 0.7, 8.0, 30.0])
entry("sp.log_ndtr(x)", lambda x: mp.log(ndtr(x)), [-1e10, -1e5, -300.0, -40.0, -5.0, 0.0, 0.7, 5.0, 8.0, 12.0, 30.0])
entry("sp.ndtri(x)", lambda y: -mp.sqrt(2) * mp.erfinv(1 - 2 * mp.mpf(y)), [1e-3, 0.3, 0.5, 0.9])
entry("sp.erfinv(x)", mp.erfinv, [1e-300, 1e-9, -0.3, 0.7, 0.99])
entry("sp.expit(x)", lambda x: 1 / (1 + mp.exp(-x)), [-700.0, -40.0, -3.0, 0.0, 1e-9, 3.0, 40.0, 700.0])
entry("sp.log_expit(x)", lambda x: -mp.log1p(mp.exp(-x)), [-700.0, -40.0, -3.0, 0.0, 1e-9, 3.0, 40.0, 700.0])
entry("sp.logit(x)", lambda x: mp.log(x / (1 - x)), UNIT)
entry("sp.xlogy(x, 3.0)", lambda x: x * mp.log(3), [1e-300, 0.7, 1e100])
entry("sp.xlogy(3.0, x)", lambda x: 3 * mp.log(x), WIDE)
entry("sp.xlog1py(x, 3.0)", lambda x: x * mp.log(4), [1e-300, 0.7, 1e100])
entry("sp.xlog1py(3.0, x)", lambda x: 3 * mp.log1p(x), [-1 + 1e-12, 1e-9, 0.7, 1e100])
entry("sp.entr(x)", lambda x: -x * mp.log(x), [1e-300, 1e-9, 0.3, 0.4, 3.0, 1e100])
entry("sp.rel_entr(x, 1.5)", lambda x: x * mp.log(x / mp.mpf(1.5)), [1e-300, 1e-9, 0.3, 1.4, 3.0, 1e100])
entry("sp.rel_entr(1.5, x)", lambda y: mp.mpf(1.5) * mp.log(mp.mpf(1.5) / y), [1e-300, 1e-9, 0.3, 1.4, 3.0, 1e100])
entry("sp.kl_div(x, 1.5)", lambda x: x * mp.log(x / mp.mpf(1.5)) - x + 1.5, [1e-9, 0.3, 1.5 + 1e-9, 1.501, 3.0, 1e100])
entry("sp.kl_div(1.5, x)", lambda y: mp.mpf(1.5) * mp.log(mp.mpf(1.5) / y) - 1.5 + y, [1e-9, 0.3, 1.5 + 1e-9, 1.501, 3.0, 1e100])
entry("sp.expm1(x)", mp.expm1, [-700.0, -40.0, -1.0, -1e-9, 0.0, 0.7, 30.0])
entry("sp.cosm1(x)", lambda x: mp.cos(x) - 1, BOTH)
entry("sp.exprel(x)", lambda x: mp.expm1(x) / x if x else mp.mpf(1), [-700.0, -40.0, -1.0, -1e-9, 0.0, 0.7, 30.0, 300.0])
entry("sp.exp10(x)", lambda x: mp.mpf(10) ** x, [-300.0, 1e-9, 0.7, 300.0])
for p in (2.5, -0.3, 1e-9):
    entry(f"sp.powm1(x, {p})", lambda x, p=p: mp.powm1(x, p), [1e-100, 1e-9, 0.7, 1 + 1e-9, 3.0, 1e100])
for b in (1e-9, 0.7, 1 + 1e-9, 3.0):
    entry(f"sp.powm1({b}, x)", lambda x, b=b: mp.powm1(b, x), [-20.0, -1e-9, 1e-12, 0.7, 30.0])
entry("sp.powm1(1e-300, x)", lambda x: mp.powm1(1e-300, x), [0.1, 0.9])
entry("sp.sindg(x)", degrees(mp.sin), [0.0, 1e-300, 30.0, 89.999, 700.0])
entry("sp.cosdg(x)", degrees(mp.cos), [1e-300, 30.0, 89.999, 179.9, 700.0])
entry("sp.tandg(x)", degrees(mp.tan), [0.0, 30.0, 89.999, 700.0])
entry("sp.cotdg(x)", degrees(mp.cot), [1e-3, 30.0, 89.999, 700.0])
for lmbda in (0.0, 0.3, -2.0, 1e-12):
    entry(f"sp.boxcox(x, {lmbda})", lambda x, p=lmbda: boxcox(x, p), [1e-9, 0.7, 1.0, 3.0, 1e9])
    entry(f"sp.boxcox1p(x, {lmbda})", lambda x, p=lmbda: boxcox(1 + mp.mpf(x), p), [-0.9, 1e-9, 0.7, 3.0, 1e9])
entry("sp.boxcox(3.0, x)", lambda p: boxcox(mp.mpf(3), p), [-9.0, -1e-9, 1e-12, 0.7, 30.0])
entry("sp.huber(1.5, x)", lambda r: r * r / 2, [1e-300, -0.7, 1.4])
for delta in (1.5, 1e-5, 1e8):
    entry(f"sp.pseudo_huber({delta}, x)", lambda r, d=delta: pseudo_huber(d, r), [1e-200, 1e-9, -0.7, 30.0, 1e10, 1e200])
for r in (1.5, 1e-5, 1e8):
    entry(f"sp.pseudo_huber(x, {r})", lambda d, r=r: pseudo_huber(d, r), [1e-9, 0.7, 30.0, 1e5, 1e10, 1e14])
entry("sp.exp1(x)", mp.e1, [1e-300, 1e-9, 0.7, 3.0, 40.0, 600.0])
entry("sp.expi(x)", mp.ei, [1e-300, 1e-9, 0.7, 3.0, 40.0, 600.0, -0.7, -40.0])
entry("sp.expn(3, x)", lambda x: mp.expint(3, x), [1e-9, 0.7, 3.0, 40.0, 600.0])
entry("sp.expn(0, x)", lambda x: mp.expint(0, x), [1e-9, 0.7, 3.0, 40.0, 600.0])
entry("np.real(sp.lambertw(x))", mp.lambertw, [1e-300, 1e-9, -0.3, 0.7, 3.0, 1e10])
entry("sp.wrightomega(x)", lambda x: mp.lambertw(mp.exp(x)), [-700.0, -20.0, 0.7, 3.0, 30.0, 1e10])
entry("sp.spence(x)", lambda z: mp.polylog(2, 1 - mp.mpf(z)), [1e-9, 0.5, 1 - 1e-9, 1.0, 1.5, 1.9, 30.0, 1e10])
entry("sp.hyp2f1(0.5, 1.5, 2.5, x)", lambda z: mp.hyp2f1(0.5, 1.5, 2.5, z), [1e-9, -0.7, 0.5, 0.97, -30.0])
entry("sp.hyp1f1(0.5, 1.5, x)", lambda z: mp.hyp1f1(0.5, 1.5, z), [1e-9, -0.7, 3.0, 40.0, -40.0])
entry("sp.hyp0f1(1.5, x)", lambda z: mp.hyp0f1(1.5, z), [1e-9, -0.7, 3.0, 40.0])
entry("sp.hyperu(0.5, 1.5, x)", lambda z: mp.hyperu(0.5, 1.5, z), [1e-5, 0.7, 3.0, 40.0])
MODULI = [1e-300, 1e-9, -0.7, 0.5, 0.97, 1 - 1e-6, -30.0]
entry("sp.ellipk(x)", mp.ellipk, MODULI)
entry("sp.ellipe(x)", mp.ellipe, MODULI)
entry("sp.ellipkm1(x)", lambda p: mp.ellipk(1 - mp.mpf(p)), [1e-300, 1e-20, 1e-9, 0.01, 0.5, 0.97])
entry("sp.ellipkinc(x, 0.7)", lambda x: mp.ellipf(x, 0.7), [1e-9, -0.7, 1.5, 3.0, 10.0])
entry("sp.ellipkinc(1.1, x)", lambda m: mp.ellipf(1.1, m), [1e-9, -0.7, 0.5, 0.97, -30.0])
entry("sp.ellipkinc(1e-3, x)", lambda m: mp.ellipf(1e-3, m), [1e-9, -0.7, 0.5])
entry("sp.ellipeinc(x, 0.7)", lambda x: mp.ellipe(x, 0.7), [1e-9, -0.7, 1.5, 3.0, 10.0])
entry("sp.ellipeinc(1.1, x)", lambda m: mp.ellipe(1.1, m), [1e-9, -0.7, 0.5, 0.97, -30.0])
entry("sp.agm(x, 1.5)", lambda a: mp.agm(a, 1.5), [1e-100, 1e-9, 0.7, 1.5, 1.5 + 1e-9, 30.0, 1e100])
R = [1e-9, 0.3, 0.5, 0.5 + 1e-9, 0.7, 0.7 + 1e-12, 1.2, 1.2 - 1e-6, 30.0, 1e9]
entry("sp.elliprc(x, 0.7)", lambda x: mp.elliprc(x, 0.7), R)
entry("sp.elliprc(0.7, x)", lambda x: mp.elliprc(0.7, x), R)
entry("sp.elliprc(x, -0.7)", lambda x: mp.elliprc(x, -0.7), [1e-9, 0.3, 1.2, 30.0])
entry("sp.elliprc(0.7, x)", lambda x: mp.elliprc(0.7, x), [-1e-3, -0.3, -1.2, -30.0])
entry("sp.elliprf(x, 0.7, 1.2)", lambda x: mp.elliprf(x, 0.7, 1.2), R)
entry("sp.elliprg(x, 0.7, 1.2)", lambda x: mp.elliprg(x, 0.7, 1.2), R)
entry("sp.elliprd(x, 0.7, 1.2)", lambda x: mp.elliprd(x, 0.7, 1.2), R)
entry("sp.elliprd(0.7, x, 1.2)", lambda x: mp.elliprd(0.7, x, 1.2), R)
entry("sp.elliprd(0.7, 1.2, x)", lambda x: mp.elliprd(0.7, 1.2, x), R)
entry("sp.elliprj(x, 0.5, 1.2, 0.7)", lambda x: mp.elliprj(x, 0.5, 1.2, 0.7), R)
entry("sp.elliprj(0.3, 0.5, x, 0.7)", lambda x: mp.elliprj(0.3, 0.5, x, 0.7), R)
entry("sp.elliprj(0.3, 0.5, 1.2, x)", lambda x: mp.elliprj(0.3, 0.5, 1.2, x), R[1:])
entry("sp.elliprj(x, 0.7, 1.2, -0.6)", lambda x: principal_rj(x, 0.7, 1.2, -0.6), R)
entry("sp.elliprj(0.0, 0.3, x, -2.5)", lambda x: principal_rj(0, 0.3, x, -2.5), R)
entry("sp.elliprj(0.3, 0.7, 1.2, x)", lambda x: principal_rj(0.3, 0.7, 1.2, x), [-1e-3, -0.3, -1.2, -30.0])
entry("sp.elliprj(0.7, 0.7, 0.7, x)", lambda x: mp.elliprj(0.7, 0.7, 0.7, x), R[1:])
for profile in ((1.5, 0.7), (1e-3, 0.7), (1.5, 1e-3), (0.7, 30.0)):
    sigma, gamma = profile
    entry(f"sp.voigt_profile(x, {sigma}, {gamma})", lambda x, s=sigma, g=gamma: voigt(x, s, g), [1e-3, -0.7, 3.0, 40.0, 1e3, 1e6])
entry("sp.voigt_profile(0.7, x, 0.5)", lambda s: voigt(0.7, s, 0.5), [1e-3, 0.01, 0.7, 3.0, 40.0, 1e4])
entry("sp.voigt_profile(0.7, 0.5, x)", lambda g: voigt(0.7, 0.5, g), [1e-3, 0.7, 3.0, 40.0, 1e4])
BESSEL = [1e-9, 0.01, 0.7, 5.0, 17.3]
for name, f in (("j", mp.besselj), ("y", mp.bessely), ("i", mp.besseli), ("k", mp.besselk)):
    for order in (0, 1):
        entry(f"sp.{name}{order}(x)", lambda x, f=f, n=order: f(n, x), BESSEL if name in "ji" else BESSEL[1:])
    entry(f"sp.{name}v(2.5, x)", lambda x, f=f: f(2.5, x), BESSEL[1:])
for order in (0, 1):
    entry(f"sp.i{order}e(x)", lambda x, n=order: mp.besseli(n, x) * mp.exp(-abs(x)), [0.01, 0.7, 5.0, 40.0, 1e3])
    entry(f"sp.k{order}e(x)", lambda x, n=order: mp.besselk(n, x) * mp.exp(x), [0.01, 0.7, 5.0, 40.0, 1e3])
entry("sp.ive(2.5, x)", lambda x: mp.besseli(2.5, x) * mp.exp(-abs(x)), [0.01, 0.7, 5.0, 40.0, 1e3])
entry("sp.kve(2.5, x)", lambda x: mp.besselk(2.5, x) * mp.exp(x), [0.01, 0.7, 5.0, 40.0, 1e3])
for k in range(4):
    f = mp.airyai if k < 2 else mp.airybi
    entry(f"sp.airy(x)[{k}]", lambda x, f=f, d=k % 2: f(x, derivative=d), [-5.0, -0.7, 1e-9, 0.7, 5.0])
entry("sp.sici(x)[0]", mp.si, [1e-9, 0.7, 3.0, 40.0])
entry("sp.sici(x)[1]", mp.ci, [1e-9, 0.7, 3.0, 40.0])
entry("sp.shichi(x)[0]", mp.shi, [1e-9, 0.7, 3.0, 40.0])
entry("sp.shichi(x)[1]", mp.chi, [1e-9, 0.7, 3.0, 40.0])
entry("sp.fresnel(x)[0]", mp.fresnels, [1e-9, 0.7, 3.1, 10.3])
entry("sp.eval_legendre(5, x)", lambda x: mp.legendre(5, x), [1e-9, 0.7, 1.0, -1.0, 3.0])
entry("sp.eval_hermite(5, x)", lambda x: mp.hermite(5, x), [1e-9, 0.7, 3.0, 1e5])
entry("sp.ber(x)", lambda x: mp.ber(0, x), [0.01, 0.7, 3.0, 7.0])
entry("sp.struve(1.5, x)", lambda x: mp.struveh(1.5, x), [0.01, 0.7, 3.0, 10.0])
entry("sp.chdtr(3.0, x)", lambda x: mp.gammainc(1.5, 0, x / mp.mpf(2), regularized=True), [1e-5, 0.7, 30.0, 200.0])
entry("sp.stdtr(3.5, x)", lambda t: -mp.betainc(1.75, 0.5, 0, 3.5 / (3.5 + t * t), regularized=True) / 2, [1e-3, 0.7, 30.0, 1e5])
entry("sp.pdtr(3, x)", lambda m: mp.gammainc(4, m, regularized=True), [1e-5, 0.7, 30.0, 200.0])
entry("sp.gdtr(1.5, 2.5, x)", lambda x: mp.gammainc(2.5, 0, 1.5 * x, regularized=True), [1e-5, 0.7, 30.0, 200.0])
entry("sp.bdtr(2, 5, x)", lambda p: mp.betainc(3, 3, 0, 1 - p, regularized=True), [1e-5, 0.3, 0.97])


# --- relatives of what lost digits once, and places further out

entry("np.logaddexp(0.0, x)", lambda x: mp.log1p(mp.exp(x)), [-700.0, -40.0, -1e-9, 0.0, 3.0, 40.0, 700.0])
entry("np.logaddexp(x, 0.7 * x)", lambda x: mp.log(mp.exp(x)+mp.exp(mp.mpf(0.7)*x)), [-700.0, -40.0, 1e-9, 3.0, 40.0, 700.0, 1e5])
entry("sp.log1p(x)", mp.log1p, [-1+1e-12, -0.5, -1e-9, 1e-300, 0.7, 1e100])
entry("sp.exp2(x)", lambda x: mp.mpf(2)**x, [-300.0, 1e-9, 0.7, 300.0])
entry("sp.cbrt(x)", mp.cbrt, [1e-300, 1e-9, 0.7, 1e100])
entry("sp.erfcinv(x)", lambda x: mp.erfinv(1-mp.mpf(x)), [1e-300, 1e-9, 0.3, 1.0, 1.7])
entry("sp.ndtri(1.0 * x)", lambda y: -mp.sqrt(2)*mp.erfinv(1-2*mp.mpf(y)), [1e-300, 1e-20, 1e-3, 1-1e-9])
entry("sp.iv(2.5, 1.0 * x)", lambda x: mp.besseli(2.5, x), [30.0, 100.0, 600.0])
entry("sp.kv(2.5, 1.0 * x)", lambda x: mp.besselk(2.5, x), [30.0, 100.0, 600.0])
entry("sp.jv(0.5, x)", lambda x: mp.besselj(0.5, x), [1e-9, 0.7, 100.5, 1000.5])
entry("sp.jv(30.5, x)", lambda x: mp.besselj(30.5, x), [0.7, 5.0, 30.0, 100.5])
entry("sp.yv(30.5, x)", lambda x: mp.bessely(30.5, x), [5.0, 30.0, 100.5])
entry("sp.iv(30.5, x)", lambda x: mp.besseli(30.5, x), [0.7, 5.0, 100.0])
entry("sp.kv(30.5, x)", lambda x: mp.besselk(30.5, x), [0.7, 5.0, 100.0])
entry("sp.betainc(1e-3, 2.5, x)", lambda x: mp.betainc(mp.mpf(1e-3), 2.5, 0, x, regularized=True), [1e-5, 0.3, 0.97, 1-1e-9])
entry("sp.betainc(50.0, 50.0, x)", lambda x: mp.betainc(50, 50, 0, x, regularized=True), [1e-3, 0.3, 0.5, 0.97])
entry("sp.gammainc(1e3, x)", lambda x: mp.gammainc(1000, 0, x, regularized=True), [900.0, 1000.0, 1100.0])
entry("sp.gammaincc(1e3, x)", lambda x: mp.gammainc(1000, x, regularized=True), [900.0, 1000.0, 1100.0])
entry("sp.digamma(x)", mp.digamma, [1e-8, 0.7, 1.4616321449683623, 1e10])
entry("sp.polygamma(1, x)", lambda x: mp.polygamma(1, x), [1e-3, 0.7, 30.3, 1e5])
entry("sp.zeta(1.001, x)", lambda x: mp.zeta(mp.mpf(1.001), x), [0.7, 5.5, 1e3])
entry("sp.multigammaln(x, 3)", lambda x: mp.loggamma(x)+mp.loggamma(x-0.5)+mp.loggamma(mp.mpf(x)-1), [1.0001, 2.3, 100.0, 1e8])
entry("sp.logsumexp(np.stack([x, 0.0 * x + 1.0]), axis=0)", lambda x: mp.log(mp.exp(x)+mp.e), [-700.0, -40.0, 1.0, 40.0, 700.0])
entry("sp.xlogy(x, x)", lambda x: mp.mpf(x)*mp.log(x), [1e-300, 1e-9, 0.3, 3.0, 1e100])
entry("sp.xlog1py(x, x)", lambda x: mp.mpf(x)*mp.log1p(x), [1e-300, 1e-9, 0.3, 3.0, 1e100])
entry("sp.rel_entr(x, 1 - x)", lambda x: mp.mpf(x)*mp.log(mp.mpf(x)/(1-mp.mpf(x))), [1e-300, 1e-9, 0.3, 0.9, 1-1e-9])
entry("np.hypot(x, 0.5 * x)", lambda x: mp.mpf(x)*mp.sqrt(1.25), [1e-300, 1e-9, 3.0, 1e200, 1e300])
entry("np.arctan2(x, 1e200)", lambda x: mp.atan2(x, mp.mpf(10)**200), [1e190, 1e200, 1e210])
entry("np.float_power(x, 2.5)", lambda x: mp.mpf(x)**mp.mpf(2.5), [1e-100, 0.7, 1e100])
entry("x ** x", lambda x: mp.mpf(x)**mp.mpf(x), [1e-100, 1e-9, 0.3, 3.0, 100.0])
entry("np.tanh(x) ** 2", lambda x: mp.tanh(x)**2, [1e-9, 10.0, 20.0, 300.0])
entry("np.power(x, 1e-9)", lambda x: mp.mpf(x)**mp.mpf(1e-9), [1e-100, 0.7, 1e100])
entry("sp.log_ndtr(-x)", lambda x: mp.log(ndtr(-mp.mpf(x))), [-8.0, 8.0, 40.0, 1e5])
entry("sp.erfcx(-x)", lambda x: mp.exp(mp.mpf(x)**2)*mp.erfc(-mp.mpf(x)), [-1e5, -30.0, -3.0, 3.0, 20.0])
entry("sp.ellipj(x, 0.7)[0]", lambda x: mp.ellipfun("sn", x, m=mp.mpf(0.7)), [1e-9, 0.7, 3.0, 30.0])
entry("sp.ellipj(x, 0.7)[2]", lambda x: mp.ellipfun("dn", x, m=mp.mpf(0.7)), [1e-9, 0.7, 3.0, 30.0])
entry("sp.fdtr(3.0, 4.0, x)", lambda x: mp.betainc(1.5, 2, 0, 3 * x / (3 * x + 4), regularized=True), [1e-5, 0.7, 30.0, 1e5])
entry("sp.struve(0.5, x)", lambda x: mp.struveh(0.5, x), [0.01, 3.0, 40.0])
entry("sp.modstruve(0.5, x)", lambda x: mp.struvel(0.5, x), [0.01, 3.0, 40.0])
entry("sp.expn(1, x)", mp.e1, [1e-9, 0.7, 600.0])
entry("sp.wofz(x).imag", lambda x: mp.exp(-mp.mpf(x) ** 2) * mp.erfi(x), [1e-9, 0.7, 10.0, 1e3, 1e6])

# --- softmax where one probability is nearly 1

SATURATED = [-700.0, -40.0, 1e-9, 3.0, 40.0, 700.0]
entry("sp.softmax(np.stack([x, 0.0 * x]), axis=0)[0]", lambda x: 1 / (1 + mp.exp(-x)), SATURATED)
entry("sp.log_softmax(np.stack([x, 0.0 * x]), axis=0)[0]", lambda x: -mp.log1p(mp.exp(-x)), SATURATED)
entry("sp.log_softmax(np.stack([x, 0.0 * x]), axis=0)[1]", lambda x: -mp.log1p(mp.exp(x)), SATURATED)

# --- distributions: densities and what lies below and above, by the place, then by shapes

Density = Callable[[Any], Any]
LINE = [-30.0, -5.0, -0.7, 1e-9, 0.7, 8.0, 30.0]
TAIL = [-1e200, -1e100, -1e8, -30.0, 1e-9, 0.7, 30.0, 1e8, 1e150]
HALF = [1e-100, 1e-9, 0.01, 0.7, 3.0, 30.0]


def distribution(call: str, pdf: Density, cdf: Density | None, sf: Density | None, places: list[float]) -> None:
    """A distribution, ``call`` without the name of a function: ``stats.gamma.{}(x, 2.5)``."""
    for name, f in (("pdf", pdf), ("cdf", cdf), ("sf", sf)):
        if f is not None:
            entry(call.format(name), f, places)
            entry(call.format(f"log{name}"), lambda x, f=f: mp.log(f(x)), places)


def beta_density(x: Any, a: Any, b: Any) -> Any:
    """The density of the beta distribution."""
    return x ** (mp.mpf(a) - 1) * (1 - x) ** (mp.mpf(b) - 1) / mp.beta(a, b)


def gamma_density(x: Any, a: Any) -> Any:
    """The density of the gamma distribution."""
    return x ** (mp.mpf(a) - 1) * mp.exp(-x) / mp.gamma(a)


def t_density(x: Any, df: Any) -> Any:
    """Student's density."""
    return (
        mp.gamma((mp.mpf(df) + 1) / 2)
        / mp.sqrt(mp.pi * df)
        / mp.gamma(mp.mpf(df) / 2)
        * (1 + x * x / df) ** (-(df + mp.mpf(1)) / 2)
    )


distribution("stats.norm.{}(x)", mp.npdf, ndtr, lambda x: ndtr(-x), LINE)
distribution(
    "stats.norm.{}(x, loc=1.5, scale=0.3)", lambda x: mp.npdf(x, 1.5, mp.mpf(0.3)), None, None, [-5.0, 0.7, 1.5 + 1e-9, 8.0]
)
distribution(
    "stats.expon.{}(x)", lambda x: mp.exp(-x), lambda x: -mp.expm1(-x), lambda x: mp.exp(-x), [1e-300, 1e-9, 0.7, 30.0, 600.0]
)
distribution(
    "stats.cauchy.{}(x)",
    lambda x: 1 / (mp.pi * (1 + x * x)),
    lambda x: mp.atan2(1, -x) / mp.pi,
    lambda x: mp.atan2(1, x) / mp.pi,
    TAIL,
)
distribution(
    "stats.logistic.{}(x)",
    lambda x: mp.exp(-x) / (1 + mp.exp(-x)) ** 2,
    lambda x: 1 / (1 + mp.exp(-x)),
    lambda x: 1 / (1 + mp.exp(x)),
    LINE,
)
distribution(
    "stats.gumbel_r.{}(x)",
    lambda x: mp.exp(-x - mp.exp(-x)),
    lambda x: mp.exp(-mp.exp(-x)),
    lambda x: -mp.expm1(-mp.exp(-x)),
    [-3.0, -0.7, 1e-9, 0.7, 30.0],
)
distribution(
    "stats.gumbel_l.{}(x)",
    lambda x: mp.exp(x - mp.exp(x)),
    lambda x: -mp.expm1(-mp.exp(x)),
    lambda x: mp.exp(-mp.exp(x)),
    [-30.0, -0.7, 1e-9, 0.7, 3.0],
)
distribution("stats.hypsecant.{}(x)", lambda x: mp.sech(x) / mp.pi, None, None, LINE)
distribution(
    "stats.rayleigh.{}(x)",
    lambda x: x * mp.exp(-x * x / 2),
    lambda x: -mp.expm1(-x * x / 2),
    lambda x: mp.exp(-x * x / 2),
    HALF,
)
distribution(
    "stats.levy.{}(x)", lambda x: mp.exp(-1 / (2 * x)) / mp.sqrt(2 * mp.pi * x**3), None, None, [0.01, 0.7, 30.0, 1e100]
)
distribution(
    "stats.moyal.{}(x)", lambda x: mp.exp(-(x + mp.exp(-x)) / 2) / mp.sqrt(2 * mp.pi), None, None, [-3.0, 1e-9, 0.7, 30.0]
)
distribution(
    "stats.wald.{}(x)", lambda x: mp.exp(-((x - 1) ** 2) / (2 * x)) / mp.sqrt(2 * mp.pi * x**3), None, None, [0.01, 0.7, 30.0]
)
for a in (0.5, 2.5, 50.0):
    distribution(
        f"stats.gamma.{{}}(x, {a})", lambda x, a=a: gamma_density(x, a),
        lambda x, a=a: mp.gammainc(a, 0, x, regularized=True), lambda x, a=a: mp.gammainc(a, x, regularized=True),
        [1e-5, 0.01, 0.7, 3.0, 30.0, 200.0][a > 3 :],
    )  # fmt: skip
    entry(
        f"stats.invgamma.logpdf(x, {a})",
        lambda x, a=a: mp.log(gamma_density(1 / x, a) / x**2),
        [1e-100, 1e-3, 0.7, 30.0, 1e100],
    )
    entry(
        f"stats.chi2.logpdf(x, {a})",
        lambda x, a=a: mp.log(gamma_density(x / 2, mp.mpf(a) / 2) / 2),
        [1e-100, 1e-3, 0.7, 30.0, 1e100],
    )
    entry(f"stats.t.logpdf(x, {a})", lambda x, a=a: mp.log(t_density(x, a)), TAIL)
    entry(f"stats.t.pdf(x, {a})", lambda x, a=a: t_density(x, a), [-30.0, 1e-9, 0.7, 3.0])
    entry(f"stats.weibull_min.logpdf(x, {a})", lambda x, c=a: mp.log(c * x ** (mp.mpf(c) - 1)) - x**c, [1e-9, 0.7, 1.2])
    entry(f"stats.pareto.logsf(x, {a})", lambda x, b=a: -b * mp.log(x), [1.0001, 3.0, 1e100 if a < 3 else 1e5])
    entry(
        f"stats.lognorm.logpdf(x, {a})",
        lambda x, s=a: -(mp.log(x) ** 2) / (2 * s**2) - mp.log(x),
        [1e-100, 1e-9, 0.7, 30.0, 1e100],
    )
distribution(
    "stats.beta.{}(x, 2.5, 0.5)", lambda x: beta_density(x, 2.5, 0.5), lambda x: mp.betainc(2.5, 0.5, 0, x, regularized=True),
    lambda x: mp.betainc(2.5, 0.5, x, 1, regularized=True), [1e-9, 1e-3, 0.3, 0.5, 0.97, 1 - 1e-6],
)  # fmt: skip
entry("stats.gamma.logpdf(1.5, x)", lambda a: mp.log(gamma_density(mp.mpf(1.5), a)), [1e-9, 0.01, 0.7, 30.0, 1e8])
entry("stats.beta.logpdf(0.3, x, 2.5)", lambda a: mp.log(beta_density(mp.mpf(0.3), a, 2.5)), [1e-9, 0.7, 30.0])
entry("stats.t.logpdf(1.5, x)", lambda df: mp.log(t_density(mp.mpf(1.5), df)), [0.01, 0.7, 3.0])
entry("stats.t.logpdf(1e200, x)", lambda df: mp.log(t_density(mp.mpf(1e200), df)), [0.01, 0.7, 3.0])
entry("stats.poisson.logpmf(3, x)", lambda mu: 3 * mp.log(mu) - mu, [1e-300, 1e-9, 0.7, 30.0, 1e8])
entry("stats.binom.logpmf(2, 5, x)", lambda p: 2 * mp.log(p) + 3 * mp.log(1 - p), [1e-300, 1e-9, 0.3, 0.97, 1 - 1e-9])
entry("stats.geom.logpmf(4, x)", lambda p: mp.log(p) + 3 * mp.log(1 - p), [1e-300, 1e-9, 0.3, 0.97])
entry("stats.norm.logpdf(1.5, x, 0.7)", lambda m: mp.log(mp.npdf(1.5, m, mp.mpf(0.7))), [-1e100, -30.0, 1e-9, 1.5 + 1e-9, 1e8])
entry("stats.norm.logpdf(1.5, 0.7, x)", lambda s: mp.log(mp.npdf(1.5, mp.mpf(0.7), s)), [1e-9, 0.01, 0.7, 30.0, 1e100])
entry("sp.fresnel(1.0 * x)[0]", mp.fresnels, [1e3 + 0.3, 123456.7890625, 1e9 + 0.5])
entry("sp.fresnel(1.0 * x)[1]", mp.fresnelc, [1e3 + 0.3, 123456.7890625, 1e9 + 0.25])
FAR = [0.7, 15.0, 25.0, 1e2, 1e4, 1e6]
for k in range(4):  # scaled: by the exponential of the zeta of dlmf.nist.gov, 9.7.1
    f = mp.airyai if k < 2 else mp.airybi
    sign = 1 if k < 2 else -1
    entry(f"sp.airye(x)[{k}]", lambda x, f=f, d=k % 2, s=sign: f(x, derivative=d) * mp.exp(s * 2 * mp.mpf(x) ** 1.5 / 3), FAR)
CLOSE = [1e-6, 1e-3, 0.7, 5.0, 40.0]
for n in range(3):
    entry(f"sp.spherical_jn({n}, x)", lambda x, n=n: spherical(mp.besselj, n, x), CLOSE)
    entry(f"sp.spherical_jn({n}, x, derivative=True)", lambda x, n=n: spherical_slope(mp.besselj, n, x, 1, -1), CLOSE)
    entry(f"sp.spherical_in({n}, x, derivative=True)", lambda x, n=n: spherical_slope(mp.besseli, n, x, 1, 1), CLOSE)
entry("stats.genpareto.logpdf(1e-12, x)", lambda c: -(1 + 1 / mp.mpf(c)) * mp.log1p(c * mp.mpf(1e-12)), [1e-6, 0.5, 3.0])


def slope_at(f: Callable[[Any], Any], x: Any) -> Any:
    """A central difference, with more and more digits until 22 of them stay."""
    h = abs(mp.mpf(x)) * mp.mpf(10) ** -25 if x else mp.mpf(10) ** -25
    last, digits = mp.nan, 60
    while digits < 2000:
        with mp.workdps(digits):
            place = mp.mpf(x)
            slope = mp.re(f(place + h) - f(place - h)) / (2 * h)
            if abs(slope - last) <= abs(slope) * mp.mpf(10) ** -22:
                return slope
        last, digits = slope, 2 * digits
    raise ArithmeticError(f"no digits of the slope at {x}")


def main() -> None:
    """Write the table."""
    lines = ["# Written by make_exact_slopes.py: program, place, and the derivative there to 20 digits."]
    for text, f, places in ENTRIES:
        lines.append(text)
        for x in places:
            slope = slope_at(f, x)
            if 1e-305 < abs(slope) < 1e305:
                lines.append(f"  {x!r} {mp.nstr(slope, 20)}")
    Path(__file__).with_name("exact_slopes.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Rules for the functions of ``s2sad.libraries.scipy.runtime``, so that derivative programs can be differentiated again."""

from __future__ import annotations

import math

from s2sad.ir.kinds import Array, Kind, Other, Size, dtype_of
from s2sad.libraries.numpy.rules import kind_linalg
from s2sad.libraries.scipy.rules.integrate import INTEGRATE
from s2sad.libraries.scipy.rules.linalg import LINALG
from s2sad.libraries.scipy.rules.names import HELPERS, SPECIAL, no_slope
from s2sad.libraries.scipy.rules.signal import SIGNAL
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import Written, literal, refuse, written
from s2sad.rules.kind_arrays import array_kind, first, if_double, same, strong_dtype, ufunc
from s2sad.rules.kind_rules import Bound, KindRule, make, shape_of
from s2sad.rules.language import by_constant
from s2sad.rules.registry import elementwise, general, linear, multilinear, nothing

elementwise(
    f"{HELPERS}multigammaln_derivative(n, a, d)",
    a="g * multigammaln_derivative(n + 1, a, d)",
    kind=lambda bound: same(lambda _: "float64")({"a": bound["a"]}),
    facts=SPECIAL,
)

elementwise(
    f"{HELPERS}diric_derivative(d, x, n)",
    x="g * diric_derivative(d + 1, x, n)",
    n=no_slope("n", "it counts"),
    kind=lambda bound: make("float64", shape_of(ufunc("multiply")({p: bound[p] for p in "xn"}))),
    facts=SPECIAL,
)
elementwise(
    f"{HELPERS}kolmogorov_derivative(d, y)",
    y="g * kolmogorov_derivative(d + 1, y)",
    kind=lambda bound: make("float64", shape_of(ufunc("sin")({"y": bound["y"]}))),
    facts=SPECIAL,
)

elementwise(
    f"{HELPERS}digamma_step(z, m)",
    z="g * (zeta(2.0, z + m) - zeta(2.0, z))",
    m="g * zeta(2.0, z + m)",
    kind=ufunc("multiply"),
    facts=SPECIAL,
)


_RISE = "digamma_step(a, b)"  # second derivatives are NaN at poles
elementwise(
    f"{HELPERS}beta_slope(a, b)",
    a=f"g * beta(a, b) * ({_RISE} ** 2 + zeta(2.0, a) - zeta(2.0, a + b))",
    b=f"g * beta(a, b) * ({_RISE} * digamma_step(b, a) - zeta(2.0, a + b))",
    kind=ufunc("beta", "scipy.special"),
    facts=SPECIAL,
)
elementwise(
    f"{HELPERS}poch_slope(z, m)",
    z="g * poch(z, m) * (digamma_step(z, m) ** 2 + zeta(2.0, z + m) - zeta(2.0, z))",
    m="g * poch(z, m) * (digamma_step(z, m) * psi(z + m) + zeta(2.0, z + m))",
    kind=ufunc("poch", "scipy.special"),
    facts=SPECIAL,
)
_RISES = ("digamma_step(x - y + 1, y)", "digamma_step(y + 1, x - 2 * y)")
_MIXED = f"g * binom(x, y) * ({' * '.join(_RISES)} + zeta(2.0, x - y + 1))"
elementwise(
    f"{HELPERS}binom_slope(k, x, y)",
    x=by_constant("k", {0: f"g * binom(x, y) * ({_RISES[0]} ** 2 + zeta(2.0, x + 1) - zeta(2.0, x - y + 1))", 1: _MIXED}, "g"),
    y=by_constant("k", {0: _MIXED, 1: f"g * binom(x, y) * ({_RISES[1]} ** 2 - zeta(2.0, x - y + 1) - zeta(2.0, y + 1))"}, "g"),
    kind=lambda bound: ufunc("binom", "scipy.special")({p: bound[p] for p in ("x", "y")}),
    facts=SPECIAL,
)
linear(f"{HELPERS}centred(x, by, axis)", x="balanced(g, by, axis)", kind=lambda bound: bound["by"].kind, facts=SPECIAL)
linear(f"{HELPERS}balanced(x, by, axis)", x="centred(g, by, axis)", kind=lambda bound: bound["by"].kind, facts=SPECIAL)


def _turned(bound: Bound) -> Kind:
    """The complex numbers of the same precision."""
    kind = ufunc("exp")({"z": bound["z"]})
    dtype = dtype_of(kind)
    single = dtype in ("float16", "float32", "complex64")
    return kind if dtype is None else make("complex64" if single else "complex128", shape_of(kind))


elementwise(
    f"{HELPERS}wofz_derivative(n, z)",
    z=by_constant(
        "n", {1: "-2 * g * wofz_derivative(2, z)"}, "2 * g * (wofz_derivative(1, z) - z * wofz_derivative(2, z))"
    ),
    kind=_turned,
    facts=SPECIAL,
)
_DECAY = "-sign * (2 + sign / x) * out - sign * (1 / x - sign * order ** 2 / x ** 2) * {f}"
_SCALED = "where(sign > 0, ive(order, x), kve(order, x))"
elementwise(  # by Bessel's equation
    f"{HELPERS}scaled_bessel_slope(order, sign, x)",
    order=no_slope("order", "it counts"),
    sign=no_slope("sign", "it decides"),
    x=f"g * ({_DECAY.format(f=_SCALED)})",
    kind=lambda bound: ufunc("sin")({"x": bound["x"]}),
    facts=SPECIAL,
)
elementwise(
    f"{HELPERS}fresnel_wave(x, quarter)",
    x=f"{math.pi} * g * x * fresnel_wave(x, quarter + 1)",
    quarter=no_slope("quarter", "it counts"),
    kind=lambda bound: ufunc("sin")({"x": bound["x"]}),
    facts=SPECIAL,
)
elementwise(
    f"{HELPERS}exprel_derivative(n, x)",
    n=no_slope("n", "it counts"),
    x="g * exprel_derivative(n + 1, x)",
    kind=lambda bound: ufunc("sin")({"x": bound["x"]}),
    facts=SPECIAL,
)
elementwise(f"{HELPERS}log_ratio(x, y)", x="g / x", y="-g / y", kind=ufunc("divide"), facts=SPECIAL)

# Slopes of Carlson's integrals, again: with q one of the symmetric arguments and o, r the others, (q - p) times the slope of
# elliprj(q, o, r, p) by q is half of elliprd(o, r, q) - elliprj(q, o, r, p); elliprd(x, y, z) is elliprj(x, y, z, z). The last
# argument's slope is homogeneous of degree -5/2.


def _bends(name: str, last: str, others: str) -> list[dict[str, str]]:
    """The second derivatives: for each slope its derivative by each argument, infinite or NaN where two are equal."""
    params = others + last
    slope = {p: f"{name}_slope({k}, {', '.join(params)})" for k, p in enumerate(params)}
    bends: list[dict[str, str]] = []
    for q in others:
        rest = [p for p in params if p != q] if name == "elliprd" else [p for p in others if p != q]
        inner = {p: f"elliprd_slope({k}, {', '.join((*rest, q))})" for k, p in enumerate((*rest, q))}
        over = f"({q} - {last})"
        found = {p: f"0.5 * ({inner[p]} - {slope[p]}) / {over}" for p in params if p in inner}
        found[q] = f"(0.5 * {inner[q]} - 1.5 * {slope[q]}) / {over}"
        found[last] = f"({slope[q]} + 0.5 * ({inner.get(last, '0.0')} - {slope[last]})) / {over}"
        bends.append(found)
    mixed = {q: bends[k][last] for k, q in enumerate(others)}
    sums = " + ".join(f"{q} * ({bend})" for q, bend in mixed.items())
    bends.append({**mixed, last: f"-(2.5 * {slope[last]} + {sums}) / {last}"})
    return bends


def _slope(name: str, last: str, others: str) -> None:
    bends, params = _bends(name, last, others), others + last
    elementwise(
        f"{HELPERS}{name}_slope(k, {', '.join(params)})",
        **{
            p: by_constant("k", {k: f"g * ({bend[p]})" for k, bend in enumerate(bends)}, "g")
            for p in params
        },
        kind=lambda bound: make("float64", shape_of(ufunc(name, "scipy.special")({p: bound[p] for p in params}))),
        facts=SPECIAL,
    )


_slope("elliprd", "z", "xy")
_slope("elliprj", "p", "xyz")

# --- scipy.linalg

nothing(
    [f"{HELPERS}pivoted(piv, count)"],
    kind=lambda bound: Array("int64", None if (s := shape_of(first(bound))) is None else (*s[:-1], None)),
    zero=True,
)
nothing([f"{HELPERS}row_order(p, a)"], kind=kind_linalg.unsized("p"), zero=True, effects="view(p)?")
general(
    f"{HELPERS}unit_lower(lu)",
    push={"lu": "tril(g, -1)[..., :out.shape[-1]]"},
    pull={"lu": "fitted(tril(g, -1), lu)"},
    kind=kind_linalg.unsized("lu"),
    facts=LINALG,
)
nothing([f"{HELPERS}column_pivots(a)"], kind=lambda _: Array("int32", (None,)), zero=True)


def _known(bound: Bound, sizes: int, *params: str) -> Kind:
    """An array with this many axes, of the dtype of all arguments."""
    shape: tuple[Size, ...] = (None,) * sizes
    return Array(strong_dtype([array_kind(bound[p].kind) for p in params]), shape)


linear(
    f"{HELPERS}diagonal_sums(x)",
    x="toeplitz(g[x.shape[1] - 1:], g[:x.shape[1]][::-1])",
    kind=lambda bound: _known(bound, 1, "x"),
    facts=LINALG,
)
_BACK = "l_and_u[::-1]"
linear(
    f"{HELPERS}banded_transpose(l_and_u, ab)",
    ab=f"banded_transpose({_BACK}, g)",
    kind=lambda bound: bound["ab"].kind,
    facts=LINALG,
)
multilinear(
    f"{HELPERS}banded_product(l_and_u, ab, x)",
    ab="banded_outer(l_and_u, g, x)",
    x=f"banded_product({_BACK}, banded_transpose(l_and_u, ab), g)",
    kind=lambda bound: Array(dtype_of(_known(bound, 1, "ab", "x")), shape_of(array_kind(bound["x"].kind))),
    facts=LINALG,
)
multilinear(
    f"{HELPERS}banded_outer(l_and_u, w, x)",
    w="banded_product(l_and_u, g, x)",
    x=f"banded_product({_BACK}, banded_transpose(l_and_u, g), w)",
    kind=lambda bound: _known(bound, 2, "w", "x"),
    facts=LINALG,
)



@if_double
def _solution(bound: Bound) -> Kind:
    return Array(dtype_of(_known(bound, 1, "c", "r", "b")), shape_of(array_kind(bound["b"].kind)))


def _toeplitz(app: Application, b: str, back: bool = False) -> str:
    """The solution for another right-hand side, or that of the transposed system."""
    turned = literal(app, "transposed") is not back
    return f"toeplitz_solution(c, r, {b}{', True' if turned else ''})"


def _toeplitz_push(matrix: str) -> Written:
    def write(app: Application) -> str:
        return "-" + _toeplitz(app, f"{matrix}{'.T' if literal(app, 'transposed') else ''} @ out")

    return written(write)


def _toeplitz_pull(part: str) -> Written:
    """From what is due to the diagonals of the matrix, from the upper right corner on."""

    def write(app: Application) -> str:
        if app.rank("b") not in (1, 2):
            refuse(app, "with a right-hand side of unknown rank", "vectors and matrices are treated differently")
        pair = (_toeplitz(app, "g", back=True), "out")
        x, y = reversed(pair) if literal(app, "transposed") else pair
        product = f"outer({x}, {y})" if app.rank("b") == 1 else f"{x} @ {y}.T"
        return "-" + part.format(f"diagonal_sums({product})")

    return written(write)


general(
    f"{HELPERS}toeplitz_solution(c, r, b, transposed=False)",
    push={
        "c": _toeplitz_push("toeplitz(g, zeros_like(r))"),
        "r": _toeplitz_push("toeplitz(zeros_like(c), g)"),
        "b": written(lambda app: _toeplitz(app, "g")),
    },
    pull={
        "c": _toeplitz_pull("{}[c.shape[0] - 1:]"),
        "r": _toeplitz_pull("pad({}[:c.shape[0] - 1][::-1], (1, 0))"),
        "b": written(lambda app: _toeplitz(app, "g", back=True)),
    },
    kind=_solution,
    facts=LINALG,
)

# --- scipy.signal


def _like(param: str) -> KindRule:
    return lambda bound: array_kind(bound[param].kind)


_OPTIONS = "mode='full', method='auto'"
multilinear(
    f"{HELPERS}convolve_adjoint_1(bar, in1, in2, {_OPTIONS})",
    bar="convolve(g, in2, mode, method)",
    in2="convolve_adjoint_2(bar, g, in2, mode, method)",
    kind=_like("in1"),
    facts=SIGNAL,
)
multilinear(
    f"{HELPERS}convolve_adjoint_2(bar, in1, in2, {_OPTIONS})",
    bar="convolve(in1, g, mode, method)",
    in1="convolve_adjoint_1(bar, in1, g, mode, method)",
    kind=_like("in2"),
    facts=SIGNAL,
)
multilinear(
    f"{HELPERS}fftconvolve_adjoint_1(bar, in1, in2, mode='full', axes=-1)",
    bar="fftconvolve(g, in2, mode, axes)",
    in2="fftconvolve_adjoint_2(bar, g, in2, mode, axes)",
    kind=_like("in1"),
    facts=SIGNAL,
)
multilinear(
    f"{HELPERS}fftconvolve_adjoint_2(bar, in1, in2, mode='full', axes=-1)",
    bar="fftconvolve(in1, g, mode, axes)",
    in1="fftconvolve_adjoint_1(bar, in1, g, mode, axes)",
    kind=_like("in2"),
    facts=SIGNAL,
)
multilinear(
    f"{HELPERS}lag_products(h, x, count, axis=-1)",
    h="lfilter(g, (1.0,), x, axis)",
    x="flip(lfilter(g, (1.0,), flip(h, axis), axis), axis)",
    kind=lambda bound: _known(bound, 1, "h", "x"),
    facts=SIGNAL,
)
nothing([f"{HELPERS}margins(weights, first, full=False)"], kind=lambda _: Other("shape"), zero=True)

# --- scipy.integrate

for head, name in (("simpson_adjoint(bar, y, dx=1.0, axis=-1)", "simpson"),
                   ("cumulative_trapezoid_adjoint(bar, y, dx=1.0, axis=-1, initial=None)", "cumulative_trapezoid")):  # fmt: skip
    options = "dx=dx, axis=axis" + (", initial=initial" if "initial" in head else "")
    general(
        f"{HELPERS}{head}",
        push={"bar": f"{name}_adjoint(g, y, {options})", "dx": "g * out / dx"},
        pull={"bar": f"{name}(g, {options})", "dx": "sum(g * out) / dx"},
        kind=_like("y"),
        facts=INTEGRATE,
    )

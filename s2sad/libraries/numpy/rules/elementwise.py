"""NumPy's elementwise functions.

Where a function has a corner, the middle of its two slopes is taken (``abs`` at 0, ties of ``maximum``).
Parameters without a formula have derivative zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from s2sad.ir.kinds import Array, Kind, Scalar, Tuple, dtype_of
from s2sad.ir.nodes import Const, Value
from s2sad.libraries.python.rules.builtins import POWER_X, POWER_Y
from s2sad.rules import registry
from s2sad.rules.application import Application
from s2sad.rules.call_formulas import by_field, field_of, is_literal, is_single, literal, refuse, written
from s2sad.rules.kind_arrays import (
    first,
    float_dtype,
    inexact_dtype,
    literal_of,
    promoted,
    real_dtype,
    same,
    ufunc,
    ufunc_dtype,
)
from s2sad.rules.kind_rules import Bound, array, make, number, shape_of
from s2sad.rules.language import Elementwise, Partial, Primitive, spec_of
from s2sad.rules.registry import alias, elementwise, general, nothing

CHEAP = {"cheap": True}


def flagged(test: str) -> Partial:
    """``g`` where a test holds, 0 elsewhere, in the precision of the result."""

    def write(app: Application) -> str:
        cast = is_single(app) and isinstance(app.kind("x"), Array)
        return f"g * ndarray.astype({test}, out.dtype)" if cast else f"g * ({test})"

    return written(write)


def inserted(test: str) -> Partial:
    """The derivative by a number that is put in where a test on ``x`` holds, of a complex ``x`` on either part."""

    def write(app: Application) -> str:
        if field_of(app, "x") != "real":
            text = f"g * ({test}(real(x)) + 1j * {test}(imag(x)))"
            return text if field_of(app, "x") == "complex" else f"unbroadcast({text}, x)"
        return f"where({test}(x), {'full_like(x, g)' if is_single(app) else 'g'}, 0.0)"

    return written(write)


def smooth(head: str, cheap: bool = False, **partials: Partial) -> None:
    """A ufunc, by its own table of dtypes."""
    elementwise(head, kind=ufunc(name_in(head)), facts={"cheap": cheap}, **partials)


def name_in(head: str) -> str:
    """``sin`` in ``numpy.sin(x)``."""
    return head.partition("(")[0].removeprefix("numpy.")


# --- arithmetic

smooth("numpy.add(x, y)", cheap=True, x="g", y="g")
smooth("numpy.subtract(x, y)", cheap=True, x="g", y="-g")
smooth("numpy.multiply(x, y)", cheap=True, x="g * y", y="g * x")
smooth("numpy.divide(x, y)", cheap=True, x="g / y", y="-g * out / y")
alias("numpy.divide", "numpy.true_divide")
smooth("numpy.negative(x)", cheap=True, x="-g")
smooth("numpy.positive(x)", cheap=True, x="g")
smooth("numpy.power(x, y)", x=POWER_X, y=POWER_Y)
smooth("numpy.float_power(x, y)", x=POWER_X, y=POWER_Y)
alias("numpy.power", "numpy.pow")
smooth("numpy.square(x)", cheap=True, x="2 * g * x")
smooth("numpy.reciprocal(x)", cheap=True, x="-g * out ** 2")
smooth("numpy.sqrt(x)", x="0.5 * g / out")
smooth("numpy.cbrt(x)", x="g / (3 * out ** 2)")
smooth("numpy.remainder(x, y)", x="g", y="-g * (x // y)")
alias("numpy.remainder", "numpy.mod")
smooth("numpy.fmod(x, y)", x="g", y="-g * trunc(x / y)")
smooth("numpy.ldexp(x, n)", x="ldexp(g, n)")
smooth("numpy.hypot(x, y)", x="g * safe_divide(x, out)", y="g * safe_divide(y, out)")

# --- exponentials and logarithms

smooth("numpy.exp(x)", x="g * out")
smooth("numpy.exp2(x)", x="g * out * math.log(2.0)")
smooth("numpy.expm1(x)", x="g * exp(x)")
smooth("numpy.log(x)", x="g / x")
smooth("numpy.log2(x)", x="g / (x * math.log(2.0))")
smooth("numpy.log10(x)", x="g / (x * math.log(10.0))")
smooth("numpy.log1p(x)", x="g / (1 + x)")
smooth("numpy.logaddexp(x, y)", x="g * exp(x - out)", y="g * exp(y - out)")
smooth("numpy.logaddexp2(x, y)", x="g * exp2(x - out)", y="g * exp2(y - out)")

# --- trigonometric

smooth("numpy.sin(x)", x="g * cos(x)")
smooth("numpy.cos(x)", x="-g * sin(x)")
smooth("numpy.tan(x)", x="g * (1 + out ** 2)")
# of complex numbers by the result, which knows on which side of a cut it is
smooth("numpy.arcsin(x)", x=by_field("x", real="g / sqrt((1 - x) * (1 + x))", complex="g / cos(out)"))
smooth("numpy.arccos(x)", x=by_field("x", real="-g / sqrt((1 - x) * (1 + x))", complex="-g / sin(out)"))
smooth("numpy.arctan(x)", x="g / (1 + x ** 2)")
smooth("numpy.arctan2(y, x)", y="g * (x / hypot(x, y)) / hypot(x, y)", x="-g * (y / hypot(x, y)) / hypot(x, y)")
for name, name_2 in (("arcsin", "asin"), ("arccos", "acos"), ("arctan", "atan"), ("arctan2", "atan2")):
    alias(f"numpy.{name}", f"numpy.{name_2}")
smooth("numpy.deg2rad(x)", x="deg2rad(g)")
smooth("numpy.rad2deg(x)", x="rad2deg(g)")
smooth("numpy.radians(x)", x="radians(g)")
smooth("numpy.degrees(x)", x="degrees(g)")
elementwise("numpy.sinc(x)", x="g * sinc_derivative(x, 1)", kind=same(float_dtype))

# --- hyperbolic

smooth("numpy.sinh(x)", x="g * cosh(x)")
smooth("numpy.cosh(x)", x="g * sinh(x)")
smooth("numpy.tanh(x)", x="g * sech2(x)")
smooth("numpy.arcsinh(x)", x=by_field("x", real="g / hypot(x, 1.0)", complex="g / cosh(out)"))
smooth("numpy.arccosh(x)", x=by_field("x", real="g / (sqrt(x - 1) * sqrt(x + 1))", complex="g / sinh(out)"))
smooth("numpy.arctanh(x)", x="g / ((1 - x) * (1 + x))")
for name, name_2 in (("arcsinh", "asinh"), ("arccosh", "acosh"), ("arctanh", "atanh")):
    alias(f"numpy.{name}", f"numpy.{name_2}")


def _bessel_kind(bound: Bound) -> Kind:
    """An array, also of a number; of integers, of floats."""
    source = first(bound)
    dtype = dtype_of(source)
    return array(None if dtype is None else ufunc_dtype(dtype), shape_of(source))


elementwise("numpy.i0(x)", x="g * bessel_i(1, x)", kind=_bessel_kind)

# --- corners

# the pullback of a complex number's modulus is a plain transpose, without conjugation, as everywhere here
ABS_PUSH = by_field("x", real="g * sign(x)", complex="real(g * safe_divide(conj(x), out))")
ABS_PULL = by_field("x", real="g * sign(x)", complex="g * safe_divide(conj(x), out)")
general("numpy.absolute(x)", push={"x": ABS_PUSH}, pull={"x": ABS_PULL}, kind=ufunc("absolute"), facts=CHEAP)
alias("numpy.absolute", "numpy.abs")
smooth("numpy.fabs(x)", cheap=True, x="g * sign(x)")
smooth("numpy.maximum(x, y)", cheap=True, x="g * ge_share(x, y)", y="g * ge_share(y, x)")
smooth("numpy.minimum(x, y)", cheap=True, x="g * ge_share(y, x)", y="g * ge_share(x, y)")
smooth(  # of a number and a NaN, fmax and fmin take the number
    "numpy.fmax(x, y)",
    x="g * where(isnan(y), 1.0, ge_share(x, y))",
    y="g * where(isnan(x), 1.0, ge_share(y, x))",
)
smooth(
    "numpy.fmin(x, y)",
    x="g * where(isnan(y), 1.0, ge_share(y, x))",
    y="g * where(isnan(x), 1.0, ge_share(x, y))",
)
smooth("numpy.copysign(x, y)", x="g * sign(out) * s2sad.runtime.sign(x)")
smooth("numpy.nextafter(x, y)", x="g")
smooth("numpy.heaviside(x, y)", y=flagged("x == 0"))



def _bounded(alone: str, both: str) -> Partial:
    """Where an item of the result comes from; ``both`` bounds may be given in the wrong order: the upper one counts."""

    def write(app: Application) -> str:
        lower, upper = (
            next((p for p in pair if not (is_literal(app, p) and literal(app, p) is None)), None)
            for pair in (("a_min", "min"), ("a_max", "max"))
        )
        test = alone
        if lower and upper:
            known = is_literal(app, lower) and is_literal(app, upper)
            if not known or literal(app, lower) > literal(app, upper):
                test = both.format(lower=lower, upper=upper)
        return f"g * ndarray.astype({test}, out.dtype)" if is_single(app) else f"g * ({test})"

    return written(write)


def _clipped(bound: Bound) -> Kind:
    """Of one of Python's numbers NumPy makes an array first, which bounds in single precision do not narrow."""
    first = bound["a"].kind
    strong = number(first.types) if isinstance(first, Scalar) else first
    return promoted(("a", "a_min", "a_max", "min", "max"))({**bound, "a": Value(strong)})


_LOWER = _bounded("a < out", "(a < out) & ({lower} <= {upper})")
_UPPER = _bounded("a > out", "(a > out) | ({lower} > {upper})")
elementwise(  # a bound counts where it has moved the item; a tie counts as not moved
    "numpy.clip(a, a_min=None, a_max=None, *, min=None, max=None)",
    a=_bounded("a == out", "(a == out) & ({lower} <= {upper})"),
    a_min=_LOWER,
    a_max=_UPPER,
    min=_LOWER,
    max=_UPPER,
    kind=_clipped,
    facts=CHEAP,
)
alias("numpy.clip", "ndarray.clip", spelling="method")


def _finite(app: Application) -> str:
    if literal(app, "copy") is not True:
        refuse(app, "with copy=False", "it writes into its argument", "x[...] = np.nan_to_num(x)")
    if field_of(app, "x") != "real":  # each part is replaced on its own
        text = "where(isfinite(real(x)), real(g), 0.0) + 1j * where(isfinite(imag(x)), imag(g), 0.0)"
        return text if field_of(app, "x") == "complex" else f"unbroadcast({text}, x)"
    return "where(isfinite(x), g, 0.0)"


elementwise(
    "numpy.nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None)"
    " -> fresh if copy == True else same(x)?; writes x if copy != True",
    x=written(_finite),
    nan=inserted("isnan"),
    posinf=inserted("isposinf"),
    neginf=inserted("isneginf"),
    kind=same(),
)


@dataclass(frozen=True)
class Selection(Elementwise):
    """A choice is linear in all arguments together; what is not chosen leaves no trace, not even NaN."""

    def pushforward(self, app: Application, dots: Mapping[str, Value]) -> Value:
        if is_single(app):
            fitting = {p: isinstance(dot.kind, Array) for p, dot in dots.items()}
            dots = {
                p: d if fitting[p] else app.builder.call("numpy.full_like", app.value("out"), d)
                for p, d in dots.items()
            }
        absent = {p: Const(0.0) for p in self.params if p not in dots}
        return app.tangent(app.stretch(app.again({**absent, **dots})))


def _selected(bound: Bound) -> Kind:
    """With a condition alone, ``where`` is ``nonzero``."""
    given = [literal_of(bound[p], bound[p]) is not None for p in ("x", "y")]
    if given[0] != given[1]:
        raise ValueError("either both or neither of x and y should be given")
    if all(given):
        return promoted(("x", "y"), array=True)(bound)
    shape = shape_of(first(bound))
    return Kind() if shape is None else Tuple((Array("int64", (None,)),) * len(shape))


registry.add(
    Primitive(
        name="numpy.where",
        signature="condition, x=None, y=None",
        effects="fresh",
        kind=_selected,
        derivative=Selection(
            {
                p: spec_of(f)
                for p, f in {"x": "where(condition, g, 0.0)", "y": "where(condition, 0.0, g)"}.items()
            }
        ),
    )
)

# --- complex numbers


def _part(bound: Bound) -> Kind:
    """The real or imaginary part: of an array an array, of a Python number a Python number."""
    source = first(bound)
    if isinstance(source, Scalar):
        whole = frozenset(("int64" if weak and dtype == "bool" else dtype, weak) for dtype, weak in source.types or ())
        return number(whole or None, real_dtype, weak=True)
    return (
        Array(source.dtype and real_dtype(source.dtype), source.shape)
        if isinstance(source, Array)
        else Kind()
    )


def _like_argument(text: str, param: str) -> Partial:
    """A pullback to a complex argument, of which the real part counts where the argument is real."""

    def write(app: Application) -> str | None:
        return text if field_of(app, param) == "complex" else None

    return written(write, f"unbroadcast({text}, {param})")


_REAL = by_field("val", real="g", complex="g + 0j", unknown="unbroadcast(g, val)")
for name in ("numpy.real", "ndarray.real"):
    spelling = {"effects": "view(val)", "cheap": True} | (
        {"spelling": "attribute"} if name.startswith("ndarray") else {}
    )
    general(f"{name}(val)", push={"val": "real(g)"}, pull={"val": _REAL}, kind=_part, facts=spelling)
for name in ("numpy.imag", "ndarray.imag"):
    spelling = {"effects": "view(val) if val.complex else fresh", "cheap": True} | (
        {"spelling": "attribute"} if name.startswith("ndarray") else {}
    )
    general(
        f"{name}(val)",
        push={"val": "imag(g)"},
        pull={"val": _like_argument("-1j * g", "val")},
        kind=_part,
        facts=spelling,
    )
_CONJ = by_field("x", real="g", complex="conj(g)")
general("numpy.conjugate(x)", push={"x": _CONJ}, pull={"x": _CONJ}, kind=ufunc("conjugate"), facts=CHEAP)
alias("numpy.conjugate", "numpy.conj")
alias(
    "numpy.conjugate",
    "ndarray.conj",
    "ndarray.conjugate",
    spelling="method",
    effects="fresh if x.complex else same(x)",
)


def _angle_kind(bound: Bound) -> Kind:
    kind = same(lambda dtype: real_dtype(ufunc_dtype(dtype) or "") or None)(bound)
    return make(kind.dtype, ()) if isinstance(kind, Scalar) else kind


def _in_degrees(app: Application, text: str) -> str:
    if not is_literal(app, "deg"):
        refuse(app, "with a computed deg", "it decides the unit", "True or False")
    return f"rad2deg({text})" if literal(app, "deg") else text


def _angle_pull(app: Application) -> str:
    text = f"-1j * divide({_in_degrees(app, 'g')}, z)"
    return text if field_of(app, "z") == "complex" else f"unbroadcast({text}, z)"


general(
    "numpy.angle(z, deg=False)",
    push={"z": written(lambda app: _in_degrees(app, "imag(divide(g, z))"))},
    pull={"z": written(_angle_pull)},
    kind=_angle_kind,
)

# ``numpy.sign`` of what may be complex, ``z / abs(z)``: only what is at right angles to it turns it
_TURNED = "1j * out * safe_divide(imag(g * conj(out)), abs(x))"
_TURNED_BACK = "1j * conj(out) * safe_divide(imag(g * out), abs(x))"
general(
    "s2sad.runtime.direction(x)",
    push={"x": by_field("x", "zeros_like(g)", _TURNED, f"unbroadcast({_TURNED}, x)")},
    pull={"x": by_field("x", "zeros_like(g)", _TURNED_BACK, f"unbroadcast({_TURNED_BACK}, x)")},
    kind=ufunc("sign"),
    facts=CHEAP,
)

# --- steps: the derivative is zero wherever it exists

STEPS = "floor ceil trunc rint sign signbit spacing isnan isinf isfinite logical_not"
for name in STEPS.split():
    nothing([f"numpy.{name}(x)"], kind=ufunc(name), zero=True, cheap=True)
PAIRS = (
    "equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor "
    "floor_divide bitwise_and bitwise_or bitwise_xor left_shift right_shift gcd lcm"
)
for name in PAIRS.split():
    nothing([f"numpy.{name}(x, y)"], kind=ufunc(name), zero=True, cheap=True)
nothing(["numpy.invert(x)", "numpy.bitwise_not(x)"], kind=ufunc("invert"), zero=True, cheap=True)
alias("numpy.invert", "numpy.bitwise_invert")
alias("numpy.left_shift", "numpy.bitwise_left_shift")
alias("numpy.right_shift", "numpy.bitwise_right_shift")
nothing(["numpy.bitwise_count(x)"], kind=ufunc("bitwise_count"), zero=True, cheap=True)
nothing(
    ["numpy.round(a, decimals=0)", "numpy.around(a, decimals=0)"],
    kind=same(lambda dtype: None if dtype == "bool" else dtype),
    zero=True,
)
alias("numpy.round", "ndarray.round", spelling="method")


def _truth(bound: Bound) -> Kind:
    """Of a number one of NumPy's or Python's truths."""
    either = Scalar(types=frozenset((("bool", True), ("bool", False))))
    return either if isinstance(first(bound), Scalar) else same(lambda _: "bool")(bound)


nothing(["numpy.fix(x)"], kind=same(inexact_dtype), zero=True)
nothing(
    ["numpy.isreal(x)", "numpy.iscomplex(x)", "numpy.isposinf(x)", "numpy.isneginf(x)"],
    kind=_truth,
    zero=True,
)

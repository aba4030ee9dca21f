"""SciPy's functions of functions: integrals, solutions of differential equations, roots and minima.

The operands are in the order of SciPy's positional arguments; what is behind ``*args`` is spelled as ``args=(...)``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from s2sad.ir.kinds import FLOAT, UNKNOWN, Array, Kind, Scalar, Tuple, dtype_of
from s2sad.ir.nodes import Const, FunctionRef, If, Value
from s2sad.libraries.scipy.rules.names import HELPERS
from s2sad.rules.application import Application, typed
from s2sad.rules.by_result import contribution
from s2sad.rules.functionals import Functional, further, items, taken_apart
from s2sad.rules.kind_rules import Bound
from s2sad.rules.registry import nothing, plain

# --- integrals


@dataclass(frozen=True)
class Integral(Functional):
    """``quad``: the integral of the derivative, and Leibniz's rule for the limits; the error estimate is constant.

    ``quad_derivative`` integrates what a derivative function returns behind the value. It is differentiated in the same way,
    so that there are derivatives of any order.
    """

    params: tuple[str, ...] = ("a", "b")

    def pushforward(self, app: Application, dots: Mapping[str, Value]) -> Value:
        numbers, b = self.outputs(app), app.builder
        given = [p for p in further(app.bound) if p in dots]
        parts: list[Value | None] = [None] * len(numbers)
        if given:
            tangent = self.derived(app, given, outputs=numbers)
            made = self.integral(app, tangent, [dots[p] for p in given])
            parts = [*items(app, made, [self.function(app).body.yields[k].kind for k in numbers])]
        for limit in (p for p in self.params if p in dots):
            for k, slope in enumerate(self.at(app, limit)):
                term = b.call("operator.mul", slope, typed(b, dots[limit], FLOAT))
                part = parts[k]
                parts[k] = term if part is None else b.call("operator.add", part, term)
        return self.together(app, [part for part in parts if part is not None])

    def pullbacks(self, app: Application, g: Value, params: list[str]) -> Iterator[tuple[str, Value]]:
        numbers, bars = self.outputs(app), self.bars(app, g)
        live = [k for k, bar in enumerate(bars) if bar is not None]
        seeds = [bar for bar in bars if bar is not None]
        if not seeds:
            return
        for limit in (p for p in self.params if p in params):
            slopes = self.at(app, limit)
            yield limit, app.mended(app.add([self.paired(app, slopes[k], bars[k]) for k in live]), limit)  # type: ignore[arg-type]
        given = [p for p in params if p not in self.params]
        if given:
            adjoint = self.derived(app, given, outputs=tuple(numbers[k] for k in live))
            made = self.integral(app, adjoint, seeds)
            yield from taken_apart(app, made, given)

    def outputs(self, app: Application) -> tuple[int, ...]:
        """The numbers of the leaves that are integrated, of what the function returns."""
        return (0,)

    def bars(self, app: Application, g: Value) -> list[Value | None]:
        """The adjoints of the integrals of these leaves."""
        return [contribution(app.builder, g, 0)]

    def together(self, app: Application, parts: list[Value]) -> Value:
        """The tangent of what the call returns, from those of the integrals."""
        return app.builder.call("builtins.tuple", *parts, Const(0.0))

    def at(self, app: Application, limit: str) -> list[Value]:
        """The derivatives by a limit: what is integrated there, and 0 at infinity."""
        b, function = app.builder, self.function(app)
        args = [app.value(p) for p in (limit, *further(app.bound))]
        kinds = [v.kind for v in function.body.yields]
        chosen = If(cond=b.call("numpy.isfinite", args[0]), loc=app.call.loc, primal=app.call.loc)
        with b.inside(chosen.then):
            made = b.call_function(function, args, kinds)
            found = [made[k] for k in self.outputs(app)]
            chosen.then.yields = [b.call("operator.neg", v) for v in found] if limit == "a" else found
        chosen.orelse.yields = [Const(0.0) for _ in found]
        chosen.results = [Value(v.kind) for v in chosen.then.yields]
        b.append(chosen)
        return chosen.results

    def paired(self, app: Application, slope: Value, bar: Value) -> Value:
        """The share of a slope by a number in the adjoint of that number."""
        product = app.builder.call("operator.mul", slope, bar)
        return product if isinstance(product.kind, Scalar) else app.builder.call("numpy.sum", product)

    def integral(self, app: Application, derivative: Value, moved: list[Value]) -> Value:
        """The integral of what a derivative function gives for these tangents or seeds."""
        limits = [app.value(p) for p in self.params]
        args = [app.value(p) for p in further(app.bound)]
        return app.builder.call(
            f"{HELPERS}quad_derivative", derivative, *limits, *args, *moved, **self.chosen(app)
        )


@dataclass(frozen=True)
class DerivativeIntegral(Integral):
    """``quad_derivative``: of the last of the things that a function returns, a leaf or a tuple of leaves."""

    def outputs(self, app: Application) -> tuple[int, ...]:
        structure = self.function(app).returns
        count, last = structure.leaves(), structure.items[-1].leaves()
        return tuple(range(count - last, count))

    def bars(self, app: Application, g: Value) -> list[Value | None]:
        count = len(self.outputs(app))
        return [g] if count == 1 else [contribution(app.builder, g, k) for k in range(count)]

    def together(self, app: Application, parts: list[Value]) -> Value:
        return parts[0] if len(parts) == 1 else app.builder.call("builtins.tuple", *parts)


@dataclass(frozen=True)
class VectorIntegral(Functional):
    """``quad_vec``, of finite limits where they are active."""

    params: tuple[str, ...] = ("a", "b")
    given: str = "f"

    def pushforward(self, app: Application, dots: Mapping[str, Value]) -> Value:
        terms = [app.builder.call("operator.mul", self.at(app, p), dots[p]) for p in self.params if p in dots]
        given = [p for p in further(app.bound) if p in dots]
        if given:
            moved = app.builder.call("builtins.tuple", *(dots[p] for p in given))
            terms.append(self.over_range(app, "pushforward", given, moved))
        total = app.add(terms)
        if dtype_of(total.kind) in ("float16", "float32", "complex64"):  # the integral is in double precision always
            whole = app.builder.call("operator.getitem", app.value("out"), Const(0))
            total = app.builder.call("s2sad.runtime.unbroadcast", total, whole)
        return app.builder.call("builtins.tuple", total, Const(0.0))

    def pullbacks(self, app: Application, g: Value, params: list[str]) -> Iterator[tuple[str, Value]]:
        bar = contribution(app.builder, g, 0)
        if bar is None:
            return
        for p in (p for p in self.params if p in params):
            yield p, app.mended(app.builder.call("numpy.vdot", self.at(app, p), bar), p)
        given = [p for p in params if p not in self.params]
        if given:
            yield from taken_apart(app, self.over_range(app, "pullback", given, bar), given)

    def over_range(self, app: Application, helper: str, given: list[str], moved: Value) -> Value:
        """A helper's integral over the same range."""
        operands = [
            self.derived(app, given),
            *(app.value(p) for p in self.params),
            self.arguments(app),
            moved,
        ]
        return app.builder.call(f"{HELPERS}quad_vec_{helper}", *operands, **self.chosen(app))

    def at(self, app: Application, limit: str) -> Value:
        """The derivative by a limit: the integrand there, a number of Python's as all places are that it is asked for."""
        args = [app.builder.call("builtins.float", app.value(limit)), *(app.value(p) for p in further(app.bound))]
        function = self.function(app)
        (made,) = app.builder.call_function(function, args, [v.kind for v in function.body.yields])
        return app.builder.call("operator.neg", made) if limit == "a" else made


def _vector(bound: Bound) -> Kind:
    ref = bound["f"]
    kind = ref.function.body.yields[0].kind if isinstance(ref, FunctionRef) else UNKNOWN
    if isinstance(kind, Array):
        kind = Array("float64", None if kind.shape is None else (None,) * len(kind.shape))
    return Tuple((kind, FLOAT))


PRECISION = ("epsabs", "epsrel", "limit", "points")
plain(
    "scipy.integrate.quad(func, a, b, *args, epsabs=1.49e-08, epsrel=1.49e-08, limit=50, points=None)",
    kind=lambda _: Tuple((FLOAT, FLOAT)),
    derivative=Integral(options=PRECISION),
    spelling="functional",
)
plain("scipy.integrate.dblquad(func, *args) -> fresh")  # written as two of these where it is lowered
_OPTIONS = "epsabs=1.49e-08, epsrel=1.49e-08, limit=50, points=None"
plain(
    f"{HELPERS}quad_derivative(func, a, b, *args, {_OPTIONS})",
    kind=lambda _: UNKNOWN,
    derivative=DerivativeIntegral(options=PRECISION),
    spelling="functional",
)

_OPTIONS = "epsabs=1e-200, epsrel=1e-08, norm='2', limit=10000, points=None, quadrature=None"
plain(
    f"scipy.integrate.quad_vec(f, a, b, *args, {_OPTIONS})",
    kind=_vector,
    derivative=VectorIntegral(options=(*PRECISION, "norm", "quadrature")),
    spelling="functional",
)
plain(
    f"{HELPERS}quad_vec_pushforward(tangent, a, b, args, dots, *, {_OPTIONS}) -> fresh",
    kind=lambda _: UNKNOWN,
)
plain(f"{HELPERS}quad_vec_pullback(adjoint, a, b, args, bar, *, {_OPTIONS}) -> fresh")

# What Gaussian quadrature is written with where it is lowered.
plain("scipy.integrate.fixed_quad(func, *args) -> fresh")
nothing(
    ["numpy.polynomial.legendre.leggauss(deg)"],
    kind=lambda _: Tuple((Array("float64", (None,)), Array("float64", (None,)))),
    zero=True,
)

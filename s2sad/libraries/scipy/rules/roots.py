"""SciPy's roots and minima: solutions of equations, differentiated by the implicit function theorem.

    x = brentq(f, a, b, args=(c,))      ==>     v = linear_root(f_adjoint, 2, x, args=(x, c), right=x_bar, ...)
                                                _, c_bar = f_adjoint_1(x, c, -v)

``linear_root`` solves the linear equation ``f_adjoint(x, c, v) = x_bar`` for v. It is a solution of an equation, too, and
has derivatives in turn: there are derivatives of any order. Where the search begins, and its brackets, carry none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from s2sad.ir.kinds import BOOL, FLOAT, UNKNOWN, Array, Kind, Tuple
from s2sad.ir.nodes import Const, FunctionRef, Value
from s2sad.libraries.scipy.rules.names import HELPERS
from s2sad.rules.application import Application
from s2sad.rules.by_result import contribution
from s2sad.rules.call_formulas import refuse
from s2sad.rules.functionals import Functional, further, in_double
from s2sad.rules.kind_arrays import array_kind
from s2sad.rules.kind_rules import Bound, KindRule, shape_of
from s2sad.rules.registry import plain


@dataclass(frozen=True)
class Root(Functional):
    """A solution x of an equation whose left-hand side is the last of what a function returns.

    The call gives the function all its arguments but x, which stands among them ``at`` a place; ``right`` is the right-hand
    side, 0 where there is none. ``judged``: the result is x with whether it is a solution. ``fixed``: the function is to give
    x more than that. What the call gives besides is constant: ``params`` says that it may be active all the same.
    ``bounded``: what is at one of the ``bounds`` stays there.
    """

    judged: bool = False
    fixed: bool = False
    bounded: bool = False

    def reads(self, app: Application, active: frozenset[str]) -> frozenset[str]:
        return frozenset({"out", "right", "bounds", "like", *further(app.bound)} & {"out", *app.bound})

    def pushforward(self, app: Application, dots: Mapping[str, Value]) -> Value:
        self.check(app, dots)
        b, names, right = app.builder, [p for p in further(app.bound) if p in dots], dots.get("right")
        if names or right is not None:
            tangent = self.derived(app, names, (self.place(app),), (self.leaf(app),))
            given = [*self.all_arguments(app), *(dots[p] for p in names)]
            x_dot = self.linear(app, tangent, given, right, transposed=False)
        elif self._kind(app) == FLOAT:
            x_dot = Const(0.0)
        else:
            x_dot = b.call("numpy.zeros_like", self.solution(app))
        return b.call("builtins.tuple", x_dot, Const(0.0)) if self.judged else x_dot

    def pullbacks(self, app: Application, g: Value, params: list[str]) -> Iterator[tuple[str, Value]]:
        self.check(app, params)
        b, names = app.builder, [p for p in further(app.bound) if p in params]
        bar = contribution(b, g, 0) if self.judged else g
        if bar is None or not (names or "right" in params):
            return
        by_x = self.derived(app, [], (self.place(app),), (self.leaf(app),))
        seed = self.linear(app, by_x, self.all_arguments(app), bar, transposed=True)
        if "right" in params:
            yield "right", app.mended(seed, "right")
        if names:
            adjoint = self.derived(app, names, outputs=(self.leaf(app),))
            assert isinstance(adjoint, FunctionRef)
            kinds = [*(v.kind for v in self.function(app).body.yields), *(in_double(app.kind(p)) for p in names)]
            given = [*self.all_arguments(app), b.call("operator.neg", seed)]
            made = b.call_function(adjoint.function, given, kinds)
            yield from ((p, app.mended(bar, p)) for p, bar in zip(names, made[-len(names) :], strict=True))

    # --- the equation

    def solution(self, app: Application) -> Value:
        """The solution itself."""
        out = app.value("out")
        return app.builder.call("operator.getitem", out, Const(0)) if self.judged else out

    def place(self, app: Application) -> int:
        """The place of x among the arguments of the function."""
        at = app.bound.get("at")
        return at.payload if isinstance(at, Const) else 0

    def leaf(self, app: Application) -> int:
        """The place of the left-hand side among the leaves that the function returns."""
        return self.function(app).returns.leaves() - 1

    def position(self, app: Application, index: int) -> int:
        return index + (index >= self.place(app))

    def all_arguments(self, app: Application) -> list[Value]:
        """The arguments of the function at the solution."""
        found = [app.value(p) for p in further(app.bound)]
        found.insert(self.place(app), self.solution(app))
        return found

    def linear(
        self, app: Application, function: Value, args: list[Value], right: Value | None, *, transposed: bool
    ) -> Value:
        """The solution of a linear equation for an argument that stands behind the arguments of our function."""
        at = len(self.function(app).params)
        options: dict[str, Value] = {} if right is None else {"right": right}
        fixed = app.bound.get("fixed")
        if self.fixed or (isinstance(fixed, Const) and fixed.payload):
            options["fixed"] = Const(True)
        if self.bounded and app.given("bounds"):
            options["bounds"] = app.value("bounds")
        if "at" not in app.bound:
            values = app.builder.call_function(
                self.function(app), self.all_arguments(app), [v.kind for v in self.function(app).body.yields]
            )
            options |= {"value": values[-1]} | ({"transposed": Const(True)} if transposed else {})
        if self.judged and not transposed:
            options["success"] = app.builder.call("operator.getitem", app.value("out"), Const(1))
        like = app.value("like") if "like" in app.bound else self.solution(app)
        made = app.builder.call(f"{HELPERS}linear_root", function, Const(at), like, *args, **options)
        made.kind = self._kind(app)
        return made

    def check(self, app: Application, active: Iterable[str]) -> None:
        """Refuse bounds that move, for they may be where the solution is."""
        if "bounds" in active:
            refuse(app, "with respect to bounds", "the solution may be at one of them", "constant bounds")

    def _kind(self, app: Application) -> Kind:
        kind = app.kind("out")
        return kind.items[0] if isinstance(kind, Tuple) else kind


def number(_: Bound) -> Kind:
    """One number."""
    return FLOAT


def like_start(bound: Bound) -> Kind:
    """A number or an array, as the search begins with."""
    shape = shape_of(array_kind(bound["x0"].kind))
    return FLOAT if shape == () else Array("float64", shape)


def judged(kind: KindRule) -> KindRule:
    """Such a solution, and whether it is one."""
    return lambda bound: Tuple((kind(bound), BOOL))


def _root(
    head: str,
    kind: KindRule,
    *,
    params: str,
    given: str = "func",
    fixed: bool = False,
    pair: bool = False,
    bounded: bool = False,
) -> None:
    derivative = Root(params=tuple(params.split()), given=given, judged=pair, fixed=fixed, bounded=bounded)
    plain(head, kind=judged(kind) if pair else kind, derivative=derivative, spelling="functional")


# --- roots

_ACCURACY = "xtol=2e-12, rtol=8.881784197001252e-16, maxiter=100, disp=True"
for name in ("brentq", "brenth", "bisect", "ridder"):
    _root(f"scipy.optimize.{name}(f, a, b, *args, {_ACCURACY})", number, params="a b", given="f")
_root(f"scipy.optimize.toms748(f, a, b, *args, k=1, {_ACCURACY})", number, params="a b", given="f")
_root(
    "scipy.optimize.newton(func, x0, *args, fprime=None, fprime2=None, x1=None, tol=1.48e-08, rtol=0.0, maxiter=50, disp=True)",
    like_start,
    params="x0 x1",
)
_root(
    "scipy.optimize.fsolve(func, x0, *args, fprime=None, col_deriv=0, xtol=1.49012e-08, maxfev=0, band=None, epsfcn=None, "
    "factor=100, diag=None)",
    like_start,
    params="x0",
)
_root(
    "scipy.optimize.fixed_point(func, x0, *args, xtol=1e-08, maxiter=500, method='del2')",
    like_start,
    params="x0",
    fixed=True,
)
_root(
    f"{HELPERS}root_of(fun, x0, *args, jac=None, method='hybr', tol=None, options=None)",
    like_start,
    params="x0",
    given="fun",
    pair=True,
)
_root(
    f"{HELPERS}scalar_root_of(f, *args, method=None, bracket=None, fprime=None, fprime2=None, x0=None, x1=None, xtol=None, "
    "rtol=None, maxiter=None, options=None)",
    number,
    params="bracket x0 x1",
    given="f",
    pair=True,
)

_root(f"{HELPERS}solved_root(func, x0, *args, solver=None)", like_start, params="x0")
_root(f"{HELPERS}solved_fixed_point(func, x0, *args, solver=None)", like_start, params="x0", fixed=True)

# --- minima: roots of the slope

_root(f"{HELPERS}solved_minimum(fun, x0, *args, slope=None, gradient=None, solver=None)", like_start, params="x0", given="slope")

_root(
    f"{HELPERS}minimum_of(fun, x0, *args, slope=None, jac=None, method=None, bounds=None, tol=None, options=None)",
    like_start,
    params="x0 bounds",
    given="slope",
    pair=True,
    bounded=True,
)
_root(
    f"{HELPERS}scalar_minimum_of(fun, *args, slope=None, bracket=None, bounds=None, method=None, tol=None, options=None)",
    number,
    params="bracket bounds",
    given="slope",
    pair=True,
)
_root(
    f"{HELPERS}least_squares_of(fun, x0, *args, slope=None, jac='2-point', bounds=None, method='trf', ftol=1e-08, xtol=1e-08, "
    "gtol=1e-08, x_scale=None, diff_step=None, max_nfev=None)",
    like_start,
    params="x0 bounds",
    given="slope",
    pair=True,
)
for _head in (
    "root(fun",
    "root_scalar(f",
    "minimize(fun",
    "minimize_scalar(fun",
    "least_squares(fun",
    "curve_fit(f",
):
    plain(f"scipy.optimize.{_head}, *args)")  # written as one of the above where it is lowered

plain(
    f"{HELPERS}linear_root(func, at, like, *args, right=None, fixed=False, bounds=None, value=None, transposed=False, "
    "success=True)",
    kind=lambda _: UNKNOWN,
    derivative=Root(params=("right",), bounded=True),
    spelling="functional",
)

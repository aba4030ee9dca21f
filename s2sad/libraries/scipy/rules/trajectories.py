"""SciPy's solvers of initial value problems. The times of the solution may be active; how they move it is its slope.

y = odeint(f, y0, t, args=(c,))

==>    y0_bar, c_bar = trajectory_pullback(f, f_adjoint, t[0], y0, t, (c,), y_bar.T)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from s2sad.ir.kinds import Array, Kind, Tuple, dtype_of
from s2sad.ir.nodes import Const, Value
from s2sad.libraries.scipy.rules.names import HELPERS
from s2sad.rules.application import Application
from s2sad.rules.by_result import contribution
from s2sad.rules.functionals import Functional, further, taken_apart
from s2sad.rules.kind_arrays import array_kind, double_dtype
from s2sad.rules.kind_rules import Bound, shape_of
from s2sad.rules.registry import plain

TIMES = Array("float64", (None,))


def states(y0: Kind, axes: int) -> Array:
    """States, complex where the first one is known to be."""
    return Array(double_dtype(dtype_of(array_kind(y0)) or "float64"), (None,) * axes)


@dataclass(frozen=True)
class Trajectory(Functional):
    """The common part of the two solvers; ``times`` and ``states`` are of shape (k,) and (n, k)."""

    own: int = 2

    def reads(self, app: Application, active: frozenset[str]) -> frozenset[str]:
        return super().reads(app, active) | {"out"}

    def begin(self, app: Application) -> Value:
        """The time at which the solution begins."""
        return app.value("t0")

    def settings(self, app: Application) -> dict[str, Value]:
        """The options of the helpers."""
        dtype = states(app.kind("y0"), 1).dtype
        return {**self.chosen(app), **({"dtype": Const(dtype)} if dtype == "complex128" else {})}

    def slope(self, app: Application) -> Value:
        """The right hand side at the beginning."""
        args = [app.value(p) for p in further(app.bound)]
        return app.builder.call_function(
            self.function(app), [self.begin(app), app.value("y0"), *args], [states(app.kind("y0"), 1)]
        )[0]

    def moved(
        self, app: Application, dots: Mapping[str, Value], times: Value, begin_dot: Value | None
    ) -> Value | None:
        """The tangent of the solution at fixed times; None where nothing but these is active."""
        b, names = app.builder, [p for p in further(app.bound) if p in dots]
        if begin_dot is None and "y0" not in dots and not names:
            return None
        y0_dot = dots.get("y0", Const(0.0))
        if begin_dot is not None:
            y0_dot = b.call("operator.sub", y0_dot, b.call("operator.mul", self.slope(app), begin_dot))
        tangent = self.derived(app, names, own=(1,))
        moved = b.call("builtins.tuple", *(dots[p] for p in names))
        given = [self.begin(app), app.value("y0"), times, self.arguments(app), y0_dot, moved]
        return b.call(f"{HELPERS}trajectory_pushforward", tangent, *given, **self.settings(app))

    def with_slopes(
        self, app: Application, y_dot: Value | None, times: Value, states: Value, times_dot: Value
    ) -> Value:
        """The tangent of the solution where the times move, too."""
        b = app.builder
        slopes = b.call(f"{HELPERS}slopes", app.value(self.given), times, states, self.arguments(app))
        term = b.call("operator.mul", slopes, times_dot)
        return term if y_dot is None else b.call("operator.add", y_dot, term)

    def pulled(self, app: Application, y_bar: Value, params: list[str], times: Value) -> dict[str, Value]:
        """The adjoints of ``y0`` and of the further arguments."""
        names = [p for p in further(app.bound) if p in params]
        adjoint = self.derived(app, names, own=(1,))
        given = [self.begin(app), app.value("y0"), times, self.arguments(app), y_bar]
        made = app.builder.call(
            f"{HELPERS}trajectory_pullback", app.value(self.given), adjoint, *given, **self.settings(app)
        )
        found = dict(taken_apart(app, made, ["y0", *names]))
        return found

    def times_bar(
        self, app: Application, y_bar: Value, times: Value, states: Value, y0_bar: Value | None
    ) -> Value:
        """The adjoint of the times; with ``y0_bar``, the solution begins at the first of them."""
        given = [app.value(self.given), times, states, self.arguments(app), y_bar]
        last = [] if y0_bar is None else [y0_bar]
        return app.builder.call(f"{HELPERS}times_adjoint", *given, *last)


# --- solve_ivp


@dataclass(frozen=True)
class Steps(Trajectory):
    """``trajectory``: the times and the solution of ``solve_ivp``."""

    params: tuple[str, ...] = ("t0", "t1", "y0", "t_eval")
    given: str = "fun"
    options: tuple[str, ...] = ("method", "rtol", "atol", "max_step", "first_step")

    def pushforward(self, app: Application, dots: Mapping[str, Value]) -> Value:
        b, times, states = app.builder, *_parts(app)
        times_dot: Value | None = None
        if "t_eval" in dots:
            times_dot = b.call("numpy.copy", dots["t_eval"])
        elif not app.given("t_eval") and ("t0" in dots or "t1" in dots):
            ends = [dots.get(p, Const(0.0)) for p in ("t0", "t1")]
            times_dot = b.call(f"{HELPERS}ends_dot", times, *ends)
        y_dot = self.moved(app, dots, times, dots.get("t0"))
        if times_dot is not None:
            y_dot = self.with_slopes(app, y_dot, times, states, times_dot)
        if y_dot is None:  # of the end alone, where t_eval says which times are of interest
            y_dot = b.call("numpy.zeros_like", states)
        return b.call(
            "builtins.tuple", b.call("numpy.zeros_like", times) if times_dot is None else times_dot, y_dot
        )

    def pullbacks(self, app: Application, g: Value, params: list[str]) -> Iterator[tuple[str, Value]]:
        b, (times, states) = app.builder, _parts(app)
        t_bar, y_bar = (contribution(b, g, k) for k in range(2))
        found: dict[str, Value] = {}
        if y_bar is not None and any(p in params for p in ("t0", "y0", *further(app.bound))):
            found = self.pulled(app, y_bar, params, times)
        yield from ((p, app.mended(bar, p)) for p, bar in found.items() if p in params)
        fixed = app.given("t_eval")
        if fixed and "t0" in params and y_bar is not None:
            moved = b.call("operator.neg", b.call("numpy.dot", found["y0"], self.slope(app)))
            yield "t0", app.mended(moved, "t0")
        moving = [p for p in (("t_eval",) if fixed else ("t0", "t1")) if p in params]
        if not moving:
            return
        whole = t_bar
        if y_bar is not None:
            first = found["y0"] if "t0" in moving else None
            whole = self.times_bar(app, y_bar, times, states, first)
            whole = whole if t_bar is None else b.call("operator.add", whole, t_bar)
        if whole is not None:
            at = {"t0": Const(0), "t1": Const(-1)}
            yield from ((p, b.call("operator.getitem", whole, at[p]) if p in at else whole) for p in moving)


def _parts(app: Application) -> tuple[Value, Value]:
    times, states = (app.builder.call("operator.getitem", app.value("out"), Const(k)) for k in range(2))
    return times, states


def _steps(bound: Bound) -> Kind:
    shape = shape_of(array_kind(bound["y0"].kind))
    at = shape_of(array_kind(bound["t_eval"].kind)) if "t_eval" in bound else None
    count = at[0] if at else None
    return Tuple((Array("float64", (count,)), Array(states(bound["y0"].kind, 1).dtype, (shape[0] if shape else None, count))))


_OPTIONS = "method='RK45', rtol=0.001, atol=1e-06, max_step=None, first_step=None"
plain(
    f"{HELPERS}trajectory(fun, t0, t1, y0, *args, t_eval=None, {_OPTIONS})",
    kind=_steps,
    derivative=Steps(),
    spelling="functional",
)


# --- odeint


@dataclass(frozen=True)
class Odeint(Trajectory):
    """``odeint``, whose solution has a row for each time."""

    params: tuple[str, ...] = ("y0", "t")
    options: tuple[str, ...] = ("rtol", "atol")

    def begin(self, app: Application) -> Value:
        return app.builder.call("operator.getitem", app.value("t"), Const(0))

    def settings(self, app: Application) -> dict[str, Value]:
        chosen = self.chosen(app)
        return {"method": Const("LSODA"), **{p: chosen.get(p, Const(1.49012e-8)) for p in self.options}}

    def pushforward(self, app: Application, dots: Mapping[str, Value]) -> Value:
        b, times, times_dot = app.builder, app.value("t"), dots.get("t")
        begin_dot = None if times_dot is None else b.call("operator.getitem", times_dot, Const(0))
        y_dot = self.moved(app, dots, times, begin_dot)
        if times_dot is not None:
            y_dot = self.with_slopes(app, y_dot, times, b.call("ndarray.T", app.value("out")), times_dot)
        return b.call("ndarray.T", y_dot)

    def pullbacks(self, app: Application, g: Value, params: list[str]) -> Iterator[tuple[str, Value]]:
        b, times = app.builder, app.value("t")
        y_bar = b.call("ndarray.T", g)
        found = self.pulled(app, y_bar, params, times)
        yield from ((p, app.mended(bar, p)) for p, bar in found.items() if p in params)
        if "t" in params:
            yield "t", self.times_bar(app, y_bar, times, b.call("ndarray.T", app.value("out")), found["y0"])


def _rows(bound: Bound) -> Kind:
    sizes = [shape_of(array_kind(bound[p].kind)) for p in ("t", "y0")]
    return Array("float64", tuple(shape[0] if shape else None for shape in sizes))


plain(
    "scipy.integrate.odeint(func, y0, t, *args, tfirst=False, rtol=None, atol=None, tcrit=None, h0=0.0, hmax=0.0, hmin=0.0, "
    "mxstep=0)",
    kind=_rows,
    derivative=Odeint(),
    spelling="functional",
)

plain(
    f"{HELPERS}trajectory_pushforward(tangent, t0, y0, times, args, y0_dot, dots, *, dtype='float64', {_OPTIONS}) -> fresh",
    kind=lambda bound: states(bound["y0"].kind, 2),
)
plain(f"{HELPERS}trajectory_pullback(fun, adjoint, t0, y0, times, args, y_bar, *, dtype='float64', {_OPTIONS}) -> fresh")
plain(f"{HELPERS}slopes(fun, times, y, args) -> fresh", kind=lambda bound: bound["y"].kind)
plain(f"{HELPERS}times_adjoint(fun, times, y, args, y_bar, y0_bar=None) -> fresh", kind=lambda _: TIMES)
plain(f"{HELPERS}ends_dot(times, t0_dot, t1_dot) -> fresh", kind=lambda _: TIMES)
plain("scipy.integrate.solve_ivp(fun, *args)")  # written as a trajectory where it is lowered

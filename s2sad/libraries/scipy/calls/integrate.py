"""``scipy.integrate``: integrals of functions, and solvers of initial value problems.

sol = solve_ivp(f, (t0, t1), y0, args=(k,))     ==>     t, y = trajectory(f, t0, t1, y0, k)
area = dblquad(f, a, b, lo, hi)[0]              ==>     area = quad(inner, a, b, ...)[0], where inner(x) is
                                                        quad(of_y, lo(x), hi(x), x, ...)[0]
"""

from __future__ import annotations

from typing import Any

from s2sad.frontend.entities import Entity, Static, Struct
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.handed_over import Handed, lift
from s2sad.frontend.lower.library_calls import Handler
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import FLOAT, Array, dtype_of
from s2sad.ir.nodes import Const, FunctionRef, Value
from s2sad.libraries.scipy.calls.functionals import (
    again,
    as_array,
    as_number,
    as_state,
    as_vector,
    further,
    handed,
    is_none,
    items_of,
    named,
    options,
    outcome,
)
from s2sad.libraries.scipy.rules.names import HELPERS
from s2sad.rules.kind_arrays import double_dtype
from s2sad.rules.kind_rules import shape_of

METHODS = ("RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA")
PRECISION = "epsabs epsrel limit points"


# --- integrals


def _quad(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    target = "scipy.integrate.quad"
    names = "func a b args full_output epsabs epsrel limit points weight wvar wopts maxp1 limlst complex_func"
    bound = named(ctx, target, names, args, kwargs, node)
    func, given = bound.pop("func"), further(bound.pop("args", Struct([])))
    limits = [ctx.value(bound.pop(name), node, "a limit") for name in ("a", "b")]
    chosen = options(ctx, target, bound, PRECISION, node, "maxp1 limlst")
    integrand = handed(ctx, func, [Value(FLOAT, "x")], given, as_number, node, "integrand")
    return _integral(ctx, integrand, limits, chosen, node)


def _integral(
    ctx: Lowering, integrand: Handed, limits: list[Value], chosen: dict[str, Value], node: Any
) -> Entity:
    """The integral and the estimate of its error."""
    functions, captured = lift(ctx, node, integrand)
    found = ctx.builder.call("scipy.integrate.quad", *functions, *limits, *captured, **chosen)
    return Struct([*items_of(ctx, found, None, None)])


def _quad_vec(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    target = "scipy.integrate.quad_vec"
    names = "f a b epsabs epsrel norm cache_size limit workers points quadrature full_output args"
    bound = named(ctx, target, names, args, kwargs, node)
    f, given = bound.pop("f"), further(bound.pop("args", Struct([])))
    limits = [ctx.value(bound.pop(name), node, "a limit") for name in ("a", "b")]
    chosen = options(ctx, target, bound, f"{PRECISION} norm quadrature", node, "cache_size workers")
    functions, captured = lift(
        ctx, node, handed(ctx, f, [Value(FLOAT, "x")], given, as_array, node, "integrand")
    )
    found = ctx.builder.call(target, *functions, *limits, *captured, **chosen)
    return Struct([*items_of(ctx, found, None, None)])


def _fixed_quad(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    """The sum that SciPy computes."""
    bound = named(ctx, "scipy.integrate.fixed_quad", "func a b args n", args, kwargs, node)
    a, b, n = (ctx.value(bound.get(name, Const(5)), node, "an argument") for name in ("a", "b", "n"))
    call = ctx.builder.call
    roots, weights = items_of(ctx, call("numpy.polynomial.legendre.leggauss", n), "roots", "weights")
    half = call("operator.truediv", call("operator.sub", b, a), Const(2.0))
    x = call("operator.add", call("operator.mul", half, call("operator.add", roots, Const(1))), a, name="x")
    value = as_array(
        ctx, apply(ctx, bound["func"], [x, *further(bound.get("args", Struct([])))], {}, node), node
    )
    total = call("numpy.sum", call("operator.mul", weights, value), axis=-1)
    return Struct([call("operator.mul", half, total), Const(None)])


def _dblquad(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    """An integral over x of integrals over y, as SciPy does it; the limits of y may be functions of x."""
    target = "scipy.integrate.dblquad"
    bound = named(ctx, target, "func a b gfun hfun args epsabs epsrel", args, kwargs, node)
    func, given = bound.pop("func"), further(bound.pop("args", Struct([])))
    inner_limits = [bound.pop(name) for name in ("gfun", "hfun")]
    limits = [ctx.value(bound.pop(name), node, "a limit") for name in ("a", "b")]
    chosen = options(ctx, target, bound, "epsabs epsrel", node)
    x, y = Value(FLOAT, "x"), Value(FLOAT, "y")

    def along_y() -> Value:
        ends = [e if isinstance(e, Value) else apply(ctx, e, [x], {}, node) for e in inner_limits]
        inner = handed(ctx, func, [y, x], given, as_number, node, "integrand", order=[y])
        found = _integral(ctx, inner, [ctx.value(e, node, "a limit") for e in ends], chosen, node)
        assert isinstance(found, Struct)
        return ctx.value(found.items[0], node)

    return _integral(ctx, Handed("integral_along_y", [x], along_y), limits, chosen, node)


# --- initial value problems


def _slope(
    ctx: Lowering, function: Entity, y0: Value, given: list[Entity], node: Any, time_first: bool = True
) -> tuple[list[FunctionRef], list[Value]]:
    """The right hand side of a differential equation, as a function of time and state."""
    dtype = double_dtype(dtype_of(y0.kind) or "float64")
    t, y = Value(FLOAT, "t"), Value(Array(dtype, shape_of(y0.kind) or (None,)), "y")
    order = (t, y) if time_first else (y, t)
    finish = as_state if dtype == "complex128" else as_vector
    return lift(ctx, node, handed(ctx, function, order, given, finish, node, "slope", order=(t, y)))


def _odeint(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    target = "scipy.integrate.odeint"
    names = (
        "func y0 t args Dfun col_deriv full_output ml mu rtol atol tcrit h0 hmax hmin ixpr mxstep mxhnil mxordn mxords "
        "printmessg tfirst"
    )
    bound = named(ctx, target, names, args, kwargs, node)
    func, given = bound.pop("func"), further(bound.pop("args", Struct([])))
    first = bound.pop("tfirst", Const(False))
    if not isinstance(first, Const):
        ctx.refuse(node, "a computed tfirst", "the order of the arguments must be known", "tfirst=True")
    y0, times = (as_vector(ctx, bound.pop(name), node) for name in ("y0", "t"))
    chosen = options(
        ctx, target, bound, "rtol atol tcrit h0 hmax hmin mxstep", node, "Dfun col_deriv ml mu mxordn mxords"
    )
    functions, captured = _slope(ctx, func, y0, given, node, bool(first.payload))
    return ctx.builder.call(target, *functions, y0, times, *captured, tfirst=True, **chosen)


def _solve_ivp(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    target = "scipy.integrate.solve_ivp"
    names = "fun t_span y0 method t_eval dense_output events vectorized args rtol atol max_step first_step jac jac_sparsity"
    bound = named(ctx, target, names, args, kwargs, node)
    given_args = bound.pop("args", Const(None))
    func, given = bound.pop("fun"), further(given_args)
    ends = [ctx.value(end, node, "an end") for end in _ends(ctx, bound.pop("t_span"), node)]
    y0 = as_state(ctx, bound.pop("y0"), node)
    method = bound.get("method")
    if isinstance(method, Static) and getattr(method.payload, "__name__", "") in METHODS:
        bound["method"] = Const(method.payload.__name__)
    elif method is not None and not (isinstance(method, Const) and method.payload in METHODS):
        ctx.refuse(
            node, "this method of solve_ivp", "only those of SciPy are known", f"one of {', '.join(METHODS)}"
        )
    at = bound.pop("t_eval", Const(None))
    if not is_none(at):
        bound["t_eval"] = as_vector(ctx, at, node)
    dense = bound.get("dense_output")
    continued = isinstance(dense, Const) and dense.payload is True
    if continued:
        del bound["dense_output"]
    chosen = options(
        ctx, target, bound, "method t_eval rtol atol max_step first_step", node, "jac jac_sparsity"
    )
    functions, captured = _slope(ctx, func, y0, given, node)
    found = ctx.builder.call(f"{HELPERS}trajectory", *functions, *ends, y0, *captured, **chosen)
    t, y = items_of(ctx, found, "t", "y")
    if not continued:
        return outcome(ctx, t=t, y=y, success=Const(True), status=Const(0))
    from s2sad.libraries.scipy.prelude.integrate import Solution

    form = Static(Solution, f"{Solution.__module__}.Solution")
    more: dict[str, Entity] = {name: value for name, value in chosen.items() if name != "t_eval"}
    sol = apply(ctx, form, [func, *ends, y0, given_args if not is_none(given_args) else Struct([])], more, node)
    return outcome(ctx, t=t, y=y, success=Const(True), status=Const(0), sol=sol)


def _ends(ctx: Lowering, span: Entity, node: Any) -> list[Entity]:
    if isinstance(span, Struct) and len(span.items) == 2:
        return list(span.items)
    value = ctx.value(span, node, "the span of time")
    return [ctx.builder.call("operator.getitem", value, Const(k)) for k in range(2)]


TABLE: dict[str, Handler] = {
    "scipy.integrate.quad": _quad,
    "scipy.integrate.quad_vec": _quad_vec,
    "scipy.integrate.fixed_quad": _fixed_quad,
    "scipy.integrate.dblquad": _dblquad,
    "scipy.integrate.odeint": _odeint,
    "scipy.integrate.solve_ivp": _solve_ivp,
    f"{HELPERS}trajectory": again("trajectory"),
}

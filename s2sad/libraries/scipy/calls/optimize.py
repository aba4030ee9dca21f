"""``scipy.optimize``: roots, and minima, which are roots of a gradient that is derived here.

x = brentq(lambda x: x**3 - c, 0, 2)      ==>     x = brentq(residual, 0, 2, c)
res = minimize(f, x0, args=(c,))          ==>     x, success = minimum_of(f, x0, c, slope=f_gradient)
                                                  res.fun is f(x, c)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from s2sad.frontend.entities import Entity, Static, Struct, Top
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.handed_over import Handed, lift, parameter_names
from s2sad.frontend.lower.library_calls import Handler
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import FLOAT, Array, Kind, Scalar
from s2sad.ir.nodes import Const, FunctionRef, Value
from s2sad.libraries.scipy.calls.functionals import (
    Finish,
    again,
    as_array,
    as_number,
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
from s2sad.rules.kind_rules import shape_of


def _unknown(start: Value) -> Value:
    """The unknown of a search, of the kind of its start."""
    shape = shape_of(start.kind)
    kind: Kind = FLOAT if isinstance(start.kind, Scalar) else Array("float64", shape)
    return Value(kind, "x")


def _same(start: Value) -> Finish:
    """The finish that gives the residual the form of the unknown."""
    return as_number if isinstance(start.kind, Scalar) else as_vector


def _with_slopes(
    ctx: Lowering, residual: Handed, bound: dict[str, Entity], x: Value, given: list[Entity], node: Any
) -> tuple[list[FunctionRef], list[Value], dict[str, Value]]:
    """A residual lifted along with its derivatives, where the solver is given these."""
    names = [
        name for name in ("fprime", "fprime2", "jac") if name in bound and not isinstance(bound[name], Value)
    ]
    makers = [
        handed(
            ctx,
            bound.pop(name),
            [Value(x.kind, "x")],
            given,
            as_array,
            node,
            f"{residual.name}_{name}",
        )
        for name in names
    ]
    (first, *others), captured = lift(ctx, node, residual, *makers)
    return [first], captured, dict(zip(names, others, strict=True))


# --- roots of one number


def _bracketed(name: str) -> Handler:
    target = f"scipy.optimize.{name}"
    names = f"f a b args {'k ' if name == 'toms748' else ''}xtol rtol maxiter full_output disp"

    def handler(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
        bound = named(ctx, target, names, args, kwargs, node)
        f, given = bound.pop("f"), further(bound.pop("args", Struct([])))
        bracket = [ctx.value(bound.pop(end), node, "an end") for end in ("a", "b")]
        chosen = options(ctx, target, bound, "k xtol rtol maxiter disp", node)
        functions, captured = lift(
            ctx, node, handed(ctx, f, [Value(FLOAT, "x")], given, as_number, node, "residual")
        )
        return ctx.builder.call(target, *functions, *bracket, *captured, **chosen)

    return handler


def _root_scalar(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    target = "scipy.optimize.root_scalar"
    names = "f args method bracket fprime fprime2 x0 x1 xtol rtol maxiter options"
    bound = named(ctx, target, names, args, kwargs, node)
    f, given, x = bound.pop("f"), further(bound.pop("args", Struct([]))), Value(FLOAT, "x")
    residual = handed(ctx, f, [x], given, as_number, node, "residual")
    functions, captured, slopes = _with_slopes(ctx, residual, bound, x, given, node)
    chosen = options(ctx, target, bound, "method bracket x0 x1 xtol rtol maxiter options", node)
    found = ctx.builder.call(f"{HELPERS}scalar_root_of", *functions, *captured, **slopes, **chosen)
    root, converged = items_of(ctx, found, "root", "converged")
    return outcome(ctx, root=root, converged=converged)


# --- roots of numbers and arrays


def _from_start(name: str, names: str, known: str) -> Handler:
    """Solvers that return the solution itself, and begin with x0."""
    target = f"scipy.optimize.{name}"

    def handler(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
        bound = named(ctx, target, names, args, kwargs, node)
        func, given = bound.pop("func"), further(bound.pop("args", Struct([])))
        start = (as_vector if name == "fsolve" else as_array)(ctx, bound.pop("x0"), node)
        x = _unknown(start)
        residual = handed(ctx, func, [x], given, _same(start), node, "residual")
        functions, captured, slopes = _with_slopes(ctx, residual, bound, x, given, node)
        chosen = options(ctx, target, bound, known, node)
        return ctx.builder.call(target, *functions, start, *captured, **slopes, **chosen)

    return handler


def _root(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    target = "scipy.optimize.root"
    bound = named(ctx, target, "fun x0 args method jac tol callback options", args, kwargs, node)
    func, given = bound.pop("fun"), further(bound.pop("args", Struct([])))
    start = as_vector(ctx, bound.pop("x0"), node)
    x = _unknown(start)
    residual = handed(ctx, func, [x], given, as_vector, node, "residual")
    functions, captured, slopes = _with_slopes(ctx, residual, bound, x, given, node)
    chosen = options(ctx, target, bound, "method tol options", node)
    found = ctx.builder.call(f"{HELPERS}root_of", *functions, start, *captured, **slopes, **chosen)
    solution, success = items_of(ctx, found, "x", "success")
    return outcome(ctx, x=solution, success=success)


# --- minima


def _lift_with_gradient(
    ctx: Lowering, node: Any, objective: Handed, *others: Handed
) -> tuple[list[FunctionRef], list[Value], FunctionRef]:
    """Functions that are handed over, and the gradient of the first."""
    functions, captured = lift(ctx, node, objective, *others)
    first = functions[0].function
    slope = ctx.program.gradient(first, ctx.program.unique(f"{objective.name}_gradient"))
    ctx.program.wished[slope] = f"{objective.name}_gradient"
    return functions, captured, FunctionRef(slope)


def _minimize(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    target = "scipy.optimize.minimize"
    names = "fun x0 args method jac hess hessp bounds constraints tol callback options"
    bound = named(ctx, target, names, args, kwargs, node)
    func, given = bound.pop("fun"), further(bound.pop("args", Struct([])))
    start = as_vector(ctx, bound.pop("x0"), node)
    constraints = bound.pop("constraints", Struct([]))
    if not is_none(constraints) and not (isinstance(constraints, Struct) and not constraints.items):
        ctx.refuse(
            node, "minimize with constraints", "no rule is written for it", "a penalty, or fewer variables"
        )
    jac = bound.pop("jac", Const(None))
    pair = isinstance(jac, Const) and jac.payload is True
    x = _unknown(start)
    parts = [handed(ctx, func, [x], given, _item(0) if pair else as_number, node, "objective")]
    if pair or not isinstance(jac, Value):
        slope_of = func if pair else jac
        finish = _item(1) if pair else as_array
        made = handed(ctx, slope_of, [Value(x.kind, "x")], given, finish, node, "objective_jac")
        parts.append(Handed(f"{parts[0].name}_jac", made.own, made.body))
    elif not is_none(jac):
        bound["jac"] = jac
    functions, captured, slope = _lift_with_gradient(ctx, node, *parts)
    chosen = options(ctx, target, bound, "method jac bounds tol options", node)
    if functions[1:]:
        chosen["jac"] = functions[1]
    found = ctx.builder.call(f"{HELPERS}minimum_of", functions[0], start, *captured, slope=slope, **chosen)
    solution, success = items_of(ctx, found, "x", "success")
    least = apply(ctx, func, [solution, *given], {}, node)
    return outcome(ctx, x=solution, success=success, fun=_item(0)(ctx, least, node) if pair else least)


def _item(k: int) -> Finish:
    """One of the two things that an objective with ``jac=True`` returns."""

    def finish(ctx: Lowering, entity: Entity, node: Any) -> Value:
        if not isinstance(entity, Struct) or len(entity.items) != 2:
            ctx.refuse(node, "jac=True", "the function does not return a pair", "return value, gradient")
        return (as_array if k else as_number)(ctx, entity.items[k], node)

    return finish


def _minimize_scalar(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    target = "scipy.optimize.minimize_scalar"
    bound = named(ctx, target, "fun bracket bounds args method tol options", args, kwargs, node)
    func, given = bound.pop("fun"), further(bound.pop("args", Struct([])))
    objective = handed(ctx, func, [Value(FLOAT, "x")], given, as_number, node, "objective")
    functions, captured, slope = _lift_with_gradient(ctx, node, objective)
    chosen = options(ctx, target, bound, "bracket bounds method tol options", node)
    found = ctx.builder.call(f"{HELPERS}scalar_minimum_of", *functions, *captured, slope=slope, **chosen)
    solution, success = items_of(ctx, found, "x", "success")
    return outcome(ctx, x=solution, success=success, fun=apply(ctx, func, [solution, *given], {}, node))


# --- least squares


def _fitted(
    ctx: Lowering,
    residuals: Callable[[Value], Value],
    start: Value,
    jac: list[Handed],
    chosen: dict[str, Value],
    node: Any,
) -> tuple[Value, Value]:
    """Where the sum of squares is least, and whether the search has found it."""
    x, y = _unknown(start), _unknown(start)

    def half_squares() -> Value:
        value = residuals(x)
        return ctx.builder.call("operator.mul", Const(0.5), ctx.builder.call("numpy.vdot", value, value))

    parts = [Handed("half_squares", [x], half_squares), Handed("residuals", [y], lambda: residuals(y)), *jac]
    (_, *given), captured, slope = _lift_with_gradient(ctx, node, *parts)
    if given[1:]:
        chosen = {**chosen, "jac": given[1]}
    found = ctx.builder.call(f"{HELPERS}least_squares_of", given[0], start, *captured, slope=slope, **chosen)
    solution, success = items_of(ctx, found, "x", "success")
    return solution, success


def _least_squares(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    target = "scipy.optimize.least_squares"
    names = (
        "fun x0 jac bounds method ftol xtol gtol x_scale loss f_scale diff_step tr_solver tr_options jac_sparsity "
        "max_nfev verbose args kwargs"
    )
    bound = named(ctx, target, names, args, kwargs, node)
    func, given = bound.pop("fun"), further(bound.pop("args", Struct([])))
    start = as_vector(ctx, bound.pop("x0"), node)
    loss = bound.pop("loss", Const("linear"))
    if not isinstance(loss, Const) or loss.payload != "linear":
        ctx.refuse(node, "this loss", "no rule is written for it", "loss='linear'")
    jac: list[Handed] = []
    if "jac" in bound and not isinstance(bound["jac"], Value):
        x = Value(_unknown(start).kind, "x")
        jac = [handed(ctx, bound.pop("jac"), [x], given, as_array, node, "residuals_jac")]
    chosen = options(
        ctx,
        target,
        bound,
        "jac bounds method ftol xtol gtol x_scale diff_step max_nfev",
        node,
        "f_scale verbose",
    )

    def residuals(x: Value) -> Value:
        return as_vector(ctx, apply(ctx, func, [x, *given], {}, node), node)

    solution, success = _fitted(ctx, residuals, start, jac, chosen, node)
    rest = residuals(solution)
    cost = ctx.builder.call("operator.mul", Const(0.5), ctx.builder.call("numpy.vdot", rest, rest))
    return outcome(ctx, x=solution, success=success, fun=rest, cost=cost)


def _curve_fit(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    target = "scipy.optimize.curve_fit"
    names = "f xdata ydata p0 sigma absolute_sigma check_finite bounds method jac"
    bound = named(ctx, target, names, args, kwargs, node)
    f, places = bound.pop("f"), bound.pop("xdata")
    data, p0 = as_vector(ctx, bound.pop("ydata"), node), bound.pop("p0", Const(None))
    start = as_vector(ctx, Const((1.0,) * len(parameter_names(f)[1:])) if is_none(p0) else p0, node)
    sigma = bound.pop("sigma", Const(None))
    count = (shape_of(start.kind) or (None,))[0]
    if not isinstance(count, int) or count == 0:
        ctx.refuse(
            node,
            "this curve_fit",
            "how many parameters there are is not known",
            "p0=[...] with as many numbers",
        )
    chosen = options(ctx, target, bound, "bounds method", node, "absolute_sigma check_finite")
    if not {"bounds", "method"} & set(chosen):
        chosen["method"] = Const("lm")

    def residuals(p: Value) -> Value:
        items: list[Entity] = [ctx.builder.call("operator.getitem", p, Const(k)) for k in range(count)]
        model = ctx.value(apply(ctx, f, [places, *items], {}, node), node, "what the function returns")
        rest = ctx.builder.call("operator.sub", model, data)
        return (
            rest if is_none(sigma) else ctx.builder.call("operator.truediv", rest, as_vector(ctx, sigma, node))
        )

    solution, _ = _fitted(ctx, residuals, start, [], chosen, node)
    return Struct([solution, Top("the covariance of a fit has no rule yet")])


# --- our own: solutions that a solver of the user's finds


def solved(name: str, ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    """``root``, ``fixed_point`` and ``argmin`` of s2sad: ``root(f, start, *args, solver=...)``."""
    if len(args) < 2 or set(kwargs) - {"solver"}:
        ctx.refuse(node, f"this call of {name}", "a function and a start are expected", f"{name}(f, start, *args, solver=None)")
    if "solver" in kwargs and not isinstance(kwargs["solver"], Value | Static):
        ctx.refuse(node, f"this solver of {name}", "it is made where it is used", "a function of a module")
    func, start, *given = args
    begin = as_array(ctx, start, node)
    x = _unknown(begin)
    chosen = options(ctx, name, {k: v for k, v in kwargs.items() if not is_none(v)}, "solver", node)
    if name == "argmin":
        objective = handed(ctx, func, [x], given, as_number, node, "objective")
        functions, captured, chosen["slope"] = _lift_with_gradient(ctx, node, objective)
        chosen |= {} if "solver" in chosen else {"gradient": chosen["slope"]}
    else:
        functions, captured = lift(ctx, node, handed(ctx, func, [x], given, _same(begin), node, "residual"))
    target = {"root": "solved_root", "fixed_point": "solved_fixed_point", "argmin": "solved_minimum"}[name]
    return ctx.builder.call(f"{HELPERS}{target}", *functions, begin, *captured, **chosen)


_NEWTON = "func x0 fprime args tol maxiter fprime2 x1 rtol full_output disp"
_FSOLVE = "func x0 args fprime full_output col_deriv xtol maxfev band epsfcn factor diag"
TABLE: dict[str, Handler] = {
    **{
        f"scipy.optimize.{name}": _bracketed(name)
        for name in ("brentq", "brenth", "bisect", "ridder", "toms748")
    },
    "scipy.optimize.newton": _from_start("newton", _NEWTON, "tol maxiter x1 rtol disp"),
    "scipy.optimize.fsolve": _from_start("fsolve", _FSOLVE, "col_deriv xtol maxfev epsfcn factor"),
    "scipy.optimize.fixed_point": _from_start(
        "fixed_point", "func x0 args xtol maxiter method", "xtol maxiter method"
    ),
    "scipy.optimize.root_scalar": _root_scalar,
    "scipy.optimize.root": _root,
    "scipy.optimize.minimize": _minimize,
    "scipy.optimize.minimize_scalar": _minimize_scalar,
    "scipy.optimize.least_squares": _least_squares,
    "scipy.optimize.curve_fit": _curve_fit,
    **{f"{HELPERS}{name}": again(name) for name in ("root_of", "scalar_root_of", "minimum_of")},
    **{f"{HELPERS}{name}": again(name) for name in ("scalar_minimum_of", "least_squares_of")},
    **{f"s2sad.libraries.scipy.{name}": partial(solved, name) for name in ("root", "fixed_point", "argmin")},
    **{f"{HELPERS}solved_{name}": again(f"solved_{name}") for name in ("root", "fixed_point", "minimum")},
}

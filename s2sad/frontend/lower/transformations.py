"""Derivatives in a program that is differentiated itself: ``grad(f)(x)``, ``jvp(f, (x,), (v,))``, ``pullback(seed)`` ...

    def inner(w): return np.sum((w - theta) ** 2)           # what is called is lowered where it is called, as a function of
    w = w - 0.1 * grad(inner)(w)                            # its arguments and of what it sees; its derivative is derived,
                                                            # and written out in place of the call:
    w_bar = 2.0 * (w - theta)
    w = w - 0.1 * w_bar                                     # a program like others: theta reaches w

There is nothing that could confuse the perturbations of nested derivatives: each has variables of its own.

A derivative that is not called yet is a ``partial`` of what is asked, ``Asked``, with the function.
"""

from __future__ import annotations

import functools
import itertools
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import gast
import numpy as np

from s2sad import runtime
from s2sad.frontend import observe
from s2sad.frontend.entities import (
    Asked,
    Closure,
    Entity,
    Method,
    Partial,
    Record,
    Static,
    Struct,
    Top,
    flatten,
    rebuild,
    structure_entity,
    structure_of,
    values_of,
)
from s2sad.frontend.lower import recomputed
from s2sad.frontend.lower import transformation_programs as programs
from s2sad.frontend.lower.copying import as_now
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.functions import keep_default, returned_leaves
from s2sad.frontend.lower.handed_over import (
    captured_by,
    function_name,
    function_of,
    lowered_block,
    parameter_names,
)
from s2sad.frontend.lower.library_calls import handler_of
from s2sad.frontend.lower.maps import as_map
from s2sad.frontend.lower.maybe import is_none
from s2sad.frontend.lower.objects import reached
from s2sad.frontend.lower.parts import as_record, as_struct, take_apart, whole
from s2sad.frontend.lower.prelude_calls import program
from s2sad.frontend.lower.raveling import raveled, unraveled
from s2sad.frontend.lower.state import Key, Lowering
from s2sad.frontend.resolve import entity_of
from s2sad.ir.alike import form_of
from s2sad.ir.code import signature_of
from s2sad.ir.kinds import (
    FLOAT,
    FUNCTION,
    NONE,
    STR,
    Array,
    Kind,
    Lasting,
    List,
    Scalar,
    Singleton,
    StructKind,
    Tuple,
    dtype_of,
    is_differentiable,
    is_fixed,
    rank_of,
)
from s2sad.ir.nodes import Block, Const, Function, Global, Structure, Value
from s2sad.ir.walk import calls_within, end_at_raise, ops_of
from s2sad.rules.structures import put_together, take_item
from s2sad.rules.transformations import name_of
from s2sad.runtime.structures import is_record

SOLVERS = "s2sad.libraries.scipy"  # the room of root, fixed_point and argmin, which SciPy solves
DECISIVE = ("wrt", "of", "has_aux", "mode")
FILES_ONLY = ("backend", "parallel", "fastmath", "style", "cache_dir", "chunk_size")
MAKERS = ("checkpoint", "grad", "value_and_grad", "jacobian", "value_and_jacobian", "jacfwd", "jacrev", "hessian")


asked = functools.lru_cache(maxsize=None)(Asked)  # the same settings are the same object


@dataclass(eq=False)
class Inner:
    """A function of a call as one of its own: of its arguments and of what it sees; ``inputs`` are to be differentiated."""

    function: Function
    values: list[Value]
    inputs: tuple[str, ...]
    structure: Structure
    arguments: list[str | None]  # the parameters of what the call gives; None for what is known at compile time
    own: frozenset[int]  # which of the parameters are arguments, that it may change: not the defaults of the program
    left: Left  # what it leaves other than it was
    given: list[Entity]  # what the values are of


@dataclass(eq=False)
class Left:
    """The traces of a function that runs once: variables that it binds, and arrays and lists from outside that it writes into.

    What they are afterwards are further results, behind its own.
    """

    variables: dict[Key, Entity] = field(default_factory=dict)
    written: list[Value] = field(default_factory=list)

    def values(self) -> list[Value]:
        """The values that variables are bound to."""
        return [leaf for entity in self.variables.values() for leaf in values_of(entity)]


def written_out(
    ctx: Lowering, function: Static, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity | None:
    """The result of a call of one of our functions, or of a derivative; None for other calls."""
    payload = function.payload
    if isinstance(payload, Asked):
        return CALLED[payload.name](ctx, payload, args, kwargs, node)
    method = name_of(getattr(payload, "__func__", None))
    if method is not None:
        owner = payload.__self__
        settings: dict[str, Entity] = {name: Static(value) for name, value in owner.settings_for(method).items()}
        made = payload.__func__.__name__ not in MAKERS
        own = {**settings, **kwargs} if made else settings
        found = _transformed(ctx, method, [_behind(owner, f"{function.path}.__self__"), *(args if made else [])], own, node)
        return found if made else apply(ctx, found, args, kwargs, node)
    if isinstance(payload, Lasting) and payload.transformation is not None:
        settings = {name: Static(value) for name, value in payload.transformation[1].items()}
        ready = _transformed(ctx, payload.transformation[0], [_behind(payload, function.path)], settings, node)
        return apply(ctx, ready, args, kwargs, node)
    name = name_of(payload)
    solved = handler_of(f"{SOLVERS}.{name}") if name in ("root", "fixed_point", "argmin") else None
    if solved is not None:
        return solved(ctx, args, kwargs, node)
    return None if name is None else _transformed(ctx, name, args, kwargs, node)


def _behind(derived: Any, path: str) -> Static:
    """The function behind a derivative: of a partial, or of an object that is called, the function that calls it."""
    function = derived.function
    called = isinstance(function, functools.partial) or is_record(function)
    called = called and hasattr(derived, "derivatives")
    return Static(observe.renewed(derived.derivatives.function)) if called else reached(path, "function", function)


def _transformed(
    ctx: Lowering, name: str, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity:
    if name in MAKERS:
        given = dict(kwargs) | ({"wrt": args[1]} if len(args) > 1 else {})
        settings = _settings(ctx, given, node)
        if name in ("jacfwd", "jacrev"):
            name, settings["mode"] = "jacobian", name[3:]
        return Partial(Static(asked(name, **settings)), [args[0]], {})
    if name == "vmap":
        return _vmap(ctx, args, kwargs, node)
    if name == "linearize":
        return _linearize(ctx, args, _settings(ctx, kwargs, node, {"wrt": None}), node)
    if name == "stop_gradient":
        return apply(ctx, Static(runtime.stop_gradient, "s2sad.runtime.stop_gradient"), args, kwargs, node)
    if name == "ravel" and len(args) == 1 and not kwargs:
        return raveled(ctx, args, node)
    if name not in CALLED:
        ctx.refuse(node, f"a call of {name}", "it is not followed there", "a call of it outside")
    if name == "vjp":
        return _vjp(ctx, args, _settings(ctx, kwargs, node, {"wrt": None}), node)
    if len(args) != 3:
        ctx.refuse(node, f"this call of {name}", f"{len(args)} arguments are given by position", f"{name}(f, primals, tangents)")
    return CALLED[name](ctx, asked(name, **_settings(ctx, kwargs, node, {"wrt": None})), args, {}, node)


def _settings(ctx: Lowering, given: dict[str, Entity], node: gast.AST, defaults: Mapping[str, Any] = {}) -> dict[str, Any]:
    """The settings that decide what is derived, as they are known now; those of FILES_ONLY do not."""
    found = {name: _literal(ctx, entity, node) for name, entity in given.items()}
    for name, value in found.items():
        if name not in (*DECISIVE, *FILES_ONLY) and value is not False:
            ctx.refuse(node, f"{name}={value!r}", "it is followed outside of such functions only", f"a call without {name}")
    if isinstance(found.get("wrt"), list):
        found["wrt"] = tuple(found["wrt"])
    return {**defaults} | {name: found[name] for name in DECISIVE if name in found}


def _literal(ctx: Lowering, entity: Entity, node: gast.AST) -> Any:
    if isinstance(entity, Const | Static) or (isinstance(entity, Global) and entity.resolved):
        return entity.payload
    if isinstance(entity, Struct):
        return tuple(_literal(ctx, item, node) for item in entity.items)
    ctx.refuse(node, "this setting of a derivative", "it is not known before the program runs", "a constant")


# --- functions of their arguments


def _inner(
    ctx: Lowering, function: Entity, ask: Asked, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST, once: bool = False
) -> Inner:
    """The function of a call, lowered where it is called: its values are parameters, and so is what it sees.

    ``once``: its derivative is taken here, and it runs once for it, so that it may count in objects outside.
    """
    names = _parameters(function)
    given: dict[str, Entity] = {}
    for k, entity in enumerate(args):
        given[names[k] if k < len(names) else f"args_{k}"] = entity
    given |= kwargs
    called_with = list(given)
    given |= {name: entity for name, entity in _defaults(function).items() if name not in given}
    wanted = _wanted(ctx, function, ask, list(given), [*map(str, given)], given, node)
    own: dict[str, Value] = {}
    outside: dict[str, Value] = {}
    for name, entity in given.items():
        if all(isinstance(leaf, Static | Closure | Partial | Method | Const) for leaf in flatten(entity)) and name not in wanted:
            continue
        outside[name] = whole(ctx, entity, node)
        own[name] = Value(_knowing(as_struct(ctx, entity), outside[name].kind), name)
    if ask.of is not None and ask.of not in own:
        ctx.refuse(node, f"of={ask.of!r}", f"{_name(function)} is given no array of that name", f"one of {', '.join(own)}")
    structure = Structure("leaf")
    kept = [name for name, entity in given.items() if entity in ctx.program.defaults]

    def body() -> list[Value]:
        nonlocal structure
        entities = {n: as_map(ctx, take_apart(ctx, own[n]), n) if n in own else e for n, e in given.items()}
        for name in own:
            _stand_for(ctx, entities[name], given[name])
        for name in kept:
            keep_default(ctx, entities[name])
        count = len(args)
        result = apply(ctx, function, list(entities.values())[:count], dict(list(entities.items())[count:]), node)
        result = Const(0.0) if end_at_raise(ctx.builder.block) else result  # which nobody sees
        returned, structure = returned_leaves(ctx, result)
        return returned

    left = Left()
    once = once and ask.of is None
    block: Block = lowered_block(ctx, _name(function), list(own.values()), body, node, left.variables if once else None)
    block.yields += left.values()
    captured = captured_by(list(own.values()), block)
    made = function_of(ctx.program.unique(_name(function)), list(own.values()), block, captured)
    made.file, made.returns, made.called = ctx.frame.source.file, structure, _called(function)
    unfinished = [c.placeholder for c in ctx.program.callees.values() if c.function is None and c.placeholder is not None]
    if unfinished and any(op.callee in unfinished for op in calls_within(block)):
        why = "it calls a function within whose recursion the derivative is taken"
        ctx.refuse(node, f"a derivative of {_name(function)} here", why, "a loop, or the functions in a list: fs.append(...)")
    ctx.program.settle(made)
    if once:
        left.written = _written(ctx, made, captured, left)
        made.returns = Structure("tuple", (structure, *(Structure() for _ in made.body.yields[structure.leaves() :])))
    inputs = tuple(made.params[list(own).index(name)].name for name in wanted)
    table = dict(zip(own, (p.name for p in made.params), strict=False))
    free = frozenset(k for k, name in enumerate(own) if name not in kept) | {
        len(own) + captured.index(value) for value in left.written
    }
    seen = [*(given[name] for name in own), *captured]
    places = [table.get(name) for name in called_with]
    return Inner(made, [*outside.values(), *captured], inputs, structure, places, free, left, seen)


def _stand_for(ctx: Lowering, made: Entity, given: Entity) -> None:
    """Note which objects those are that a function gets, though it gets them as what they hold."""
    if isinstance(made, Struct) and isinstance(given, Struct):
        for item, one in zip(made.items, given.items, strict=False):
            _stand_for(ctx, item, one)
    if not isinstance(made, Record) or not isinstance(given, Record):
        return
    made.stands_for = given.stands_for or given
    for key in made.keys:
        if (given, key) in ctx.variables:
            _stand_for(ctx, ctx.variables[made, key], ctx.variables[given, key])


def _knowing(entity: Entity, kind: Kind) -> Kind:
    """The kind of an entity, with what is known of it: the functions, members of enumerations and flags that it holds."""
    if isinstance(entity, Struct) and isinstance(kind, Tuple | StructKind) and len(entity.items) == len(kind.items):
        return replace(kind, items=tuple(map(_knowing, entity.items, kind.items)))
    if isinstance(entity, Static) and is_fixed(entity.payload):
        return Singleton(str(kind), entity.payload)
    if isinstance(entity, Const) and type(entity.payload) in observe.FLAGS:
        return Singleton(f"always {entity.payload!r}", entity.payload)
    return kind


def _written(ctx: Lowering, made: Function, captured: list[Value], left: Left) -> list[Value]:
    """The arrays and lists from outside that a function writes into; it now returns what is in them afterwards."""
    first = len(made.params) - len(captured)
    places = sorted(k for k in ctx.program.written(made, len(left.values())) if k >= first)
    kept = [k for k in places if _can_be_renewed(made.values[k].kind) or _may_be_renewed(ctx, made, k, captured[k - first])]
    made.body.yields += [made.values[k] for k in kept]
    return [captured[k - first] for k in kept]


def _can_be_renewed(kind: Kind) -> bool:
    """Test for what can be written again as a whole: an array, or a list of what is nothing but its value."""
    return isinstance(kind, Array) or isinstance(kind, List) and _is_value(kind.item)


def _may_be_renewed(ctx: Lowering, made: Function, place: int, value: Value) -> bool:
    """Test for a list of arrays, made in this block, that can be written again as long as nobody writes into its arrays: what
    has other names would not see that (``pipeline``)."""
    kind = made.values[place].kind
    found = type(kind) is List and isinstance(kind.item, Array) and ctx.builder.maker(value) is not None
    return found and not ctx.program.writes_items(made, made.values[place])


def _is_value(kind: Kind) -> bool:
    """Test for what is nothing but its value: numbers, text, None, tuples of those."""
    if isinstance(kind, Tuple):
        return not kind.listed and all(map(_is_value, kind.items))
    return isinstance(kind, Scalar) or kind in (STR, NONE)


def _written_out_once(
    ctx: Lowering, inner: Inner, main: Function, values: list[Value], node: gast.AST
) -> list[Value]:
    """The results of a derivative, which runs here; what the function leaves behind is left here, too."""
    first = len(ctx.builder.block.ops)
    results = ctx.builder.write_out(main, values)
    left, count = inner.left, inner.structure.leaves()
    if not left.variables and not left.written:
        return results
    ctx.program.leaving.update(ops_of(Block(ops=ctx.builder.block.ops[first:])))
    total = count + len(left.values()) + len(left.written)
    leaves = iter(results[count:total])
    for key, entity in left.variables.items():
        ctx.variables[key] = entity if isinstance(entity, Top) else rebuild(entity, leaves)
    for value, contents in zip(left.written, leaves, strict=True):
        if isinstance(value.kind, Array):
            ctx.builder.call("operator.setitem", value, Const(...), contents)
        else:
            renewed = programs.renewed_keys if value.kind.keyed else programs.renewed
            program(ctx, renewed, [value, contents], node)
            if not _can_be_renewed(value.kind):
                ctx.program.renewed.append(value)
    return [*results[:count], *results[total:]]


def _defaults(function: Entity) -> dict[str, Entity]:
    """The defaults of a function that is known."""
    if isinstance(function, Closure):
        return dict(function.defaults)
    payload = getattr(function.payload, "function", function.payload) if isinstance(function, Static) else None
    payload = observe.unwrap(payload)
    if not isinstance(payload, types.FunctionType):
        return {}
    code = payload.__code__
    found = {n: observe.default(payload, n) for n in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]}
    return {name: entity_of(value, "") for name, value in found.items() if isinstance(value, float | int | complex | str)}


def _wanted(
    ctx: Lowering, function: Entity, ask: Asked, names: list[str], shown: list[str], given: dict[str, Entity], node: gast.AST
) -> list[str]:
    """The names of the arguments to be differentiated."""
    if ask.wrt is None:
        values = [n for n in names if isinstance(given[n], Value | Struct | Record)]
        return [n for n in values if is_differentiable(whole(ctx, given[n], node).kind)]
    found: list[str] = []
    for item in ask.wrt if isinstance(ask.wrt, tuple) else (ask.wrt,):
        name = names[item] if isinstance(item, int) and -len(names) <= item < len(names) else item
        if name not in names:
            ctx.refuse(
                node, f"the derivative of {_name(function)} with respect to {item!r}",
                "in a differentiated function only derivatives with respect to arguments are followed",
                f"one of {', '.join(shown)}; pass what is differentiated as an argument",
            )  # fmt: skip
        if not is_differentiable(whole(ctx, given[name], node).kind):
            ctx.refuse(node, f"the derivative of {_name(function)} with respect to {name!r}", "it has no derivative", "a float")
        found.append(str(name))
    return found


def _parameters(function: Entity) -> list[str]:
    """The names of the positional parameters of what is differentiated; a derivative has those of its function."""
    if _known(function) is not None:
        return []
    if _is_derivative(function):
        return _parameters(function.args[0])  # type: ignore[union-attr]
    if not isinstance(function, Static):
        return [] if isinstance(function, Method) else parameter_names(function)
    try:
        parameters = signature_of(function.payload).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def _is_derivative(function: Entity) -> bool:
    inner = function.function if isinstance(function, Partial) else None
    return isinstance(inner, Static) and isinstance(inner.payload, Asked)


def _known(function: Entity) -> Inner | None:
    """The function that a pullback or push is of."""
    known = function.function if isinstance(function, Partial) else None
    return known.payload.inner if isinstance(known, Static) and isinstance(known.payload, Asked) else None


def _name(function: Entity) -> str:
    inner = _known(function)
    if inner is not None:
        return f"{inner.function.title}_pullback"
    if isinstance(function, Partial) and isinstance(function.function, Static) and isinstance(function.function.payload, Asked):
        return f"{_name(function.args[0])}_{function.function.payload.name}"
    return function_name(function, "function")


def _called(function: Entity) -> str:
    """The name of what a function, or a derivative, is of."""
    inner = _known(function)
    if inner is not None:
        return inner.function.title
    return _called(function.args[0]) if isinstance(function, Partial) and _is_derivative(function) else _name(function)


def _derivative(ctx: Lowering, result: Value) -> Entity:
    """An adjoint that a derivative program gives, which has the structure of what it is the adjoint of."""
    result.kind = _without_values(result.kind)
    return take_apart(ctx, result)


def _without_values(kind: Kind) -> Kind:
    """The kind of an adjoint, by that of what it is the adjoint of: there is none of functions, members and text that are known,
    and that of a flag is zero."""
    if isinstance(kind, Singleton):
        return FLOAT if type(kind.payload) in (bool, int) else NONE
    return kind.mapped(_without_values)


def _value(ctx: Lowering, inner: Inner, results: list[Value]) -> Entity:
    return as_record(ctx, rebuild(structure_entity(inner.structure), iter(results)))


def _outputs(ctx: Lowering, inner: Inner, ask: Asked, node: gast.AST) -> tuple[int, ...]:
    """The leaves of what the function returns that are differentiated, by number."""
    count = inner.structure.leaves()
    if ask.has_aux:
        if inner.structure.kind != "tuple" or len(inner.structure.items) != 2:
            why = f"{inner.function.title} does not return a pair"
            ctx.refuse(node, "has_aux=True here", why, "return value, aux")
        count = inner.structure.items[0].leaves()
    return tuple(k for k in range(count) if is_differentiable(inner.function.body.yields[k].kind))


# --- gradients


def _gradient(ctx: Lowering, ask: Asked, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Entity:
    """``grad(f)(...)`` and ``value_and_grad(f)(...)``."""
    inner = _inner(ctx, args[0], ask, args[1:], kwargs, node, once=True)
    outputs = _outputs(ctx, inner, ask, node)
    if ask.of is None:
        differentiated = inner.structure.items[0] if ask.has_aux else inner.structure
        if differentiated.kind != "leaf" or rank_of(inner.function.body.yields[0].kind) not in (0, None):
            what = f"the gradient of {inner.function.title} here"
            ctx.refuse(node, what, "it returns no number", "vjp with a seed, or the sum of the result")
        if not outputs:
            ctx.refuse(node, f"the gradient of {inner.function.title} here", "what it returns has no derivative", "a float")
    elif any(p.name == ask.of and rank_of(p.value.kind) not in (0, None) for p in inner.function.params):
        why = f"the final contents of {ask.of!r} are no number"
        ctx.refuse(node, f"the gradient of {inner.function.title} here", why, "vjp with a seed, or return a number")
    main = ctx.program.derive(inner.function, inner.own, "adjoint", inner.inputs, outputs, ask.of, False)
    results = _written_out_once(ctx, inner, main, inner.values, node)
    count = inner.structure.leaves()
    gradients = [_derivative(ctx, g) for g in results[count:]]
    gradient = Struct(gradients) if isinstance(ask.wrt, tuple) else gradients[0]
    value = _value(ctx, inner, results[:count])
    if ask.name == "value_and_grad":
        return Struct([value, gradient])
    return Struct([gradient, value.items[1]]) if ask.has_aux and isinstance(value, Struct) else gradient


# --- along directions


def _items(ctx: Lowering, entity: Entity, what: str, node: gast.AST) -> list[Entity]:
    if not isinstance(entity, Struct) or entity.cls is not None or entity.kind not in ("tuple", "list"):
        ctx.refuse(node, f"these {what}", "how many there are is not known", "tuples: jvp(f, (x, y), (x_dot, y_dot))")
    return entity.items


def _jvp(
    ctx: Lowering, ask: Asked, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST, once: bool = True
) -> Entity:
    """``jvp(f, primals, tangents)``."""
    function, primals, tangents = args[0], _items(ctx, args[1], "primals", node), _items(ctx, args[2], "tangents", node)
    wrt = ask.wrt if isinstance(ask.wrt, tuple) else None if ask.wrt is None else (ask.wrt,)
    places: list[Any] = list(range(len(primals))) if wrt is None else list(wrt)
    if len(places) != len(tangents):
        ctx.refuse(node, "this call of jvp", f"there are {len(places)} arguments and {len(tangents)} tangents", "one for each")
    pairs = [
        (place, tangent) for place, tangent in zip(places, tangents, strict=True)
        if not is_none(tangent)
        and (wrt is not None or is_differentiable(whole(ctx, primals[place], node).kind))
    ]  # fmt: skip
    inner = _inner(ctx, function, asked("jvp", tuple(p for p, _ in pairs), ask.of), primals, {}, node, once)
    return _pushed(ctx, inner, ask, [whole(ctx, t, node) for _, t in pairs], node)


def _pushed(ctx: Lowering, inner: Inner, ask: Asked, dots: list[Value], node: gast.AST) -> Entity:
    outputs = _outputs(ctx, inner, ask, node)
    own = {p.name: p.value.kind for p in inner.function.params}
    dots = [_as_of(ctx, dot, own[name]) for name, dot in zip(inner.inputs, dots, strict=True)]
    main = ctx.program.derive(inner.function, inner.own, "tangent", inner.inputs, outputs, ask.of, False)
    results = _written_out_once(ctx, inner, main, [*inner.values, *dots], node)
    if ask.of is not None:
        return Struct(list(results))
    count = inner.structure.leaves()
    return Struct([_value(ctx, inner, results[:count]), _value(ctx, inner, results[count : 2 * count])])


def _as_of(ctx: Lowering, value: Value, kind: Kind) -> Value:
    """A tangent or seed as one of what is of a kind: in its dtype, and 1 stands for 1.0."""
    if isinstance(value, Const) and type(value.payload) in (int, bool):
        return Const(float(value.payload))
    if not _differs_in_dtype(value.kind, kind):
        return value
    if isinstance(kind, Tuple | StructKind):
        items = [_as_of(ctx, take_item(ctx.builder, value, key), inner) for key, inner in zip(kind.keys, kind.inner, strict=True)]
        return put_together(ctx.builder, kind, value, items)
    dtype = dtype_of(kind)
    return ctx.builder.call("ndarray.astype", value, Global(f"numpy.{dtype}", FUNCTION, getattr(np, str(dtype)), resolved=True))


def _differs_in_dtype(given: Kind, kind: Kind) -> bool:
    """Certainty that a tangent or seed has, or holds, an array of another dtype than the floating array that it is of."""
    if given.fixed and kind.fixed and set(given.keys) == set(kind.keys):
        items = dict(zip(given.keys, given.inner, strict=True))
        return any(_differs_in_dtype(items[key], inner) for key, inner in zip(kind.keys, kind.inner, strict=True))
    if not isinstance(given, Array) or not isinstance(kind, Array) or None in (given.dtype, kind.dtype):
        return False
    return given.dtype != kind.dtype and is_differentiable(kind) and not str(given.dtype).startswith("complex")


def _vjp(ctx: Lowering, args: list[Entity], settings: dict[str, Any], node: gast.AST) -> Entity:
    """``vjp(f, *primals)``: the value, and the pullback at this point."""
    ask = asked("pullback", **settings)
    kept = [as_now(ctx, entity, node) for entity in args[1:]]
    inner = _inner(ctx, args[0], ask, kept, {}, node)
    what = f"a pullback of {inner.function.title}"
    if _calls(inner.function, ("generator.", "source.")):
        why = "it draws random numbers, and would draw others than its value did"
        ctx.refuse(node, what, why, "grad, value_and_grad or jvp, which draw once, or what is drawn as an argument")
    if _calls(inner.function, ("s2sad.leave",)):
        why = "it leaves something in an object outside, and would do so once more than its value did"
        ctx.refuse(node, what, why, "grad, value_and_grad or jvp, which run it once, or a result in place of it")
    form = (ask, inner.inputs, tuple(inner.arguments), inner.own, form_of(inner.function))
    same = ctx.program.pulled.setdefault(form, replace(ask, inner=inner))  # one for all rounds in which a loop is lowered
    held = [entity if entity in kept else as_now(ctx, entity, node) for entity in inner.given]
    main = ctx.program.derive(inner.function, inner.own, "primal", inner.inputs, (), ask.of, False)
    results = ctx.builder.write_out(main, _values(ctx, held, node))
    value = _value(ctx, inner, results[: inner.structure.leaves()]) if ask.of is None else results[0]
    pullback = Partial(Static(same), [Struct(held)], {})
    if ask.has_aux and isinstance(value, Struct):
        return Struct([value.items[0], pullback, value.items[1]])
    return Struct([value, pullback])


def _values(ctx: Lowering, held: list[Entity], node: gast.AST) -> list[Value]:
    return [whole(ctx, entity, node) for entity in held]


def _calls(function: Function, targets: tuple[str, ...]) -> bool:
    """Test for a function that calls, by itself or through another, what begins with one of these names."""
    return any(op.callee is None and op.target.startswith(targets) for op in calls_within(function.body))


def _pullback(ctx: Lowering, ask: Asked, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Entity:
    """``pullback(seed)`` of the function as it was followed where the value was computed, at what it was given and saw there."""
    if len(args) != 2 or kwargs:
        ctx.refuse(node, "this call of a pullback", "it takes one seed", "pullback(out_bar)")
    inner, values = _held(ctx, ask, args[0], node)
    outputs = _outputs(ctx, inner, ask, node)
    leaves = [ctx.value(leaf, node) for leaf in _seeds(ctx, args[1], inner, ask, node)]
    seeded = [p.value for p in inner.function.params if p.name == ask.of] or inner.function.body.yields
    seeds = [_as_of(ctx, leaf, seeded[k].kind) for k, leaf in enumerate(leaves) if k in outputs or ask.of is not None]
    main = ctx.program.derive(inner.function, inner.own, "adjoint", inner.inputs, outputs, ask.of, True)
    results = ctx.builder.write_out(main, [*values, *seeds])
    bars: list[Entity] = [_derivative(ctx, bar) for bar in results[inner.structure.leaves() :]]
    if ask.wrt is not None:
        return Struct(bars) if isinstance(ask.wrt, tuple) else bars[0]
    table = dict(zip(inner.inputs, bars, strict=True))
    return Struct([table.get(name or "", Const(None)) for name in inner.arguments])


def _held(ctx: Lowering, ask: Asked, held: Entity, node: gast.AST) -> tuple[Inner, list[Value]]:
    """The function that a pullback or push is of, and the values that it is of."""
    assert isinstance(ask.inner, Inner) and isinstance(held, Struct)
    return ask.inner, _values(ctx, held.items, node)


def _seeds(ctx: Lowering, seed: Entity, inner: Inner, ask: Asked, node: gast.AST) -> list[Entity]:
    """The leaves of a seed, which has the structure of the value."""
    expected = inner.structure.items[0] if ask.has_aux else inner.structure
    if ask.of is not None or expected.kind == "leaf":
        return [whole(ctx, seed, node)]
    seed = as_struct(ctx, seed)
    if structure_of(seed) != expected:
        ctx.refuse(node, "this seed", f"its structure is not that of what {inner.function.title} returns", "the same tuples")
    return list(flatten(seed))


# --- second order


def _hvp(ctx: Lowering, ask: Asked, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Entity:
    """``hvp(f, primals, tangents)``: the tangent of the gradient, or with mode="rev" the pullback of the gradient."""
    primals, tangents = _items(ctx, args[1], "primals", node), _items(ctx, args[2], "tangents", node)
    one = ask.wrt is None and len(primals) == 1
    wrt = ask.wrt
    if wrt is None:
        places = [k for k, p in enumerate(primals) if is_differentiable(whole(ctx, p, node).kind)]
        wrt = 0 if one else tuple(places)
        tangents = tangents if one else [tangents[k] for k in places]
    gradient = Partial(Static(asked("grad", wrt, ask.of)), [args[0]], {})
    if ask.mode == "rev":
        pair = _vjp(ctx, [gradient, *primals], {"wrt": wrt}, node)
        assert isinstance(pair, Struct)
        seed = Struct(tangents) if isinstance(wrt, tuple) else tangents[0]
        found: list[Entity] = [pair.items[0], apply(ctx, pair.items[1], [seed], {}, node)]
    else:
        pushed = _jvp(ctx, asked("jvp", wrt), [gradient, Struct(primals), Struct(tangents)], {}, node)
        assert isinstance(pushed, Struct)
        found = pushed.items
    if ask.wrt is not None or one:
        return Struct(found)
    table = [dict(zip(wrt, part.items, strict=True)) for part in found if isinstance(part, Struct)]
    return Struct([Struct([part.get(k, Const(None)) for k in range(len(primals))]) for part in table])


# --- dense Jacobians


def _jacobian(ctx: Lowering, ask: Asked, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Entity:
    """``jacobian(f)(x)`` of an array or number by an array or number; ``hessian`` is that of the gradient."""
    function, primals = args[0], args[1:]
    if kwargs:
        function = Partial(function, [], kwargs)
    if ask.name == "hessian":
        function = Partial(Static(asked("grad", ask.wrt, ask.of, ask.has_aux)), [function], {})
        of_gradient = asked("jacobian", ask.wrt, None, ask.has_aux, ask.mode or "fwd")
        return _jacobian(ctx, of_gradient, [function, *primals], {}, node)
    if isinstance(ask.wrt, tuple) or ask.of is not None or ask.has_aux:
        return _jacobian_of_trees(ctx, ask, function, primals, node)
    at = _position(ctx, function, ask.wrt, len(primals), node)
    pair = _vjp(ctx, [function, *primals], {"wrt": at}, node) if isinstance(primals[at], Value) else None
    value, x = pair.items[0] if isinstance(pair, Struct) else None, primals[at]
    if not (isinstance(pair, Struct) and isinstance(value, Value) and isinstance(x, Value)):
        return _jacobian_of_trees(ctx, ask, function, primals, node)
    ranks = [rank_of(v.kind) for v in (value, x)]
    if None in ranks or any(str(dtype_of(v.kind)).startswith("complex") for v in (value, x)):
        ctx.refuse(node, f"a {ask.name} here", "it is followed of real arrays with known axes", "jvp or vjp")
    of_number, by_number = ranks[0] == 0, ranks[1] == 0
    form: Callable[..., Any]
    if ask.mode == "rev" or (ask.mode is None and of_number):
        form = programs.of_number if of_number else programs.by_number_by_rows if by_number else programs.by_rows
        along = pair.items[1]
    else:
        along = Partial(Static(asked("along", at)), [function, Struct(primals)], {})
        form = programs.of_number if by_number else programs.gradient_by_columns if of_number else programs.by_columns
    found = program(ctx, form, [along, x, value], node)
    shapes = [v.kind.shape if isinstance(v.kind, Array) else () for v in (value, x)]
    if isinstance(found, Value) and isinstance(found.kind, Array) and None not in shapes:
        found.kind = Array(found.kind.dtype, (*(shapes[0] or ()), *(shapes[1] or ())))
    return Struct([value, found]) if ask.name == "value_and_jacobian" else found


def _jacobian_of_trees(ctx: Lowering, ask: Asked, function: Entity, primals: list[Entity], node: gast.AST) -> Entity:
    """One Jacobian for each pair of leaves: the structure of the result outside, that of the argument inside."""
    names = ask.wrt if isinstance(ask.wrt, tuple) else (ask.wrt,)
    places = [_position(ctx, function, name, len(primals), node) for name in names]
    now = Struct([as_struct(ctx, as_now(ctx, primal, node)) for primal in primals])
    result = _result(ctx, function, now, ask, node)
    value = as_struct(ctx, _without_aux(ctx, result, ask, node))

    def cell(of: int, at: int, by: int, x: Entity) -> Entity:
        if not is_differentiable(whole(ctx, x, node).kind):
            return Const(0.0 if isinstance(x, Value) and isinstance(x.kind, Scalar) else None)
        leaf = Partial(Static(asked("leaf", (at, by, of), ask.of, ask.has_aux)), [function, now], {})
        return _jacobian(ctx, asked("jacobian", 0, mode=ask.mode), [leaf, x], {}, node)

    rows: list[Entity] = []
    for of, leaf in enumerate(flatten(value)):
        if not is_differentiable(whole(ctx, leaf, node).kind):
            ctx.refuse(node, f"the {ask.name} of {_name(function)} here", "a part of its result has no derivative", "floats")
        blocks: list[Entity] = []
        for at in places:
            cells = [cell(of, at, by, x) for by, x in enumerate(flatten(now.items[at]))]
            blocks.append(rebuild(now.items[at], iter(cells)))
        rows.append(Struct(blocks) if isinstance(ask.wrt, tuple) else blocks[0])
    found = as_record(ctx, rebuild(value, iter(rows)))
    if ask.name == "value_and_jacobian":
        return Struct([result, found])
    return Struct([found, result.items[1]]) if ask.has_aux and isinstance(result, Struct) else found


def _result(ctx: Lowering, function: Entity, primals: Struct, ask: Asked, node: gast.AST) -> Entity:
    """The results of a function for copies of its arguments, or what it leaves in one of them."""
    own = [as_now(ctx, as_record(ctx, primal), node) for primal in primals.items]
    result = apply(ctx, function, own, {}, node)
    return result if ask.of is None else own[_position(ctx, function, ask.of, len(own), node)]


def _without_aux(ctx: Lowering, result: Entity, ask: Asked, node: gast.AST) -> Entity:
    if not ask.has_aux:
        return result
    if not isinstance(result, Struct) or result.kind != "tuple" or len(result.items) != 2:
        ctx.refuse(node, "has_aux=True here", "the function does not return a pair", "return value, aux")
    return result.items[0]


def _leaf(ctx: Lowering, ask: Asked, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Entity:
    """One leaf of what a function returns, as a function of one leaf of its arguments."""
    function, primals, x = args[0], as_struct(ctx, args[1]), args[2]
    assert isinstance(primals, Struct)
    at, by, of = ask.wrt
    leaves = list(flatten(primals.items[at]))
    leaves[by] = x
    given = [rebuild(primal, iter(leaves)) if k == at else primal for k, primal in enumerate(primals.items)]
    result = _without_aux(ctx, _result(ctx, function, Struct(given), ask, node), ask, node)
    return next(itertools.islice(flatten(as_struct(ctx, result)), of, None))


def _position(ctx: Lowering, function: Entity, wrt: Any, count: int, node: gast.AST) -> int:
    names = _parameters(function)
    at = names.index(wrt) if wrt in names else wrt
    if not isinstance(at, int) or not -count <= at < count:
        what = f"the derivative of {_name(function)} with respect to {wrt!r}"
        ctx.refuse(node, what, "it is not given", "an argument's position")
    return at % count


def _along(ctx: Lowering, ask: Asked, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Entity:
    """The tangent along one direction."""
    pair = _jvp(ctx, asked("jvp", ask.wrt), [args[0], args[1], Struct([args[2]])], {}, node, once=False)
    assert isinstance(pair, Struct)
    return pair.items[1]


def _linearize(ctx: Lowering, args: list[Entity], settings: dict[str, Any], node: gast.AST) -> Entity:
    """``linearize(f, *primals)``: the value and the map ``push``, whose ``push.T`` is the pullback."""
    pair = _vjp(ctx, args, settings, node)
    assert isinstance(pair, Struct)
    value, pullback = pair.items
    assert isinstance(pullback, Partial) and isinstance(pullback.function, Static)
    ask = ctx.program.pulled.setdefault(pullback.function.payload, replace(pullback.function.payload, name="push"))
    return Struct([value, Partial(Static(ask), [*pullback.args, pullback], {})])


def _push(ctx: Lowering, ask: Asked, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Entity:
    """``push(*tangents)`` of the same."""
    inner, values = _held(ctx, ask, args[0], node)
    names = inner.arguments if ask.wrt is None else inner.inputs
    tangents = args[2:]
    if len(names) != len(tangents) or kwargs:
        why = f"there are {len(names)} arguments and {len(tangents)} tangents"
        ctx.refuse(node, "this call of a map of linearize", why, "one for each, by position")
    pairs = [(n, t) for n, t in zip(names, tangents, strict=True) if n in inner.inputs and not is_none(t)]
    along = replace(inner, values=values, inputs=tuple(n for n, _ in pairs if n is not None))
    pair = _pushed(ctx, along, ask, [whole(ctx, t, node) for _, t in pairs], node)
    assert isinstance(pair, Struct)
    return pair.items[1]


def _vmap(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Entity:
    """``vmap(f, in_axes, out_axes)``."""
    given = dict(zip(("in_axes", "out_axes"), args[1:], strict=False)) | kwargs
    found = {name: _literal(ctx, entity, node) for name, entity in given.items()}
    in_axes, out_axes = found.pop("in_axes", 0), found.pop("out_axes", 0)
    axes = tuple(in_axes) if isinstance(in_axes, tuple | list) else in_axes
    plain = all(isinstance(axis, int | None) for axis in (axes if isinstance(axes, tuple) else (axes,)))
    if not plain or type(out_axes) is not int or any(value is not None for value in found.values()):
        ctx.refuse(node, "this vmap", "in_axes and out_axes are followed as numbers for whole arguments", "vmap(f, (0, None))")
    return Partial(Static(asked("vmap", (axes, out_axes))), [args[0]], {})


def _mapped(ctx: Lowering, ask: Asked, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Entity:
    """A call of what ``vmap`` made: the loop over the samples, written out."""
    function, *given = args
    axes, out_axes = ask.wrt
    axes = axes if isinstance(axes, tuple) else (axes,) * len(given)
    if kwargs or len(axes) != len(given) or all(axis is None for axis in axes):
        why = "arguments by position are mapped over, one in_axes each"
        ctx.refuse(node, "this call of a vmap", why, "vmap(f, (0, None))(x, y)")
    samples = [_first_axis(ctx, x, axis, node) for x, axis in zip(given, axes, strict=True)]
    mapped = [x for x, axis in zip(samples, axes, strict=True) if axis is not None]
    for other in mapped[1:]:
        program(ctx, programs.as_many, [mapped[0], other], node)
    sample = Partial(Static(asked("sample", axes)), [function, Struct(samples)], {})
    structure = _inner(ctx, sample, asked("jvp", ()), [Const(0)], {}, node).structure
    if structure.kind == "leaf":
        found = [program(ctx, programs.for_each, [sample, mapped[0]], node)]
    else:
        flat = Partial(Static(asked("leaves")), [sample], {})
        rows = program(ctx, programs.all_samples, [flat, mapped[0]], node)
        found = [program(ctx, programs.each_leaf, [rows, Const(k)], node) for k in range(structure.leaves())]
    if out_axes != 0:
        found = [ctx.builder.call("numpy.moveaxis", whole(ctx, leaf, node), Const(0), Const(out_axes)) for leaf in found]
    return as_record(ctx, rebuild(structure_entity(structure), iter(found)))


def _leaves(ctx: Lowering, ask: Asked, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Entity:
    """The leaves of what a function returns, as a tuple."""
    return Struct(list(flatten(as_struct(ctx, apply(ctx, args[0], args[1:], {}, node)))))


def _first_axis(ctx: Lowering, entity: Entity, axis: int | None, node: gast.AST) -> Entity:
    if axis is None:
        return entity
    value = whole(ctx, entity, node)
    if not isinstance(value.kind, Array):
        ctx.refuse(node, "this argument of a vmap", "only arrays are mapped over here", "an array, with a sample along an axis")
    return value if axis == 0 else ctx.builder.call("numpy.moveaxis", value, Const(axis), Const(0))


def _copied(ctx: Lowering, row: Value) -> Value:
    """A sample as memory of its own, as ``vmap`` hands it out."""
    return row if isinstance(row.kind, Scalar) else ctx.builder.call("numpy.copy", row)


def _sample(ctx: Lowering, ask: Asked, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Entity:
    """The function of one sample."""
    function, samples, k = args
    assert isinstance(samples, Struct) and isinstance(k, Value)
    own = [
        x if axis is None else _copied(ctx, ctx.builder.call("operator.getitem", whole(ctx, x, node), k))
        for x, axis in zip(samples.items, ask.wrt, strict=True)
    ]
    return apply(ctx, function, own, {}, node)


Handler = Callable[[Lowering, Asked, list[Entity], dict[str, Entity], gast.AST], Entity]
CALLED: dict[str, Handler] = {
    "grad": _gradient,
    "value_and_grad": _gradient,
    "jvp": _jvp,
    "vjp": _jvp,
    "pullback": _pullback,
    "hvp": _hvp,
    "jacobian": _jacobian,
    "value_and_jacobian": _jacobian,
    "hessian": _jacobian,
    "along": _along,
    "leaf": _leaf,
    "leaves": _leaves,
    "push": _push,
    "vmap": _mapped,
    "sample": _sample,
    "checkpoint": recomputed.called,
    "unravel": unraveled,
}

"""Lowering calls: primitives, methods, and users' functions (as a pair of their own, or inlined)."""

from __future__ import annotations

import enum
import functools
import io
import math
import types
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import gast
import numpy as np

from s2sad.errors import UnsupportedSyntaxError, meant
from s2sad.frontend import observe
from s2sad.frontend.entities import (
    Bounded,
    Choice,
    Closure,
    Entity,
    Iteration,
    Members,
    Method,
    Partial,
    Record,
    SourceFunction,
    Spread,
    Static,
    Struct,
)
from s2sad.frontend.lower import (
    built_on,
    builtin_calls,
    classes,
    control,
    deletion,
    dicts,
    errors,
    following,
    generic,
    getters,
    iterables,
    iteration,
    iterators,
    keeping,
    known_items,
    known_objects,
    library_calls,
    map_methods,
    maps,
    moves,
    object_arrays,
    objects,
    ordering,
    outside,
    own_signatures,
    prelude_calls,
    recomputed,
    sets,
    strings,
    subscripts,
    transformations,
    ufunc_options,
)
from s2sad.frontend.lower.arithmetic import as_real
from s2sad.frontend.lower.assignment import spread, unpacked
from s2sad.frontend.lower.attributes import attribute_of, check_of_number
from s2sad.frontend.lower.callees import call_as_pair
from s2sad.frontend.lower.dispatch import apply, lower, lower_value
from s2sad.frontend.lower.foreign import MUTATORS, importable_path, refuse_functions, source_and_scope
from s2sad.frontend.lower.inlining import inline
from s2sad.frontend.lower.lists import Meanwhile, as_array, displayed, list_of
from s2sad.frontend.lower.maybe import flag, held, is_maybe, seen
from s2sad.frontend.lower.operators import binary_op, contains
from s2sad.frontend.lower.referring import is_object, is_reference
from s2sad.frontend.lower.selection import as_list, each, is_data, is_of_functions, question
from s2sad.frontend.lower.signatures import spread_out
from s2sad.frontend.lower.state import Lowering, global_of
from s2sad.frontend.observe import inside_name, is_library, keeps, look_inside, unwrap
from s2sad.ir.kinds import (
    BOTTOM,
    OBJECT,
    RANGE,
    STR,
    UNKNOWN,
    List,
    Other,
    Scalar,
    Tuple,
    TupleOf,
    dtype_of,
    is_differentiable,
)
from s2sad.ir.nodes import Call, Const, Global, Value
from s2sad.rules import registry, user
from s2sad.rules.buffers import SPOIL
from s2sad.rules.effects import parsed
from s2sad.rules.kind_arrays import array_kind
from s2sad.rules.language import Elementwise
from s2sad.rules.traits import having

# Functions that are written out in terms of others.
WRITTEN_OUT = (
    classes.TABLE,
    dicts.TABLE,
    builtin_calls.TABLE,
)


def call(ctx: Lowering, node: gast.Call) -> Entity:
    """A call expression."""
    function = lower(ctx, node.func)
    if _payload(function) in (*ORDERLESS, set, frozenset) and not any(word.arg == "key" for word in node.keywords):
        sets.in_any_order(ctx, *node.args, *([node] if _payload(function) in ORDERLESS else []))
    special = builtin_calls.UNEVALUATED.get(_payload(function))
    if special is not None:
        found: Entity | None = special(ctx, node)
        if found is not None:
            return found
    if _payload(function) in LOOKING or isinstance(function, Method) and function.name in sets.ASKING:
        sets.looked_at(ctx, *node.args)
    so_far, names = Meanwhile(ctx), list[str]()
    so_far.keep(function)
    for arg in node.args:
        for one in spread(ctx, _argument(ctx, arg.value), arg) if isinstance(arg, gast.Starred) else [_argument(ctx, arg)]:
            so_far.keep(one)
    for keyword in node.keywords:
        for name, entity in _named(ctx, keyword, node).items():
            names.append(name)
            so_far.keep(entity)
    function, *args = so_far.all()
    count = len(args) - len(names)
    return apply(ctx, function, args[:count], dict(zip(names, args[count:], strict=True)), node)


ORDERLESS = (len, sorted, min, max, sum, bool, any, all, math.fsum, math.prod)  # without key=
LOOKING = (len, list, tuple, sorted, min, max, sum, set, frozenset, bool, any, all)  # which keep none of their arguments


def _named(ctx: Lowering, keyword: gast.keyword, node: gast.Call) -> dict[str, Entity]:
    """``name=value``, or the items of ``**options``."""
    if keyword.arg is not None:
        return {keyword.arg: _argument(ctx, keyword.value)}
    box = built_on.contents(ctx, lower(ctx, keyword.value))
    if not isinstance(box, Record) or box.kind != "dict":
        ctx.refuse(node, "** of this value", "its keys are not known", "write the keywords out")
    keys = ctx.keys(box, node)
    if not all(isinstance(key, str) for key in keys):
        ctx.fail(node, TypeError("keywords must be strings"), "** of this dict", "keys that are names")
    return {key: ctx.variables[(box, key)] for key in keys}


def _payload(function: Entity) -> Any:
    payload = function.payload if isinstance(function, Static) else None
    try:
        hash(payload)
    except TypeError:
        return None
    return payload


def _argument(ctx: Lowering, node: gast.expr) -> Entity:
    """An argument; a list literal in this place is seen by nobody else, so that its items stay known."""
    if isinstance(node, gast.List) and not any(isinstance(e, gast.Starred) for e in node.elts):
        items = [_argument(ctx, e) for e in node.elts]
        return displayed(ctx, node, items, lambda _, given: Struct(given, "list"))
    if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Mult) and gast.List in (type(node.left), type(node.right)):
        return binary_op(ctx, gast.Mult, _argument(ctx, node.left), _argument(ctx, node.right), node)
    return lower(ctx, node)


def apply_static(
    ctx: Lowering, function: SourceFunction, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity:
    """A function found in a file that is not executed."""
    if function.recomputed:
        plain = replace(function, recomputed=False)
        return recomputed.called(ctx, None, [plain, *args], kwargs, node)
    if function.kept:
        return keeping.call(ctx, replace(function, kept=""), args, kwargs, node, function.kept, lasting=True)
    return user_call(ctx, function.source, function.scope, args, kwargs, node)


def apply_closure(
    ctx: Lowering, function: Closure, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity:
    """A nested function: lowered at the place of the call, where it sees its variables; its defaults are older."""
    return inline(ctx, function.node, function.frame, None, args, kwargs, node, function.defaults)


def apply_box(
    ctx: Lowering, function: Record, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity:
    """An object with ``__call__``."""
    if not objects.is_object(function):
        ctx.refuse(node, "calling this", "a dict is no function", "call functions by name")
    return objects.call_method(ctx, function, "__call__", args, kwargs, node)


def apply_maybe(ctx: Lowering, function: Struct, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST) -> Entity:
    """What may be None, and is called."""
    inside = control.present(ctx, function, "'NoneType' object is not callable", node)
    if inside is function:
        ctx.refuse(node, "calling this", f"a {function.kind} is no function", "call functions by name")
    return apply(ctx, inside, args, kwargs, node)


def apply_partial(
    ctx: Lowering, function: Partial, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity:
    """``functools.partial``: the function with the first arguments given."""
    return apply(ctx, function.function, function.args + args, {**function.kwargs, **kwargs}, node)


def apply_global(
    ctx: Lowering, function: Global, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity:
    """A global that is no function, or is not known without running the program."""
    ctx.refuse(node, f"calling {function.path}", "its source cannot be found", "a function defined with def")


def apply_known(
    ctx: Lowering, function: Static, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity:
    made = _applied(ctx, function, args, kwargs, node)
    if isinstance(made, Iteration) and (made.make is not None or made.run is not None) and not _is_users(function.payload):
        asked = iteration.watched(ctx, args, node)
        return replace(made, lasting=(*made.lasting, *asked)) if asked else made
    return made


def _applied(
    ctx: Lowering, function: Static, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity:
    payload = function.payload
    if not _is_users(payload):
        args, kwargs = [_said(a) for a in args], {k: _said(v) for k, v in kwargs.items()}
        args, kwargs = ufunc_options.given(payload, args, kwargs)
    taught = user.name_of(payload) or user.name_of(unwrap(payload))
    if taught is not None:  # whatever else is known of it: the user says what its derivative is
        return primitive(ctx, taught, args, kwargs, node)
    if payload is user.rule or payload is user.nondifferentiable:
        why = "programs are made by the rules that there are when they are called"
        ctx.refuse(node, f"{payload.__name__} inside", why, "call it before, outside of what is differentiated")
    args, kwargs = own_signatures.of_function(ctx, payload, args, kwargs, node)
    if type(payload) is functools._lru_cache_wrapper:
        by = keeps(payload)
        return keeping.call(ctx, _inside(function), args, kwargs, node, by, lasting=True)
    known = known_objects.call(ctx, payload, args, kwargs, node)
    if known is not None:
        return known
    args = iterables.check_arguments(ctx, _payload(function), args, node)
    is_generic = generic.is_generic(payload)
    if is_generic or not _is_users(payload):
        if _payload(function) in RUN_THROUGH:
            args = [as_list(ctx, arg, node) for arg in args]
        if payload is reversed and len(args) == 1 and is_of_functions(args[0]):
            return iteration.TABLE[reversed](ctx, args, kwargs, node)
        if args and is_data(args[0]) and isinstance(args[0], Choice):
            use = question if payload in (isinstance, hasattr, callable) else each
            return use(ctx, args[0], lambda one: apply(ctx, function, [one, *args[1:]], kwargs, node), node)
        place, arg = _one_of_several(args, kwargs)
        if arg is not None:
            return each(ctx, arg, lambda one: apply(ctx, function, *_with(args, kwargs, place, one), node), node)
    chosen = _by_kind(ctx, function, args, kwargs, node) if is_library(payload) else None
    if chosen is not None:
        return chosen
    if is_generic:
        return apply(ctx, generic.implementation(ctx, payload, args, node), args, kwargs, node)
    derivative = transformations.written_out(ctx, function, args, kwargs, node)
    if derivative is not None:
        return derivative
    getter = getters.known(ctx, payload, node)
    if getter is not None:
        return apply(ctx, getter, args, kwargs, node)
    key = _payload(function)
    for special in (*(table[key] for table in WRITTEN_OUT if key in table), *library_calls.writers_of(key)):
        found: Entity | None = special(ctx, args, kwargs, node)
        if found is not None:
            return found
    of_object = library_calls.call_of_object(ctx, function, args, kwargs, node)
    if of_object is not None:
        return of_object
    form = prelude_calls.form_of_call(ctx, payload, args, kwargs)
    if form is not None:
        return prelude_calls.written_out(ctx, form, args, kwargs, node)
    if args and built_on.of_base(payload) and observe.subclass(builtin_calls.class_of(args[0]) or object, payload.__objclass__):
        if built_on.is_based(args[0]):  # list.append(x, 1), dict.__init__(self, a=1)
            return objects.call_of_base(ctx, [args[0], Const(payload.__name__), *args[1:]], kwargs, node)
        return apply(ctx, Method(args[0], payload.__name__), args[1:], kwargs, node)
    target = registry.name_of(payload)
    of_library = library_calls.handler_of(target)
    if of_library is not None:
        return of_library(ctx, args, kwargs, node)
    if target is not None:
        return primitive(ctx, target, args, kwargs, node)
    unwrapped = unwrap(payload)
    if keeps(payload) or (unwrapped is not payload and isinstance(unwrapped, types.MethodType)):  # beneath something else
        return apply(ctx, _inside(function), args, kwargs, node)
    if isinstance(unwrapped, types.FunctionType) and not is_library(unwrapped):
        prelude_calls.refuse_uncovered(ctx, unwrapped, args, kwargs, node)
        return user_call(ctx, *source_and_scope(ctx, unwrapped), args, kwargs, node, unwrapped)
    if isinstance(payload, type) and issubclass(payload, BaseException):
        return exception(ctx, node.func, getattr(node, "args", []), getattr(node, "keywords", ()))
    if isinstance(payload, enum.Enum) and isinstance(run := objects.find(type(payload), "__call__"), types.FunctionType):
        return apply(ctx, Static(run, run.__name__), [function, *args], kwargs, node)
    if isinstance(payload, type) and issubclass(payload, enum.Enum) and len(args) == 1 and isinstance(args[0], Const):
        return _member(ctx, function, args[0].payload, node)
    if isinstance(payload, type) and objects.is_python_class(payload) and importable_path(function) is None:
        return classes.construct(ctx, payload, args, kwargs, node)
    if isinstance(payload, types.MethodType) and not is_library(payload.__func__):
        return _method_from_outside(ctx, payload, function.path, args, kwargs, node)
    return opaque(ctx, function, args, kwargs, node)


def _inside(wrapper: Static) -> Static:
    """The function that an object of C, or our own decorator, wraps."""
    return objects.reached(wrapper.path, inside_name(wrapper.payload), look_inside(wrapper.payload))


def _member(ctx: Lowering, enumeration: Static, value: object, node: gast.AST) -> Entity:
    """``Mode("fast")``: the member of an enumeration with this value; of flags ``Mode(3)``, those put together of which it is."""
    members = [observe.attribute(enumeration.payload, name) for name in observe.attribute(enumeration.payload, "_member_names_")]
    found = next((member for member in members if observe.attribute(member, "_value_") == value), None)
    if found is not None:
        return attribute_of(ctx, enumeration, found.name, node)
    if observe.has_own_missing(enumeration.payload):
        why = "its class has a method of its own for values that no member has"
        ctx.refuse(node, "this member", why, "a member by its name")
    if type(value) is int and members and all(map(observe.is_flag, members)):
        return Static(ctx.known(node, lambda: enumeration.payload(value), "this member", "a value of one"))
    error = ValueError(f"{value!r} is not a valid {enumeration.payload.__qualname__}")
    ctx.fail(node, error, "this member", "a value of one")


# What runs through its arguments when its own items are asked for.
RUN_THROUGH = {*iteration.TABLE, *iterators.TABLE, *ordering.TABLE, map, iter}


def _one_of_several(args: list[Entity], kwargs: dict[str, Entity]) -> tuple[int | str, Choice | None]:
    """The place of the first argument that is one of several tuples, objects or numbers."""
    places: list[tuple[int | str, Entity]] = [*enumerate(args), *kwargs.items()]
    return next(((place, arg) for place, arg in places if isinstance(arg, Choice) and is_data(arg)), ("", None))


def _by_kind(
    ctx: Lowering, function: Static, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity | None:
    """A call of a library with one of several classes, dtypes for instance, or None instead; None of other calls."""
    places: list[tuple[int | str, Entity]] = [*enumerate(args), *kwargs.items()]
    place, arg = next(((place, arg) for place, arg in places if _is_one_of_classes(arg)), ("", None))
    if arg is None:
        return None

    def given(one: Entity) -> Entity:
        return apply(ctx, function, *_with(args, kwargs, place, one), node)

    if isinstance(arg, Choice):
        return each(ctx, arg, given, node)
    return control.choose(ctx, ctx.value(flag(arg), node), lambda: given(held(arg)), lambda: given(Const(None)), node)


def _is_one_of_classes(entity: Entity) -> bool:
    """Test for one of several classes, or what is such a class or None."""
    inner = held(entity)
    several = inner.alternatives if isinstance(inner, Choice) else [inner]
    return (is_maybe(entity) or len(several) > 1) and all(
        isinstance(one, Static) and isinstance(one.payload, type) for one in several
    )


def _with(
    args: list[Entity], kwargs: dict[str, Entity], place: int | str, entity: Entity
) -> tuple[list[Entity], dict[str, Entity]]:
    """Arguments with another one in a place."""
    if isinstance(place, str):
        return args, {**kwargs, place: entity}
    return [*args[:place], entity, *args[place + 1 :]], kwargs


def _is_users(payload: Any) -> bool:
    """Test for a callable that is followed into its source, where it is known what is done with the arguments."""
    unwrapped = unwrap(payload)
    if isinstance(unwrapped, type):
        return objects.is_python_class(unwrapped)
    return isinstance(unwrapped, types.FunctionType | types.MethodType) and not is_library(unwrapped)


def _method_from_outside(
    ctx: Lowering, payload: types.MethodType, path: str, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity:
    """A bound method of a class, or of an object outside: its fields are read through the method."""
    if isinstance(payload.__self__, type):
        return apply(ctx, Static(payload.__func__), [Static(payload.__self__, payload.__self__.__name__), *args], kwargs, node)
    if isinstance(payload.__self__, enum.Enum):
        member = Static(payload.__self__, f"{type(payload.__self__).__name__}.{payload.__self__.name}")
        return apply(ctx, Static(payload.__func__, payload.__name__), [member, *args], kwargs, node)
    owner = objects.owner_of(ctx, payload, path, node)
    return apply(ctx, Static(payload.__func__, payload.__name__), [owner, *args], kwargs, node)


def opaque(
    ctx: Lowering, function: Static, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Value:
    """A function without a rule: allowed on arguments that carry no derivative, refused later otherwise."""
    owner, (home, _, name) = getattr(function.payload, "__self__", None), function.path.rpartition(".")
    if isinstance(owner, io.TextIOBase) and home and name == "write" and len(args) == 1 and ctx.kind(args[0]) == STR:
        return _written(ctx, global_of(Static(owner, home)), args[0], node)
    if getattr(function.payload, "__name__", "") in MUTATORS:
        ctx.refuse(
            node,
            f"calling {function.path}",
            "it writes into its argument, and how is not known",
            "assignments to the array's items",
        )
    if ctx.program.keeping is not None:
        ctx.program.keeping.refuse(function.path, f"what {function.path or function.payload!r} does is not known")
    path = importable_path(function)
    refuse_functions(ctx, path or function.path, [*args, *kwargs.values()], node)
    if path is None:
        following.changed(ctx, Static(owner, home), name)
        outside.refuse_container(ctx, owner, home, node)
        ctx.refuse(
            node, f"calling {function.path or function.payload!r}", "its source cannot be read, and it has no rule",
            "with open(...) as file: file.write(...)" if function.payload is open
            else "register a rule with s2sad.rule, or wrap it with s2sad.nondifferentiable",
        )  # fmt: skip
    values = [ctx.value(a, node) for a in args]
    named = {k: ctx.value(v, node) for k, v in kwargs.items()}
    kind = OBJECT if _makes_objects(function.payload, path) else UNKNOWN
    op = Call(target=path, args=values, kwargs=named, results=[Value(kind)])
    ctx.builder.append(op)
    return op.results[0]


# Functions of these give objects that have operators of their own: ``*`` of sparse matrices may be a product of matrices.
OF_OBJECTS = ("scipy.sparse.", "numpy.ma.", "numpy.bmat", "numpy.matlib.")
NUMBERS = (np.generic, int, float, complex, str, tuple)


def _makes_objects(made_by: Any, path: str) -> bool:
    """Test for a function of a library that gives an object of which nothing is known."""
    if isinstance(made_by, type):
        return not issubclass(made_by, NUMBERS)
    return path.startswith(OF_OBJECTS)


# --- primitives


def _said(entity: Entity) -> Entity:
    """A text from outside as what it says: another one is another program."""
    outside = isinstance(entity, Global) and entity.resolved and type(entity.payload) is str
    return Const(entity.payload) if outside else entity  # type: ignore[union-attr]


def _spread_over(ctx: Lowering, target: str, args: list[Entity], node: gast.AST) -> list[Entity]:
    """``np.hypot(*d)``: as many items of ``d`` as the function needs arguments."""
    found = registry.lookup(target)
    if found is None or not any(isinstance(a, Spread) for a in args):
        return args
    names = [name for name, optional, _ in found.parameters if not optional]
    if any(name.startswith("*") for name, _, _ in found.parameters):
        return args

    def absent(name: str) -> Entity:
        raise AssertionError(name)  # all of these parameters are asked for

    return spread_out(ctx, target.rpartition(".")[2], args, names, set(), absent, node)


def primitive(
    ctx: Lowering, target: str, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity:
    """A registered function; ``out=``, ``where=`` and ``.at`` become stores, ``dtype=`` a cast."""
    args = _spread_over(ctx, target, args, node)
    _exist(ctx, target, args, node)
    args, kwargs = _with_known_axes(ctx, target, args, kwargs)
    args = [built_on.contents(ctx, _present(ctx, a, target, node)) for a in args]
    object_arrays.refuse_objects(ctx, target, [*args, *kwargs.values()], node)
    values = [ctx.value(_with_arrays(ctx, seen(a), target), node, "an argument") for a in args]
    if target.startswith("math.") and target != "math.fsum":  # which takes the real parts of tangents, too
        values = [as_real(ctx, value) for value in values]
    values, further = ufunc_options.named_as_in_numpy(target, values)
    kwargs = {**further, **kwargs}
    wrapped = kwargs.get("out")
    if isinstance(wrapped, Struct) and len(wrapped.items) == 1 and wrapped.kind == "tuple":
        kwargs = {**kwargs, "out": wrapped.items[0]}
    elif isinstance(wrapped, Struct):
        ctx.fail(node, TypeError("return arrays must be of ArrayType"), f"out= of {target}", "an array, or a tuple of one")
    named = {k: ctx.value(v, node, "an argument") for k, v in kwargs.items()}
    casting = ufunc_options.drop_options(ctx, target, named, node)
    found = registry.lookup(target)
    assert found is not None
    names = [name for name, _, _ in found.parameters]
    values, named, destroyed = _without_permissions(names, values, named)
    values = [_as_array(ctx, target, name, v, values) for name, v in zip([*names, *[""] * len(values)], values, strict=False)]
    named = {name: _as_array(ctx, target, name, v, values) for name, v in named.items()}
    if found.widens:
        values = [prelude_calls.widened(ctx, v) for v in values]
        named = {name: prelude_calls.widened(ctx, v) for name, v in named.items()}
    options = [name for name in OPTIONS if name in named and name not in names and ufunc_options.takes(target, name)]
    taken = {name: named.pop(name) for name in options}
    out, where, dtype = map(taken.get, OPTIONS)
    if out is None and len(values) == len(names) + 1 and isinstance(registry.find_object(target), np.ufunc):
        out = values.pop()
    if isinstance(out, Value) and out.kind == Other("none"):
        out = None
    masked = where is not None and not (isinstance(where, Const) and where.payload is True)
    if masked and out is not None and where is not None:
        values = ufunc_options.masked_operands(ctx, target, values, where, node)
    prelude_calls.guard_axes(ctx, target, found.axes, {**dict(zip(names, values, strict=False)), **named})
    ufunc_options.check_types(ctx, target, values, out, dtype, casting, node)
    result = ufunc_options.computed(ctx, target, values, named, dtype, casting, node)
    for value in destroyed:
        ctx.builder.call(SPOIL, value)
    if out is None:
        if masked:
            ctx.refuse(
                node,
                "where= without out=",
                "the other items would be uninitialised",
                "give out=, or use np.where",
            )
        return result
    ufunc_options.check_out(ctx, target, result, out, node)
    if masked:
        result = ctx.builder.call("numpy.where", where, result, out)
    if target in having("writes by pieces"):
        subscripts.read_apart(ctx, f"{target} with out=", out, Const(...), values)
    subscripts.store(ctx, out, Const(...), result, node)
    return out


def _with_known_axes(
    ctx: Lowering, target: str, args: list[Entity], kwargs: dict[str, Entity]
) -> tuple[list[Entity], dict[str, Entity]]:
    """The arguments, with lists of axes that are written down as tuples: ``axes=([1, 2], [0, 1])``, which the rules read."""
    found = registry.lookup(target)
    names = [name for name, _, _ in found.parameters] if found is not None else []
    if "axes" not in names:
        return args, kwargs
    args = [_known_axes(ctx, a) if name == "axes" else a for name, a in zip([*names, *[""] * len(args)], args, strict=False)]
    return args, {name: _known_axes(ctx, a) if name == "axes" else a for name, a in kwargs.items()}


def _known_axes(ctx: Lowering, entity: Entity) -> Entity:
    items = entity.items if isinstance(entity, Struct) and entity.cls is None else _displayed(ctx, entity)
    if items is None:
        return entity
    found = [_known_axes(ctx, item) for item in items]
    known = [item.payload for item in found if isinstance(item, Const) and type(item.payload) in (int, tuple)]
    return Const(tuple(known)) if len(known) == len(items) else entity


def _displayed(ctx: Lowering, entity: Entity) -> list[Value] | None:
    """The items of a list that has just been displayed in the arguments of a call; None where something else may know of it."""
    for op in reversed(ctx.builder.block.ops):
        if isinstance(op, Call) and op.target == "builtins.list" and op.results == [entity]:
            return list(op.args)
        if not isinstance(op, Call) or entity in op.operands():
            return None
    return None


def _exist(ctx: Lowering, target: str, args: list[Entity], node: gast.AST) -> None:
    """See to it that dicts which a function writes into exist as the program runs: what it puts there, variables do not see."""
    found = registry.lookup(target)
    line = parsed(found.effects) if found is not None and found.effects else None
    written = {name for name, _ in (*line.writes, *line.changes)} if line is not None else set()
    if found is None or not written:
        return
    for (name, _, _), entity in zip(found.parameters, args, strict=False):
        if name in written and isinstance(entity, Record) and entity.kind == "dict":
            maps.compute(ctx, entity, node)


def _present(ctx: Lowering, entity: Entity, target: str, node: gast.AST) -> Entity:
    """The argument for a function of a library: a list or tuple that may be None is one, or the call is refused when it runs."""
    inside = held(entity)
    known = isinstance(inside, Value) and target.partition(".")[0] in ("numpy", "scipy")
    if inside is entity or not (known or isinstance(inside, Struct)):
        return entity

    def none() -> None:
        error = ctx.builder.call("s2sad.runtime.UnsupportedError", Const(f"{target} of None"))
        ctx.builder.call("s2sad.raise", error)

    control.branch(ctx, flag(entity), lambda: None, none, node)
    return inside



# What NumPy's functions share, and no rule has.
OPTIONS = ("out", "where", "dtype")
# Parameters that are arrays, not sequences of arrays.
ARRAYS = {
    "a", "b", "x", "y", "x1", "x2", "m", "v", "arr", "array", "w", "weights", "aweights", "fweights", "xp", "fp",
    "a_min", "a_max", "min", "max", "values", "prepend", "append", "A", "p",
}  # fmt: skip


def _as_array(ctx: Lowering, target: str, name: str, value: Value, others: list[Value]) -> Value:
    """A list, tuple or range as the array that NumPy makes of it; of integers, or empty, where it meets what may vary."""
    sequence = isinstance(value.kind, List | Tuple) and not value.kind.keyed or value.kind == RANGE
    if not sequence or target.partition(".")[0] not in ("numpy", "scipy"):
        return value
    found = registry.lookup(target)
    itemwise = found is not None and isinstance(found.derivative, Elementwise)
    if name not in ARRAYS and not itemwise and not isinstance(registry.find_object(target), np.ufunc):
        return value
    meets = any(is_differentiable(other.kind) for other in others)
    empty = value.kind == List(BOTTOM) or isinstance(value.kind, Tuple) and not value.kind.items
    plain = empty or value.kind == RANGE or dtype_of(array_kind(value.kind)) is not None
    if meets and plain or value.kind != RANGE and is_differentiable(value.kind):
        return ctx.builder.call("numpy.array", value)
    return value


def _with_arrays(ctx: Lowering, entity: Entity, target: str) -> Entity:
    """A tuple or list with arrays in place of the ranges that stand beside what may vary: ``np.concatenate([range(2), x])``."""
    if not isinstance(entity, Struct) or entity.cls is not None or target.partition(".")[0] != "numpy":
        return entity
    ranges = [isinstance(item, Value) and item.kind == RANGE for item in entity.items]
    if not any(ranges) or not any(isinstance(item, Value) and is_differentiable(item.kind) for item in entity.items):
        return entity
    return Struct([as_array(ctx, ctx.value(v, None)) if r else v for v, r in zip(entity.items, ranges, strict=True)], entity.kind)


def _without_permissions(
    names: list[str], values: list[Value], named: dict[str, Value]
) -> tuple[list[Value], dict[str, Value], list[Value]]:
    """The arguments but for SciPy's ``overwrite_a=True``, and the arrays that it allows to be destroyed: generated code may
    need them."""
    if not any(name.startswith("overwrite_") for name in names):
        return values, named, []
    given: dict[str, Value] = {**dict(zip(names, values, strict=False)), **named}
    first = next(k for k, name in enumerate(names) if name.startswith("overwrite_"))
    kept = {n: v for n, v in given.items() if not n.startswith("overwrite_") and n not in names[: min(first, len(values))]}
    return values[:first], kept, prelude_calls.destroyed(given)


# --- methods


def _stored(ctx: Lowering, owner: Entity, index: Entity, entity: Entity, node: gast.AST) -> Entity:
    subscripts.store(ctx, owner, index, entity, node)
    return Const(None)


def _deleted(ctx: Lowering, owner: Entity, index: Entity, node: gast.AST) -> Entity:
    deletion.delete_item(ctx, owner, index, node)
    return Const(None)


# What containers have as methods, and Python mostly writes in other ways; with the number of arguments.
BY_SYNTAX: dict[tuple[str, int], Callable[..., Entity]] = {
    ("__getitem__", 1): subscripts.read,
    ("__setitem__", 2): _stored,
    ("__delitem__", 1): _deleted,
    ("__contains__", 1): lambda ctx, owner, item, node: contains(ctx, item, owner, node),
    ("__len__", 0): lambda ctx, owner, node: apply(ctx, Static(len, "builtins.len"), [owner], {}, node),
    ("__iter__", 0): lambda ctx, owner, node: apply(ctx, Static(iter, "builtins.iter"), [owner], {}, node),
    ("__add__", 1): lambda ctx, owner, other, node: binary_op(ctx, gast.Add, owner, other, node),
    ("__mul__", 1): lambda ctx, owner, other, node: binary_op(ctx, gast.Mult, owner, other, node),
    ("__or__", 1): lambda ctx, owner, other, node: binary_op(ctx, gast.BitOr, owner, other, node),
}


def _check_plain(ctx: Lowering, kind: str, name: str, kwargs: dict[str, Entity], node: gast.AST) -> None:
    """Python's exception for options of a method that takes none."""
    if kwargs and name != "sort":
        ctx.fail(node, TypeError(f"{kind}.{name}() takes no keyword arguments"), f"{name} with options", "none")


def method(
    ctx: Lowering, bound: Method, args: list[Entity], kwargs: dict[str, Entity], node: gast.AST
) -> Entity:
    """``owner.name(...)``."""
    owner, name = bound.owner, bound.name
    following.changed(ctx, owner, name)
    of_library = library_calls.call_of_method(ctx, bound, args, kwargs, node)
    if of_library is not None:
        return of_library
    known = known_objects.call_method(ctx, bound, args, kwargs, node)
    if known is not None:
        return known
    if isinstance(owner, Record | Struct) and objects.is_object(owner):
        return objects.call_method(ctx, owner, name, args, kwargs, node)
    own_signatures.of_method(ctx, builtin_calls.class_of(owner), name, args, kwargs, node)
    if (name, len(args)) in BY_SYNTAX and not kwargs:
        return BY_SYNTAX[name, len(args)](ctx, owner, *args, node)
    if isinstance(owner, Record):
        return dicts.dict_method(ctx, owner, name, args, kwargs, node)
    if isinstance(owner, Members):
        _check_plain(ctx, "set", name, kwargs, node)
        return sets.set_method(ctx, owner, name, args, node)
    if isinstance(owner, Bounded):
        return moves.bounded_method(ctx, owner, name, args, kwargs, node)
    if isinstance(owner, Struct) and name in ("index", "count"):
        owner = list_of(ctx, owner.items)
    if known_items.is_known(ctx, owner):
        assert isinstance(owner, Struct | Choice)
        _check_plain(ctx, "list", name, kwargs, node)
        objects_only = isinstance(owner, Struct) and all(is_object(item) or is_reference(item) for item in owner.items)
        if name == "sort" and not args and objects_only:
            assert isinstance(owner, Struct)
            return known_items.ordered(ctx, owner, ordering.sort(ctx, [owner], kwargs, node), node)
        given = unpacked(ctx, args[0], None, node) if name == "extend" and len(args) == 1 else args
        return known_items.changed(ctx, owner, name, given, node)
    if isinstance(owner, Struct):
        if name == "append":
            outside.grows(ctx, owner)
        known_items.wish(ctx, owner, name)
        known_items.let_be(ctx, owner)
        if any(isinstance(part, Record) for part in (*owner.items, *args)):
            why, instead = "how many objects it holds then is known only at run time", "a loop over a literal range"
        else:
            why, instead = "its items have different kinds", "an array or a plain list"
        ctx.refuse(node, f"the method {name!r} of this {owner.kind}", why, instead)
    value = ctx.value(owner, node)
    if isinstance(value, Const) and isinstance(value.payload, frozenset):
        _check_plain(ctx, "set", name, kwargs, node)
        asked = sets.constant_method(ctx, value.payload, name, args)
        if asked is not None:
            return asked
    if maps.is_map(value):
        return map_methods.map_method(ctx, value, name, args, kwargs, node)
    if isinstance(value.kind, TupleOf) and name not in ("index", "count"):
        ctx.fail(node, AttributeError(f"'tuple' object has no attribute '{name}'"), f"the method {name!r} of a tuple", "a list")
    if isinstance(value.kind, List) and name in ("append", "insert") and any(map(known_items.holds_functions, args)):
        return known_items.changed(ctx, known_items.taken_apart(ctx, value, node), name, args, node)
    if isinstance(value.kind, List) and name == "append" and known_items.may_hold_objects(ctx, value, args, node):
        return known_items.changed(ctx, known_items.taken_apart(ctx, value, node), name, args, node)
    if isinstance(value.kind, List) and name == "append" and len(args) == 1 and outside.appended(ctx, value, args[0], node):
        return Const(None)
    if isinstance(value.kind, List):
        try:
            return moves.list_method(ctx, value, name, args, kwargs, node)
        except UnsupportedSyntaxError:  # of what has no value, as objects of several classes
            if any(isinstance(arg, Record) for arg in args):
                known_items.wish(ctx, value, name)
            raise
    if value.kind == OBJECT and name == "dot":  # of a sparse matrix
        return ctx.builder.call("operator.matmul", value, *(ctx.value(a, node) for a in args))
    if value.kind == STR:
        return strings.string_method(ctx, value, name, args, kwargs, node)
    if isinstance(value.kind, Scalar) and value.kind.weak:
        of_number = f"{'int' if value.kind.dtype in ('bool', 'int64') else 'float'}.{name}"
        if registry.lookup(of_number) is not None:
            return ctx.builder.call(of_number, value)
    place, arg = _one_of_several(args, kwargs)
    if arg is not None:
        return each(ctx, arg, lambda one: method(ctx, bound, *_with(args, kwargs, place, one), node), node)
    of_value = library_calls.call_of_value(ctx, value, name, args, kwargs, node)
    if of_value is not None:
        return of_value
    if name in METHODS:
        check_of_number(ctx, value, name, node)
    for target in (f"ndarray.{name}", f"numpy.{name}"):
        if registry.lookup(target) is not None and (target.startswith("ndarray.") or hasattr(np.ndarray, name)):
            return primitive(ctx, target, [value, *args], kwargs, node)
    if value.kind == OBJECT and name == "write" and len(args) == 1 and not kwargs and ctx.kind(args[0]) == STR:
        return _written(ctx, value, args[0], node)
    own = "a function of your own that calls it, with s2sad.rule or s2sad.nondifferentiable"
    ctx.refuse(
        node,
        f"the method {name!r}",
        f"no rule is known for it on a value of kind {value.kind}",
        own if value.kind == OBJECT else meant(name, METHODS if name not in METHODS else (), "a NumPy function"),
    )


def _written(ctx: Lowering, file: Value, text: Entity, node: gast.AST) -> Value:
    """``file.write(text)`` as a print into the file, which tells people something, once."""
    apply(ctx, Static(print, "builtins.print"), [text], {"end": Const(""), "file": file}, node)
    return ctx.builder.call("builtins.len", ctx.value(text, node))


METHODS = [name for name in dir(np.ndarray) if not name.startswith("_")]


def exception(ctx: Lowering, node: gast.expr, args: list[gast.expr], keywords: Sequence[gast.keyword] = ()) -> Value:
    """An exception about to be raised."""
    known = lower(ctx, node)
    path = known.path if isinstance(known, Static) else "Exception"
    if isinstance(known, Static) and not path.startswith("builtins."):
        path = importable_path(known) or ctx.program.spell(path, known.payload)
    given = [lower_value(ctx, a) for a in args]
    named = {str(k.arg): lower_value(ctx, k.value) for k in keywords}
    if not path.startswith("builtins."):  # what a class of the user's is told is for people, too
        given = [_detached(ctx, value) for value in given]
        named = {name: _detached(ctx, value) for name, value in named.items()}
    cls = known.payload if isinstance(known, Static) else None
    if not path.startswith("builtins.") and isinstance(cls, type) and errors.are_plainly_made(cls):
        return ctx.builder.call("s2sad.error", global_of(Static(cls, path)), tuple(named), *given, *named.values())
    op = Call(target=path, args=given, kwargs=named, results=[Value(Other("object"))])
    ctx.builder.append(op)
    return op.results[0]


def _detached(ctx: Lowering, value: Value) -> Value:
    return ctx.builder.call("s2sad.runtime.stop_gradient", value) if is_differentiable(value.kind) else value


# --- users' functions


def user_call(
    ctx: Lowering,
    source: Any,
    scope: Any,
    args: list[Entity],
    kwargs: dict[str, Entity],
    node: gast.AST,
    live: Any = None,
) -> Entity:
    """A call of a function whose source is known: as a function of its own where values alone pass, else inlined."""
    given = Meanwhile(ctx, every=True)
    for entity in (*args, *kwargs.values()):
        given.keep(entity)
    result = call_as_pair(ctx, source, scope, args, kwargs, node, live)
    now = given.all()
    if result is not None:
        return result
    args, kwargs = now[: len(args)], dict(zip(kwargs, now[len(args) :], strict=True))
    return inline(ctx, source.node, None, (source, scope, live), args, kwargs, node)

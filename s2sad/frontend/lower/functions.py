"""Lowering whole functions: parameters, bodies, results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gast

from s2sad.errors import S2sadError
from s2sad.frontend import observe
from s2sad.frontend.constants import NO_LITERAL, display
from s2sad.frontend.entities import (
    Choice,
    Entity,
    ObjectKey,
    Static,
    Struct,
    flatten,
    structure_of,
    values_of,
)
from s2sad.frontend.loose_names import loose_readings
from s2sad.frontend.lower.changed_in_place import written_names
from s2sad.frontend.lower.choices import is_settled
from s2sad.frontend.lower.control import fail
from s2sad.frontend.lower.dispatch import block
from s2sad.frontend.lower.lists import SHARED, lists_in
from s2sad.frontend.lower.maps import as_map
from s2sad.frontend.lower.maybe import is_maybe
from s2sad.frontend.lower.nesting import forget, packed, refuse_shown
from s2sad.frontend.lower.outside import apart, enter
from s2sad.frontend.lower.parts import (
    as_struct,
    parse_path,
    part_name,
    records_in,
    replace_part,
    seal,
    stands_twice,
    take_apart,
)
from s2sad.frontend.lower.signatures import (
    array_made,
    computed,
    default_of,
    local_names,
    normal_form,
    parameters_of,
)
from s2sad.frontend.lower.state import Computed, Lowering, Maps, Program, Repeats, ReturnsFunctions, global_of
from s2sad.frontend.normal.names import loop_names
from s2sad.frontend.resolve import LiveScope, Scope
from s2sad.frontend.source import Source
from s2sad.ir.kinds import (
    UNFILLED,
    UNKNOWN,
    Kind,
    Singleton,
    StructKind,
    Tuple,
    is_differentiable,
)
from s2sad.ir.nodes import Block, Const, Function, Global, If, Param, Structure, Value
from s2sad.ir.walk import end_at_raise
from s2sad.rules.preludes import form_class
from s2sad.rules.structures import is_object, take_item

MAP_ROUNDS = 16


def lower_function(
    program: Program,
    source: Source,
    scope: Scope,
    kinds: dict[str, Kind | Entity],
    name: str,
    live: Any = None,
    free: Mapping[str, Kind] = {},
    whole: bool = False,
) -> tuple[Function, Structure]:
    """Lower a definition; ``kinds`` gives the kind of each parameter, or an entity known at compile time.

    ``free`` names what becomes a parameter to be differentiated: free variables, and parts of parameters (``self.w``).
    ``whole``: objects are returned as such, and not as what they consist of.
    """
    def attempt(maps: Maps) -> tuple[Function, Structure]:
        return _lower(program, source, scope, dict(kinds), name, live, free, whole, maps)

    return knowing_repeats(program, lambda: knowing_maps(program, attempt))


def knowing_repeats(program: Program, attempt: Callable[[], tuple[Function, Structure]]) -> tuple[Function, Structure]:
    """Lower a function again when it turns out that another cannot be lowered at the place of its call."""
    while True:
        try:
            return attempt()
        except Repeats as signal:
            program.repeating.add(signal.place)


def knowing_maps(program: Program, attempt: Callable[[Maps], tuple[Function, Structure]]) -> tuple[Function, Structure]:
    """Lower a function again when it turns out which dicts have computed keys, and what they hold."""
    maps = Maps()
    callees, names = set(program.callees), dict(program.names)
    for round_ in range(MAP_ROUNDS):
        try:
            result = attempt(maps)
        except Computed as signal:
            if signal.maps is not maps:
                raise
            maps.found[signal.place] = UNFILLED
        except S2sadError:
            if not maps.again() or round_ == MAP_ROUNDS - 1:
                raise
        else:
            if not maps.again() or round_ == MAP_ROUNDS - 1:
                return result
        maps.begin()
        for key in [key for key in program.callees if key not in callees]:
            del program.callees[key]  # lowered with another idea of what the dicts hold
        program.names = dict(names)
    raise S2sadError(
        "what the dicts of this program hold cannot be settled", why="each attempt to lower it shows more of it",
        instead="dicts that are made with all their keys, or objects",
    )  # fmt: skip


def _lower(
    program: Program,
    source: Source,
    scope: Scope,
    kinds: dict[str, Kind | Entity],
    name: str,
    live: Any,
    free: Mapping[str, Kind],
    whole: bool,
    maps: Maps,
) -> tuple[Function, Structure]:
    ctx = Lowering(program, source, scope, maps)
    ctx.tapes = name in program.nested
    definition = normal_form(source.node, source)
    frame = ctx.frame
    frame.locals, frame.written, frame.loop_names = local_names(definition), written_names(definition), loop_names(definition)
    frame.loose = loose_readings(source.node)
    if whole:
        enter(ctx)
    params: list[Param] = []
    a = definition.args
    if a.vararg is not None and a.vararg.id not in kinds:
        kinds[a.vararg.id] = Tuple(())
    if a.kwarg is not None and a.kwarg.id not in kinds:
        kinds[a.kwarg.id] = StructKind((), ())
    defaults = _default_values(ctx, definition, live)
    only_keyword = {p.id for p in a.kwonlyargs}
    for parameter in parameters_of(definition):
        given = kinds.get(parameter.id, UNKNOWN)
        if not isinstance(given, Kind):
            ctx.variables[(ctx.frame, parameter.id)] = given
            if isinstance(given, Static):
                continue
        value = Value(given if isinstance(given, Kind) else UNKNOWN, parameter.id)
        if isinstance(given, Kind):
            params.append(Param(value, defaults.get(parameter.id), parameter.id in only_keyword))
            ctx.at(source.node)
            entity = as_map(ctx, take_apart(ctx, value), parameter.id)
            _only_for(ctx, value, parameter.id)
            if not whole:
                ctx.callers |= lists_in(ctx, entity)
            if whole and parameter.id in shared_defaults(live):
                keep_default(ctx, entity)
            ctx.variables[(ctx.frame, parameter.id)] = entity
            if whole and ctx.program.from_files and parameter in (a.vararg, a.kwarg):
                params[-1].default = Const(() if parameter is a.vararg else None)
                stars = "*" if parameter is a.vararg else "**"
                message = f"this derivative of {source.node.name} is made for calls without {stars}{parameter.id}"
                refusal = If(cond=value, loc=ctx.builder.loc)  # no assertion, which ``python -O`` leaves out
                with ctx.builder.inside(refusal.then):
                    fail(ctx, TypeError, message)
                ctx.builder.append(refusal)
    if free:
        program.free.clear()
    for free_name, kind in free.items():
        value = Value(kind, part_name(free_name))
        params.append(Param(value, None, True))
        root, path = parse_path(free_name)
        if path:
            replace_part(ctx, ctx.variables[(ctx.frame, root)], path, take_apart(ctx, value), free_name)
        else:
            ctx.variables[(ctx.frame, free_name)] = take_apart(ctx, value)
            if isinstance(scope, LiveScope):
                program.free.append((observe.space_of(scope.function, free_name), (ctx.frame, free_name)))
    return lowered_body(ctx, definition, name, params, whole)


def _only_for(ctx: Lowering, value: Value, path: str) -> None:
    """A check at entry that flags have the values for which a program is made: it may be exported, and called with others.

    So may functions and members of enumerations be, for which the log speaks in one that is not.
    """
    kind = value.kind
    if isinstance(kind, Singleton) and _is_asked_for(ctx, kind):
        of_flag = type(kind.payload) in observe.FLAGS
        known = Const(kind.payload) if of_flag else ctx.value(Static(kind.payload, observe.path_of(kind.payload)), None)
        refusal = If(cond=ctx.builder.call("operator.ne" if of_flag else "operator.is_not", value, known), loc=ctx.builder.loc)
        with ctx.builder.inside(refusal.then):
            fail(ctx, ValueError, f"this derivative of {ctx.frame.source.node.name} is made for {path} = {kind.payload!r}")
        ctx.builder.append(refusal)
    if not kind.fixed or not _holds_known(ctx, kind):
        return
    of_object = is_object(kind)
    for key, inner in zip(kind.keys, kind.inner, strict=True):
        part = take_item(ctx.builder, value, key, inner)
        _only_for(ctx, part, f"{path}.{key}" if of_object else f"{path}[{key!r}]")


def _is_asked_for(ctx: Lowering, kind: Singleton) -> bool:
    return ctx.program.exported or type(kind.payload) in observe.FLAGS


def _holds_known(ctx: Lowering, kind: Kind) -> bool:
    """Test for the kind of a value for which a program is made, or of what holds one."""
    if kind.fixed:
        return any(_holds_known(ctx, inner) for inner in kind.inner)
    return isinstance(kind, Singleton) and _is_asked_for(ctx, kind)


def keep_default(ctx: Lowering, entity: Entity) -> None:
    """A parameter of the program whose default can be changed: nothing may be written into it."""
    ctx.program.defaults.add(entity)
    if not isinstance(entity, Value):
        seal(ctx, entity, SHARED)


def shared_defaults(function: Any) -> set[str]:
    """The parameters whose defaults are objects that can be changed."""
    return set() if function is None else observe.shared_defaults(function)


def lowered_body(
    ctx: Lowering, definition: gast.FunctionDef, name: str, params: list[Param], whole: bool = False
) -> tuple[Function, Structure]:
    """The function of a definition in normal form whose parameters have been bound."""
    source = ctx.frame.source
    try:
        block(ctx, definition.body)
    except S2sadError as error:
        raise error.locate(ctx.builder.loc or source.location(definition)) from None
    result = _result(ctx)
    with ctx.builder.inside(Block()) as entry:
        if ctx.assigned:
            _guard(ctx, [p.value for p in params])
        if whole:
            apart(ctx, [p.value for p in params])
    ctx.block.ops[:0] = entry.ops
    returned = packed(ctx, _returned(ctx, result, whole), ctx.program.nested.get(name, {}))
    by_object = _has_objects_for_keys(returned)
    if whole and by_object:
        ctx.refuse(definition, "returning a dict with objects for keys", "they are known only at compile time", "its items")
    if not whole and stands_twice(ctx, result):
        raise ReturnsFunctions(
            "returning one object, or list, in two places here is not supported", location=source.location(definition),
            why="the caller would have two, of which one does not see what the other is given", instead="it, once",
        )  # fmt: skip
    if not whole and (by_object or not is_settled(returned)):
        several = isinstance(returned, Choice)
        raise ReturnsFunctions(
            f"returning {'one of several things' if several else 'a function'} here is not supported",
            location=source.location(definition), why="which one it is, is not known where it is called",
            instead="the same structure on all paths" if several else "a call of the function itself",
        )  # fmt: skip
    ctx.block.yields = [ctx.value(leaf, definition, "what is returned") for leaf in flatten(returned)]
    structure = structure_of(returned)
    function = Function(name, params, ctx.block, structure, source.doc, source.file, source.comments, called=source.name)
    function.gives_back = not whole and any(box.sealed or box.origin is not None for box in records_in(result, ctx.variables))
    try:
        refuse_shown(function, whole)
    except S2sadError as error:
        raise error.locate(source.location(definition)) from None
    if whole:
        forget(function)
    return function, structure


def _result(ctx: Lowering) -> Entity:
    """The entity that a function returns: a number, which nobody sees, where it always raises."""
    return Const(0.0) if end_at_raise(ctx.block) else ctx.frame.result or Const(None)


def _guard(ctx: Lowering, params: list[Value]) -> None:
    """A check at entry that no object whose fields are assigned is an argument twice."""
    structured = [v for v in params if v.kind.container]
    if structured:
        ctx.builder.call("s2sad.runtime.assert_separate", ", ".join(v.name or "_" for v in structured), *structured)


def _returned(ctx: Lowering, entity: Entity, whole: bool) -> Entity:
    """The returned entity, as an aggregate of its leaves; objects are leaves where they are returned to the user."""
    now = as_struct(ctx, entity)
    return _lists_of_one(ctx, _objects_as_leaves(ctx, now)) if whole else now


def _has_objects_for_keys(entity: Entity) -> bool:
    if not isinstance(entity, Struct):
        return False
    return any(isinstance(key, ObjectKey) for key in entity.keys) or any(map(_has_objects_for_keys, entity.items))


def _lists_of_one(ctx: Lowering, entity: Entity) -> Entity:
    """The entity with lists that hold at most one thing with a derivative as values: their adjoint is a list as well."""
    if not isinstance(entity, Struct):
        return entity
    if entity.kind == "list" and sum(is_differentiable(v.kind) for v in values_of(entity)) == 1:
        return ctx.value(entity, None, "what is returned")
    return Struct([_lists_of_one(ctx, item) for item in entity.items], entity.kind, entity.keys, entity.cls, entity.sort)


def returned_leaves(ctx: Lowering, entity: Entity) -> tuple[list[Value], Structure]:
    """The results for a caller of ours: run-time values, and how they are put together."""
    returned = _returned(ctx, entity, whole=False)
    _refuse_choice(ctx, returned)
    return [ctx.value(leaf, ctx.frame.source.node, "what is returned") for leaf in flatten(returned)], structure_of(returned)


def _objects_as_leaves(ctx: Lowering, entity: Entity) -> Entity:
    _refuse_choice(ctx, entity)
    if not isinstance(entity, Struct) or is_maybe(entity):
        return ctx.value(entity, None, "what is returned") if is_maybe(entity) else entity
    if entity.cls is not None and not form_class(entity.cls):
        items = [ctx.value(_objects_as_leaves(ctx, item), None, "what is returned") for item in entity.items]
        return ctx.record(entity.cls, entity.keys, items)
    if entity.kind == "object" or entity.cls is not None:
        raise S2sadError(
            "returning this object is not supported", location=ctx.builder.loc,
            why="it is made by a library, and only some of its fields are known", instead="its fields, by name",
        )  # fmt: skip
    return Struct([_objects_as_leaves(ctx, item) for item in entity.items], entity.kind, entity.keys, sort=entity.sort)


def _refuse_choice(ctx: Lowering, entity: Entity) -> None:
    for item in entity.items if isinstance(entity, Struct) and not is_maybe(entity) else ():
        _refuse_choice(ctx, item)
    if isinstance(entity, Choice):
        names = ", ".join(map(str, entity.labels))
        ctx.refuse(
            ctx.frame.source.node, "a result of which only running the program tells what it consists of",
            f"which of {names} it is, is known only then", "return statements that give one structure on every path",
        )  # fmt: skip


def _default_values(ctx: Lowering, definition: gast.FunctionDef, live: Any) -> dict[str, Value]:
    """Defaults that the generated signature can show: literals."""
    a = definition.args
    positional = [*a.posonlyargs, *a.args]
    pairs = [*zip(positional[len(positional) - len(a.defaults) :], a.defaults, strict=True)]
    pairs += [(p, d) for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is not None]
    found: dict[str, Value] = {}
    for parameter, node in pairs:
        try:
            entity = default_of(ctx, parameter.id, node, live, None)
        except S2sadError:
            if live is not None:
                raise
            value = display(gast.gast_to_ast(node))
            for known in (computed, array_made):
                value = known(ctx, gast.gast_to_ast(node)) if value is NO_LITERAL else value
            if value is not NO_LITERAL:
                found[parameter.id] = Const(value)
            continue  # computed when a file that is not executed would define the function: it has to be passed
        if isinstance(entity, Const):
            found[parameter.id] = entity
        elif isinstance(entity, Global):
            plain = isinstance(entity.payload, bool | int | float | complex | str)
            found[parameter.id] = Const(entity.payload) if plain else entity
        elif isinstance(entity, Static):
            found[parameter.id] = global_of(entity)
    return found

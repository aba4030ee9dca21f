"""Lowering whole functions: parameters, bodies, results; and calls of users' functions as functions of their own."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import fields
from typing import Any

import gast

from s2sad.errors import S2sadError
from s2sad.frontend.entities import Aggregate, Entity, Known, flatten, rebuild, structure_of
from s2sad.frontend.lower.dispatch import block
from s2sad.frontend.lower.maybe import MAYBE, is_maybe
from s2sad.frontend.lower.parts import frozen, parse_path, part_name, replace_part, take_apart, thawed
from s2sad.frontend.lower.signatures import (
    bind_arguments,
    default_of,
    local_names,
    normal_form,
    parameters_of,
)
from s2sad.frontend.lower.state import Callee, Lowering, Program, global_of
from s2sad.frontend.resolve import Scope
from s2sad.frontend.source import Source
from s2sad.ir.kinds import (
    BOTTOM,
    UNKNOWN,
    Array,
    Dict,
    Dim,
    Kind,
    List,
    Other,
    Scalar,
    Slice,
    Tuple,
    is_many,
    join,
)
from s2sad.ir.nodes import LEAF, Block, Const, Function, Global, Param, Structure, Value

# --- whole functions


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
    lw = Lowering(program, source, scope)
    definition = normal_form(source.node, source)
    lw.frame.locals = local_names(definition)
    params: list[Param] = []
    a = definition.args
    if a.vararg is not None and a.vararg.id not in kinds:
        kinds[a.vararg.id] = Tuple(())
    if a.kwarg is not None and a.kwarg.id not in kinds:
        kinds[a.kwarg.id] = Dict((), ())
    defaults = _default_values(lw, definition, live)
    only_keyword = {p.id for p in a.kwonlyargs}
    for parameter in parameters_of(definition):
        given = kinds.get(parameter.id, UNKNOWN)
        if not isinstance(given, Kind):
            lw.variables[(lw.frame, parameter.id)] = given
            if isinstance(given, Known):
                continue
        value = Value(given if isinstance(given, Kind) else UNKNOWN, parameter.id)
        if isinstance(given, Kind):
            params.append(Param(value, defaults.get(parameter.id), parameter.id in only_keyword))
            lw.at(source.node)
            lw.variables[(lw.frame, parameter.id)] = take_apart(lw, value)
    for free_name, kind in free.items():
        value = Value(kind, part_name(free_name))
        params.append(Param(value, None, True))
        root, path = parse_path(free_name)
        if path:
            replace_part(lw, lw.variables[(lw.frame, root)], path, take_apart(lw, value), free_name)
        else:
            lw.variables[(lw.frame, free_name)] = take_apart(lw, value)
    try:
        block(lw, definition.body)
    except S2sadError as error:
        raise error.locate(lw.builder.loc or source.location(source.node)) from None
    result = lw.frame.result if lw.frame.result is not None else Const(None)
    if lw.assigned:
        _guard(lw, [p.value for p in params])
    returned = _returned(lw, result, whole)
    lw.block.yields = [lw.value(leaf, source.node, "what is returned") for leaf in flatten(returned)]
    structure = structure_of(returned)
    function = Function(name, params, lw.block, structure, source.doc, source.file, source.comments)
    return function, structure


def _guard(lw: Lowering, params: list[Value]) -> None:
    """A check at entry that no object whose fields are assigned is an argument twice."""
    structured = [v for v in params if isinstance(v.kind, Dict | Tuple | List)]
    with lw.builder.inside(Block()) as entry:
        lw.builder.call("s2sad.runtime.assert_separate", ", ".join(v.name or "_" for v in structured), *structured)
    lw.block.ops[:0] = entry.ops


def may_be_none(structure: Structure) -> bool:
    """Whether a function returns None on some paths and a structure on others."""
    return structure.kind == MAYBE or any(map(may_be_none, structure.items))


def _returned(lw: Lowering, entity: Entity, whole: bool) -> Entity:
    """What is returned, as an aggregate of its leaves; objects are leaves where they are returned to the user."""
    now = frozen(lw, entity)
    return _objects_as_leaves(lw, now) if whole else now


def _objects_as_leaves(lw: Lowering, entity: Entity) -> Entity:
    if not isinstance(entity, Aggregate) or is_maybe(entity):
        return lw.value(entity, None, "what is returned") if is_maybe(entity) else entity
    if entity.cls is not None:
        items = [lw.value(_objects_as_leaves(lw, item), None, "what is returned") for item in entity.items]
        return lw.record(entity.cls, entity.keys, items)
    return Aggregate([_objects_as_leaves(lw, item) for item in entity.items], entity.kind, entity.keys)


def _default_values(lw: Lowering, definition: gast.FunctionDef, live: Any) -> dict[str, Value]:
    """Defaults that the generated signature can show: literals."""
    a = definition.args
    positional = [*a.posonlyargs, *a.args]
    pairs = [*zip(positional[len(positional) - len(a.defaults) :], a.defaults, strict=True)]
    pairs += [(p, d) for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is not None]
    found: dict[str, Value] = {}
    for parameter, node in pairs:
        entity = default_of(lw, parameter.id, node, live, None)
        if isinstance(entity, Const):
            found[parameter.id] = entity
        elif isinstance(entity, Global) and entity.resolved:
            literal = isinstance(entity.payload, bool | int | float | complex | str)
            found[parameter.id] = Const(entity.payload) if literal else entity
        elif isinstance(entity, Known):
            found[parameter.id] = global_of(lw, entity)
    return found


# --- calls as functions of their own


def call_as_pair(
    lw: Lowering,
    source: Source,
    scope: Scope,
    args: list[Entity],
    kwargs: dict[str, Entity],
    node: gast.AST,
    live: Any,
) -> Entity | None:
    """Call a function that gets its own derivative pair; None if it has to be inlined."""
    if source.node.args.vararg is not None or source.node.args.kwarg is not None:
        return None
    bound = bind_arguments(lw, source.node, args, kwargs, node, live)
    if not all(_passable(leaf) for entity in bound.values() for leaf in flatten(entity)):
        return None
    plain = {name: entity for name, entity in bound.items() if not _constant(entity)}
    kinds: dict[str, Kind] = {name: _argument_kind(entity) for name, entity in bound.items()}
    key = (
        source.file,
        source.node.lineno,
        source.node.col_offset,
        id(live),
        tuple((k, _key(v)) for k, v in kinds.items()),
    )
    callee = lw.program.callees.get(key)
    if callee is None:
        callee = _lower_callee(lw, source, scope, dict(kinds), key, live)
    elif callee.function is None:
        callee.recursive = True
    if callee.inline:
        return None
    values = [lw.value(entity, node) for entity in bound.values()]
    if callee.function is None:
        if callee.kinds is None:
            raise _Recursion(callee)
        if callee.placeholder is None:
            callee.placeholder = Function(callee.name, [], lw.block)
        (result,) = lw.builder.call_function(callee.placeholder, values, callee.kinds)
        return result
    results = lw.builder.call_function(callee.function, values, [v.kind for v in callee.function.body.yields])
    del plain
    shape = structure_entity(callee.function.returns)
    return thawed(lw, rebuild(shape, iter(results)))


class _Recursion(Exception):
    """A recursive call was met before the kind of its result is known."""

    def __init__(self, callee: Callee) -> None:
        self.callee = callee


def _lower_callee(
    lw: Lowering, source: Source, scope: Scope, kinds: dict[str, Kind], key: Hashable, live: Any
) -> Callee:
    """Lower a callee once for these kinds; a recursive one again, until the kind of its result is stable.

    At first a recursive call gives nothing at all, so that the kind is that of the cases without recursion.
    """
    callees = lw.program.callees
    callee = callees[key] = Callee(lw.program.unique(source.name))
    before = set(callees)
    for attempt in range(8):
        for other in [k for k in callees if k not in before]:
            del callees[other]  # lowered with another idea of what this one gives
        try:
            function, structure = lower_function(lw.program, source, scope, dict(kinds), callee.name, live)
        except _Recursion as request:
            if request.callee is not callee:
                del callees[key]
                raise
            callee.kinds = [BOTTOM]
            continue
        except S2sadError:
            if callee.kinds in (None, [UNKNOWN]):
                raise
            callee.kinds = [UNKNOWN]
            continue
        for param in function.params:
            param.keyword_only = False  # it is called with all arguments in order
        if not callee.recursive or callee.kinds in (None, [UNKNOWN]) or structure != LEAF:
            break
        found = join(callee.kinds[0], without_sizes(function.body.yields[0].kind))
        if [found] == callee.kinds and found != BOTTOM:
            break
        callee.kinds = [UNKNOWN] if found == BOTTOM or attempt > 4 else [found]
    if callee.recursive:
        if structure != LEAF:
            raise S2sadError(
                f"the recursive function {source.name} returns several values", location=source.location(source.node),
                why="its recursive calls are lowered before their number is known", instead="return one array or number",
            )  # fmt: skip
        if callee.placeholder is not None:  # recursive calls refer to it: it becomes the function
            for slot in fields(Function):
                setattr(callee.placeholder, slot.name, getattr(function, slot.name))
            function = callee.placeholder
    callee.function = function
    callee.inline = not callee.recursive and (may_be_none(structure) or lw.program.inline(function))
    if callee.recursive and lw.program.writes(function):
        raise S2sadError(
            f"the recursive function {source.name} writes into its arguments",
            location=source.location(source.node), why="its calls share memory across the recursion",
            instead="copy the argument, and return the result",
        )  # fmt: skip
    return callee


def _passable(entity: Entity) -> bool:
    return isinstance(entity, Value)


def _constant(entity: Entity) -> bool:
    return isinstance(entity, Const)


def _argument_kind(entity: Entity) -> Kind:
    if isinstance(entity, Aggregate):
        kinds = tuple(map(_argument_kind, entity.items))
        return Tuple(kinds, entity.kind == "list", entity.keys, entity.cls)
    assert isinstance(entity, Value)
    return forget_sizes(entity.kind)


def without_sizes(kind: Kind) -> Kind:
    """A kind with nothing but the number of axes."""
    if isinstance(kind, Array):
        return Array(kind.dtype, None if kind.shape is None else (None,) * len(kind.shape))
    return forget_sizes(kind)


def forget_sizes(kind: Kind) -> Kind:
    """A kind as a callee may rely on it: sizes keep only whether they may be 1."""
    if isinstance(kind, Scalar):
        return Scalar(kind.dtype, kind.weak)
    if isinstance(kind, Array) and kind.shape is not None:
        sizes = [
            1 if n == 1 else Dim(("axis", k), many=True) if is_many(n) else None
            for k, n in enumerate(kind.shape)
        ]
        return Array(
            kind.dtype, tuple(s if not isinstance(s, Dim) else Dim(object(), many=True) for s in sizes)
        )
    if isinstance(kind, Tuple):
        return Tuple(tuple(map(forget_sizes, kind.items)), kind.listed, kind.names, kind.cls)
    if isinstance(kind, List):
        return List(forget_sizes(kind.item))
    return kind


def _key(kind: Kind) -> Hashable:
    """A kind as a key: many-ness of sizes, not their symbols."""
    if isinstance(kind, Array) and kind.shape is not None:
        return ("array", kind.dtype, tuple(1 if n == 1 else is_many(n) for n in kind.shape))
    if isinstance(kind, Tuple):
        return ("tuple", tuple(map(_key, kind.items)), kind.cls)
    if isinstance(kind, List):
        return ("list", _key(kind.item))
    if isinstance(kind, Slice | Other):
        return repr(kind)
    return kind


def structure_entity(structure: Structure) -> Entity:
    """An entity of a returned structure, to be filled with results."""
    if structure.kind == "leaf":
        return Const(None)
    items = [structure_entity(item) for item in structure.items]
    return Aggregate(items, structure.kind, structure.keys, structure.cls)

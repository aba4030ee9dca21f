"""Lowering whole functions: parameters, bodies, results; and calls of users' functions as functions of their own."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import fields
from typing import Any

import gast

from s2sad.errors import S2sadError
from s2sad.frontend.entities import Aggregate, Box, Entity, Known, flatten, rebuild, structure_of
from s2sad.frontend.lower.dispatch import block
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
from s2sad.ir.kinds import NONE, UNKNOWN, Array, Dict, Dim, Kind, List, Other, Scalar, Slice, Tuple, is_many
from s2sad.ir.nodes import LEAF, Const, Function, Global, Param, Structure, Value

# --- whole functions


def lower_function(
    program: Program,
    source: Source,
    scope: Scope,
    kinds: dict[str, Kind | Entity],
    name: str,
    live: Any = None,
    free: Mapping[str, Kind] = {},
) -> tuple[Function, Structure]:
    """Lower a definition; ``kinds`` gives the kind of each parameter, or an entity known at compile time.

    ``free`` names free variables that become parameters, to be differentiated.
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
        value = Value(kind, free_name)
        params.append(Param(value, None, True))
        lw.variables[(lw.frame, free_name)] = take_apart(lw, value)
    try:
        block(lw, definition.body)
    except S2sadError as error:
        raise error.locate(lw.builder.loc or source.location(source.node)) from None
    result = lw.frame.result if lw.frame.result is not None else Const(None)
    leaves = [lw.value(leaf, source.node, "what is returned") for leaf in flatten(_returned(lw, result))]
    lw.block.yields = leaves
    structure = structure_of(_returned(lw, result))
    function = Function(name, params, lw.block, structure, source.doc, source.file, source.comments)
    return function, structure


def _returned(lw: Lowering, entity: Entity) -> Entity:
    if isinstance(entity, Box) and entity.kind == "object":
        raise S2sadError(
            "returning an object is not supported",
            why="only numbers, arrays and containers of them are",
            instead="return its fields",
        )
    if isinstance(entity, Box):
        return Aggregate(
            [_returned(lw, lw.variables[(entity, k)]) for k in entity.keys], "dict", tuple(entity.keys)
        )
    if isinstance(entity, Aggregate):
        return Aggregate([_returned(lw, item) for item in entity.items], entity.kind, entity.keys)
    return entity


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


def take_apart(lw: Lowering, value: Value) -> Entity:
    """A parameter that is a tuple or dict, as an aggregate of its items."""
    if isinstance(value.kind, Tuple):
        items: list[Entity] = []
        for k, kind in enumerate(value.kind.items):
            item = lw.builder.call("operator.getitem", value, Const(k))
            item.kind, item.name = kind, f"{value.name}_{k}"
            items.append(take_apart(lw, item))
        return Aggregate(items, "list" if value.kind.listed else "tuple")
    if isinstance(value.kind, Dict):
        box = Box(
            "record", "object" if value.kind.cls else "dict", cls=value.kind.cls, keys=list(value.kind.keys)
        )
        for key, kind in zip(value.kind.keys, value.kind.items, strict=True):
            item = lw.builder.call(
                "s2sad.attribute" if value.kind.cls else "operator.getitem", value, Const(key)
            )
            item.kind = kind
            item.name = f"{value.name}_{key}" if str(key).isidentifier() else f"{value.name}_item"
            lw.variables[(box, key)] = take_apart(lw, item)
        return box
    if value.kind == NONE:
        return Const(None)
    return value


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
    return rebuild(shape, iter(results))


class _Recursion(Exception):
    """A recursive call was met before the kind of its result is known."""

    def __init__(self, callee: Callee) -> None:
        self.callee = callee


def _lower_callee(
    lw: Lowering, source: Source, scope: Scope, kinds: dict[str, Kind], key: Hashable, live: Any
) -> Callee:
    """Lower a callee once for these kinds; a recursive one again, until the kind of its result is stable."""
    callee = lw.program.callees[key] = Callee(lw.program.unique(source.name))
    for _ in range(4):
        try:
            function, structure = lower_function(lw.program, source, scope, dict(kinds), callee.name, live)
        except _Recursion as request:
            if request.callee is not callee:
                del lw.program.callees[key]
                raise
            callee.kinds = [UNKNOWN]
            continue
        for param in function.params:
            param.keyword_only = False  # it is called with all arguments in order
        found = [v.kind for v in function.body.yields]
        if not callee.recursive or callee.kinds == found or callee.kinds == [UNKNOWN]:
            break
        callee.kinds = found
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
    callee.inline = not callee.recursive and lw.program.inline(function)
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
        return Tuple(tuple(map(_argument_kind, entity.items)), entity.kind == "list")
    assert isinstance(entity, Value)
    return forget_sizes(entity.kind)


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
        return Tuple(tuple(map(forget_sizes, kind.items)), kind.listed)
    if isinstance(kind, List):
        return List(forget_sizes(kind.item))
    return kind


def _key(kind: Kind) -> Hashable:
    """A kind as a key: many-ness of sizes, not their symbols."""
    if isinstance(kind, Array) and kind.shape is not None:
        return ("array", kind.dtype, tuple(1 if n == 1 else is_many(n) for n in kind.shape))
    if isinstance(kind, Tuple):
        return ("tuple", tuple(map(_key, kind.items)))
    if isinstance(kind, List):
        return ("list", _key(kind.item))
    if isinstance(kind, Slice | Other):
        return repr(kind)
    return kind


def structure_entity(structure: Structure) -> Entity:
    """An entity of a returned structure, to be filled with results."""
    if structure.kind == "leaf":
        return Const(None)
    return Aggregate([structure_entity(item) for item in structure.items], structure.kind, structure.keys)

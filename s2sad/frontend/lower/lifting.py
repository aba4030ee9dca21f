"""Lambda lifting: calls that hand over more than values, as calls of a function of its own (Johnsson, FPCA 1985).

    def area(w, lo, hi):                            def helper(lo, hi, w):
        def helper(lo, hi):                             mid = (lo + hi) / 2
            mid = (lo + hi) / 2          ==>            if hi - lo < 0.1: return exp(-w * mid) * (hi - lo)
            if hi - lo < 0.1: return ...                return helper(lo, mid, w) + helper(mid, hi, w)
            return helper(lo, mid) + helper(mid, hi)
        return helper(lo, hi)                       def area(w, lo, hi): return helper(lo, hi, w)

``Packing`` takes apart what a call hands over, and the variables that nested functions among it see: run-time values become
parameters, all else (functions, strings, None, classes) is known when the function is lowered, once for each choice of it.
``Packing.unpack`` puts the same together again inside, of the parameters. Objects and dicts are handed over as what they
hold; nothing may be assigned to them inside. What is captured may be read and, where it is an array or a list, written; names
of the function around may not be bound anew.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import gast

from s2sad.frontend.entities import (
    Bounded,
    Choice,
    Closure,
    Cursor,
    Entity,
    Fields,
    Iteration,
    Members,
    Method,
    Partial,
    Record,
    SourceFunction,
    Spread,
    Static,
    Struct,
    Top,
)
from s2sad.frontend.lower.callees import (
    call,
    callee_for,
    key_of,
    knowing_varying,
    known_kinds,
    place_of,
    without_sizes,
)
from s2sad.frontend.lower.functions import knowing_maps, knowing_repeats, lowered_body
from s2sad.frontend.lower.lists import check_kept
from s2sad.frontend.lower.parts import as_record, as_struct, take_apart
from s2sad.frontend.lower.signatures import frame_for, local_names, normal_form
from s2sad.frontend.lower.state import Callee, Computed, Frame, Lowering, Maps, Place
from s2sad.frontend.source import Source
from s2sad.ir.kinds import Array, Kind, List, Other, Tuple, forget_sizes, is_differentiable
from s2sad.ir.nodes import Const, Function, Global, Param, Structure, Value

SEALED = "it is handed over to a recursive function as what it holds"
Where = tuple[Any, Any, Any]  # source, scope, live function


@dataclass(frozen=True)
class Slot:
    """A run-time value: a parameter, by its position."""

    position: int


@dataclass(frozen=True, eq=False)
class Constant:
    """Something known at compile time."""

    entity: Entity


@dataclass(frozen=True, eq=False)
class Parts:
    """A tuple, list, dict or object, by its items."""

    items: tuple[Plan, ...]
    like: Struct


@dataclass(frozen=True, eq=False)
class NestedFunction:
    """A nested function: its definition, which frame it sees, and its defaults."""

    node: gast.FunctionDef
    frame: int
    defaults: dict[str, Plan]


@dataclass(frozen=True, eq=False)
class Given:
    """A function with some arguments given, or a method with its owner."""

    function: Plan
    args: tuple[Plan, ...]
    kwargs: dict[str, Plan]
    name: str = ""


@dataclass(frozen=True, eq=False)
class Wrapped:
    """A set or a queue: what is made around values."""

    cls: type[Members | Bounded]
    items: tuple[Plan, ...]


Plan = Slot | Constant | Parts | NestedFunction | Given | Wrapped


class Packing:
    """The packing of one call. ``values`` become arguments; ``key`` tells calls apart that need different functions."""

    def __init__(self, ctx: Lowering, node: gast.AST, place: Place) -> None:
        self.ctx = ctx
        self.place = place
        self.likeness: list[Hashable] = []  # the key, but for sizes
        self.node = node
        self.values: list[Value] = []
        self.names: list[str] = []
        self.key: list[Hashable] = []
        self.frames: list[tuple[Frame, dict[str, Plan | None]]] = []
        self.nested: dict[tuple[int, int], NestedFunction] = {}
        self.kept: list[Entity] = []  # what the key mentions by identity

    # --- outside

    def pack(self, entity: Entity, name: str, captured: bool = False) -> Plan:
        """The plan of one entity; ``captured``: it is the same in all calls within the function."""
        if isinstance(entity, Fields):
            why = "the object would not see what is written into it"
            what = f"{name!r}, the fields of an object as a dict, here"
            self.ctx.refuse(self.node, what, why, "the object, or a dict made of its fields")
        if isinstance(entity, Record):
            if entity.place is not None and not entity.keys:  # it is there to be filled
                raise Computed(self.ctx.maps, entity.place)
            entity = as_struct(self.ctx, entity)
        if isinstance(entity, Value):
            return self._value(entity, name, captured)
        if isinstance(entity, Struct):
            self.key.append(("parts", entity.kind, entity.keys, entity.cls, len(entity.items)))
            names = [str(k) for k in entity.keys] if len(entity.keys) == len(entity.items) else map(str, range(len(entity.items)))
            items = [self.pack(e, f"{name}_{k}", captured) for k, e in zip(names, entity.items, strict=True)]
            return Parts(tuple(items), entity)
        if isinstance(entity, Closure):
            return self._nested(entity)
        if isinstance(entity, Partial | Method):
            return self._given(entity, name)
        if isinstance(entity, Members | Bounded):
            self.key.append(("around", type(entity)))
            inner = {field.name: getattr(entity, field.name) for field in fields(entity)}
            return Wrapped(type(entity), tuple(self.pack(e, f"{name}_{k}", captured) for k, e in inner.items()))
        if isinstance(entity, Static | SourceFunction) or captured and not isinstance(entity, Choice | Cursor | Spread):
            return self._fixed(entity if not isinstance(entity, Iteration) else Top("an iterator can be used once"))
        self.ctx.refuse(
            self.node, f"handing over {name!r} to a recursive function", "it can be used once", "an array or a list"
        )

    def _value(self, value: Value, name: str, captured: bool) -> Plan:
        if _is_static(value, captured):
            return self._fixed(value)
        check_kept(self.ctx, value)
        shared = isinstance(value.kind, Array | List) and value in self.values  # the same memory is one parameter
        position = self.values.index(value) if shared else len(self.values)
        if not shared:
            self.values.append(value)
            base = name if name.isidentifier() else "item"
            taken = sum(other == base or other.startswith(f"{base}_of_") for other in self.names)
            self.names.append(base if not taken else f"{base}_of_{taken}")
        self.key.append(("slot", position, key_of(known_kinds(self.ctx, self.place, [value.kind])[0])))
        self.likeness.append(key_of(without_sizes(value.kind)))
        return Slot(position)

    def _fixed(self, entity: Entity) -> Plan:
        payload = entity.payload if isinstance(entity, Const | Static) else entity
        plain = isinstance(payload, str | bool | int | float | type(None)) or payload is ...
        self.key.append((type(payload), payload) if plain else id(payload))
        self.kept.append(entity)
        return Constant(entity)

    def _nested(self, closure: Closure) -> Plan:
        found = self.nested.get((id(closure.node), id(closure.frame)))
        number = self.frame(closure.frame)
        self.key.append(("nested", id(closure.node), number))
        if found is None:
            self.kept.append(closure)
            found = self.nested[(id(closure.node), id(closure.frame))] = NestedFunction(closure.node, number, {})
            found.defaults.update({k: self.pack(e, k) for k, e in closure.defaults.items()})
            self.capture(closure.frame, closure.node)
        return found

    def _given(self, entity: Partial | Method, name: str) -> Plan:
        if isinstance(entity, Method):
            self.key.append(("method", entity.name))
            return Given(self.pack(entity.owner, name), (), {}, entity.name)
        self.key.append(("partial", len(entity.args), tuple(entity.kwargs)))
        function = self.pack(entity.function, name)
        args = tuple(self.pack(e, f"{name}_{k}") for k, e in enumerate(entity.args))
        return Given(function, args, {k: self.pack(e, k) for k, e in entity.kwargs.items()})

    def frame(self, frame: Frame) -> int:
        """The number of a frame that nested functions see."""
        for number, (known, _) in enumerate(self.frames):
            if known is frame:
                return number
        self.frames.append((frame, {}))
        return len(self.frames) - 1

    def capture(self, frame: Frame, definition: gast.FunctionDef) -> None:
        """Hand over the variables of the functions around that a definition mentions."""
        refuse_rebinding(self.ctx, frame.source, definition)
        variables = self.frames[self.frame(frame)][1]
        for name in sorted(free_names(definition, frame.source) - set(variables)):
            entity = _visible(self.ctx, frame, name)
            if entity is not None:
                variables[name] = None  # a function may mention itself
                variables[name] = self.pack(entity, name, captured=True)
                self.key.append((self.frame(frame), name))

    def plain_key(self) -> list[Hashable]:
        """The key without the kinds of values."""
        return [part[:2] if isinstance(part, tuple) and part[0] == "slot" else part for part in self.key]

    # --- inside

    def params(self) -> list[Value]:
        """Parameters for the values."""
        return [Value(kind, name) for kind, name in zip(self.kinds, self.names, strict=True)]

    @cached_property
    def kinds(self) -> list[Kind]:
        """The kinds of the values, when all are packed, as the function may rely on them."""
        return known_kinds(self.ctx, self.place, [value.kind for value in self.values])

    def bind_frames(self, ctx: Lowering, params: list[Entity]) -> list[Frame]:
        """Frames in another lowering that hold what was captured, now made of its parameters."""
        made = [Frame(frame.source, frame.scope, definition=frame.definition) for frame, _ in self.frames]
        for frame, (_, variables) in zip(made, self.frames, strict=True):
            for name, plan in variables.items():
                assert plan is not None
                ctx.variables[(frame, name)] = self.unpack(ctx, plan, params, made)
        return made

    def unpack(self, ctx: Lowering, plan: Plan, params: list[Entity], frames: list[Frame]) -> Entity:
        """The entity that a plan describes, made of parameters."""

        def inner(part: Plan) -> Entity:
            return self.unpack(ctx, part, params, frames)

        if isinstance(plan, Slot):
            return params[plan.position]
        if isinstance(plan, Constant):
            return plan.entity
        if isinstance(plan, Parts):
            made = Struct([inner(p) for p in plan.items], plan.like.kind, plan.like.keys, plan.like.cls, plan.like.sort)
            return as_record(ctx, made, SEALED)
        if isinstance(plan, Wrapped):
            return plan.cls(*(ctx.value(inner(p), None) for p in plan.items))
        if isinstance(plan, NestedFunction):
            return Closure(plan.node, frames[plan.frame], {k: inner(p) for k, p in plan.defaults.items()})
        if plan.name:
            return Method(inner(plan.function), plan.name)
        return Partial(inner(plan.function), [inner(p) for p in plan.args], {k: inner(p) for k, p in plan.kwargs.items()})


def call_lifted(
    ctx: Lowering,
    definition: gast.FunctionDef,
    outer: Frame | None,
    where: Where | None,
    bound: dict[str, Entity],
    node: gast.AST,
) -> Entity | None:
    """Call a definition as a function of its own, which sees what it captures; None if it has to be inlined."""
    around = ctx.frame if outer is None else outer
    source, scope = (around.source, around.scope) if where is None else where[:2]
    place = place_of(definition, source)
    packing = Packing(ctx, node, place)

    def attempt() -> Callee:
        nonlocal packing
        packing = made = Packing(ctx, node, place)
        plans = {name: made.pack(entity, name) for name, entity in bound.items()}
        if outer is not None:
            made.capture(outer, definition)
        ctx.program.kept.append(made)

        def body(name: str, maps: Maps) -> tuple[Function, Structure]:
            inside = Lowering(ctx.program, source, scope, maps)
            inside.at(definition)
            params = made.params()
            entities = [take_apart(inside, value, SEALED) for value in params]
            frames = made.bind_frames(inside, entities)
            inside.frame = frame_for(definition, inside.frame if outer is None else frames[made.frame(outer)], where)
            for parameter, plan in plans.items():
                inside.variables[(inside.frame, parameter)] = made.unpack(inside, plan, entities, frames)
            function, structure = lowered_body(
                inside, normal_form(definition, source), name, [Param(value) for value in params]
            )
            function.doc = source.doc if definition is source.node else ""
            return function, structure

        def build(name: str) -> tuple[Function, Structure]:
            return knowing_repeats(ctx.program, lambda: knowing_maps(ctx.program, lambda maps: body(name, maps)))

        key, likeness = ("lifted", place, *made.key), ("lifted", place, *made.plain_key(), *made.likeness)
        return callee_for(ctx, key, made.kinds, likeness, place, source.location(definition), build)

    callee = knowing_varying(ctx, place, attempt)
    return None if callee.inline else call(ctx, callee, packing.values)


def signature(bound: dict[str, Entity], outer: Frame | None) -> Hashable:
    """A key that tells a call from another of the same definition: kinds of values, and what is known at compile time."""
    return (id(outer), *(_likeness(entity) for entity in bound.values()))


def _likeness(entity: Entity) -> Hashable:
    if isinstance(entity, Const):
        payload = entity.payload
        return key_of(entity.kind) if isinstance(payload, float | complex) else repr(payload)
    if isinstance(entity, Value):
        return key_of(forget_sizes(entity.kind))
    if isinstance(entity, Struct):
        return (entity.kind, entity.keys, entity.cls, *map(_likeness, entity.items))
    if isinstance(entity, Closure):
        return (id(entity.node), id(entity.frame))
    if isinstance(entity, Static):
        return id(entity.payload)
    return id(entity)


def _is_static(value: Value, captured: bool) -> bool:
    """Test for a value that is better known when the function is lowered than handed over."""
    if isinstance(value, Global):
        return captured or not is_differentiable(value.kind) or isinstance(value.kind, Other)
    if not isinstance(value, Const):
        return isinstance(value.kind, Other) and value.kind.name == "none"
    return captured or not _is_number(value.kind)


def _is_number(kind: Kind) -> bool:
    if isinstance(kind, Tuple):
        return all(map(_is_number, kind.items))
    return is_differentiable(kind) or str(kind) == "int"


# --- what nested functions see


def free_names(definition: gast.FunctionDef, source: Source) -> set[str]:
    """The names that a definition mentions and does not bind (or a nested one that has such a name itself)."""
    body = normal_form(definition, source)
    found = {n.id for s in body.body for n in gast.walk(s) if isinstance(n, gast.Name) and isinstance(n.ctx, gast.Load)}
    return found - local_names(body)


def _visible(ctx: Lowering, frame: Frame, name: str) -> Entity | None:
    """The entity to which a name is bound in the frames around a nested function."""
    at: Frame | None = frame
    while at is not None:
        found = ctx.variables.get((at, name))
        if found is not None or name in at.locals:
            return found
        at = at.outer
    return None


def refuse_rebinding(ctx: Lowering, source: Source, definition: gast.FunctionDef) -> None:
    """Refuse ``nonlocal`` names of a function around."""
    own = local_names(normal_form(definition, source))
    for node in gast.walk(definition):
        if isinstance(node, gast.Nonlocal) and (node in definition.body or not set(node.names) <= own):
            ctx.refuse(
                node, f"nonlocal in the recursive function {definition.name}",
                "its calls would bind a name of the function around anew", "return the new value",
            )  # fmt: skip

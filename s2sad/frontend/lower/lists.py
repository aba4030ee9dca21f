"""Lists: literals, concatenation, and how they grow, as loops of appends.

A list whose items have one kind (numbers, arrays, lists, tuples of those) exists when the program runs; one of mixed
things, or a literal of tuples that nobody changes, is an aggregate whose items are known one by one.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Container, Hashable, Mapping
from dataclasses import replace
from typing import NoReturn

import gast

from s2sad.errors import AliasError, UnsupportedSyntaxError
from s2sad.frontend import observe
from s2sad.frontend.entities import Choice, Closure, Entity, Method, Partial, Record, Spread, Struct, flatten
from s2sad.frontend.lower import control
from s2sad.frontend.lower.parts import holds_records, records_in, seal, take_apart, whole
from s2sad.frontend.lower.state import STAYS, Lowering, ReturnsFunctions
from s2sad.ir.kinds import (
    BOTTOM,
    NONE,
    RANGE,
    UNKNOWN,
    Array,
    Kind,
    List,
    Scalar,
    Slice,
    StructKind,
    Tuple,
    TupleOf,
    dtype_of,
    holds_tuples,
    is_differentiable,
    join,
)
from s2sad.ir.nodes import Value
from s2sad.rules.kind_rules import item_of

IN_A_LIST = "it is in a list, which holds what it was when it was put there"
SHARED = "its default is one object for all calls, and keeps what an earlier one left in it"
FROM_A_LIST = "it is in a list, and which one it is, is known only at run time"


# --- what a list holds


def hold(ctx: Lowering, items: Value, kind: Kind) -> None:
    """A list is given an item of this kind. Loops around are lowered again when that is news."""
    assert isinstance(items.kind, List)
    old = items.kind.item
    if (
        isinstance(old, StructKind)
        and isinstance(kind, StructKind)
        and (old.cls is not kind.cls or old.keys != kind.keys)
    ):
        raise UnsupportedSyntaxError(
            "a list of objects of several classes is not supported in a differentiated function", location=ctx.builder.loc,
            why="which fields or keys its items have is known only at run time", instead="a list for each",
        )  # fmt: skip
    if _is_blurred(old, item_kind(kind)):
        if old != UNKNOWN or items in ctx.births:
            _refuse_blurred(ctx)
        ctx.blurred.add(items)  # of the caller's: it is empty now, and holds what nobody follows
    new = join(old, item_kind(kind))
    if new != old:
        items.kind = replace(items.kind, item=new)
        ctx.note(items)
        if items in ctx.births:
            ctx.widened.append(ctx.births[items])
        if items in ctx.holders:
            hold(ctx, ctx.holders[items], items.kind)


def _refuse_blurred(ctx: Lowering) -> NoReturn:
    raise UnsupportedSyntaxError(
        "a list of tuples and other items, or tuples of other lengths, is not supported in a differentiated function",
        location=ctx.builder.loc, why="which of them an item is, and how many it has, is known only at run time",
        instead="lists in place of the tuples, filled by append where they stand in tuples",
    )  # fmt: skip


def _is_blurred(a: Kind, b: Kind) -> bool:
    """Possibility that a tuple with a derivative stands where something else may stand: adjoints are of one of them."""
    if isinstance(a, Tuple) and isinstance(b, Tuple) and len(a.items) == len(b.items):
        return any(map(_is_blurred, a.items, b.items))
    return join(a, b) == UNKNOWN and _is_active(*[kind for kind in (a, b) if isinstance(kind, Tuple)])


def _is_active(*kinds: Tuple) -> bool:
    """Possibility that something in tuples of these kinds has a derivative."""
    return any(is_differentiable(item) for kind in kinds for item in kind.items)


def item_kind(kind: Kind) -> Kind:
    """A kind as that of any item: of a number not its size, and what is None now may hold something later."""
    if kind == NONE:
        return UNKNOWN
    if isinstance(kind, Scalar):
        return replace(kind, size=None)
    if isinstance(kind, Tuple):
        return replace(kind, items=tuple(map(item_kind, kind.items)))
    return kind


def new_list(ctx: Lowering) -> Value:
    """A new, empty list."""
    fresh = made(ctx, [])
    fresh.kind = List(BOTTOM)
    return fresh


def append(ctx: Lowering, items: Value, entity: Entity, node: gast.AST | None) -> Value:
    """``items.append(entity)``."""
    value = as_item(ctx, entity, node, "what is appended")
    hold(ctx, items, value.kind)
    return ctx.builder.call("list.append", items, value)


def as_item(ctx: Lowering, entity: Entity, node: gast.AST | None, what: str) -> Value:
    """An entity as an item of a list; a list literal in this place is a list, which may be written later."""
    fresh = writable(ctx, entity)
    if isinstance(fresh, Record) and fresh.sealed == FROM_A_LIST and fresh.origin is not None:
        return fresh.origin
    if holds_records(fresh):
        value = whole(ctx, fresh, node)
        seal(ctx, fresh, IN_A_LIST)
        return value
    value = ctx.value(fresh, node, what)
    check_kept(ctx, value)
    return value


def listed(ctx: Lowering, length: Value, item: Callable[[Value], Entity], node: gast.AST | None) -> Value:
    """A new list of items that are read by index."""
    fresh = new_list(ctx)

    def one(index: Value) -> None:
        append(ctx, fresh, item(index), node)

    control.counted_loop(ctx, length, one, node)
    return fresh


# --- literals


def list_of(ctx: Lowering, items: list[Entity]) -> Entity:
    """A list literal: one kind of items makes a run-time list, mixed ones an aggregate that nothing may write."""
    if all(isinstance(item, Value) for item in items):
        values = [item for item in items if isinstance(item, Value)]
        kind: Kind = Array() if not values else values[0].kind
        for value in values[1:]:
            kind = join(kind, value.kind)
        if not values or isinstance(kind, Scalar) or (kind != UNKNOWN and not isinstance(kind, Array)):
            return made(ctx, values)
        alike = isinstance(kind, Array) and (kind.dtype is not None or any(dtype_of(v.kind) is None for v in values))
        if alike and isinstance(kind, Array) and kind.rank is not None:  # floats beside integers carry no derivative for these
            return made(ctx, values)
        if all(v.kind == UNKNOWN for v in values):
            return made(ctx, values)
    return display(ctx, items)


def displayed(
    ctx: Lowering, node: gast.AST, items: list[Entity], otherwise: Callable[[Lowering, list[Entity]], Entity]
) -> Entity:
    """``[a, b]``: a list whose items are known one by one, where that was found to be needed; else what ``otherwise`` makes.

    Where known loops are written out, each list is one.
    """
    place = (ctx.frame.source.file, getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
    if (STAYS, place) in ctx.program.displayed and place not in ctx.program.displayed:
        found: Entity = made(ctx, [as_item(ctx, item, node, "an item") for item in items])
    else:
        found = display(ctx, items) if _is_followed(ctx, place) else otherwise(ctx, items)
    if isinstance(found, Struct) and any(isinstance(item, Record) for item in items):
        ctx.gathered[found] = place
    ctx.literals[found] = place
    return found


def _is_followed(ctx: Lowering, place: Hashable) -> bool:
    """Test for a place where the items of the list that is made are known one by one as long as they can be."""
    return place in ctx.program.displayed or observe.written_out()


def display(ctx: Lowering, items: list[Entity]) -> Struct:
    """A list made here whose items are known one by one."""
    made_here = Struct(items, "list")
    ctx.displays.add(made_here)
    return made_here


def made(ctx: Lowering, values: list[Value]) -> Value:
    """The list of these values."""
    for value in values:
        check_kept(ctx, value)
    fresh = ctx.builder.call("builtins.list", *values)
    fresh.kind = List(item_kind(fresh.kind.item if isinstance(fresh.kind, List) else fresh.kind))  # of what no path has made yet
    ctx.births[fresh] = len(ctx.births)
    return fresh


def check_kept(ctx: Lowering, value: Value) -> None:
    """Refuse ``a.flat`` where it is only known as some array: parts of it are no windows. Raises UnsupportedSyntaxError."""
    if value in ctx.flats:
        raise UnsupportedSyntaxError(
            "a.flat in a list, or handed to a recursive function, is not supported", location=ctx.builder.loc,
            why="parts of it are copies, and what is stored into it reaches the array", instead="pass the array itself",
        )  # fmt: skip


def by_cells(ctx: Lowering, items: Value, index: Value) -> tuple[Value, Value]:
    """The cells of ``a.flat[places]`` and ``a.flat[1:3]``: those of ``a``, and no window; ``a.flat[k]`` is one item."""
    whole = ctx.flats.get(items)
    if whole is None or isinstance(index.kind, Scalar):
        return items, index
    return whole, ctx.builder.call("s2sad.runtime.flat_cells", whole, index)


def item_at(ctx: Lowering, items: Value, index: Value) -> Entity:
    """``items[index]`` of any sequence; what a list in a list is given, the outer one holds."""
    if items in ctx.blurred:
        _refuse_blurred(ctx)
    if isinstance(items.kind, Scalar) and not items.kind.weak:
        items = ctx.builder.call("numpy.asarray", items)  # NumPy's numbers take the subscripts of an array without axes
    item = ctx.builder.call("operator.getitem", *by_cells(ctx, items, index))
    if isinstance(items.kind, List) and isinstance(item.kind, StructKind):
        return taken(ctx, item, items)
    if isinstance(item.kind, List) and isinstance(items.kind, List) and not isinstance(index.kind, Slice):
        ctx.holders[item] = items
    return item


def taken(ctx: Lowering, item: Value, items: Value | None = None) -> Entity:
    """The item that came out of a list: of an object its fields, which can only be read."""
    found = take_apart(ctx, item, FROM_A_LIST) if isinstance(item.kind, StructKind) else item
    if isinstance(found, Record):
        found.listed = ctx.literals.get(items) if items is not None else None
    return found


def writable(ctx: Lowering, entity: Entity) -> Entity:
    """A list literal that is changed in place: a run-time list, if its items have one kind; else as it is."""
    if not isinstance(entity, Struct) or entity.kind != "list" or entity.cls is not None:
        return entity
    if entity in ctx.program.defaults:
        raise AliasError(
            "this writes into a default", location=ctx.builder.loc, why=SHARED, instead="None as the default, or pass it"
        )
    if entity in ctx.either:
        raise UnsupportedSyntaxError(
            "a change of one of several lists is not supported in a differentiated function", location=ctx.builder.loc,
            why="which of them it is, is known only when the program runs, and they have other names",
            instead="an if statement around what changes it, or a copy",
        )  # fmt: skip
    place = ctx.literals.get(entity)
    if _is_followed(ctx, place) or not all(isinstance(leaf, Value) for leaf in flatten(entity)):
        return entity
    values = [ctx.value(writable(ctx, item), None) for item in entity.items]
    kind: Kind = BOTTOM
    for value in values:
        kind = join(kind, item_kind(value.kind))
    if kind == UNKNOWN and not all(isinstance(v.kind, Scalar) or v.kind in (UNKNOWN, NONE) for v in values):
        return entity
    if entity in ctx.callers:
        raise ReturnsFunctions(
            "a change of this list is not supported in a differentiated function", location=ctx.builder.loc,
            why="the items that the caller knows are known one by one", instead="the changed list as a result",
        )  # fmt: skip
    fresh = made(ctx, values)
    if place is not None:
        ctx.literals[fresh] = place
    replace_list(ctx, entity, fresh, None)
    return fresh


def lists_in(ctx: Lowering, entity: Entity) -> set[Entity]:
    """The lists in a parameter whose items are known one by one."""
    if isinstance(entity, Struct):
        own = {entity} if entity.kind == "list" and entity.cls is None else set()
        return own.union(*(lists_in(ctx, item) for item in entity.items))
    fields = records_in(entity, ctx.variables) if isinstance(entity, Record) else ()
    inner = [ctx.variables[box, key] for box in fields for key in box.keys if (box, key) in ctx.variables]
    return set().union(*(lists_in(ctx, item) for item in inner if not isinstance(item, Record)))


def bound_writable(ctx: Lowering, bound: Mapping[str, Entity], written: Container[str]) -> dict[str, Entity]:
    """The entities of a call's parameters, with those that are ``written`` as ``writable``; one list stays one list."""
    box = Record("call")
    ctx.variables.update({(box, name): entity for name, entity in bound.items()})
    for name in bound:
        if name in written:
            ctx.variables[box, name] = writable(ctx, ctx.variables[box, name])
    return {name: ctx.variables.pop((box, name)) for name in bound}


def replace_list(ctx: Lowering, old: Entity, new: Entity, node: gast.AST | None) -> None:
    """Put another list in the place of one, under all names that it has."""
    for key, entity in list(ctx.variables.items()):
        ctx.variables[key] = _with(ctx, entity, old, new, node)
        if ctx.variables[key] is not entity:
            ctx.changed_lists.add(key)


def _with(ctx: Lowering, entity: Entity, old: Entity, new: Entity, node: gast.AST | None) -> Entity:
    if entity is old:
        return new
    if isinstance(entity, Struct) and type(entity) is Struct:
        items = [_with(ctx, item, old, new, node) for item in entity.items]
        same = all(a is b for a, b in zip(items, entity.items, strict=True))
        return entity if same else Struct(items, entity.kind, entity.keys, entity.cls, entity.sort)
    if isinstance(entity, Method) and entity.owner is old:
        return Method(new, entity.name)
    if any(_with(ctx, part, old, new, node) is not part for part in _parts(entity)):
        ctx.refuse(node, "this change of a list", "a function or an object that was made before holds it, too", "a new list")
    return entity


class Meanwhile:
    """The parts of an expression so far: where its other parts change a list whose items are known, that is seen here.

    ``g.append(g.pop())``: what is appended to is the list without its last item. ``every``: also where a list is replaced by
    one that exists when the program runs (``writable``).
    """

    def __init__(self, ctx: Lowering, every: bool = False) -> None:
        self.ctx, self.every = ctx, every
        box = Record("expression")
        self.box = box if ctx.progress is None else ctx.progress.once(box)
        self.found: list[Entity | None] = []  # None: among the variables, which follow what lists become

    def keep(self, entity: Entity) -> None:
        """Add what has been computed."""
        followed = self.every or self._is_followed(entity)
        if followed:
            self.ctx.variables[(self.box, len(self.found))] = entity
        self.found.append(None if followed else entity)

    def _is_followed(self, entity: Entity) -> bool:
        if isinstance(entity, Method):
            return self._is_followed(entity.owner)
        if isinstance(entity, Struct | Choice) and entity in self.ctx.displays:
            return True
        return type(entity) is Struct and any(map(self._is_followed, entity.items))

    def all(self) -> list[Entity]:
        """All parts so far, as they are now."""
        return [self.ctx.variables.pop((self.box, k)) if e is None else e for k, e in enumerate(self.found)]


def in_turn(ctx: Lowering, *parts: Entity | Callable[[], Entity]) -> list[Entity]:
    """Parts that are computed one after the other, as they are when all are: functions are called here, in their turn."""
    found = Meanwhile(ctx)
    for part in parts:
        found.keep(part() if isinstance(part, types.FunctionType) else part)  # type: ignore[arg-type]
    return found.all()


def _parts(entity: Entity) -> list[Entity]:
    """The parts of the list that a function keeps; of records the fields are variables."""
    if isinstance(entity, Partial):
        return [entity.function, *entity.args, *entity.kwargs.values()]
    if isinstance(entity, Closure):
        return list(entity.defaults.values())
    if isinstance(entity, Method) and not isinstance(entity.owner, Record):
        return [entity.owner]
    return list(entity.alternatives) if isinstance(entity, Choice) else []


def of_parts(ctx: Lowering, items: list[Entity], node: gast.AST) -> Value:
    """``[a, *xs, b]`` with parts of unknown length: a new list, filled piece by piece."""
    fresh = new_list(ctx)
    for entity in items:
        if isinstance(entity, Spread):
            extend(ctx, fresh, entity.items)
        else:
            append(ctx, fresh, entity, node)
    return fresh


def as_tuple(ctx: Lowering, made: Value, node: gast.AST) -> Value:
    """A list made now as a tuple of unknown length; one that may be an index is a tuple when the program runs."""
    assert isinstance(made.kind, List)
    made.kind = TupleOf(made.kind.item)
    if made.kind.item == UNKNOWN:
        ctx.ask_for_kind(node, "whether this tuple is an index is not known", "an index that is a list chooses items")
    return made if is_differentiable(made.kind.item) else ctx.builder.call("s2sad.runtime.tuple_of", made)


def as_shown(ctx: Lowering, value: Value, node: gast.AST) -> Value:
    """A value as what looks at its class finds it, a comparison or a text: a tuple of unknown length as one."""
    if not holds_tuples(value.kind):
        return value
    if not isinstance(value.kind, TupleOf) or holds_tuples(value.kind.item):
        ctx.refuse(node, "comparing, or showing, tuples of unknown length in others", "they are lists inside of the program",
                   "their items, one by one")  # fmt: skip
    return ctx.builder.call("s2sad.runtime.tuple_of", value)


# --- operations


def as_array(ctx: Lowering, value: Value) -> Value:
    """An operand beside what is NumPy's, as NumPy sees it: a list, tuple or range is an array."""
    sequence = isinstance(value.kind, List | Tuple | TupleOf) or value.kind == RANGE
    return ctx.builder.call("numpy.array", value) if sequence else value


def is_whole(kind: Scalar) -> bool:
    """Test for a kind of whole numbers, which repeat lists."""
    return kind.is_of("iub")


def list_operation(ctx: Lowering, op: type, x: Value, y: Value, node: gast.AST) -> Entity:
    """``xs + ys`` and ``[x] * n`` make new lists, filled by loops of appends."""
    fresh = new_list(ctx)
    if op is gast.Mult:
        items, count = (x, y) if isinstance(x.kind, List) else (y, x)
        fresh.kind = items.kind

        def repeat(_: Value) -> None:
            extend(ctx, fresh, items)

        control.counted_loop(ctx, count, repeat, node)
        return fresh
    fresh.kind = join(x.kind, y.kind)
    extend(ctx, fresh, x)
    extend(ctx, fresh, y)
    return fresh


def extend(ctx: Lowering, items: Value, more: Value) -> None:
    """``items.extend(more)`` as a loop of appends."""
    hold(ctx, items, more.kind.item if isinstance(more.kind, List) else item_of(more.kind))
    length = ctx.builder.call("builtins.len", more)

    def one(index: Value) -> None:
        ctx.builder.call("list.append", items, ctx.builder.call("operator.getitem", more, index))

    control.counted_loop(ctx, length, one, None)

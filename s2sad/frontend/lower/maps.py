"""Dicts whose keys are computed while the program runs: they exist then, as lists do, and not as variables for each key.

    hs = {}                                      hs = {}
    hs[-1] = h                     ==>           hs[-1] = h
    for t in range(n):                           for t in range(n):
        hs[t] = f(hs.get(t - 1, h))                  hs[t] = f(hs[t - 1] if t - 1 in hs else h)

A dict starts as a record (``dicts``), and the function is lowered again when it turns out that its keys are not known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import replace
from typing import Any, NoReturn

import gast

from s2sad.frontend.entities import (
    Closure,
    Entity,
    Iteration,
    Members,
    ObjectKey,
    Record,
    Static,
    Struct,
    Top,
    factory_of,
)
from s2sad.frontend.lower import control, growth
from s2sad.frontend.lower.arithmetic import arithmetic
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.lists import as_item, hold, taken
from s2sad.frontend.lower.parts import seal
from s2sad.frontend.lower.state import Computed, Lowering
from s2sad.ir.again import Again
from s2sad.ir.kinds import (
    BOTTOM,
    UNFILLED,
    UNSURE,
    Array,
    DictOf,
    Kind,
    List,
    Scalar,
    Slice,
    Sort,
    TupleOf,
    as_an_item,
    forget_sizes,
    is_differentiable,
    join,
    join_keys,
)
from s2sad.ir.nodes import Const, Value

GIVEN = "given"
STEPS = {"add": "s2sad.additem", "sub": "s2sad.subitem"}
CACHE = "the function without its cache, or a dict that it makes itself"
COUNTS = "a Counter counts there, as no other dict does, and it is one, or may be"
COPIED = "it is an item of a dict with computed keys, which would not see that"


# --- making them


def is_map(entity: Entity) -> bool:
    """Test for a dict with computed keys."""
    return isinstance(entity, Value) and isinstance(entity.kind, DictOf)


def class_of(kind: Kind) -> type:
    """The class of dicts of a kind."""
    return kind.sort.cls if isinstance(kind, DictOf) and kind.sort is not None else dict


def is_dict(entity: Entity) -> bool:
    """Test for a dict of either sort."""
    return is_map(entity) or isinstance(entity, Record) and entity.kind == "dict"


def wanted(ctx: Lowering, place: Hashable) -> bool:
    """Test for a place where the dict that is made has turned out to have computed keys."""
    return place in ctx.maps.known


def compute(ctx: Lowering, box: Record, node: object) -> NoReturn:
    """A record is used with computed keys: make it a dict with those from the beginning. Refuses where it cannot be."""
    if outlasts(box):
        refuse_cache(ctx, node)
    if box.place is None or box.sealed:
        ctx.refuse(node, "a computed key into a dict", box.sealed or "its layout must be known", "a constant key, or a list")
    raise Computed(ctx.maps, box.place)


def outlasts(box: Record) -> bool:
    """Test for a dict outside, in which calls find what earlier ones left."""
    return box.through or box.root is not None


def refuse_cache(ctx: Lowering, node: Any) -> NoReturn:
    """Refuse computed keys of a dict that outlasts the call, by its name."""
    node = node.func if isinstance(node, gast.Call) else node
    owner = node.comparators[0] if isinstance(node, gast.Compare) else node
    owner = owner.value if isinstance(owner, gast.Subscript | gast.Attribute) and owner is node else owner
    name = gast.unparse(owner).strip()
    why = "what an earlier call left there under the same key would have no derivative in this one"
    ctx.refuse(node, f"{name}, a dict that outlasts the call (a cache) and gets computed keys,", why, CACHE)


def new_map(ctx: Lowering, place: Hashable, sort: Sort | None = None) -> Value:
    """A new, empty dict."""
    return _born(ctx, place, ctx.builder.call("s2sad.map", Const(())), sort)


def sort_of(ctx: Lowering, entity: Entity) -> Sort | None:
    """The sort of a dict."""
    if isinstance(entity, Record):
        return entity.sort
    assert isinstance(entity, Value) and isinstance(entity.kind, DictOf)
    made = ctx.factories.get(entity)
    return entity.kind.sort if made is None else Sort(defaultdict, made=made)


def factory_in(ctx: Lowering, items: Entity) -> Entity | None:
    """The factory of a dict for missing keys, as ``factory_of``: a function of the program's own where it is known."""
    if isinstance(items, Record):
        return items.factory
    assert isinstance(items, Value) and isinstance(items.kind, DictOf)
    return ctx.factories[items] if items in ctx.factories else factory_of(items.kind.sort)


def set_sort(ctx: Lowering, made: Entity, sort: Sort | None) -> None:
    """Say which sort of dict a new one is."""
    if isinstance(made, Record):
        made.sort = sort
        return
    assert isinstance(made, Value) and isinstance(made.kind, DictOf)
    if sort is not None and sort.made is not None:
        ctx.factories[made] = sort.made
        sort = Sort(sort.cls, sort.made.payload) if isinstance(sort.made, Static) else UNSURE
    made.kind = replace(made.kind, sort=sort)


def _born(ctx: Lowering, place: Hashable, made: Value, sort: Sort | None = None) -> Value:
    made.kind = ctx.maps.known.get(place, UNFILLED)
    set_sort(ctx, made, sort)
    ctx.places[made] = place
    ctx.births[made] = len(ctx.births)
    ctx.maps.found.setdefault(place, made.kind)
    return made


def map_of(
    ctx: Lowering, place: Hashable, pairs: list[tuple[Entity, Entity]], node: gast.AST, sort: Sort | None = None
) -> Value:
    """A dict display; of constant keys it stays one."""
    keys = [key.payload for key, _ in pairs if isinstance(key, Const)]
    if len(set(keys)) < len(pairs):
        made = new_map(ctx, place, sort)
        for key, entity in pairs:
            store(ctx, made, key, entity, node)
        return made
    items = [_item(ctx, entity, node) for _, entity in pairs]
    made = _born(ctx, place, ctx.builder.call("s2sad.map", Const(tuple(keys)), *items), sort)
    for key, item in zip(keys, items, strict=True):
        _hold(ctx, made, Const(key).kind, item.kind)
        _note_inner(ctx, made, item)
    return made


def as_map(ctx: Lowering, entity: Entity, name: str) -> Entity:
    """A dict parameter, which may be used with computed keys."""
    if not isinstance(entity, Record) or entity.kind != "dict":
        return entity
    entity.place = (GIVEN, name)
    if not wanted(ctx, entity.place):
        return entity
    pairs: list[tuple[Entity, Entity]] = [(Const(key), ctx.variables[(entity, key)]) for key in entity.keys]
    made = map_of(ctx, entity.place, pairs, ctx.frame.source.node, entity.sort)
    made.name = name
    return made


def changed(ctx: Lowering, items: Value) -> None:
    """A dict is written: if it is an argument, others may see the same one."""
    place = ctx.places.get(items)
    ctx.assigned |= isinstance(place, tuple) and place[0] == GIVEN


# --- reading and writing

BYTES = "its bytes, np.asarray(key).tobytes(), or a tuple whose items are written out"


UNHASHABLE: dict[str, object] = {"list": [], "dict": {}}


def check_hash(ctx: Lowering, key: Entity, node: object) -> None:
    """Python's exception for a key without a hash: a list, a dict, a slice, a tuple that holds one."""
    for part in key.items if isinstance(key, Struct) and key.kind == "tuple" else []:
        check_hash(ctx, part, node)
    found: object = UNHASHABLE.get(key.kind) if isinstance(key, Struct | Record) else None
    if isinstance(key, Const):
        found = key.payload
    elif isinstance(key, Value) and isinstance(key.kind, Slice):
        found = slice(None)
    elif isinstance(key, Value) and isinstance(key.kind, List) and not isinstance(key.kind, TupleOf):
        _refuse_list(ctx, node)
    ctx.known(node, lambda: hash(found), "this key", "a key that has a hash")


def key_value(ctx: Lowering, key: Entity, node: object) -> Value:
    """A key as a run-time value."""
    check_hash(ctx, key, node)
    value = ctx.value(key, node, "a key")
    if isinstance(value, Const) and isinstance(value.payload, ObjectKey):
        why = "which objects are there is known only when the program runs"
        ctx.refuse(node, "an object as a key here", why, "a loop over objects that are listed, or numbers for keys")
    if isinstance(value.kind, List):
        _refuse_list(ctx, node)
    return value


def _refuse_list(ctx: Lowering, node: object) -> NoReturn:
    why = "while the program runs it is a list, which has no hash"
    ctx.refuse(node, "a tuple of unknown length as a key", why, BYTES)


def follow_members(ctx: Lowering, members: Members) -> None:
    """Start again with a record for a set, in which objects are looked for, or that is run over: they may be objects."""
    place = ctx.places.get(members.items) if isinstance(members.items, Value) else None
    if place is not None and place not in ctx.program.displayed:
        raise Again(displayed=frozenset([place]))


def is_of_objects(ctx: Lowering, members: Members) -> bool:
    """Test for a set of objects that the program makes."""
    box = members.items
    return isinstance(box, Record) and all(isinstance(key, ObjectKey) for key in ctx.keys(box, None))


def item_of_map(ctx: Lowering, items: Value, key: Value) -> Value:
    """``items[key]``, where it is there."""
    place = ctx.places.get(items)
    if place is not None:
        ctx.maps.relied.append((place, items.kind))
    item = ctx.builder.call("operator.getitem", items, key)
    assert isinstance(items.kind, DictOf)
    item.kind = items.kind.item
    if isinstance(item.kind, List):
        ctx.holders[item] = items
    if (inner := ctx.inner_factories.get(items)) is not None:
        ctx.factories[item] = inner
    return item


def _note_inner(ctx: Lowering, items: Value, value: Value) -> None:
    """Remember what makes the items of a dict in a dict, if all in it have the same."""
    if not is_map(value):
        return
    made = ctx.factories.get(value)
    before = ctx.inner_factories.get(items, made)
    same = before is made or isinstance(before, Closure) and isinstance(made, Closure) and before.node is made.node
    ctx.inner_factories[items] = made if same or before == made else None


def read(ctx: Lowering, items: Value, key: Entity, node: Any) -> Value:
    """``items[key]``; a defaultdict makes what is missing."""
    place = key_value(ctx, key, node)
    factory = factory_in(ctx, items)
    if isinstance(factory, Const):  # of a Counter, which stays as it is
        return item_or(ctx, items, place, factory)
    ensure(ctx, items, place, node)
    return item_of_map(ctx, items, place)


def ensure(ctx: Lowering, items: Value, key: Value, node: Any) -> None:
    """A defaultdict makes what is missing under a key; a number in a dict of arrays it is not taken to make."""
    factory, number = factory_in(ctx, items), default_number(ctx, items, node)
    assert isinstance(items.kind, DictOf)
    place = ctx.places.get(items)
    if number is not None and place is not None and items.kind.item == BOTTOM:
        ctx.maps.starts[place] = DictOf(number.kind, key.kind, items.kind.sort)
    elif isinstance(factory, Top):
        missing = arithmetic(ctx, "operator.not_", contains(ctx, items, key))
        why = f"a key that is missing in this dict is not supported: {factory.why}"
        control.branch(ctx, missing, lambda: refused(ctx, why), lambda: None, node)
    elif factory is not None and not (number is not None and isinstance(items.kind.item, Array)):
        missing = arithmetic(ctx, "operator.not_", contains(ctx, items, key))
        control.branch(ctx, missing, lambda: _make(ctx, items, key, factory, node), lambda: None, node)


def refused(ctx: Lowering, why: str) -> None:
    """A refusal where the program comes here."""
    ctx.builder.call("s2sad.raise", ctx.builder.call("s2sad.runtime.UnsupportedError", Const(why)))


def item_or(ctx: Lowering, items: Value, key: Value, number: Const) -> Value:
    """``items.get(key, number)`` of numbers."""
    item = ctx.builder.call("dict.get", items, key, number)
    assert isinstance(items.kind, DictOf)
    item.kind = join(items.kind.item, number.kind)
    return item


def _make(ctx: Lowering, items: Value, place: Value, factory: Entity, node: Any) -> None:
    store(ctx, items, place, apply(ctx, factory, [], {}, node), node)


def store(ctx: Lowering, items: Value, key: Entity, entity: Entity, node: Any) -> None:
    """``items[key] = entity``."""
    place = key_value(ctx, key, node)
    value = _item(ctx, entity, node)
    _note_inner(ctx, items, value)
    _hold(ctx, items, place.kind, value.kind)
    changed(ctx, items)
    ctx.builder.call("operator.setitem", items, place, value)


def _item(ctx: Lowering, entity: Entity, node: Any) -> Value:
    """An entity as an item; a dict in a dict has computed keys too, unless its items differ in kind."""
    if isinstance(entity, Record) and entity.kind == "dict":
        held = [ctx.variables[(entity, key)] for key in ctx.keys(entity, node)]
        if entity.place is not None and _alike(ctx, held):
            compute(ctx, entity, node)
        seal(ctx, entity, COPIED)
    return as_item(ctx, entity, node, "what is stored")


def _alike(ctx: Lowering, held: list[Entity]) -> bool:
    """Test for items of a record that are of one kind."""
    if all(isinstance(entity, Record) and entity.kind == "dict" for entity in held):
        return True
    found: Kind = BOTTOM
    for entity in held:
        found = join(found, ctx.kind(entity))
    return isinstance(found, Scalar) or (isinstance(found, Array) and found.rank is not None)


def _hold(ctx: Lowering, items: Value, key: Kind, item: Kind) -> None:
    """A dict is given an item of this kind under a key of that kind."""
    assert isinstance(items.kind, DictOf)
    wider = join_keys(items.kind.key, forget_sizes(key))
    if wider != items.kind.key:
        items.kind = replace(items.kind, key=wider)
        ctx.note(items)
    hold(ctx, items, as_an_item(item))


def add_number(ctx: Lowering, items: Value, key: Entity, op: str, value: Value, node: Any) -> bool:
    """``items[key] += value`` of numbers, where it is a step of its own; False where it is not."""
    assert isinstance(items.kind, DictOf)
    numbers = isinstance(items.kind.item, Scalar) and isinstance(value.kind, Scalar)
    if op not in STEPS or not numbers or factory_in(ctx, items) is not None:
        return False
    place = key_value(ctx, key, node)
    _hold(ctx, items, place.kind, value.kind)
    changed(ctx, items)
    ctx.builder.call(STEPS[op], items, place, value)
    return True


def default_number(ctx: Lowering, items: Value, node: Any) -> Const | None:
    """The number that a defaultdict or Counter starts from."""
    factory = factory_in(ctx, items)
    if factory is None or isinstance(factory, Const):
        return factory
    if isinstance(factory, Top):
        return None
    with control.scratch(ctx):
        made = apply(ctx, factory, [], {}, node)
    return made if isinstance(made, Const) and isinstance(made.kind, Scalar) else None


def contains(ctx: Lowering, items: Value, key: Value) -> Value:
    """``key in items``."""
    return ctx.builder.call("operator.contains", items, key)


# --- iterating


def iteration_over(ctx: Lowering, items: Value, what: str, node: Any) -> Iteration:
    """The keys, values or items of a dict, as it is when they are asked for."""
    place = ctx.places.get(items)
    if place is not None:
        ctx.maps.relied.append((place, items.kind))
    check_keys(ctx, items, node)
    keys = ctx.builder.call("s2sad.runtime.keys_of", items)

    def item(index: Value) -> Entity:
        key = ctx.builder.call("operator.getitem", keys, index)
        if what == "keys":
            return key
        value = taken(ctx, item_of_map(ctx, items, key))
        return value if what == "values" else Struct([key, value])

    length = ctx.builder.call("builtins.len", keys)
    if not growth.grows(ctx, node):
        growth.watch(ctx, items, node)
        return Iteration(length=length, item=item)

    def checked(index: Value) -> Entity:
        growth.unchanged(ctx, items, length)
        return item(index)

    return Iteration(length=length, item=checked)


def check_keys(ctx: Lowering, items: Value, node: Any) -> None:
    """Refuse to hand out keys that may depend on the variables."""
    assert isinstance(items.kind, DictOf)
    if is_differentiable(items.kind.key):
        ctx.refuse(
            node,
            "looking at these keys",
            "they may be floats, and a key carries no derivative",
            "integers or strings",
        )

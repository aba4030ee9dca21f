"""The methods of dicts with computed keys, and what makes such dicts: ``dict(pairs)``, ``Counter``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from typing import Any

from s2sad.frontend.entities import Entity, Iteration, Record, Struct
from s2sad.frontend.lower import control, maps
from s2sad.frontend.lower.arithmetic import arithmetic
from s2sad.frontend.lower.assignment import unpacked
from s2sad.frontend.lower.iteration import for_each, of_entity
from s2sad.frontend.lower.lists import taken, writable
from s2sad.frontend.lower.prelude_calls import program
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import DictOf, Sort
from s2sad.ir.nodes import Const, Value
from s2sad.rules.preludes import method_of

Method = Callable[[Lowering, Value, list[Entity], Any], Entity]
COUNTING = {"update": "operator.add", "subtract": "operator.sub"}  # of a Counter


def map_method(
    ctx: Lowering, items: Value, name: str, args: list[Entity], kwargs: dict[str, Entity], node: Any
) -> Entity:
    """``items.name(...)``."""
    counts = isinstance(maps.factory_in(ctx, items), Const)  # a Counter
    if counts and name in COUNTING and len(args) < 2:
        count(ctx, items, args[0] if args else Const(None), kwargs, COUNTING[name], node)
        return Const(None)
    form = method_of(dict, "counters", name) if counts else None
    if form is not None:
        return program(ctx, form, [items, *args], node, kwargs)
    if name == "update":
        return _update(ctx, items, args, kwargs, node)
    if name not in METHODS or set(kwargs) - {"default", "last"}:
        ctx.refuse(
            node, f"the dict method {name!r}", "its keys are computed", f"one of {', '.join(METHODS)}, update"
        )
    return METHODS[name](ctx, items, [*args, *kwargs.values()], node)


def _get(ctx: Lowering, items: Value, args: list[Entity], node: Any) -> Entity:
    place = maps.key_value(ctx, args[0], node)
    default = writable(ctx, args[1]) if len(args) > 1 else Const(None)
    found = maps.contains(ctx, items, place)
    return control.choose(ctx, found, lambda: taken(ctx, maps.item_of_map(ctx, items, place)), lambda: default, node)


def _setdefault(ctx: Lowering, items: Value, args: list[Entity], node: Any) -> Entity:
    place = maps.key_value(ctx, args[0], node)
    missing = arithmetic(ctx, "operator.not_", maps.contains(ctx, items, place))
    default = args[1] if len(args) > 1 else Const(None)
    control.branch(ctx, missing, lambda: maps.store(ctx, items, place, default, node), lambda: None, node)
    return taken(ctx, maps.item_of_map(ctx, items, place))


def take(ctx: Lowering, items: Value, key: Value) -> Value:
    """``items.pop(key)``."""
    maps.changed(ctx, items)
    item = ctx.builder.call("dict.pop", items, key)
    assert isinstance(items.kind, DictOf)
    item.kind = items.kind.item
    return item


def _pop(ctx: Lowering, items: Value, args: list[Entity], node: Any) -> Entity:
    place = maps.key_value(ctx, args[0], node)
    if len(args) == 1:
        return taken(ctx, take(ctx, items, place))
    found = maps.contains(ctx, items, place)
    return control.choose(ctx, found, lambda: taken(ctx, take(ctx, items, place)), lambda: writable(ctx, args[1]), node)


def _popitem(ctx: Lowering, items: Value, args: list[Entity], node: Any) -> Entity:
    """The last item; of an OrderedDict with ``last=False`` the first one."""
    last = control.truth(ctx, args[0]) if args else True
    if last is None:
        ctx.refuse(node, "this popitem", "which end is meant must be known", "last=True or last=False")
    maps.check_keys(ctx, items, node)
    keys = ctx.builder.call("s2sad.runtime.keys_of", items)
    key = ctx.builder.call("operator.getitem", keys, Const(-1 if last else 0))
    return Struct([key, taken(ctx, take(ctx, items, key))])


def _move_to_end(ctx: Lowering, items: Value, args: list[Entity], node: Any) -> Entity:
    """To the end: taken out, and put there anew."""
    if len(args) > 1 and not control.truth(ctx, args[1]):
        ctx.refuse(node, "this move_to_end", "a dict with computed keys gets new ones at its end", "last=True")
    maps.store(ctx, items, args[0], take(ctx, items, maps.key_value(ctx, args[0], node)), node)
    return Const(None)


def _copy(ctx: Lowering, items: Value, args: list[Entity], node: Any) -> Entity:
    return made_of(ctx, ctx.place(node), items, node, maps.sort_of(ctx, items))


def _clear(ctx: Lowering, items: Value, args: list[Entity], node: Any) -> Entity:
    maps.check_keys(ctx, items, node)
    keys = ctx.builder.call("s2sad.runtime.keys_of", items)

    def one(index: Value) -> None:
        take(ctx, items, ctx.builder.call("operator.getitem", keys, index))

    control.counted_loop(ctx, ctx.builder.call("builtins.len", keys), one, node)
    return Const(None)


def _keys(ctx: Lowering, items: Value, args: list[Entity], node: Any) -> Entity:
    """A dict is as good as its keys."""
    return items


def _view(what: str) -> Method:
    def method(ctx: Lowering, items: Value, args: list[Entity], node: Any) -> Entity:
        return Iteration(make=lambda: maps.iteration_over(ctx, items, what, node), over=items)

    return method


def _update(ctx: Lowering, items: Value, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity:
    for source in args:
        update(ctx, items, source, node)
    for name, entity in kwargs.items():
        maps.store(ctx, items, Const(name), entity, node)
    return Const(None)


METHODS: dict[str, Method] = {
    "get": _get,
    "setdefault": _setdefault,
    "pop": _pop,
    "popitem": _popitem,
    "move_to_end": _move_to_end,
    "copy": _copy,
    "clear": _clear,
    "keys": _keys,
    "values": _view("values"),
    "items": _view("items"),
}


# --- from other things


def update(ctx: Lowering, items: Value, source: Entity, node: Any) -> None:
    """``items.update(source)``: of a dict, or of pairs of keys and values."""
    if _each_pair(ctx, source, lambda key, item: maps.store(ctx, items, key, item, node), node):
        return

    def put(pair: Entity) -> None:
        key, item = unpacked(ctx, pair, 2, node)
        maps.store(ctx, items, key, item, node)

    for_each(ctx, of_entity(ctx, source, node), put, node)


def _each_pair(ctx: Lowering, source: Entity, step: Callable[[Entity, Entity], object], node: Any) -> bool:
    """Do something with each key and item of a dict; False for what is none."""
    if isinstance(source, Record) and source.kind == "dict":
        for key in ctx.keys(source, node):
            step(Const(key), ctx.variables[(source, key)])
        return True
    if not (maps.is_map(source) and isinstance(source, Value)):
        return False
    for_each(ctx, maps.iteration_over(ctx, source, "items", node), lambda pair: step(*unpacked(ctx, pair, 2, node)), node)
    return True



def made_of(ctx: Lowering, place: Hashable, source: Entity, node: Any, sort: Sort | None = None) -> Value:
    """``dict(source)``."""
    made = maps.new_map(ctx, place, sort)
    update(ctx, made, source, node)
    return made


def from_keys(ctx: Lowering, place: Hashable, keys: Iteration, value: Entity, node: Any) -> Value:
    """``dict.fromkeys(keys, value)``."""
    made = maps.new_map(ctx, place)
    item = ctx.value(writable(ctx, value), node, "what is stored")
    for_each(ctx, keys, lambda key: maps.store(ctx, made, key, item, node), node)
    return made


def counted(ctx: Lowering, source: Entity, kwargs: dict[str, Entity], node: Any) -> Value:
    """``Counter(source, name=count, ...)``: how often each item occurs; a key that is not there counts as zero."""
    made = maps.new_map(ctx, ctx.place(node), Sort(Counter))
    count(ctx, made, source, kwargs, "operator.add", node)
    return made


def count(ctx: Lowering, items: Value, source: Entity, kwargs: dict[str, Entity], sign: str, node: Any) -> None:
    """Add to counts, or subtract from them, those in a dict, or one for each item of another sequence; and those by name."""

    def add(key: Entity, by: Entity) -> None:
        place = maps.key_value(ctx, key, node)
        old = maps.read(ctx, items, place, node)
        maps.store(ctx, items, place, arithmetic(ctx, sign, old, ctx.value(by, node, "a count")), node)

    none = isinstance(source, Const) and source.payload is None
    if not none and not _each_pair(ctx, source, add, node):
        for_each(ctx, of_entity(ctx, source, node), lambda item: add(item, Const(1)), node)
    for name, by in kwargs.items():
        add(Const(name), by)

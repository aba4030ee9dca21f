"""``copy.copy`` and ``copy.deepcopy`` of arrays, lists, dicts, tuples and objects.

    other = copy.deepcopy(model)          ==>          a new record, whose arrays are copies
"""

from __future__ import annotations

import copy
import functools
import types
from collections.abc import Callable
from typing import Any, NoReturn

from s2sad.frontend.entities import (
    CONTENTS,
    Bounded,
    Choice,
    Closure,
    Entity,
    Members,
    Method,
    Record,
    SourceFunction,
    Static,
    Struct,
    flatten,
    rebuild,
)
from s2sad.frontend.lower import built_on, control, maps
from s2sad.frontend.lower.dispatch import apply
from s2sad.frontend.lower.lists import item_at, listed
from s2sad.frontend.lower.objects import call_function, call_method, find
from s2sad.frontend.lower.parts import as_record, as_struct, take_apart
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import Array, List, Other, Scalar, TupleOf, is_differentiable
from s2sad.ir.nodes import LITERALS, Const, Value

FILLED_BY = ("append", "extend", "__setitem__", "__iter__", "items")  # in the copy of what is on top of a list or dict
OWN_WAYS = ("__reduce_ex__", "__reduce__", "__getstate__", "__setstate__")


def _copy(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    return _Copying(ctx, node, "__copy__", [], deep=False).made_of(args[0])


def _deepcopy(ctx: Lowering, args: list[Entity], kwargs: dict[str, Entity], node: Any) -> Entity | None:
    if len(args) > 1 or kwargs:
        ctx.refuse(node, "deepcopy with a memo", "what it holds is not known", "deepcopy(x)")
    return deep_copy(ctx, args[0], node)


def deep_copy(ctx: Lowering, entity: Entity, node: Any) -> Entity:
    """``copy.deepcopy(entity)``."""
    copying = _Copying(ctx, node, "__deepcopy__", [Record("dict")], deep=True)
    found = copying.made_of(entity)
    copying.check()
    return found


def as_now(ctx: Lowering, entity: Entity, node: Any) -> Entity:
    """The values that a function is given or sees, as they are now, whatever is written into it later."""
    now = as_struct(ctx, entity)
    return as_record(ctx, rebuild(now, iter([_leaf_as_now(ctx, leaf, node) for leaf in flatten(now)])))


def _leaf_as_now(ctx: Lowering, leaf: Entity, node: Any) -> Entity:
    if not isinstance(leaf, Value) or isinstance(leaf, LITERALS) or isinstance(leaf.kind, Scalar):
        return leaf
    if isinstance(leaf.kind, Array):
        return ctx.builder.call("numpy.copy", leaf, name=leaf.name)
    if isinstance(leaf.kind, List) and not isinstance(leaf.kind, TupleOf):
        return deep_copy(ctx, leaf, node)
    if leaf.kind.fixed:
        return as_struct(ctx, as_now(ctx, take_apart(ctx, leaf), node))
    if is_differentiable(leaf.kind):
        why = f"a {leaf.kind} may be written until its derivative is taken"
        ctx.refuse(node, f"{leaf.name or 'this'} here", why, "arrays and numbers")
    return leaf


def has_attribute(x: Any, name: str) -> bool:
    """``hasattr``, as a program."""
    try:
        getattr(x, name)
    except AttributeError:
        return False
    return True


class _Copying:
    """One call: what has been copied already, is the same in the copy, too."""

    def __init__(self, ctx: Lowering, node: Any, method: str, more: list[Entity], deep: bool) -> None:
        self.ctx, self.node, self.method, self.more, self.deep = ctx, node, method, more, deep
        self.done: dict[Entity, Entity] = {}

    def made_of(self, entity: Entity) -> Entity:
        """The copy of an entity."""
        if isinstance(entity, Const | Static | SourceFunction | Closure | Method):
            return entity
        if isinstance(entity, Struct):
            return Struct([self.part(item) for item in entity.items], entity.kind, entity.keys, entity.cls, entity.sort)
        if isinstance(entity, Choice):  # the copy of each is made, and one of them chosen
            if any(isinstance(one, Record) and find(one.cls, self.method) is not None for one in entity.alternatives):
                self.refuse("which object it is, is known only at run time, and a class has its own way to be copied")
            return Choice(entity.tag, entity.labels, [self.made_of(one) for one in entity.alternatives])
        if entity not in self.done:
            self.done[entity] = self.box(entity) if isinstance(entity, Record) else self.other(entity)
        return self.done[entity]

    def check(self) -> None:
        """Refuse, when the program runs, what stands twice in what was copied, and is not known to: it does so in the copy."""
        values = [entity.items if isinstance(entity, Members | Bounded) else entity for entity in self.done]
        met = [value for value in values if isinstance(value, Value) and isinstance(value.kind, Array | List)]
        holds = [v for v in met if isinstance(v.kind, List) and not isinstance(v.kind.item, Scalar | Other)]
        if len(met) > 1 or holds:
            self.ctx.builder.call("s2sad.runtime.assert_once", *met)

    def part(self, entity: Entity) -> Entity:
        """The part's stand-in in the copy."""
        return self.made_of(entity) if self.deep else entity

    def box(self, box: Record) -> Entity:
        """A dict whose keys are known, or an object, unless its class has a way of its own."""
        ctx, cls = self.ctx, box.cls
        if box.kind == "object" and find(cls, self.method) is not None:
            return call_method(ctx, box, self.method, self.more, {}, self.node)
        if built_on.is_based(box) and any(built_on.is_written(cls, name) for name in FILLED_BY):
            self.refuse("its class has its own way to be filled")
        self.ask(box)
        own = [name for name in OWN_WAYS if cls is not None and find(cls, name) is not find(object, name)]
        if own or box.kind not in ("dict", "object"):
            self.refuse(f"its class has its own {own[0]}" if own else "it is used up, and cannot be copied")
        place = ctx.place(self.node) if box.kind == "dict" and not self.deep else None
        fresh = self.done[box] = Record(box.label, box.kind, cls, ctx.keys(box, self.node), box.sort, place=place)
        for key in fresh.keys:
            part = self.made_of if key == CONTENTS else self.part  # a copy has a list or dict of its own
            ctx.variables[(fresh, key)] = part(ctx.variables[(box, key)])
        return fresh

    def ask(self, box: Record) -> None:
        """Refuse, when the program runs, a way to copy, or to set attributes, that a class's ``__getattr__`` gives."""
        asked = [(box, self.method)] if self.deep else []
        if any(key != CONTENTS for key in self.ctx.keys(box, self.node)):
            asked.append((Record(box.label, box.kind, box.cls, []), "__setstate__"))
        if box.kind == "object" and isinstance(find(box.cls, "__getattr__"), types.FunctionType):
            for owner, name in asked:
                why = f"copy asks its __getattr__ for {name}, and is given one"
                given = call_function(self.ctx, has_attribute, [owner, Const(name)], {}, self.node)
                control.branch(self.ctx, given, functools.partial(maps.refused, self.ctx, why), lambda: None, self.node)

    def other(self, entity: Entity) -> Entity:
        """A value, or a container of values."""
        if isinstance(entity, Members):
            return Members(self.ctx.value(self.other(entity.items), self.node))
        if isinstance(entity, Bounded):
            return Bounded(self.ctx.value(self.other(entity.items), self.node), entity.limit)
        if isinstance(entity, Value) and isinstance(entity.kind, List):
            return self.items(entity, entity.kind.item if isinstance(entity.kind, List) else entity.kind)
        if isinstance(entity, Value) and isinstance(entity.kind, Array):
            return self.ctx.builder.call("numpy.copy", entity)
        if isinstance(entity, Value) and isinstance(entity.kind, Scalar | Other):
            return entity
        self.refuse("what it is, is not known here")

    def items(self, items: Value, kind: object) -> Entity:
        """A list, or a dict with computed keys."""
        ctx, plain = self.ctx, not self.deep or isinstance(kind, Scalar | Other)
        if maps.is_map(items):
            if not plain:
                self.refuse("its items are no numbers")
            return apply(ctx, Method(items, "copy"), [], {}, self.node)
        if plain:
            return ctx.builder.call("operator.getitem", items, Const(slice(None)))
        length = ctx.builder.call("builtins.len", items)
        before = dict(self.done)
        made = listed(ctx, length, lambda index: self.made_of(item_at(ctx, items, index)), self.node)
        self.done = before  # what is read in the loop is a part of the list
        return made

    def refuse(self, why: str) -> NoReturn:
        """Refuse to copy this."""
        self.ctx.refuse(self.node, f"copy.{self.method.strip('_')} of this", why, "a copy made item by item")


TABLE: dict[Any, Callable[..., Entity | None]] = {copy.copy: _copy, copy.deepcopy: _deepcopy}

"""``del``: of names, of items of lists, and of items of dicts whose layout is known.

An item of a list is taken out as ``pop`` does it, and dropped; a slice of them one by one. ``del obj[k]`` is a call of the
object's ``__delitem__``.
"""

from __future__ import annotations

import gast

from s2sad.frontend.entities import Entity, Record, Struct, Top
from s2sad.frontend.lower import bound, built_on, control, keys, map_methods, maps, slices
from s2sad.frontend.lower.dispatch import lower
from s2sad.frontend.lower.lists import in_turn
from s2sad.frontend.lower.objects import call_method, drop, is_object
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import List, Scalar, Slice, TupleOf
from s2sad.ir.nodes import Const


def delete_statement(ctx: Lowering, node: gast.Delete) -> None:
    """``del name``, ``del items[k]``, ``del table['key']``."""
    _delete(ctx, list(node.targets))


def _delete(ctx: Lowering, targets: list[gast.expr]) -> None:
    for target in targets:
        if isinstance(target, gast.Name):
            owner = ctx.owner(target.id)
            if isinstance(owner, Record):
                ctx.refuse(target, f"del {target.id}", "it is no variable of the program", "None in its place")
            if not isinstance(ctx.variables.get((owner, target.id)), Top):  # of one of several things
                bound.read(ctx, target)
            bound.unbind(ctx, (owner, target.id))
        elif isinstance(target, gast.Tuple | gast.List):
            _delete(ctx, list(target.elts))
        elif isinstance(target, gast.Subscript):
            _delete_item(ctx, target)
        else:
            ctx.refuse(target, "del of an attribute", "the object's layout must be known", "set it to None")


def _delete_item(ctx: Lowering, node: gast.Subscript) -> None:
    base, index = in_turn(ctx, lower(ctx, node.value), lambda: lower(ctx, node.slice))
    delete_item(ctx, base, index, node)


def delete_item(ctx: Lowering, base: Entity, index: Entity, node: gast.AST) -> None:
    """``del base[index]``."""
    base = control.there(ctx, base, "'NoneType' object does not support item deletion", node)
    base = built_on.contents(ctx, base, "__delitem__")
    if isinstance(base, Record) and base.kind == "object":
        call_method(ctx, base, "__delitem__", [index], {}, node)
        return
    if isinstance(base, Record) and base.kind == "dict":
        _delete_key(ctx, base, index, node)
        return
    if isinstance(base, Record) and is_object(base):
        call_method(ctx, base, "__delitem__", [index], {}, node)
        return
    items, place = ctx.value(base, node), ctx.value(index, node)
    if isinstance(items.kind, TupleOf):
        ctx.fail(node, TypeError("'tuple' object doesn't support item deletion"), "del of an item of a tuple", "a list")
    if maps.is_map(items):
        map_methods.take(ctx, items, place)
        return
    if isinstance(items.kind, List) and isinstance(place.kind, Slice):
        slices.delete(ctx, items, place, node)
        return
    if not isinstance(items.kind, List) or not isinstance(place.kind, Scalar):
        ctx.refuse(node, "del of this item", "only items of lists and dicts are followed", "build a new one")
    ctx.builder.call("list.pop", items, place)


def _delete_key(ctx: Lowering, box: Record, key: Entity, node: gast.AST) -> None:
    maps.check_hash(ctx, key, node)
    key = ctx.value(key, node, "a key") if isinstance(key, Struct) else keys.changing(ctx, box, key, node)
    if not isinstance(key, Const):
        maps.compute(ctx, box, node)
    if key.payload not in ctx.keys(box, node):
        ctx.refuse(node, "del of this key", f"the dict has the keys {box.keys}", "an existing key")
    drop(ctx, box, key.payload, node)


"""``del``: of names, of items of lists, and of items of dicts whose layout is known.

An item of a list is taken out as ``pop`` does it, and dropped; a slice of them one by one.
"""

from __future__ import annotations

import gast

from s2sad.frontend.entities import Aggregate, Box, Entity, Poison
from s2sad.frontend.lower import map_methods, maps, slices
from s2sad.frontend.lower.dispatch import lower
from s2sad.frontend.lower.maybe import held
from s2sad.frontend.lower.objects import drop
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import List, Scalar, Slice
from s2sad.ir.nodes import Const


def delete_statement(lw: Lowering, node: gast.Delete) -> None:
    """``del name``, ``del items[k]``, ``del table['key']``."""
    _delete(lw, list(node.targets))


def _delete(lw: Lowering, targets: list[gast.expr]) -> None:
    for target in targets:
        if isinstance(target, gast.Name):
            lw.variables[(lw.owner(target.id), target.id)] = Poison("it was deleted")
        elif isinstance(target, gast.Tuple | gast.List):
            _delete(lw, list(target.elts))
        elif isinstance(target, gast.Subscript):
            _delete_item(lw, held(lower(lw, target.value)), lower(lw, target.slice), target)
        else:
            lw.refuse(target, "del of an attribute", "the object's layout must be known", "set it to None")


def _delete_item(lw: Lowering, base: Entity, index: Entity, node: gast.AST) -> None:
    if isinstance(base, Box) and base.kind == "dict":
        _delete_key(lw, base, index, node)
        return
    items, place = lw.value(base, node), lw.value(index, node)
    if maps.is_map(items):
        map_methods.take(lw, items, place)
        return
    if isinstance(items.kind, List) and isinstance(place.kind, Slice):
        slices.delete(lw, items, place, node)
        return
    if not isinstance(items.kind, List) or not isinstance(place.kind, Scalar):
        lw.refuse(node, "del of this item", "only items of lists and dicts are followed", "build a new one")
    lw.builder.call("list.pop", items, place)


def _delete_key(lw: Lowering, box: Box, key: Entity, node: gast.AST) -> None:
    key = lw.value(key, node, "a key") if isinstance(key, Aggregate) else key
    if not isinstance(key, Const):
        maps.compute(lw, box, node)
    if key.payload not in lw.keys(box, node):
        lw.refuse(node, "del of this key", f"the dict has the keys {box.keys}", "an existing key")
    drop(lw, box, key.payload, node)


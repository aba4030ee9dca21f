"""``del``: of names, of items of lists, and of items of dicts whose layout is known.

An item of a list is removed by moving up those behind it, which the reverse sweep can undo::

    del items[k]        ==>     for i in range(k, len(items) - 1):
                                    items[i] = items[i + 1]
                                items.pop()
"""

from __future__ import annotations

import gast

from s2sad.frontend.entities import Box, Entity, Poison
from s2sad.frontend.lower import control
from s2sad.frontend.lower.arithmetic import arithmetic
from s2sad.frontend.lower.dispatch import lower
from s2sad.frontend.lower.objects import drop
from s2sad.frontend.lower.state import Lowering
from s2sad.ir.kinds import List, Scalar
from s2sad.ir.nodes import Const, Value


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
            _delete_item(lw, lower(lw, target.value), lower(lw, target.slice), target)
        else:
            lw.refuse(target, "del of an attribute", "the object's layout must be known", "set it to None")


def _delete_item(lw: Lowering, base: Entity, index: Entity, node: gast.AST) -> None:
    if isinstance(base, Box) and base.kind == "dict":
        _delete_key(lw, base, index, node)
        return
    items, place = lw.value(base, node), lw.value(index, node)
    if not isinstance(items.kind, List) or not isinstance(place.kind, Scalar):
        lw.refuse(
            node, "del of this item", "only single items of lists and dicts are followed", "build a new one"
        )
    remove(lw, items, place, node)


def _delete_key(lw: Lowering, box: Box, key: Entity, node: gast.AST) -> None:
    if not isinstance(key, Const) or key.payload not in box.keys:
        lw.refuse(node, "del of this key", f"the dict has the keys {box.keys}", "an existing, constant key")
    drop(lw, box, key.payload, node)


def remove(lw: Lowering, items: Value, place: Value, node: gast.AST) -> None:
    """Remove one item of a list, with Python's meaning of negative indices and of those out of range."""
    length = lw.builder.call("builtins.len", items)

    def fail() -> None:
        made = lw.builder.call("builtins.IndexError", Const("list assignment index out of range"))
        lw.builder.call("s2sad.raise", made)

    below = arithmetic(lw, "operator.lt", place, arithmetic(lw, "operator.neg", length))
    control.branch(lw, below, fail, lambda: None, node)
    control.branch(lw, arithmetic(lw, "operator.ge", place, length), fail, lambda: None, node)
    first = arithmetic(lw, "operator.mod", place, length)
    last = arithmetic(lw, "operator.sub", length, Const(1))

    def move(index: Value) -> None:
        following = lw.builder.call(
            "operator.getitem", items, arithmetic(lw, "operator.add", index, Const(1))
        )
        lw.builder.call("operator.setitem", items, index, following)

    control.for_loop(lw, lw.builder.call("builtins.range", first, last), None, move, node, lambda: None)
    lw.builder.call("list.pop", items)

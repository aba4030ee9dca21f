"""The order of objects that compare by methods of their class: a chain of comparisons, each of which swaps two.

    low, high = sorted([a, b])          ==>          low, high = (b, a) if b.__lt__(a) else (a, b)
"""

from __future__ import annotations

from typing import Any

from s2sad.frontend.entities import Entity, Record, Struct
from s2sad.frontend.lower import control, objects
from s2sad.frontend.lower.operators import less
from s2sad.frontend.lower.state import Lowering

MOST = 8  # objects: the comparisons grow with the square of their number


def are_objects(entities: list[Entity]) -> bool:
    """Test for things to be ordered that are objects of a class."""
    return bool(entities) and all(isinstance(entity, Record) and objects.is_object(entity) for entity in entities)


def ranked(ctx: Lowering, items: list[Entity], keys: list[Entity], descending: bool, node: Any) -> list[Entity]:
    """The items in the order of their keys; those that are equal keep theirs, as in Python."""
    if len(items) > MOST:
        ctx.refuse(node, f"ordering more than {MOST} objects", "each pair of them is compared", "an array of keys")
    pairs: list[Entity] = [Struct([key, item]) for key, item in zip(keys, items, strict=True)]
    for end in range(len(pairs) - 1, 0, -1):
        for k in range(end):
            pairs[k], pairs[k + 1] = _in_order(ctx, pairs[k], pairs[k + 1], descending, node)
    return [pair.items[1] for pair in pairs if isinstance(pair, Struct)]


def _in_order(ctx: Lowering, left: Entity, right: Entity, descending: bool, node: Any) -> list[Entity]:
    first, second = (left, right) if descending else (right, left)
    found = control.choose(
        ctx, _less(ctx, first, second, node), lambda: Struct([right, left]), lambda: Struct([left, right]), node
    )
    assert isinstance(found, Struct)
    return found.items


def best(ctx: Lowering, items: list[Entity], keys: list[Entity], largest: bool, node: Any) -> Entity:
    """The first item with the smallest or largest key."""
    found: Entity = Struct([keys[0], items[0]])
    for key, item in zip(keys[1:], items[1:], strict=True):
        pair, held = Struct([key, item]), found
        test = _less(ctx, held, pair, node) if largest else _less(ctx, pair, held, node)
        found = control.choose(ctx, test, lambda: pair, lambda: held, node)  # noqa: B023  (called at once)
    assert isinstance(found, Struct)
    return found.items[1]


def _less(ctx: Lowering, a: Entity, b: Entity, node: Any) -> Entity:
    assert isinstance(a, Struct) and isinstance(b, Struct)
    return less(ctx, a.items[0], b.items[0], node)

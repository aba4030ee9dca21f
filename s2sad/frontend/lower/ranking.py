"""The order of objects that compare by methods of their class: a chain of comparisons, each of which swaps two.

    low, high = sorted([a, b])          ==>          low, high = (b, a) if b.__lt__(a) else (a, b)
"""

from __future__ import annotations

from typing import Any

from s2sad.frontend.entities import Aggregate, Box, Entity
from s2sad.frontend.lower import control, objects
from s2sad.frontend.lower.operators import less
from s2sad.frontend.lower.state import Lowering

MOST = 8  # objects: the comparisons grow with the square of their number


def are_objects(entities: list[Entity]) -> bool:
    """Whether what is to be ordered are objects of a class."""
    return bool(entities) and all(isinstance(entity, Box) and objects.is_object(entity) for entity in entities)


def ranked(lw: Lowering, items: list[Entity], keys: list[Entity], descending: bool, node: Any) -> list[Entity]:
    """The items in the order of their keys; those that are equal keep theirs, as in Python."""
    if len(items) > MOST:
        lw.refuse(node, f"ordering more than {MOST} objects", "each pair of them is compared", "an array of keys")
    pairs: list[Entity] = [Aggregate([key, item]) for key, item in zip(keys, items, strict=True)]
    for end in range(len(pairs) - 1, 0, -1):
        for k in range(end):
            pairs[k], pairs[k + 1] = _in_order(lw, pairs[k], pairs[k + 1], descending, node)
    return [pair.items[1] for pair in pairs if isinstance(pair, Aggregate)]


def _in_order(lw: Lowering, left: Entity, right: Entity, descending: bool, node: Any) -> list[Entity]:
    first, second = (left, right) if descending else (right, left)
    found = control.choose(
        lw, _less(lw, first, second, node), lambda: Aggregate([right, left]), lambda: Aggregate([left, right]), node
    )
    assert isinstance(found, Aggregate)
    return found.items


def best(lw: Lowering, items: list[Entity], keys: list[Entity], largest: bool, node: Any) -> Entity:
    """The first item with the smallest or largest key."""
    found: Entity = Aggregate([keys[0], items[0]])
    for key, item in zip(keys[1:], items[1:], strict=True):
        pair, held = Aggregate([key, item]), found
        test = _less(lw, held, pair, node) if largest else _less(lw, pair, held, node)
        found = control.choose(lw, test, lambda: pair, lambda: held, node)  # noqa: B023  (called at once)
    assert isinstance(found, Aggregate)
    return found.items[1]


def _less(lw: Lowering, a: Entity, b: Entity, node: Any) -> Entity:
    assert isinstance(a, Aggregate) and isinstance(b, Aggregate)
    return less(lw, a.items[0], b.items[0], node)
